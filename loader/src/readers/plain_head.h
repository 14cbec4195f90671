/*
 * plain_head.h - the first bytes of a file as they are behind its compression.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_READERS_PLAIN_HEAD_H
#define PH_READERS_PLAIN_HEAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PH_PLAIN_HEAD_SIZE 4096

typedef struct PhPlainHead
{
	const uint8_t *bytes; /* those that were given, or in room */
	size_t size;
	bool is_gzip;
	uint8_t room[PH_PLAIN_HEAD_SIZE];
} PhPlainHead;

/* Of these first bytes of a file, which are lent. */
void ph_plain_head(const uint8_t *bytes, size_t size, PhPlainHead *out);

#endif
