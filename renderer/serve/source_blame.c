/*
 * source_blame.c - see source_blame.h.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "serve/source_blame.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What follows a word and a blank; NULL: another word. */
static const char *
after(const char *said, const char *word)
{
	size_t length = strlen(word);

	return strncmp(said, word, length) == 0 && said[length] == ' ' ? said + length + 1 : NULL;
}

/* 0: no number of 0 or more. */
static int64_t
number_of(const char *text)
{
	char *end;
	long long value;

	errno = 0;
	value = isdigit((unsigned char) text[0]) ? strtoll(text, &end, 10) : 0;
	return errno == 0 && value > 0 ? value : 0;
}

/* "HASH ORIGINAL FINAL [LINES]" */
static bool
begin_line(PhSourceBlame *blame, const char *said)
{
	size_t length = strcspn(said, " ");
	char commit[PH_OBJECT_SIZE];
	const char *final;

	if (length >= sizeof(commit) || said[length] != ' ')
		return false;
	memcpy(commit, said, length);
	commit[length] = '\0';
	final = strchr(said + length + 1, ' ');
	if (!ph_is_commit_hash(commit) || final == NULL || number_of(final + 1) == 0)
		return false;
	*blame = (PhSourceBlame){.line = number_of(final + 1)};
	memcpy(blame->commit, commit, length + 1);
	return true;
}

const char *
ph_blame_read(PhSourceBlame *blame, const char *said)
{
	const char *text;

	if (said[0] == '\t')
		return blame->commit[0] != '\0' ? said + 1 : NULL;
	if ((text = after(said, "author")) != NULL)
		snprintf(blame->author, sizeof(blame->author), "%s", text);
	else if ((text = after(said, "author-time")) != NULL)
		blame->time = number_of(text);
	else if ((text = after(said, "summary")) != NULL)
		snprintf(blame->subject, sizeof(blame->subject), "%s", text);
	else if (strcmp(said, "boundary") == 0)
		blame->is_old = true;
	else
		begin_line(blame, said);
	return NULL;
}
