/*
 * driver.c - replays files through a fuzz target without a fuzzing engine, for `make check`.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int
replay(const char *path)
{
	FILE *file = fopen(path, "rb");
	if (file == NULL)
	{
		perror(path);
		return 1;
	}
	fseek(file, 0, SEEK_END);
	long size = ftell(file);
	rewind(file);
	uint8_t *data = malloc(size > 0 ? (size_t) size : 1);
	size_t got = data != NULL && size > 0 ? fread(data, 1, (size_t) size, file) : 0;
	fclose(file);
	if (data == NULL || got != (size_t) size)
	{
		fprintf(stderr, "%s: cannot be read\n", path);
		free(data);
		return 1;
	}
	LLVMFuzzerTestOneInput(data, got);
	free(data);
	return 0;
}

int
main(int argc, char **argv)
{
	int failed = 0;
	for (int i = 1; i < argc; i++)
		failed += replay(argv[i]);
	return failed != 0;
}
