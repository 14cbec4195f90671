/*
 * spans.c - see spans.h.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "replay/spans.h"

#include <string.h>

#include "base/short_name.h"
#include "base/vector.h"

typedef PH_VECTOR(PhCallSpan) SpanVector;

/* What is asked for. */
typedef struct Target
{
	const char *path; /* callers as well: "main/solve"; NULL: the region alone decides */
	size_t length;
	bool is_plain;		 /* its names are those of functions without their parameters */
	SpanVector spans;	 /* of all locations, one after the other */
	uint32_t *first, *n; /* by location */
	uint32_t depth;		 /* of the outermost call that is open; 0: none is */
} Target;

struct PhSpans
{
	PhEnv *env;
	PhArena arena;
	const PhTraceModel *model;
	uint32_t *marks;	/* by region: a bit a target */
	const char **plain; /* by region: its name without parameters; NULL: nobody asked for one */
	uint32_t n_targets;
	Target targets[PH_MOST_SPAN_TARGETS];
	uint32_t at, depth; /* location at hand, PH_NONE; its open calls */
	int64_t last_time;
};

PhStatus
ph_spans_new(PhEnv *env, const PhTraceModel *model, PhSpans **out)
{
	void *memory;
	PH_TRY(ph_env_alloc(env, 1, sizeof(PhSpans), &memory));
	PhSpans *spans = memory;
	spans->env = env;
	spans->model = model;
	spans->at = PH_NONE;
	ph_arena_init(&spans->arena, env);
	PhStatus status = PH_NEW(&spans->arena, model->n_regions, &spans->marks);
	if (status != PH_OK)
		ph_spans_free(spans);
	else
		*out = spans;
	return status;
}

void
ph_spans_free(PhSpans *spans)
{
	if (spans == NULL)
		return;
	PhEnv *env = spans->env;
	for (uint32_t i = 0; i < spans->n_targets; i++)
		PH_VECTOR_FREE(env, &spans->targets[i].spans);
	ph_arena_drop(&spans->arena);
	ph_env_free(env, spans, 1, sizeof(PhSpans));
}

const PhTraceModel *
ph_spans_model(const PhSpans *spans)
{
	return spans->model;
}

PhEnv *
ph_spans_env(const PhSpans *spans)
{
	return spans->env;
}

uint32_t
ph_spans_count(const PhSpans *spans)
{
	return spans->n_targets;
}

/* ---- what is asked for ---- */

static PhStatus
add_target(PhSpans *spans, uint32_t *target)
{
	if (spans->n_targets == PH_MOST_SPAN_TARGETS)
		return ph_fail(spans->env, PH_ERR_LIMIT, "at most %d functions are looked for at once",
					   PH_MOST_SPAN_TARGETS);
	Target *added = &spans->targets[spans->n_targets];
	PH_TRY(PH_NEW(&spans->arena, spans->model->n_locations, &added->first));
	PH_TRY(PH_NEW(&spans->arena, spans->model->n_locations, &added->n));
	*target = spans->n_targets++;
	return PH_OK;
}

PhStatus
ph_spans_want_regions(PhSpans *spans, const bool *regions, uint32_t *target)
{
	PH_TRY(add_target(spans, target));
	for (uint32_t i = 0; i < spans->model->n_regions; i++)
		spans->marks[i] |= regions[i] ? UINT32_C(1) << *target : 0;
	return PH_OK;
}

/* What comes after "…/" or ".../", which say that there may be callers. */
static const char *
skip_ellipsis(const char *path)
{
	static const char *const ellipses[] = {"\xe2\x80\xa6/", ".../"};
	for (int i = 0; i < 2; i++)
		if (strncmp(path, ellipses[i], strlen(ellipses[i])) == 0)
			return path + strlen(ellipses[i]);
	return path;
}

/* Does the path end with this name, which is all of it or follows a '/'? Its length then, or 0. */
static size_t
ends_with(const char *path, size_t length, const char *name)
{
	size_t n = strlen(name);
	if (n == 0 || n > length || memcmp(path + length - n, name, n) != 0)
		return 0;
	return n == length || path[length - n - 1] == '/' ? n : 0;
}

static PhStatus
make_plain_names(PhSpans *spans)
{
	PH_TRY(PH_NEW(&spans->arena, spans->model->n_regions, &spans->plain));
	for (uint32_t i = 0; i < spans->model->n_regions; i++)
	{
		const char *name = spans->model->regions[i].name;
		char *copy;
		PH_TRY(ph_arena_strndup(&spans->arena, name, strlen(name), &copy));
		copy[ph_without_parameters(copy, strlen(copy), copy)] = '\0';
		spans->plain[i] = copy;
	}
	return PH_OK;
}

static const char *
name_of(const PhSpans *spans, const Target *target, uint32_t region)
{
	return target->is_plain ? spans->plain[region] : spans->model->regions[region].name;
}

/* Returns whether the path ends with any region. */
static bool
mark_regions(PhSpans *spans, uint32_t target)
{
	const Target *wanted = &spans->targets[target];
	bool found = false;
	for (uint32_t i = 0; i < spans->model->n_regions; i++)
	{
		if (ends_with(wanted->path, wanted->length, name_of(spans, wanted, i)) == 0)
			continue;
		spans->marks[i] |= UINT32_C(1) << target;
		found = true;
	}
	return found;
}

PhStatus
ph_spans_want_path(PhSpans *spans, const char *path, uint32_t *target, bool *found)
{
	char *copy;
	path = skip_ellipsis(path);
	PH_TRY(ph_arena_strndup(&spans->arena, path, strlen(path), &copy));
	PH_TRY(add_target(spans, target));
	Target *added = &spans->targets[*target];
	added->path = copy;
	added->length = strlen(copy);
	*found = mark_regions(spans, *target);
	if (*found)
		return PH_OK;
	if (spans->plain == NULL)
		PH_TRY(make_plain_names(spans));
	added->is_plain = true;
	*found = mark_regions(spans, *target);
	return PH_OK;
}

/* ---- adding ---- */

/* Are the innermost calls those of the path? Names may have slashes in them. */
static bool
is_on_path(const PhSpans *spans, const Target *target, const PhOpenCall *calls, uint32_t depth)
{
	size_t left = target->length;
	if (target->path == NULL)
		return true;
	for (uint32_t i = depth; i-- > 0;)
	{
		size_t n = calls[i].region < spans->model->n_regions
					   ? ends_with(target->path, left, name_of(spans, target, calls[i].region))
					   : 0;
		if (n == 0)
			return false;
		if (n == left)
			return true;
		left -= n + 1;
	}
	return false;
}

static PhStatus
enter_call(PhSpans *spans, uint32_t location, const PhEvent *event, const PhOpenCall *calls,
		   uint32_t depth)
{
	if (event->region >= spans->model->n_regions)
		return PH_OK;
	for (uint32_t left = spans->marks[event->region]; left != 0; left &= left - 1)
	{
		Target *target = &spans->targets[__builtin_ctz(left)];
		if (target->depth != 0 || !is_on_path(spans, target, calls, depth))
			continue;
		PH_TRY(PH_ROOM(spans->env, &target->spans));
		if (target->n[location]++ == 0)
			target->first[location] = target->spans.count;
		target->spans.items[target->spans.count++] = (PhCallSpan){event->time, event->time};
		target->depth = spans->depth;
	}
	return PH_OK;
}

static void
leave_call(PhSpans *spans, int64_t time)
{
	for (uint32_t i = 0; i < spans->n_targets; i++)
	{
		Target *target = &spans->targets[i];
		if (target->depth == 0 || target->depth < spans->depth)
			continue;
		target->spans.items[target->spans.count - 1].to = time;
		target->depth = 0;
	}
}

/* Another location comes: what is open in the one before ends with it. */
static void
end_location(PhSpans *spans)
{
	spans->depth = 0;
	leave_call(spans, spans->last_time);
}

PhStatus
ph_spans_add_event(PhSpans *spans, uint32_t location, const PhEvent *event, const PhOpenCall *calls,
				   uint32_t depth)
{
	if (location >= spans->model->n_locations)
		return ph_fail(spans->env, PH_ERR_VALUE, "the trace has no location %u", location);
	if (spans->at != location)
		end_location(spans);
	spans->at = location;
	spans->last_time = event->time;
	if (event->kind == PH_EVENT_ENTER)
	{
		spans->depth++;
		return enter_call(spans, location, event, calls, depth);
	}
	if (event->kind == PH_EVENT_LEAVE && spans->depth > 0)
	{
		leave_call(spans, event->time);
		spans->depth--;
	}
	return PH_OK;
}

PhStatus
ph_spans_add_chunk(PhSpans *spans, const PhChunk *chunk, PhChunkReader *reader)
{
	PhEvent event;
	while (ph_chunk_next(reader, &event))
	{
		const PhOpenCall *calls = NULL;
		uint32_t depth = 0;
		PH_TRY(ph_env_poll(spans->env));
		if (event.kind == PH_EVENT_ENTER)
			calls = ph_chunk_open_calls(reader, &depth);
		PH_TRY(ph_spans_add_event(spans, chunk->location, &event, calls, depth));
	}
	return PH_OK;
}

void
ph_spans_finish(PhSpans *spans)
{
	end_location(spans);
}

PhCallSpans
ph_spans_of(const PhSpans *spans, uint32_t target, uint32_t location)
{
	const Target *of = &spans->targets[target];
	return (PhCallSpans){of->n[location] == 0 ? NULL : of->spans.items + of->first[location],
						 of->n[location]};
}
