/*
 * fuzz_region_labels.c - labels of regions from arbitrary bytes: an error, or labels that are made
 * of all of them.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <stdlib.h>
#include <string.h>

#include "stored/region_labels.h"

#define NUMBERS 16

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Its texts are the bytes, one behind the other, to the end. */
static void
must_follow(const uint8_t *at, size_t size, const PhRegionLabel *label)
{
	const char *module = (const char *) at + NUMBERS;
	const char *raw_file = module + strlen(module) + 1;
	const char *paradigm = raw_file + strlen(raw_file) + 1;
	if (label->module != module || label->raw_file != raw_file || label->paradigm != paradigm ||
		(const uint8_t *) paradigm + strlen(paradigm) + 1 != at + size)
		abort();
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	PhEnv env;
	PhRegionLabel label;
	uint8_t *bytes = malloc(size + 1); /* a zero size may give no memory */
	if (bytes == NULL)
		abort();
	memcpy(bytes + 1, data, size); /* to the end of the memory */
	ph_env_init_malloc(&env);
	PhBytes rest = {bytes + 1, size};
	while (rest.size > 0)
	{
		PhBytes before = rest;
		if (ph_region_label_take(&env, &rest, &label) != PH_OK)
			break;
		must_follow(before.data, before.size - rest.size, &label);
	}
	free(bytes);
	return 0;
}
