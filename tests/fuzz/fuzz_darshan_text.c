/*
 * fuzz_darshan_text.c - darshan-parser's text of arbitrary bytes: an error or a sound profile.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "one_file.h"

FUZZ_ONE_FILE(ph_reader_darshan_text)
