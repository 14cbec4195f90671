/*
 * origins.h - who caused the waits: delay costs, by call path and location.
 *
 * After D. Böhme, M. Geimer, F. Wolf, L. Arnold, Identifying the root causes of wait states in
 * large-scale parallel applications (ICPP 2010; ACM TOPC 3, 2016), with all time that is no waiting
 * in the place of computation alone. A location p waits w for q. Since both met last
 * (intervals.h), q took longer than p in some call paths c, by delta(c) > 0, and waited itself for
 * omega: w, and what other waits have passed to it, is shared in proportion. delta(c) is a delay of
 * (c, q), of short-term costs for w and long-term ones for what was passed; omega's share is passed
 * to the waits of q in that time, in proportion to their length. From the last wait to the first;
 * what was passed goes to earlier waits only, so that wrong clocks cannot make it run in circles.
 * Integers: the sum of all costs, of what is unexplained, of what lies outside and of waits for
 * files is the sum of the waits, to the ns. O(waits x call paths of their intervals), waits for one
 * member of a collective together.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_BLAME_ORIGINS_H
#define PH_BLAME_ORIGINS_H

#include "blame/intervals.h"
#include "blame/path_times.h"

/* What a call path of a location cost others. */
typedef struct PhDelay
{
	uint32_t node, location;
	int64_t short_term, long_term; /* ns */
} PhDelay;

#define PH_WAIT_ORIGINS 8

/* A delay (an index), and its share of the wait. */
typedef struct PhWaitOrigin
{
	uint32_t delay; /* PH_NONE: none */
	float share;	/* in (0, 1] */
} PhWaitOrigin;

#define PH_WAIT_RESTS 4

/* What else a location caused of a wait: its share. */
typedef struct PhWaitRest
{
	uint32_t location; /* PH_NONE: none */
	float share;
} PhWaitRest;

/* Of one wait, through all waits that it was passed to: the largest first. What is smaller is added
 * up by location, for a rank of many small delays is a cause, too. */
typedef struct PhWaitOrigins
{
	PhWaitOrigin largest[PH_WAIT_ORIGINS];
	PhWaitRest rests[PH_WAIT_RESTS];
} PhWaitOrigins;

typedef struct PhBlame
{
	uint32_t n_delays;
	const PhDelay *delays;		  /* in the order in which they were met */
	const PhWaitOrigins *origins; /* by wait; NULL: sums only */
	int64_t waited, unexplained, outside;
	int64_t own; /* waits for files: nobody else's doing, and no cost, but for those of others */
} PhBlame;

typedef struct PhBlameInput
{
	const PhWaitStates *waits;
	const PhWaitInterval *intervals; /* by wait */
	const PhPathTimes *times;		 /* finished */
	uint32_t n_nodes;
	const uint64_t *node_keys; /* by node: its place among others, whatever their numbers are */
	int64_t from, to;		   /* of a window: waits that end in it are blamed */
	bool sums_only;			   /* nobody asks for the origins of single waits */
} PhBlameInput;

/* In arena. */
PhStatus ph_blame_find(PhArena *arena, const PhBlameInput *input, PhBlame *out) PH_MUST_CHECK;

#endif
