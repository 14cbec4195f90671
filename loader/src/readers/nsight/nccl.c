/*
 * nccl.c - of which communicator NCCL's calls are and how many bytes they move, in an Nsight
 * Systems export: ranges of NVTX with a payload, whose layout other tables tell. Exports have
 * payloads with --include-blobs=true.
 *
 * A payload begins with four numbers of 8 bytes, little-endian: domain, schema, size, and where in
 * the blob the values begin. The communicator's number is the same on all of its ranks.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <inttypes.h>
#include <string.h>

#include "base/name_set.h"
#include "readers/nsight/nsight.h"

#define HEAD_BYTES 32

/* ---- layouts of payloads ---- */

enum
{
	DOMAIN,
	SCHEMA,
	NAME,
	OFFSET
};
static const char *const entry_columns[] = {"domainId", "schemaId", "name", "offset"};

static uint64_t
schema_key(uint64_t domain, uint64_t schema)
{
	return domain << 32 ^ schema;
}

static PhStatus
read_entry(void *user, PhSqliteRows *rows)
{
	PhNsight *nsight = user;
	uint64_t key =
		schema_key((uint64_t) ph_sqlite_int(rows, DOMAIN), (uint64_t) ph_sqlite_int(rows, SCHEMA));
	int64_t offset = ph_sqlite_int(rows, OFFSET);
	const char *name;
	uint32_t *known;

	PH_TRY(ph_sqlite_text(rows, &nsight->row, NAME, &name));
	if (name == NULL || offset < 0 || offset > UINT16_MAX)
		return PH_OK;
	if (strcmp(name, "Communicator ID") == 0)
		return ph_map_enter(&nsight->communicator_at, key, (uint32_t) offset, &known);
	if (strcmp(name, "Message size [bytes]") == 0)
		return ph_map_enter(&nsight->bytes_at, key, (uint32_t) offset, &known);
	return PH_OK;
}

PhStatus
ph_nsight_read_layouts(PhNsight *nsight)
{
	return ph_sqlite_each(nsight->db, "NVTX_PAYLOAD_SCHEMA_ENTRIES", entry_columns, 4, &nsight->row,
						  read_entry, nsight);
}

/* ---- ranges ---- */

static uint64_t
number_at(const uint8_t *bytes)
{
	uint64_t number;

	memcpy(&number, bytes, sizeof(number));
	return le64toh(number);
}

/* A number of a payload by where layouts have it; false: theirs has none. */
static bool
find_number(const PhMap *layouts, const uint8_t *payload, size_t size, uint64_t *out)
{
	const uint32_t *at;

	if (size < HEAD_BYTES)
		return false;
	at = ph_map_find(layouts, schema_key(number_at(payload), number_at(payload + 8)));
	uint64_t begin = number_at(payload + 24);

	if (at == NULL || begin > size || size - begin < sizeof(*out) + *at)
		return false;
	*out = number_at(payload + begin + *at);
	return true;
}

PhStatus
ph_nsight_note_collective(PhNsight *nsight, const char *name, const PhTraceSpan *span,
						  const uint8_t *payload, size_t size)
{
	PhCollectiveRange range = {.start = span->start, .end = span->end, .track = span->track};
	const char *communicator;
	uint64_t id;
	uint32_t number;

	if (nsight->files->only_times)
		return PH_OK;
	if (find_number(&nsight->communicator_at, payload, size, &id))
	{
		PH_TRY(ph_arena_printf(&nsight->row, &communicator, "communicator 0x%016" PRIx64, id));
		PH_TRY(ph_span_trace_communicator(nsight->trace, communicator, &number));
		range.communicator = (number + 1) & PH_MOST_SPAN_COMMUNICATORS;
		range.kind = PH_RANGE_TOLD;
	}
	if (find_number(&nsight->bytes_at, payload, size, &id))
		range.bytes = id;
	return ph_rank_files_collective(nsight->files, name, &range);
}
