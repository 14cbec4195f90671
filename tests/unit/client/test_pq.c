/*
 * test_pq.c - the PostgreSQL client against servers that fail in every way.
 *
 * The server is a child process that speaks just enough of the protocol: it accepts the start-up,
 * then answers each message of the client's with the next scripted bytes, and hangs up or stays
 * silent at the script's end.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "database/pq.h"
#include "system/interrupt.h"
#include "system/memory.h"

/* Messages of the server: type, length with itself, body. */
#define AUTH_OK "R\0\0\0\10\0\0\0\0"
#define KEY "K\0\0\0\14\0\0\0\1\0\0\0\2"
#define READY "Z\0\0\0\5I"
#define SET_DONE "C\0\0\0\10SET\0"
#define REFUSED "E\0\0\0\73SFATAL\0C28P01\0Mpassword authentication failed for you\0\0"
#define DISK_FULL "E\0\0\0\46SERROR\0C53100\0Mno\nspace\0Hfree it\0\0"

typedef struct Answer
{
	const char *bytes;
	size_t size;
} Answer;

#define BYTES(text)                                                                                \
	{                                                                                              \
		text, sizeof(text) - 1                                                                     \
	}

typedef enum AtEnd
{
	HANG_UP,
	STAY_SILENT /* until a cancel request comes on a second connection */
} AtEnd;

static char folder[64];
static char *conninfo;

static void
answer(int client, const Answer *answers, size_t n)
{
	char buffer[8192];

	for (size_t i = 0; i < n; i++)
	{
		if (read(client, buffer, sizeof(buffer)) <= 0)
			return;
		if (write(client, answers[i].bytes, answers[i].size) < 0)
			return;
	}
	if (read(client, buffer, sizeof(buffer)) <= 0)
		return;
}

static void
serve(int listener, const Answer *answers, size_t n, AtEnd at_end)
{
	int client = accept(listener, NULL, NULL);

	answer(client, answers, n);
	if (at_end == STAY_SILENT)
	{
		/* the cancel request; the query then fails as cancelled */
		static const char cancelled[] = "E\0\0\0\36SERROR\0C57014\0Mcancelled\0\0" READY;
		int canceller = accept(listener, NULL, NULL);
		char request[16];

		if (read(canceller, request, sizeof(request)) == 16)
			(void) !write(client, cancelled, sizeof(cancelled) - 1);
		close(canceller);
		(void) !read(client, request, sizeof(request));
	}
	close(client);
}

static pid_t
start(const Answer *answers, size_t n, AtEnd at_end)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	int listener = socket(AF_UNIX, SOCK_STREAM, 0);
	pid_t child;

	snprintf(address.sun_path, sizeof(address.sun_path), "%s/.s.PGSQL.5432", folder);
	unlink(address.sun_path);
	assert_int_equal(bind(listener, (struct sockaddr *) &address, sizeof(address)), 0);
	assert_int_equal(listen(listener, 4), 0);
	child = fork();
	if (child == 0)
	{
		alarm(120);
		serve(listener, answers, n, at_end);
		_exit(0);
	}
	close(listener);
	return child;
}

static void
finish(pid_t child)
{
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
}

static const Answer hello = BYTES(AUTH_OK KEY READY);
static const Answer set_done = BYTES(SET_DONE READY);

static int
set_up(void **state)
{
	(void) state;
	snprintf(folder, sizeof(folder), "/tmp/perfhouse-pq-XXXXXX");
	if (mkdtemp(folder) == NULL)
		return 1;
	conninfo =
		ph_format("host=%s port=5432 user=ann dbname=d sslmode=disable gssencmode=disable", folder);
	return 0;
}

static int
tear_down(void **state)
{
	char *socket_path = ph_format("%s/.s.PGSQL.5432", folder);

	(void) state;
	unlink(socket_path);
	free(socket_path);
	free(conninfo);
	return rmdir(folder);
}

static void
test_no_server(void **state)
{
	PhConnection *connection;

	(void) state;
	assert_false(ph_pq_connect(&connection, "host=/nonexistent port=5432", "test"));
	assert_int_equal(connection->error.code, PH_EXIT_UNREACHABLE);
	assert_true(connection->error.hint[0] != '\0');
	assert_int_equal(ph_pq_log_error(connection, "connect"), PH_EXIT_UNREACHABLE);
	ph_pq_close(connection);
	ph_pq_close(NULL);
}

static void
test_refused(void **state)
{
	static const Answer answers[] = {BYTES(REFUSED)};
	pid_t server = start(answers, 1, HANG_UP);
	PhConnection *connection;

	(void) state;
	assert_false(ph_pq_connect(&connection, conninfo, "test"));
	assert_int_equal(connection->error.code, PH_EXIT_AUTH);
	ph_pq_close(connection);
	finish(server);
}

static void
test_garbage(void **state)
{
	static const Answer answers[] = {BYTES("HTTP/1.1 400 Bad Request\r\n\r\n")};
	pid_t server = start(answers, 1, HANG_UP);
	PhConnection *connection;

	(void) state;
	assert_false(ph_pq_connect(&connection, conninfo, "test"));
	assert_int_equal(connection->error.code, PH_EXIT_UNREACHABLE);
	ph_pq_close(connection);
	finish(server);
}

static void
test_silent_server_times_out(void **state)
{
	pid_t server = start(NULL, 0, STAY_SILENT);
	PhConnection *connection;

	(void) state;
	setenv("PGCONNECT_TIMEOUT", "1", 1);
	assert_false(ph_pq_connect(&connection, conninfo, "test"));
	unsetenv("PGCONNECT_TIMEOUT");
	assert_int_equal(connection->error.code, PH_EXIT_UNREACHABLE);
	assert_non_null(strstr(connection->error.message, "1 second"));
	ph_pq_close(connection);
	finish(server);
}

static void
test_server_error(void **state)
{
	static const Answer failure = BYTES(DISK_FULL READY);
	const Answer answers[] = {hello, set_done, failure};
	pid_t server = start(answers, 3, HANG_UP);
	PhConnection *connection;
	char *where;

	(void) state;
	assert_true(ph_pq_connect(&connection, conninfo, "test"));
	where = ph_pq_describe(connection);
	assert_non_null(strstr(where, "\"d\" as \"ann\""));
	free(where);
	assert_false(ph_pq_execute(connection, "SELECT 1", NULL, 0));
	assert_int_equal(connection->error.code, PH_EXIT_DISK_FULL);
	assert_string_equal(connection->error.sqlstate, "53100");
	assert_string_equal(connection->error.message, "no space");
	assert_string_equal(connection->error.hint, "free it");
	assert_int_equal(ph_pq_log_error(connection, NULL), PH_EXIT_DISK_FULL);
	ph_pq_close(connection);
	finish(server);
}

static void
test_lost_connection(void **state)
{
	const Answer answers[] = {hello, set_done};
	pid_t server = start(answers, 2, HANG_UP);
	PhConnection *connection;

	(void) state;
	assert_true(ph_pq_connect(&connection, conninfo, "test"));
	assert_null(ph_pq_query(connection, "SELECT 1", NULL, 0));
	assert_int_equal(connection->error.code, PH_EXIT_UNREACHABLE);
	assert_true(connection->error.message[0] != '\0');
	/* and stays lost */
	assert_false(ph_pq_begin(connection));
	assert_int_equal(connection->error.code, PH_EXIT_UNREACHABLE);
	ph_pq_close(connection);
	finish(server);
}

static void
test_lost_during_copy(void **state)
{
	static const Answer copy = BYTES("G\0\0\0\7\1\0\0");
	const Answer answers[] = {hello, set_done, copy};
	pid_t server = start(answers, 3, HANG_UP);
	PhConnection *connection;
	char *bytes = ph_must_alloc(1024, 1024);
	bool ok = true;

	(void) state;
	assert_true(ph_pq_connect(&connection, conninfo, "test"));
	assert_true(ph_pq_copy_begin(connection, "COPY t FROM STDIN (FORMAT binary)"));
	for (int i = 0; ok && i < 64; i++)
		ok = ph_pq_copy_put(connection, bytes, 1024 * 1024);
	assert_false(ok);
	assert_int_equal(connection->error.code, PH_EXIT_UNREACHABLE);
	assert_false(ph_pq_copy_end(connection, "lost", NULL));
	assert_int_equal(connection->error.code, PH_EXIT_UNREACHABLE);
	ph_pq_rollback(connection);
	free(bytes);
	ph_pq_close(connection);
	finish(server);
}

static void
interrupt_now(int signal_number)
{
	(void) signal_number;
	ph_interrupt_set(true);
}

static void
test_interrupt_cancels(void **state)
{
	const Answer answers[] = {hello, set_done};
	pid_t server = start(answers, 2, STAY_SILENT);
	PhConnection *connection;

	(void) state;
	assert_true(ph_pq_connect(&connection, conninfo, "test"));
	signal(SIGALRM, interrupt_now);
	alarm(1);
	assert_false(ph_pq_execute(connection, "SELECT pg_sleep(3600)", NULL, 0));
	assert_int_equal(connection->error.code, PH_EXIT_INTERRUPTED);
	assert_string_equal(connection->error.sqlstate, "57014");
	ph_interrupt_set(false);
	ph_pq_close(connection);
	finish(server);
}

/* What cleans up after an interrupt is not cancelled by it. */
static void
test_cleaning(void **state)
{
	const Answer answers[] = {hello, set_done, set_done};
	pid_t server = start(answers, 3, HANG_UP);
	PhConnection *connection;

	(void) state;
	assert_true(ph_pq_connect(&connection, conninfo, "test"));
	ph_interrupt_set(true);
	connection->is_cleaning = true;
	assert_true(ph_pq_execute(connection, "SELECT perfhouse.drop_run(1)", NULL, 0));
	assert_false(connection->is_cancelled);
	ph_interrupt_set(false);
	ph_pq_close(connection);
	finish(server);
}

static void
test_parameters(void **state)
{
	const char *const texts[] = {"a", "b\"c\\d", ""};
	const int64_t numbers[] = {INT64_MIN, -1, INT64_MAX};
	PhParam param = ph_param_float(0.1);
	char *array;

	(void) state;
	assert_true(strtod(param.own, NULL) == 0.1);
	param = ph_param_int(INT64_MIN);
	assert_string_equal(param.own, "-9223372036854775808");
	assert_string_equal(ph_param_bool(true).own, "t");
	assert_null(ph_param_null().bytes);
	array = ph_array_text(texts, 3);
	assert_string_equal(array, "{\"a\",\"b\\\"c\\\\d\",\"\"}");
	free(array);
	array = ph_array_text(NULL, 0);
	assert_string_equal(array, "{}");
	free(array);
	array = ph_array_int(numbers, 3);
	assert_string_equal(array, "{-9223372036854775808,-1,9223372036854775807}");
	free(array);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_no_server),		 cmocka_unit_test(test_refused),
		cmocka_unit_test(test_garbage),			 cmocka_unit_test(test_silent_server_times_out),
		cmocka_unit_test(test_server_error),	 cmocka_unit_test(test_lost_connection),
		cmocka_unit_test(test_lost_during_copy), cmocka_unit_test(test_interrupt_cancels),
		cmocka_unit_test(test_cleaning),		 cmocka_unit_test(test_parameters),
	};

	signal(SIGPIPE, SIG_IGN);
	return cmocka_run_group_tests(tests, set_up, tear_down);
}
