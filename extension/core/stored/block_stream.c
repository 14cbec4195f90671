/*
 * block_stream.c - see block_stream.h.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "stored/block_stream.h"

#include "base/min_max.h"
#include "stored/levels.h"
#include "stored/loops.h"
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
	double *residual;						  /* the same; NULL: nobody wants it */
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

PhStatus
ph_block_stream_with_residuals(PhBlockStream *stream, bool is_wanted)
{
	uint32_t most = PH_MIN(stream->n_columns, PH_STRIPE_COLUMNS);
	if (!is_wanted)
		stream->residual = NULL;
	else if (stream->residual == NULL)
		PH_TRY(PH_NEW(stream->levels.arena, most, &stream->residual));
	return PH_OK;
}

/* A leaf whose two vectors are the same has no residual, and most rows are such. */
static bool
may_have_residual(const PhBlockStream *stream, uint32_t level, const PhStoredRow *row)
{
	return stream->residual != NULL &&
		   (row->follows != PH_FOLLOWS_EQUAL || stream->levels.is_used[level + 1]);
}

/* Both vectors, and the residual where there is one. */
static PhStatus
unpack_row(PhBlockStream *stream, uint32_t level, PhStreamedRow *row)
{
	bool may_rest = may_have_residual(stream, level, row->row);
	bool is_unsure, has_residual = false;
	const double *children = NULL;
	if (may_rest || !ph_row_is_complete(row->row))
		children =
			ph_levels_children(&stream->levels, level, row->block, row->row, stream->children);
	if (!ph_row_unpack(row->row, stream->is_signed, children, stream->exclusive, stream->inclusive,
					   &is_unsure))
		return ph_fail(stream->env, PH_ERR_FORMAT,
					   "a block of stored values is damaged: a row is not what it says");
	if (may_rest && is_unsure)
		ph_loop_residual(stream->inclusive, stream->exclusive, children, row->row->n_cells,
						 stream->residual, &has_residual);
	row->residual = has_residual ? stream->residual : NULL;
	return PH_OK;
}

static PhStatus
take_row(PhBlockStream *stream, uint32_t node, const PhStoredBlock *block, const PhStoredRow *row)
{
	PhStreamedRow streamed = {.node = node,
							  .stripe = stream->stripe,
							  .block = block,
							  .row = row,
							  .exclusive = stream->exclusive,
							  .inclusive = stream->inclusive};
	uint32_t level = stream->tree->depth[node];
	if (row->stored != PH_STORED_NOTHING)
	{
		PH_TRY(unpack_row(stream, level, &streamed));
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
