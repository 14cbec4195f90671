/*
 * fuzz_darshan.c - the reader of Darshan's logs on arbitrary bytes: an error or a sound profile.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "one_file.h"

FUZZ_ONE_FILE(ph_reader_darshan)
