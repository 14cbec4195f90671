/*
 * sql.h - the columns of a chunk in queries and in the arguments of functions.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_TRACE_SQL_H
#define PH_TRACE_SQL_H

#include "base/warehouse_columns.h"

/* Of trace_chunk c. */
#define PH_CHUNK_COLUMNS PH_SELECT(trace_chunk, "c.")

/* The same and their checksum, null in rows of before; the links of its receives, likewise. */
#define PH_SUMMED_CHUNK_COLUMNS PH_CHUNK_COLUMNS ", c.crc"
#define PH_LINK_COLUMNS "m.n_links, m.t_send_min, m.t_send_max, m.links, m.crc"

/* The launches of a chunk of a stream, in the places of links. */
#define PH_LAUNCH_COLUMNS "m.n_links, m.t_call_min, m.t_call_max, m.links, m.crc"

/* Their places in rows of PH_SUMMED_CHUNK_COLUMNS ", " PH_LINK_COLUMNS. */
enum
{
	PH_SLOT_CHUNK_CRC = PH_N_COLUMNS(trace_chunk),
	PH_SLOT_N_LINKS,
	PH_SLOT_SEND_MIN,
	PH_SLOT_SEND_MAX,
	PH_SLOT_LINKS,
	PH_SLOT_LINKS_CRC
};

#endif
