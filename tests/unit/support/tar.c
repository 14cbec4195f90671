/*
 * tar.c - tar archives in memory.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "support/tar.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BLOCK 512

static void
write_header(uint8_t *header, const TarMember *member)
{
	char number[32];
	unsigned sum = 0;
	snprintf((char *) header, 100, "%s", member->name);
	memcpy(header + 100, "0000600", 7);
	memcpy(header + 108, "0000000", 7);
	memcpy(header + 116, "0000000", 7);
	snprintf(number, sizeof(number), "%011llo", (unsigned long long) member->size);
	memcpy(header + 124, number, 11);
	memcpy(header + 136, "00000000000", 11);
	memset(header + 148, ' ', 8);
	header[156] = '0';
	memcpy(header + 257, "ustar", 6);
	memcpy(header + 263, "00", 2);
	for (int i = 0; i < BLOCK; i++)
		sum += header[i];
	snprintf(number, sizeof(number), "%06o", sum);
	memcpy(header + 148, number, 7);
}

uint8_t *
make_tar(const TarMember *members, size_t n_members, size_t *size)
{
	*size = 2 * BLOCK;
	for (size_t i = 0; i < n_members; i++)
		*size += BLOCK + (members[i].size + BLOCK - 1) / BLOCK * BLOCK;
	uint8_t *bytes = calloc(1, *size);
	uint8_t *at = bytes;
	for (size_t i = 0; i < n_members; i++)
	{
		write_header(at, &members[i]);
		if (members[i].size > 0)
			memcpy(at + BLOCK, members[i].bytes, members[i].size);
		at += BLOCK + (members[i].size + BLOCK - 1) / BLOCK * BLOCK;
	}
	return bytes;
}
