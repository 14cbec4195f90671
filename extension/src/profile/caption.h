/*
 * caption.h - what a profile rests on, as one line for under pictures.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_PROFILE_CAPTION_H
#define PH_PROFILE_CAPTION_H

#include "postgres.h"

#include "lib/stringinfo.h"

#include "profile/profile.h"

/* Append "run 3 (lulesh) · 8 ranks · time [s] · filter 0.1 % (absorbed 0.4 %) · …". */
void ph_caption(StringInfo line, const PhProfile *profile);

/* "8 ranks", "32 threads of 8 ranks", "8 ranks, 100 iterations", "5 runs"; palloc'd. */
char *ph_columns_in_words(const PhProfile *profile);

/* Part as a percentage with a sensible number of digits: "0.1 %"; palloc'd. */
char *ph_percent(double part);

/* "0.635 s": a value of the metric with its unit; palloc'd. */
char *ph_amount(const PhProfile *profile, uint32 metric, double value);

/* Notes of profiles of runs whose files were not whole, or could not prove that they are. */
#define PH_NOTE_INCOMPLETE "incomplete input"
#define PH_NOTE_UNPROVEN "input of unknown completeness"

/* What notes of metrics begin with that the input has in another unit. */
#define PH_NOTE_SOURCE_UNIT "source unit: "

/*
 * What so many units of one kind (PhColumnKind) are in people's words: "8 ranks", "16 threads of 8
 * ranks", "4 PEs"; n_ranks 0: none is known. palloc'd.
 */
char *ph_units_in_words(uint8 kind, uint32 n_units, uint32 n_ranks);

#endif
