/*
 * fetch.h - the rows of a picture, from the database or from a file of saved rows.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_REQUEST_FETCH_H
#define PH_REQUEST_FETCH_H

#include "request/failure.h"

/* The view itself, or what it is of a single run or a query, where the options ask for that. */
const PhView *ph_view_asked(const PhView *view, const PhOptions *options);

/* Fills rows as the view's query or --rows gives them, and writes them to --save-rows. Failures
 * are logged. */
PhExit ph_fetch(const PhView *view, const PhOptions *options, const char *database,
				PhViewRows *rows);

/* Is it said which runs to draw? */
bool ph_fetch_check(const PhView *view, const PhOptions *options, PhFailure *failure);

/* Fills rows from an open connection. Not more than most_bytes are kept (0: no limit). False:
 * *failure says why; nothing is logged, so that a server can answer with it. */
bool ph_fetch_rows(PhConnection *connection, const PhView *view, const PhOptions *options,
				   size_t most_bytes, PhViewRows *rows, PhFailure *failure);

#endif
