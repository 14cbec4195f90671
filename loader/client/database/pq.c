/*
 * pq.c - errors, waiting with interrupts.
 *
 * All calls are made on libpq's asynchronous interface and wait in one place, so that SIGINT can
 * cancel what the server does.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "database/pq.h"

#include <errno.h>
#include <poll.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "database/pq_internal.h"
#include "database/pq_permission.h"
#include "system/interrupt.h"
#include "system/log.h"
#include "system/memory.h"

void
ph_pq_clear_error(PhConnection *connection)
{
	memset(&connection->error, 0, sizeof(connection->error));
}

/* One line without trailing blanks. */
void
ph_pq_copy_line(char *out, size_t size, const char *text)
{
	size_t length;

	snprintf(out, size, "%s", text != NULL ? text : "");
	for (char *at = out; *at != '\0'; at++)
		if (*at == '\n' || *at == '\t')
			*at = ' ';
	for (length = strlen(out); length > 0 && out[length - 1] == ' '; length--)
		out[length - 1] = '\0';
}

bool
ph_pq_fail(PhConnection *connection, PhExit code, const char *hint, const char *format, ...)
{
	va_list arguments;

	ph_pq_clear_error(connection);
	connection->error.code = code;
	va_start(arguments, format);
	vsnprintf(connection->error.message, sizeof(connection->error.message), format, arguments);
	va_end(arguments);
	ph_pq_copy_line(connection->error.hint, sizeof(connection->error.hint), hint);
	return false;
}

void
ph_pq_error_memory(PhPqError *error)
{
	*error = (PhPqError){
		.code = PH_EXIT_MEMORY, .sqlstate = PH_PQ_OUT_OF_MEMORY, .message = "out of memory"};
}

bool
ph_pq_note_lost(PhConnection *connection)
{
	PhPqError *error = &connection->error;

	error->code = ph_interrupted() ? PH_EXIT_INTERRUPTED : PH_EXIT_UNREACHABLE;
	ph_pq_copy_line(error->message, sizeof(error->message), PQerrorMessage(connection->pq));
	if (error->message[0] == '\0')
		ph_pq_copy_line(error->message, sizeof(error->message), "the connection was lost");
	ph_pq_copy_line(error->hint, sizeof(error->hint),
					error->code == PH_EXIT_INTERRUPTED
						? NULL
						: "See the server's log, then try again; nothing half done is visible.");
	return false;
}

/* What to do about an error for which the server has no hint; NULL: nothing general. */
static const char *
remedy(PhExit code)
{
	if (code == PH_EXIT_DISK_FULL)
		return "Free space on the database server's disk, then try again.";
	return NULL;
}

bool
ph_pq_note(PhConnection *connection, const PGresult *result)
{
	PhPqError *error = &connection->error;
	const char *state = result == NULL ? NULL : PQresultErrorField(result, PG_DIAG_SQLSTATE);

	ph_pq_clear_error(connection);
	if (state == NULL)
		return ph_pq_note_lost(connection);
	ph_pq_copy_line(error->sqlstate, sizeof(error->sqlstate), state);
	ph_pq_copy_line(error->message, sizeof(error->message),
					PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY));
	ph_pq_copy_line(error->detail, sizeof(error->detail),
					PQresultErrorField(result, PG_DIAG_MESSAGE_DETAIL));
	ph_pq_copy_line(error->hint, sizeof(error->hint),
					PQresultErrorField(result, PG_DIAG_MESSAGE_HINT));
	error->code = ph_exit_from_sqlstate(state);
	if (error->hint[0] == '\0')
		ph_pq_copy_line(error->hint, sizeof(error->hint), remedy(error->code));
	if (error->hint[0] == '\0' && error->code == PH_EXIT_PERMISSION)
		ph_pq_explain_permission(PQuser(connection->pq), error->message, sizeof(error->message),
								 error->hint, sizeof(error->hint));
	/* cancelled, but not by us: a statement timeout */
	if (strcmp(state, "57014") == 0 && !ph_interrupted())
		error->code = PH_EXIT_ERROR;
	return false;
}

PhExit
ph_pq_log_error(const PhConnection *connection, const char *what)
{
	const PhPqError *error = &connection->error;
	const char *message = error->code == PH_EXIT_INTERRUPTED ? "interrupted" : error->message;

	if (what == NULL || strstr(message, what) != NULL)
		ph_log_error("%s", message);
	else
		ph_log_error("%s: %s", what, message);
	if (error->detail[0] != '\0')
		ph_log_detail("%s", error->detail);
	if (error->hint[0] != '\0')
		ph_log_hint("%s", error->hint);
	return error->code;
}

/* ------------------------------------------------------------------------------------- waiting */
void
ph_pq_wait(PhConnection *connection, bool writing)
{
	struct pollfd entry = {.fd = PQsocket(connection->pq),
						   .events = (short) (POLLIN | (writing ? POLLOUT : 0))};

	if (entry.fd >= 0)
		(void) poll(&entry, 1, PH_PQ_WAKE_UP_MS);
}

static void
cancel(PhConnection *connection)
{
	PGcancel *handle = PQgetCancel(connection->pq);
	char message[256];

	if (handle != NULL && !PQcancel(handle, message, sizeof(message)))
		ph_log_debug("cannot cancel the query: %s", message);
	PQfreeCancel(handle);
}

/* Is a query under way, rows of it included, that nobody wants any longer? */
static bool
is_unwanted(const PhConnection *connection)
{
	bool unwanted =
		ph_interrupted() || (connection->unwanted != NULL && atomic_load(connection->unwanted));

	return unwanted && !connection->is_cleaning &&
		   PQtransactionStatus(connection->pq) == PQTRANS_ACTIVE;
}

PGresult *
ph_pq_next_result(PhConnection *connection)
{
	do
	{
		if (!connection->is_cancelled && is_unwanted(connection))
		{
			connection->is_cancelled = true;
			cancel(connection);
		}
		if (!PQisBusy(connection->pq))
			break;
		ph_pq_wait(connection, PQflush(connection->pq) > 0);
	} while (PQconsumeInput(connection->pq));
	return PQgetResult(connection->pq);
}

void
ph_pq_drain(PhConnection *connection)
{
	PGresult *result;

	while ((result = ph_pq_next_result(connection)) != NULL)
	{
		ExecStatusType status = PQresultStatus(result);

		PQclear(result);
		if (status == PGRES_COPY_IN || status == PGRES_COPY_OUT)
			break;
	}
}
