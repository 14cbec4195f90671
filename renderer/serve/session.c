/*
 * session.c - a worker's connection to the warehouse: reads only, as perfhouse_reader.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "serve/session.h"

#include <stddef.h>

#include "queries.h"

/* Reads only from now on, as perfhouse_reader when that role can be taken. False: the error is in
 * the connection. */
static bool
session_restrict(PhConnection *connection, int timeout_ms)
{
	PhParam params[1] = {ph_param_int(timeout_ms)};

	return ph_pq_execute(connection, ph_sql_serve_session, params, 1);
}

bool
ph_session_ready(PhSession *session)
{
	if (session->connection != NULL && ph_pq_is_open(session->connection))
		return true;
	ph_session_close(session);
	if (ph_pq_connect_again(&session->connection, session->like) &&
		session_restrict(session->connection, session->timeout_ms))
		return true;
	if (session->connection != NULL)
		session->error = session->connection->error;
	else
		ph_pq_error_memory(&session->error);
	ph_session_close(session);
	return false;
}

void
ph_session_close(PhSession *session)
{
	ph_pq_close(session->connection);
	session->connection = NULL;
}
