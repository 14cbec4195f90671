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

/* The most values of a record: of one that a program begins its name, a number, its arguments. */
#define PH_OTF2_MOST_VALUES 4096

/* What values of parameters are, where they are no unsigned numbers. */
#define PH_OTF2_PARAMETER_TEXT "text"
#define PH_OTF2_PARAMETER_SIGNED "signed"

#endif
