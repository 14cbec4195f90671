/*
 * run_tables.h - the rows of a stored run other than its values: run, metrics, locations, tree.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_PROFILE_RUN_TABLES_H
#define PH_PROFILE_RUN_TABLES_H

#include "postgres.h"

#include "executor/tuptable.h"

#include "base/bytes.h"
#include "profile/builder.h"
#include "profile/run_reader.h"

/* perfhouse.profile_values keeps this many columns in a row. */
#define PH_BLOCK_COLUMNS 4096

/* perfhouse.run.storage of runs whose values are in value_block. */
#define PH_STORAGE_BLOCKS 2

typedef struct PhRunMetric
{
	int32 metric_id;
	int32 numerator_id; /* 0: none */
	int32 denominator_id;
	double factor;	   /* of stored values: they are read in the unit of spec */
	char *source_unit; /* what the input has it in; NULL: the unit of spec */
	PhMetricSpec spec;
} PhRunMetric;

typedef struct PhRunRow
{
	bool found;
	char *label;
	bool is_rolled_up;
	int32 n_units;
	int32 n_ranks;	 /* 0: unknown */
	int32 unit_kind; /* PhColumnKind of its first location */
	int32 storage;
	int64 residual_cells;
	int32 missing_columns;
	const char *completeness;
	const char *computed_of; /* sources and operations of a profile that was kept; else NULL */
} PhRunRow;

/* A metric that was asked for and is made of others: perfhouse.derived_metric. */
typedef struct PhRunDerived
{
	const char *name;
	char *formula;
	char *unit; /* NULL: what the operands give */
} PhRunDerived;

typedef struct PhRunTables
{
	MemoryContext context; /* of everything here */
	bool in_any_state;	   /* runs that are not ready are read, too */
	PhRunRow run;
	uint32 n_metrics; /* all that the run has, the primary one first */
	uint32 metrics_capacity;
	PhRunMetric *metrics;
	uint32 n_locations;
	uint32 locations_capacity;
	PhColumnSpec *locations;
	bool is_mean;  /* locations is one column, the mean over n_units, which summaries have */
	PhValue *tree; /* the skeleton */
	PhRunDerived *derived; /* in the order of the request */
	uint32 n_derived;
	uint32 *asked; /* of each name in the request the metric in the profile; PH_NONE: derived */
} PhRunTables;

/*
 * Under SPI_connect: read everything; PH002 when there is no such run, or it is not ready. means:
 * one column, the mean over units, as a run that is rolled up has.
 */
void ph_run_tables_read(PhRunTables *tables, int64 run_id, bool means);

/*
 * Under SPI_connect: indices into metrics of those that are wanted, with what ratios and formulas
 * need; sets *count, and what is to be derived. PH002.
 */
uint32 *ph_run_pick_metrics(PhRunTables *tables, const PhRunRequest *request, uint32 *count);

/* Where a metric that a query returned is among those that it was asked for. */
uint32 ph_metric_position(const int32 *metric_ids, uint32 n, int32 metric_id);

/* The bytes of a call tree in a row, whose checksum (null: none) must be right. PH001. */
PhBytes ph_stored_tree(const TupleTableSlot *slot, int tree_at, int crc_at);

/* Under SPI_connect: the name of the run's metric that counts calls; NULL: it has none. */
const char *ph_run_calls_metric(PhRunTables *tables, int64 run_id);

/* Location to column, PH_NONE where not wanted; *n_missing: wanted ranks that the run has not. */
uint32 *ph_run_pick_locations(const PhRunTables *tables, const PhRunRequest *request,
							  uint32 *n_columns, uint32 *n_missing);

#endif
