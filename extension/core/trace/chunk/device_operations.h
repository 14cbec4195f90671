/*
 * device_operations.h - what collective operations of devices are called.
 *
 * The name of a kernel is not the operation: an all_to_all runs kernels of SendRecv. What a source
 * says in arguments, annotations around launches and names of calls is of many spellings
 * (allreduce, _allgather_base, nccl:all_to_all, ncclReduceScatter), here of one.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_TRACE_CHUNK_DEVICE_OPERATIONS_H
#define PH_TRACE_CHUNK_DEVICE_OPERATIONS_H

#include <stddef.h>
#include <stdint.h>

/* Stored in activities (device_records.h): never renumber. */
typedef enum PhDeviceOperation
{
	PH_DEVICE_UNTOLD,
	PH_DEVICE_ALL_REDUCE,
	PH_DEVICE_ALL_GATHER,
	PH_DEVICE_REDUCE_SCATTER,
	PH_DEVICE_ALL_TO_ALL,
	PH_DEVICE_BROADCAST,
	PH_DEVICE_REDUCE,
	PH_DEVICE_GATHER,
	PH_DEVICE_SCATTER,
	PH_DEVICE_SEND,
	PH_DEVICE_RECV,
	PH_DEVICE_SEND_RECV, /* sends and receives at once */
	PH_DEVICE_BARRIER,
	PH_DEVICE_COALESCED, /* several operations at once */
	PH_DEVICE_OPERATION_COUNT
} PhDeviceOperation;

/* "all_reduce", …; NULL: untold, or none that is known. */
const char *ph_device_operation_name(uint64_t operation);

/*
 * The operation of a text that begins with it, with or without the name of a library of collectives
 * in front. Case, underlines and what follows are no matter: _allgather_base is all_gather.
 */
PhDeviceOperation ph_device_operation_find(const char *text, size_t size);

/* The same of a text that begins with the name of a library of collectives; of others untold. */
PhDeviceOperation ph_device_operation_of_call(const char *text, size_t size);

/* What is enough to match members of different ranks: one sends what the other receives. */
static inline PhDeviceOperation
ph_device_operation_matched(PhDeviceOperation operation)
{
	return operation == PH_DEVICE_SEND || operation == PH_DEVICE_RECV ? PH_DEVICE_SEND_RECV
																	  : operation;
}

#endif
