/*
 * layout.h - where things are in a Darshan log: its versions, modules and the counters of records.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_READERS_DARSHAN_LAYOUT_H
#define PH_READERS_DARSHAN_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PH_DARSHAN_MODULES 64

typedef struct PhDarshanRegion
{
	uint64_t offset, size; /* in the file, compressed */
} PhDarshanRegion;

/* The first bytes of a log. */
typedef struct PhDarshanHeader
{
	uint32_t minor;	 /* of version 3: "3.41" */
	bool is_swapped; /* its numbers are in the other byte order than this machine's */
	uint8_t compression;
	uint64_t partial; /* a bit for each module that ran out of memory */
	size_t size;
	uint32_t n_modules;
	PhDarshanRegion job, names, modules[PH_DARSHAN_MODULES];
	uint32_t versions[PH_DARSHAN_MODULES];
} PhDarshanHeader;

typedef enum PhDarshanCompression
{
	PH_DARSHAN_ZLIB,
	PH_DARSHAN_BZIP2,
	PH_DARSHAN_PLAIN
} PhDarshanCompression;

/* Are these the first bytes of a log of version 3? */
bool ph_darshan_is_log(const uint8_t *bytes, size_t size);

/* False: the file ends within its header. Nothing of it is checked but that. */
bool ph_darshan_header(const uint8_t *bytes, size_t size, PhDarshanHeader *out);

/* "POSIX"; "module 17" has no name: NULL. Modules have moved between versions. */
const char *ph_darshan_module(const PhDarshanHeader *header, uint32_t module);

/* A counter of a module's records, in their order: whole numbers first. */
typedef struct PhDarshanCounter
{
	const char *name; /* without prefix */
	uint8_t since;	  /* the first version of the module's records that has it */
	bool is_real;
} PhDarshanCounter;

/* The counters of a record, *n of them; NULL: records of this module and version are not read. */
const PhDarshanCounter *ph_darshan_counters(const char *module, uint32_t version, size_t *n);

/* Numbers as they lie in the log. */
uint64_t ph_darshan_u64(const uint8_t *bytes, bool is_swapped);
uint32_t ph_darshan_u32(const uint8_t *bytes, bool is_swapped);

#endif
