/*
 * test_source_expand.c - from paths to experiments, fingerprints, normalised source paths,
 * metadata.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <cmocka.h>

#include "readers/input.h"
#include "readers/json_scan.h"
#include "readers/source_paths.h"
#include "support/csv.h"
#include "support/fault_env.h"
#include "support/reader.h"
#include "support/test_data.h"

static void
write_file(const char *folder, const char *name, const char *text)
{
	char path[512];
	snprintf(path, sizeof(path), "%s/%s", folder, name);
	FILE *file = fopen(path, "wb");
	assert_non_null(file);
	fputs(text, file);
	fclose(file);
}

static void
copy_file(const char *folder, const char *name, const char *from)
{
	char *text = read_text(from, NULL);
	assert_non_null(text);
	write_file(folder, name, text);
	free(text);
}

static void
begin(PhEnv *env, PhArena *arena)
{
	ph_env_init_malloc(env);
	ph_arena_init(arena, env);
}

static PhStatus
expand(PhArena *arena, const char *folder, const char *name, const char *format,
	   PhExperiment **list, size_t *n, PhUnreadList *unread)
{
	char path[512];
	snprintf(path, sizeof(path), "%s%s%s", folder, name[0] != '\0' ? "/" : "", name);
	return ph_source_expand(arena, path, format, list, n, unread);
}

static void
test_mixed_directory(void **state)
{
	const char *folder = *state;
	char path[512];
	PhEnv env;
	PhArena arena;
	PhExperiment *list;
	size_t n;
	PhUnreadList unread;
	begin(&env, &arena);
	snprintf(path, sizeof(path), "%s/b-sub", folder);
	assert_int_equal(mkdir(path, 0755), 0);
	snprintf(path, sizeof(path), "%s/c-db", folder);
	assert_int_equal(mkdir(path, 0755), 0);
	copy_file(folder, "z.json", DATA "small.json");
	copy_file(folder, "a.txt", DATA "small.cali");
	copy_file(folder, "b-sub/lit.json", DATA "literal-b.json");
	copy_file(folder, "c-db/experiment.xml", DATA "hpctoolkit/experiment.xml");
	write_file(folder, "notes.md", "# not a profile\n");
	write_file(folder, "empty.json", "");
	assert_int_equal(expand(&arena, folder, "", NULL, &list, &n, &unread), PH_OK);
	assert_int_equal(n, 4);
	assert_int_equal(unread.n_unknown, 2);
	static const char *const readers[] = {"caliper-cali", "hatchet-json", "hpctoolkit",
										  "caliper-json"};
	for (size_t i = 0; i < 4; i++)
	{
		assert_string_equal(list[i].reader->name, readers[i]);
		assert_int_equal(list[i].n_files, 1);
	}
	ph_arena_drop(&arena);

	assert_int_equal(expand(&arena, folder, "", "caliper-json", &list, &n, &unread), PH_OK);
	assert_int_equal(n, 1);
	ph_arena_drop(&arena);
}

static void
check_refusal(const char *folder, const char *name, const char *format, PhStatus status,
			  const char *message)
{
	PhEnv env;
	PhArena arena;
	PhExperiment *list;
	size_t n;
	PhUnreadList unread;
	begin(&env, &arena);
	assert_int_equal(expand(&arena, folder, name, format, &list, &n, &unread), status);
	if (strstr(env.error.message, message) == NULL)
		fail_msg("\"%s\", expected \"%s\"", env.error.message, message);
	ph_arena_drop(&arena);
}

static void
test_errors(void **state)
{
	const char *folder = *state;
	check_refusal(folder, "absent", NULL, PH_ERR_NOT_FOUND, "absent: No such file");
	check_refusal(folder, "notes.md", NULL, PH_ERR_UNSUPPORTED, "no reader knows this format");
	check_refusal(folder, "empty.json", NULL, PH_ERR_FORMAT, "file is empty");
	check_refusal(folder, "z.json", "otf3", PH_ERR_NOT_FOUND, "unknown format \"otf3\"");
	check_refusal("/dev/null", "", NULL, PH_ERR_FORMAT, "empty");
	char path[512];
	snprintf(path, sizeof(path), "%s/only-notes", folder);
	assert_int_equal(mkdir(path, 0755), 0);
	write_file(path, "notes.md", "nothing\n");
	check_refusal(folder, "only-notes", NULL, PH_ERR_UNSUPPORTED, "no file below it");
}

static void
fingerprint(const char *folder, const char *name, char out[65])
{
	PhEnv env;
	PhArena arena;
	PhExperiment *list;
	size_t n;
	PhUnreadList unread;
	uint64_t bytes;
	begin(&env, &arena);
	assert_int_equal(expand(&arena, folder, name, NULL, &list, &n, &unread), PH_OK);
	assert_int_equal(ph_experiment_fingerprint(&env, list, out, &bytes), PH_OK);
	assert_true(bytes > 0);
	ph_arena_drop(&arena);
}

static void
test_fingerprints(void **state)
{
	const char *folder = *state;
	char a[65];
	char b[65];
	/* where a file lies and what it is called does not matter, its content does */
	fingerprint(folder, "z.json", a);
	fingerprint(DATA, "small.json", b);
	assert_string_equal(a, b);
	assert_int_equal(strlen(a), 64);
	copy_file(folder, "z2.json", DATA "small.json");
	char path[512];
	snprintf(path, sizeof(path), "%s/z2.json", folder);
	FILE *file = fopen(path, "ab");
	fputc('\n', file);
	fclose(file);
	fingerprint(folder, "z2.json", b);
	assert_string_not_equal(a, b);
	/* a database is its files and their names */
	fingerprint(folder, "c-db", a);
	fingerprint(DATA, "hpctoolkit", b);
	assert_string_not_equal(a, b);
}

/* SHA-256 of the record (name "", digest of "abc"), computed by hand with sha256sum. */
static void
test_fingerprint_is_sha256(void **state)
{
	const char *folder = *state;
	char path[512];
	char out[65];
	uint64_t bytes;
	PhEnv env;
	ph_env_init_malloc(&env);
	write_file(folder, "abc", "abc");
	snprintf(path, sizeof(path), "%s/abc", folder);
	char *files[] = {path};
	PhExperiment experiment = {.path = path, .files = files, .n_files = 1};
	assert_int_equal(ph_experiment_fingerprint(&env, &experiment, out, &bytes), PH_OK);
	assert_int_equal(bytes, 3);
	assert_string_equal(out, "8a7deab2cc5ee003b6394337538a52b3198f1a6ddeb10c7daf62fe1c9834b43b");
	files[0] = "/nonexistent/file";
	assert_int_equal(ph_experiment_fingerprint(&env, &experiment, out, &bytes), PH_ERR_NOT_FOUND);
}

static void
check_normal(PhArena *arena, const char *path, const char *expected)
{
	char *out;
	assert_int_equal(ph_path_normalise(arena, path, &out), PH_OK);
	assert_string_equal(out, expected);
}

static void
test_paths(void **state)
{
	(void) state;
	PhEnv env;
	PhArena arena;
	ph_env_init_malloc(&env);
	ph_arena_init(&arena, &env);
	check_normal(&arena, "/a//b/./c/../d", "/a/b/d");
	check_normal(&arena, "./src/x.c", "src/x.c");
	check_normal(&arena, "../x.c", "../x.c");
	check_normal(&arena, "a/../../x.c", "../x.c");
	check_normal(&arena, "/../x.c", "/x.c");
	check_normal(&arena, "x.c", "x.c");
	check_normal(&arena, "/", "/");
	assert_string_equal(ph_path_base("/a/b.c"), "b.c");
	assert_string_equal(ph_path_base("<unknown file> [/x/y.so]"), "<unknown file> [/x/y.so]");

	static const char *const files[] = {"/home/u/app/src/a.c", "/home/u/app/src2/b.c",
										"<unknown file>"};
	static const char *const expected[] = {"src/a.c", "src2/b.c", "<unknown file>"};
	PhSourcePaths paths;
	assert_int_equal(ph_paths_init(&paths, &arena, NULL), PH_OK);
	for (uint32_t i = 0; i < 3; i++)
	{
		uint32_t index;
		assert_int_equal(ph_paths_add(&paths, files[i], &index), PH_OK);
		assert_int_equal(index, i + 1);
	}
	assert_int_equal(ph_paths_finish(&paths), PH_OK);
	for (uint32_t i = 0; i < 3; i++)
		assert_string_equal(paths.normal[i + 1], expected[i]);
	ph_arena_drop(&arena);
	assert_int_equal(env.bytes, 0);
}

static void
test_meta(void **state)
{
	(void) state;
	PhEnv env;
	PhRunInput run = {0};
	ph_env_init_malloc(&env);
	for (int i = 0; i < 100; i++)
	{
		char key[16];
		snprintf(key, sizeof(key), "k%d", i % 50);
		assert_int_equal(ph_meta_set(&env, &run.meta, key, i < 50 ? "old" : "new", i >= 50), PH_OK);
	}
	assert_int_equal(run.meta.n_items, 50);
	assert_string_equal(ph_meta_get(&run.meta, "k49"), "new");
	assert_true(run.meta.items[0].is_literal);
	assert_null(ph_meta_get(&run.meta, "k50"));
	ph_run_input_free(&env, &run);
	assert_int_equal(env.bytes, 0);
}

/* The fast number path must agree with strtod to the last bit. */
static void
test_numbers(void **state)
{
	(void) state;
	uint64_t random = 99;
	PhEnv env;
	ph_env_init_malloc(&env);
	for (int i = 0; i < 200000; i++)
	{
		char text[64];
		random = random * 6364136223846793005u + 1442695040888963407u;
		uint32_t high = (uint32_t) (random >> 40);
		random = random * 6364136223846793005u + 1442695040888963407u;
		uint32_t low = (uint32_t) (random >> 33);
		switch (i % 6)
		{
			case 0:
				snprintf(text, sizeof(text), "%u.%06u", high, low % 1000000);
				break;
			case 1:
				snprintf(text, sizeof(text), "-%u.%u", high, low);
				break;
			case 2:
				snprintf(text, sizeof(text), "1%u%u", high, low);
				break;
			case 3:
				snprintf(text, sizeof(text), "0.%u%u", high, low);
				break;
			case 4:
				snprintf(text, sizeof(text), "%u.%ue-5", high, low);
				break;
			default:
				snprintf(text, sizeof(text), "%u.%uE+3", high, low);
		}
		PhInput input = ph_input_lend("number", text, strlen(text));
		PhJsonScan json = {&env, &input, 0};
		double value;
		assert_int_equal(ph_json_number(&json, &value), PH_OK);
		assert_true(value == strtod(text, NULL));
		assert_int_equal(json.at, input.size);
	}
}

/* What was found until then stays in the arena, which takes it along. */
static void
test_without_memory(void **state)
{
	const char *folder = *state;
	PhStatus status = PH_ERR_MEMORY;
	FaultEnv fault;
	size_t n_failures = 0;
	for (; status != PH_OK; n_failures++)
	{
		PhArena arena;
		PhExperiment *list;
		size_t n;
		PhUnreadList unread;
		fault_env_init(&fault);
		fault.fail_at = n_failures + 1;
		ph_arena_init(&arena, &fault.env);
		status = ph_source_expand(&arena, folder, NULL, &list, &n, &unread);
		assert_true(status == PH_OK || status == PH_ERR_MEMORY);
		ph_arena_drop(&arena);
		assert_int_equal(fault.n_blocks, 0);
		fault_env_drop(&fault);
	}
	assert_true(n_failures > 1);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_mixed_directory),
		cmocka_unit_test(test_errors),
		cmocka_unit_test(test_without_memory),
		cmocka_unit_test(test_fingerprints),
		cmocka_unit_test(test_fingerprint_is_sha256),
		cmocka_unit_test(test_paths),
		cmocka_unit_test(test_meta),
		cmocka_unit_test(test_numbers),
	};
	return cmocka_run_group_tests(tests, make_scratch, drop_scratch);
}
