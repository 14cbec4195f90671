/*
 * device_program.h - simulated programs of ranks with devices: what they launched and when that
 * ran, and when they synchronised. Nobody is idle who has something to do.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef SUPPORT_DEVICE_PROGRAM_H
#define SUPPORT_DEVICE_PROGRAM_H

#include "devices/activities.h"
#include "devices/calls.h"
#include "support/random_profile.h"

#define DEVICE_RANKS 3
/* Of a rank: two of device 0, the second of which communicates, and one of device 1. */
#define DEVICE_STREAMS 3
#define DEVICE_COMMUNICATES 1
#define DEVICE_LOCATIONS (DEVICE_RANKS * (1 + DEVICE_STREAMS))
#define DEVICE_CALL 3 /* region of calls of the host */

extern RandomNumbers device_numbers;
extern const PhTraceModel device_model;
extern const PhActivityKind device_kinds[];

/* Once, before the model is used. */
void device_make_model(void);
/* The location of a stream; that of a rank is the rank. */
uint32_t device_stream(uint32_t rank, uint32_t stream);
uint32_t device_rank(uint32_t location);

typedef struct DeviceProgram
{
	PhEnv *env;
	int64_t takes;					   /* what is launched; 0: random */
	int64_t host[DEVICE_RANKS];		   /* now */
	int64_t free_at[DEVICE_LOCATIONS]; /* by location */
	uint32_t waits_for;				   /* the stream that the next launch waits for; 0: none */
	uint64_t n_calls[DEVICE_RANKS];
	PhActivities activities;
	PhIndices instances;		  /* by activity: the round it communicates in, or PH_NONE */
	PH_VECTOR(PhLaunchCall) made; /* by activity: its call */
	PH_VECTOR(PhLaunchingCall) called;
	PhHostCalls syncs;
	PhLaunches launches;
	PhLaunchingCall *calls; /* by launch */
} DeviceProgram;

/* Zeroed but for env; some rounds, each of which ends in a collective of all ranks. */
PhStatus device_run(DeviceProgram *program, PhArena *arena);
void device_free(DeviceProgram *program);

/* One step each, for programs by hand; when all are done, device_note_launches. */
PhStatus device_launch(DeviceProgram *program, uint32_t rank, uint32_t stream, uint32_t region,
					   bool is_blocking, uint32_t instance);
PhStatus device_synchronise(DeviceProgram *program, uint32_t rank, bool all);
PhStatus device_meet(DeviceProgram *program, uint32_t instance);
PhStatus device_note_launches(DeviceProgram *program, PhArena *arena);

#endif
