/*
 * pq_connect.c - connecting, and what a refusal means.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "database/pq_internal.h"
#include "system/interrupt.h"
#include "system/log.h"
#include "system/memory.h"

#define CONNECT_SECONDS 15
#define START_SECONDS 60 /* a server that recovers from a crash is waited for */
#define RETRY_US 100000

static void
log_notice(void *user, const PGresult *result)
{
	const char *severity = PQresultErrorField(result, PG_DIAG_SEVERITY_NONLOCALIZED);
	const char *message = PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY);
	const char *hint = PQresultErrorField(result, PG_DIAG_MESSAGE_HINT);
	bool warns = severity != NULL && strcmp(severity, "WARNING") == 0;

	(void) user;
	if (warns)
		ph_log_warning("%s", message != NULL ? message : "");
	if (warns && hint != NULL)
		ph_log_hint("%s", hint);
	if (!warns)
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

	ph_pq_note_lost(connection);
	if (ph_interrupted())
		return false;
	if (strstr(message, "permission denied for database") != NULL)
	{
		error->code = PH_EXIT_PERMISSION;
		ph_pq_copy_line(error->hint, sizeof(error->hint),
						"Ask whoever looks after the warehouse for one of its roles, or to GRANT "
						"CONNECT ON DATABASE where roles are of another warehouse, too.");
	}
	else if (PQconnectionNeedsPassword(connection->pq) ||
			 (strstr(message, "FATAL") != NULL && contains_any(message, refusals)))
	{
		error->code = PH_EXIT_AUTH;
		ph_pq_copy_line(error->hint, sizeof(error->hint),
						"Check user, password (PGPASSWORD or ~/.pgpass) and database name.");
	}
	else
		ph_pq_copy_line(error->hint, sizeof(error->hint),
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
			return ph_pq_note_lost(connection);
		if (ph_now_ns() > deadline)
			return ph_pq_fail(connection, PH_EXIT_UNREACHABLE,
							  "Check the host; PGCONNECT_TIMEOUT sets how long to wait.",
							  "the server did not answer within %d seconds", connect_seconds());
		if (poll(&entry, 1, PH_PQ_WAKE_UP_MS) > 0)
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
		{
			ph_pq_error_memory(&connection->error);
			return false;
		}
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
	bool has_conninfo = conninfo != NULL && *conninfo != '\0';
	/* A network that fell silent is noticed within two minutes. A conninfo may say otherwise: what
	 * follows overrides what is before it. */
	const char *keywords[] = {
		"keepalives_idle",			 "keepalives_interval",
		"keepalives_count",			 "tcp_user_timeout",
		"fallback_application_name", has_conninfo ? "dbname" : "client_encoding",
		"client_encoding",			 NULL};
	const char *values[] = {"60",	"10", "6", "120000", program, has_conninfo ? conninfo : "UTF8",
							"UTF8", NULL};

	*out = connection;
	if (has_conninfo && strchr(conninfo, '=') == NULL && strstr(conninfo, "://") == NULL)
		ph_log_debug("\"%s\" is taken as the name of a database", conninfo);
	return connect_params(connection, keywords, values);
}

bool
ph_pq_connect_again(PhConnection **out, const PhConnection *like)
{
	PhConnection *connection = calloc(1, sizeof(PhConnection));
	PQconninfoOption *options = connection != NULL ? PQconninfo(like->pq) : NULL;
	const char *keywords[128];
	const char *values[128];
	size_t n = 0;
	bool ok;

	*out = connection;
	if (options == NULL)
	{
		free(connection);
		*out = NULL;
		return false;
	}
	for (PQconninfoOption *option = options; option != NULL && option->keyword != NULL; option++)
		if (option->val != NULL && n < 127)
		{
			keywords[n] = option->keyword;
			values[n++] = option->val;
		}
	keywords[n] = values[n] = NULL;
	connection->is_distributed = like->is_distributed;
	ok = connect_params(connection, keywords, values);
	PQconninfoFree(options);
	return ok;
}

void
ph_pq_close(PhConnection *connection)
{
	if (connection == NULL)
		return;
	if (connection->insert != NULL)
		(void) ph_pq_insert_end(connection, "closed", NULL);
	PQfinish(connection->pq);
	free(connection);
}

char *
ph_pq_describe(const PhConnection *connection)
{
	const char *host = PQhost(connection->pq);

	return ph_format("database \"%s\" as \"%s\" on %s port %s", PQdb(connection->pq),
					 PQuser(connection->pq), host != NULL && *host != '\0' ? host : "localhost",
					 PQport(connection->pq));
}
