/*
 * gathered.c - see gathered.h.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "profile/gathered.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

/* "max#sum#time.duration": the operator over ranks, then what each rank summed up. */
static PhFamilyPart
chain_part(const char *chain, const char **rest)
{
	static const struct
	{
		const char *prefix;
		PhFamilyPart part;
	} prefixes[] = {{"min#sum#", PH_PART_MIN},
					{"max#sum#", PH_PART_MAX},
					{"avg#sum#", PH_PART_MEAN},
					{"sum#sum#", PH_PART_TOTAL},
					{"sum#", PH_PART_TOTAL}};
	for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++)
	{
		size_t length = strlen(prefixes[i].prefix);
		if (strncasecmp(chain, prefixes[i].prefix, length) != 0)
			continue;
		*rest = chain + length;
		return prefixes[i].part;
	}
	*rest = strchr(chain, '#') != NULL ? "" : chain;
	return PH_PART_TOTAL;
}

/* Cut a word out of text, with the blanks around it. */
static bool
cut_word(char *text, const char *word)
{
	size_t length = strlen(word);
	size_t size = strlen(text);
	char *at = strcasestr(text, word);
	if (at == NULL)
		return false;
	bool starts = at == text || at[-1] == ' ' || word[0] == '/' || word[0] == '(';
	bool ends = at[length] == '\0' || at[length] == ' ';
	if (!starts || !ends)
		return false;
	char *end = at + length;
	while (*end == ' ')
		end++;
	if (*end == '\0')
		while (at > text && at[-1] == ' ')
			at--;
	memmove(at, end, size - (size_t) (end - text) + 1);
	return true;
}

/* "Max time/rank", "Calls/rank (max)", "Total time", "Calls (total)". */
static PhFamilyPart
words_part(char *name)
{
	static const struct
	{
		const char *word;
		PhFamilyPart part;
	} words[] = {{"(min)", PH_PART_MIN},	 {"min", PH_PART_MIN},	  {"(max)", PH_PART_MAX},
				 {"max", PH_PART_MAX},		 {"(avg)", PH_PART_MEAN}, {"avg", PH_PART_MEAN},
				 {"(total)", PH_PART_TOTAL}, {"total", PH_PART_TOTAL}};
	bool over_ranks = cut_word(name, "/rank");
	PhFamilyPart part = PH_PART_TOTAL;
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (cut_word(name, words[i].word))
		{
			part = words[i].part;
			break;
		}
	if (part != PH_PART_TOTAL && !over_ranks)
		name[0] = '\0'; /* within each rank */
	return part;
}

PhFamilyPart
ph_metric_family(const char *name, char family[PH_FAMILY_MAX])
{
	const char *rest;
	PhFamilyPart part = chain_part(name, &rest);
	family[0] = '\0';
	if (strlen(rest) >= PH_FAMILY_MAX)
		return PH_PART_TOTAL;
	snprintf(family, PH_FAMILY_MAX, "%s", strcmp(rest, "time.duration") == 0 ? "time" : rest);
	return strchr(name, '#') != NULL ? part : words_part(family);
}

uint32_t
ph_names_calls(const char *name)
{
	static const char *const families[] = {"visits", "calls", "region.count"};
	char family[PH_FAMILY_MAX];
	if (ph_metric_family(name, family) != PH_PART_TOTAL)
		return PH_NONE;
	for (uint32_t i = 0; i < sizeof(families) / sizeof(families[0]); i++)
		if (strcasecmp(family, families[i]) == 0)
			return i;
	return PH_NONE;
}

uint32_t
ph_profile_visits(const PhProfile *profile)
{
	uint32_t found = PH_NONE, best = PH_NONE;
	for (uint32_t m = 0; m < profile->n_metrics; m++)
	{
		uint32_t rank = ph_names_calls(ph_profile_string(profile, profile->metrics[m].name));
		if (profile->metrics[m].kind != PH_METRIC_FLOW || rank >= best)
			continue;
		found = m;
		best = rank;
	}
	return found;
}

/* One column that is no rank of its own. */
static bool
is_gathered(const PhProfile *profile, uint32_t *n_ranks)
{
	*n_ranks = 0;
	if (profile->n_columns != 1 || profile->columns[0].rank != PH_NO_NUMBER ||
		profile->columns[0].kind == PH_COLUMN_RUN || profile->columns[0].kind == PH_COLUMN_MEAN)
		return false;
	unsigned n;
	if (sscanf(ph_profile_string(profile, profile->columns[0].name), PH_GATHERED_COLUMN, &n) == 1)
		*n_ranks = n;
	return true;
}

bool
ph_profile_gathered(const PhProfile *profile, uint32_t metric, PhGathered *out)
{
	char wanted[PH_FAMILY_MAX], family[PH_FAMILY_MAX];
	*out = (PhGathered){PH_NONE, PH_NONE, PH_NONE, 0};
	ph_metric_family(ph_profile_string(profile, profile->metrics[metric].name), wanted);
	if (!is_gathered(profile, &out->n_ranks) || wanted[0] == '\0')
		return false;
	for (uint32_t m = 0; m < profile->n_metrics; m++)
	{
		PhFamilyPart part =
			ph_metric_family(ph_profile_string(profile, profile->metrics[m].name), family);
		if (profile->metrics[m].kind != PH_METRIC_VALUE || strcasecmp(family, wanted) != 0)
			continue;
		if (part == PH_PART_MIN)
			out->min = m;
		else if (part == PH_PART_MAX)
			out->max = m;
		else if (part == PH_PART_MEAN)
			out->mean = m;
	}
	return out->max != PH_NONE && out->mean != PH_NONE;
}

PhOverRanks
ph_over_ranks(const PhProfile *profile, const PhGathered *gathered, uint32_t node)
{
	PhOverRanks over = {.min = NAN, .lost = NAN};
	over.mean = ph_profile_cell(profile, gathered->mean, node, 0, PH_COST_EXCLUSIVE);
	over.max = ph_profile_cell(profile, gathered->max, node, 0, PH_COST_EXCLUSIVE);
	if (gathered->min != PH_NONE)
		over.min = ph_profile_cell(profile, gathered->min, node, 0, PH_COST_EXCLUSIVE);
	if (gathered->n_ranks > 0)
		over.lost = (over.max - over.mean) * gathered->n_ranks;
	return over;
}
