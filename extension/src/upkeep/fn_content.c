/*
 * fn_content.c - content that runs share: hashes, checksums, what a packed tree holds.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "utils/array.h"
#include "utils/builtins.h"

#include "base/crc32c.h"
#include "base/hash.h"
#include "profile/value.h"
#include "server/compat.h"

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
