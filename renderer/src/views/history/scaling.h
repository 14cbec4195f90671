/*
 * scaling.h - costs against a number of the runs on logarithmic axes, with models.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_VIEWS_HISTORY_SCALING_H
#define PH_VIEWS_HISTORY_SCALING_H

#include "drawing/page.h"
#include "request/rows.h"
#include "statistics/scaling_model.h"

typedef struct PhScalingPoint
{
	double parameter, value, speedup, efficiency;
} PhScalingPoint;

typedef struct PhScalingPanel
{
	const char *path, *model_text;
	const char *caution;	  /* what to know before the model is trusted; NULL: nothing */
	const char *alternatives; /* models that are as good, a line each; NULL: none */
	const char *leaf;		  /* last name of the path; NULL: not known */
	PhScalingModel model;
	uint32_t n;
	PhScalingPoint *points;	 /* by parameter */
	double base, base_value; /* smallest parameter, and the mean of its values */
	double low, high;		 /* of the vertical axis, above 0 */
	bool own_span;			 /* over three times as many decades as half of the panels */
	bool nothing;			 /* no value above 0: nothing on a logarithmic axis */
} PhScalingPanel;

typedef struct PhScaling
{
	uint32_t n;
	PhScalingPanel *panels;
	const char *parameter; /* for people: "ranks" */
	const char *unit_name;
	bool weak;
	bool judged;		/* it is known what is ideal: strong or weak */
	uint32_t n_numbers; /* different parameters */
	double *numbers;	/* ascending */
} PhScaling;

/* Sections models, points, choice, metric. */
void ph_scaling_read(PhArena *arena, const PhViewRows *rows, PhScaling *out);

/* Vertical axes of one logarithmic span, so that equal slopes mean equal growth; each panel's ends
 * are its own, and the span, too, of panels that need far more. Returns how many these are. */
uint32_t ph_scaling_scales(PhArena *arena, PhScaling *scaling);

double ph_scaling_model_at(const PhScalingModel *model, double parameter);
double ph_scaling_ideal_at(const PhScaling *scaling, const PhScalingPanel *panel, double parameter);

/* "grows like p^(3/4) · log₂(p)", "falls like ...", "tends to 13.8 s like ...", "constant". */
const char *ph_scaling_words(PhArena *arena, const PhScaling *scaling, const PhScalingPanel *panel);

/* Round numbers in [low, high], as fine as at most most of them allow. */
uint32_t ph_log_ticks(double low, double high, double *ticks, uint32_t most);

double ph_scaling_height(const PhScaling *scaling, double width);
void ph_scaling_draw(PhScene *scene, const PhScaling *scaling, PhBody where);
void ph_scaling_legend(PhScene *scene, const PhScaling *scaling);

#endif
