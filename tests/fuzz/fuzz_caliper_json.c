/*
 * fuzz_caliper_json.c - the reader of Caliper json-split on arbitrary bytes: an error or a sound
 * profile.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "one_file.h"

FUZZ_ONE_FILE(ph_reader_caliper_json)
