/*
 * fuzz_detect.c - whose format a file is, by its first bytes, as every file below a folder that is
 * loaded is asked: all readers and the formats that are known, but not read.
 *
 * The input is the file's name in a line, then its first bytes.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <stdlib.h>
#include <string.h>

#include "readers/known_format.h"
#include "readers/source.h"

#define MOST_NAME 64
#define MOST_HEAD 4096

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Only the bytes that are there may be read: a copy has no others behind them. */
static void
detect(const char *name, const uint8_t *head, size_t size)
{
	uint8_t *copy = malloc(size + 1);

	memcpy(copy + 1, head, size);
	for (size_t i = 0; ph_readers[i] != NULL; i++)
		if (ph_readers[i]->detect_file != NULL)
			(void) ph_readers[i]->detect_file(name, copy + 1, size);
	(void) ph_known_format(name, copy + 1, size);
	free(copy);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char folder[] = "/nowhere/";
	char name[sizeof(folder) + MOST_NAME];
	const uint8_t *line = size > 0 ? memchr(data, '\n', size) : NULL;
	size_t length = line != NULL ? (size_t) (line - data) : size;

	if (line == NULL || length > MOST_NAME || length + 1 == size)
		return 0;
	memcpy(name, folder, sizeof(folder));
	memcpy(name + sizeof(folder) - 1, data, length);
	name[sizeof(folder) - 1 + length] = '\0';
	size -= length + 1;
	detect(name, line + 1, size < MOST_HEAD ? size : MOST_HEAD);
	return 0;
}
