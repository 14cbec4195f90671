/*
 * test_environment.c - facts of runs: lookups, experiments, and in which environment sides differ.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "reports/environment.h"

static void
finds_columns_before_metadata(void **state)
{
	PhFacts facts = {0};

	(void) state;
	ph_facts_add_meta(&facts, "{\"cluster\": \"of the file\", \"size\": 3, \"none\": null}");
	ph_facts_add_column(&facts, "cluster", "quartz");
	ph_facts_add_column(&facts, "branch", "");
	ph_facts_add_number(&facts, "n_ranks", 8);
	ph_facts_add_meta(&facts, "no object");
	assert_string_equal(ph_facts_get(&facts, "cluster"), "quartz");
	assert_string_equal(ph_facts_get(&facts, "meta.cluster"), "of the file");
	assert_string_equal(ph_facts_get(&facts, "size"), "3");
	assert_string_equal(ph_facts_get(&facts, "n_ranks"), "8");
	assert_null(ph_facts_get(&facts, "meta.n_ranks"));
	assert_null(ph_facts_get(&facts, "none"));
	assert_null(ph_facts_get(&facts, "branch"));
	ph_facts_free(&facts);
}

static void
tells_experiments(void **state)
{
	const char *const set[] = {"n_ranks", "meta.size", NULL};
	PhFacts facts = {0};
	char *text;

	(void) state;
	ph_facts_add_columns(&facts, "{\"application\": \"lulesh\", \"n_ranks\": 8, \"n_hosts\": 2}");
	text = ph_facts_experiment(&facts, ph_default_keys);
	assert_string_equal(text, "lulesh, ranks 8, nodes 2");
	free(text);
	assert_false(ph_facts_are_known(&facts, set));
	ph_facts_add_meta(&facts, "{\"size\": 30}");
	assert_true(ph_facts_are_known(&facts, set));
	text = ph_facts_experiment(&facts, set);
	assert_string_equal(text, "lulesh, ranks 8, meta.size 30");
	free(text);
	ph_facts_free(&facts);
}

static void
knows_what_keys_tell_of(void **state)
{
	static const char *const kinds[][2] = {{"compiler", "compiler"},
										   {"C_COMPILER_VERSION", "compiler"},
										   {"mpi_version", "MPI"},
										   {"MPI_LIBRARY", "MPI"},
										   {"libraries", "library"},
										   {"hdf5_version", "library"},
										   {"kernel_release", "kernel"},
										   {"osname", "kernel"},
										   {"hostname", "host"},
										   {"SLURM_JOB_NODELIST", "host"},
										   {"cpu_mhz", "clock"},
										   {"governor", "clock"},
										   {"scaling_driver", "clock"},
										   {"LD_LIBRARY_PATH", "library"},
										   {"LOADEDMODULES", "library"},
										   {"OMP_NUM_THREADS", "threads"},
										   {"commit", NULL},
										   {"SLURM_JOB_ID", NULL},
										   {"walltime", NULL},
										   {"n_hosts", NULL},
										   {"problem_size", NULL},
										   {"component", NULL}};

	(void) state;
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
	{
		PhFacts a = {0}, b = {0};
		PhEnvironment environment;

		ph_facts_add_column(&a, kinds[i][0], "1");
		ph_facts_add_column(&b, kinds[i][0], "2");
		ph_environment_compare(&a, 1, &b, 1, &environment);
		assert_int_equal(environment.n_changes, kinds[i][1] != NULL);
		if (kinds[i][1] != NULL)
			assert_string_equal(environment.changes[0].kind, kinds[i][1]);
		ph_environment_free(&environment);
		ph_facts_free(&a);
		ph_facts_free(&b);
	}
}

static void
tells_differences_of_sides(void **state)
{
	static const char *const before[2] = {
		"{\"compiler\": \"gcc 12\", \"hostname\": \"n1\", \"kernel\": \"6.1\", \"mpi\": \"4.1\"}",
		"{\"compiler\": \"gcc 12\", \"hostname\": \"n2\", \"kernel\": \"6.1\", \"x\": 1}"};
	static const char *const after[2] = {
		"{\"compiler\": \"gcc 13\", \"hostname\": \"n2\", \"kernel\": \"6.1\", \"x\": 2}",
		"{\"compiler\": \"clang 17\", \"hostname\": \"n3\", \"kernel\": \"6.1\"}"};
	PhFacts a[2] = {{0}}, b[2] = {{0}};
	PhEnvironment environment;

	(void) state;
	for (int i = 0; i < 2; i++)
	{
		ph_facts_add_meta(&a[i], before[i]);
		ph_facts_add_meta(&b[i], after[i]);
	}
	ph_environment_compare(a, 2, b, 2, &environment);
	/* a host is on both sides, the kernel everywhere; MPI only one side says */
	assert_int_equal(environment.n_changes, 2);
	assert_int_equal(environment.n_same, 2);
	assert_string_equal(environment.changes[0].kind, "MPI");
	assert_string_equal(environment.changes[0].before, "4.1");
	assert_null(environment.changes[0].after);
	assert_string_equal(environment.changes[1].key, "compiler");
	assert_string_equal(environment.changes[1].before, "gcc 12");
	assert_string_equal(environment.changes[1].after, "clang 17, gcc 13");
	ph_environment_free(&environment);
	for (int i = 0; i < 2; i++)
	{
		ph_facts_free(&a[i]);
		ph_facts_free(&b[i]);
	}
}

/* Of each side two runs at most, a text each; NULL ends. */
static void
expect_change(const char *key, const char *const *a, const char *const *b, const char *before,
			  const char *after)
{
	PhFacts sides[2][2] = {{{0}}};
	size_t n[2] = {0};
	PhEnvironment environment;

	for (int i = 0; i < 2; i++)
		for (const char *const *text = i == 0 ? a : b; *text != NULL; text++)
			ph_facts_add_column(&sides[i][n[i]++], key, *text);
	ph_environment_compare(sides[0], n[0], sides[1], n[1], &environment);
	assert_int_equal(environment.n_changes, before != NULL);
	assert_int_equal(environment.n_same, before == NULL);
	if (before != NULL)
	{
		assert_string_equal(environment.changes[0].before, before);
		assert_string_equal(environment.changes[0].after, after);
	}
	ph_environment_free(&environment);
	for (size_t i = 0; i < 4; i++)
		ph_facts_free(&sides[i / 2][i % 2]);
}

static void
tells_what_differs_in_lists(void **state)
{
	(void) state;
	expect_change("libraries", (const char *const[]){"[ \"\\/a\\/x.so.1\", \"/b/y.so\" ]", NULL},
				  (const char *const[]){"[\"/a/x.so.2\",\"/b/y.so\"]", NULL}, "/a/x.so.1",
				  "/a/x.so.2");
	expect_change("libraries", (const char *const[]){"[/a/x.so,/b/y.so]", NULL},
				  (const char *const[]){"{/b/y.so,/a/x.so}", NULL}, NULL, NULL);
	expect_change("libraries", (const char *const[]){"[x,y]", NULL},
				  (const char *const[]){"[x,y,z]", NULL}, "(none)", "z");
	/* one of the runs has what the other side has */
	expect_change("libraries", (const char *const[]){"[x,y]", "[x]", NULL},
				  (const char *const[]){"[x]", NULL}, NULL, NULL);
	expect_change("LOADEDMODULES", (const char *const[]){"gcc/12:hdf5/1.12", NULL},
				  (const char *const[]){"gcc/13:hdf5/1.12", "hdf5/1.12:gcc/13", NULL}, "gcc/12",
				  "gcc/13");
	/* a sentence is no list */
	expect_change("hdf5_version", (const char *const[]){"HDF5: 1.12", NULL},
				  (const char *const[]){"HDF5: 1.14", NULL}, "HDF5: 1.12", "HDF5: 1.14");
}

static void
tells_clocks_by_their_size(void **state)
{
	(void) state;
	expect_change("CPU MHz", (const char *const[]){"2399.8", "2400.4", NULL},
				  (const char *const[]){"2401.25", NULL}, NULL, NULL);
	expect_change("CPU MHz", (const char *const[]){"2399.8", "2400.4", NULL},
				  (const char *const[]){"2100.5", NULL}, "2400.1 (2399.8 to 2400.4)", "2100.5");
	/* a clock that goes up and down is on both sides */
	expect_change("CPU MHz", (const char *const[]){"1200", "3600", NULL},
				  (const char *const[]){"2000", "3000", NULL}, NULL, NULL);
	expect_change("governor", (const char *const[]){"performance", NULL},
				  (const char *const[]){"powersave", NULL}, "performance", "powersave");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(finds_columns_before_metadata),
		cmocka_unit_test(tells_experiments),
		cmocka_unit_test(knows_what_keys_tell_of),
		cmocka_unit_test(tells_differences_of_sides),
		cmocka_unit_test(tells_what_differs_in_lists),
		cmocka_unit_test(tells_clocks_by_their_size),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
