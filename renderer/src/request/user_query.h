/*
 * user_query.h - pictures of what a query of the user gives: a value, or plain rows.
 *
 * Every view says in its `given` what it draws: one or two values of the extension's types, which
 * its own query takes in place of those of a run (:given, :given_b), or columns of plain rows.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_REQUEST_USER_QUERY_H
#define PH_REQUEST_USER_QUERY_H

#include "request/failure.h"

/* "supergraph", or "x (number, time or text), y (number), series (text, may be left out)". */
const char *ph_given_text(PhArena *arena, const PhGivenColumn *columns);

/* Does a query say what to draw? */
bool ph_user_query_given(const PhOptions *options);

/* Does the view draw such a query, and has it all been said there? */
bool ph_user_query_check(const PhView *view, const PhOptions *options, PhFailure *failure);

/* Runs the query, in a transaction that may only read and with the names of schema perfhouse, and
 * fills rows with what the picture is drawn from. Nothing is logged. */
bool ph_user_query_rows(PhConnection *connection, const PhView *view, const PhOptions *options,
						PhViewRows *rows, PhFailure *failure);

/* What the columns of a query are: kind, type and cast to a number, as query_types.sql has them.
 * NULL: the error is in the connection. */
PhResult *ph_query_types(PhConnection *connection, PhArena *arena, const PhResult *columns);

#endif
