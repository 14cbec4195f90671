/*
 * fuzz_hatchet_json.c - the reader of Hatchet's JSON on arbitrary bytes: an error or a sound
 * profile.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "one_file.h"

FUZZ_ONE_FILE(ph_reader_hatchet_json)
