/*
 * fuzz_perf_script.c - the reader of perf script's text on arbitrary bytes: an error or a sound
 * profile.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "one_file.h"

FUZZ_ONE_FILE(ph_reader_perf_script)
