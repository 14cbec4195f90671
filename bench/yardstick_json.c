/*
 * yardstick_json.c - the least that any reader of Caliper json-split built on json-c must do:
 * tokenise the file row by row.
 *
 *   yardstick_json FILE
 *
 * Prints "rows cpu_seconds". Figures that were recorded elsewhere are compared through it.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <json.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double
cpu_seconds(void)
{
	struct timespec time;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
	return (double) time.tv_sec + (double) time.tv_nsec * 1e-9;
}

/* A line of the file holds one row or one node, with a comma behind it. */
static int
tokenise(struct json_tokener *tokener, char *line, size_t length)
{
	while (length > 0 && (line[length - 1] == '\n' || line[length - 1] == ','))
		length--;
	if (length < 2 || (line[0] != '[' && line[0] != '{') ||
		(line[length - 1] != ']' && line[length - 1] != '}'))
		return 0;
	json_tokener_reset(tokener);
	struct json_object *row = json_tokener_parse_ex(tokener, line, (int) length);
	if (row == NULL)
		return 0;
	json_object_put(row);
	return 1;
}

int
main(int argc, char **argv)
{
	FILE *file = argc == 2 ? fopen(argv[1], "r") : NULL;
	if (file == NULL)
	{
		fprintf(stderr, "usage: yardstick_json FILE\n");
		return 2;
	}
	struct json_tokener *tokener = json_tokener_new();
	double start = cpu_seconds();
	char *line = NULL;
	size_t size = 0;
	ssize_t length;
	unsigned long rows = 0;
	while ((length = getline(&line, &size, file)) > 0)
		rows += (unsigned long) tokenise(tokener, line, (size_t) length);
	printf("%lu %.4f\n", rows, cpu_seconds() - start);
	free(line);
	json_tokener_free(tokener);
	fclose(file);
	return 0;
}
