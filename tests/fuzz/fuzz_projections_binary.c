/*
 * fuzz_projections_binary.c - binary and compressed logs of Projections: a byte that chooses the
 * version, two that say how long the first log is, then the bytes of two logs.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "projections_run.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	PhInput sts;
	PhInput logs[2];
	size_t first;

	if (size < 3)
		return 0;
	sts = fuzz_definitions(data[0]);
	first = (size_t) data[1] << 8 | data[2];
	data += 3;
	size -= 3;
	first = first > size ? size : first;
	logs[0] = ph_input_lend("run.0.log", data, first);
	logs[1] = ph_input_lend("run.1.log", data + first, size - first);
	fuzz_read_run(&sts, logs, 2);
	return 0;
}
