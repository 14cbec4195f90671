/*
 * export_otf2_records.h - one event as a record of an OTF2 archive.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_REPORTS_EXPORT_OTF2_RECORDS_H
#define PH_REPORTS_EXPORT_OTF2_RECORDS_H

#include <otf2/otf2.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * An event with the operands that it has. Calls refer to a region's number in the archive; peer and
 * root are ranks in the communicator, UINT32_MAX: none or unknown. Communicators and windows have
 * their number in the run.
 */
typedef struct PhOtf2OutEvent
{
	const char *kind; /* ph_event_name() */
	uint64_t time, bytes, received, request;
	uint32_t comm, peer, root, tag, operation;
	uint32_t n_values;
	const uint64_t *values;
	const OTF2_Type *types; /* of a metric's values; other events have none */
} PhOtf2OutEvent;

/* Numbers that records have, which the definitions must have, too. */
typedef struct PhOtf2References
{
	uint32_t first_window; /* UINT32_MAX: none; windows follow communicators */
	uint32_t n_parameters;
	uint32_t n_contexts; /* their numbers are those of regions in the run */
	uint32_t *strings;
	size_t n_strings;
} PhOtf2References;

/* Write it; false: OTF2 has no such record. Calls are not written here. */
bool ph_otf2_export_record(OTF2_EvtWriter *out, const PhOtf2OutEvent *event,
						   PhOtf2References *references, OTF2_ErrorCode *code);

#endif
