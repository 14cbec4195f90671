/*
 * fuzz_projections_text.c - text logs of Projections: a byte that chooses the version, then the
 * lines of two logs, parted by a NUL byte.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <string.h>

#include "projections_run.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define MAGIC "PROJECTIONS-RECORD 1\n"

/* With the line that makes it a text log before it; malloc'ed. */
static char *
with_magic(const uint8_t *data, size_t size, size_t *out)
{
	char *text = malloc(sizeof(MAGIC) + size);

	if (text == NULL)
		abort();
	memcpy(text, MAGIC, sizeof(MAGIC) - 1);
	if (size > 0)
		memcpy(text + sizeof(MAGIC) - 1, data, size);
	*out = sizeof(MAGIC) - 1 + size;
	return text;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	PhInput sts;
	PhInput logs[2];
	const uint8_t *end;
	char *texts[2];
	size_t sizes[2];
	size_t first;

	if (size == 0)
		return 0;
	sts = fuzz_definitions(data[0]);
	data++;
	size--;
	end = memchr(data, '\0', size);
	first = end != NULL ? (size_t) (end - data) : size;
	texts[0] = with_magic(data, first, &sizes[0]);
	texts[1] =
		with_magic(end != NULL ? end + 1 : data, end != NULL ? size - first - 1 : 0, &sizes[1]);
	for (int i = 0; i < 2; i++)
		logs[i] = ph_input_lend(i == 0 ? "run.0.log" : "run.1.log", texts[i], sizes[i]);
	fuzz_read_run(&sts, logs, 2);
	free(texts[0]);
	free(texts[1]);
	return 0;
}
