/*
 * fuzz_summary_block.c - a block of stored summaries from arbitrary bytes: an error, or summaries
 * that are packed to a block which gives them back.
 *
 * Input: a block without its checksum, which is made to fit.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <stdlib.h>
#include <string.h>

#include "base/crc32c.h"
#include "stored/summary_block.h"

#define CHECKSUM 4

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
must_come_back(PhEnv *env, const PhNodeSummary *nodes, uint32_t n, PhSummarySums sums)
{
	static uint8_t bytes[PH_SUMMARY_BLOCK_BOUND];
	PhNodeSummary back[PH_BLOCK_NODES];
	uint32_t n_back;
	size_t size = ph_summary_pack(nodes, n, sums, bytes);
	if (size > sizeof(bytes) ||
		ph_summary_unpack(env, (PhBytes){bytes, size}, PH_SUMMARY_ALL, back, &n_back) != PH_OK ||
		n_back != n || ph_summary_kind_of_sums((PhBytes){bytes, size}) != sums ||
		memcmp(back, nodes, sizeof(*nodes) * n) != 0)
		abort();
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	PhEnv env;
	PhNodeSummary nodes[PH_BLOCK_NODES];
	uint32_t n;
	ph_env_init_malloc(&env);
	uint8_t *bytes = malloc(size + CHECKSUM);
	if (bytes == NULL)
		abort();
	memcpy(bytes + CHECKSUM, data, size);
	PhByteWriter writer = {bytes};
	ph_put(&writer, ph_crc32c(0, bytes + CHECKSUM, size), CHECKSUM);
	if (ph_summary_unpack(&env, (PhBytes){bytes, size + CHECKSUM}, PH_SUMMARY_ALL, nodes, &n) ==
		PH_OK)
		must_come_back(&env, nodes, n, ph_summary_kind_of_sums((PhBytes){bytes, size + CHECKSUM}));
	free(bytes);
	if (env.bytes != 0)
		abort();
	return 0;
}
