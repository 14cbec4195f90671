/*
 * pq_copy.c - COPY in both directions with bounded memory.
 *
 * The connection is switched to non-blocking for COPY IN, so that a server that stops reading or
 * reports an error early is noticed, and an interrupt gets through.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <stdlib.h>
#include <string.h>

#include "database/pq.h"
#include "database/pq_internal.h"
#include "system/interrupt.h"

#define PORTION ((size_t) 256 * 1024)

/* Starts a COPY statement; its result must have the wanted status. */
static bool
copy_start(PhConnection *connection, const char *sql, ExecStatusType wanted)
{
	PGresult *result;
	bool ok;

	if (!ph_pq_send(connection, sql, NULL, 0, false))
		return false;
	result = ph_pq_next_result(connection);
	ok = result != NULL && PQresultStatus(result) == wanted;
	if (!ok)
	{
		ph_pq_note(connection, result);
		ph_pq_drain(connection);
	}
	PQclear(result);
	return ok;
}

bool
ph_pq_copy_begin(PhConnection *connection, const char *sql)
{
	bool is_insert;

	if (!ph_pq_insert_begin(connection, sql, &is_insert))
		return false;
	if (is_insert)
		return true;
	if (!copy_start(connection, sql, PGRES_COPY_IN))
		return false;
	PQsetnonblocking(connection->pq, 1);
	connection->in_copy = true;
	return true;
}

static bool
note_interrupt(PhConnection *connection)
{
	return ph_pq_fail(connection, PH_EXIT_INTERRUPTED, NULL, "interrupted");
}

/* Send what libpq has queued. */
static bool
flush(PhConnection *connection)
{
	int left;

	while ((left = PQflush(connection->pq)) > 0)
	{
		if (ph_interrupted())
			return note_interrupt(connection);
		ph_pq_wait(connection, true);
		if (!PQconsumeInput(connection->pq))
			return ph_pq_note(connection, NULL);
	}
	return left == 0 || ph_pq_note(connection, NULL);
}

bool
ph_pq_copy_put(PhConnection *connection, const char *bytes, size_t size)
{
	while (size > 0)
	{
		size_t portion = size < PORTION ? size : PORTION;

		if (ph_interrupted())
			return note_interrupt(connection);
		if (connection->insert != NULL)
			return ph_pq_insert_put(connection, bytes, size);
		if (PQputCopyData(connection->pq, bytes, (int) portion) < 0)
			return ph_pq_note(connection, NULL);
		if (!flush(connection))
			return false;
		bytes += portion;
		size -= portion;
	}
	return true;
}

bool
ph_pq_copy_end(PhConnection *connection, const char *why, int64_t *n_rows)
{
	PhPqError kept = connection->error;
	bool ok = why == NULL;
	PGresult *result;

	if (!connection->in_copy)
		return false;
	connection->in_copy = false;
	if (connection->insert != NULL)
		return ph_pq_insert_end(connection, why, n_rows);
	PQsetnonblocking(connection->pq, 0);
	if (PQputCopyEnd(connection->pq, why) < 0 && ok)
		ok = ph_pq_note(connection, NULL);
	while ((result = ph_pq_next_result(connection)) != NULL)
	{
		if (ok && PQresultStatus(result) != PGRES_COMMAND_OK)
			ok = ph_pq_note(connection, result);
		else if (ok && n_rows != NULL)
			*n_rows = strtoll(PQcmdTuples(result), NULL, 10);
		PQclear(result);
	}
	if (why != NULL && kept.code != PH_EXIT_OK)
		connection->error = kept;
	return ok;
}
