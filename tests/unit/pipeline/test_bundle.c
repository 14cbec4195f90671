/*
 * test_bundle.c - archives of profiles are unpacked below a new folder, and nowhere else.
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

#include <archive.h>
#include <archive_entry.h>
#include <cmocka.h>

#include "pipeline/bundle.h"
#include "support/fault_env.h"
#include "system/memory.h"
#include "system/paths.h"

typedef struct Member
{
	const char *name, *text;
	const char *link; /* where a symbolic link leads; NULL: a file */
} Member;

static char *home;

static int
make_home(void **state)
{
	(void) state;
	home = ph_strdup("/tmp/test_bundle-XXXXXX");
	if (mkdtemp(home) == NULL)
		return -1;
	return setenv("TMPDIR", home, 1);
}

static int
remove_home(void **state)
{
	(void) state;
	ph_path_remove_folder(home);
	assert_false(ph_path_exists(home));
	free(home);
	return 0;
}

static void
put_member(struct archive *archive, const Member *member)
{
	struct archive_entry *entry = archive_entry_new();
	size_t size = member->text != NULL ? strlen(member->text) : 0;

	archive_entry_set_pathname(entry, member->name);
	archive_entry_set_perm(entry, 0644);
	archive_entry_set_filetype(entry, member->link != NULL ? AE_IFLNK : AE_IFREG);
	if (member->link != NULL)
		archive_entry_set_symlink(entry, member->link);
	archive_entry_set_size(entry, (la_int64_t) size);
	assert_int_equal(archive_write_header(archive, entry), ARCHIVE_OK);
	assert_int_equal(archive_write_data(archive, member->text, size), (int) size);
	archive_entry_free(entry);
}

/* An archive HOME/NAME; its path, to be freed. */
static char *
pack(const char *name, const Member *members, size_t n)
{
	char *path = ph_format("%s/%s", home, name);
	struct archive *archive = archive_write_new();

	if (strstr(name, ".zip") != NULL)
		archive_write_set_format_zip(archive);
	else
		archive_write_set_format_pax_restricted(archive);
	if (strstr(name, "gz") != NULL)
		archive_write_add_filter_gzip(archive);
	assert_int_equal(archive_write_open_filename(archive, path), ARCHIVE_OK);
	for (size_t i = 0; i < n; i++)
		put_member(archive, &members[i]);
	assert_int_equal(archive_write_close(archive), ARCHIVE_OK);
	archive_write_free(archive);
	return path;
}

static void
check_text(const char *folder, const char *name, const char *text)
{
	char *path = ph_format("%s/%s", folder, name);
	char *found = ph_path_read_text(path);

	if (text == NULL)
		assert_null(found);
	else
		assert_string_equal(found, text);
	free(found);
	free(path);
}

static void
test_names(void **state)
{
	(void) state;
	assert_true(ph_is_bundle("a/baseline.ZIP"));
	assert_true(ph_is_bundle("baseline.tar.gz"));
	assert_true(ph_is_bundle("b.tgz"));
	assert_false(ph_is_bundle("profile.cubex"));
	assert_false(ph_is_bundle("profile.json.gz"));
	assert_false(ph_is_bundle(".zip"));
}

static void
test_unpacks(void **state)
{
	static const Member members[] = {{"./base/1.json", "one", NULL},
									 {"base/deep/2.json", "two", NULL},
									 {"base/link", NULL, "/etc/passwd"},
									 {"base/1.json", "newer", NULL}};
	static const char *const names[] = {"a.tar.gz", "a.tar", "a.zip"};

	(void) state;
	for (size_t i = 0; i < 3; i++)
	{
		char *path = pack(names[i], members, 4), *folder = NULL;
		struct stat info;
		PhEnv env;

		ph_env_init_malloc(&env);
		assert_int_equal(ph_bundle_unpack(&env, path, &folder), PH_OK);
		assert_int_equal(strncmp(folder, home, strlen(home)), 0);
		assert_int_equal(stat(folder, &info), 0);
		assert_int_equal(info.st_mode & 0777, 0700);
		check_text(folder, "base/1.json", "newer");
		check_text(folder, "base/deep/2.json", "two");
		check_text(folder, "base/link", NULL);
		ph_path_remove_folder(folder);
		assert_false(ph_path_exists(folder));
		free(folder);
		free(path);
	}
}

/* The folders that were made and not removed. */
static void
assert_nothing_left(void)
{
	char *command = ph_format("test -z \"$(ls -d %s/perfhouse-* 2>/dev/null)\"", home);

	assert_int_equal(system(command), 0);
	free(command);
}

static void
check_refused(const char *path, PhStatus expected, const char *word)
{
	char *folder = NULL;
	PhEnv env;

	ph_env_init_malloc(&env);
	assert_int_equal(ph_bundle_unpack(&env, path, &folder), expected);
	assert_null(folder);
	assert_non_null(strstr(env.error.message, word));
	assert_nothing_left();
}

static void
test_leads_out(void **state)
{
	static const char *const names[] = {"../evil", "a/../../evil", "/tmp/test_bundle-evil",
										"a//b",	   "..",		   "./../evil"};

	(void) state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
	{
		Member member = {names[i], "evil", NULL};
		char *path = pack("evil.tar", &member, 1);

		check_refused(path, PH_ERR_FORMAT, "is not below it");
		assert_false(ph_path_exists("/tmp/test_bundle-evil"));
		free(path);
	}
}

/* A link is left out, so that a member below it is a file in a folder. */
static void
test_through_link(void **state)
{
	static const Member members[] = {{"out", NULL, "/tmp"}, {"out/test_bundle-evil", "x", NULL}};
	char *path = pack("link.tar", members, 2), *folder = NULL;
	PhEnv env;

	(void) state;
	ph_env_init_malloc(&env);
	assert_int_equal(ph_bundle_unpack(&env, path, &folder), PH_OK);
	check_text(folder, "out/test_bundle-evil", "x");
	assert_false(ph_path_exists("/tmp/test_bundle-evil"));
	ph_path_remove_folder(folder);
	free(folder);
	free(path);
}

static void
test_damaged(void **state)
{
	static const Member members[] = {{"1.json", "some text that is long enough", NULL},
									 {"2.json", "more", NULL}};
	char *path = pack("cut.tar.gz", members, 2), *missing = ph_format("%s/none.tar", home);

	(void) state;
	assert_int_equal(truncate(path, 60), 0);
	check_refused(path, PH_ERR_FORMAT, "cut.tar.gz: byte ");
	check_refused(missing, PH_ERR_FORMAT, "none.tar");
	free(missing);
	free(path);
}

/* An interrupt at any poll leaves nothing. */
static void
test_interrupts(void **state)
{
	static const Member members[] = {{"1.json", "one", NULL}, {"2.json", "two", NULL}};
	char *path = pack("a.zip", members, 2);

	(void) state;
	for (size_t poll = 1; poll <= 2; poll++)
	{
		char *folder = NULL;
		FaultEnv fault;

		fault_env_init(&fault);
		fault.stop_at = poll;
		assert_int_equal(ph_bundle_unpack(&fault.env, path, &folder), PH_ERR_INTERRUPTED);
		assert_null(folder);
		assert_nothing_left();
		fault_env_drop(&fault);
	}
	free(path);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names),	  cmocka_unit_test(test_unpacks),
		cmocka_unit_test(test_leads_out), cmocka_unit_test(test_through_link),
		cmocka_unit_test(test_damaged),	  cmocka_unit_test(test_interrupts),
	};
	return cmocka_run_group_tests(tests, make_home, remove_home);
}
