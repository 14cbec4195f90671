/*
 * fuzz_rocpd.c - the reader of rocpd databases on arbitrary bytes.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "span_trace.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	read_device_profile(&ph_reader_rocpd, data, size);
	return 0;
}
