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
#include "system/memory.h"

#define VALUES_SHOWN 48
#define LONGEST_KEY 128

/* ---- what a key tells of ---- */

/* The first word that a key has decides; ^ binds to its beginning, $ to its end. */
typedef struct KeyWord
{
	const char *word; /* lower case */
	const char *kind; /* NULL: of one job alone, or of the experiment */
} KeyWord;

static const KeyWord key_words[] = {{"^source_unit.", NULL},
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
									{"turbo", "clock"},
									{"freq", "clock"},
									{"mhz", "clock"},
									{"clock", "clock"},
									{"power_cap", "clock"},
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

/* The different values of a key on a side; the caller frees the list. */
static const char **
values_of(const PhFacts *runs, size_t n_runs, const char *key, size_t *n)
{
	const char **values = ph_must_alloc(n_runs + 1, sizeof(*values));

	*n = 0;
	for (size_t i = 0; i < n_runs; i++)
	{
		const char *value = ph_facts_get(&runs[i], key);

		if (value != NULL)
			values[(*n)++] = value;
	}
	*n = sort_texts(values, *n);
	return values;
}

static char *
join_values(const char *const *values, size_t n)
{
	char *text = n > 0 ? ph_strdup(values[0]) : NULL;

	for (size_t i = 1; i < n; i++)
	{
		char *longer = ph_format("%s, %s", text, values[i]);

		free(text);
		text = longer;
	}
	return text;
}

static bool
have_common(const char *const *a, size_t n_a, const char *const *b, size_t n_b)
{
	for (size_t i = 0, k = 0; i < n_a && k < n_b;)
	{
		int order = strcmp(a[i], b[k]);

		if (order == 0)
			return true;
		i += order < 0;
		k += order > 0;
	}
	return false;
}

static void
compare_key(const PhFacts *a, size_t n_a, const PhFacts *b, size_t n_b, const char *key,
			PhEnvironment *out)
{
	size_t n_before, n_after;
	const char **before = values_of(a, n_a, key, &n_before);
	const char **after = values_of(b, n_b, key, &n_after);

	if (have_common(before, n_before, after, n_after))
		out->n_same++;
	else
	{
		out->changes = ph_must_resize(out->changes, out->n_changes + 1, sizeof(*out->changes));
		out->changes[out->n_changes++] = (PhEnvironmentChange){
			.kind = kind_of_key(key),
			.key = ph_strdup(key),
			.before = join_values(before, n_before),
			.after = join_values(after, n_after),
		};
	}
	free(before);
	free(after);
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
