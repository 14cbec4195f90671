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

#include "database/pq.h"

typedef struct PhSession
{
	const PhConnection *like; /* where to connect to */
	int timeout_ms;			  /* of a statement */
	PhConnection *connection; /* NULL: none */
	PhPqError error;		  /* why ph_session_ready said no */
} PhSession;

/* Connects when there is no good connection. False: session->error. */
bool ph_session_ready(PhSession *session);

/* Drops a connection that cannot be used again, or at the end. */
void ph_session_close(PhSession *session);

#endif
