/*
 * hpctoolkit.h - the parts of the HPCToolkit version 3 reader: experiment.xml and metric-db files.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_READERS_HPCTOOLKIT_HPCTOOLKIT_H
#define PH_READERS_HPCTOOLKIT_HPCTOOLKIT_H

#include "base/table.h"
#include "readers/input.h"
#include "readers/source_paths.h"

#define PH_HPC_MAX_METRICS 1024

/* A metric of MetricTable (summaries in the XML) or MetricDBTable (columns of the metric-db). */
typedef struct PhHpcMetric
{
	char *name;		/* without its suffixes */
	int64_t id;		/* i */
	uint32_t db_id; /* column in the metric-db */
	bool is_db;		/* of MetricDBTable */
	bool inclusive; /* else exclusive */
	bool flow;		/* additive; else a statistic such as Mean or Max */
	PhCombine combine;

	uint32_t metric; /* in the builder; PH_NONE: not used */
	PhCost cost;
} PhHpcMetric;

typedef struct PhHpcExperiment
{
	PhEnv *env;
	const PhReadOptions *options;
	PhArena arena;
	PhProfileBuilder *builder;
	PhRunInput *run;
	PhSourcePaths paths;

	uint32_t n_metrics;
	PhHpcMetric metrics[PH_HPC_MAX_METRICS];
	uint32_t db_num_metrics; /* 0: no MetricDBTable */
	bool use_db;			 /* values come from metric-db files, not from the XML */
	uint32_t summary_column; /* !use_db */

	PhMap nodes; /* CCT id -> builder's node */
	int64_t max_id;
} PhHpcExperiment;

/* Read experiment.xml: tables, metrics, tree, and summary values when there are no metric-dbs. */
PhStatus ph_hpc_read_xml(PhHpcExperiment *experiment, PhInput *xml) PH_MUST_CHECK;

/* Add the values of one metric-db file; its path names rank and thread. */
PhStatus ph_hpc_read_db(PhHpcExperiment *experiment, const PhInput *db,
						uint32_t column) PH_MUST_CHECK;

/* Rank, thread and host of a metric-db from its name; false when the name has another form. */
bool ph_hpc_parse_name(const char *path, int32_t *rank, int32_t *thread, char host[64]);

/* Declare the metrics to the builder, the primary one first. */
PhStatus ph_hpc_add_metrics(PhHpcExperiment *experiment) PH_MUST_CHECK;

/* Take a metric's name apart: suffixes (I), (E), :Sum, :Mean ... */
PhStatus ph_hpc_name_metric(PhHpcExperiment *experiment, const char *name,
							PhHpcMetric *metric) PH_MUST_CHECK;

/* An experiment in memory: the XML and n_dbs metric-dbs. */
PhStatus ph_read_hpctoolkit(PhEnv *env, PhInput *xml, PhInput *dbs, size_t n_dbs,
							const PhReadOptions *options, PhRunInput *out) PH_MUST_CHECK;

#endif
