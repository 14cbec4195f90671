/*
 * options.h - what a view, or a query of the API, was told: typed access to the values of its
 * parameters, which cli/parameters.c declares.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_REQUEST_OPTIONS_H
#define PH_REQUEST_OPTIONS_H

#include "base/arena.h"
#include "cli/values.h"
#include "database/pq.h"
#include "drawing/color.h"
#include "drawing/draw.h"

struct PhAskedQuery;

typedef struct PhOptions
{
	PhArena *arena; /* for texts that are made of values */
	PhValues values;
	const PhParam *given;			  /* values of --query, :given and :given_b; NULL: none */
	const struct PhAskedQuery *query; /* of a request; NULL: --query or --query-file, or none */
} PhOptions;

/* Parameters that every view takes. */
extern const char ph_view_common[];

/* Options of a view from what was given on a command line; values outlive them. Names of files
 * become what the files hold. False: *problem says which cannot be read. */
bool ph_options_init(PhOptions *options, PhArena *arena, const PhValues *values,
					 PhProblem *problem);

/* Options from a request from anybody. words: the parameters taken, as ph_parameters_choose()
 * reads them; more: some more of them, NULL: none. False: *problem says what is wrong. */
bool ph_options_request(PhOptions *options, PhArena *arena, const char *words, const char *more,
						const char *whose, const char *const *names, const char *const *texts,
						size_t n, PhProblem *problem);

/* A message about options in the words of requests: "parameter group_by" for "option --group-by".
 * NULL stays NULL. */
const char *ph_options_request_words(PhArena *arena, const char *text);

/* By the name on command lines. Not given: the default, else NULL, NaN, false. */
bool ph_option_given(const PhOptions *options, const char *name);
bool ph_option_flag(const PhOptions *options, const char *name);
const char *ph_option_text(const PhOptions *options, const char *name);
bool ph_option_is(const PhOptions *options, const char *name, const char *word);
double ph_option_number(const PhOptions *options, const char *name);
uint32_t ph_option_count(const PhOptions *options, const char *name); /* of those from 0 on */
PhPalette ph_option_palette(const PhOptions *options);

/* --range: is it a time, and how many ns? */
bool ph_option_range(const PhOptions *options, double *ns);
/* --color-range; NaN: from the data. */
void ph_option_bounds(const PhOptions *options, double *low, double *high);
/* --filter may be a share or a condition on runs; of each the last counts. NULL: none. */
double ph_option_share(const PhOptions *options);
/* False when there is neither one nor a default. */
bool ph_option_share_given(const PhOptions *options, double *out);
const char *ph_option_condition(const PhOptions *options);

/* Does the view take such a parameter? */
bool ph_option_taken(const PhOptions *options, const char *name);

/* Is the output the picture's SQL (request/expression.h) rather than a picture? */
bool ph_option_is_sql(const PhOptions *options);
/* The format of the picture: --type, else what the name of --output ends in. */
bool ph_option_format(const PhOptions *options, PhFormat *format, PhProblem *problem);

#endif
