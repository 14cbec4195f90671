/*
 * summary_block.c - see summary_block.h.
 *
 * Bytes: CRC-32C of all that follows (4), version (1: sums as they come, 2: exact ones), zero (1),
 * nodes (2); packed numbers
 * (numbers.h): in how many units each node is; a bit for each node that is in one, lowest first,
 * whether its exclusive values are others than its inclusive ones; then sums, squares, minima,
 * maxima, and the units of both, each as inclusive ones of all such nodes and exclusive ones of
 * those with the bit.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "stored/summary_block.h"

#include "base/crc32c.h"
#include "stored/numbers.h"

#define VERSION_AT 4
#define VERSION_ROUNDED 1
#define VERSION_EXACT 2
#define SUMMARY_HEADER 8

typedef enum Field
{
	FIELD_SUM,
	FIELD_SUMSQ,
	FIELD_MIN,
	FIELD_MAX,
	FIELD_ARGMIN,
	FIELD_ARGMAX,
	FIELD_END
} Field;

/* The nodes that some unit has, and which of them have exclusive values of their own. */
typedef struct Members
{
	uint32_t n, n_different;
	uint8_t node[PH_BLOCK_NODES];
	uint8_t different[PH_BLOCK_NODES];
} Members;

_Static_assert(PH_BLOCK_NODES <= UINT8_MAX + 1, "a byte counts the nodes of a block");

static double
field_of(const PhMoments *moments, Field field)
{
	switch (field)
	{
		case FIELD_SUM:
			return moments->sum;
		case FIELD_SUMSQ:
			return moments->sumsq;
		case FIELD_MIN:
			return moments->min;
		case FIELD_MAX:
			return moments->max;
		case FIELD_ARGMIN:
			return moments->argmin;
		default:
			return moments->argmax;
	}
}

/* ---- writing ---- */

/* To the bit: a zero's sign and what is no number are kept. */
static bool
same_moments(const PhMoments *a, const PhMoments *b)
{
	for (Field field = 0; field < FIELD_END; field++)
	{
		double x = field_of(a, field), y = field_of(b, field);
		if (memcmp(&x, &y, sizeof(x)) != 0)
			return false;
	}
	return true;
}

static void
find_members(const PhNodeSummary *nodes, uint32_t n_nodes, Members *out)
{
	out->n = out->n_different = 0;
	for (uint32_t i = 0; i < n_nodes; i++)
	{
		if (nodes[i].n == 0)
			continue;
		if (!same_moments(&nodes[i].inclusive, &nodes[i].exclusive))
			out->different[out->n_different++] = (uint8_t) i;
		out->node[out->n++] = (uint8_t) i;
	}
}

static void
put_bits(PhByteWriter *writer, const Members *members)
{
	uint32_t next = 0;
	for (uint32_t first = 0; first < members->n; first += 8)
	{
		uint32_t bits = 0;
		for (uint32_t i = first; i < first + 8 && i < members->n; i++)
			if (next < members->n_different && members->different[next] == members->node[i])
			{
				bits |= 1u << (i - first);
				next++;
			}
		ph_put(writer, bits, 1);
	}
}

static void
put_numbers(PhByteWriter *writer, const double *values, uint32_t n, PhNumberForm *form)
{
	uint64_t scratch[2 * PH_BLOCK_NODES];
	writer->at = ph_numbers_pack(values, n, scratch, form, writer->at);
}

static void
put_field(PhByteWriter *writer, const PhNodeSummary *nodes, const Members *members, Field field,
		  PhNumberForm *form)
{
	double values[2 * PH_BLOCK_NODES];
	uint32_t n = 0;
	for (uint32_t i = 0; i < members->n; i++)
		values[n++] = field_of(&nodes[members->node[i]].inclusive, field);
	for (uint32_t i = 0; i < members->n_different; i++)
		values[n++] = field_of(&nodes[members->different[i]].exclusive, field);
	put_numbers(writer, values, n, form);
}

size_t
ph_summary_pack(const PhNodeSummary *nodes, uint32_t n_nodes, PhSummarySums sums, uint8_t *out)
{
	Members members;
	double counts[PH_BLOCK_NODES];
	PhNumberForm forms[FIELD_END + 1] = {0};
	PhByteWriter writer = {out + 4};
	find_members(nodes, n_nodes, &members);
	if (members.n == 0)
		return 0;
	ph_put(&writer, sums == PH_SUMS_EXACT ? VERSION_EXACT : VERSION_ROUNDED, 1);
	ph_put(&writer, 0, 1);
	ph_put(&writer, n_nodes, 2);
	for (uint32_t i = 0; i < n_nodes; i++)
		counts[i] = nodes[i].n;
	put_numbers(&writer, counts, n_nodes, &forms[FIELD_END]);
	put_bits(&writer, &members);
	for (Field field = 0; field < FIELD_END; field++)
		put_field(&writer, nodes, &members, field, &forms[field]);
	size_t size = (size_t) (writer.at - out);
	writer.at = out;
	ph_put(&writer, ph_crc32c(0, out + 4, size - 4), 4);
	return size;
}

/* ---- reading ---- */

static PhStatus
damaged(PhEnv *env, const char *what)
{
	return ph_fail(env, PH_ERR_FORMAT, "a block of stored summaries is damaged: %s", what);
}

static PhStatus
take_header(PhEnv *env, PhByteReader *reader, uint32_t *n_nodes)
{
	if (ph_left(reader) < SUMMARY_HEADER)
		return damaged(env, "it is too short");
	uint32_t crc = ph_get_u32(reader);
	if (crc != ph_crc32c(0, reader->at, ph_left(reader)))
		return damaged(env, "its checksum is wrong");
	uint64_t version = ph_get(reader, 1);
	if (version != VERSION_ROUNDED && version != VERSION_EXACT)
		return ph_fail(env, PH_ERR_FORMAT, "stored summaries are of version %u, which is unknown",
					   (unsigned) version);
	uint64_t zero = ph_get(reader, 1);
	*n_nodes = (uint32_t) ph_get(reader, 2);
	if (zero != 0 || *n_nodes == 0 || *n_nodes > PH_BLOCK_NODES)
		return damaged(env, "its size is impossible");
	return PH_OK;
}

/* Whether x is one of the whole numbers that fit into int32, from least on. */
static bool
is_whole(double x, int32_t least)
{
	return x >= least && x <= INT32_MAX && x == (double) (int32_t) x;
}

static bool
take_counts(PhByteReader *reader, PhNodeSummary *out, uint32_t n_nodes, Members *members)
{
	double counts[PH_BLOCK_NODES];
	PhNumberForm form;
	ph_numbers_unpack(reader, n_nodes, counts, &form);
	members->n = members->n_different = 0;
	for (uint32_t i = 0; i < n_nodes && !reader->bad; i++)
	{
		if (!is_whole(counts[i], 0))
			return false;
		out[i].n = (uint32_t) counts[i];
		if (out[i].n > 0)
			members->node[members->n++] = (uint8_t) i;
	}
	return !reader->bad && members->n > 0;
}

/* Bits behind the last node must be 0. */
static bool
take_bits(PhByteReader *reader, Members *members)
{
	for (uint32_t first = 0; first < members->n; first += 8)
	{
		uint32_t bits = (uint32_t) ph_get(reader, 1);
		for (uint32_t i = first; i < first + 8; i++)
		{
			if ((bits >> (i - first) & 1) == 0)
				continue;
			if (i >= members->n)
				return false;
			members->different[members->n_different++] = members->node[i];
		}
	}
	return !reader->bad;
}

static bool
set_field(PhMoments *moments, Field field, double value)
{
	if (field >= FIELD_ARGMIN && !is_whole(value, INT32_MIN))
		return false;
	switch (field)
	{
		case FIELD_SUM:
			moments->sum = value;
			break;
		case FIELD_SUMSQ:
			moments->sumsq = value;
			break;
		case FIELD_MIN:
			moments->min = value;
			break;
		case FIELD_MAX:
			moments->max = value;
			break;
		case FIELD_ARGMIN:
			moments->argmin = (int32_t) value;
			break;
		default:
			moments->argmax = (int32_t) value;
			break;
	}
	return true;
}

static bool
take_field(PhByteReader *reader, const Members *members, Field field, PhNodeSummary *out)
{
	double values[2 * PH_BLOCK_NODES];
	PhNumberForm form;
	uint32_t n = 0;
	ph_numbers_unpack(reader, members->n + members->n_different, values, &form);
	if (reader->bad)
		return false;
	for (uint32_t i = 0; i < members->n; i++, n++)
	{
		PhNodeSummary *node = &out[members->node[i]];
		if (!set_field(&node->inclusive, field, values[n]) ||
			!set_field(&node->exclusive, field, values[n]))
			return false;
	}
	for (uint32_t i = 0; i < members->n_different; i++, n++)
		if (!set_field(&out[members->different[i]].exclusive, field, values[n]))
			return false;
	return true;
}

PhStatus
ph_summary_unpack(PhEnv *env, PhBytes bytes, PhSummaryPart part, PhNodeSummary *out,
				  uint32_t *n_nodes)
{
	PhByteReader reader = {bytes.data, bytes.data, bytes.data + bytes.size, false};
	Members members;
	Field end = part == PH_SUMMARY_SUMS ? FIELD_SUM + 1 : FIELD_END;
	PH_TRY(take_header(env, &reader, n_nodes));
	memset(out, 0, sizeof(*out) * *n_nodes);
	if (!take_counts(&reader, out, *n_nodes, &members) || !take_bits(&reader, &members))
		return damaged(env, "its counts are impossible");
	for (Field field = 0; field < end; field++)
		if (!take_field(&reader, &members, field, out))
			return damaged(env, "its numbers are not what it says");
	if (end == FIELD_END && ph_left(&reader) != 0)
		return damaged(env, "its numbers do not fill it");
	return PH_OK;
}

PhSummarySums
ph_summary_kind_of_sums(PhBytes bytes)
{
	return bytes.data[VERSION_AT] == VERSION_EXACT ? PH_SUMS_EXACT : PH_SUMS_ROUNDED;
}
