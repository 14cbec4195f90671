/*
 * history.h - costs along a history of commits, or along the iterations of a run: series, their
 * levels, and small multiples of them.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_VIEWS_HISTORY_HISTORY_H
#define PH_VIEWS_HISTORY_HISTORY_H

#include "drawing/axis.h"
#include "drawing/page.h"
#include "request/rows.h"

#define PH_HISTORY_BELOW 34.0 /* labels of commits below the lowest panels */

/* What panels have across. */
typedef enum PhHistoryAxis
{
	PH_HISTORY_COMMITS,
	PH_HISTORY_TIMES, /* no run has a commit */
	PH_HISTORY_ITERATIONS
} PhHistoryAxis;

/* A commit, or a run or an iteration without one, on the common axis. */
typedef struct PhHistorySlot
{
	const char *commit, *subject, *author, *committed_at; /* NULL: unknown */
	bool main_line;
	bool known; /* perfhouse.commit has it */
} PhHistorySlot;

/* A run of a condition, or an iteration. */
typedef struct PhHistoryPlace
{
	const char *run; /* NULL: an iteration */
	uint32_t slot;
	double time;		   /* s since 1970; of an iteration its number */
	double offset;		   /* among the runs of its slot, -0.5 to 0.5 */
	uint32_t first, count; /* places of its slot in this condition */
} PhHistoryPlace;

/* Runs that may be compared: so many ranks and threads, one cluster. */
typedef struct PhHistoryCondition
{
	double series;
	const char *text; /* "8 ranks" */
	uint32_t n;
	PhHistoryPlace *places; /* in the order of the history */
} PhHistoryCondition;

/* Places [from, to), of which n have a value, have one mean; low and high: its 95 % confidence
 * range, NaN when unknown. */
typedef struct PhHistoryLevel
{
	uint32_t from, to, n;
	double mean, low, high;
	bool by_commit; /* the range rests on means of commits, not on runs */
} PhHistoryLevel;

typedef struct PhHistoryChange
{
	uint32_t index;	 /* first place of the new level */
	double relative; /* mean after / mean before - 1 */
	double p_value, q_value;
	const char *regression, *state, *reason; /* NULL: none is kept */
	bool is_level;							 /* false: a kept regression where no level ends now */
} PhHistoryChange;

typedef struct PhHistoryPanel
{
	const char *label;
	bool is_path;
	const char *leaf; /* last name of a path; NULL: not known */
	const PhHistoryCondition *condition;
	double *values; /* by place; NaN: none */
	/* Of iterations of a call path, by place: costs of the ranks, and which has the greatest. NULL:
	 * not known */
	const double *least, *greatest, *worst;
	uint32_t n_changes, n_levels;
	PhHistoryChange *changes; /* by index */
	PhHistoryLevel *levels;
	double low, high; /* of its vertical axis */
	bool own_scale;	  /* swings too far for the common one */
} PhHistoryPanel;

typedef struct PhHistory
{
	uint32_t n_slots, n_conditions, n_panels;
	uint32_t n_hidden; /* conditions that are not drawn */
	PhHistorySlot *slots;
	PhHistoryCondition *conditions;
	PhHistoryPanel *panels;
	const char *unit_name;
	double better; /* 1: more is better, 0: not known */
	PhHistoryAxis axis;
	double time_from, time_to;
} PhHistory;

/* Sections runs (or iterations), panels, changes, regressions. */
void ph_history_read(PhArena *arena, const PhViewRows *rows, PhHistory *out);

/* The levels between changes, whose relative sizes are set. Independent values have a confidence
 * range; neighbouring iterations depend on each other. */
void ph_history_levels(PhArena *arena, PhHistoryPanel *panel, bool is_independent);

/* Ranges of the vertical axes: one relative range for all panels, own ones for those that swing
 * over three times as far as half of the panels. *low, *high: the common range, relative to the
 * middle of a panel's values. */
void ph_history_scales(PhArena *arena, PhHistory *history, double *low, double *high);

/* Which of n slots get a label when they are step apart: all when there is room, else those wanted
 * and then every k-th, none nearer than room to another. */
bool *ph_history_labelled(PhArena *arena, uint32_t n, double step, double room, const bool *wanted);

/* How tall the body must be. */
double ph_history_height(const PhHistory *history, double width);

/* Are there too many runs to draw one by one, with a tooltip each? */
bool ph_history_is_crowded(const PhHistory *history);

/* Draws all panels into where; crowded: cells in which there are runs, the darker the more. */
void ph_history_draw(PhScene *scene, PhHistory *history, PhPalette palette, bool crowded,
					 PhBody where);
/* Answers how far below its first line it ends: two lines have room above the body. */
double ph_history_legend(PhScene *scene, const PhHistory *history, PhPalette palette);

#endif
