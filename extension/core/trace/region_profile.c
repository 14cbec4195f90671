/*
 * region_profile.c - see region_profile.h.
 *
 * A cell for each region, and one for the time outside of all calls, which nobody asks for but
 * which spares a test. Inclusive time is that of the region's outermost calls.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "trace/region_profile.h"

#include <string.h>

#include "base/bytes.h"
#include "base/vector.h"
#include "trace/chunk/codec.h"

#define OUTSIDE 0 /* the cell of no region; region r has cell r + 1 */
#define BYTES_FORMAT 1
#define HEAD_BYTES 5
#define ROW_BYTES 28
#define FIRST_CELLS 256

typedef struct Cell
{
	uint64_t calls, inclusive, exclusive;
	bool is_open; /* a call of the region is, in the chunk at hand */
} Cell;

/* A call that is open, as far as the chunk and the window go. */
typedef struct Frame
{
	uint32_t cell;
	bool is_inner; /* a call of the region is open around it */
	int64_t enter;
	int64_t callees; /* what finished ones took */
} Frame;

struct PhRegionProfile
{
	PhEnv *env;
	uint32_t n_cells; /* all that there is room for */
	Cell *cells;
	PH_VECTOR(Frame) stack;
	PH_VECTOR(PhRegionTotals) rows;
	PhBuffer bytes;
};

/* A chunk on its way through the kernel. */
typedef struct Walk
{
	Cell *cells;
	Frame *stack; /* the open calls, on top of OUTSIDE */
	const uint8_t *kinds;
	const int64_t *times;
	const uint32_t *regions;
	uint32_t n_events;
	int64_t t_prev, t_last;
	int64_t from, to;
} Walk;

PhStatus
ph_region_profile_new(PhEnv *env, PhRegionProfile **out)
{
	PhRegionProfile *profile;
	PH_TRY(ph_env_alloc(env, 1, sizeof(*profile), (void **) &profile));
	profile->env = env;
	*out = profile;
	return PH_OK;
}

void
ph_region_profile_free(PhRegionProfile *profile)
{
	if (profile == NULL)
		return;
	PhEnv *env = profile->env;
	ph_env_free(env, profile->cells, profile->n_cells, sizeof(Cell));
	PH_VECTOR_FREE(env, &profile->stack);
	PH_VECTOR_FREE(env, &profile->rows);
	ph_buffer_free(env, &profile->bytes);
	ph_env_free(env, profile, 1, sizeof(*profile));
}

void
ph_region_profile_reset(PhRegionProfile *profile)
{
	if (profile->n_cells > 0)
		memset(profile->cells, 0, profile->n_cells * sizeof(Cell));
}

/* Cells for regions up to highest. */
static PhStatus
reserve_cells(PhRegionProfile *profile, uint32_t highest)
{
	uint32_t n = profile->n_cells == 0 ? FIRST_CELLS : profile->n_cells;
	while (n < highest + 2)
		n *= 2;
	if (n == profile->n_cells)
		return PH_OK;
	PH_TRY(
		ph_env_resize(profile->env, (void **) &profile->cells, profile->n_cells, n, sizeof(Cell)));
	memset(profile->cells + profile->n_cells, 0, (n - profile->n_cells) * sizeof(Cell));
	profile->n_cells = n;
	return PH_OK;
}

static inline int64_t
clip(const Walk *walk, int64_t time)
{
	return time < walk->from ? walk->from : time > walk->to ? walk->to : time;
}

/* The window begins here: the calls that are open belong to it. */
static void
count_open_calls(Walk *walk, const Frame *top)
{
	for (const Frame *frame = walk->stack + 1; frame <= top; frame++)
		walk->cells[frame->cell].calls++;
}

static inline Cell *
open_call(Cell *cells, Frame *frame, uint32_t region, int64_t time)
{
	Cell *cell = &cells[region + 1];
	frame->cell = region + 1;
	frame->is_inner = cell->is_open;
	frame->enter = time;
	cell->is_open = true;
	return cell;
}

/* Returns what the call took. */
static inline int64_t
close_call(Cell *cells, const Frame *frame, int64_t time, int64_t callees)
{
	Cell *cell = &cells[frame->cell];
	int64_t took = time - frame->enter;
	cell->exclusive += (uint64_t) (took - callees);
	if (!frame->is_inner)
	{
		cell->inclusive += (uint64_t) took;
		cell->is_open = false;
	}
	return took;
}

/*
 * Returns the innermost call open at the end. The compiler makes two of it, with clip and without.
 * What the callees of the innermost call took is at hand, that of those around it in their frames.
 */
static inline __attribute__((always_inline)) Frame *
walk_events(Walk *walk, Frame *top, bool clipped)
{
	Cell *cells = walk->cells;
	const uint32_t *region = walk->regions;
	int64_t callees = 0;
	bool begins = clipped && walk->t_prev < walk->from;
	for (uint32_t i = 0; i < walk->n_events; i++)
	{
		int64_t time = walk->times[i];
		if (begins && time >= walk->from)
		{
			count_open_calls(walk, top);
			begins = false;
		}
		if (walk->kinds[i] > PH_EVENT_LEAVE)
			continue;
		bool counts = !clipped || (time >= walk->from && time < walk->to);
		time = clipped ? clip(walk, time) : time;
		if (walk->kinds[i] == PH_EVENT_ENTER)
		{
			top->callees = callees;
			callees = 0;
			open_call(cells, ++top, *region++, time)->calls += counts;
		}
		else
		{
			int64_t took = close_call(cells, top, time, callees);
			callees = (--top)->callees + took;
		}
	}
	top->callees = callees;
	return top;
}

static void
walk_chunk(Walk *walk, const PhOpenCall *open, uint32_t depth)
{
	bool clipped = walk->t_prev < walk->from || walk->t_last >= walk->to;
	int64_t first = clip(walk, walk->t_prev), last = clip(walk, walk->t_last);
	Frame *top = walk->stack;
	*top = (Frame){.cell = OUTSIDE, .enter = first};
	for (uint32_t i = 0; i < depth; i++)
	{
		open_call(walk->cells, ++top, open[i].region, first);
		top->callees = 0;
	}
	top = clipped ? walk_events(walk, top, true) : walk_events(walk, top, false);
	for (; top > walk->stack; top--)
		top[-1].callees += close_call(walk->cells, top, last, top->callees);
}

PhStatus
ph_region_profile_add_chunk(PhRegionProfile *profile, const PhChunk *chunk,
							const PhChunkReader *reader, int64_t from, int64_t to)
{
	uint32_t depth;
	const PhOpenCall *stack = ph_chunk_stack(reader, &depth);
	const uint32_t *regions = ph_chunk_enter_regions(reader);
	if (from >= to)
		return PH_OK;
	size_t most = (size_t) depth + chunk->n_enter + 1;
	PH_TRY(reserve_cells(profile, ph_chunk_region_bits(reader)));
	PH_TRY(PH_RESERVE(profile->env, &profile->stack, most));
	Walk walk = {.cells = profile->cells,
				 .stack = profile->stack.items,
				 .kinds = ph_chunk_kinds(reader),
				 .times = ph_chunk_times(reader),
				 .regions = regions,
				 .n_events = chunk->n_events,
				 .t_prev = chunk->t_prev,
				 .t_last = chunk->t_last,
				 .from = from,
				 .to = to};
	walk_chunk(&walk, stack, depth);
	return PH_OK;
}

static bool
occurs(const Cell *cell)
{
	return cell->calls != 0 || cell->inclusive != 0 || cell->exclusive != 0;
}

static uint32_t
count_rows(const PhRegionProfile *profile)
{
	uint32_t n = 0;
	for (uint32_t i = OUTSIDE + 1; i < profile->n_cells; i++)
		n += occurs(&profile->cells[i]);
	return n;
}

PhStatus
ph_region_profile_rows(PhRegionProfile *profile, const PhRegionTotals **rows, uint32_t *n)
{
	uint32_t n_rows = count_rows(profile);
	PH_TRY(PH_RESERVE(profile->env, &profile->rows, (size_t) n_rows + 1));
	PhRegionTotals *row = profile->rows.items;
	*rows = row;
	*n = n_rows;
	for (uint32_t i = OUTSIDE + 1; i < profile->n_cells; i++)
	{
		const Cell *cell = &profile->cells[i];
		if (occurs(cell))
			*row++ = (PhRegionTotals){i - 1, cell->calls, (int64_t) cell->inclusive,
									  (int64_t) cell->exclusive};
	}
	return PH_OK;
}

PhStatus
ph_region_profile_bytes(PhRegionProfile *profile, PhBytes *out)
{
	const PhRegionTotals *rows;
	uint32_t n;
	PH_TRY(ph_region_profile_rows(profile, &rows, &n));
	size_t size = HEAD_BYTES + (size_t) n * ROW_BYTES;
	PH_TRY(ph_buffer_reserve(profile->env, &profile->bytes, size));
	PhByteWriter writer = {profile->bytes.data};
	ph_put(&writer, BYTES_FORMAT, 1);
	ph_put(&writer, n, 4);
	for (uint32_t i = 0; i < n; i++)
	{
		ph_put(&writer, rows[i].region, 4);
		ph_put(&writer, rows[i].calls, 8);
		ph_put(&writer, (uint64_t) rows[i].inclusive, 8);
		ph_put(&writer, (uint64_t) rows[i].exclusive, 8);
	}
	*out = (PhBytes){profile->bytes.data, size};
	return PH_OK;
}

/* One profile's rows: regions ascend and are in range. */
static bool
add_rows(PhRegionProfile *profile, PhByteReader *reader, uint32_t n)
{
	uint32_t least = 0;
	for (uint32_t i = 0; i < n; i++)
	{
		uint32_t region = ph_get_u32(reader);
		if (region < least || region >= profile->n_cells - 1)
			return false;
		Cell *cell = &profile->cells[region + 1];
		cell->calls += ph_get(reader, 8);
		cell->inclusive += ph_get(reader, 8);
		cell->exclusive += ph_get(reader, 8);
		least = region + 1;
	}
	return true;
}

/* The last region of n rows at the reader; PH_NONE when there are not so many. */
static uint32_t
last_region(const PhByteReader *reader, uint32_t n)
{
	if (reader->bad || n == 0 || ph_left(reader) / ROW_BYTES < n)
		return n == 0 && !reader->bad ? 0 : PH_NONE;
	PhByteReader last = *reader;
	ph_take(&last, (size_t) (n - 1) * ROW_BYTES);
	return ph_get_u32(&last);
}

PhStatus
ph_region_profile_add_bytes(PhRegionProfile *profile, PhBytes bytes)
{
	PhByteReader reader = {bytes.data, bytes.data, bytes.data + bytes.size, bytes.size == 0};
	bool good = !reader.bad;
	while (good && ph_left(&reader) > 0)
	{
		bool known = ph_get(&reader, 1) == BYTES_FORMAT;
		uint32_t n = ph_get_u32(&reader), highest = last_region(&reader, n);
		good = known && highest < PH_CHUNK_MAX_REGION;
		if (good)
			PH_TRY(reserve_cells(profile, highest));
		good = good && add_rows(profile, &reader, n);
	}
	return good ? PH_OK
				: ph_fail(profile->env, PH_ERR_FORMAT,
						  "these are not the bytes of a region profile");
}
