/*
 * fn_content.c - content that runs share: hashes, checksums, what a packed tree holds.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "mb/pg_wchar.h"
#include "utils/array.h"
#include "utils/builtins.h"

#include "base/crc32c.h"
#include "base/hash.h"
#include "profile/value.h"
#include "server/compat.h"
#include "server/rowio.h"

PH_FUNCTION(ph_content_id)
{
	struct varlena *bytes = PG_GETARG_VARLENA_PP(0);
	PG_RETURN_INT64((int64) ph_hash_bytes(VARDATA_ANY(bytes), VARSIZE_ANY_EXHDR(bytes)));
}

PH_FUNCTION(ph_content_crc32c)
{
	struct varlena *bytes = PG_GETARG_VARLENA_PP(0);
	PG_RETURN_INT32((int32) ph_crc32c(0, VARDATA_ANY(bytes), VARSIZE_ANY_EXHDR(bytes)));
}

PH_FUNCTION(ph_tree_callpaths)
{
	struct varlena *bytes = PG_GETARG_VARLENA_PP(0);
	const PhProfile *tree = ph_value_from_bytes(PH_VALUE_PROFILE, VARDATA_ANY(bytes),
												VARSIZE_ANY_EXHDR(bytes), CurrentMemoryContext)
								->profile;
	Datum *ids = palloc_extended(sizeof(Datum) * Max(tree->n_nodes, 1), MCXT_ALLOC_HUGE);
	for (uint32 i = 0; i < tree->n_nodes; i++)
		ids[i] = Int64GetDatum((int64) tree->callpath_id[i]);
	PG_RETURN_ARRAYTYPE_P(construct_array(ids, (int) tree->n_nodes, INT8OID, sizeof(int64),
										  FLOAT8PASSBYVAL, TYPALIGN_DOUBLE));
}

/* ---- labels of regions: numbers in the order of networks, texts that end with a zero ---- */

static void
refuse_labels(void)
{
	ereport(ERROR,
			(errcode(PH_ERRCODE_BAD_PROFILE), errmsg("bytes are not those of labels of regions")));
}

/* The next number of so many bytes. */
static uint64
take_number(const char **at, const char *end, int size)
{
	uint64 value = 0;
	if (end - *at < size)
		refuse_labels();
	for (int i = 0; i < size; i++)
		value = value << 8 | (uint8) * (*at)++;
	return value;
}

/* The next text, in UTF-8, as the database writes it; NULL when it is empty. */
static char *
take_text(const char **at, const char *end)
{
	const char *from = *at;
	const char *zero = memchr(from, 0, (size_t) (end - from));
	if (zero == NULL)
		refuse_labels();
	*at = zero + 1;
	return zero == from ? NULL : pg_any_to_server(from, (int) (zero - from), PG_UTF8);
}

PH_FUNCTION(ph_label_rows)
{
	struct varlena *bytes = PG_GETARG_VARLENA_PP(0);
	const char *at = VARDATA_ANY(bytes);
	const char *end = at + VARSIZE_ANY_EXHDR(bytes);
	PhRows rows;
	ph_rows_begin(&rows, fcinfo);
	while (at < end)
	{
		ph_rows_bigint(&rows, "region_id", (int64) take_number(&at, end, 8));
		ph_rows_int(&rows, "local_id", (int32) take_number(&at, end, 4));
		ph_rows_known(&rows, "line", (int32) take_number(&at, end, 4));
		ph_rows_text(&rows, "module", take_text(&at, end));
		ph_rows_text(&rows, "raw_file", take_text(&at, end));
		ph_rows_text(&rows, "paradigm", take_text(&at, end));
		ph_rows_put(&rows);
	}
	return (Datum) 0;
}
