/*
 * session.c - a worker's connection to the warehouse: reads only, as perfhouse_reader.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "serve/session.h"

#include <stddef.h>
#include <string.h>

#include "database/asked_query.h"
#include "queries.h"

/* After the role has been taken. False: the error is in the connection. */
static bool
read_identity(PhSession *session)
{
	PhResult *result = ph_pq_query(session->connection, ph_sql_serve_identity, NULL, 0);
	const char *identity = result != NULL ? ph_result_text(result, 0, 0) : NULL;
	size_t size = sizeof(session->identity);

	session->identity[0] = '\0';
	if (identity != NULL && strlen(identity) < size)
		memcpy(session->identity, identity, strlen(identity) + 1);
	ph_result_free(result);
	return result != NULL;
}

bool
ph_session_ready(PhSession *session)
{
	if (session->connection != NULL && ph_pq_is_open(session->connection))
		return true;
	ph_session_close(session);
	if (ph_pq_connect_again(&session->connection, session->like) &&
		ph_asked_restrict(session->connection, "perfhouse serve", session->timeout_ms) &&
		read_identity(session))
	{
		session->connection->unwanted = session->unwanted;
		return true;
	}
	if (session->connection != NULL)
		session->error = session->connection->error;
	else
		ph_pq_error_memory(&session->error);
	ph_session_close(session);
	return false;
}

void
ph_session_want(PhSession *session, const atomic_bool *unwanted)
{
	session->unwanted = unwanted;
	if (session->connection != NULL)
		session->connection->unwanted = unwanted;
}

void
ph_session_close(PhSession *session)
{
	ph_pq_close(session->connection);
	session->connection = NULL;
}
