/*
 * value_block.c - the outside of a block: checksum, lengths, what each row has. Reader.
 *
 * Bytes: CRC-32C of all that follows (4), version (1), zero (1), rows (2), columns (4); for each
 * row the length of its bytes (base 128); the rows. Lengths and rows go from the last row to the
 * first. A row without bytes is in no column. Else: a byte of flags; unless it is whole the number
 * of its runs and for each the gap before it and its length less one (base 128); packed numbers.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "base/crc32c.h"
#include "stored/block_layout.h"
#include "stored/numbers.h"

static PhStatus
damaged(PhEnv *env, const char *what)
{
	return ph_fail(env, PH_ERR_FORMAT, "a block of stored values is damaged: %s", what);
}

static PhByteReader
reader_of(PhBytes bytes)
{
	return (PhByteReader){bytes.data, bytes.data, bytes.data + bytes.size, false};
}

/* Runs ascend, do not touch and end within the columns. */
static bool
take_runs(PhByteReader *reader, uint32_t n_columns, PhStoredRow *row)
{
	uint64_t n_runs = ph_get_varint(reader), next = 0, cells = 0;
	row->runs.data = reader->at;
	for (uint64_t i = 0; i < n_runs && !reader->bad; i++)
	{
		uint64_t gap = ph_get_varint(reader), n = ph_get_varint(reader);
		if (gap >= n_columns - next || n >= n_columns - next - gap || (i > 0 && gap == 0))
			reader->bad = true;
		else
		{
			next += gap + n + 1;
			cells += n + 1;
		}
	}
	row->runs.size = (size_t) (reader->at - row->runs.data);
	row->n_runs = (uint32_t) n_runs;
	row->n_cells = (uint32_t) cells;
	return !reader->bad && n_runs > 0 && n_runs <= n_columns;
}

static bool
take_row(PhBytes bytes, uint32_t n_columns, PhStoredRow *row)
{
	PhByteReader reader = reader_of(bytes);
	uint32_t flags;
	*row = (PhStoredRow){0};
	if (bytes.size == 0)
		return true;
	flags = (uint32_t) ph_get(&reader, 1);
	row->stored = flags & ROW_STORED;
	row->follows = flags >> ROW_FOLLOWS_SHIFT & ROW_FOLLOWS;
	row->is_whole = (flags & ROW_WHOLE) != 0;
	row->n_cells = n_columns;
	if (flags >= ROW_FLAGS_END || row->follows >= PH_FOLLOWS_END ||
		row->stored == PH_STORED_NOTHING ||
		(row->stored == PH_STORED_BOTH) != (row->follows == PH_FOLLOWS_NOT))
		return false;
	if (!row->is_whole && !take_runs(&reader, n_columns, row))
		return false;
	row->vectors = (PhBytes){reader.at, ph_left(&reader)};
	return true;
}

static PhStatus
take_rows(PhEnv *env, PhByteReader *reader, PhStoredBlock *out)
{
	uint64_t lengths[PH_BLOCK_NODES];
	for (uint32_t i = out->n_rows; i-- > 0;)
		lengths[i] = ph_get_varint(reader);
	for (uint32_t i = out->n_rows; i-- > 0 && !reader->bad;)
	{
		const uint8_t *at = lengths[i] <= ph_left(reader) ? ph_take(reader, lengths[i]) : NULL;
		if (at == NULL || !take_row((PhBytes){at, lengths[i]}, out->n_columns, &out->rows[i]))
			return damaged(env, "a row is not what the block says");
	}
	if (reader->bad || ph_left(reader) != 0)
		return damaged(env, "its rows do not fill it");
	return PH_OK;
}

static PhStatus
open_block(PhEnv *env, PhBytes bytes, bool is_checked, PhStoredBlock *out)
{
	PhByteReader reader = reader_of(bytes);
	if (bytes.size < BLOCK_HEADER)
		return damaged(env, "it is too short");
	uint32_t crc = ph_get_u32(&reader);
	if (!is_checked && crc != ph_crc32c(0, reader.at, ph_left(&reader)))
		return damaged(env, "its checksum is wrong");
	uint64_t version = ph_get(&reader, 1);
	if (version != BLOCK_VERSION)
		return ph_fail(env, PH_ERR_FORMAT, "stored values are of version %u, which is unknown",
					   (unsigned) version);
	uint64_t zero = ph_get(&reader, 1);
	out->n_rows = (uint32_t) ph_get(&reader, 2);
	out->n_columns = ph_get_u32(&reader);
	if (zero != 0 || out->n_rows > PH_BLOCK_NODES || out->n_columns == 0 ||
		out->n_columns > PH_STRIPE_COLUMNS)
		return damaged(env, "its size is impossible");
	return take_rows(env, &reader, out);
}

PhStatus
ph_block_open(PhEnv *env, PhBytes bytes, PhStoredBlock *out)
{
	return open_block(env, bytes, false, out);
}

PhStatus
ph_block_open_again(PhEnv *env, PhBytes bytes, PhStoredBlock *out)
{
	return open_block(env, bytes, true, out);
}

bool
ph_block_next_run(const PhStoredBlock *block, const PhStoredRow *row, PhRunWalk *walk,
				  uint32_t *first, uint32_t *n)
{
	if (row->stored == PH_STORED_NOTHING || walk->done >= (row->is_whole ? 1 : row->n_runs))
		return false;
	walk->done++;
	if (row->is_whole)
	{
		*first = 0;
		*n = block->n_columns;
		return true;
	}
	PhByteReader reader = reader_of(row->runs);
	reader.at += walk->at;
	*first = walk->next + (uint32_t) ph_get_varint(&reader);
	*n = (uint32_t) ph_get_varint(&reader) + 1;
	walk->at = (size_t) (reader.at - reader.start);
	walk->next = *first + *n;
	return true;
}
