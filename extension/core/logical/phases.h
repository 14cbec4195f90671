/*
 * phases.h - stages between a model and its logical structure, shared by their files.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_LOGICAL_PHASES_H
#define PH_LOGICAL_PHASES_H

#include "logical/graph.h"
#include "logical/logical.h"

/* Sets of events that grow by merging; when finished they are the phases. */
typedef struct PhPhasing
{
	PhEnv *env;
	PhArena arena; /* part and reasons */
	const PhLogicalModel *model;
	const PhLogicalOptions *options;
	uint32_t *part; /* by event */
	uint32_t n_parts;
	uint16_t *reasons; /* by part: PH_REASON_BIT of each */
} PhPhasing;

#define PH_REASON_BIT(reason) ((uint16_t) (1u << ((reason) -1)))

/* Reasons of n_parts parts become those of n_new ones, map[part], in place. */
PhStatus ph_merge_reasons(PhEnv *env, uint16_t *reasons, const uint32_t *map, uint32_t n_parts,
						  uint32_t n_new, PhMergeReason reason) PH_MUST_CHECK;

/* Disjoint sets (a parent is less than its child) to numbers in order of their lowest members. */
uint32_t ph_set_number(uint32_t *set, uint32_t n);

/*
 * From single events to phases, numbered so that every edge of their graph goes to a greater
 * number.
 */
PhStatus ph_phasing_run(PhPhasing *phasing) PH_MUST_CHECK;

/*
 * Unite chains of small parts that do the same in a set by part (docs/design/logical-time.md 1.6).
 * Circles of parts were merged before; those that it makes the caller merges. O(events), where
 * there are none O(events) without a hash.
 */
PhStatus ph_phasing_unite_chains(PhPhasing *phasing, uint32_t *set) PH_MUST_CHECK;

/* The leap merge (docs/design/logical-time.md 1.7); numbers are in no order afterwards. */
PhStatus ph_phasing_leap_merge(PhPhasing *phasing) PH_MUST_CHECK;

/* Parts become map[part], with a reason where several become one. */
PhStatus ph_phasing_regroup(PhPhasing *phasing, const uint32_t *map, uint32_t n_new,
							PhMergeReason reason) PH_MUST_CHECK;

/* Steps within phases. All arrays by event. */
typedef struct PhStepping
{
	PhEnv *env;
	const PhLogicalModel *model;
	const uint32_t *phase;
	uint32_t n_phases;
	bool align_sends;
	bool contract;	   /* members of a collective share a step; else what follows one follows all */
	int32_t *step;	   /* out: within the phase, from 0 */
	uint32_t *binding; /* out */
	uint32_t split_collectives, cut_messages; /* out */
} PhStepping;

PhStatus ph_stepping_run(PhStepping *stepping) PH_MUST_CHECK;
/* The same with receives in order of their causes within each phase
 * (docs/design/logical-time.md 1.8, SC15 3.2.1). */
PhStatus ph_stepping_run_reordered(PhStepping *stepping) PH_MUST_CHECK;

/*
 * Longest ways to events within phases: to strides (events that are not receives) when sends are
 * aligned, else to all. Dependencies that go in a circle are found and left out: first collectives
 * fall apart into their members, then messages are ignored.
 */
typedef struct PhWays
{
	PhStepping *stepping;
	PhArena *arena;
	uint32_t n_events, n_nodes; /* a node for every event, then one for every collective */
	uint32_t *next_stride; /* by event: what follows its receives, in its phase; PH_NONE: none */
	uint32_t *waiting;	   /* by node: predecessors that are not done */
	uint32_t *queue;	   /* nodes in the order in which they were done */
	uint32_t n_queue;
	int32_t *collective_length; /* by collective; events' are stepping->step */
	uint32_t *collective_binding;
	bool *split; /* by collective */
	bool *cut;	 /* by message, NULL: none */
} PhWays;

PhStatus ph_ways_find(PhWays *ways) PH_MUST_CHECK;

/* Is the event a member of a collective that is one node? */
bool ph_ways_is_contracted(const PhWays *ways, uint32_t event);

/* Is e followed on its timeline by an event of its phase? */
static inline bool
ph_phase_goes_on(const PhStepping *stepping, uint32_t e)
{
	const PhLogicalModel *model = stepping->model;
	return e + 1 < model->n_events && model->timeline[e] == model->timeline[e + 1] &&
		   stepping->phase[e] == stepping->phase[e + 1];
}

/* The same, backwards. */
static inline bool
ph_phase_came_before(const PhStepping *stepping, uint32_t e)
{
	return e > 0 && ph_phase_goes_on(stepping, e - 1);
}

#endif
