/*
 * fuzz_caliper_cali.c - the reader of .cali on arbitrary bytes: an error or a sound profile.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "one_file.h"

FUZZ_ONE_FILE(ph_reader_caliper_cali)
