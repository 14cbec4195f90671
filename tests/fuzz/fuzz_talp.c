/*
 * fuzz_talp.c - the reader of TALP's JSON on arbitrary bytes: an error or a sound profile.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "one_file.h"

FUZZ_ONE_FILE(ph_reader_talp)
