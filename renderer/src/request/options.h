/*
 * options.h - options of `perfhouse render VIEW`, as one table from which parsing and help come.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_REQUEST_OPTIONS_H
#define PH_REQUEST_OPTIONS_H

#include <stdio.h>

#include "drawing/draw.h"
#include "drawing/page.h"

/* A change of the super graph, in the order given. */
typedef enum PhStepKind
{
	PH_SPLIT_ENTRY,
	PH_SPLIT_CALLER,
	PH_DRILL
} PhStepKind;

typedef struct PhStep
{
	PhStepKind kind;
	const char *node;
	const char *level;		/* drill */
	const char **functions; /* split by entry; none: all */
	uint32_t n_functions;
} PhStep;

#define PH_MAX_STEPS 64
#define PH_MAX_PATHS 64

typedef struct PhOptions
{
	PhArena *arena;
	const char *run, *vs;
	const char *metric, *metric_y;
	const char *group_by;
	const char *module_map; /* contents of the file */
	double filter;			/* NaN: the view's default */
	const char *ranks;		/* as an int4[] literal; NULL: all */
	PhStep steps[PH_MAX_STEPS];
	uint32_t n_steps;
	const char *node;
	const char *cost;  /* inclusive or exclusive; NULL: the view's default */
	const char *color; /* NULL: the view's default */
	const char *order; /* rank or host */
	PhPalette palette;
	double width, height; /* 0: the view's default */
	double scale;
	uint32_t bins;
	uint32_t top;
	bool top_given;
	bool root_on_top;
	const char *from, *to; /* time window in ns as text; NULL: open */
	uint32_t depth;		   /* call levels to draw; 0: the view's default */
	bool no_messages;
	const char *step_from, *step_to; /* [from, to) as text; NULL: open */
	const char *phase;
	const char *range; /* of colours: "all", "step" or a number of ns as text */
	bool aggregates, no_aggregates, no_inactive, reorder;
	bool aliases;			   /* regions under the names that aliases give them */
	uint32_t clusters, radius; /* 0: the view's default; radius counts from 1 hop */
	const char *unfold, *fold; /* clusters, as int4[] literals; NULL: none */
	const char *cluster;	   /* number of one; NULL: all processes */
	const char *focus;		   /* "latest" or "centroid"; NULL: latest */
	const char *summary;	   /* sum, max or mean */
	const char *application, *run_filter;
	const char *runs;	   /* as an int8[] literal; NULL: all */
	const char *guides;	   /* none, summary or detailed; NULL: the view's default */
	const char *layout;	   /* tree or radial; NULL: the view's default */
	const char *highlight; /* a call-path query */
	const char *color_metric;
	double color_low, color_high;	 /* NaN: from the data */
	const char *paths[PH_MAX_PATHS]; /* call paths or functions to draw */
	uint32_t n_paths;
	const char *by;		   /* path, function, module or total; NULL: as the paths say */
	const char *mode;	   /* of finding change points: default or otava */
	const char *parameter; /* number of a run that costs depend on */
	const char *scaling;   /* strong or weak */
	const char *title;
	const char *output;
	PhFormat format;
	const char *rows, *save_rows; /* file names */
	const char *database;
	const char *verbosity; /* NULL, "quiet" or "verbose" */
	bool help;
} PhOptions;

/* Parses arguments after the view's name. accepted: names of the options that the view takes,
 * separated by spaces. On failure *message and *hint say why. */
bool ph_options_parse(PhOptions *options, PhArena *arena, const char *accepted, int argc,
					  char **argv, const char **message, const char **hint);

/* What is wrong with a parameter of a request. */
typedef struct PhOptionError
{
	const char *parameter; /* its name as given; NULL: none in particular */
	const char *message, *hint;
} PhOptionError;

/* The same for a request from anywhere: names as in the options with _ for -, flags with the value
 * true or false. What names files, the database or the output is refused. */
bool ph_options_parse_request(PhOptions *options, PhArena *arena, const char *accepted,
							  const char *const *names, const char *const *values, size_t n,
							  PhOptionError *error);

/* A message about options in the words of requests: "parameter group_by" for "option --group-by".
 * NULL stays NULL. */
const char *ph_options_request_words(PhArena *arena, const char *text);

/* Prints the options that a view takes. */
void ph_options_help(FILE *file, const char *accepted);

/* Is a word among words separated by spaces? */
bool ph_option_among(const char *words, const char *word);

/* "0-3,8" to "{0,1,2,3,8}"; NULL when it is no such list. */
const char *ph_ranks_parse(PhArena *arena, const char *text);

#endif
