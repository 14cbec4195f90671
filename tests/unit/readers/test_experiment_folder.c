/*
 * test_experiment_folder.c - files of an experiment: order, the only anchor, links, pipes, growth.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "readers/experiment_folder.h"

static char folder[64];
static PhEnv env;

static const char *
in_folder(const char *name)
{
	static char path[512];
	snprintf(path, sizeof(path), "%s/%s", folder, name);
	return path;
}

static void
touch(const char *name, const char *text)
{
	FILE *file = fopen(in_folder(name), "wb");
	assert_non_null(file);
	fputs(text, file);
	fclose(file);
}

static int
set_up(void **state)
{
	(void) state;
	strcpy(folder, "/tmp/perfhouse-folder-XXXXXX");
	ph_env_init_malloc(&env);
	return mkdtemp(folder) != NULL ? 0 : -1;
}

static int
tear_down(void **state)
{
	char command[128];
	(void) state;
	snprintf(command, sizeof(command), "rm -rf '%s'", folder);
	return system(command);
}

static int
is_anchor(const struct dirent *entry)
{
	return ph_has_suffix(entry->d_name, ".sts");
}

static void
names_come_in_byte_order(void **state)
{
	static const char *const expected[] = {"B", "a", "a-link", "aa", "\xc3\xa4"};
	PhFolder found;
	(void) state;
	touch("aa", "");
	touch("\xc3\xa4", "");
	touch("a", "");
	touch("B", "");
	touch(".hidden", "");
	assert_int_equal(symlink("a", in_folder("a-link")), 0);
	assert_int_equal(ph_folder_open(&env, folder, NULL, &found), PH_OK);
	assert_int_equal(found.n, 5);
	for (int i = 0; i < 5; i++)
		assert_string_equal(found.entries[i]->d_name, expected[i]);
	ph_folder_close(&found);
	assert_int_equal(ph_folder_open(&env, in_folder("none"), NULL, &found), PH_ERR_NOT_FOUND);
	assert_non_null(strstr(env.error.message, "none: cannot list the directory"));
	assert_int_equal(found.n, 0);
}

static void
an_anchor_is_the_only_one(void **state)
{
	char *anchor;
	(void) state;
	touch(".sts", ""); /* nothing before the suffix */
	assert_false(ph_folder_has_only(folder, is_anchor));
	assert_int_equal(ph_folder_anchor(&env, folder, is_anchor, "definitions have", &anchor),
					 PH_ERR_NOT_FOUND);
	assert_non_null(strstr(env.error.message, ": its definitions have gone"));
	touch("x.sts", "");
	assert_int_equal(ph_folder_anchor(&env, folder, is_anchor, "definitions have", &anchor), PH_OK);
	assert_string_equal(anchor, in_folder("x.sts"));
	free(anchor);
	assert_int_equal(
		ph_folder_anchor(&env, in_folder("any"), is_anchor, "definitions have", &anchor), PH_OK);
	assert_string_equal(anchor, in_folder("any"));
	free(anchor);
	touch("y.sts", "");
	assert_false(ph_folder_has_only(folder, is_anchor));
}

/* A pipe that nobody writes to must not stop a search. */
static void
heads_are_read_without_waiting(void **state)
{
	uint8_t head[4];
	char directory[80];
	(void) state;
	touch("long", "123456");
	touch("short", "12");
	assert_int_equal(mkfifo(in_folder("pipe"), 0600), 0);
	assert_int_equal(ph_file_head(in_folder("long"), head, sizeof(head)), 4);
	assert_memory_equal(head, "1234", 4);
	assert_int_equal(ph_file_head(in_folder("short"), head, sizeof(head)), 2);
	assert_int_equal(ph_file_head(in_folder("pipe"), head, sizeof(head)), 0);
	assert_int_equal(ph_file_head(in_folder("none"), head, sizeof(head)), -1);
	snprintf(directory, sizeof(directory), "%s/", folder);
	assert_true(ph_folder_has_file(directory, "long"));
	assert_false(ph_folder_has_file(directory, "pipe"));
	assert_false(ph_folder_has_file(directory, ""));
}

static void
lists_grow_and_are_sorted(void **state)
{
	PhArena arena;
	PhExperiment experiment = {.path = folder, .arena = &arena};
	(void) state;
	ph_arena_init(&arena, &env);
	for (int i = 99; i >= 0; i--)
		assert_int_equal(ph_experiment_add(&experiment, "%s/%02d", "x", i), PH_OK);
	ph_experiment_sort(&experiment);
	touch("b.sts", "");
	touch("a.sts", "");
	assert_int_equal(ph_experiment_add_all(&env, &experiment, folder, is_anchor), PH_OK);
	assert_int_equal(experiment.n_files, 102);
	assert_string_equal(experiment.files[0], "x/00");
	assert_string_equal(experiment.files[99], "x/99");
	assert_string_equal(experiment.files[100], in_folder("a.sts"));
	ph_arena_drop(&arena);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(names_come_in_byte_order, set_up, tear_down),
		cmocka_unit_test_setup_teardown(an_anchor_is_the_only_one, set_up, tear_down),
		cmocka_unit_test_setup_teardown(heads_are_read_without_waiting, set_up, tear_down),
		cmocka_unit_test_setup_teardown(lists_grow_and_are_sorted, set_up, tear_down),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
