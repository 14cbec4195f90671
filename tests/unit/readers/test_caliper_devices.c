/*
 * test_caliper_devices.c - what Caliper's services for CUDA and ROCm record of devices: activities
 * below the calls that launched them, with the metrics of devices; answers by hand.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "support/reader.h"
#include "support/test_data.h"

#define CUDA DATA "../devices/cuda-trace.cali"
#define ROCM DATA "../devices/rocm-profile.json"

typedef struct KnownValue
{
	const char *path, *metric;
	uint32_t column;
	double exclusive;
} KnownValue;

static void
check_values(const char *file, const KnownValue *known, size_t n, const char *primary)
{
	PhEnv env;
	PhRunInput run;

	must_read(&env, file, &run);
	assert_string_equal(ph_profile_string(run.profile, run.profile->metrics[0].name), primary);
	for (size_t i = 0; i < n; i++)
	{
		double value = ph_profile_cell(run.profile, find_metric(run.profile, known[i].metric),
									   find_node(run.profile, known[i].path), known[i].column,
									   PH_COST_EXCLUSIVE);

		if (fabs(value - known[i].exclusive) > 1e-15)
			fail_msg("%s: %s of %s is %g, expected %g", file, known[i].metric, known[i].path, value,
					 known[i].exclusive);
	}
	done(&env, &run);
}

/* Rows are single activities; a kernel that was launched outside any region is a root. */
static void
test_cuda(void **state)
{
	static const KnownValue known[] = {
		{"[\"main\", \"solve\"]", "time", 0, 2.5},
		{"[\"main\", \"solve\"]", "gpu time", 0, 0},
		{"[\"main\", \"solve\", \"cudaLaunchKernel\"]", "time", 0, 0.5},
		{"[\"main\", \"solve\", \"cudaLaunchKernel\"]", "gpu kernels", 0, 0},
		{"[\"main\", \"solve\", \"cudaLaunchKernel\", \"scale<float, 2>(float*)\"]", "gpu time", 0,
		 750e-9},
		{"[\"main\", \"solve\", \"cudaLaunchKernel\", \"scale<float, 2>(float*)\"]", "gpu kernels",
		 0, 2},
		{"[\"main\", \"solve\", \"cudaLaunchKernel\", \"add(float*)\"]", "gpu time", 0, 1000e-9},
		{"[\"main\", \"solve\", \"cudaLaunchKernel\", \"add(float*)\"]", "gpu kernels", 0, 1},
		{"[\"main\", \"solve\", \"cudaMemcpy\", \"memcpy HtoD\"]", "gpu time", 0, 100e-9},
		{"[\"main\", \"solve\", \"cudaMemcpy\", \"memcpy HtoD\"]", "gpu kernels", 0, 0},
		{"[\"main\", \"solve\", \"cudaMemcpy\", \"memcpy HtoD\"]", "gpu copy bytes", 0, 4096},
		{"[\"early()\"]", "gpu time", 0, 100e-9},
		{"[\"early()\"]", "gpu kernels", 0, 1},
	};

	(void) state;
	check_values(CUDA, known, sizeof(known) / sizeof(known[0]), "time");
}

/* Sums of many activities and how many they were, of two ranks. */
static void
test_rocm(void **state)
{
	static const KnownValue known[] = {
		{"[\"main\"]", "time", 0, 2.5},
		{"[\"main\", \"hipLaunchKernel\"]", "time", 0, 0.5},
		{"[\"main\", \"hipLaunchKernel\", \"scale(float*)\"]", "gpu time", 0, 0.75},
		{"[\"main\", \"hipLaunchKernel\", \"scale(float*)\"]", "gpu time", 1, 0.25},
		{"[\"main\", \"hipLaunchKernel\", \"scale(float*)\"]", "gpu kernels", 0, 3},
		{"[\"main\", \"hipLaunchKernel\", \"scale(float*)\"]", "gpu kernels", 1, 1},
		{"[\"main\", \"hipMemcpy\", \"memcpy DtoH\"]", "gpu time", 0, 0.125},
		{"[\"main\", \"hipMemcpy\", \"memcpy DtoH\"]", "gpu copy bytes", 0, 8192},
		{"[\"main\", \"hipMemcpy\", \"memcpy DtoH\"]", "gpu kernels", 0, 0},
		{"[\"main\", \"hipMemcpy\", \"memset\"]", "gpu time", 1, 0.5},
	};

	(void) state;
	check_values(ROCM, known, sizeof(known) / sizeof(known[0]), "time");
}

static void
test_faults(void **state)
{
	(void) state;
	fail_every_allocation_of(READ_CALIPER_CALI, CUDA);
	fail_every_allocation_of(READ_CALIPER_JSON, ROCM);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cuda),
		cmocka_unit_test(test_rocm),
		cmocka_unit_test(test_faults),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
