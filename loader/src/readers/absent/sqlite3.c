/*
 * sqlite3.c - what profilers of devices export as databases of SQLite, in builds without it.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <string.h>

#include "readers/absent/absent.h"
#include "readers/experiment_folder.h"

static bool
is_sqlite(const uint8_t *head, size_t size)
{
	static const char first[] = "SQLite format 3";
	return size >= sizeof(first) && memcmp(head, first, sizeof(first)) == 0;
}

static bool
detect_nsight(const char *path, const uint8_t *head, size_t size)
{
	return is_sqlite(head, size) && ph_has_suffix(path, ".sqlite");
}

/* Of the definitions of tables, the head may have some. */
static bool
detect_rocpd(const char *path, const uint8_t *head, size_t size)
{
	return is_sqlite(head, size) &&
		   (ph_has_suffix(path, ".db") || memmem(head, size, "rocpd_", 6) != NULL);
}

const PhReader ph_reader_nsight = {
	.name = "nsight",
	.description = "Nsight Systems exports (nsys export --type sqlite)",
	.mark = "SQLite, named *.sqlite",
	.lacks = "libsqlite3",
	.detect_file = detect_nsight,
	.read = ph_read_absent,
};

const PhReader ph_reader_rocpd = {
	.name = "rocpd",
	.description = "rocpd databases of ROCm's profilers (rocprofv3, rocprof-sys)",
	.mark = "SQLite, named *.db or with tables rocpd_*",
	.lacks = "libsqlite3",
	.detect_file = detect_rocpd,
	.read = ph_read_absent,
};
