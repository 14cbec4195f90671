/*
 * fuzz_rocpd.c - the reader of rocpd databases on arbitrary bytes, and on databases of arbitrary
 * tables.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "device_database.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	return fuzz_device_database(&ph_reader_rocpd, data, size);
}
