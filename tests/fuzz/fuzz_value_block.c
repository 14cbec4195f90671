/*
 * fuzz_value_block.c - a block of stored values from arbitrary bytes: an error, or a profile whose
 * own blocks give it back.
 *
 * Input: numbers of nodes, columns and roots, a byte each; then a block without its header, which
 * is made to fit, so that what is behind the checksum is met.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/crc32c.h"
#include "profile/builder.h"
#include "profile/flat.h"
#include "stored/node_values.h"
#include "stored/value_block.h"

#define HEADER 12

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
must(PhStatus status)
{
	if (status != PH_OK)
		abort();
}

/* Node n below node n / 2 or n - 1, or a root. */
static PhProfile *
make_tree(PhEnv *env, uint32_t n_nodes, uint32_t roots)
{
	PhProfileBuilder *builder;
	PhProfile *profile;
	uint32_t metric, column, region, node;
	char name[16];
	must(ph_builder_new(env, &builder));
	must(ph_builder_add_metric(builder, &(PhMetricSpec){.name = "time", .given = PH_GIVEN_BOTH},
							   &metric));
	must(ph_builder_add_column(builder, &(PhColumnSpec){.iteration = PH_NO_ITERATION}, &column));
	for (uint32_t i = 0; i < n_nodes; i++)
	{
		snprintf(name, sizeof(name), "f%03u", i);
		must(ph_builder_add_region(builder, &(PhRegionSpec){.name = name, .line = -1}, &region));
		uint32_t parent = i % (roots + 1) == 0 ? PH_NONE : i % 3 == 0 ? i / 2 : i - 1;
		must(ph_builder_add_node(builder, parent, region, &node));
	}
	must(ph_builder_mark_present(builder, 0, 0));
	must(ph_builder_finish(builder, &profile));
	ph_builder_free(builder);
	return profile;
}

static void
put_header(uint8_t *bytes, size_t size, uint32_t n_rows, uint32_t n_columns)
{
	PhByteWriter writer = {bytes + 4};
	ph_put(&writer, 1, 1);
	ph_put(&writer, 0, 1);
	ph_put(&writer, n_rows, 2);
	ph_put(&writer, n_columns, 4);
	writer.at = bytes;
	ph_put(&writer, ph_crc32c(0, bytes + 4, size - 4), 4);
}

static PhStatus
read_block(PhEnv *env, const PhProfile *tree, uint32_t n_columns, const PhStoredBlock *block,
		   PhProfile **out)
{
	static PhColumnSpec columns[256];
	PhArena arena;
	PhPresence presence;
	PhBlockFiller *filler;
	PhMetricSpec metric = {.name = "time", .given = PH_GIVEN_BOTH};
	for (uint32_t i = 0; i < n_columns; i++)
		columns[i] =
			(PhColumnSpec){.rank = (int32_t) i, .thread = -1, .iteration = PH_NO_ITERATION};
	ph_arena_init(&arena, env);
	ph_presence_init(&presence, &arena);
	*out = NULL;
	PhStatus status = ph_block_presence(env, block, 0, 0, NULL, &presence);
	if (status == PH_OK)
		status = ph_profile_with_room(env, tree, n_columns, columns, 1, &metric, &presence, out);
	if (status == PH_OK)
		status = ph_block_filler_new(&arena, *out, n_columns, NULL, &filler);
	if (status == PH_OK)
		status = ph_block_fill(filler, 0, 0, 0, block);
	ph_arena_drop(&arena);
	return status;
}

static PhStatus
fetch(void *user, uint32_t number, uint32_t stripe, const PhStoredBlock **out)
{
	(void) number;
	(void) stripe;
	*out = user;
	return PH_OK;
}

/* Whether nodes have the columns of those below them, as in all blocks that are written. */
static bool
is_closed(const PhProfile *profile, const PhStoredBlock *block)
{
	for (uint32_t node = 0; node < profile->n_nodes; node++)
	{
		const PhStoredRow *row = &block->rows[node];
		uint32_t n = row->stored == PH_STORED_NOTHING ? 0 : row->n_cells;
		if (n != ph_profile_n_present(profile, node))
			return false;
	}
	return true;
}

/* One node alone has the values that it has among all. */
static void
must_agree(PhEnv *env, const PhProfile *profile, PhStoredBlock *block)
{
	static double exclusive[256], inclusive[256];
	static bool present[256];
	if (!is_closed(profile, block))
		return;
	for (uint32_t node = 0; node < profile->n_nodes; node++)
	{
		PhArena arena;
		PhNodeRequest request = {profile, node, profile->n_columns, true, false, fetch, block};
		ph_arena_init(&arena, env);
		memset(present, 0, sizeof(present));
		must(ph_node_values(&arena, &request, exclusive, inclusive, present));
		for (uint32_t i = 0; i < profile->n_columns; i++)
		{
			double all = ph_profile_cell(profile, 0, node, i, PH_COST_INCLUSIVE);
			if (present[i] && memcmp(&all, &inclusive[i], sizeof(all)) != 0)
				abort();
		}
		ph_arena_drop(&arena);
	}
}

static void
must_come_back(PhEnv *env, const PhProfile *profile)
{
	PhArena arena;
	PhBlockWriter *writer;
	PhStoredBlock block;
	PhBytes bytes;
	PhProfile *back;
	uint32_t number;
	size_t cells = (size_t) profile->n_nodes * profile->n_columns;
	ph_arena_init(&arena, env);
	must(ph_block_writer_new(&arena, profile, &writer));
	ph_block_writer_start(writer, 0, 0);
	must(ph_block_writer_next(writer, &number, &bytes));
	if (bytes.size > 0)
	{
		must(ph_block_open(env, bytes, &block));
		must(read_block(env, profile, profile->n_columns, &block, &back));
		for (size_t i = 0; i < cells; i++)
		{
			uint32_t node = (uint32_t) (i / profile->n_columns);
			uint32_t column = (uint32_t) (i % profile->n_columns);
			for (PhCost cost = PH_COST_INCLUSIVE; cost <= PH_COST_EXCLUSIVE; cost++)
			{
				double was = ph_profile_cell(profile, 0, node, column, cost);
				double is = ph_profile_cell(back, 0, node, column, cost);
				if (memcmp(&was, &is, sizeof(was)) != 0)
					abort();
			}
		}
		ph_profile_free(env, back);
	}
	ph_block_writer_end(writer);
	ph_arena_drop(&arena);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	PhEnv env;
	PhStoredBlock block;
	PhProfile *profile = NULL;
	if (size < 3)
		return 0;
	ph_env_init_malloc(&env);
	uint32_t n_columns = data[1] == 0 ? 1 : data[1];
	PhProfile *tree = make_tree(&env, data[0] % 64 + 1, data[2]);
	uint8_t *bytes = malloc(size - 3 + HEADER);
	if (bytes == NULL)
		abort();
	memcpy(bytes + HEADER, data + 3, size - 3);
	put_header(bytes, size - 3 + HEADER, tree->n_nodes, n_columns);
	if (ph_block_open(&env, (PhBytes){bytes, size - 3 + HEADER}, &block) == PH_OK &&
		read_block(&env, tree, n_columns, &block, &profile) == PH_OK)
	{
		must_agree(&env, profile, &block);
		must_come_back(&env, profile);
	}
	ph_profile_free(&env, profile);
	ph_profile_free(&env, tree);
	free(bytes);
	if (env.bytes != 0)
		abort();
	return 0;
}
