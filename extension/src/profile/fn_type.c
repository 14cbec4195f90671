/*
 * fn_type.c - text and binary I/O of the types, equality, and their forms as bytes.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "postgres.h"

#include <limits.h>

#include "common/base64.h"
#include "libpq/pqformat.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/memutils.h"

#include "profile/flat.h"
#include "profile/value.h"
#include "server/compat.h"

static const char *const prefixes[] = {
	[PH_VALUE_PROFILE] = "profile:1:",
	[PH_VALUE_SUPERGRAPH] = "supergraph:1:",
};

static const char *const type_names[] = {
	[PH_VALUE_PROFILE] = "profile",
	[PH_VALUE_SUPERGRAPH] = "supergraph",
};

#define ENCODED_PIECE (3 * 1024 * 1024)

static Datum
value_in(FunctionCallInfo fcinfo, PhValueKind kind)
{
	const char *given = PG_GETARG_CSTRING(0);
	size_t prefix = strlen(prefixes[kind]);
	if (strncmp(given, prefixes[kind], prefix) != 0)
		ereport(ERROR,
				(errcode(PH_ERRCODE_BAD_PROFILE),
				 errmsg("text of type %s must begin with \"%s\"", type_names[kind], prefixes[kind]),
				 errhint("To read a stored run from a parameter, write profile($1::bigint).")));
	size_t length = strlen(given) - prefix;
	if (length > INT_MAX)
		ereport(ERROR, (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED), errmsg("text is too long")));
	int capacity = pg_b64_dec_len((int) length);
	char *bytes = palloc(capacity + 1);
	int size = pg_b64_decode(given + prefix, (int) length, (void *) bytes, capacity);
	if (size < 0)
		ereport(ERROR, (errcode(PH_ERRCODE_BAD_PROFILE),
						errmsg("text of type %s is not valid base64 after \"%s\"", type_names[kind],
							   prefixes[kind])));
	PhValue *value = ph_value_from_bytes(kind, bytes, size, CurrentMemoryContext);
	pfree(bytes);
	PG_RETURN_PH_VALUE(value);
}

/* In pieces that end where three bytes do, so that it can be cancelled. Returns the length. */
static int
encode(const char *bytes, int size, char *out, int capacity)
{
	int length = 0;
	for (int at = 0; at < size; at += ENCODED_PIECE)
	{
		int written = pg_b64_encode((const void *) (bytes + at), Min(size - at, ENCODED_PIECE),
									out + length, capacity - length);
		if (written < 0)
			elog(ERROR, "base64 encoding failed");
		length += written;
		CHECK_FOR_INTERRUPTS();
	}
	return length;
}

static Datum
value_out(FunctionCallInfo fcinfo, PhValueKind kind)
{
	const bytea *flat = ph_value_flat(PG_GETARG_DATUM(0));
	size_t prefix = strlen(prefixes[kind]);
	size_t size = VARSIZE(flat) - VARHDRSZ;
	if (size > (MaxAllocSize - 64) / 4 * 3)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("%s of %zu bytes is too large for its text form", type_names[kind], size),
				 errhint("Use the binary form, such as COPY … WITH (FORMAT binary).")));
	int capacity = pg_b64_enc_len((int) size);
	char *written = palloc(prefix + capacity + 1);
	memcpy(written, prefixes[kind], prefix);
	written[prefix + encode(VARDATA(flat), (int) size, written + prefix, capacity)] = '\0';
	PG_RETURN_CSTRING(written);
}

static Datum
value_recv(FunctionCallInfo fcinfo, PhValueKind kind)
{
	StringInfo message = (StringInfo) PG_GETARG_POINTER(0);
	int size = message->len - message->cursor;
	const char *bytes = pq_getmsgbytes(message, size);
	PG_RETURN_PH_VALUE(ph_value_from_bytes(kind, bytes, size, CurrentMemoryContext));
}

PH_FUNCTION(ph_profile_in)
{
	return value_in(fcinfo, PH_VALUE_PROFILE);
}

PH_FUNCTION(ph_profile_out)
{
	return value_out(fcinfo, PH_VALUE_PROFILE);
}

PH_FUNCTION(ph_profile_recv)
{
	return value_recv(fcinfo, PH_VALUE_PROFILE);
}

PH_FUNCTION(ph_profile_send)
{
	PG_RETURN_BYTEA_P(ph_value_flat(PG_GETARG_DATUM(0)));
}

PH_FUNCTION(ph_supergraph_in)
{
	return value_in(fcinfo, PH_VALUE_SUPERGRAPH);
}

PH_FUNCTION(ph_supergraph_out)
{
	return value_out(fcinfo, PH_VALUE_SUPERGRAPH);
}

PH_FUNCTION(ph_supergraph_recv)
{
	return value_recv(fcinfo, PH_VALUE_SUPERGRAPH);
}

PH_FUNCTION(ph_supergraph_send)
{
	PG_RETURN_BYTEA_P(ph_value_flat(PG_GETARG_DATUM(0)));
}

static bool
same_bytes(FunctionCallInfo fcinfo)
{
	const bytea *a = ph_value_flat(PG_GETARG_DATUM(0));
	const bytea *b = ph_value_flat(PG_GETARG_DATUM(1));
	return VARSIZE(a) == VARSIZE(b) && memcmp(a, b, VARSIZE(a)) == 0;
}

PH_FUNCTION(ph_profile_eq)
{
	PG_RETURN_BOOL(same_bytes(fcinfo));
}

PH_FUNCTION(ph_profile_ne)
{
	PG_RETURN_BOOL(!same_bytes(fcinfo));
}

PH_FUNCTION(ph_profile_flat_form)
{
	PG_RETURN_BYTEA_P(ph_value_flat(PG_GETARG_DATUM(0)));
}

PH_FUNCTION(ph_profile_from_flat_form)
{
	const bytea *bytes = PG_GETARG_BYTEA_PP(0);
	PG_RETURN_PH_VALUE(ph_value_from_bytes(PH_VALUE_PROFILE, VARDATA_ANY(bytes),
										   VARSIZE_ANY_EXHDR(bytes), CurrentMemoryContext));
}

PH_FUNCTION(ph_profile_skeleton_bytes)
{
	PhValue *tree = ph_value_new(PH_VALUE_PROFILE, CurrentMemoryContext);
	PH_CHECK(&tree->env,
			 ph_profile_skeleton(&tree->env, ph_arg_profile(fcinfo, 0), &tree->profile));
	PG_RETURN_BYTEA_P(ph_value_flat(ph_value_datum(tree)));
}

/* The graph owns its profile, so what is returned is a copy. */
/* Not a copy: the profile of the argument, for as long as that lives, as any function may return an
 * argument. */
PH_FUNCTION(ph_supergraph_profile)
{
	PhValue *shared = ph_value_new(PH_VALUE_PROFILE, CurrentMemoryContext);
	shared->profile = ph_arg_graph(fcinfo, 0)->profile;
	PG_RETURN_DATUM(EOHPGetRODatum(&shared->header));
}
