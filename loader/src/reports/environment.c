/*
 * environment.c - in which compiler, MPI, libraries, kernel, hosts and clocks two sets of runs
 * differ.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "reports/environment.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "cli/text_table.h"
#include "reports/environment_values.h"
#include "system/memory.h"

#define VALUES_SHOWN 48
#define LONGEST_KEY 128

/* ---- what a key tells of ---- */

/* The first word that a key has decides; ^ binds to its beginning, $ to its end. Those of libraries
 * stand in perfhouse_internal.elements_that_differ, too. */
typedef struct KeyWord
{
	const char *word; /* lower case */
	const char *kind; /* NULL: of one job alone, or of the experiment */
} KeyWord;

static const KeyWord key_words[] = {{"^ld_", "library"},
									{"^source_unit.", NULL},
									{"^outside_regions", NULL},
									{"time$", NULL},
									{"date$", NULL},
									{"_id$", NULL},
									{"jobid", NULL},
									{"uuid", NULL},
									{".rank", NULL},
									{"size", NULL},
									{"^n_", NULL},
									{"^num", NULL},
									{"path$", NULL},
									{"^otf2.", NULL},
									{"format", NULL},
									{"^omp_", "threads"},
									{"^kmp_", "threads"},
									{".omp_", "threads"},
									{"_omp_", "threads"},
									{"affinity", "threads"},
									{"proc_bind", "threads"},
									{"compiler", "compiler"},
									{"cflags", "compiler"},
									{"cxxflags", "compiler"},
									{"fflags", "compiler"},
									{"build_type", "compiler"},
									{"toolchain", "compiler"},
									{"optimi", "compiler"},
									{"^cc$", "compiler"},
									{"^cxx$", "compiler"},
									{"^fc$", "compiler"},
									{"governor", "clock"},
									{"scaling_driver", "clock"},
									{"pstate", "clock"},
									{"turbo", "clock"},
									{"freq", "clock"},
									{"mhz", "clock"},
									{"clock", "clock"},
									{"power_cap", "clock"},
									{"powercap", "clock"},
									{"power_limit", "clock"},
									{"mpi", "MPI"},
									{"kernel", "kernel"},
									{"uname", "kernel"},
									{"^os", "kernel"},
									{"distro", "kernel"},
									{"host", "host"},
									{"node", "host"},
									{"machine", "host"},
									{"cpu", "host"},
									{"processor", "host"},
									{"arch", "host"},
									{"gpu", "host"},
									{"partition", "host"},
									{"cluster", "host"},
									{"numa", "host"},
									{"lib", "library"},
									{"blas", "library"},
									{"cuda", "library"},
									{"rocm", "library"},
									{"modules", "library"},
									{"module_list", "library"},
									{"malloc", "library"},
									{"container", "library"},
									{"version", "library"},
									{"driver", "library"},
									{NULL, NULL}};

static bool
key_has_word(const char *key, const char *word)
{
	size_t n_key = strlen(key);
	bool at_begin = word[0] == '^';
	size_t n_word = strlen(word += at_begin);
	bool at_end = n_word > 0 && word[n_word - 1] == '$';

	n_word -= at_end;
	for (size_t i = 0; i + n_word <= n_key; i++)
		if ((!at_begin || i == 0) && (!at_end || i + n_word == n_key) &&
			strncmp(key + i, word, n_word) == 0)
			return true;
	return false;
}

/* NULL: it tells of none. */
static const char *
kind_of_key(const char *key)
{
	char lower[LONGEST_KEY];
	size_t n = 0;

	for (; key[n] != '\0' && n + 1 < sizeof(lower); n++)
		lower[n] = (char) tolower((unsigned char) key[n]);
	lower[n] = '\0';
	for (const KeyWord *word = key_words; word->word != NULL; word++)
		if (key_has_word(lower, word->word))
			return word->kind;
	return NULL;
}

/* ---- what the sides say ---- */

/* What the runs of a side say of a key: of a list each element by itself. */
typedef struct Said
{
	PhEnvironmentValue *values; /* by text */
	size_t n;
	size_t n_runs; /* that say anything */
	bool is_list;
} Said;

static Said
said_of(const PhFacts *runs, size_t n_runs, const char *key, bool may_be_list)
{
	Said said = {0};

	for (size_t i = 0; i < n_runs; i++)
	{
		const char *value = ph_facts_get(&runs[i], key);

		if (value == NULL)
			continue;
		said.n_runs++;
		said.is_list |= ph_environment_split(value, may_be_list, &said.values, &said.n);
	}
	said.n = ph_environment_unite(said.values, said.n);
	return said;
}

static void
free_said(Said *said)
{
	for (size_t i = 0; i < said->n; i++)
		free(said->values[i].text);
	free(said->values);
}

static bool
says(const Said *said, const char *text)
{
	for (size_t i = 0; i < said->n; i++)
		if (strcmp(said->values[i].text, text) == 0)
			return true;
	return false;
}

static bool
have_common(const Said *a, const Said *b)
{
	for (size_t i = 0; i < a->n; i++)
		if (says(b, a->values[i].text))
			return true;
	return false;
}

/* Joined by commas; of lists what every run has and no run of the other side. NULL: none. */
static char *
join_values(const Said *said, const Said *other, bool are_lists)
{
	char *text = NULL;

	for (size_t i = 0; i < said->n; i++)
	{
		const PhEnvironmentValue *value = &said->values[i];
		char *longer;

		if (are_lists && (value->n_runs < said->n_runs || says(other, value->text)))
			continue;
		longer = text == NULL ? ph_strdup(value->text) : ph_format("%s, %s", text, value->text);
		free(text);
		text = longer;
	}
	return text;
}

/* False: it does not differ. The texts are the caller's. */
static bool
tell_sides(const Said *a, const Said *b, bool is_clock, char **before, char **after)
{
	bool are_lists = a->n_runs > 0 && b->n_runs > 0 && (a->is_list || b->is_list);
	bool differ;

	if (is_clock && ph_environment_clocks(a->values, a->n, b->values, b->n, before, after, &differ))
		return differ;
	if (!are_lists && have_common(a, b))
		return false;
	*before = join_values(a, b, are_lists);
	*after = join_values(b, a, are_lists);
	if (!are_lists)
		return true;
	differ = *before != NULL || *after != NULL;
	*before = *before == NULL && differ ? ph_strdup("(none)") : *before;
	*after = *after == NULL && differ ? ph_strdup("(none)") : *after;
	return differ;
}

static void
compare_key(const PhFacts *a, size_t n_a, const PhFacts *b, size_t n_b, const char *key,
			PhEnvironment *out)
{
	const char *kind = kind_of_key(key);
	bool may_be_list = strcmp(kind, "library") == 0;
	Said before = said_of(a, n_a, key, may_be_list);
	Said after = said_of(b, n_b, key, may_be_list);
	PhEnvironmentChange change = {.kind = kind};

	if (!tell_sides(&before, &after, strcmp(kind, "clock") == 0, &change.before, &change.after))
		out->n_same++;
	else
	{
		change.key = ph_strdup(key);
		out->changes = ph_must_resize(out->changes, out->n_changes + 1, sizeof(*out->changes));
		out->changes[out->n_changes++] = change;
	}
	free_said(&before);
	free_said(&after);
}

static int
compare_texts(const void *x, const void *y)
{
	return strcmp(*(const char *const *) x, *(const char *const *) y);
}

/* Without what is there twice; returns how many are left. */
static size_t
sort_texts(const char **texts, size_t n)
{
	size_t kept = 0;

	qsort(texts, n, sizeof(*texts), compare_texts);
	for (size_t i = 0; i < n; i++)
		if (kept == 0 || strcmp(texts[kept - 1], texts[i]) != 0)
			texts[kept++] = texts[i];
	return kept;
}

static size_t
add_keys(const PhFacts *runs, size_t n_runs, const char ***keys, size_t n)
{
	for (size_t i = 0; i < n_runs; i++)
	{
		for (size_t k = 0; k < runs[i].n; k++)
		{
			if (kind_of_key(runs[i].items[k].key) == NULL)
				continue;
			*keys = ph_must_resize(*keys, n + 1, sizeof(**keys));
			(*keys)[n++] = runs[i].items[k].key;
		}
	}
	return n;
}

static int
compare_changes(const void *x, const void *y)
{
	const PhEnvironmentChange *a = x;
	const PhEnvironmentChange *b = y;
	int order = strcmp(a->kind, b->kind);

	return order != 0 ? order : strcmp(a->key, b->key);
}

void
ph_environment_compare(const PhFacts *a, size_t n_a, const PhFacts *b, size_t n_b,
					   PhEnvironment *out)
{
	const char **keys = NULL;
	size_t n = add_keys(a, n_a, &keys, 0);

	*out = (PhEnvironment){0};
	n = add_keys(b, n_b, &keys, n);
	if (n > 0)
		n = sort_texts(keys, n);
	for (size_t i = 0; i < n; i++)
		compare_key(a, n_a, b, n_b, keys[i], out);
	free(keys);
	if (out->n_changes > 0)
		qsort(out->changes, out->n_changes, sizeof(*out->changes), compare_changes);
}

void
ph_environment_free(PhEnvironment *environment)
{
	for (size_t i = 0; i < environment->n_changes; i++)
	{
		free(environment->changes[i].key);
		free(environment->changes[i].before);
		free(environment->changes[i].after);
	}
	free(environment->changes);
	*environment = (PhEnvironment){0};
}

/* ---- saying it ---- */

void
ph_environment_print(FILE *out, const PhEnvironment *environment)
{
	PhTextTable *table;

	if (environment->n_changes == 0)
	{
		if (environment->n_same > 0)
			fprintf(out, "  the same in all %zu that the runs say of it\n", environment->n_same);
		else
			fprintf(out, "  not recorded\n");
		return;
	}
	table = ph_table_new();
	ph_table_column(table, "what", PH_ALIGN_LEFT, 0);
	ph_table_column(table, "key", PH_ALIGN_LEFT, 32);
	ph_table_column(table, "A", PH_ALIGN_LEFT, VALUES_SHOWN);
	ph_table_column(table, "B", PH_ALIGN_LEFT, VALUES_SHOWN);
	for (size_t i = 0; i < environment->n_changes; i++)
	{
		const PhEnvironmentChange *change = &environment->changes[i];

		ph_table_cell(table, change->kind);
		ph_table_cell(table, change->key);
		ph_table_cell(table, change->before != NULL ? change->before : "(not recorded)");
		ph_table_cell(table, change->after != NULL ? change->after : "(not recorded)");
	}
	ph_table_print(table, out, 2);
	ph_table_free(table);
}

void
ph_environment_write(PhJsonOut *json, const PhEnvironment *environment)
{
	ph_json_open_array(json, "environment");
	for (size_t i = 0; i < environment->n_changes; i++)
	{
		const PhEnvironmentChange *change = &environment->changes[i];

		ph_json_open_object(json, NULL);
		ph_json_put_text(json, "what", change->kind);
		ph_json_put_text(json, "key", change->key);
		ph_json_put_text(json, "before", change->before);
		ph_json_put_text(json, "after", change->after);
		ph_json_close(json);
	}
	ph_json_close(json);
}
