/*
 * redact.c - see redact.h.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "commands/redact.h"

#include <stdlib.h>
#include <string.h>

#include "database/pq.h"
#include "system/log.h"

enum
{
	USERS,
	HOSTS,
	PATHS,
	COMMANDS,
	N_KINDS
};

static const char *const names[N_KINDS] = {"users", "hosts", "paths", "commands"};

/* Marks what a word means; false: it means nothing. */
static bool
mark(const char *word, size_t length, bool *is_hidden)
{
	bool is_all = length == 3 && strncmp(word, "all", 3) == 0, is_known = is_all;

	for (size_t i = 0; i < N_KINDS; i++)
	{
		bool is_this = strlen(names[i]) == length && strncmp(word, names[i], length) == 0;

		is_hidden[i] = is_hidden[i] || is_all || is_this;
		is_known = is_known || is_this;
	}
	return is_known;
}

static void
fill(const bool *is_hidden, PhHiding *out)
{
	const char *hidden[N_KINDS];
	size_t n = 0;

	for (size_t i = 0; i < N_KINDS; i++)
		if (is_hidden[i])
			hidden[n++] = names[i];
	out->what = ph_array_text(hidden, n);
	out->is_any = n > 0;
	out->hosts = is_hidden[HOSTS];
	out->paths = is_hidden[PATHS];
}

PhExit
ph_redact_parse(const PhArguments *arguments, PhHiding *out)
{
	const char *given = ph_cli_text(arguments, "redact", "");
	bool is_hidden[N_KINDS] = {false};

	*out = (PhHiding){.salt = ph_cli_text(arguments, "salt", "")};
	for (const char *at = given; *at != '\0'; at += *at == ',')
	{
		size_t length = strcspn(at, ",");

		if (!mark(at, length, is_hidden))
			return ph_cli_usage_error(
				arguments, "--redact takes users, hosts, paths, commands and all, not \"%.*s\"",
				(int) length, at);
		at += length;
	}
	fill(is_hidden, out);
	if (out->is_any && *out->salt == '\0')
		ph_log_warning(
			"without --salt anybody can find out whom a pseudonym stands for, by trying names");
	return PH_EXIT_OK;
}

void
ph_redact_free(PhHiding *hiding)
{
	free((char *) hiding->what);
	hiding->what = NULL;
}
