/*
 * fuzz_otlp.c - profiles of OpenTelemetry of arbitrary bytes: an error or a sound profile.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "one_file.h"

FUZZ_ONE_FILE(ph_reader_otlp)
