/*
 * hpctoolkit4.c - see hpctoolkit4.h.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "support/hpctoolkit4.h"

#include <stdlib.h>
#include <string.h>

#define HEADER_SIZE 16
#define GARBAGE 0xa5

/* Scopes, in the order of the bits in H4Metric.scopes, and the types they have in the file. */
static const struct
{
	const char *name;
	uint8_t type;
} scopes[] = {{"execution", 2}, {"function", 3}, {"point", 1}, {"lex_aware", 0}};

#define N_SCOPES 4

static const char *const kinds[] = {"SUMMARY",	 "NODE",	   "RANK",		"THREAD",
									"GPUDEVICE", "GPUCONTEXT", "GPUSTREAM", "CORE"};

#define N_KINDS (sizeof(kinds) / sizeof(kinds[0]))

/* ---- bytes ---- */

/* Room at the end, filled with garbage; where it begins. */
static size_t
reserve(H4Bytes *bytes, size_t size)
{
	size_t at = bytes->size;
	if (bytes->capacity - at < size)
	{
		bytes->capacity = (at + size) * 2;
		bytes->data = realloc(bytes->data, bytes->capacity);
		if (bytes->data == NULL)
			abort();
	}
	memset(bytes->data + at, GARBAGE, size);
	bytes->size += size;
	return at;
}

/* The next structure begins at a multiple of 8. */
static void
align(H4Bytes *bytes)
{
	reserve(bytes, (8 - bytes->size % 8) % 8);
}

static void
put(H4Bytes *bytes, size_t at, uint64_t number, size_t size)
{
	for (size_t i = 0; i < size; i++)
		bytes->data[at + i] = (uint8_t) (number >> 8 * i);
}

static void
put_double(H4Bytes *bytes, size_t at, double value)
{
	uint64_t raw;
	memcpy(&raw, &value, sizeof(raw));
	put(bytes, at, raw, 8);
}

/* Append a string; where it is, 0 for none. */
static size_t
add_text(H4Bytes *bytes, const char *text)
{
	if (text == NULL)
		return 0;
	size_t size = strlen(text) + 1, at = reserve(bytes, size);
	memcpy(bytes->data + at, text, size);
	return at;
}

static void
begin_file(H4Bytes *bytes, const char *magic, uint32_t n_sections)
{
	reserve(bytes, HEADER_SIZE + 16 * (size_t) n_sections);
	memcpy(bytes->data, magic, strlen(magic));
	put(bytes, 14, 4, 1);
	put(bytes, 15, 0, 1);
}

static size_t
begin_section(H4Bytes *bytes, size_t header)
{
	align(bytes);
	return reserve(bytes, header);
}

/* The section from begin to the end of what was written. */
static void
end_section(H4Bytes *bytes, uint32_t number, size_t begin)
{
	put(bytes, HEADER_SIZE + 16 * (size_t) number, bytes->size - begin, 8);
	put(bytes, HEADER_SIZE + 16 * (size_t) number + 8, begin, 8);
}

static void
end_file(H4Bytes *bytes, const char *footer)
{
	align(bytes);
	size_t at = reserve(bytes, 8);
	memcpy(bytes->data + at, footer, 8);
}

/* ---- meta.db ---- */

typedef struct Meta
{
	const H4Model *model;
	H4Bytes bytes;
	size_t modules, files, functions; /* where elements are */
	size_t *names;					  /* of functions and entries, by context */
	size_t *children;				  /* per context: where its array is */
	size_t *n_bytes;				  /* per context: of that array */
} Meta;

static size_t
stride_of(const H4Model *model, size_t size)
{
	return size + model->wider;
}

static void
write_general(Meta *meta)
{
	H4Bytes *bytes = &meta->bytes;
	size_t at = begin_section(bytes, 16);
	put(bytes, at, add_text(bytes, meta->model->title), 8);
	put(bytes, at + 8, add_text(bytes, "TODO database description"), 8);
	end_section(bytes, 0, at);
}

static void
write_kinds(Meta *meta)
{
	H4Bytes *bytes = &meta->bytes;
	size_t at = begin_section(bytes, 16), list = reserve(bytes, 8 * N_KINDS);
	put(bytes, at, list, 8);
	put(bytes, at + 8, N_KINDS, 1);
	for (size_t i = 0; i < N_KINDS; i++)
		put(bytes, list + 8 * i, add_text(bytes, kinds[i]), 8);
	end_section(bytes, 1, at);
}

/* The id of a metric's values of a scope. */
static uint32_t
id_of(uint32_t metric, uint32_t scope)
{
	return metric * N_SCOPES + (N_SCOPES - 1 - scope);
}

/* The scopes of a metric as the draft has them: with their names. */
static size_t
write_draft_instances(Meta *meta, uint32_t metric, uint32_t *n)
{
	H4Bytes *bytes = &meta->bytes;
	size_t stride = 24;
	align(bytes);
	size_t at = reserve(bytes, stride * N_SCOPES);
	*n = 0;
	for (uint32_t i = 0; i < N_SCOPES; i++)
	{
		size_t to = at + stride * *n;
		if (!(meta->model->metrics[metric].scopes & 1U << i))
			continue;
		put(bytes, to, add_text(bytes, scopes[i].name), 8);
		put(bytes, to + 8, 0, 2);
		put(bytes, to + 10, id_of(metric, i), 2);
		++*n;
	}
	return at;
}

static size_t
write_instances(Meta *meta, uint32_t metric, size_t scope_list, uint32_t *n)
{
	H4Bytes *bytes = &meta->bytes;
	size_t stride = stride_of(meta->model, 16);
	align(bytes);
	size_t at = reserve(bytes, stride * N_SCOPES);
	*n = 0;
	for (uint32_t i = 0; i < N_SCOPES; i++)
	{
		size_t to = at + stride * *n;
		if (!(meta->model->metrics[metric].scopes & 1U << i))
			continue;
		put(bytes, to, scope_list + i * stride_of(meta->model, 16), 8);
		put(bytes, to + 8, id_of(metric, i), 2);
		++*n;
	}
	return at;
}

static size_t
write_scopes(Meta *meta)
{
	H4Bytes *bytes = &meta->bytes;
	size_t stride = stride_of(meta->model, 16), list = reserve(bytes, stride * N_SCOPES);
	for (size_t i = 0; i < N_SCOPES; i++)
	{
		put(bytes, list + stride * i, add_text(bytes, scopes[i].name), 8);
		put(bytes, list + stride * i + 8, scopes[i].type, 1);
		put(bytes, list + stride * i + 9, scopes[i].type == 3 ? 0 : 255, 1);
	}
	return list;
}

static void
write_draft_metrics(Meta *meta)
{
	H4Bytes *bytes = &meta->bytes;
	uint32_t count = meta->model->n_metrics;
	size_t at = begin_section(bytes, 16), list = reserve(bytes, 24 * (size_t) count);
	put(bytes, at, list, 8);
	put(bytes, at + 8, count, 4);
	put(bytes, at + 12, 24, 1);
	put(bytes, at + 13, 24, 1);
	put(bytes, at + 14, 16, 1);
	for (uint32_t i = 0; i < count; i++)
	{
		uint32_t n;
		size_t instances = write_draft_instances(meta, i, &n);
		put(bytes, list + 24 * (size_t) i, add_text(bytes, meta->model->metrics[i].name), 8);
		put(bytes, list + 24 * (size_t) i + 8, n, 2);
		put(bytes, list + 24 * (size_t) i + 16, instances, 8);
	}
	end_section(bytes, 2, at);
}

static void
write_metrics(Meta *meta)
{
	H4Bytes *bytes = &meta->bytes;
	const H4Model *model = meta->model;
	size_t stride = stride_of(model, 32), at = begin_section(bytes, 32);
	size_t list = reserve(bytes, stride * model->n_metrics), scope_list = write_scopes(meta);
	put(bytes, at, list, 8);
	put(bytes, at + 8, model->n_metrics, 4);
	put(bytes, at + 12, stride, 1);
	put(bytes, at + 13, stride_of(model, 16), 1);
	put(bytes, at + 14, stride_of(model, 24), 1);
	put(bytes, at + 16, scope_list, 8);
	put(bytes, at + 24, N_SCOPES, 2);
	put(bytes, at + 26, stride_of(model, 16), 1);
	for (uint32_t i = 0; i < model->n_metrics; i++)
	{
		uint32_t n;
		size_t to = list + stride * i, instances = write_instances(meta, i, scope_list, &n);
		put(bytes, to, add_text(bytes, model->metrics[i].name), 8);
		put(bytes, to + 8, instances, 8);
		put(bytes, to + 16, 0, 8);
		put(bytes, to + 24, n, 2);
		put(bytes, to + 26, 0, 2);
	}
	end_section(bytes, 2, at);
}

/* Modules or files: flags and a path each. */
static size_t
write_paths(Meta *meta, uint32_t section, uint32_t count, const size_t *texts)
{
	H4Bytes *bytes = &meta->bytes;
	size_t stride = stride_of(meta->model, 16), at = begin_section(bytes, 16);
	size_t list = reserve(bytes, stride * count);
	put(bytes, at, list, 8);
	put(bytes, at + 8, count, 4);
	put(bytes, at + 12, stride, 2);
	for (uint32_t i = 0; i < count; i++)
	{
		put(bytes, list + stride * i, 0, 4);
		put(bytes, list + stride * i + 8, texts[i], 8);
	}
	end_section(bytes, section, at);
	return list;
}

static size_t
element(size_t list, size_t stride, uint32_t index)
{
	return index == H4_NONE ? 0 : list + stride * index;
}

static void
write_functions(Meta *meta, const size_t *texts)
{
	H4Bytes *bytes = &meta->bytes;
	const H4Model *model = meta->model;
	size_t stride = stride_of(model, 40), at = begin_section(bytes, 16);
	meta->functions = reserve(bytes, stride * model->n_functions);
	put(bytes, at, meta->functions, 8);
	put(bytes, at + 8, model->n_functions, 4);
	put(bytes, at + 12, stride, 2);
	for (uint32_t i = 0; i < model->n_functions; i++)
	{
		const H4Function *function = &model->functions[i];
		size_t to = meta->functions + stride * i, path = stride_of(model, 16);
		put(bytes, to, texts[i], 8);
		put(bytes, to + 8, element(meta->modules, path, function->module), 8);
		put(bytes, to + 16, function->offset, 8);
		put(bytes, to + 24, element(meta->files, path, function->file), 8);
		put(bytes, to + 32, function->line, 4);
		put(bytes, to + 36, 0, 4);
	}
	end_section(bytes, 7, at);
}

/* All strings of the section of strings, and the tables that point to them. */
static void
write_tables(Meta *meta)
{
	H4Bytes *bytes = &meta->bytes;
	const H4Model *model = meta->model;
	size_t *texts =
		calloc((size_t) model->n_modules + model->n_files + model->n_functions + 1, sizeof(size_t));
	size_t *files = texts + model->n_modules, *functions = files + model->n_files;
	size_t at = begin_section(bytes, 1);
	for (uint32_t i = 0; i < model->n_modules; i++)
		texts[i] = add_text(bytes, model->modules[i]);
	for (uint32_t i = 0; i < model->n_files; i++)
		files[i] = add_text(bytes, model->files[i]);
	for (uint32_t i = 0; i < model->n_functions; i++)
		functions[i] = add_text(bytes, model->functions[i].name);
	for (uint32_t i = 0; i < model->n_contexts; i++)
		meta->names[i] = add_text(bytes, model->contexts[i].name);
	end_section(bytes, 4, at);
	meta->modules = write_paths(meta, 5, model->n_modules, texts);
	meta->files = write_paths(meta, 6, model->n_files, files);
	write_functions(meta, functions);
	free(texts);
}

/* ---- contexts ---- */

static unsigned
flags_of(const H4Context *context)
{
	return (context->function != H4_NONE ? 1U : 0) | (context->file != H4_NONE ? 2U : 0) |
		   (context->module != H4_NONE ? 4U : 0);
}

static size_t
words_of(unsigned flags)
{
	return (flags & 1 ? 1 : 0) + (flags & 2 ? 2 : 0) + (flags & 4 ? 2 : 0);
}

static size_t
context_head(const H4Model *model)
{
	return model->is_draft ? 24 : 32;
}

static size_t
context_size(const H4Model *model, const H4Context *context)
{
	return context_head(model) + 8 * words_of(flags_of(context));
}

static void
write_words(Meta *meta, size_t at, const H4Context *context)
{
	H4Bytes *bytes = &meta->bytes;
	size_t path = stride_of(meta->model, 16);
	if (context->function != H4_NONE)
	{
		put(bytes, at, element(meta->functions, stride_of(meta->model, 40), context->function), 8);
		at += 8;
	}
	if (context->file != H4_NONE)
	{
		put(bytes, at, element(meta->files, path, context->file), 8);
		put(bytes, at + 8, context->line, 4);
		at += 16;
	}
	if (context->module != H4_NONE)
	{
		put(bytes, at, element(meta->modules, path, context->module), 8);
		put(bytes, at + 8, context->offset, 8);
	}
}

static void
write_context(Meta *meta, size_t at, uint32_t index)
{
	H4Bytes *bytes = &meta->bytes;
	const H4Context *context = &meta->model->contexts[index];
	unsigned flags = flags_of(context);
	put(bytes, at, meta->n_bytes[index], 8);
	put(bytes, at + 8, meta->children[index], 8);
	put(bytes, at + 16, context->id, 4);
	put(bytes, at + 20, flags, 1);
	put(bytes, at + 21, context->relation, 1);
	put(bytes, at + 22, context->lexical == H4_ENTRY ? H4_FUNCTION : context->lexical, 1);
	put(bytes, at + 23, words_of(flags), 1);
	if (!meta->model->is_draft)
		put(bytes, at + 24, context->relation == H4_LEXICAL, 2);
	write_words(meta, at + context_head(meta->model), context);
}

static void
write_entry(Meta *meta, size_t at, uint32_t index)
{
	H4Bytes *bytes = &meta->bytes;
	put(bytes, at, meta->n_bytes[index], 8);
	put(bytes, at + 8, meta->children[index], 8);
	put(bytes, at + 16, meta->model->contexts[index].id, 4);
	put(bytes, at + 20, 1, 2);
	put(bytes, at + 24, meta->names[index], 8);
}

static bool
is_child(const H4Context *context, uint32_t parent)
{
	return context->parent == parent && !context->is_elided;
}

/* Where the children of each context go; first and next link them, parents before children. */
static void
lay_out(Meta *meta, uint32_t *next, uint32_t *first)
{
	const H4Model *model = meta->model;
	for (uint32_t i = 0; i < model->n_contexts; i++)
		first[i] = H4_NONE;
	for (uint32_t i = model->n_contexts; i-- > 0;)
	{
		const H4Context *context = &model->contexts[i];
		if (context->parent == H4_NONE || context->is_elided)
			continue;
		next[i] = first[context->parent];
		first[context->parent] = i;
		meta->n_bytes[context->parent] += context_size(model, context);
	}
	for (uint32_t i = 0; i < model->n_contexts; i++)
		meta->children[i] = meta->n_bytes[i] > 0 ? reserve(&meta->bytes, meta->n_bytes[i]) : 0;
}

static void
write_children(Meta *meta, const uint32_t *next, const uint32_t *first)
{
	const H4Model *model = meta->model;
	for (uint32_t i = 0; i < model->n_contexts; i++)
	{
		size_t at = meta->children[i];
		for (uint32_t child = first[i]; child != H4_NONE; child = next[child])
		{
			write_context(meta, at, child);
			at += context_size(model, &model->contexts[child]);
		}
	}
}

/* Entry points; roots, which are contexts, in the draft. */
static void
write_roots(Meta *meta, size_t header)
{
	H4Bytes *bytes = &meta->bytes;
	const H4Model *model = meta->model;
	size_t stride = stride_of(model, 32), begin = bytes->size, n = 0;
	for (uint32_t i = 0; i < model->n_contexts; i++)
	{
		if (!is_child(&model->contexts[i], H4_NONE))
			continue;
		n++;
		if (model->is_draft)
			write_context(meta, reserve(bytes, context_size(model, &model->contexts[i])), i);
		else
			write_entry(meta, reserve(bytes, stride), i);
	}
	put(bytes, header, model->is_draft ? bytes->size - begin : begin, 8);
	put(bytes, header + 8, model->is_draft ? begin : n, model->is_draft ? 8 : 2);
	if (!model->is_draft)
		put(bytes, header + 10, stride, 1);
}

static void
write_contexts(Meta *meta)
{
	const H4Model *model = meta->model;
	uint32_t *next = calloc(model->n_contexts + 1, sizeof(uint32_t));
	uint32_t *first = calloc(model->n_contexts + 1, sizeof(uint32_t));
	size_t at = begin_section(&meta->bytes, 16);
	lay_out(meta, next, first);
	write_roots(meta, at);
	write_children(meta, next, first);
	end_section(&meta->bytes, 3, at);
	free(next);
	free(first);
}

H4Bytes
h4_write_meta(const H4Model *model)
{
	Meta meta = {.model = model};
	meta.names = calloc(model->n_contexts + 1, sizeof(size_t));
	meta.children = calloc(model->n_contexts + 1, sizeof(size_t));
	meta.n_bytes = calloc(model->n_contexts + 1, sizeof(size_t));
	begin_file(&meta.bytes, "HPCTOOLKITmeta", 8);
	write_general(&meta);
	write_kinds(&meta);
	if (model->is_draft)
		write_draft_metrics(&meta);
	else
		write_metrics(&meta);
	write_tables(&meta);
	write_contexts(&meta);
	end_file(&meta.bytes, "_meta.db");
	free(meta.names);
	free(meta.children);
	free(meta.n_bytes);
	return meta.bytes;
}

/* ---- profile.db ---- */

typedef struct Info
{
	size_t n_values, values_at, index_at, tuple;
	uint32_t n_contexts;
} Info;

struct H4Profiles
{
	const H4Model *model;
	H4Bytes bytes, tuples; /* tuples: from the begin of their section on */
	Info *infos;
	uint32_t n, capacity;
	uint32_t *order; /* contexts by id */
	double *sums;	 /* [scope][context][metric] of the profile that is written */
};

static int
compare_ids(const void *x, const void *y, void *contexts)
{
	uint32_t a = ((const H4Context *) contexts)[*(const uint32_t *) x].id;
	uint32_t b = ((const H4Context *) contexts)[*(const uint32_t *) y].id;
	return (a > b) - (a < b);
}

static size_t
n_sums(const H4Model *model)
{
	return (size_t) model->n_contexts * model->n_metrics;
}

static void
add_info(H4Profiles *profiles, Info info)
{
	if (profiles->n == profiles->capacity)
	{
		profiles->capacity = 2 * profiles->capacity + 16;
		profiles->infos = realloc(profiles->infos, profiles->capacity * sizeof(Info));
	}
	profiles->infos[profiles->n++] = info;
}

H4Profiles *
h4_begin_profiles(const H4Model *model)
{
	H4Profiles *profiles = calloc(1, sizeof(*profiles));
	profiles->model = model;
	begin_file(&profiles->bytes, "HPCTOOLKITprof", 2);
	profiles->order = calloc(model->n_contexts + 1, sizeof(uint32_t));
	profiles->sums = calloc(N_SCOPES * n_sums(model) + 1, sizeof(double));
	for (uint32_t i = 0; i < model->n_contexts; i++)
		profiles->order[i] = i;
	qsort_r(profiles->order, model->n_contexts, sizeof(uint32_t), compare_ids,
			(void *) model->contexts);
	add_info(profiles, (Info){0}); /* the summary, which nobody reads */
	return profiles;
}

/* A value of context 0, and of each context: what all below it cost, what all below it in one
 * function does, and what it does itself. Callers come before callees. */
static void
sum_up(H4Profiles *profiles, const H4Cost *costs, uint32_t n_costs)
{
	const H4Model *model = profiles->model;
	size_t width = model->n_metrics, n = n_sums(model);
	double *sums = profiles->sums;
	memset(sums, 0, N_SCOPES * n * sizeof(double));
	for (uint32_t i = 0; i < n_costs; i++)
		for (uint32_t scope = 0; scope < N_SCOPES; scope++)
			sums[scope * n + costs[i].context * width + costs[i].metric] += costs[i].own;
	for (uint32_t i = model->n_contexts; i-- > 0;)
	{
		const H4Context *context = &model->contexts[i];
		bool is_lexical = context->relation == H4_LEXICAL;
		for (size_t k = 0; context->parent != H4_NONE && k < width; k++)
		{
			size_t from = i * width + k, to = context->parent * width + k;
			sums[to] += sums[from];
			sums[n + to] += is_lexical ? sums[n + from] : 0;
			sums[3 * n + to] += is_lexical ? sums[3 * n + from] : 0;
		}
	}
}

static void
add_index(H4Bytes *index, uint32_t id, size_t first)
{
	size_t at = reserve(index, 12);
	put(index, at, id, 4);
	put(index, at + 4, first, 8);
}

static size_t
add_value(H4Bytes *bytes, uint32_t id, double value)
{
	size_t at = reserve(bytes, 10);
	put(bytes, at, id, 2);
	put_double(bytes, at + 2, value);
	return 1;
}

/* Values of one context in ascending order of ids; how many. */
static size_t
add_values(H4Profiles *profiles, uint32_t context)
{
	const H4Model *model = profiles->model;
	size_t count = 0, n = n_sums(model);
	for (uint32_t metric = 0; metric < model->n_metrics; metric++)
		for (uint32_t scope = N_SCOPES; scope-- > 0;)
		{
			double value = profiles->sums[scope * n + (size_t) context * model->n_metrics + metric];
			if (value != 0 && model->metrics[metric].scopes & 1U << scope)
				count += add_value(&profiles->bytes, id_of(metric, scope), value);
		}
	return count;
}

/* The whole profile: the sum over all that has no parent. */
static size_t
add_totals(H4Profiles *profiles)
{
	const H4Model *model = profiles->model;
	size_t count = 0;
	for (uint32_t metric = 0; metric < model->n_metrics; metric++)
	{
		double total = 0;
		for (uint32_t i = 0; i < model->n_contexts; i++)
			if (model->contexts[i].parent == H4_NONE)
				total += profiles->sums[(size_t) i * model->n_metrics + metric];
		if (total != 0 && model->metrics[metric].scopes & H4_HAS_EXECUTION)
			count += add_value(&profiles->bytes, id_of(metric, 0), total);
	}
	return count;
}

static size_t
add_tuple(H4Bytes *tuples, const H4Identifier *identifiers, uint32_t n)
{
	size_t at = reserve(tuples, 8);
	put(tuples, at, n, 2);
	for (uint32_t i = 0; i < n; i++)
	{
		size_t to = reserve(tuples, 16);
		bool is_physical = identifiers[i].kind == H4_NODE;
		put(tuples, to, identifiers[i].kind, 1);
		put(tuples, to + 2, is_physical, 2);
		put(tuples, to + 4, is_physical ? 0 : identifiers[i].number, 4);
		put(tuples, to + 8, identifiers[i].number, 8);
	}
	return at;
}

void
h4_add_profile(H4Profiles *profiles, const H4Identifier *identifiers, uint32_t n_identifiers,
			   const H4Cost *costs, uint32_t n_costs)
{
	H4Bytes *bytes = &profiles->bytes, index = {0};
	const H4Model *model = profiles->model;
	Info info = {.values_at = bytes->size};
	sum_up(profiles, costs, n_costs);
	info.n_values = add_totals(profiles);
	if (info.n_values > 0)
		add_index(&index, 0, 0);
	for (uint32_t i = 0; i < model->n_contexts; i++)
	{
		size_t n = add_values(profiles, profiles->order[i]);
		if (n > 0)
			add_index(&index, model->contexts[profiles->order[i]].id, info.n_values);
		info.n_values += n;
	}
	info.n_contexts = (uint32_t) (index.size / 12);
	align(bytes);
	info.index_at = reserve(bytes, index.size);
	if (index.size > 0)
		memcpy(bytes->data + info.index_at, index.data, index.size);
	free(index.data);
	info.tuple = 1 + add_tuple(&profiles->tuples, identifiers, n_identifiers);
	add_info(profiles, info);
}

static void
write_infos(H4Profiles *profiles, size_t tuples_at)
{
	H4Bytes *bytes = &profiles->bytes;
	bool is_draft = profiles->model->is_draft;
	size_t stride = is_draft ? 40 : stride_of(profiles->model, 48), at = begin_section(bytes, 16);
	size_t list = reserve(bytes, stride * profiles->n);
	put(bytes, at, list, 8);
	put(bytes, at + 8, profiles->n, 4);
	put(bytes, at + 12, stride, 1);
	for (uint32_t i = 0; i < profiles->n; i++)
	{
		const Info *info = &profiles->infos[i];
		size_t to = list + stride * i;
		put(bytes, to, info->n_values, 8);
		put(bytes, to + 8, info->values_at, 8);
		put(bytes, to + 16, info->n_contexts, 4);
		put(bytes, to + 24, info->index_at, 8);
		put(bytes, to + 32, info->tuple == 0 ? 0 : tuples_at + info->tuple - 1, 8);
		if (!is_draft)
			put(bytes, to + 40, i == 0, 4);
	}
	end_section(bytes, 0, at);
}

H4Bytes
h4_end_profiles(H4Profiles *profiles)
{
	H4Bytes *bytes = &profiles->bytes;
	size_t at = begin_section(bytes, profiles->tuples.size);
	if (profiles->tuples.size > 0)
		memcpy(bytes->data + at, profiles->tuples.data, profiles->tuples.size);
	end_section(bytes, 1, at);
	write_infos(profiles, at);
	end_file(bytes, "_prof.db");
	H4Bytes done = *bytes;
	free(profiles->tuples.data);
	free(profiles->infos);
	free(profiles->order);
	free(profiles->sums);
	free(profiles);
	return done;
}
