/*
 * otf2.c - OTF2, in builds without libotf2.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "readers/absent/absent.h"
#include "readers/experiment_folder.h"

static bool
detect_file(const char *path, const uint8_t *head, size_t size)
{
	(void) head;
	(void) size;
	return ph_has_suffix(path, ".otf2");
}

const PhReader ph_reader_otf2 = {
	.name = "otf2",
	.description = "OTF2 trace archive, or a Score-P experiment directory with one",
	.mark = "the anchor file (*.otf2)",
	.lacks = "libotf2",
	.detect_file = detect_file,
	.read = ph_read_absent,
};
