/*
 * export_parquet.h - Parquet, by the Python package.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_REPORTS_EXPORT_PARQUET_H
#define PH_REPORTS_EXPORT_PARQUET_H

#include "system/exit_codes.h"

/* Whether there is an interpreter with the package; a message when not. Asked before anything is
 * fetched. */
PhExit ph_export_parquet_ready(void);

/* Makes a Parquet file of an Arrow file; a message when it fails. */
PhExit ph_export_parquet(const char *arrow, const char *parquet);

#endif
