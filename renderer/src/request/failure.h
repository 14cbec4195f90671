/*
 * failure.h - why there are no rows for a picture, in words for people.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_REQUEST_FAILURE_H
#define PH_REQUEST_FAILURE_H

#include "database/pq.h"
#include "request/view.h"
#include "system/exit_codes.h"

/* The texts live in the picture's arena. */
typedef struct PhFailure
{
	PhExit code;
	const char *sqlstate; /* "" when it is not the server's answer */
	const char *message;
	const char *detail, *hint; /* NULL or "": none */
} PhFailure;

/* Fills in why; returns false. message and hint live as long as the arena. */
bool ph_fail_fetch(PhFailure *failure, PhExit code, const char *message, const char *hint);

/* What the server refused. NULL: the helper query of a check; else the detail says what was drawn
 * when the server gave none, and a supernode that is not there comes with those that are. */
bool ph_fail_query(PhConnection *connection, const PhView *view, const PhOptions *options,
				   PhFailure *failure);

/* The query found nothing to draw: a row of the section "error" says why. */
bool ph_fail_rows(const PhOptions *options, const PhViewRows *rows, PhFailure *failure);

/* The first column of a query's rows, separated by commas; "" when it fails. */
const char *ph_listed(PhConnection *connection, PhArena *arena, const PhQuery *query,
					  const PhView *view, const PhOptions *options);

/* Logs it; returns its code. */
PhExit ph_failure_log(const PhFailure *failure);

#endif
