/*
 * session.h - a worker's connection to the warehouse: reads only, as perfhouse_reader.
 *
 * A lost connection is made again at the next use; the server's being away is an error of that
 * one request.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_SESSION_H
#define PH_SESSION_H

#include <stdatomic.h>

#include "database/pq.h"

typedef struct PhSession
{
	const PhConnection *like; /* where to connect to */
	int timeout_ms;			  /* of a statement */
	PhConnection *connection; /* NULL: none */
	char identity[256];		  /* whose data the connection reads, and as whom; "": not known */
	const atomic_bool
		*unwanted;	 /* true: nobody waits any longer, queries end; NULL: somebody does */
	PhPqError error; /* why ph_session_ready said no */
} PhSession;

/* Connects when there is no good connection. False: session->error. */
bool ph_session_ready(PhSession *session);

/* From now on queries are cancelled once *unwanted is true; NULL: they are not. */
void ph_session_want(PhSession *session, const atomic_bool *unwanted);

/* Drops a connection that cannot be used again, or at the end. */
void ph_session_close(PhSession *session);

#endif
