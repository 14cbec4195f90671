/*
 * phases.h - the stored form of phases of processes: up to 1024 neighbours as packed columns.
 *
 * Their numbers are differences from what phases before or steps tell, times are frames of bits,
 * patterns and reasons codes; names of functions and
 * identities stand once for all phases that have the same.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_LOGICAL_STORE_PHASES_H
#define PH_LOGICAL_STORE_PHASES_H

#include "logical/phase_rows.h"
#include "logical/store/store.h"

#define PH_PHASES_OF_ROW 1024

/* By phase, counted from the row's first one. */
typedef struct PhStoredPhases
{
	uint32_t first, n;
	uint32_t *first_step, *last_step, *n_events, *n_locations, *leap;
	int64_t *max_lateness, *t_first, *t_last;
	uint32_t *pattern;			/* PhPattern */
	uint32_t *reason, *reasons; /* PhMergeReason, 1 << (reason - 1) of all */
	uint32_t *names;			/* which list of functions */
	uint64_t *identity;			/* logical/identity.h; 0: of runs stored before there were any */
	uint32_t *first_follower;	/* n + 1 */
	uint32_t *followers;		/* phases of the run */
	uint32_t n_names;
	const char **name; /* lists of functions, as PhPhaseRow has them */
} PhStoredPhases;

/* A row of perfhouse.phase_chunk without its run. */
typedef struct PhPhaseChunk
{
	uint32_t first_phase, n_phases;
	PhBytes packed;
} PhPhaseChunk;

uint32_t ph_phase_chunk_crc(const PhPhaseChunk *chunk);

/* All phases of a computed structure, row by row. */
typedef struct PhPhasePacker PhPhasePacker;

/* As ph_phase_lister_new. */
PhStatus ph_phase_packer_new(PhEnv *env, const PhLogicalMetrics *metrics, const PhTraceModel *trace,
							 bool compat, PhPhasePacker **out) PH_MUST_CHECK;
void ph_phase_packer_free(PhPhasePacker *packer);

/* The next row, valid until the one after it; done: there was none. */
PhStatus ph_phase_packer_next(PhPhasePacker *packer, PhPhaseChunk *out, bool *done) PH_MUST_CHECK;

/*
 * Decode into memory of the arena, which numbers are sound: whatever the bytes are, patterns and
 * reasons exist, followers are none of the row's own past; else PH_ERR_FORMAT.
 */
PhStatus ph_phases_unpack(PhArena *arena, PhLogicalCodec *codec, const PhPhaseChunk *chunk,
						  PhStoredPhases *out) PH_MUST_CHECK;

#endif
