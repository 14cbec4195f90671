/*
 * tar.h - tar archives in memory, for tests of readers.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_SUPPORT_TAR_H
#define PH_SUPPORT_TAR_H

#include <stddef.h>
#include <stdint.h>

typedef struct TarMember
{
	const char *name;
	const void *bytes;
	size_t size;
} TarMember;

/* The members in order, with the two empty blocks at the end; caller frees. */
uint8_t *make_tar(const TarMember *members, size_t n_members, size_t *size);

#endif
