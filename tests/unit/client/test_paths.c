/*
 * test_paths.c - where things are: homes, programs, small files; children and their users.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "system/paths.h"
#include "system/process.h"

static char folder[64];

static int
make_folder(void **state)
{
	(void) state;
	snprintf(folder, sizeof(folder), "/tmp/perfhouse-paths-XXXXXX");
	return mkdtemp(folder) == NULL;
}

static int
drop_folder(void **state)
{
	const char *argv[] = {"/bin/rm", "-rf", folder, NULL};

	(void) state;
	return ph_process_run(NULL, NULL, argv);
}

static void
test_home(void **state)
{
	char *home;

	(void) state;
	setenv("HOME", "/home/ann", 1);
	unsetenv("PERFHOUSE_HOME");
	unsetenv("XDG_DATA_HOME");
	home = ph_path_home();
	assert_string_equal(home, "/home/ann/.local/share/perfhouse");
	free(home);
	setenv("XDG_DATA_HOME", "/data", 1);
	home = ph_path_home();
	assert_string_equal(home, "/data/perfhouse");
	free(home);
	setenv("PERFHOUSE_HOME", "here", 1);
	home = ph_path_home();
	assert_int_equal(home[0], '/');
	assert_string_equal(home + strlen(home) - 5, "/here");
	free(home);
	unsetenv("PERFHOUSE_HOME");
	unsetenv("XDG_DATA_HOME");
	unsetenv("HOME");
	home = ph_path_home();
	assert_int_equal(home[0], '/');
	free(home);
}

static void
test_temporary(void **state)
{
	(void) state;
	unsetenv("TMPDIR");
	assert_string_equal(ph_path_temporary(), "/tmp");
	setenv("TMPDIR", "", 1);
	assert_string_equal(ph_path_temporary(), "/tmp");
	setenv("TMPDIR", "/var/tmp", 1);
	assert_string_equal(ph_path_temporary(), "/var/tmp");
	unsetenv("TMPDIR");
}

static void
test_programs(void **state)
{
	char *path = ph_path_find_program("sh");

	(void) state;
	assert_non_null(path);
	free(path);
	assert_null(ph_path_find_program("no-such-program-here"));
	path = ph_path_executable_folder();
	assert_true(ph_path_is_folder(path));
	free(path);
	assert_null(ph_path_sibling_program("no-such-program-here"));
}

static void
test_small_files(void **state)
{
	char *path = ph_format("%s/a/b/file", folder);
	char *parent = ph_format("%s/a/b", folder);
	char *text;
	struct stat info;

	(void) state;
	assert_null(ph_path_read_text(path));
	assert_int_equal(errno, ENOENT);
	assert_false(ph_path_write_text(path, "x", 0600));
	assert_int_equal(errno, ENOENT);
	assert_true(ph_path_make_folders(parent, 0755));
	assert_true(ph_path_make_folders(parent, 0755));
	assert_true(ph_path_write_text(path, "one\n", 0600));
	assert_true(ph_path_write_text(path, "two\n", 0600));
	text = ph_path_read_text(path);
	assert_string_equal(text, "two\n");
	free(text);
	assert_null(ph_path_read_long_text(path, 3));
	assert_int_equal(errno, EFBIG);
	text = ph_path_read_long_text(path, 4);
	assert_string_equal(text, "two\n");
	free(text);
	assert_int_equal(stat(path, &info), 0);
	assert_int_equal(info.st_mode & 0777, 0600);
	assert_int_equal(truncate(path, 1 << 20), 0);
	text = ph_path_read_text(path);
	assert_non_null(text);
	free(text);
	assert_int_equal(truncate(path, (1 << 20) + 1), 0);
	assert_null(ph_path_read_text(path));
	assert_int_equal(errno, EFBIG);
	assert_true(ph_path_exists(path));
	assert_false(ph_path_is_folder(path));
	free(parent);
	parent = ph_format("%s/below", path);
	assert_false(ph_path_make_folders(parent, 0755));
	free(parent);
	free(path);
}

static void
test_processes(void **state)
{
	const char *echo[] = {"/bin/sh", "-c", "echo one; echo two", NULL};
	const char *fails[] = {"/bin/sh", "-c", "echo one; exit 3", NULL};
	const char *killed[] = {"/bin/sh", "-c", "kill -9 $$", NULL};
	const char *nothing[] = {"/nonexistent", NULL};
	const char *hangs[] = {"/bin/sh", "-c", "echo one; exec sleep 600", NULL};
	char *line = ph_process_line(echo);
	pid_t child;
	FILE *stream;
	char *log = ph_format("%s/log", folder);
	char *text;

	(void) state;
	assert_string_equal(line, "one");
	free(line);
	assert_null(ph_process_line(fails));
	assert_null(ph_process_line(nothing));
	assert_null(ph_process_line_within(hangs, 1));
	stream = ph_process_open_within(hangs, 1, &child);
	assert_non_null(stream);
	assert_int_equal(ph_process_close(stream, child), 128 + SIGALRM);
	line = ph_process_line_within(echo, 600);
	assert_string_equal(line, "one");
	free(line);
	assert_int_equal(ph_process_run(NULL, log, fails), 3);
	assert_int_equal(ph_process_run(NULL, log, killed), 128 + 9);
	assert_int_equal(ph_process_run(NULL, log, nothing), 127);
	text = ph_path_read_text(log);
	assert_string_equal(text, "one\n");
	free(text);
	free(log);
}

static void
test_server_user(void **state)
{
	const char *id[] = {"/bin/sh", "-c", "test $(id -u) -ne 0 && test -z \"$(id -G | grep -w 0)\"",
						NULL};
	PhServerUser user;

	(void) state;
	assert_true(ph_server_user(&user));
	assert_int_not_equal(user.uid, 0);
	if (user.switches)
		assert_int_equal(ph_process_run(&user, NULL, id), 0);
}

static void
test_reach(void **state)
{
	PhServerUser other = {.switches = true, .uid = 54321, .gid = 54321};
	char *below = ph_format("%s/later/x", folder);

	(void) state;
	assert_int_equal(chmod(folder, 0700), 0);
	assert_false(ph_server_user_reaches(&other, below));
	assert_int_equal(chmod(folder, 0711), 0);
	assert_true(ph_server_user_reaches(&other, below));
	assert_true(ph_server_user_reaches(&other, "/"));
	free(below);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_home),	  cmocka_unit_test(test_temporary),
		cmocka_unit_test(test_programs),  cmocka_unit_test(test_small_files),
		cmocka_unit_test(test_processes), cmocka_unit_test(test_server_user),
		cmocka_unit_test(test_reach),
	};

	return cmocka_run_group_tests(tests, make_folder, drop_folder);
}
