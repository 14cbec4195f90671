/*
 * tile_planes.h - where the bytes of a cell are in a tile: what writer and reader share.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_TILES_TILE_PLANES_H
#define PH_TILES_TILE_PLANES_H

#include "tiles/tile.h"

#define PH_TILE_VERSION 1

typedef enum PhTilePlane
{
	PH_PLANE_REGION = 0, /* lower bytes of three, then upper ones */
	PH_PLANE_SHARE = 6,
	PH_PLANE_LONGEST = 9,
	PH_PLANE_OTHER = 11,
	PH_PLANE_DEPTH = 13,
	PH_PLANE_MESSAGES = 14,
	PH_PLANE_SHARES = 15,
	PH_PLANES_OF_LOCATIONS = 19, /* what follows is of groups */
	PH_PLANE_WHERE = 19,
	PH_PLANE_PRESENT = 22,
	PH_PLANE_DEVIANT = 25,
	PH_PLANE_DEVIANT_SHARES = 28,
	PH_PLANE_DEVIANT_REGION = 32,
	PH_PLANE_DEVIANT_SHARE = 34,
	PH_PLANE_DEVIANT_CALL = 35,
	PH_PLANE_DEVIANT_NS = 37
} PhTilePlane;

/* Which region the longest call is of, above the 14 bits of its ns: one of the three, or another.
 */
#define PH_TILE_WHICH_SHIFT 14
#define PH_TILE_OTHER 3

/*
 * A number as its highest `bits` significant bits, behind an exponent: small numbers are
 * themselves, codes ascend with numbers.
 */
static inline uint32_t
ph_tile_float(uint64_t value, uint32_t bits)
{
	uint32_t exponent = 0;
	while (value >> exponent >> bits != 0)
		exponent++;
	return (exponent << (bits - 1)) + (uint32_t) (value >> exponent);
}

static inline uint64_t
ph_tile_unfloat(uint32_t code, uint32_t bits)
{
	uint32_t half = UINT32_C(1) << (bits - 1);
	if (code < 2 * half)
		return code;
	uint32_t exponent = (code >> (bits - 1)) - 1;
	return exponent > 63 - bits ? UINT64_C(1) << 63 : (uint64_t) (code % half + half) << exponent;
}

#define PH_TILE_NS_BITS 9
#define PH_TILE_MESSAGE_BITS 4

#endif
