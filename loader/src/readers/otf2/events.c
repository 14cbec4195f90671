/*
 * events.c - libotf2's callbacks for calls, messages, collectives, metrics and parameters.
 *
 * One function a record, with as little between libotf2 and the chunk writer as can be: this is
 * where a load spends its time.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "readers/otf2/events.h"

#include <string.h>

#include "readers/otf2/archive.h"

#define OPERANDS_NONE .region = PH_NONE, .peer = PH_NONE, .comm = PH_NONE, .root = PH_NONE

OTF2_CallbackCode
ph_otf2_stop(PhOtf2Cursor *cursor, uint64_t position, PhStatus status)
{
	cursor->status = status;
	cursor->record = position;
	return OTF2_CALLBACK_INTERRUPT;
}

OTF2_CallbackCode
ph_otf2_undefined(PhOtf2Cursor *cursor, uint64_t position, const char *what, uint32_t id)
{
	return ph_otf2_stop(cursor, position,
						ph_fail(cursor->env, PH_ERR_FORMAT, "%s %u is not defined", what, id));
}

bool
ph_otf2_odd_time(PhOtf2Cursor *cursor, int64_t *time)
{
	if (*time == PH_TICKS_OUT_OF_RANGE)
	{
		(void) ph_fail(cursor->env, PH_ERR_VALUE, "its time is centuries after the trace's begin");
		return false;
	}
	if (cursor->last - *time <= cursor->slack)
		*time = cursor->last;
	if (*time >= cursor->last)
		return true;
	(void) ph_fail(cursor->env, PH_ERR_FORMAT, "time runs backwards by %lld ns",
				   (long long) (cursor->last - *time));
	return false;
}

/* ---- ranks ---- */

/*
 * The world rank that a rank of an inter-communicator means: ranks are those of the remote group,
 * so for a process (own) of the first group they count in the second one and the reverse. PH_NONE:
 * there is no such rank.
 */
static uint32_t
remote_rank(const PhOtf2Comm *comm, int32_t own, uint32_t rank)
{
	for (uint32_t i = 0; i < comm->n_members; i++)
	{
		if (comm->members[i] == (uint32_t) own)
			return rank < comm->n_remote ? comm->remote[rank] : PH_NONE;
	}
	return rank < comm->n_members ? comm->members[rank] : PH_NONE;
}

uint32_t
ph_otf2_world_rank_of(PhOtf2Cursor *cursor, const PhOtf2Comm *comm, uint32_t rank)
{
	uint32_t world = PH_NONE;

	if (comm->is_inter)
		world = remote_rank(comm, cursor->rank, rank);
	else if (comm->is_self)
		world = rank == 0 && cursor->rank >= 0 ? (uint32_t) cursor->rank : PH_NONE;
	else if (rank < comm->n_members)
		world = comm->members[rank];
	cursor->counts.unknown_peers += world == PH_NONE;
	return world;
}

static uint32_t
otf2_world_root(PhOtf2Cursor *cursor, uint32_t comm, uint32_t root)
{
	if (root == OTF2_COLLECTIVE_ROOT_NONE || root == OTF2_COLLECTIVE_ROOT_THIS_GROUP)
		return PH_NONE;
	if (root == OTF2_COLLECTIVE_ROOT_SELF)
		return cursor->rank >= 0 ? (uint32_t) cursor->rank : PH_NONE;
	return ph_otf2_world_rank(cursor, comm, root);
}

/* ---- calls ---- */

static inline uint32_t
find_region(const PhOtf2Cursor *cursor, OTF2_RegionRef region)
{
	if (__builtin_expect(region < cursor->n_regions, 1))
		return cursor->regions[region];
	return ph_otf2_find(&cursor->archive->region_ids, region);
}

static OTF2_CallbackCode
on_enter(PH_OTF2_RECORD, OTF2_RegionRef region)
{
	PhOtf2Cursor *cursor = user;
	uint32_t index = find_region(cursor, region);
	PhStatus status;
	int64_t ns;

	(void) location;
	ph_otf2_count(cursor, PH_EVENT_ENTER, attributes);
	if (__builtin_expect(index == PH_NONE, 0))
		return ph_otf2_undefined(cursor, position, "region", region);
	if (!ph_otf2_time(cursor, time, &ns))
		return ph_otf2_stop(cursor, position, cursor->env->error.status);
	status = ph_chunk_writer_enter(cursor->writer, ns, index);
	return status == PH_OK ? OTF2_CALLBACK_SUCCESS : ph_otf2_stop(cursor, position, status);
}

static OTF2_CallbackCode
on_leave(PH_OTF2_RECORD, OTF2_RegionRef region)
{
	PhOtf2Cursor *cursor = user;
	uint32_t index = find_region(cursor, region);
	PhStatus status;
	int64_t ns;

	(void) location;
	ph_otf2_count(cursor, PH_EVENT_LEAVE, attributes);
	if (__builtin_expect(index == PH_NONE, 0))
		return ph_otf2_undefined(cursor, position, "region", region);
	if (!ph_otf2_time(cursor, time, &ns))
		return ph_otf2_stop(cursor, position, cursor->env->error.status);
	status = ph_chunk_writer_leave(cursor->writer, ns, index);
	return status == PH_OK ? OTF2_CALLBACK_SUCCESS : ph_otf2_stop(cursor, position, status);
}

/* ---- messages ---- */

static inline OTF2_CallbackCode
write_message(PhOtf2Cursor *cursor, OTF2_TimeStamp time, uint64_t position,
			  const OTF2_AttributeList *attributes, PhEvent *event, uint32_t peer,
			  OTF2_CommRef communicator)
{
	event->comm = ph_otf2_find(&cursor->archive->comm_ids, communicator);
	if (event->comm == PH_NONE)
		return ph_otf2_undefined(cursor, position, "communicator", communicator);
	event->peer = ph_otf2_world_rank(cursor, event->comm, peer);
	event->region = event->root = PH_NONE;
	return ph_otf2_write(cursor, time, position, attributes, event);
}

static OTF2_CallbackCode
on_send(PH_OTF2_RECORD, uint32_t receiver, OTF2_CommRef communicator, uint32_t tag, uint64_t bytes)
{
	PhEvent event = {.kind = PH_EVENT_SEND, .tag = (int32_t) tag, .bytes = bytes};

	(void) location;
	return write_message(user, time, position, attributes, &event, receiver, communicator);
}

static OTF2_CallbackCode
on_recv(PH_OTF2_RECORD, uint32_t sender, OTF2_CommRef communicator, uint32_t tag, uint64_t bytes)
{
	PhEvent event = {.kind = PH_EVENT_RECV, .tag = (int32_t) tag, .bytes = bytes};

	(void) location;
	return write_message(user, time, position, attributes, &event, sender, communicator);
}

static OTF2_CallbackCode
on_isend(PH_OTF2_RECORD, uint32_t receiver, OTF2_CommRef communicator, uint32_t tag, uint64_t bytes,
		 uint64_t request)
{
	PhEvent event = {
		.kind = PH_EVENT_ISEND, .tag = (int32_t) tag, .bytes = bytes, .request = request};

	(void) location;
	return write_message(user, time, position, attributes, &event, receiver, communicator);
}

static OTF2_CallbackCode
on_irecv(PH_OTF2_RECORD, uint32_t sender, OTF2_CommRef communicator, uint32_t tag, uint64_t bytes,
		 uint64_t request)
{
	PhEvent event = {
		.kind = PH_EVENT_IRECV, .tag = (int32_t) tag, .bytes = bytes, .request = request};

	(void) location;
	return write_message(user, time, position, attributes, &event, sender, communicator);
}

static inline OTF2_CallbackCode
write_request(PhOtf2Cursor *cursor, OTF2_TimeStamp time, uint64_t position,
			  const OTF2_AttributeList *attributes, PhEventKind kind, uint64_t request)
{
	PhStatus status;
	int64_t ns;

	ph_otf2_count(cursor, kind, attributes);
	if (!ph_otf2_time(cursor, time, &ns))
		return ph_otf2_stop(cursor, position, cursor->env->error.status);
	status = ph_chunk_writer_request(cursor->writer, ns, kind, request);
	return status == PH_OK ? OTF2_CALLBACK_SUCCESS : ph_otf2_stop(cursor, position, status);
}

#define ON_REQUEST(name, event_kind)                                                               \
	static OTF2_CallbackCode name(PH_OTF2_RECORD, uint64_t request)                                \
	{                                                                                              \
		(void) location;                                                                           \
		return write_request(user, time, position, attributes, event_kind, request);               \
	}

ON_REQUEST(on_isend_complete, PH_EVENT_ISEND_COMPLETE)
ON_REQUEST(on_irecv_request, PH_EVENT_IRECV_REQUEST)
ON_REQUEST(on_request_test, PH_EVENT_REQUEST_TEST)
ON_REQUEST(on_request_cancelled, PH_EVENT_REQUEST_CANCELLED)
ON_REQUEST(on_nb_collective_request, PH_EVENT_NB_COLLECTIVE_REQUEST)

/* ---- collectives ---- */

static OTF2_CallbackCode
on_collective_begin(PH_OTF2_RECORD)
{
	PhEvent event = {.kind = PH_EVENT_COLLECTIVE_BEGIN, OPERANDS_NONE};

	(void) location;
	return ph_otf2_write(user, time, position, attributes, &event);
}

static OTF2_CallbackCode
write_collective(PhOtf2Cursor *cursor, OTF2_TimeStamp time, uint64_t position,
				 const OTF2_AttributeList *attributes, PhEvent *event, OTF2_CommRef communicator)
{
	uint32_t root = event->root;

	event->comm = ph_otf2_find(&cursor->archive->comm_ids, communicator);
	if (event->comm == PH_NONE)
		return ph_otf2_undefined(cursor, position, "communicator", communicator);
	event->root = otf2_world_root(cursor, event->comm, root);
	event->region = event->peer = PH_NONE;
	return ph_otf2_write(cursor, time, position, attributes, event);
}

static OTF2_CallbackCode
on_collective_end(PH_OTF2_RECORD, OTF2_CollectiveOp operation, OTF2_CommRef communicator,
				  uint32_t root, uint64_t sent, uint64_t received)
{
	PhEvent event = {.kind = PH_EVENT_COLLECTIVE_END,
					 .operation = operation,
					 .root = root,
					 .bytes = sent,
					 .bytes_received = received};

	(void) location;
	return write_collective(user, time, position, attributes, &event, communicator);
}

static OTF2_CallbackCode
on_nb_collective_complete(PH_OTF2_RECORD, OTF2_CollectiveOp operation, OTF2_CommRef communicator,
						  uint32_t root, uint64_t sent, uint64_t received, uint64_t request)
{
	PhEvent event = {.kind = PH_EVENT_NB_COLLECTIVE_COMPLETE,
					 .operation = operation,
					 .root = root,
					 .bytes = sent,
					 .bytes_received = received,
					 .request = request};

	(void) location;
	return write_collective(user, time, position, attributes, &event, communicator);
}

/* ---- metrics, parameters, measurement ---- */

static OTF2_CallbackCode
on_metric(PH_OTF2_RECORD, OTF2_MetricRef metric, uint8_t n, const OTF2_Type *types,
		  const OTF2_MetricValue *values)
{
	PhOtf2Cursor *cursor = user;
	uint32_t definition = ph_otf2_find(&cursor->archive->metric_ids, metric);
	const PhOtf2MetricClass *class;
	PhEvent event = {.kind = PH_EVENT_METRIC, OPERANDS_NONE};

	(void) location;
	(void) types;
	if (definition == PH_NONE)
		return ph_otf2_undefined(cursor, position, "metric", metric);
	class = &cursor->archive->metrics[definition];
	cursor->counts.foreign_metrics += n != class->n_members;
	for (uint32_t i = 0; i < n; i++)
		cursor->values[i] = values[i].unsigned_int;
	event.operation = class->number;
	event.n_values = n;
	event.values = cursor->values;
	return ph_otf2_write(cursor, time, position, attributes, &event);
}

static OTF2_CallbackCode
write_parameter(PhOtf2Cursor *cursor, OTF2_TimeStamp time, uint64_t position,
				const OTF2_AttributeList *attributes, OTF2_ParameterRef parameter, uint64_t value)
{
	PhEvent event = {.kind = PH_EVENT_PARAMETER, OPERANDS_NONE, .n_values = 1, .values = &value};

	event.operation = ph_otf2_find(&cursor->archive->parameter_ids, parameter);
	if (event.operation == PH_NONE)
		return ph_otf2_undefined(cursor, position, "parameter", parameter);
	return ph_otf2_write(cursor, time, position, attributes, &event);
}

static OTF2_CallbackCode
on_parameter_string(PH_OTF2_RECORD, OTF2_ParameterRef parameter, OTF2_StringRef string)
{
	(void) location;
	ph_otf2_use_string(user, string);
	return write_parameter(user, time, position, attributes, parameter, string);
}

static OTF2_CallbackCode
on_parameter_int(PH_OTF2_RECORD, OTF2_ParameterRef parameter, int64_t value)
{
	(void) location;
	return write_parameter(user, time, position, attributes, parameter, (uint64_t) value);
}

static OTF2_CallbackCode
on_parameter_unsigned(PH_OTF2_RECORD, OTF2_ParameterRef parameter, uint64_t value)
{
	(void) location;
	return write_parameter(user, time, position, attributes, parameter, value);
}

static OTF2_CallbackCode
on_measurement(PH_OTF2_RECORD, OTF2_MeasurementMode mode)
{
	PhEvent event = {.kind = PH_EVENT_MEASUREMENT, OPERANDS_NONE, .operation = mode};

	(void) location;
	return ph_otf2_write(user, time, position, attributes, &event);
}

#define SET(record, function) OTF2_EvtReaderCallbacks_Set##record##Callback(callbacks, function)

void
ph_otf2_set_event_callbacks(OTF2_EvtReaderCallbacks *callbacks)
{
	SET(Enter, on_enter);
	SET(Leave, on_leave);
	SET(MpiSend, on_send);
	SET(MpiRecv, on_recv);
	SET(MpiIsend, on_isend);
	SET(MpiIrecv, on_irecv);
	SET(MpiIsendComplete, on_isend_complete);
	SET(MpiIrecvRequest, on_irecv_request);
	SET(MpiRequestTest, on_request_test);
	SET(MpiRequestCancelled, on_request_cancelled);
	SET(MpiCollectiveBegin, on_collective_begin);
	SET(MpiCollectiveEnd, on_collective_end);
	SET(NonBlockingCollectiveRequest, on_nb_collective_request);
	SET(NonBlockingCollectiveComplete, on_nb_collective_complete);
	SET(Metric, on_metric);
	SET(ParameterString, on_parameter_string);
	SET(ParameterInt, on_parameter_int);
	SET(ParameterUnsignedInt, on_parameter_unsigned);
	SET(MeasurementOnOff, on_measurement);
}
