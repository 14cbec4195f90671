/*
 * block_stream.c - see block_stream.h.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "stored/block_stream.h"

#include "base/min_max.h"
#include "stored/levels.h"
#include "stored/stored_row.h"

struct PhBlockStream
{
	PhEnv *env;
	const PhProfile *tree;
	uint32_t n_columns;
	PhReceiveRow receive;
	void *user;
	bool is_signed;
	uint32_t stripe, width;
	uint32_t before; /* nodes from here on have been */
	PhLevels levels;
	double *exclusive, *inclusive, *children; /* by cell of a row */
};

static uint32_t
count_levels(const PhProfile *tree)
{
	uint32_t deepest = 0;
	for (uint32_t node = 0; node < tree->n_nodes; node++)
		deepest = PH_MAX(deepest, tree->depth[node]);
	return deepest + 2;
}

PhStatus
ph_block_stream_new(PhArena *arena, const PhProfile *tree, uint32_t n_columns, PhReceiveRow receive,
					void *user, PhBlockStream **out)
{
	uint32_t most = PH_MIN(n_columns, PH_STRIPE_COLUMNS);
	PhBlockStream *stream;
	PH_TRY(PH_NEW(arena, 1, &stream));
	*stream = (PhBlockStream){
		.env = arena->env, .tree = tree, .n_columns = n_columns, .receive = receive, .user = user};
	PH_TRY(ph_levels_new(arena, count_levels(tree), most, &stream->levels));
	PH_TRY(PH_NEW(arena, most, &stream->exclusive));
	PH_TRY(PH_NEW(arena, most, &stream->inclusive));
	PH_TRY(PH_NEW(arena, most, &stream->children));
	*out = stream;
	return PH_OK;
}

void
ph_block_stream_start(PhBlockStream *stream, bool is_signed, uint32_t stripe)
{
	uint32_t left = stream->n_columns - stripe * PH_STRIPE_COLUMNS;
	stream->is_signed = is_signed;
	stream->stripe = stripe;
	stream->width = PH_MIN(left, PH_STRIPE_COLUMNS);
	stream->before = stream->tree->n_nodes;
	ph_levels_clear(&stream->levels);
}

static PhStatus
take_row(PhBlockStream *stream, uint32_t node, const PhStoredBlock *block, const PhStoredRow *row)
{
	PhStreamedRow streamed = {node, stream->stripe,	   block,
							  row,	stream->exclusive, stream->inclusive};
	uint32_t level = stream->tree->depth[node];
	bool is_unsure;
	if (row->stored != PH_STORED_NOTHING)
	{
		if (!ph_row_is_complete(row))
			ph_levels_children(&stream->levels, level, block, row, stream->children);
		if (!ph_row_unpack(row, stream->is_signed, stream->children, stream->exclusive,
						   stream->inclusive, &is_unsure))
			return ph_fail(stream->env, PH_ERR_FORMAT,
						   "a block of stored values is damaged: a row is not what it says");
		PH_TRY(stream->receive(stream->user, &streamed));
	}
	return ph_levels_hand_up(&stream->levels, level, block, row, stream->inclusive);
}

PhStatus
ph_block_stream_next(PhBlockStream *stream, uint32_t number, const PhStoredBlock *block)
{
	uint32_t first = number * PH_BLOCK_NODES;
	if (block->n_columns != stream->width || first >= stream->before ||
		block->n_rows != PH_MIN(stream->tree->n_nodes - first, PH_BLOCK_NODES))
		return ph_fail(stream->env, PH_ERR_FORMAT,
					   "a block of stored values is of another size than the run");
	for (uint32_t i = block->n_rows; i-- > 0;)
	{
		PH_TRY(ph_env_poll_now(stream->env));
		PH_TRY(take_row(stream, first + i, block, &block->rows[i]));
	}
	stream->before = first;
	return PH_OK;
}
