/*
 * nccl.c - of which communicator NCCL's calls are, in an Nsight Systems export: ranges of NVTX with
 * a payload, whose layout other tables tell. Exports have payloads with --include-blobs=true.
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
	if (name == NULL || strcmp(name, "Communicator ID") != 0 || offset < 0 || offset > UINT16_MAX)
		return PH_OK;
	return ph_map_enter(&nsight->communicator_at, key, (uint32_t) offset, &known);
}

/* ---- ranges ---- */

enum
{
	START,
	END,
	TEXT,
	TEXT_ID,
	GLOBAL_TID,
	BLOB
};
static const char *const range_columns[] = {"start",  "end",	   "text",
											"textId", "globalTid", "binaryData"};

static uint64_t
number_at(const uint8_t *bytes)
{
	uint64_t number;

	memcpy(&number, bytes, sizeof(number));
	return le64toh(number);
}

/* False: the blob tells no communicator. */
static bool
find_communicator(const PhNsight *nsight, const uint8_t *blob, size_t size, uint64_t *out)
{
	const uint32_t *at;

	if (size < HEAD_BYTES)
		return false;
	at = ph_map_find(&nsight->communicator_at, schema_key(number_at(blob), number_at(blob + 8)));
	uint64_t begin = number_at(blob + 24);

	if (at == NULL || begin > size || size - begin < sizeof(*out) + *at)
		return false;
	*out = number_at(blob + begin + *at);
	return true;
}

static PhStatus
add_range(PhNsight *nsight, const PhSqliteRows *rows, uint32_t communicator)
{
	PhCollectiveRange range = {.start = ph_sqlite_int(rows, START),
							   .end = ph_sqlite_int(rows, END),
							   .communicator = communicator};

	PH_TRY(ph_nsight_thread(nsight, ph_sqlite_int(rows, GLOBAL_TID), &range.track));
	return ph_collective_ranges_add(&nsight->arena, &nsight->collectives, range);
}

static PhStatus
read_range(void *user, PhSqliteRows *rows)
{
	PhNsight *nsight = user;
	size_t size;
	const uint8_t *blob = ph_sqlite_bytes(rows, BLOB, &size);
	const char *name;
	uint64_t id;
	uint32_t communicator;

	if (find_communicator(nsight, blob, size, &id))
	{
		PH_TRY(ph_arena_printf(&nsight->row, &name, "communicator 0x%016" PRIx64, id));
		PH_TRY(ph_span_trace_communicator(nsight->trace, name, &communicator));
		return add_range(nsight, rows, communicator + 1);
	}
	PH_TRY(ph_sqlite_text(rows, &nsight->row, TEXT, &name));
	if (name == NULL)
		PH_TRY(ph_nsight_string(nsight, ph_sqlite_int(rows, TEXT_ID), &name));
	return name != NULL && strcmp(name, "ncclGroupEnd") == 0 ? add_range(nsight, rows, 0) : PH_OK;
}

PhStatus
ph_nsight_read_nccl(PhNsight *nsight)
{
	PH_TRY(ph_sqlite_each(nsight->db, "NVTX_PAYLOAD_SCHEMA_ENTRIES", entry_columns, 4, &nsight->row,
						  read_entry, nsight));
	if (nsight->communicator_at.count == 0)
		return PH_OK;
	PH_TRY(ph_sqlite_each(nsight->db, "NVTX_EVENTS", range_columns, 6, &nsight->row, read_range,
						  nsight));
	return ph_collective_ranges_sort(&nsight->arena, &nsight->collectives);
}
