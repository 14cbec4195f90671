/*
 * pq.c - connections, errors, waiting with interrupts.
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

#define WAKE_UP_MS 200
#define CONNECT_SECONDS 15
#define START_SECONDS 60 /* a server that recovers from a crash is waited for */
#define RETRY_US 100000

void
ph_pq_clear_error(PhConnection *connection)
{
	memset(&connection->error, 0, sizeof(connection->error));
}

/* One line without trailing blanks. */
static void
copy_line(char *out, size_t size, const char *text)
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
	copy_line(connection->error.hint, sizeof(connection->error.hint), hint);
	return false;
}

static bool
note_lost(PhConnection *connection)
{
	PhPqError *error = &connection->error;

	error->code = ph_interrupted() ? PH_EXIT_INTERRUPTED : PH_EXIT_UNREACHABLE;
	copy_line(error->message, sizeof(error->message), PQerrorMessage(connection->pq));
	if (error->message[0] == '\0')
		copy_line(error->message, sizeof(error->message), "the connection was lost");
	copy_line(error->hint, sizeof(error->hint),
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
		return note_lost(connection);
	copy_line(error->sqlstate, sizeof(error->sqlstate), state);
	copy_line(error->message, sizeof(error->message),
			  PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY));
	copy_line(error->detail, sizeof(error->detail),
			  PQresultErrorField(result, PG_DIAG_MESSAGE_DETAIL));
	copy_line(error->hint, sizeof(error->hint), PQresultErrorField(result, PG_DIAG_MESSAGE_HINT));
	error->code = ph_exit_from_sqlstate(state);
	if (error->hint[0] == '\0')
		copy_line(error->hint, sizeof(error->hint), remedy(error->code));
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
		(void) poll(&entry, 1, WAKE_UP_MS);
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

PGresult *
ph_pq_next_result(PhConnection *connection)
{
	bool cancelled = false;

	while (PQisBusy(connection->pq))
	{
		if (ph_interrupted() && !cancelled)
		{
			cancelled = true;
			cancel(connection);
		}
		ph_pq_wait(connection, PQflush(connection->pq) > 0);
		if (!PQconsumeInput(connection->pq))
			break;
	}
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

/* ----------------------------------------------------------------------------------- connecting */
static void
log_notice(void *user, const PGresult *result)
{
	const char *severity = PQresultErrorField(result, PG_DIAG_SEVERITY_NONLOCALIZED);
	const char *message = PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY);

	(void) user;
	if (severity != NULL && strcmp(severity, "WARNING") == 0)
		ph_log_warning("%s", message != NULL ? message : "");
	else
		ph_log_debug("%s", message != NULL ? message : "");
}

static bool
contains_any(const char *text, const char *const *needles)
{
	for (; *needles != NULL; needles++)
		if (strstr(text, *needles) != NULL)
			return true;
	return false;
}

/* libpq gives no SQLSTATE for a refused connection: look at what it says. */
static bool
note_refused(PhConnection *connection)
{
	static const char *const refusals[] = {"password authentication failed",
										   "no password supplied",
										   "does not exist",
										   "no pg_hba.conf entry",
										   "authentication failed",
										   "is not permitted to log in",
										   NULL};
	const char *message = PQerrorMessage(connection->pq);
	PhPqError *error = &connection->error;

	note_lost(connection);
	if (ph_interrupted())
		return false;
	if (PQconnectionNeedsPassword(connection->pq) ||
		(strstr(message, "FATAL") != NULL && contains_any(message, refusals)))
	{
		error->code = PH_EXIT_AUTH;
		copy_line(error->hint, sizeof(error->hint),
				  "Check user, password (PGPASSWORD or ~/.pgpass) and database name.");
	}
	else
		copy_line(error->hint, sizeof(error->hint),
				  "Check --db or the PG* variables, and that the server runs.");
	return false;
}

static int
connect_seconds(void)
{
	const char *given = getenv("PGCONNECT_TIMEOUT");
	long seconds = given == NULL ? 0 : strtol(given, NULL, 10);

	return seconds > 0 && seconds < 3600 ? (int) seconds : CONNECT_SECONDS;
}

static bool
await_connection(PhConnection *connection)
{
	int64_t deadline = ph_now_ns() + connect_seconds() * INT64_C(1000000000);
	PostgresPollingStatusType status = PGRES_POLLING_WRITING;

	while (PQstatus(connection->pq) != CONNECTION_BAD && status != PGRES_POLLING_OK)
	{
		struct pollfd entry = {.fd = PQsocket(connection->pq),
							   .events = status == PGRES_POLLING_READING ? POLLIN : POLLOUT};

		if (ph_interrupted())
			return note_lost(connection);
		if (ph_now_ns() > deadline)
			return ph_pq_fail(connection, PH_EXIT_UNREACHABLE,
							  "Check the host; PGCONNECT_TIMEOUT sets how long to wait.",
							  "the server did not answer within %d seconds", connect_seconds());
		if (poll(&entry, 1, WAKE_UP_MS) > 0)
			status = PQconnectPoll(connection->pq);
		if (status == PGRES_POLLING_FAILED)
			break;
	}
	if (PQstatus(connection->pq) != CONNECTION_OK)
		return note_refused(connection);
	return true;
}

static bool
configure(PhConnection *connection)
{
	return ph_pq_script(connection, "SET search_path = pg_catalog, pg_temp;"
									"SET datestyle = 'ISO, YMD';"
									"SET intervalstyle = 'postgres';"
									"SET timezone = 'UTC';"
									"SET extra_float_digits = 1;"
									"SET bytea_output = 'hex';"
									"SET standard_conforming_strings = on;");
}

/* The server starts, or recovers from a crash: it will let people in soon. */
static bool
is_starting(const PGconn *pq)
{
	static const char *const states[] = {"not yet accepting connections",
										 "the database system is starting up",
										 "the database system is in recovery mode", NULL};
	return contains_any(PQerrorMessage(pq), states);
}

static bool
connect_params(PhConnection *connection, const char *const *keywords, const char *const *values)
{
	int64_t deadline = ph_now_ns() + START_SECONDS * INT64_C(1000000000);

	for (;;)
	{
		connection->pq = PQconnectStartParams(keywords, values, 1);
		if (connection->pq == NULL)
			return ph_pq_fail(connection, PH_EXIT_MEMORY, NULL, "out of memory");
		PQsetNoticeReceiver(connection->pq, log_notice, NULL);
		if (await_connection(connection))
			return configure(connection);
		if (!is_starting(connection->pq) || ph_interrupted() || ph_now_ns() > deadline)
			return false;
		PQfinish(connection->pq);
		ph_pq_clear_error(connection);
		usleep(RETRY_US);
	}
}

bool
ph_pq_connect(PhConnection **out, const char *conninfo, const char *program)
{
	PhConnection *connection = ph_must_alloc(1, sizeof(PhConnection));
	const char *keywords[] = {"dbname", "fallback_application_name", "client_encoding", NULL};
	const char *values[] = {conninfo != NULL ? conninfo : "", program, "UTF8", NULL};
	bool has_conninfo = conninfo != NULL && *conninfo != '\0';
	int skip = has_conninfo ? 0 : 1;

	*out = connection;
	if (has_conninfo && strchr(conninfo, '=') == NULL && strstr(conninfo, "://") == NULL)
		ph_log_debug("\"%s\" is taken as the name of a database", conninfo);
	return connect_params(connection, keywords + skip, values + skip);
}

bool
ph_pq_connect_again(PhConnection **out, const PhConnection *like)
{
	PhConnection *connection = ph_must_alloc(1, sizeof(PhConnection));
	PQconninfoOption *options = PQconninfo(like->pq);
	const char *keywords[128];
	const char *values[128];
	size_t n = 0;
	bool ok;

	*out = connection;
	for (PQconninfoOption *option = options; option != NULL && option->keyword != NULL; option++)
		if (option->val != NULL && n < 127)
		{
			keywords[n] = option->keyword;
			values[n++] = option->val;
		}
	keywords[n] = values[n] = NULL;
	ok = connect_params(connection, keywords, values);
	PQconninfoFree(options);
	return ok;
}

void
ph_pq_close(PhConnection *connection)
{
	if (connection == NULL)
		return;
	PQfinish(connection->pq);
	free(connection);
}

int
ph_pq_server_version(const PhConnection *connection)
{
	return PQserverVersion(connection->pq);
}

int
ph_pq_backend_pid(const PhConnection *connection)
{
	return PQbackendPID(connection->pq);
}

char *
ph_pq_describe(const PhConnection *connection)
{
	const char *host = PQhost(connection->pq);

	return ph_format("database \"%s\" as \"%s\" on %s port %s", PQdb(connection->pq),
					 PQuser(connection->pq), host != NULL && *host != '\0' ? host : "localhost",
					 PQport(connection->pq));
}
