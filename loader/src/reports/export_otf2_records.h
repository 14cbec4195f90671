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
 * root are ranks in the communicator, UINT32_MAX: none or unknown. Communicators have
 * their number in the run; windows, which follow them there, are numbered from 0.
 */
typedef struct PhOtf2OutEvent
{
	const char *kind; /* ph_event_name() */
	uint64_t time, bytes, received, request;
	uint32_t comm, peer, root, tag, operation;
	uint32_t n_values;
	const uint64_t *values;
	const OTF2_Type *types; /* of a metric's values, of a parameter's; other events have none */
} PhOtf2OutEvent;

typedef struct PhOtf2Text
{
	uint32_t number;
	char *text;
} PhOtf2Text;

/* Numbers that records have, which the definitions must have, too. */
typedef struct PhOtf2References
{
	uint32_t n_parameters;
	uint32_t n_contexts; /* their numbers are those of regions in the run */
	PhOtf2Text *texts;	 /* in order of number: those that the warehouse has */
	size_t n_texts;
	uint32_t *strings; /* numbers of others */
	size_t n_strings;
} PhOtf2References;

/* The text of this number, NULL: the warehouse has none. */
const PhOtf2Text *ph_otf2_find_text(const PhOtf2References *references, uint32_t number);

/* Write it; false: OTF2 has no such record. Calls are not written here. */
bool ph_otf2_export_record(OTF2_EvtWriter *out, const PhOtf2OutEvent *event,
						   PhOtf2References *references, OTF2_ErrorCode *code);

#endif
