/*
 * value_block_write.c - blocks of a profile's values, from its last node to its first.
 *
 * Of the two vectors of a row the smaller one is kept from which the other follows bit by bit. The
 * order lets the writer know of every child whether its inclusive values are there: a node for
 * whose ranks too many other rows would have to be read keeps both.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "base/crc32c.h"
#include "base/min_max.h"
#include "profile/internal.h"
#include "stored/block_layout.h"
#include "stored/children.h"
#include "stored/numbers.h"

#define MOST_NEEDED 64 /* other rows that are read for one node's two vectors */
#define RUN_BYTES 6	   /* of a gap and a length, at most */

/* One of the two vectors of a row: its cells side by side, and packed. */
typedef struct Vector
{
	double *room; /* for rows whose cells do not lie side by side */
	const double *values;
	PhNumberForm form; /* of the last one, which the next one tries first */
	uint8_t *packed;
	size_t size;
} Vector;

typedef struct Buffer
{
	uint8_t *data;
	size_t size, capacity;
} Buffer;

struct PhBlockWriter
{
	PhEnv *env;
	const PhProfile *profile;
	const PhMetric *metric;
	PhColumnRange columns;
	uint32_t next;	  /* block, less one; PH_NONE: none is left */
	uint32_t *needed; /* by node: other rows to be read for its inclusive values */
	uint32_t *children;
	double *sums;	  /* by column of the stripe */
	double *of_cells; /* the same by cell, then what follows from them */
	uint64_t *integers;
	uint8_t *bits; /* by cell: its other value is a rounded sum */
	Vector exclusive, inclusive;
	Buffer rows, block;
	size_t lengths[PH_BLOCK_NODES];
};

static size_t
bits_size(uint32_t n)
{
	return n / 8 + (n % 8 != 0);
}

static PhStatus
new_vector(PhArena *arena, uint32_t width, Vector *vector)
{
	PH_TRY(PH_NEW(arena, width, &vector->room));
	return PH_NEW(arena, ph_numbers_bound(width), &vector->packed);
}

PhStatus
ph_block_writer_new(PhArena *arena, const PhProfile *profile, PhBlockWriter **out)
{
	uint32_t width = PH_MIN(profile->n_columns, PH_STRIPE_COLUMNS);
	PhBlockWriter *writer;
	PH_TRY(PH_NEW(arena, 1, &writer));
	writer->env = arena->env;
	writer->profile = profile;
	writer->next = PH_NONE;
	PH_TRY(PH_NEW(arena, profile->n_nodes, &writer->needed));
	PH_TRY(PH_NEW(arena, profile->n_nodes, &writer->children));
	PH_TRY(PH_NEW(arena, width, &writer->sums));
	PH_TRY(PH_NEW(arena, width, &writer->of_cells));
	PH_TRY(PH_NEW(arena, width, &writer->integers));
	PH_TRY(PH_NEW(arena, bits_size(width), &writer->bits));
	PH_TRY(new_vector(arena, width, &writer->exclusive));
	PH_TRY(new_vector(arena, width, &writer->inclusive));
	*out = writer;
	return PH_OK;
}

void
ph_block_writer_start(PhBlockWriter *writer, uint32_t metric, uint32_t stripe)
{
	uint32_t first = stripe * PH_STRIPE_COLUMNS, left = writer->profile->n_columns - first;
	writer->metric = &writer->profile->metrics[metric];
	writer->columns = (PhColumnRange){first, first + PH_MIN(left, PH_STRIPE_COLUMNS)};
	writer->next = ph_n_blocks(writer->profile) - 1;
	/* the bytes of a metric do not depend on those that were written before */
	writer->exclusive.form = writer->inclusive.form = (PhNumberForm){0};
}

void
ph_block_writer_end(PhBlockWriter *writer)
{
	ph_env_free(writer->env, writer->rows.data, writer->rows.capacity, 1);
	ph_env_free(writer->env, writer->block.data, writer->block.capacity, 1);
	writer->rows = writer->block = (Buffer){0};
}

static PhStatus
reserve(PhEnv *env, Buffer *buffer, size_t more)
{
	size_t wanted = buffer->size + more;
	void *data = buffer->data;
	if (wanted <= buffer->capacity)
		return PH_OK;
	wanted += wanted / 2;
	PH_TRY(ph_env_resize(env, &data, buffer->capacity, wanted, 1));
	buffer->data = data;
	buffer->capacity = wanted;
	return PH_OK;
}

/* ---- a row's cells ---- */

typedef struct Cells
{
	uint32_t n, n_runs;
	size_t first; /* of values, where the cells lie side by side: one run */
} Cells;

static Cells
count_cells(const PhBlockWriter *writer, uint32_t node)
{
	Cells cells = {0};
	PhRowWalk walk = ph_row_walk(writer->profile, node);
	for (PhRowSpan span; ph_row_next(&walk, &span);)
	{
		PhRowSpan part = ph_span_within(span, writer->columns);
		if (part.n > 0 && cells.n_runs++ == 0)
			cells.first = part.cell;
		cells.n += part.n;
	}
	return cells;
}

static void
gather(const PhBlockWriter *writer, uint32_t node, const Cells *cells, const double *from,
	   Vector *vector)
{
	double *to = vector->room;
	vector->values = cells->n_runs == 1 ? from + cells->first : to;
	if (cells->n_runs == 1)
		return;
	PhRowWalk walk = ph_row_walk(writer->profile, node);
	for (PhRowSpan span; ph_row_next(&walk, &span);)
	{
		PhRowSpan part = ph_span_within(span, writer->columns);
		memcpy(to, from + part.cell, part.n * sizeof(*to));
		to += part.n;
	}
}

static void
gather_children(const PhBlockWriter *writer, uint32_t node)
{
	double *to = writer->of_cells;
	PhRowWalk walk = ph_row_walk(writer->profile, node);
	ph_children_sum(writer->profile, writer->metric, node, writer->columns, writer->children,
					writer->sums);
	for (PhRowSpan span; ph_row_next(&walk, &span);)
	{
		PhRowSpan part = ph_span_within(span, writer->columns);
		memcpy(to, writer->sums + (part.first - writer->columns.first), part.n * sizeof(*to));
		to += part.n;
	}
}

/* ---- what to keep ---- */

static void
pack(const PhBlockWriter *writer, uint32_t n, Vector *vector)
{
	uint8_t *end =
		ph_numbers_pack(vector->values, n, writer->integers, &vector->form, vector->packed);
	vector->size = (size_t) (end - vector->packed);
}

static bool
same_bits(double a, double b)
{
	return memcmp(&a, &b, sizeof(a)) == 0;
}

/*
 * How `other` follows from `from`, which was packed as `stored` says. Sets a bit a cell whose
 * sum must be rounded.
 */
static PhFollows
how_follows(const PhBlockWriter *writer, PhStoredVectors stored, const Vector *from,
			const Vector *other, uint32_t n)
{
	bool is_signed = writer->metric->is_signed;
	uint32_t rounded = 0;
	memset(writer->bits, 0, bits_size(n));
	for (uint32_t i = 0; i < n; i++)
	{
		double sum = ph_follow_sum(stored, is_signed, from->values[i], writer->of_cells[i]);
		if (same_bits(other->values[i], sum))
			continue;
		if (!same_bits(other->values[i], ph_number_round(from->form, sum)))
			return PH_FOLLOWS_NOT;
		writer->bits[i / 8] |= (uint8_t) (1u << (i % 8));
		rounded++;
	}
	return rounded == 0 ? PH_FOLLOWS_SUM : PH_FOLLOWS_EITHER;
}

/* Bits are not needed where rounding does no harm to the other cells. */
static PhFollows
without_bits(const PhBlockWriter *writer, PhStoredVectors stored, const Vector *from,
			 const Vector *other, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
	{
		double sum =
			ph_follow_sum(stored, writer->metric->is_signed, from->values[i], writer->of_cells[i]);
		if (!same_bits(other->values[i], ph_number_round(from->form, sum)))
			return PH_FOLLOWS_EITHER;
	}
	return PH_FOLLOWS_ROUNDED;
}

/* Rows that would have to be read for this node's children. */
static uint32_t
count_needed(const PhBlockWriter *writer, uint32_t node)
{
	uint64_t needed = 0;
	uint32_t n = ph_list_children(writer->profile, node, writer->children);
	for (uint32_t i = 0; i < n; i++)
		needed += 1 + (uint64_t) writer->needed[writer->children[i]];
	return (uint32_t) PH_MIN(needed, MOST_NEEDED + 1);
}

typedef struct Choice
{
	PhStoredVectors stored;
	PhFollows follows;
} Choice;

static Choice
try_one(const PhBlockWriter *writer, PhStoredVectors stored, uint32_t n)
{
	const Vector *exclusive = &writer->exclusive, *inclusive = &writer->inclusive;
	const Vector *from = stored == PH_STORED_EXCLUSIVE ? exclusive : inclusive;
	const Vector *other = from == exclusive ? inclusive : exclusive;
	PhFollows follows = how_follows(writer, stored, from, other, n);
	if (follows == PH_FOLLOWS_EITHER)
		follows = without_bits(writer, stored, from, other, n);
	return follows == PH_FOLLOWS_NOT ? (Choice){PH_STORED_BOTH, follows}
									 : (Choice){stored, follows};
}

/*
 * Exclusive values from which the others follow are kept unless they are real numbers and the
 * inclusive ones, being decimals, are smaller.
 */
static Choice
choose_one(PhBlockWriter *writer, uint32_t n)
{
	Choice exclusive = try_one(writer, PH_STORED_EXCLUSIVE, n);
	if (exclusive.stored == PH_STORED_EXCLUSIVE && writer->exclusive.form.mode != PH_NUMBER_BITS)
		return exclusive;
	pack(writer, n, &writer->inclusive);
	if (exclusive.stored == PH_STORED_EXCLUSIVE && writer->exclusive.size <= writer->inclusive.size)
		return exclusive;
	Choice inclusive = try_one(writer, PH_STORED_INCLUSIVE, n);
	return inclusive.stored == PH_STORED_INCLUSIVE ? inclusive : exclusive;
}

static Choice
choose(PhBlockWriter *writer, uint32_t node, uint32_t n)
{
	const Choice equal = {PH_STORED_EXCLUSIVE, PH_FOLLOWS_EQUAL};
	const Choice both = {PH_STORED_BOTH, PH_FOLLOWS_NOT};
	pack(writer, n, &writer->exclusive);
	if (memcmp(writer->exclusive.values, writer->inclusive.values, n * sizeof(double)) == 0)
		return equal;
	uint32_t needed = count_needed(writer, node);
	if (needed > MOST_NEEDED)
	{
		pack(writer, n, &writer->inclusive);
		return both;
	}
	gather_children(writer, node);
	Choice choice = choose_one(writer, n);
	writer->needed[node] = choice.stored == PH_STORED_EXCLUSIVE ? needed : 0;
	return choice;
}

/* ---- bytes ---- */

static void
put_runs(const PhBlockWriter *writer, uint32_t node, uint32_t n_runs, PhByteWriter *to)
{
	uint32_t next = writer->columns.first;
	PhRowWalk walk = ph_row_walk(writer->profile, node);
	ph_put_varint(to, n_runs);
	for (PhRowSpan span; ph_row_next(&walk, &span);)
	{
		PhRowSpan part = ph_span_within(span, writer->columns);
		if (part.n == 0)
			continue;
		ph_put_varint(to, part.first - next);
		ph_put_varint(to, part.n - 1);
		next = part.first + part.n;
	}
}

static PhStatus
put_row(PhBlockWriter *writer, uint32_t node, const Cells *cells, Choice choice)
{
	const Vector *exclusive = &writer->exclusive, *inclusive = &writer->inclusive;
	bool is_whole = cells->n == writer->columns.end - writer->columns.first;
	PH_TRY(reserve(writer->env, &writer->rows,
				   RUN_BYTES * ((size_t) cells->n_runs + 1) + exclusive->size + inclusive->size +
					   bits_size(cells->n)));
	PhByteWriter to = {writer->rows.data + writer->rows.size};
	ph_put(&to, choice.stored | choice.follows << ROW_FOLLOWS_SHIFT | (is_whole ? ROW_WHOLE : 0u),
		   1);
	if (!is_whole)
		put_runs(writer, node, cells->n_runs, &to);
	if ((choice.stored & PH_STORED_EXCLUSIVE) != 0)
		ph_put_bytes(&to, exclusive->packed, exclusive->size);
	if ((choice.stored & PH_STORED_INCLUSIVE) != 0)
		ph_put_bytes(&to, inclusive->packed, inclusive->size);
	if (choice.follows == PH_FOLLOWS_EITHER)
		ph_put_bytes(&to, writer->bits, bits_size(cells->n));
	writer->rows.size = (size_t) (to.at - writer->rows.data);
	return PH_OK;
}

static PhStatus
write_row(PhBlockWriter *writer, uint32_t node, size_t *length)
{
	size_t before = writer->rows.size;
	Cells cells = count_cells(writer, node);
	writer->needed[node] = 0;
	*length = 0;
	if (cells.n == 0)
		return PH_OK;
	gather(writer, node, &cells, writer->metric->exclusive, &writer->exclusive);
	gather(writer, node, &cells, writer->metric->inclusive, &writer->inclusive);
	writer->inclusive.size = 0;
	PH_TRY(put_row(writer, node, &cells, choose(writer, node, cells.n)));
	*length = writer->rows.size - before;
	return PH_OK;
}

/* Rows were written from the last to the first, and stay so: the reader goes that way. */
static PhStatus
put_block(PhBlockWriter *writer, uint32_t n_rows, PhBytes *out)
{
	Buffer *block = &writer->block;
	block->size = 0;
	PH_TRY(reserve(writer->env, block, BLOCK_HEADER + 10 * (size_t) n_rows + writer->rows.size));
	PhByteWriter to = {block->data + 4};
	ph_put(&to, BLOCK_VERSION, 1);
	ph_put(&to, 0, 1);
	ph_put(&to, n_rows, 2);
	ph_put(&to, writer->columns.end - writer->columns.first, 4);
	for (uint32_t i = n_rows; i-- > 0;)
		ph_put_varint(&to, writer->lengths[i]);
	ph_put_bytes(&to, writer->rows.data, writer->rows.size);
	block->size = (size_t) (to.at - block->data);
	to.at = block->data;
	ph_put(&to, ph_crc32c(0, block->data + 4, block->size - 4), 4);
	*out = (PhBytes){block->data, block->size};
	return PH_OK;
}

PhStatus
ph_block_writer_next(PhBlockWriter *writer, uint32_t *block, PhBytes *out)
{
	*block = writer->next;
	*out = (PhBytes){0};
	if (writer->next == PH_NONE)
		return PH_OK;
	uint32_t first = writer->next * PH_BLOCK_NODES, left = writer->profile->n_nodes - first;
	uint32_t n_rows = PH_MIN(left, PH_BLOCK_NODES);
	writer->next = writer->next == 0 ? PH_NONE : writer->next - 1;
	writer->rows.size = 0;
	for (uint32_t i = n_rows; i-- > 0;)
	{
		PH_TRY(ph_env_poll_now(writer->env));
		PH_TRY(write_row(writer, first + i, &writer->lengths[i]));
	}
	return writer->rows.size == 0 ? PH_OK : put_block(writer, n_rows, out);
}
