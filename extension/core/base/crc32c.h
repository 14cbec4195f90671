/*
 * crc32c.h - checksums of stored bytes.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_BASE_CRC32C_H
#define PH_BASE_CRC32C_H

#include "base/bytes.h"

/*
 * The CRC-32C (Castagnoli; RFC 3720) of what gave `crc`, followed by size bytes. It starts with 0:
 * ph_crc32c(0, "123456789", 9) is 0xE3069283. Every machine gives the same, so sums may be stored.
 */
uint32_t ph_crc32c(uint32_t crc, const void *data, size_t size);

/* The same without the processor's instruction; for machines that lack it, and for tests. */
uint32_t ph_crc32c_portable(uint32_t crc, const void *data, size_t size);

/* What numbers and byte strings add to a sum, whatever the machine's byte order. */
static inline uint32_t
ph_crc32c_add_number(uint32_t crc, uint64_t number)
{
	uint8_t bytes[8];
	PhByteWriter writer = {bytes};
	ph_put(&writer, number, sizeof(bytes));
	return ph_crc32c(crc, bytes, sizeof(bytes));
}

static inline uint32_t
ph_crc32c_add_bytes(uint32_t crc, PhBytes bytes)
{
	crc = ph_crc32c_add_number(crc, bytes.size);
	return bytes.size > 0 ? ph_crc32c(crc, bytes.data, bytes.size) : crc;
}

#endif
