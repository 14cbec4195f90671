/*
 * fuzz_projections_sts.c - definitions of Projections, with two logs that refer to some.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "projections_run.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char first[] =
		"PROJECTIONS-RECORD 5\n6 10\n1 21 1 20 0 0 80 0\n14 21 0\n15 30 0\n7 40\n";
	static const char second[] =
		"PROJECTIONS-RECORD 4\n6 11\n2 21 1 25 0 0 80 0 3 9\n3 0 1 26 0 0 0 9\n7 41\n";
	PhInput sts = ph_input_lend("run.sts", data, size);
	PhInput logs[2] = {ph_input_lend("run.0.log", first, sizeof(first) - 1),
					   ph_input_lend("run.1.log", second, sizeof(second) - 1)};

	fuzz_read_run(&sts, logs, 2);
	return 0;
}
