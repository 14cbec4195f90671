/*
 * given.h - what views draw of a query of the user.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_REQUEST_GIVEN_H
#define PH_REQUEST_GIVEN_H

#include <stdbool.h>

/* What a column of a query of the user must be to be drawn. */
typedef enum PhGivenKind
{
	PH_GIVEN_PROFILE,
	PH_GIVEN_SUPERGRAPH,
	PH_GIVEN_NUMBER,
	PH_GIVEN_PLACE, /* a number, a time, or else text: categories */
	PH_GIVEN_TEXT	/* anything, as text */
} PhGivenKind;

typedef struct PhGivenColumn
{
	const char *name; /* NULL ends a list */
	PhGivenKind kind;
	bool optional; /* so are those behind it */
} PhGivenColumn;

/* What --query gives for views of one profile, or of one super graph. */
extern const PhGivenColumn ph_given_profile[], ph_given_supergraph[];

#endif
