/*
 * formats.h - the formats that perfhouse load reads, for people and programs.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_PIPELINE_FORMATS_H
#define PH_PIPELINE_FORMATS_H

#include <stdbool.h>

/* Prints each with how it is told, and how an input proves that it is whole; json: an object a
 * line. */
void ph_print_formats(bool json);

#endif
