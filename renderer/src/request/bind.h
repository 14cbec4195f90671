/*
 * bind.h - the arguments of a query by the names that it gives its parameters.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_REQUEST_BIND_H
#define PH_REQUEST_BIND_H

#include "database/pq.h"
#include "queries.h"
#include "request/view.h"

/* Values for :name, the name with _ for -, as the parameter's type has them in SQL: lists as
 * arrays, times as ns, flags as true or false; :messages is the opposite of the flag --no-messages.
 * What follows from several values or from the view has names of its own (bind.c). view NULL: a
 * query of the API. Returns how many there are. */
int ph_bind(const PhQuery *query, const PhView *view, const PhOptions *options,
			PhParam params[PH_PQ_MAX_PARAMS]);

/* "0-3,8" as "{0,1,2,3,8}". */
const char *ph_integers_array(PhArena *arena, const char *text);

#endif
