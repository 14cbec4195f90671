/*
 * timemory.h - how timemory calls what it measures.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_READERS_TIMEMORY_TIMEMORY_H
#define PH_READERS_TIMEMORY_TIMEMORY_H

#include <stdint.h>

#include "readers/slice.h"

typedef struct PhTimemoryName
{
	PhSlice name, tail; /* the region is NAME, or NAME/TAIL */
	PhSlice file;		/* may be empty */
	int32_t line;		/* PH_NO_NUMBER: unknown */
} PhTimemoryName;

/*
 * Split a label: "solve@solve.cpp:114/inner", "solve/solve.cpp:114/inner", "inner
 * [solve/solve.cpp:114]",
 * "[solve][solve.cpp]", "solve:114/inner"; anything else is a name as it is.
 */
PhTimemoryName ph_timemory_name(PhSlice label);

#endif
