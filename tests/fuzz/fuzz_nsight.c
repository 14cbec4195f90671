/*
 * fuzz_nsight.c - the reader of Nsight Systems exports on arbitrary bytes.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "span_trace.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	read_device_profile(&ph_reader_nsight, data, size);
	return 0;
}
