/*
 * fuzz_source_blame.c - what "git blame --line-porcelain" says, line by line, of any repository.
 *
 * Authors and subjects are texts of whoever could commit; a line of the file may look like one of
 * git's.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "serve/source_blame.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
must_end(const char *text, size_t size)
{
	if (memchr(text, '\0', size) == NULL)
		abort();
}

/* A line of the file is told with its commit and its number; the text is said behind a tab. */
static void
check_line(const PhSourceBlame *blame, const char *said, const char *text)
{
	if (text != said + 1 || !ph_is_commit_hash(blame->commit) || blame->line <= 0)
		abort();
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1);
	PhSourceBlame blame = {.line = 0};

	if (text == NULL)
		return 0;
	memcpy(text, data, size);
	text[size] = '\0';
	for (char *said = text, *end; said != NULL; said = end)
	{
		const char *found;

		end = strchr(said, '\n');
		if (end != NULL)
			*end++ = '\0';
		found = ph_blame_read(&blame, said);
		must_end(blame.commit, sizeof(blame.commit));
		must_end(blame.author, sizeof(blame.author));
		must_end(blame.subject, sizeof(blame.subject));
		if (blame.time < 0 || blame.line < 0)
			abort();
		if (found != NULL)
			check_line(&blame, said, found);
	}
	free(text);
	return 0;
}
