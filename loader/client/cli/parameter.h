/*
 * parameter.h - a parameter: what a command, a view or a query of the API can be told.
 *
 * It is declared once. Command lines, help, man pages, completion, the check of requests,
 * /api/parameters and the arguments of SQL queries all read its declaration. Those of one command
 * stand in that command's table; those of views and the API, which share most of them, in
 * parameters.c.
 *
 * Nothing here allocates: requests from anybody are checked with it.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_CLI_PARAMETER_H
#define PH_CLI_PARAMETER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum PhParameterType
{
	PH_PARAMETER_FLAG,	   /* given or not; in requests true or false */
	PH_PARAMETER_TEXT,	   /* of at least `least` bytes */
	PH_PARAMETER_INTEGER,  /* from least to most */
	PH_PARAMETER_NUMBER,   /* finite, from least to most */
	PH_PARAMETER_RUN,	   /* the number of a run */
	PH_PARAMETER_INTEGERS, /* numbers from 0 on and ranges of them: 0-3,8 */
	PH_PARAMETER_DURATION, /* 0.1s, 250us; at least `least` ns */
	PH_PARAMETER_WINDOW,   /* A-B, A, A- or -B, both ends included */
	PH_PARAMETER_BOUNDS,   /* LOW:HIGH, LOW: or :HIGH */
	PH_PARAMETER_FILTER,   /* a share from least to most, or a condition on runs */
	PH_PARAMETER_DRILL,	   /* NODE=LEVEL, the level one of the choices */
	PH_PARAMETER_FILE	   /* name of a text file; queries get what it holds */
} PhParameterType;

/* What completion offers beside the choices. */
typedef enum PhOffer
{
	PH_OFFER_NOTHING,
	PH_OFFER_FILES,
	PH_OFFER_FOLDERS,
	PH_OFFER_RUNS, /* these and the next ask the warehouse */
	PH_OFFER_TAGS,
	PH_OFFER_METRICS,
	PH_OFFER_APPLICATIONS,
	PH_OFFER_COMMITS,
	PH_OFFER_POLICIES,
	PH_OFFER_REGRESSIONS,
	PH_OFFER_ALIASES
} PhOffer;

/* Do the web pages have a control for it? */
typedef enum PhWeb
{
	PH_WEB_NONE,  /* no: it is what a page shows, or is chosen in pictures */
	PH_WEB_SHOWN, /* beside the picture */
	PH_WEB_FOLDED /* with others behind "more" */
} PhWeb;

typedef struct PhParameter
{
	const char *name;	 /* as on command lines, without dashes; NULL ends a table */
	const char *variant; /* parameters.c: which of those of one name; NULL: the usual one. Of
						  * arguments: the first argument that it belongs to; NULL: any */
	char letter;		 /* 0: none */
	PhParameterType type;
	bool repeats;	   /* may be given several times; the environment twin gives one value */
	bool required;	   /* of requests */
	bool may_be_named; /* of runs: what ph_word_names_run takes, too (runs/named_run.h) */
	bool is_local;	   /* names files, the database or the output: not for requests */
	PhWeb web;
	const char *label;			/* of that control; NULL: the name */
	const char *value;			/* how help shows a value, e.g. "FILE"; NULL for flags */
	const char *environment;	/* environment twin; NULL: none. Flags: any value but "" and "0" */
	const char *help;			/* one line */
	const char *const *choices; /* beside these words only what the type allows; NULL: none */
	double least, most;			/* both 0: any */
	const char *unit;			/* of numbers; NULL: none */
	const char *fallback;		/* when it is not given; NULL: nothing */
	const char *same_as;		/* name of the parameter that it is another name of */
	const char *refusal; /* message about a bad value, % stands for it; NULL: the usual one */
	const char *hint;	 /* what a good value looks like; NULL: told by type and choices */
	PhOffer offer;
} PhParameter;

/* What is wrong with what was given, and what would be right. */
typedef struct PhProblem
{
	const char *parameter; /* its name as given; NULL: none in particular */
	bool has_form;		   /* of a value: it looks like one, but nothing can be meant by it */
	char message[512];
	char hint[1024]; /* "": none */
} PhProblem;

/* Fills in a problem; returns false. */
bool ph_problem_set(PhProblem *problem, const char *parameter, const char *hint, const char *format,
					...) __attribute__((format(printf, 4, 5)));

/* Is it a value of the parameter? Of flags: a word for yes or no. */
bool ph_parameter_accepts(const PhParameter *parameter, const char *text);

/* The same with the reason why not. origin: how the message calls the parameter, such as "option
 * --run" or "parameter run". */
bool ph_parameter_check(const PhParameter *parameter, const char *origin, const char *text,
						PhProblem *problem);

/* The word for the run that was loaded last. What follows it and a colon is a run filter; "": the
 * word alone. NULL: another word. */
#define PH_LATEST "latest"
const char *ph_latest_filter(const char *word);

/* Does it name a run otherwise than by its number: latest, latest:FILTER or APPLICATION@COMMIT? */
bool ph_word_names_run(const char *word);

/* Word for yes: true, 1 or "". */
bool ph_word_is_true(const char *text);

/* A list of INTEGERS that was checked, as SQL's array literal "{0,1,2,8}", cut off at size; returns
 * how long it is, as snprintf does. */
size_t ph_integers_format(const char *text, char *out, size_t size);

/* A window's ends, the last one included; open ends are 0 and PH_WINDOW_END. */
#define PH_WINDOW_END 2000000000L
bool ph_window_parse(const char *text, long *first, long *last);

/* Either is NaN when it is missing. */
bool ph_bounds_parse(const char *text, double *low, double *high);

/* Is the whole text a number, whatever its size? */
bool ph_text_is_number(const char *text);

/* ---- those of views and of the API -------------------------------------------------------- */

/* Ended by one without a name. */
extern const PhParameter ph_parameters[];

#define PH_MOST_CHOSEN 40

/* Some of them, with defaults of their own. */
typedef struct PhParameterSet
{
	PhParameter items[PH_MOST_CHOSEN + 1]; /* ended by one without a name */
	char defaults[256];					   /* texts that items point to: not to be copied */
} PhParameterSet;

/* Takes words "run filter=0.001 color:cct node!" from the table: = is followed by the default, : by
 * the variant, ! demands a value. Aborts when one is not there. */
void ph_parameters_choose(const char *words, PhParameterSet *out);

/* By its name on command lines, the usual one first; NULL when there is none. */
const PhParameter *ph_parameter_find(const char *name, size_t length);

#endif
