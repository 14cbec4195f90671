/*
 * kept_load.c - see kept_load.h.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "commands/kept_load.h"

#include <stdlib.h>
#include <string.h>

#include "pipeline/outbox.h"
#include "pipeline/report.h"
#include "system/interrupt.h"
#include "system/memory.h"
#include "system/paths.h"

typedef struct SpoolWords
{
	PhOutboxWord *items;
	size_t n;
	char **made; /* texts of their own */
	size_t n_made;
} SpoolWords;

static void
add_word(SpoolWords *words, const char *text, bool is_file)
{
	words->items = ph_must_resize(words->items, words->n + 1, sizeof(*words->items));
	words->items[words->n++] = (PhOutboxWord){text, is_file, false};
}

static void
add_made(SpoolWords *words, char *text)
{
	words->made = ph_must_resize(words->made, words->n_made + 1, sizeof(*words->made));
	words->made[words->n_made++] = text;
	add_word(words, text, false);
}

static bool
is_one_of(const char *name, const char *const *names)
{
	for (; *names != NULL; names++)
		if (strcmp(name, *names) == 0)
			return true;
	return false;
}

/* What was asked for of the runs; commit and branch are found where the job is, not later. */
static void
add_option_words(SpoolWords *words, const PhArguments *arguments, const PhMeta *set)
{
	static const char *const others[] = {"spool",  "defer", "or-fail", "jobs",	 "json",	 "db",
										 "commit", "quiet", "verbose", "branch", "progress", NULL};
	static const char *const files[] = {"module-map", "manifest", NULL};
	const PhValues *values = ph_cli_values(arguments);
	const char *commit = ph_meta_get(set, "commit");
	const char *branch = ph_meta_get(set, "branch");

	for (size_t i = 0; i < values->n_given; i++)
	{
		const PhParameter *parameter = values->given[i].parameter;

		if (is_one_of(parameter->name, others))
			continue;
		add_made(words, ph_format("--%s", parameter->name));
		if (values->given[i].text != NULL && parameter->type != PH_PARAMETER_FLAG)
			add_word(words, values->given[i].text, is_one_of(parameter->name, files));
	}
	if (commit != NULL)
		add_made(words, ph_format("--set=commit=%s", commit));
	if (branch != NULL)
		add_made(words, ph_format("--set=branch=%s", branch));
}

/* An anchor is read with files beside it. */
static bool
is_anchor(const PhLoad *load, const char *path)
{
	for (size_t i = 0; i < load->n_jobs; i++)
		if (load->jobs[i].experiment->n_files > 1 &&
			strcmp(load->jobs[i].experiment->path, path) == 0)
			return !ph_path_is_folder(path);
	return false;
}

/* ---- what waits ---- */

static bool
waits(const PhLoadJob *job)
{
	if (job->outcome != PH_OUTCOME_FAILED)
		return job->outcome == PH_OUTCOME_NONE;
	return ph_outbox_should_wait(ph_load_exit_code(job)) || ph_load_is_away(&job->failure.db);
}

static bool
is_at_or_below(const char *path, const char *named)
{
	size_t n = strlen(named);

	return strncmp(path, named, n) == 0 && (path[n] == '/' || path[n] == '\0');
}

/* Is it a job of what was named? Files of several names may be one run. */
static bool
is_of(const PhLoadJob *job, const char *named)
{
	for (uint32_t i = 0; i < job->experiment->n_files; i++)
		if (is_at_or_below(job->experiment->files[i], named))
			return true;
	return is_at_or_below(job->experiment->path, named);
}

/* Where nothing was tried, all waits: also what is no job, as its file may be mended by then. */
static bool
any_waits(const PhLoad *load, const char *named)
{
	bool was_tried = false;

	for (size_t i = 0; i < load->n_jobs; i++)
	{
		if (waits(&load->jobs[i]) && is_of(&load->jobs[i], named))
			return true;
		was_tried = was_tried || load->jobs[i].outcome != PH_OUTCOME_NONE;
	}
	return !was_tried;
}

bool
ph_kept_load_is_due(const PhLoad *load, PhExit code)
{
	bool is_due = ph_load_lost_database(load) != NULL || ph_outbox_should_wait(code);

	for (size_t i = 0; i < load->n_jobs && !is_due && ph_interrupted(); i++)
		is_due = waits(&load->jobs[i]);
	return is_due;
}

PhExit
ph_kept_load_put(const PhArguments *arguments, const PhLoad *load, const PhMeta *set)
{
	const char *folder = ph_cli_text(arguments, "spool", NULL);
	SpoolWords words = {0};
	PhExit code = PH_EXIT_OK;

	add_option_words(&words, arguments, set);
	add_word(&words, "--", false);
	for (size_t i = 0; i < ph_cli_n_arguments(arguments); i++)
	{
		const char *path = ph_cli_argument(arguments, i);

		if (!ph_path_exists(path) || !any_waits(load, path))
			continue; /* said already, or done */
		add_word(&words, path, true);
		words.items[words.n - 1].needs_folder = is_anchor(load, path);
	}
	if (words.items[words.n - 1].is_file)
		code = ph_outbox_put(folder, words.items, words.n);
	for (size_t i = 0; i < words.n_made; i++)
		free(words.made[i]);
	free(words.made);
	free(words.items);
	return code;
}
