/*
 * collect.h - the rows of a statement, kept as the rows of a picture.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_REQUEST_COLLECT_H
#define PH_REQUEST_COLLECT_H

#include "request/failure.h"

/* A statement with rows (section, JSON object), and its parameters. */
typedef struct PhStatement
{
	const char *sql;
	const PhParam *params;
	int n_params;
	size_t most_bytes; /* not more is kept; 0: no limit */
} PhStatement;

/* Adds the statement's rows as they come, so that too many can be refused in good time. */
bool ph_collect(PhConnection *connection, const PhView *view, const PhOptions *options,
				const PhStatement *statement, PhViewRows *rows, PhFailure *failure);

#endif
