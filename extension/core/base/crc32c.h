/*
 * crc32c.h - checksums of stored bytes.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_BASE_CRC32C_H
#define PH_BASE_CRC32C_H

#include <stddef.h>
#include <stdint.h>

/*
 * The CRC-32C (Castagnoli; RFC 3720) of what gave `crc`, followed by size bytes. It starts with 0:
 * ph_crc32c(0, "123456789", 9) is 0xE3069283. Every machine gives the same, so sums may be stored.
 */
uint32_t ph_crc32c(uint32_t crc, const void *data, size_t size);

/* The same without the processor's instruction; for machines that lack it, and for tests. */
uint32_t ph_crc32c_portable(uint32_t crc, const void *data, size_t size);

#endif
