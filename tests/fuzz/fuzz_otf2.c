/*
 * fuzz_otf2.c - the reader of OTF2 archives on archives that are well-formed files, but may say
 * anything: an error, or events and messages that fit the model.
 *
 * The input is a list of records to write, by libotf2 itself, into a temporary archive: events of
 * two locations, and of a stream of a device from the last quarter of the input, then definitions.
 * Numbers are small, so that references meet what is defined, or miss it.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pipeline/trace/read.h"
#include "readers/otf2/archive.h"

#include "otf2_records.h"
#include "private_folder.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define MOST_RECORDS 600

#define MOST_DEPTH 64

typedef struct Input
{
	const uint8_t *data;
	size_t size, at;
	uint32_t n_defined;			/* numbers that were given to definitions */
	uint32_t stack[MOST_DEPTH]; /* regions entered on the location */
	uint32_t depth;
	OTF2_AttributeList *attributes; /* of a stream; NULL: none */
} Input;

static uint8_t
next(Input *input)
{
	return input->at < input->size ? input->data[input->at++] : 0;
}

/* Mostly a small number. */
static uint32_t
number(Input *input)
{
	uint8_t byte = next(input);

	return byte < 250 ? byte % 6 : (uint32_t) byte << 24 | byte;
}

/* The next ones, in their order: arguments of a call have none. */
static void
take_numbers(Input *input, uint32_t *out, int n)
{
	for (int i = 0; i < n; i++)
		out[i] = number(input);
}

/* Mostly one of the first few, which the base defines. */
static uint32_t
one_of(Input *input, uint32_t n)
{
	uint8_t byte = next(input);

	return byte < 245 ? byte % n : (uint32_t) byte << 24 | byte;
}

/* Mostly the base's communicator, or one of the input's. */
static uint32_t
communicator(Input *input)
{
	uint8_t byte = next(input);

	return byte < 180 ? 0 : byte < 245 ? byte % 16 : (uint32_t) byte << 24 | byte;
}

/* One of the input's, or of the base's, which are 100 and 101. */
static uint32_t
group(Input *input)
{
	uint32_t id = number(input);

	return id == 4 || id == 5 ? id + 96 : id;
}

/* Of a new definition: mostly a number that no other has. */
static uint32_t
new_number(Input *input)
{
	uint8_t byte = next(input);

	return byte < 240 ? 10 + input->n_defined++ : (uint32_t) byte % 16;
}

/* What our exports say of activities; the base defines the attributes in this order. */
static void
add_attributes(Input *input)
{
	uint8_t which = next(input);

	if (which & 1)
	{
		OTF2_AttributeList_AddLocationRef(input->attributes, PH_OTF2_LAUNCH_LOCATION,
										  one_of(input, 3));
		OTF2_AttributeList_AddUint64(input->attributes, PH_OTF2_LAUNCH_RECORD, number(input));
		OTF2_AttributeList_AddUint64(input->attributes, PH_OTF2_LAUNCH_TIME,
									 (uint64_t) number(input) << (which / 4 % 64));
	}
	if (which & 2)
	{
		OTF2_AttributeList_AddUint64(input->attributes, PH_OTF2_BYTES, number(input));
		OTF2_AttributeList_AddStringRef(input->attributes, PH_OTF2_CONFIGURATION,
										100 + one_of(input, 8));
		OTF2_AttributeList_AddCommRef(input->attributes, PH_OTF2_COMMUNICATOR, which / 128);
	}
	if ((which & 12) == 12)
	{
		OTF2_AttributeList_AddLocationRef(input->attributes, PH_OTF2_AWAITED_LOCATION,
										  one_of(input, 3));
		OTF2_AttributeList_AddUint64(input->attributes, PH_OTF2_AWAITED_BEFORE, number(input));
	}
}

static void
enter(Input *input, OTF2_EvtWriter *writer, uint64_t time)
{
	uint32_t region = one_of(input, 4);

	if (input->depth < MOST_DEPTH)
		input->stack[input->depth++] = region;
	if (input->attributes != NULL)
		add_attributes(input);
	OTF2_EvtWriter_Enter(writer, input->attributes, time, region);
}

static void
leave(Input *input, OTF2_EvtWriter *writer, uint64_t time)
{
	uint32_t region = one_of(input, 4);

	if (input->depth > 0 && next(input) < 250)
		region = input->stack[--input->depth];
	OTF2_EvtWriter_Leave(writer, NULL, time, region);
}

static OTF2_FlushType
flush(void *user, OTF2_FileType type, OTF2_LocationRef location, void *caller, bool final)
{
	(void) user;
	(void) type;
	(void) location;
	(void) caller;
	(void) final;
	return OTF2_FLUSH;
}

/* ---- events ---- */

static void
write_message(Input *input, OTF2_EvtWriter *writer, uint64_t time, uint8_t kind)
{
	uint32_t peer = number(input);
	uint32_t comm = communicator(input);
	uint32_t tag = number(input);
	uint64_t bytes = number(input);
	uint64_t request = number(input);

	if (kind == 0)
		OTF2_EvtWriter_MpiSend(writer, NULL, time, peer, comm, tag, bytes);
	else if (kind == 1)
		OTF2_EvtWriter_MpiRecv(writer, NULL, time, peer, comm, tag, bytes);
	else if (kind == 2)
		OTF2_EvtWriter_MpiIsend(writer, NULL, time, peer, comm, tag, bytes, request);
	else
		OTF2_EvtWriter_MpiIrecv(writer, NULL, time, peer, comm, tag, bytes, request);
}

static void
write_window(Input *input, OTF2_EvtWriter *writer, uint64_t time, uint32_t window)
{
	uint8_t kind = next(input) % 4;
	uint32_t to = number(input);

	if (kind == 0)
		OTF2_EvtWriter_RmaCollectiveEnd(writer, NULL, time, OTF2_COLLECTIVE_OP_BARRIER,
										OTF2_RMA_SYNC_LEVEL_NONE, window, to, 1, 2);
	else if (kind == 1)
		OTF2_EvtWriter_RmaGroupSync(writer, NULL, time, OTF2_RMA_SYNC_LEVEL_PROCESS, window,
									to + 98); /* the base's groups are 100 and 101 */
	else if (kind == 2)
		OTF2_EvtWriter_RmaAcquireLock(writer, NULL, time, window, to, 0, next(input) % 2);
	else
		OTF2_EvtWriter_RmaReleaseLock(writer, NULL, time, window, to, 0);
}

static void
write_other(Input *input, OTF2_EvtWriter *writer, uint64_t time, uint8_t kind)
{
	OTF2_MetricValue values[8] = {{.unsigned_int = time}};
	OTF2_Type types[8] = {OTF2_TYPE_UINT64, OTF2_TYPE_INT64,  OTF2_TYPE_DOUBLE, OTF2_TYPE_UINT64,
						  OTF2_TYPE_UINT64, OTF2_TYPE_UINT64, OTF2_TYPE_UINT64, OTF2_TYPE_UINT64};
	uint32_t first = one_of(input, 1);
	uint32_t numbers[2];

	if (kind == 0)
		OTF2_EvtWriter_Metric(writer, NULL, time, first, next(input) % 8, types, values);
	else if (kind == 1)
		OTF2_EvtWriter_ParameterUnsignedInt(writer, NULL, time, first, number(input));
	else if (kind == 2)
	{
		take_numbers(input, numbers, 2);
		OTF2_EvtWriter_RmaPut(writer, NULL, time, first, numbers[0], numbers[1], 1);
	}
	else if (kind == 3)
		OTF2_EvtWriter_ThreadTeamBegin(writer, NULL, time, first);
	else if (kind == 4)
		OTF2_EvtWriter_IoSeek(writer, NULL, time, first, -1, OTF2_IO_SEEK_FROM_END, 7);
	else if (kind == 5)
		OTF2_EvtWriter_CallingContextSample(writer, NULL, time, first, 1, 2);
	else if (kind == 6)
		OTF2_EvtWriter_BufferFlush(writer, NULL, time, first);
	else
		write_window(input, writer, time, first);
}

/* What the archives of few tools have. */
static void
write_rare(Input *input, OTF2_EvtWriter *writer, uint64_t time, uint8_t group)
{
	uint8_t kind = next(input);
	uint32_t numbers[4];

	for (int i = 0; i < 4; i++)
		numbers[i] = number(input);
	if (group < 2)
		write_window_record(writer, time, kind, numbers);
	else if (group == 2)
		write_thread_record(writer, time, kind, numbers);
	else if (group == 3)
		write_io_record(writer, time, kind, numbers);
	else
		write_rest_record(writer, time, kind, numbers);
}

static void
write_event(Input *input, OTF2_EvtWriter *writer, uint64_t time)
{
	uint8_t byte = next(input);
	uint8_t kind = byte % 22;
	uint32_t operation, comm;

	if (byte >= 220)
		write_rare(input, writer, time, byte % 6);
	else if (kind < 4)
		write_message(input, writer, time, kind);
	else if (kind < 7)
		enter(input, writer, time);
	else if (kind < 10)
		leave(input, writer, time);
	else if (kind == 10)
		OTF2_EvtWriter_MpiIrecvRequest(writer, NULL, time, number(input));
	else if (kind == 11)
		OTF2_EvtWriter_MpiRequestCancelled(writer, NULL, time, number(input));
	else if (kind == 12)
		OTF2_EvtWriter_MpiCollectiveBegin(writer, NULL, time);
	else if (kind == 13)
	{
		operation = number(input);
		comm = communicator(input);
		OTF2_EvtWriter_MpiCollectiveEnd(writer, NULL, time, (OTF2_CollectiveOp) operation, comm,
										number(input), 1, 2);
	}
	else
		write_other(input, writer, time, kind - 14);
}

static uint64_t
write_events(Input *input, OTF2_Archive *archive, uint64_t location)
{
	OTF2_EvtWriter *writer = OTF2_Archive_GetEvtWriter(archive, location);
	uint64_t time = 1000;
	uint64_t n = 0;
	uint8_t step;

	input->depth = 0;
	for (int i = 0; i < MOST_RECORDS && (step = next(input)) != 0; i++)
	{
		time = step == 255 ? time - 3 : step == 254 ? time << 7 : time + step;
		write_event(input, writer, time);
	}
	OTF2_EvtWriter_GetNumberOfEvents(writer, &n);
	return n;
}

/* ---- definitions ---- */

static void
write_text(Input *input, OTF2_GlobalDefWriter *writer)
{
	char text[16];
	uint32_t id = new_number(input);
	size_t length = next(input) % sizeof(text);

	for (size_t i = 0; i < length; i++)
	{
		text[i] = (char) next(input);
		text[i] = text[i] == '\0' ? ' ' : text[i];
	}
	text[length] = '\0';
	OTF2_GlobalDefWriter_WriteString(writer, id, text);
}

static void
write_group(Input *input, OTF2_GlobalDefWriter *writer)
{
	uint64_t members[8];
	uint32_t id = new_number(input);
	OTF2_GroupType type = next(input) % 8;
	OTF2_Paradigm paradigm = next(input) % 3 == 0 ? next(input) : OTF2_PARADIGM_MPI;
	uint32_t n = next(input) % 9;

	for (uint32_t i = 0; i < n; i++)
		members[i] = number(input);
	OTF2_GlobalDefWriter_WriteGroup(writer, id, 0, type, paradigm, next(input) % 2, n, members);
}

static void
write_metric(Input *input, OTF2_GlobalDefWriter *writer, uint8_t kind)
{
	uint32_t id = new_number(input);
	uint32_t members[3];

	if (kind == 0)
	{
		members[0] = number(input);
		members[1] = next(input) % 2;
		members[2] = next(input);
		OTF2_GlobalDefWriter_WriteMetricMember(
			writer, id, members[0], 0, OTF2_METRIC_TYPE_OTHER, OTF2_METRIC_ACCUMULATED_START,
			OTF2_TYPE_UINT64, (OTF2_Base) members[1], (int8_t) members[2], number(input));
	}
	else if (kind == 1)
	{
		for (int i = 0; i < 3; i++)
			members[i] = number(input);
		OTF2_GlobalDefWriter_WriteMetricClass(writer, id, next(input) % 4, members,
											  OTF2_METRIC_SYNCHRONOUS, OTF2_RECORDER_KIND_CPU);
	}
	else
		OTF2_GlobalDefWriter_WriteMetricInstance(writer, id, number(input), 0, OTF2_SCOPE_LOCATION,
												 0);
}

static void
write_system(Input *input, OTF2_GlobalDefWriter *writer, uint8_t kind)
{
	uint32_t id = new_number(input);
	uint32_t to = number(input);
	uint32_t first = kind == 0 ? number(input) : next(input);

	if (kind == 0)
		OTF2_GlobalDefWriter_WriteSystemTreeNode(writer, id, first, number(input), to);
	else if (kind == 1)
		OTF2_GlobalDefWriter_WriteLocationGroup(writer, id, 0, first % 3, to, number(input));
	else /* the base's first process is 100, its device 102 */
		OTF2_GlobalDefWriter_WriteLocation(writer, id, 10, first % 4, next(input) % 2,
										   to == 4	 ? 100
										   : to == 5 ? 102
													 : to);
}

static void
write_comm(Input *input, OTF2_GlobalDefWriter *writer, uint8_t kind)
{
	uint32_t id = new_number(input);
	uint32_t to = kind == 2 ? number(input) : group(input);
	uint32_t second;

	if (kind == 0)
		OTF2_GlobalDefWriter_WriteComm(writer, id, 0, to, number(input), OTF2_COMM_FLAG_NONE);
	else if (kind == 1)
	{
		second = group(input);
		OTF2_GlobalDefWriter_WriteInterComm(writer, id, 0, to, second, number(input),
											OTF2_COMM_FLAG_NONE);
	}
	else
		OTF2_GlobalDefWriter_WriteRmaWin(writer, id, 0, to, OTF2_RMA_WIN_FLAG_NONE);
}

/* The base has 100 to 118 as texts, 100 and 101 as processes, 0 as a communicator. */
static void
write_described(Input *input, OTF2_GlobalDefWriter *writer, uint8_t kind)
{
	uint32_t self = number(input);
	uint32_t name = number(input) + 100;
	OTF2_Type type = (OTF2_Type) (next(input) % 24);
	OTF2_AttributeValue value = {.uint64 = number(input) + (type == OTF2_TYPE_STRING ? 100 : 0)};
	uint32_t dimensions[3] = {self, name - 100, 1};

	if (kind == 0)
		OTF2_GlobalDefWriter_WriteSystemTreeNodeProperty(writer, self, name, type, value);
	else if (kind == 1)
		OTF2_GlobalDefWriter_WriteLocationGroupProperty(writer, self + 100, name, type, value);
	else if (kind == 2)
		OTF2_GlobalDefWriter_WriteLocationProperty(writer, self, name, type, value);
	else if (kind == 3)
		OTF2_GlobalDefWriter_WriteCartDimension(writer, self, name, (uint32_t) value.uint64,
												OTF2_CART_PERIODIC_FALSE);
	else
		OTF2_GlobalDefWriter_WriteCartTopology(writer, self, name, self % 2, type % 4, dimensions);
}

/* Of code, and of time. */
static void
write_other_definition(Input *input, OTF2_GlobalDefWriter *writer, uint8_t kind)
{
	uint32_t numbers[3];
	uint32_t id = kind < 3 ? new_number(input) : number(input);
	uint8_t role, paradigm;

	numbers[0] = number(input);
	if (kind == 0)
	{
		role = next(input);
		paradigm = next(input);
		take_numbers(input, numbers + 1, 2);
		OTF2_GlobalDefWriter_WriteRegion(writer, id, numbers[0], 0, 0, role, paradigm,
										 OTF2_REGION_FLAG_NONE, numbers[1], numbers[2], 0);
	}
	else if (kind == 1)
		OTF2_GlobalDefWriter_WriteParameter(writer, id, numbers[0], OTF2_PARAMETER_TYPE_UINT64);
	else if (kind == 2)
		OTF2_GlobalDefWriter_WriteCallingContext(writer, id, numbers[0], 0, number(input));
	else
		OTF2_GlobalDefWriter_WriteClockProperties(writer, id, numbers[0], 10, number(input));
}

static void
write_definition(Input *input, OTF2_GlobalDefWriter *writer)
{
	uint8_t byte = next(input);
	uint8_t kind = byte % 15;

	if (byte >= 225)
		write_described(input, writer, byte % 5);
	else if (kind == 0)
		write_text(input, writer);
	else if (kind == 1)
		write_group(input, writer);
	else if (kind < 5)
		write_metric(input, writer, kind - 2);
	else if (kind < 8)
		write_system(input, writer, kind - 5);
	else if (kind < 11)
		write_comm(input, writer, kind - 8);
	else
		write_other_definition(input, writer, kind - 11);
}

/* A stream of the first process: its location is 2. */
static void
write_stream(OTF2_GlobalDefWriter *writer, uint64_t n_events)
{
	static const char *const texts[] = {"grid 1,2,3 block 4,5,6 registers 7 static 8 dynamic 9",
										"grid 1,2,3 block 4,5,6 registers 7 static 8 dynamic 9 ",
										PH_OTF2_STREAM_DEVICE,
										PH_OTF2_STREAM_CONTEXT,
										PH_OTF2_STREAM_NUMBER,
										PH_OTF2_STREAM_LANE};

	for (uint32_t i = 0; i < 6; i++)
		OTF2_GlobalDefWriter_WriteString(writer, 101 + i, texts[i]);
	for (uint32_t i = 0; i < PH_OTF2_ACTIVITY_ATTRIBUTES; i++)
	{
		static const OTF2_Type types[] = {OTF2_TYPE_LOCATION, OTF2_TYPE_UINT64, OTF2_TYPE_UINT64,
										  OTF2_TYPE_UINT64,	  OTF2_TYPE_STRING, OTF2_TYPE_COMM,
										  OTF2_TYPE_LOCATION, OTF2_TYPE_UINT64, OTF2_TYPE_STRING};

		_Static_assert(sizeof(types) / sizeof(types[0]) == PH_OTF2_ACTIVITY_ATTRIBUTES,
					   "an attribute has no type");
		OTF2_GlobalDefWriter_WriteString(writer, 110 + i, ph_otf2_activity_attributes[i]);
		OTF2_GlobalDefWriter_WriteAttribute(writer, i, 110 + i, 100, types[i]);
	}
	OTF2_GlobalDefWriter_WriteLocationGroup(writer, 102, 100, OTF2_LOCATION_GROUP_TYPE_ACCELERATOR,
											0, 100);
	OTF2_GlobalDefWriter_WriteLocation(writer, 2, 100, OTF2_LOCATION_TYPE_ACCELERATOR_STREAM,
									   n_events, 102);
	for (uint32_t i = 0; i < 4; i++)
		OTF2_GlobalDefWriter_WriteLocationProperty(writer, 2, 103 + i, OTF2_TYPE_INT64,
												   (OTF2_AttributeValue){.int64 = i});
}

/* Two processes with regions 0 to 3, so that most inputs get past the definitions. */
static void
write_base(OTF2_GlobalDefWriter *writer, const uint64_t *n_events)
{
	static const uint64_t both[] = {0, 1};
	static const uint32_t member = 0;

	OTF2_GlobalDefWriter_WriteClockProperties(writer, 1000000, 900, 10, OTF2_UNDEFINED_TIMESTAMP);
	OTF2_GlobalDefWriter_WriteString(writer, 100, "f");
	for (uint32_t i = 0; i < 4; i++)
		OTF2_GlobalDefWriter_WriteRegion(writer, i, 100, 100, 100, OTF2_REGION_ROLE_FUNCTION,
										 OTF2_PARADIGM_MPI, OTF2_REGION_FLAG_NONE, 100, 0, 0);
	for (uint32_t i = 0; i < 2; i++)
	{
		OTF2_GlobalDefWriter_WriteLocationGroup(writer, 100 + i, 100,
												OTF2_LOCATION_GROUP_TYPE_PROCESS, 0,
												OTF2_UNDEFINED_LOCATION_GROUP);
		OTF2_GlobalDefWriter_WriteLocation(writer, i, 100, OTF2_LOCATION_TYPE_CPU_THREAD,
										   n_events[i], 100 + i);
	}
	OTF2_GlobalDefWriter_WriteGroup(writer, 100, 100, OTF2_GROUP_TYPE_COMM_LOCATIONS,
									OTF2_PARADIGM_MPI, OTF2_GROUP_FLAG_NONE, 2, both);
	OTF2_GlobalDefWriter_WriteGroup(writer, 101, 100, OTF2_GROUP_TYPE_COMM_GROUP, OTF2_PARADIGM_MPI,
									OTF2_GROUP_FLAG_NONE, 2, both);
	OTF2_GlobalDefWriter_WriteComm(writer, 0, 100, 101, OTF2_UNDEFINED_COMM, OTF2_COMM_FLAG_NONE);
	OTF2_GlobalDefWriter_WriteRmaWin(writer, 0, 100, 0, OTF2_RMA_WIN_FLAG_NONE);
	OTF2_GlobalDefWriter_WriteMetricMember(writer, 0, 100, 0, OTF2_METRIC_TYPE_OTHER,
										   OTF2_METRIC_ACCUMULATED_START, OTF2_TYPE_UINT64,
										   OTF2_BASE_DECIMAL, 0, 100);
	OTF2_GlobalDefWriter_WriteMetricClass(writer, 0, 1, &member, OTF2_METRIC_SYNCHRONOUS,
										  OTF2_RECORDER_KIND_CPU);
	OTF2_GlobalDefWriter_WriteParameter(writer, 0, 100, OTF2_PARAMETER_TYPE_UINT64);
}

/* Clock offsets and numbers of its own, of a location. */
static void
write_local(Input *input, OTF2_Archive *archive, uint64_t location)
{
	OTF2_DefWriter *writer = OTF2_Archive_GetDefWriter(archive, location);
	uint64_t ids[4] = {0, 1, 2, 3};
	uint8_t n = next(input) % 4;
	uint32_t numbers[2];
	OTF2_IdMap *map;

	for (uint8_t i = 0; i < n; i++)
	{
		take_numbers(input, numbers, 2);
		OTF2_DefWriter_WriteClockOffset(writer, 1000 + 100 * (uint64_t) numbers[0],
										(int64_t) numbers[1] - 3, 1.0);
	}
	for (int i = 0; i < 4 && n == 3; i++)
		ids[i] = one_of(input, 4);
	map = OTF2_IdMap_CreateFromUint64Array(4, ids, false);
	if (n % 2 == 1)
		OTF2_DefWriter_WriteMappingTable(writer, OTF2_MAPPING_REGION, map);
	OTF2_IdMap_Free(map);
	OTF2_Archive_CloseDefWriter(archive, writer);
}

static void
write_all_local(Input *input, OTF2_Archive *archive)
{
	OTF2_Archive_OpenDefFiles(archive);
	for (uint64_t i = 0; i < 3; i++)
		write_local(input, archive, i);
	OTF2_Archive_CloseDefFiles(archive);
}

/* What our exports say, and what other tools do. */
static void
write_properties(Input *input, OTF2_Archive *archive)
{
	static const char *const clocks[] = {"uncorrected", "offsets", "logical", "other"};

	OTF2_Archive_SetProperty(archive, PH_OTF2_CLOCK_PROPERTY, clocks[next(input) % 4], true);
	OTF2_Archive_SetProperty(archive, PH_OTF2_RANKS_PROPERTY, "2", true);
	OTF2_Archive_SetProperty(archive, "OTHER::PROPERTY", "value", true);
	OTF2_Archive_SetDescription(archive, "described");
}

/* libotf2's buffers: memory that stays mapped, because it clears all of each one. */
static char buffers[16][256 * 1024] __attribute__((aligned(16)));
static size_t n_buffers;

static void *
take_buffer(void *user, OTF2_FileType type, OTF2_LocationRef location, void **data, uint64_t size)
{
	(void) user;
	(void) type;
	(void) location;
	(void) data;
	return size <= sizeof(buffers[0]) && n_buffers < sizeof(buffers) / sizeof(buffers[0])
			   ? buffers[n_buffers++]
			   : NULL;
}

static void
keep_buffers(void *user, OTF2_FileType type, OTF2_LocationRef location, void **data, bool final)
{
	(void) user;
	(void) type;
	(void) location;
	(void) data;
	(void) final;
}

static OTF2_Archive *
open_archive(const char *path)
{
	static const OTF2_FlushCallbacks callbacks = {.otf2_pre_flush = flush};
	static const OTF2_MemoryCallbacks memory = {take_buffer, keep_buffers};
	OTF2_Archive *archive =
		OTF2_Archive_Open(path, "traces", OTF2_FILEMODE_WRITE, sizeof(buffers[0]),
						  sizeof(buffers[0]), OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE);

	n_buffers = 0;
	if (archive == NULL)
		return NULL;
	OTF2_Archive_SetMemoryCallbacks(archive, &memory, NULL);
	OTF2_Archive_SetFlushCallbacks(archive, &callbacks, NULL);
	OTF2_Archive_SetSerialCollectiveCallbacks(archive);
	return archive;
}

/* parts: bits of what there is, of the input's first byte; 0: definitions of the input alone. */
#define HAS_LOCAL 128
#define HAS_PROPERTIES 64

static bool
write_archive(Input *input, const char *path, uint8_t parts)
{
	OTF2_Archive *archive = open_archive(path);
	OTF2_GlobalDefWriter *writer;
	Input stream = {.data = input->data, .size = input->size, .at = input->size - input->size / 4};
	uint64_t n_events[3];

	if (archive == NULL)
		return false;
	if (parts & HAS_PROPERTIES)
		write_properties(input, archive);
	OTF2_Archive_OpenEvtFiles(archive);
	for (uint64_t i = 0; i < 2; i++)
		n_events[i] = write_events(input, archive, i);
	stream.attributes = OTF2_AttributeList_New();
	n_events[2] = write_events(&stream, archive, 2);
	OTF2_AttributeList_Delete(stream.attributes);
	if (parts & HAS_LOCAL)
		write_all_local(input, archive);
	writer = OTF2_Archive_GetGlobalDefWriter(archive);
	if (parts != 0)
	{
		write_base(writer, n_events);
		write_stream(writer, n_events[2]);
	}
	for (int i = 0; i < MOST_RECORDS && input->at < input->size; i++)
		write_definition(input, writer);
	OTF2_Archive_CloseGlobalDefWriter(archive, writer);
	OTF2_Archive_CloseEvtFiles(archive);
	OTF2_Archive_Close(archive);
	return true;
}

/* ---- reading ---- */

static void
read_events(PhEnv *env, PhOtf2Archive *archive)
{
	PhTraceReadOptions options = {.source = &archive->source, .n_threads = 1};
	const PhConnection *refused;
	PhTraceRead read;

	if (ph_trace_read(env, &options, &read, &refused) == PH_OK &&
		ph_trace_read_match(&read, options.source) == PH_OK && read.counts.last_time < 0)
		abort();
	ph_trace_read_free(&read);
}

static void
read_archive(const char *anchor)
{
	PhOtf2Archive *archive = NULL;
	PhRunInput run = {0};
	PhEnv env;

	ph_env_init_malloc(&env);
	env.byte_limit = (size_t) 256 << 20;
	if (ph_otf2_archive_open(&env, anchor, &run, &archive) == PH_OK)
	{
		if (ph_otf2_archive_settle(archive, PH_OFFSETS_AUTO) == PH_OK &&
			ph_otf2_count_launches(archive) == PH_OK)
			read_events(&env, archive);
		ph_otf2_archive_free(&env, archive);
	}
	ph_run_input_free(&env, &run);
	if (env.bytes != 0)
		abort(); /* something was not given back */
}

/*
 * libotf2 asks it for every archive that it writes. The C library's looks up the address of the
 * host's name, which takes seconds where no name server answers.
 */
long
gethostid(void)
{
	return 1;
}

static void
remove_file(const char *name)
{
	char path[96];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	(void) remove(path);
}

static void
remove_archive(void)
{
	static const char *const names[] = {
		"a/traces/0.evt", "a/traces/1.evt", "a/traces/2.evt", "a/traces/0.def", "a/traces/1.def",
		"a/traces/2.def", "a/traces",		"a/traces.def",	  "a/traces.otf2",	"a"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		remove_file(names[i]);
}

/* Archives are copied in parts. */
static void
lose_files(uint8_t parts)
{
	if (parts % 64 == 61)
		remove_file("a/traces/1.evt");
	if (parts % 64 == 62)
		remove_file("a/traces/1.def");
	if (parts % 64 == 63)
		remove_file("a/traces/0.def");
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char path[96];
	Input input = {.data = data, .size = size};
	uint8_t parts = next(&input);

	ph_otf2_errors_init(); /* the writer's complaints, too */
	snprintf(path, sizeof(path), "%s/a", folder);
	if (write_archive(&input, path, parts))
	{
		lose_files(parts);
		snprintf(path, sizeof(path), "%s/a/traces.otf2", folder);
		read_archive(path);
	}
	remove_archive();
	return 0;
}
