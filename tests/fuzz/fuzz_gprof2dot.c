/*
 * fuzz_gprof2dot.c - the reader of gprof2dot's graphs on arbitrary bytes: an error or a sound
 * profile.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "one_file.h"

FUZZ_ONE_FILE(ph_reader_gprof2dot)
