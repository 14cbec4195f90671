/*
 * test_serve_cache.c - what clients take, tags, and kept answers, whatever a client or a disk has
 * made of them.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <fcntl.h>
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

#include "serve/cache/coding.h"
#include "serve/cache/entry.h"
#include "serve/cache/etag.h"
#include "serve/cache/store.h"

static void
test_what_clients_take(void **unused)
{
	static const struct
	{
		const char *accept;
		PhCoding coding;
	} cases[] = {{NULL, PH_CODING_IDENTITY},
				 {"", PH_CODING_IDENTITY},
				 {"gzip", PH_CODING_GZIP},
				 {"GZIP;Q=1.0", PH_CODING_GZIP},
				 {"x-gzip", PH_CODING_GZIP},
				 {"deflate, br", PH_CODING_IDENTITY},
				 {"gzip;q=0", PH_CODING_IDENTITY},
				 {"gzip;q=0.000", PH_CODING_IDENTITY},
				 {"gzip;q=0.001", PH_CODING_GZIP},
				 {" \t gzip ;q=0.5", PH_CODING_GZIP},
				 {"identity, gzip;q=0.5", PH_CODING_IDENTITY},
				 {"identity;q=0.2, gzip;q=0.5", PH_CODING_GZIP},
				 {"gzip;q=9", PH_CODING_IDENTITY},
				 {"gzip;q=", PH_CODING_IDENTITY},
				 {"gzip;;;", PH_CODING_IDENTITY},
				 {"gzipped", PH_CODING_IDENTITY},
				 {",,,gzip,,", PH_CODING_GZIP},
				 {"*;q=0, gzip", PH_CODING_GZIP},
				 {"*, gzip;q=0, zstd;q=0", PH_CODING_IDENTITY},
				 {"\xff\x01;q=1", PH_CODING_IDENTITY}};

	(void) unused;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_int_equal(ph_coding_choose(cases[i].accept), cases[i].coding);
	assert_int_equal(ph_coding_choose("gzip, deflate, br, zstd"), ph_coding_packed);
	assert_int_equal(ph_coding_choose("*"), ph_coding_packed);
	assert_int_equal(ph_coding_choose("gzip, zstd;q=0.9"), PH_CODING_GZIP);
}

/* ---- coded bytes --------------------------------------------------------------------------- */

/* Texts like those of pictures, and noise. */
static char *
make_bytes(size_t size, bool is_noise)
{
	char *bytes = malloc(size + 1);
	uint32_t state = (uint32_t) size;

	for (size_t i = 0; i < size; i++)
	{
		state = state * 1664525u + 1013904223u;
		bytes[i] = is_noise ? (char) (state >> 24) : "<rect x=\"0123456789\"/>\n"[i % 23];
	}
	return bytes;
}

static void
check_coding(PhCoding coding, size_t size, bool is_noise)
{
	char *bytes = make_bytes(size, is_noise);
	PhContent *coded = ph_coding_encode(coding, bytes, size);
	PhContent *plain;

	assert_non_null(coded);
	plain = ph_coding_decode(coding, coded->bytes, coded->size, size);
	assert_non_null(plain);
	assert_int_equal(plain->size, size);
	assert_memory_equal(plain->bytes, bytes, size);
	ph_content_release(plain);
	if (size > 0)
		assert_null(ph_coding_decode(coding, coded->bytes, coded->size, size - 1));
	for (size_t cut = coded->size < 40 ? coded->size : 40; cut > 0; cut--)
		assert_null(ph_coding_decode(coding, coded->bytes, coded->size - cut, size));
	for (size_t i = 0; i < coded->size && i < 64; i++)
	{
		/* whatever comes of it: no more bytes than were allowed, no fault */
		((unsigned char *) coded->bytes)[i] ^= 0x41;
		ph_content_release(ph_coding_decode(coding, coded->bytes, coded->size, size + 1000));
		((unsigned char *) coded->bytes)[i] ^= 0x41;
	}
	ph_content_release(coded);
	free(bytes);
}

static void
test_coded_bytes(void **unused)
{
	static const size_t sizes[] = {0, 1, 22, 1000, 70000, 1000000};

	(void) unused;
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
		for (PhCoding coding = PH_CODING_GZIP; coding <= ph_coding_packed; coding++)
		{
			check_coding(coding, sizes[i], false);
			check_coding(coding, sizes[i], true);
		}
}

/* ---- tags ---------------------------------------------------------------------------------- */

static void
test_tags(void **unused)
{
	char tag[PH_ETAG_SIZE];

	(void) unused;
	ph_etag_make(tag, "ab12", PH_CODING_GZIP);
	assert_string_equal(tag, "\"ab12-gzip\"");
	assert_true(ph_etag_is_known("\"ab12-gzip\"", "ab12", tag));
	assert_true(ph_etag_is_known("\"x\" ,\tW/\"ab12-gzip\", \"y\"", "ab12", tag));
	assert_true(ph_etag_is_known("*", "ab12", tag));
	assert_true(ph_etag_is_known("\"a,b\",\"ab12-gzip\"", "ab12", tag));
	assert_false(ph_etag_is_known(NULL, "ab12", tag));
	assert_false(ph_etag_is_known("", "ab12", tag));
	assert_false(ph_etag_is_known("ab12-gzip", "ab12", tag));
	assert_false(ph_etag_is_known("\"ab12-gzip", "ab12", tag));
	assert_false(ph_etag_is_known("\"xab12-gzip\"", "ab12", tag));
	assert_false(ph_etag_is_known("\"ab12-gzi\"p", "ab12", tag));
	assert_false(ph_etag_is_known("W/W/\"ab12-gzip\"", "ab12", tag));
	assert_true(ph_etag_is_known("\"ab12\"", "ab12", tag));
	assert_string_equal(tag, "\"ab12\"");
	assert_true(ph_etag_is_known("\"zz\", \"ab12-zstd\"", "ab12", tag));
	assert_string_equal(tag, "\"ab12-zstd\"");
	assert_false(ph_etag_is_known("\"ab12-br\"", "ab12", tag));
	assert_false(ph_etag_is_known(NULL, "ab12", tag));
}

/* ---- entries ------------------------------------------------------------------------------- */

static char folder[] = "/tmp/perfhouse-unit-XXXXXX";

static PhContent *
content_of(const char *text)
{
	return ph_content_new(strdup(text), strlen(text));
}

static void
keep(PhStore *store, const char *key, const char *text)
{
	PhContent *content = content_of(text);

	ph_store_put(store, key, content);
	ph_content_release(content);
}

static void
entry_path(char path[128], const char *key)
{
	char name[PH_STORE_NAME_SIZE];

	ph_store_name(key, name);
	snprintf(path, 128, "%s/%s", folder, name);
}

static void
expect_kept(PhStore *store, const char *key, const char *text)
{
	PhContent *found = ph_store_get(store, key);

	assert_int_equal(found != NULL, text != NULL);
	if (text != NULL)
	{
		assert_int_equal(found->size, strlen(text));
		assert_memory_equal(found->bytes, text, found->size);
	}
	ph_content_release(found);
}

static void
test_kept(void **unused)
{
	const char *why;
	PhStore *store = ph_store_open(folder, 1 << 20, &why);
	PhStore *other = ph_store_open(folder, 1 << 20, &why);
	char path[128];
	char other_path[128];

	(void) unused;
	assert_non_null(store);
	assert_non_null(other);
	expect_kept(store, "a", NULL);
	keep(store, "a", "alpha");
	keep(store, "b", "");
	expect_kept(store, "a", "alpha");
	expect_kept(other, "a", "alpha");
	expect_kept(store, "b", "");
	keep(other, "a", "another");
	expect_kept(store, "a", "another");
	/* a file of another key in its place is no answer, and is not damaged */
	entry_path(path, "a");
	entry_path(other_path, "c");
	assert_int_equal(rename(path, other_path), 0);
	expect_kept(store, "c", NULL);
	assert_int_equal(ph_store_counts(store).damaged, 0);
	ph_store_close(other);
	ph_store_close(store);
}

/* Every byte of an entry changed, and every length of it. */
static void
test_damage(void **unused)
{
	const char *why;
	PhStore *store = ph_store_open(folder, 1 << 20, &why);
	struct stat status;
	char path[128];

	(void) unused;
	entry_path(path, "key");
	keep(store, "key", "what was kept");
	assert_int_equal(stat(path, &status), 0);
	for (off_t i = 0; i < status.st_size; i++)
		for (int cut = 0; cut < 2; cut++)
		{
			unsigned char byte;
			int file;

			keep(store, "key", "what was kept");
			file = open(path, O_RDWR);
			assert_int_equal(pread(file, &byte, 1, i), 1);
			byte ^= 0x80;
			assert_int_equal(cut ? ftruncate(file, i) : pwrite(file, &byte, 1, i), cut ? 0 : 1);
			close(file);
			expect_kept(store, "key", NULL);
			assert_int_equal(access(path, F_OK), -1);
		}
	assert_int_equal(ph_store_counts(store).damaged, 2 * status.st_size);
	ph_store_close(store);
}

static void
test_limit(void **unused)
{
	enum
	{
		LIMIT = 1 << 20,
		SIZE = 16000,
		N = 200
	};
	const char *why;
	PhStore *store = ph_store_open(folder, LIMIT, &why);
	char *text = make_bytes(SIZE, false);
	char *large = make_bytes(LIMIT / 4, false);
	char key[32];

	(void) unused;
	text[SIZE] = large[LIMIT / 4] = '\0';
	for (int i = 0; i < N; i++)
	{
		snprintf(key, sizeof(key), "entry %d", i);
		keep(store, key, text);
		assert_true(ph_store_counts(store).bytes <= LIMIT);
	}
	expect_kept(store, key, text);
	assert_true(ph_store_counts(store).evicted > 0);
	assert_true(ph_store_counts(store).entries < N);
	keep(store, "large", large);
	expect_kept(store, "large", NULL);
	free(text);
	free(large);
	ph_store_close(store);
}

static void
test_folders(void **unused)
{
	const char *why = NULL;
	char path[64];

	(void) unused;
	snprintf(path, sizeof(path), "%s/open", folder);
	assert_int_equal(mkdir(path, 0700), 0);
	assert_int_equal(chmod(path, 0770), 0);
	assert_null(ph_store_open(path, 1 << 20, &why));
	assert_string_equal(why, "others may write to it");
	assert_null(ph_store_open("/dev/null", 1 << 20, &why));
	snprintf(path, sizeof(path), "%s/a/b/c", folder);
	ph_store_close(ph_store_open(path, 1 << 20, &why));
	assert_int_equal(access(path, W_OK), 0);
}

static int
make_folder(void **unused)
{
	(void) unused;
	return mkdtemp(folder) != NULL ? 0 : -1;
}

static int
remove_folder(void **unused)
{
	char command[128];

	(void) unused;
	snprintf(command, sizeof(command), "rm -rf %s", folder);
	return system(command);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_what_clients_take),
									   cmocka_unit_test(test_coded_bytes),
									   cmocka_unit_test(test_tags),
									   cmocka_unit_test(test_kept),
									   cmocka_unit_test(test_damage),
									   cmocka_unit_test(test_limit),
									   cmocka_unit_test(test_folders)};

	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
