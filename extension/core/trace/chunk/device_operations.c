/*
 * device_operations.c - see device_operations.h.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "trace/chunk/device_operations.h"

#include <stdbool.h>

#define LENGTH(array) (sizeof(array) / sizeof((array)[0]))

static const char *const names[PH_DEVICE_OPERATION_COUNT] = {
	[PH_DEVICE_ALL_REDUCE] = "all_reduce",
	[PH_DEVICE_ALL_GATHER] = "all_gather",
	[PH_DEVICE_REDUCE_SCATTER] = "reduce_scatter",
	[PH_DEVICE_ALL_TO_ALL] = "all_to_all",
	[PH_DEVICE_BROADCAST] = "broadcast",
	[PH_DEVICE_REDUCE] = "reduce",
	[PH_DEVICE_GATHER] = "gather",
	[PH_DEVICE_SCATTER] = "scatter",
	[PH_DEVICE_SEND] = "send",
	[PH_DEVICE_RECV] = "recv",
	[PH_DEVICE_SEND_RECV] = "send_recv",
	[PH_DEVICE_BARRIER] = "barrier",
	[PH_DEVICE_COALESCED] = "coalesced",
};

/* Letters alone; those that begin with another one come before it. */
static const struct
{
	const char *letters;
	PhDeviceOperation operation;
} spellings[] = {
	{"allreduce", PH_DEVICE_ALL_REDUCE},
	{"allgather", PH_DEVICE_ALL_GATHER},
	{"alltoall", PH_DEVICE_ALL_TO_ALL},
	{"reducescatter", PH_DEVICE_REDUCE_SCATTER},
	{"reduce", PH_DEVICE_REDUCE},
	{"broadcast", PH_DEVICE_BROADCAST},
	{"bcast", PH_DEVICE_BROADCAST},
	{"gather", PH_DEVICE_GATHER},
	{"scatter", PH_DEVICE_SCATTER},
	{"sendrecv", PH_DEVICE_SEND_RECV},
	{"send", PH_DEVICE_SEND},
	{"recv", PH_DEVICE_RECV},
	{"barrier", PH_DEVICE_BARRIER},
	{"coalesced", PH_DEVICE_COALESCED},
};

/* In front of operations: nccl:all_reduce, ncclAllReduce, ncclDevKernel_AllReduce_…. */
static const char *const libraries[] = {"oneccl", "nccl", "rccl", "hccl", "xccl", "gloo", "c10d"};
static const char *const kernels[] = {"devkernel", "kernel"};

const char *
ph_device_operation_name(uint64_t operation)
{
	return operation < PH_DEVICE_OPERATION_COUNT ? names[operation] : NULL;
}

static char
lower(char letter)
{
	return letter >= 'A' && letter <= 'Z' ? (char) (letter - 'A' + 'a') : letter;
}

/* How many bytes of text are word, whatever its case and underlines; 0: it does not begin so. */
static size_t
length_of(const char *word, const char *text, size_t size)
{
	size_t at = 0;

	for (; *word != '\0'; word++)
	{
		while (at < size && text[at] == '_')
			at++;
		if (at == size || lower(text[at]) != *word)
			return 0;
		at++;
	}
	return at;
}

static size_t
length_of_any(const char *const *words, size_t n, const char *text, size_t size)
{
	size_t length = 0;

	for (size_t i = 0; i < n && length == 0; i++)
		length = length_of(words[i], text, size);
	return length;
}

/* How much of the text is the name of a library with what parts it from the operation. */
static size_t
skip_library(const char *text, size_t size)
{
	size_t at = length_of_any(libraries, LENGTH(libraries), text, size);

	if (at == 0)
		return 0;
	at += length_of_any(kernels, LENGTH(kernels), text + at, size - at);
	while (at < size && text[at] == ':')
		at++;
	return at;
}

static PhDeviceOperation
find_spelling(const char *text, size_t size)
{
	for (size_t i = 0; i < LENGTH(spellings); i++)
		if (length_of(spellings[i].letters, text, size) > 0)
			return spellings[i].operation;
	return PH_DEVICE_UNTOLD;
}

PhDeviceOperation
ph_device_operation_find(const char *text, size_t size)
{
	size_t at = skip_library(text, size);

	return find_spelling(text + at, size - at);
}

PhDeviceOperation
ph_device_operation_of_call(const char *text, size_t size)
{
	size_t at = skip_library(text, size);

	return at == 0 ? PH_DEVICE_UNTOLD : find_spelling(text + at, size - at);
}
