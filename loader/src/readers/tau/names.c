/*
 * names.c - what TAU packs into a timer's name: prefix, function, file and line.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <string.h>
#include <strings.h>

#include "readers/tau/tau.h"

PhTauText
ph_tau_trim(PhTauText text)
{
	while (text.size > 0 && (text.text[0] == ' ' || text.text[0] == '\t'))
	{
		text.text++;
		text.size--;
	}
	while (text.size > 0 && strchr(" \t\r", text.text[text.size - 1]) != NULL)
		text.size--;
	return text;
}

bool
ph_tau_next_step(PhTauText *path, PhTauText *step)
{
	if (path->text == NULL)
		return false;
	const char *arrow = memmem(path->text, path->size, " => ", 4);
	*step = (PhTauText){path->text, path->size};
	if (arrow == NULL)
		path->text = NULL;
	else
	{
		step->size = (size_t) (arrow - path->text);
		path->text = arrow + 4;
		path->size -= step->size + 4;
	}
	*step = ph_tau_trim(*step);
	return true;
}

static bool
has_prefix(PhTauText text, const char *prefix)
{
	size_t length = strlen(prefix);
	return text.size > length && memcmp(text.text, prefix, length) == 0;
}

/* "[SAMPLE] ..." and the like: what the step is; the prefix is cut off. */
static void
take_prefix(PhTauText *text, PhTauName *out)
{
	static const struct
	{
		const char *prefix;
		PhTauStep step;
		PhRegionKind kind;
	} prefixes[] = {
		{"[CONTEXT] ", PH_TAU_CONTEXT, PH_KIND_FUNCTION},
		{"[INTERMEDIATE] ", PH_TAU_CONTEXT, PH_KIND_FUNCTION},
		{"[SUMMARY] ", PH_TAU_SAMPLE, PH_KIND_FUNCTION},
		{"[UNWIND] ", PH_TAU_SAMPLE, PH_KIND_FUNCTION},
		{"[SAMPLE] ", PH_TAU_SAMPLE, PH_KIND_STATEMENT},
	};
	for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++)
		if (has_prefix(*text, prefixes[i].prefix))
		{
			size_t length = strlen(prefixes[i].prefix);
			out->step = prefixes[i].step;
			out->kind = prefixes[i].kind;
			*text = ph_tau_trim((PhTauText){text->text + length, text->size - length});
			return;
		}
	if (has_prefix(*text, "Loop: "))
		out->kind = PH_KIND_LOOP;
}

/* Last "[{" of the text; NULL: none. */
static const char *
find_place(PhTauText text)
{
	for (size_t i = text.size; i >= 2; i--)
		if (text.text[i - 2] == '[' && text.text[i - 1] == '{')
			return text.text + i - 2;
	return NULL;
}

/* The number behind "{"; PH_NO_NUMBER: none, or 0. */
static int32_t
parse_line(const char *at, const char *end)
{
	int64_t line = 0;
	while (at < end && *at >= '0' && *at <= '9' && line < INT32_MAX)
		line = line * 10 + (*at++ - '0');
	return line > 0 && line < INT32_MAX ? (int32_t) line : PH_NO_NUMBER;
}

void
ph_tau_parse_name(PhTauText text, PhTauName *out)
{
	text = ph_tau_trim(text);
	*out = (PhTauName){.kind = PH_KIND_FUNCTION, .line = PH_NO_NUMBER};
	take_prefix(&text, out);
	out->name = text;
	const char *end = text.text + text.size;
	const char *place = find_place(text);
	const char *close = place != NULL ? memchr(place, '}', (size_t) (end - place)) : NULL;
	if (close == NULL)
		return;
	PhTauText name = ph_tau_trim((PhTauText){text.text, (size_t) (place - text.text)});
	if (name.size > 0)
		out->name = name;
	out->file = ph_tau_trim((PhTauText){place + 2, (size_t) (close - place) - 2});
	if (out->file.size > 0 && out->file.text[0] == '(')
		out->file.size = 0; /* (unknown) */
	const char *brace = memchr(close, '{', (size_t) (end - close));
	if (brace != NULL)
		out->line = parse_line(brace + 1, end);
}

/* ---- groups ---- */

bool
ph_tau_has_group(PhTauText groups, const char *group)
{
	size_t length = strlen(group);
	const char *end = groups.text + groups.size;
	for (const char *at = groups.text; at < end;)
	{
		const char *bar = memchr(at, '|', (size_t) (end - at));
		bar = bar != NULL ? bar : end;
		PhTauText one = ph_tau_trim((PhTauText){at, (size_t) (bar - at)});
		if (one.size == length && strncasecmp(one.text, group, length) == 0)
			return true;
		at = bar + 1;
	}
	return false;
}

/* Groups that stand for a library or programming model. */
static const struct
{
	const char *group, *library, *paradigm;
} known_groups[] = {
	{"MPI", "MPI", "mpi"},
	{"TAU_MESSAGE", "MPI", "mpi"},
	{"SHMEM", "SHMEM", "shmem"},
	{"OPENMP", "OPENMP", "openmp"},
	{"TAU_OPENMP", "OPENMP", "openmp"},
	{"OpenMP_Parallel_Region", "", "openmp"},
	{"PTHREAD", "PTHREAD", "pthread"},
	{"CUDA", "CUDA", "cuda"},
	{"CUPTI", "CUDA", "cuda"},
	{"TAU_GPU", "GPU", "gpu"},
	{"IO", "IO", "io"},
	{"TAU_IO", "IO", "io"},
	{"TAU_USER", "", "user"},
};

const char *
ph_tau_library(PhTauText groups)
{
	for (size_t i = 0; i < sizeof(known_groups) / sizeof(known_groups[0]); i++)
		if (ph_tau_has_group(groups, known_groups[i].group))
			return known_groups[i].library[0] != '\0' ? known_groups[i].library : NULL;
	return NULL;
}

const char *
ph_tau_paradigm(PhTauText groups)
{
	for (size_t i = 0; i < sizeof(known_groups) / sizeof(known_groups[0]); i++)
		if (ph_tau_has_group(groups, known_groups[i].group))
			return known_groups[i].paradigm;
	return NULL;
}
