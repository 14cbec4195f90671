/*
 * values.h - what was given for parameters, by a command line, the environment or a request.
 *
 * Texts are checked when they are added and not copied, so reading them cannot fail. Nothing here
 * allocates: who adds brings the room.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_CLI_VALUES_H
#define PH_CLI_VALUES_H

#include "cli/parameter.h"

typedef struct PhGivenText
{
	const PhParameter *parameter;
	const char *text; /* of flags: NULL */
} PhGivenText;

#define PH_MOST_TABLES 3

typedef struct PhValues
{
	const PhParameter *tables[PH_MOST_TABLES]; /* that may be given; each ended by a nameless one */
	size_t n_tables;
	PhGivenText *given; /* in the order given */
	size_t n_given;
} PhValues;

/* The declaration by its name on command lines; NULL: it may not be given. */
const PhParameter *ph_values_declared(const PhValues *values, const char *name, size_t length);

/* Adds a checked value; given[] must have room. */
void ph_values_add(PhValues *values, const PhParameter *parameter, const char *text);

/* Adds the parameters of a request: names as on command lines with _ for -, flags with a word for
 * true or false; an empty value is one that a form was not filled in with. given[] must have room
 * for n. whose: how a hint calls what takes them, such as "this view". */
bool ph_values_read_request(PhValues *values, const char *whose, const char *const *names,
							const char *const *texts, size_t n, PhProblem *problem);

/* Was everything given that requests must give? */
bool ph_values_demand(const PhValues *values, PhProblem *problem);

/* By name. Not given: the default of what is declared here, else of the table of all; a name that
 * is in neither is a programming error (aborts). Of several the last counts. */
bool ph_values_given(const PhValues *values, const char *name);
bool ph_values_flag(const PhValues *values, const char *name);
const char *ph_values_text(const PhValues *values, const char *name); /* NULL: none */
double ph_values_number(const PhValues *values, const char *name);	  /* NaN: none */

/* The next of several at or after position *at of given[], which moves behind it; NULL: no more. */
const char *ph_values_next(const PhValues *values, const char *name, size_t *at);

#endif
