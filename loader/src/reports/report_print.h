/*
 * report_print.h - small things that the pages for people have in common.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_REPORTS_REPORT_PRINT_H
#define PH_REPORTS_REPORT_PRINT_H

#include <stdio.h>

#include "profile/profile.h"

/* "1.234 s", four significant digits. The text is valid until the sixteenth next call. */
const char *ph_show_value(double value, const char *unit);

/* "12.3 %", "+4.0 %" with a sign. */
const char *ph_show_share(double share);
const char *ph_show_change(double share);

/* "+0.042 %": three decimals, of changes that are told from less. */
const char *ph_show_small_change(double share);

/* "main/solve/MPI_Waitall"; when it is longer than width, the front is an ellipsis. */
const char *ph_show_path(const PhProfile *profile, uint32_t node, size_t width);

/* A section's title. */
void ph_show_section(FILE *out, const char *title);

#endif
