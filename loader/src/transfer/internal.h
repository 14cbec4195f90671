/*
 * internal.h - what the files of a transfer share.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_TRANSFER_INTERNAL_H
#define PH_TRANSFER_INTERNAL_H

#include "base/str.h"
#include "base/table.h"
#include "profile/profile.h"
#include "transfer/transfer.h"

/* Numbers here to numbers there, in order of their coming. */
typedef struct Numbers
{
	PhMap places;
	int64_t *from, *to;
	uint32_t n, capacity;
} Numbers;

struct PhTransfer
{
	PhTransferPlan plan;
	PhEnv env;
	PhArena arena; /* of everything below */
	Numbers runs, metrics;
	/* Identities of what has been sent; of regions and call paths that do not name a hidden path
	 * the same in both warehouses. */
	Numbers regions, callpaths, trees, labels;
	int64_t *copied; /* there */
	PhTransferCounts counts;
	bool renames; /* some region has got another identity */
};

/* Of one batch. */
typedef struct Batch
{
	PhTransfer *transfer;
	PhArena arena;
	PhResult *rows;	  /* copy/runs.sql */
	bool *is_present; /* there, by row */
	size_t n_missing;
	char *missing; /* SQL's int8[] of the runs that are to be copied */
} Batch;

/* Logs what the environment tells. */
PhExit ph_transfer_failed(PhTransfer *transfer, PhStatus status);

PhStatus ph_numbers_set(PhTransfer *transfer, Numbers *numbers, int64_t from, int64_t to);
bool ph_numbers_find(const Numbers *numbers, int64_t from, int64_t *to);

/* {"17": 45, …}; the arena's. */
PhStatus ph_numbers_json(const Numbers *numbers, PhArena *arena, char **out);

/*
 * The packed tree with hidden paths in its regions, in bytes of the arena. PH_ERR_CONFLICT when
 * call paths would stand in another order, which the run's values rest on.
 */
PhStatus ph_hide_in_tree(PhArena *arena, const char *salt, const uint8_t *bytes, size_t size,
						 uint8_t **out, size_t *out_size);

/* Packed labels with the regions' new identities, in order of them. */
PhStatus ph_hide_in_labels(PhTransfer *transfer, PhArena *arena, const uint8_t *bytes, size_t size,
						   uint8_t **out, size_t *out_size);

/* Metrics, rows of the other warehouse as SQL's jsonb, with their numbers noted. */
PhExit ph_transfer_metrics(PhTransfer *transfer, const char *json);

/* Metrics, regions, call paths, trees and labels that the missing runs of a batch need. */
PhExit ph_transfer_dictionary(Batch *batch);

/* Rows of the tables by run. */
PhExit ph_transfer_tables(Batch *batch);

#endif
