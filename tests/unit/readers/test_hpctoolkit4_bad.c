/*
 * test_hpctoolkit4_bad.c - one small HPCToolkit 4 database, whole, incomplete, damaged, cut, and in
 * files.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "readers/completeness.h"
#include "support/csv.h"
#include "support/hpctoolkit4.h"
#include "support/reader.h"
#include "support/test_data.h"

#define COUNT(array) ((uint32_t) (sizeof(array) / sizeof((array)[0])))

static const char *const module_paths[] = {"/home/of/someone/bin/code"};
static const char *const file_paths[] = {"/src/a.c", "/src/deep/b.c"};
static const H4Function functions[] = {{"main", 0, 0, 0x40, 3}, {"solve(int)", 0, 1, 0x80, 9}};

static char *
text(const char *format, ...)
{
	char *out;
	va_list arguments;
	va_start(arguments, format);
	if (vasprintf(&out, format, arguments) < 0)
		abort();
	va_end(arguments);
	return out;
}

/* ---- one small database ---- */

static const H4Metric small_metrics[] = {{"cycles", 7}, {"GKER:COUNT", 7}};

static const H4Context small_contexts[] = {
	{.id = 1,
	 .parent = H4_NONE,
	 .relation = H4_CALL,
	 .lexical = H4_ENTRY,
	 .function = H4_NONE,
	 .file = H4_NONE,
	 .module = H4_NONE,
	 .name = "main thread"},
	{2, 0, H4_CALL, H4_FUNCTION, 0, H4_NONE, H4_NONE, 0, 0, NULL, false},
	{3, 1, H4_LEXICAL, H4_LINE, H4_NONE, 0, H4_NONE, 4, 0, NULL, false},
	{9, 2, H4_CALL, H4_FUNCTION, 1, H4_NONE, H4_NONE, 0, 0, NULL, false},
	{5, 2, H4_LEXICAL, H4_INSTRUCTION, H4_NONE, H4_NONE, 0, 0, 8, NULL, true},
	{7, 1, H4_LEXICAL, H4_LOOP, H4_NONE, 0, H4_NONE, 8, 0, NULL, false},
};

static H4Model
small_model(bool is_draft)
{
	return (H4Model){.is_draft = is_draft,
					 .title = "small",
					 .n_modules = COUNT(module_paths),
					 .n_files = COUNT(file_paths),
					 .n_functions = COUNT(functions),
					 .n_metrics = COUNT(small_metrics),
					 .n_contexts = COUNT(small_contexts),
					 .modules = module_paths,
					 .files = file_paths,
					 .functions = functions,
					 .metrics = small_metrics,
					 .contexts = small_contexts};
}

/* Profiles of the ranks 0 and last, of one thread each. */
static void
write_small(bool is_draft, uint32_t last, H4Bytes *meta, H4Bytes *profile)
{
	static const H4Cost costs[] = {{1, 0, 1}, {2, 0, 2},  {3, 0, 4},
								   {4, 0, 8}, {5, 0, 16}, {3, 1, 1}};
	H4Model model = small_model(is_draft);
	H4Profiles *profiles = h4_begin_profiles(&model);
	for (uint32_t rank = 0; rank <= last; rank += last)
	{
		H4Identifier identifiers[] = {{H4_NODE, 0x7f0101}, {H4_RANK, rank}, {H4_THREAD, 0}};
		h4_add_profile(profiles, identifiers, 3, costs, COUNT(costs));
	}
	*profile = h4_end_profiles(profiles);
	*meta = h4_write_meta(&model);
}

static void
free_small(H4Bytes *meta, H4Bytes *profile)
{
	free(meta->data);
	free(profile->data);
}

/* What a line calls hangs below its function, and what the tree leaves out is the line's. */
static void
test_small(void **state)
{
	(void) state;
	for (int is_draft = 0; is_draft < 2; is_draft++)
	{
		PhEnv env;
		PhRunInput run;
		H4Bytes meta, profile;
		ph_env_init_malloc(&env);
		write_small(is_draft, 1, &meta, &profile);
		/* a root of the draft is a function, and this one has no name */
		const char *root = is_draft ? "<unknown function>" : "main thread";
		assert_int_equal(h4_read(&env, &meta, &profile, &run), PH_OK);
		assert_int_equal(ph_run_completeness(&ph_reader_hpctoolkit4, &run),
						 PH_COMPLETENESS_COMPLETE);
		assert_string_equal(ph_meta_get(&run.meta, "application"), "small");
		char *line = text("[\"%s\", \"main\", \"a.c:4\"]", root);
		char *callee = text("[\"%s\", \"main\", \"solve(int)\"]", root);
		uint32_t node = find_node(run.profile, line);
		assert_true(ph_profile_cell(run.profile, 0, node, 1, PH_COST_INCLUSIVE) == 10);
		node = find_node(run.profile, callee);
		assert_true(ph_profile_cell(run.profile, 0, node, 1, PH_COST_EXCLUSIVE) == 4);
		free(line);
		free(callee);
		free_small(&meta, &profile);
		done(&env, &run);
	}
}

static void
check_missing(const H4Bytes *meta, const H4Bytes *profile, const char *sentence)
{
	PhEnv env;
	PhRunInput run;
	ph_env_init_malloc(&env);
	if (h4_read(&env, meta, profile, &run) != PH_OK)
		fail_msg("%s", env.error.message);
	assert_int_equal(run.n_missing, 1);
	assert_string_equal(run.missing[0], sentence);
	done(&env, &run);
}

static void
test_missing_ranks(void **state)
{
	(void) state;
	H4Bytes meta, profile;
	write_small(false, 4, &meta, &profile);
	check_missing(&meta, &profile, "3 of 5 ranks have no profile");
	free_small(&meta, &profile);
}

/* ---- damage ---- */

static uint64_t
number_at(const H4Bytes *bytes, size_t at)
{
	uint64_t number;
	memcpy(&number, bytes->data + at, sizeof(number));
	return le64toh(number);
}

static void
set_number(H4Bytes *bytes, size_t at, uint64_t number, size_t size)
{
	for (size_t i = 0; i < size; i++)
		bytes->data[at + i] = (uint8_t) (number >> 8 * i);
}

#define END (-1)
#define WHOLE (-1)

/* A number in a file: from the begin of a section (WHOLE: of the file) along pointers. */
typedef struct Damage
{
	bool is_profile;
	int section;
	int follow[2]; /* offsets of pointers, END: no more */
	size_t at, size;
	uint64_t number;
	PhStatus status;
	const char *message;
} Damage;

static size_t
place_of_damage(const H4Bytes *bytes, const Damage *damage)
{
	size_t at = 0;
	if (damage->section != WHOLE)
		at = number_at(bytes, 24 + 16 * (size_t) damage->section);
	for (int i = 0; i < 2 && damage->follow[i] != END; i++)
		at = number_at(bytes, at + (size_t) damage->follow[i]);
	return at + damage->at;
}

#define INFO 48 /* of the first profile that is not the summary */

static const Damage damages[] = {
	{false,
	 WHOLE,
	 {END},
	 10,
	 1,
	 'x',
	 PH_ERR_FORMAT,
	 "meta.db: offset 0: not a file of HPCToolkit 4"},
	{false, WHOLE, {END}, 14, 1, 5, PH_ERR_UNSUPPORTED, "version 5.0 of the format, 4 is read"},
	{false, WHOLE, {END}, 16, 8, 1 << 30, PH_ERR_FORMAT, "section 0 goes beyond the file's end"},
	{false, WHOLE, {END}, 16, 8, UINT64_MAX, PH_ERR_FORMAT, "section 0 goes beyond"},
	{false, WHOLE, {END}, 16, 8, 8, PH_ERR_FORMAT, "section 0 has 8 bytes, at least 16"},
	{false, 0, {END}, 0, 8, 20, PH_ERR_FORMAT, "a string outside of its section"},
	{false, 1, {END}, 8, 1, 255, PH_ERR_FORMAT, "255 kinds of identifiers go beyond"},
	{false, 2, {END}, 8, 4, 1000000, PH_ERR_FORMAT, "1000000 metrics go beyond"},
	{false, 2, {END}, 12, 1, 8, PH_ERR_FORMAT, "metrics of 8 bytes each, at least 32"},
	{false, 2, {END}, 26, 1, 8, PH_ERR_FORMAT, "scopes of 8 bytes each, at least 10"},
	{false, 2, {END}, 24, 2, 60000, PH_ERR_FORMAT, "60000 scopes go beyond"},
	{false, 2, {0, END}, 0, 8, 0, PH_ERR_FORMAT, "a metric without a name"},
	{false, 2, {0, END}, 8, 8, 1, PH_ERR_FORMAT, "3 instances of scopes go beyond"},
	{false, 2, {0, 8}, 0, 8, 1, PH_ERR_FORMAT, "no scope begins here"},
	{false, 2, {0, 8}, 0, 8, 0, PH_ERR_FORMAT, "an instance of no scope"},
	{false, 2, {0, 8}, 8, 2, 2, PH_ERR_FORMAT, "values with id 2 are of two metrics or scopes"},
	{false, 2, {0, 0}, 0, 1, 0xff, PH_ERR_FORMAT, "a string that is not UTF-8"},
	{false, 3, {END}, 10, 1, 8, PH_ERR_FORMAT, "entry points of 8 bytes each, at least 32"},
	{false, 3, {END}, 8, 2, 60000, PH_ERR_FORMAT, "60000 entry points go beyond"},
	{false, 3, {END}, 8, 2, 0, PH_ERR_FORMAT, "the tree has no contexts"},
	{false, 3, {0, END}, 8, 8, 8, PH_ERR_FORMAT, "children outside of the section"},
	{false, 3, {0, END}, 0, 8, 8, PH_ERR_FORMAT, "a context goes beyond the array"},
	{false, 3, {0, END}, 24, 8, 9, PH_ERR_FORMAT, "a string outside of its section"},
	{false, 3, {0, 8}, 16, 4, 0, PH_ERR_FORMAT, "a context with id 0"},
	{false, 3, {0, 8}, 16, 4, 9, PH_ERR_FORMAT, "a second context with id 9"},
	{false, 3, {0, 8}, 20, 1, 7, PH_ERR_FORMAT, "a context with 1 words, its flags need 5"},
	{false, 3, {0, 8}, 23, 1, 200, PH_ERR_FORMAT, "a context goes beyond the array"},
	{false, 3, {0, 8}, 32, 8, 1, PH_ERR_FORMAT, "no function begins here"},
	{false, 5, {END}, 8, 4, 1000, PH_ERR_FORMAT, "1000 modules go beyond"},
	{false, 6, {END}, 12, 2, 8, PH_ERR_FORMAT, "files of 8 bytes each, at least 16"},
	{false, 7, {END}, 8, 4, 1000, PH_ERR_FORMAT, "1000 functions go beyond"},
	{false, 7, {0, END}, 8, 8, 1, PH_ERR_FORMAT, "no module begins here"},
	{false, 7, {0, END}, 24, 8, 1, PH_ERR_FORMAT, "no file begins here"},
	{true,
	 WHOLE,
	 {END},
	 10,
	 4,
	 0,
	 PH_ERR_FORMAT,
	 "profile.db: offset 0: not a file of HPCToolkit 4"},
	{true, 0, {END}, 12, 1, 8, PH_ERR_FORMAT, "profiles of 8 bytes each, at least 48"},
	{true, 0, {END}, 8, 4, 100000, PH_ERR_FORMAT, "100000 profiles go beyond"},
	{true, 0, {END}, 8, 4, 1, PH_ERR_VALUE, "profile.db: no profile of a thread"},
	{true, 0, {0, END}, INFO, 8, UINT64_MAX, PH_ERR_FORMAT, "profile 1 has more than"},
	{true, 0, {0, END}, INFO, 8, 3, PH_ERR_FORMAT, "of profile 1 has values"},
	{true, 0, {0, END}, INFO + 32, 8, 8, PH_ERR_FORMAT, "identifiers outside of their section"},
	{true, 0, {0, INFO + 24}, 0, 4, 1000, PH_ERR_FORMAT, "contexts of profile 1 do not ascend"},
	{true, 0, {0, INFO + 24}, 4, 8, 1, PH_ERR_FORMAT, "context 0 of profile 1 has values 1 to 2"},
	{true, 0, {0, INFO + 24}, 16, 8, 1000, PH_ERR_FORMAT, "of profile 1 has values 0 to 1000"},
	{true, 0, {0, INFO + 8}, 0, 2, 500, PH_ERR_FORMAT, "ids of values of a context do not ascend"},
	{true,
	 0,
	 {0, INFO + 8},
	 2,
	 8,
	 0x7ff8000000000000,
	 PH_ERR_VALUE,
	 "metric value nan is not finite"},
	{true, 0, {0, INFO + 8}, 2, 8, 0xbff0000000000000, PH_ERR_VALUE, "metric value -1 is negative"},
	{true, 0, {0, INFO + 32}, 0, 2, 65, PH_ERR_FORMAT, "more than 64 identifiers"},
	{true, 0, {0, INFO + 32}, 0, 2, 60, PH_ERR_FORMAT, "60 identifiers go beyond"},
};

static void
test_damage(void **state)
{
	(void) state;
	for (size_t i = 0; i < COUNT(damages); i++)
	{
		PhEnv env;
		PhRunInput run;
		H4Bytes meta, profile;
		const Damage *damage = &damages[i];
		write_small(false, 1, &meta, &profile);
		H4Bytes *bytes = damage->is_profile ? &profile : &meta;
		set_number(bytes, place_of_damage(bytes, damage), damage->number, damage->size);
		ph_env_init_malloc(&env);
		check_error(&env, h4_read(&env, &meta, &profile, &run), damage->status, damage->message,
					damage->message);
		free_small(&meta, &profile);
	}
}

/* A function whose callees are those of its caller. */
static void
test_circle(void **state)
{
	(void) state;
	PhEnv env;
	PhRunInput run;
	H4Bytes meta, profile;
	static const Damage entry = {false, 3, {0, END}, 0, 0, 0, PH_OK, NULL};
	static const Damage function = {false, 3, {0, 8}, 0, 0, 0, PH_OK, NULL};
	write_small(false, 1, &meta, &profile);
	size_t from = place_of_damage(&meta, &entry), to = place_of_damage(&meta, &function);
	memmove(meta.data + to, meta.data + from, 16);
	ph_env_init_malloc(&env);
	check_error(&env, h4_read(&env, &meta, &profile, &run), PH_ERR_FORMAT,
				"they contain each other", "circle");
	free_small(&meta, &profile);
}

/* All profiles claim the whole file. */
static void
test_shared_values(void **state)
{
	(void) state;
	PhEnv env;
	PhRunInput run;
	H4Bytes meta, profile;
	static const Damage infos = {true, 0, {0, END}, 0, 0, 0, PH_OK, NULL};
	write_small(false, 1, &meta, &profile);
	for (size_t i = 0; i < 3; i++)
	{
		size_t at = place_of_damage(&profile, &infos) + INFO * i;
		set_number(&profile, at, profile.size / 10, 8);
		set_number(&profile, at + 8, 0, 8);
		set_number(&profile, at + 16, 0, 4);
	}
	ph_env_init_malloc(&env);
	check_error(&env, h4_read(&env, &meta, &profile, &run), PH_ERR_FORMAT,
				"the values of profile 1 are those of others as well", "shared");
	free_small(&meta, &profile);
}

/* Values beyond the end: the other profile is read, and something is missing. */
static void
test_values_beyond_end(void **state)
{
	(void) state;
	H4Bytes meta, profile;
	static const Damage info = {true, 0, {0, END}, INFO + 8, 0, 0, PH_OK, NULL};
	write_small(false, 1, &meta, &profile);
	set_number(&profile, place_of_damage(&profile, &info), profile.size - 8, 8);
	PhEnv env;
	PhRunInput run;
	ph_env_init_malloc(&env);
	assert_int_equal(h4_read(&env, &meta, &profile, &run), PH_OK);
	assert_int_equal(run.n_missing, 2);
	assert_string_equal(run.missing[0],
						"the values of 1 of 3 profiles are beyond the end of profile.db");
	assert_string_equal(run.missing[1], "1 of 2 ranks have no profile");
	assert_int_equal(run.profile->n_columns, 1);
	done(&env, &run);
	free_small(&meta, &profile);
}

/* A caller that costs less than what it calls: what is below it counts, and it is said. */
static void
test_less_than_callees(void **state)
{
	(void) state;
	PhEnv env;
	PhRunInput run;
	H4Bytes meta, profile;
	static const Damage value = {true, 0, {0, INFO + 8}, 0, 0, 0, PH_OK, NULL};
	write_small(false, 1, &meta, &profile);
	/* values of context 0: two; then those of the entry point, of which this is the first */
	set_number(&profile, place_of_damage(&profile, &value) + 22, 0x3ff0000000000000, 8);
	ph_env_init_malloc(&env);
	assert_int_equal(h4_read(&env, &meta, &profile, &run), PH_OK);
	assert_int_equal(run.n_warnings, 1);
	assert_non_null(strstr(run.warnings[0], "1 values are less than those of what is called"));
	uint32_t node = find_node(run.profile, "[\"main thread\"]");
	assert_true(ph_profile_cell(run.profile, 0, node, 0, PH_COST_INCLUSIVE) == 31);
	done(&env, &run);
	free_small(&meta, &profile);
}

/* ---- cut and changed files ---- */

/* Read it; true when it was taken for whole. */
static bool
is_taken(const H4Bytes *meta, const H4Bytes *profile)
{
	PhEnv env;
	PhRunInput run;
	bool whole = false;
	ph_env_init_malloc(&env);
	if (h4_read(&env, meta, profile, &run) == PH_OK)
	{
		whole = run.n_missing == 0;
		assert_int_equal(ph_profile_check(&env, run.profile), PH_OK);
		ph_run_input_free(&env, &run);
	}
	assert_int_equal(env.bytes, 0);
	return whole;
}

/* A copy of the first bytes, alone, so that reading on is noticed. */
static H4Bytes
first_bytes(const H4Bytes *bytes, size_t size)
{
	H4Bytes cut = {malloc(size > 0 ? size : 1), size, size};
	memcpy(cut.data, bytes->data, size);
	return cut;
}

static void
test_truncation(void **state)
{
	(void) state;
	for (int is_draft = 0; is_draft < 2; is_draft++)
	{
		H4Bytes files[2];
		write_small(is_draft, 1, &files[0], &files[1]);
		for (size_t file = 0; file < 2; file++)
			for (size_t size = 0; size < files[file].size; size += size < 64 ? 1 : 7)
			{
				H4Bytes cut = first_bytes(&files[file], size);
				assert_false(file == 0 ? is_taken(&cut, &files[1]) : is_taken(&files[0], &cut));
				free(cut.data);
			}
		free_small(&files[0], &files[1]);
	}
}

/* Any bytes are read or refused. */
static void
test_changed_bytes(void **state)
{
	(void) state;
	uint64_t random = 17;
	for (int round = 0; round < 3000; round++)
	{
		H4Bytes files[2];
		write_small(round % 2, 1, &files[0], &files[1]);
		for (uint32_t i = 0; i <= draw_below(&random, 3); i++)
		{
			H4Bytes *file = &files[draw_below(&random, 2)];
			file->data[draw_below(&random, (uint32_t) file->size)] =
				(uint8_t) draw_below(&random, 256);
		}
		is_taken(&files[0], &files[1]);
		free_small(&files[0], &files[1]);
	}
}

static PhStatus
read_bytes_of_input(PhEnv *env, const ReaderInput *input, PhRunInput *run)
{
	const H4Bytes *files = input->bytes;
	return h4_read(env, &files[0], &files[1], run);
}

static void
test_allocations(void **state)
{
	(void) state;
	H4Bytes files[2];
	write_small(false, 1, &files[0], &files[1]);
	ReaderInput input = {.bytes = files};
	fail_every_allocation(read_bytes_of_input, &input);
	free_small(&files[0], &files[1]);
}

/* ---- folders ---- */

static void
write_file(const char *folder, const char *name, const void *bytes, size_t size)
{
	char *path = text("%s/%s", folder, name);
	FILE *file = fopen(path, "wb");
	assert_non_null(file);
	assert_int_equal(fwrite(bytes, 1, size, file), size);
	fclose(file);
	free(path);
}

static void
check_folder(const char *path, const char *missing)
{
	PhEnv env;
	PhRunInput run;
	must_read(&env, path, &run);
	assert_int_equal(run.n_missing, missing != NULL);
	if (missing != NULL)
		assert_string_equal(run.missing[0], missing);
	done(&env, &run);
}

/* The folder and its meta.db are the database; files beside these two must be whole, too. */
static void
test_folder(void **state)
{
	const char *folder = *state;
	PhEnv env;
	PhRunInput run;
	H4Bytes meta, profile;
	write_small(false, 1, &meta, &profile);
	write_file(folder, "meta.db", meta.data, meta.size);
	ph_env_init_malloc(&env);
	check_error(&env, read_path(&env, folder, &run), PH_ERR_NOT_FOUND, "profile.db: cannot open",
				"no profile.db");
	write_file(folder, "profile.db", profile.data, profile.size);
	check_folder(folder, NULL);
	char *path = text("%s/meta.db", folder);
	check_folder(path, NULL);
	free(path);
	write_file(folder, "cct.db", "HPCTOOLKITctxt\4__ctx.db", 23);
	write_file(folder, "trace.db", "HPCTOOLKITtrce\4trace.db", 23);
	check_folder(folder, NULL);
	write_file(folder, "trace.db", "", 0);
	check_folder(folder, "trace.db does not end with its end mark");
	free_small(&meta, &profile);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_small),
		cmocka_unit_test(test_missing_ranks),
		cmocka_unit_test(test_damage),
		cmocka_unit_test(test_circle),
		cmocka_unit_test(test_shared_values),
		cmocka_unit_test(test_values_beyond_end),
		cmocka_unit_test(test_less_than_callees),
		cmocka_unit_test(test_truncation),
		cmocka_unit_test(test_changed_bytes),
		cmocka_unit_test(test_allocations),
		cmocka_unit_test_setup_teardown(test_folder, make_scratch, drop_scratch),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
