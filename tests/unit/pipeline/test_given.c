/*
 * test_given.c - metadata in names of files and in lists; lists of nodes.
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
#include <unistd.h>

#include <cmocka.h>

#include "pipeline/given.h"
#include "pipeline/slurm_nodes.h"

static PhEnv env;

/* "key=value key=value" of what the name says; "-": it does not fit; "!": no pattern. */
static void
expect_name(const char *pattern, const char *path, const char *expected)
{
	PhNamePattern *names;
	PhRunInput run = {0};
	char said[512] = "";
	bool fits;

	if (ph_name_pattern_make(&env, pattern, &names) != PH_OK)
	{
		assert_string_equal("!", expected);
		return;
	}
	assert_int_equal(ph_name_pattern_apply(&env, names, path, &run.meta, &fits), PH_OK);
	for (size_t i = 0; i < run.meta.n_items; i++)
		snprintf(said + strlen(said), sizeof(said) - strlen(said), "%s%s%s%s", i > 0 ? " " : "",
				 run.meta.items[i].key, run.meta.items[i].is_literal ? ":" : "=",
				 run.meta.items[i].value);
	assert_string_equal(fits ? said : "-", expected);
	ph_run_input_free(&env, &run);
	ph_name_pattern_free(names);
}

static void
names_give_keys(void **state)
{
	(void) state;
	const char *pattern = "lulesh-{commit}-n{ranks}-{repeat}.cali";

	expect_name(pattern, "lulesh-3e01c40-n8-1.cali", "commit=3e01c40 ranks:8 repeat:1");
	expect_name(pattern, "/x/y/lulesh-3e01c40-n8-1.cali", "commit=3e01c40 ranks:8 repeat:1");
	expect_name(pattern, "lulesh-1234567-n8-1.cali", "commit=1234567 ranks:8 repeat:1");
	expect_name(pattern, "lulesh-3e01c40-n8-1.cali.gz", "-");
	expect_name(pattern, "xlulesh-3e01c40-n8-1.cali", "-");
	expect_name(pattern, "lulesh--n8-1.cali", "-");
	expect_name(pattern, "lulesh-3e01c40-n8-1xcali", "-");
	expect_name("{a}-{b}.cali", "one-two-three.cali", "a=one-two b=three");
	expect_name("*-n{ranks}*.cali", "a-n64-x.cali", "ranks=64-x");
	expect_name("{app}/n{ranks}/*.cali", "/data/amg/n64/p.cali", "app=amg ranks:64");
	expect_name("{app}/n{ranks}/*.cali", "n64/p.cali", "-");
	expect_name("a+b(c)[d].{x}", "a+b(c)[d].007", "x=007");
	expect_name("no key", "no key", "!");
	expect_name("{a", "", "!");
	expect_name("{}", "", "!");
	expect_name("{a}{a}", "", "!");
}

static void
expect_manifest(const char *text, const char *expected)
{
	char path[] = "/tmp/perfhouse-manifest-XXXXXX";
	int file = mkstemp(path);
	PhManifest *manifest = NULL;
	PhRunInput run = {0};
	char said[512] = "";
	const char *example = "";
	bool found = false;

	assert_true(file >= 0 && write(file, text, strlen(text)) == (ssize_t) strlen(text));
	close(file);
	if (ph_manifest_read(&env, path, &manifest) != PH_OK)
		snprintf(said, sizeof(said), "! %s", strchr(env.error.message, ':'));
	else
		assert_int_equal(ph_manifest_apply(&env, manifest, "/tmp/no such.cali", &run.meta, &found),
						 PH_OK);
	if (manifest != NULL)
		snprintf(said, sizeof(said), "%s %zu", found ? "found" : "-",
				 ph_manifest_count_unused(manifest, NULL, 0, &example));
	for (size_t i = 0; i < run.meta.n_items; i++)
		snprintf(said + strlen(said), sizeof(said) - strlen(said), " %s=%s", run.meta.items[i].key,
				 run.meta.items[i].value);
	assert_string_equal(said, expected);
	ph_run_input_free(&env, &run);
	ph_manifest_free(manifest);
	unlink(path);
}

static void
lists_give_keys(void **state)
{
	(void) state;
	expect_manifest("file,a,b\nno such.cali,1,two\n", "found 1 a=1 b=two");
	expect_manifest("\xef\xbb\xbf"
					"a,file\r\n\"x, \"\"y\"\"\",/tmp/no such.cali\r\n\r\n",
					"found 1 a=x, \"y\"");
	expect_manifest("file,a\nother,1\nno such.cali,", "found 2");
	expect_manifest("file,a\nother,1", "- 1");
	expect_manifest("a,b\n1,2\n", "! :1: no column is called file");
	expect_manifest("file,a\nx\n", "! :2: 1 fields, the first line has 2");
	expect_manifest("file,a\nx,1\nx,2\n", "! :3: x is in line 2 already");
	expect_manifest("file,a\n,1\n", "! :2: names no file");
	expect_manifest("file,a\nx,\"1\n", "! :2: a quoted field has no end");
}

static void
nodes_are_in_lists(void **state)
{
	(void) state;
	assert_true(ph_slurm_has_node("n1", "n1"));
	assert_true(ph_slurm_has_node("login,n[1-3,7]", "n7"));
	assert_true(ph_slurm_has_node("n[001-120]", "n099.site.example"));
	assert_true(ph_slurm_has_node("r[1-2]n[08-11]-ib,x", "r2n10-ib"));
	assert_false(ph_slurm_has_node("n[001-120]", "n99"));
	assert_false(ph_slurm_has_node("n[1-3]", "n4"));
	assert_false(ph_slurm_has_node("n[1-3]", "n03"));
	assert_false(ph_slurm_has_node("n1", "n10"));
	assert_false(ph_slurm_has_node("n10", "n1"));
	assert_false(ph_slurm_has_node("n[1-3]", "m1"));
	assert_true(ph_slurm_has_node("n[1-3", "m1")); /* not understood */
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_give_keys),
		cmocka_unit_test(lists_give_keys),
		cmocka_unit_test(nodes_are_in_lists),
	};
	ph_env_init_malloc(&env);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
