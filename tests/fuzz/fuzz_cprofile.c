/*
 * fuzz_cprofile.c - the reader of Python's profiles on arbitrary bytes: an error or a sound
 * profile.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "one_file.h"

FUZZ_ONE_FILE(ph_reader_cprofile)
