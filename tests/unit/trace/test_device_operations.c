/*
 * test_device_operations.c - spellings of collective operations of devices.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "trace/chunk/device_operations.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const char *
name_of(PhDeviceOperation operation)
{
	const char *name = ph_device_operation_name(operation);
	return name == NULL ? "" : name;
}

/* Arguments, annotations, names of calls and of kernels, and "" for what is no operation. */
static const char *const spellings[][2] = {
	{"allreduce", "all_reduce"},
	{"allreduce_coalesced", "all_reduce"},
	{"_allgather_base", "all_gather"},
	{"all_gather_into_tensor_coalesced", "all_gather"},
	{"_reduce_scatter_base", "reduce_scatter"},
	{"_reduce_oop", "reduce"},
	{"ALLTOALL_BASE", "all_to_all"},
	{"all_to_allv", "all_to_all"},
	{"broadcast", "broadcast"},
	{"gather", "gather"},
	{"scatter", "scatter"},
	{"send", "send"},
	{"barrier", "barrier"},
	{"coalesced", "coalesced"},
	{"wait", ""},
	{"", ""},
	{"_", ""},
	{"all", ""},
	{"reduc", ""},
	{"nccl", ""},
	{"ncclDevKernel_", ""},
};
static const char *const calls[][2] = {
	{"nccl:all_reduce", "all_reduce"},
	{"nccl:_all_gather_base", "all_gather"},
	{"nccl:send 0->1", "send"},
	{"nccl:recv 0<-1", "recv"},
	{"c10d::allreduce_", "all_reduce"},
	{"gloo:all_to_all", "all_to_all"},
	{"ncclReduceScatter", "reduce_scatter"},
	{"ncclReduce", "reduce"},
	{"ncclBcast", "broadcast"},
	{"ncclCommInitRank", ""},
	{"ncclGroupStart", ""},
	{"ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)", "all_reduce"},
	{"ncclKernel_SendRecv_RING_SIMPLE_Sum_int8_t(ncclWorkElem)", "send_recv"},
	{"ncclAllReduceRingLLKernel_sum_f32(ncclColl)", "all_reduce"},
	{"ncclDevKernel_Generic_4(ncclDevKernelArgsStorage<4096ul>)", ""},
	{"rcclAllGather", "all_gather"},
	{"allreduce", ""},
	{"void reduce_kernel<float>()", ""},
	{"", ""},
};

static void
test_spellings(void **state)
{
	(void) state;
	for (size_t i = 0; i < COUNT(spellings); i++)
		assert_string_equal(
			name_of(ph_device_operation_find(spellings[i][0], strlen(spellings[i][0]))),
			spellings[i][1]);
	for (size_t i = 0; i < COUNT(calls); i++)
		assert_string_equal(name_of(ph_device_operation_of_call(calls[i][0], strlen(calls[i][0]))),
							calls[i][1]);
}

/* No more is looked at than there is, and what operations are called is of themselves. */
static void
test_names(void **state)
{
	(void) state;
	assert_int_equal(ph_device_operation_find("all_reduce", 9), PH_DEVICE_UNTOLD);
	assert_int_equal(ph_device_operation_of_call("nccl:send", 8), PH_DEVICE_UNTOLD);
	assert_null(ph_device_operation_name(PH_DEVICE_UNTOLD));
	assert_null(ph_device_operation_name(PH_DEVICE_OPERATION_COUNT));
	for (PhDeviceOperation i = PH_DEVICE_UNTOLD + 1; i < PH_DEVICE_OPERATION_COUNT; i++)
	{
		const char *name = ph_device_operation_name(i);
		assert_int_equal(ph_device_operation_find(name, strlen(name)), i);
	}
	assert_int_equal(ph_device_operation_matched(PH_DEVICE_RECV), PH_DEVICE_SEND_RECV);
	assert_int_equal(ph_device_operation_matched(PH_DEVICE_BARRIER), PH_DEVICE_BARRIER);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_spellings),
		cmocka_unit_test(test_names),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
