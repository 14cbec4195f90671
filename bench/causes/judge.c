/*
 * judge.c - a file of answers that a tool gave, against the right ones.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "score.h"

#define LINE_SIZE 4096
#define COLUMNS 5 /* case, shape, cause, path, units */
#define MOST_UP 2

typedef struct Line
{
	char text[LINE_SIZE];
	char *columns[COLUMNS];
} Line;

/* false at the end of the file. */
static bool
read_line(FILE *file, Line *line)
{
	char *at = line->text;

	if (fgets(line->text, sizeof(line->text), file) == NULL)
		return false;
	line->text[strcspn(line->text, "\r\n")] = '\0';
	for (int i = 0; i < COLUMNS; i++)
	{
		char *end = strchr(at, '\t');

		line->columns[i] = at;
		at = end == NULL ? at + strlen(at) : end + 1;
		if (end != NULL)
			*end = '\0';
	}
	return true;
}

/* The same path, or one of the two above it. */
static bool
is_path_right(const char *path, const char *given)
{
	size_t length = strlen(given);
	int up = 0;

	if (length == 0 || strncmp(path, given, length) != 0)
		return false;
	if (path[length] != '\0' && path[length] != '/')
		return false;
	for (const char *at = path + length; *at != '\0'; at++)
		up += *at == '/';
	return up <= MOST_UP;
}

static bool
is_right(const Line *answer, const Line *given)
{
	return strcmp(answer->columns[1], given->columns[1]) == 0 &&
		   strcmp(answer->columns[2], given->columns[2]) == 0 &&
		   strcmp(answer->columns[4], given->columns[4]) == 0 &&
		   (strcmp(answer->columns[1], "nothing") == 0 ||
			is_path_right(answer->columns[3], given->columns[3]));
}

/* What was given for a case: files need not be in one order. */
static bool
find_case(FILE *file, const char *name, Line *out)
{
	rewind(file);
	while (read_line(file, out))
		if (strcmp(out->columns[0], name) == 0)
			return true;
	return false;
}

static void
judge_line(const Line *answer, FILE *given, Tally *planted, Tally *unchanged)
{
	bool is_nothing = strcmp(answer->columns[1], "nothing") == 0;
	Tally *tally = is_nothing ? unchanged : planted;
	bool is_unknown;
	Line line;

	is_unknown = !find_case(given, answer->columns[0], &line) ||
				 strcmp(line.columns[2], "unknown") == 0 ||
				 (!is_nothing && strcmp(line.columns[1], "nothing") == 0);
	tally->n++;
	if (is_unknown)
		tally->n_unknown++;
	else if (is_right(answer, &line))
		tally->n_right++;
	else
		tally->n_wrong++;
}

int
score_files(const char *answers, const char *given)
{
	FILE *files[2] = {fopen(answers, "r"), fopen(given, "r")};
	Tally planted = {0}, unchanged = {0};
	Line answer;

	if (files[0] == NULL || files[1] == NULL)
	{
		fprintf(stderr, "causes: %s or %s: %s\n", answers, given, strerror(errno));
		return 1;
	}
	(void) read_line(files[0], &answer); /* the header */
	while (read_line(files[0], &answer))
		judge_line(&answer, files[1], &planted, &unchanged);
	printf("cases\t%u\nright\t%u\nunknown\t%u\nwrong\t%u\n", planted.n, planted.n_right,
		   planted.n_unknown, planted.n_wrong);
	printf("unchanged pairs\t%u\nfound in them\t%u\n", unchanged.n, unchanged.n_wrong);
	return fclose(files[0]) + fclose(files[1]);
}
