/*
 * words.h - OTF2's paradigms and roles of regions as words: what the warehouse keeps of them.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_READERS_OTF2_WORDS_H
#define PH_READERS_OTF2_WORDS_H

#include <stdint.h>

/* "mpi" of OTF2_PARADIGM_MPI, as Score-P's profiles have it; "": unknown. */
const char *ph_otf2_paradigm_word(uint32_t paradigm);

/* "point2point" of OTF2_REGION_ROLE_POINT2POINT; "": unknown. */
const char *ph_otf2_role_word(uint32_t role);

/* The reverse; 0, which is OTF2's number for unknown, of other words. */
uint32_t ph_otf2_paradigm_number(const char *word);
uint32_t ph_otf2_role_number(const char *word);

/* A property of archives: the warehouse's word for the correction that their times have. */
#define PH_OTF2_CLOCK_PROPERTY "PERFHOUSE::CLOCK"

/* And how many ranks the run has, of which those that the archive names may be more. */
#define PH_OTF2_RANKS_PROPERTY "PERFHOUSE::RANKS"

/*
 * What an export of ours says of streams and their activities beyond OTF2: properties of locations,
 * and attributes of the ENTERs of activities. A launch is the number of the launching call's ENTER
 * among the records of its location, from 0. Configurations are texts.
 */
#define PH_OTF2_STREAM_DEVICE "PERFHOUSE::DEVICE"
#define PH_OTF2_STREAM_CONTEXT "PERFHOUSE::CONTEXT"
#define PH_OTF2_STREAM_NUMBER "PERFHOUSE::STREAM"
#define PH_OTF2_STREAM_LANE "PERFHOUSE::LANE"

typedef enum PhOtf2ActivityAttribute
{
	PH_OTF2_LAUNCH_LOCATION,
	PH_OTF2_LAUNCH_RECORD,
	PH_OTF2_LAUNCH_TIME,
	PH_OTF2_BYTES,
	PH_OTF2_CONFIGURATION,
	PH_OTF2_COMMUNICATOR,
	PH_OTF2_AWAITED_LOCATION,
	PH_OTF2_AWAITED_BEFORE,
	PH_OTF2_OPERATION,
	PH_OTF2_ACTIVITY_ATTRIBUTES
} PhOtf2ActivityAttribute;

extern const char *const ph_otf2_activity_attributes[PH_OTF2_ACTIVITY_ATTRIBUTES];

/* "grid 4,1,1 block 64,1,1 registers 16 static 0 dynamic 0" */
#define PH_OTF2_CONFIGURATION_FORMAT                                                               \
	"grid %u,%u,%u block %u,%u,%u registers %u static %u dynamic %u%c"

/* The description of a region whose paradigm or role OTF2 has no number for. */
#define PH_OTF2_REGION_WORDS "perfhouse: "

/* The most values of a record: of one that a program begins its name, a number, its arguments. */
#define PH_OTF2_MOST_VALUES 4096

/* What values of parameters are, where they are no unsigned numbers. */
#define PH_OTF2_PARAMETER_TEXT "text"
#define PH_OTF2_PARAMETER_SIGNED "signed"

#endif
