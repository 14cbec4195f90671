/*
 * metrics.c - metrics of an HPCToolkit database and the metric-db files.
 *
 * A procedure's exclusive values contain its loops and statements, which are nodes of their own
 * here; so inclusives are read and exclusives derived from them.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <endian.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "readers/hpctoolkit/hpctoolkit.h"

#define PH_DB_TAG "HPCPROF-metricdb__"
#define PH_DB_TAG_SIZE 24
#define PH_DB_HEADER_SIZE 32

static bool
cut_suffix(char *text, const char *suffix)
{
	size_t length = strlen(text);
	size_t cut = strlen(suffix);
	if (length <= cut || strcmp(text + length - cut, suffix) != 0)
		return false;
	text[length - cut] = '\0';
	return true;
}

PhStatus
ph_hpc_name_metric(PhHpcExperiment *experiment, const char *name, PhHpcMetric *metric)
{
	static const struct
	{
		const char *suffix;
		PhCombine combine;
	} statistics[] = {{":Mean", PH_COMBINE_MEAN},  {":Min", PH_COMBINE_MIN},
					  {":Max", PH_COMBINE_MAX},	   {":StdDev", PH_COMBINE_MEAN},
					  {":CfVar", PH_COMBINE_MEAN}, {":CoefVar", PH_COMBINE_MEAN}};
	PH_TRY(ph_arena_strndup(&experiment->arena, name, strlen(name), &metric->name));
	if (cut_suffix(metric->name, " (E)"))
		metric->inclusive = false;
	else if (cut_suffix(metric->name, " (I)"))
		metric->inclusive = true;
	cut_suffix(metric->name, ":Sum");
	metric->flow = true;
	metric->combine = PH_COMBINE_SUM;
	for (size_t i = 0; i < sizeof(statistics) / sizeof(statistics[0]); i++)
	{
		size_t length = strlen(metric->name);
		size_t suffix = strlen(statistics[i].suffix);
		if (length <= suffix || strcmp(metric->name + length - suffix, statistics[i].suffix) != 0)
			continue;
		metric->flow = false;
		metric->combine = statistics[i].combine;
	}
	metric->metric = PH_NONE;
	return PH_OK;
}

static const char *
unit_of(const char *name)
{
	return strstr(name, "(usec)") != NULL	  ? "us"
		   : strstr(name, "(nsec)") != NULL	  ? "ns"
		   : strstr(name, "(msec)") != NULL	  ? "ms"
		   : strstr(name, "(sec)") != NULL	  ? "s"
		   : strcasestr(name, "byte") != NULL ? "bytes"
											  : "count";
}

/* Smaller is earlier: times first, in the file's order otherwise; statistics last. */
static int
rank_of_metric(const PhHpcMetric *metric)
{
	bool time =
		strcasestr(metric->name, "TIME") != NULL || strcasestr(metric->name, "CLOCK") != NULL;
	return !metric->flow ? 2 : time ? 0 : 1;
}

/* The first metric with this name before limit among those in use, or NULL. */
static PhHpcMetric *
same_name(PhHpcExperiment *experiment, uint32_t limit, const PhHpcMetric *metric)
{
	for (uint32_t i = 0; i < limit; i++)
	{
		PhHpcMetric *other = &experiment->metrics[i];
		if (other->is_db == experiment->use_db && strcmp(other->name, metric->name) == 0)
			return other;
	}
	return NULL;
}

static bool
has_inclusive(const PhHpcExperiment *experiment, const PhHpcMetric *metric)
{
	for (uint32_t i = 0; i < experiment->n_metrics; i++)
	{
		const PhHpcMetric *other = &experiment->metrics[i];
		if (other->is_db == experiment->use_db && other->inclusive &&
			strcmp(other->name, metric->name) == 0)
			return true;
	}
	return false;
}

/* Declare a metric once; of a flow metric with inclusives, the exclusives are not read. */
static PhStatus
declare(PhHpcExperiment *experiment, uint32_t index)
{
	PhHpcMetric *metric = &experiment->metrics[index];
	bool inclusive = has_inclusive(experiment, metric);
	PhHpcMetric *first = same_name(experiment, index, metric);
	metric->cost = metric->inclusive ? PH_COST_INCLUSIVE : PH_COST_EXCLUSIVE;
	if (metric->flow && inclusive && !metric->inclusive)
		return PH_OK;
	if (first != NULL && first->metric != PH_NONE)
	{
		if (metric->flow || first->inclusive == metric->inclusive)
			return ph_fail(experiment->env, PH_ERR_FORMAT, "metric \"%.100s\" is defined twice",
						   metric->name);
		metric->metric = first->metric;
		return PH_OK;
	}
	PhMetricSpec spec = {.name = metric->name,
						 .unit = unit_of(metric->name),
						 .kind = metric->flow ? PH_METRIC_FLOW : PH_METRIC_VALUE,
						 .combine = metric->combine};
	spec.given =
		metric->flow ? (inclusive ? PH_GIVEN_INCLUSIVE : PH_GIVEN_EXCLUSIVE) : PH_GIVEN_BOTH;
	return ph_builder_add_metric(experiment->builder, &spec, &metric->metric);
}

PhStatus
ph_hpc_add_metrics(PhHpcExperiment *experiment)
{
	uint32_t n_used = 0;
	for (int rank = 0; rank < 3; rank++)
		for (uint32_t i = 0; i < experiment->n_metrics; i++)
			if (experiment->metrics[i].is_db == experiment->use_db &&
				rank_of_metric(&experiment->metrics[i]) == rank)
			{
				PH_TRY(declare(experiment, i));
				n_used++;
			}
	if (n_used == 0)
		return ph_fail(experiment->env, PH_ERR_FORMAT,
					   "experiment.xml: the %s table names no metric",
					   experiment->use_db ? "MetricDB" : "Metric");
	return PH_OK;
}

/* ---- metric-db files ---- */

bool
ph_hpc_parse_name(const char *path, int32_t *rank, int32_t *thread, char host[64])
{
	const char *name = strrchr(path, '/') != NULL ? strrchr(path, '/') + 1 : path;
	const char *parts[5]; /* "-rank", "-thread", "-host", "-pid", "-0.metric-db" */
	const char *end = name + strlen(name);
	for (int i = 4; i >= 0; i--)
	{
		const char *dash = memrchr(name, '-', (size_t) (end - name));
		/* the suffix ".metric-db" holds a dash of its own */
		if (i == 4 && dash != NULL)
			dash = memrchr(name, '-', (size_t) (dash - name));
		if (dash == NULL || dash == name)
			return false;
		parts[i] = dash;
		end = dash;
	}
	int64_t numbers[2];
	for (int i = 0; i < 2; i++)
		if (!ph_parse_int64(parts[i] + 1, (size_t) (parts[i + 1] - parts[i] - 1), &numbers[i]) ||
			numbers[i] < 0 || numbers[i] > INT32_MAX)
			return false;
	*rank = (int32_t) numbers[0];
	*thread = (int32_t) numbers[1];
	snprintf(host, 64, "%.*s", (int) (parts[3] - parts[2] - 1), parts[2] + 1);
	return true;
}

static int32_t
big_int(const uint8_t *bytes)
{
	uint32_t raw;
	memcpy(&raw, bytes, sizeof(raw));
	return (int32_t) be32toh(raw);
}

static double
big_double(const uint8_t *bytes)
{
	uint64_t raw;
	double value;
	memcpy(&raw, bytes, sizeof(raw));
	raw = be64toh(raw);
	memcpy(&value, &raw, sizeof(value));
	return value;
}

static PhStatus
check_header(PhHpcExperiment *experiment, const PhInput *db)
{
	PhEnv *env = experiment->env;
	if (db->size < PH_DB_HEADER_SIZE)
		return ph_fail(env, PH_ERR_FORMAT, "%s: %zu bytes are too few for a metric-db: truncated",
					   db->path, db->size);
	if (memcmp(db->data, PH_DB_TAG, strlen(PH_DB_TAG)) != 0)
		return ph_fail(env, PH_ERR_FORMAT, "%s: offset 0: not a metric-db (tag \"" PH_DB_TAG "\")",
					   db->path);
	int64_t nodes = big_int(db->data + PH_DB_TAG_SIZE);
	int64_t metrics = big_int(db->data + PH_DB_TAG_SIZE + 4);
	bool fits = nodes >= 0 && metrics > 0 &&
				(uint64_t) nodes * (uint64_t) metrics == (db->size - PH_DB_HEADER_SIZE) / 8 &&
				(db->size - PH_DB_HEADER_SIZE) % 8 == 0;
	if (!fits)
	{
		uint64_t swapped =
			(uint64_t) __builtin_bswap32((uint32_t) nodes) * __builtin_bswap32((uint32_t) metrics);
		if (swapped == (db->size - PH_DB_HEADER_SIZE) / 8)
			return ph_fail(env, PH_ERR_FORMAT,
						   "%s: offset 24: the counts are little-endian, a metric-db is big-endian",
						   db->path);
		return ph_fail(env, PH_ERR_FORMAT,
					   "%s: offset 24: %lld nodes and %lld metrics do not fit a file of %zu bytes: "
					   "truncated or damaged",
					   db->path, (long long) nodes, (long long) metrics, db->size);
	}
	if (metrics != experiment->db_num_metrics)
		return ph_fail(env, PH_ERR_CONFLICT,
					   "%s: offset 28: %lld metrics, but experiment.xml says %u", db->path,
					   (long long) metrics, experiment->db_num_metrics);
	if (experiment->max_id > nodes)
		return ph_fail(env, PH_ERR_CONFLICT,
					   "%s: offset 24: %lld nodes, but experiment.xml has node %lld", db->path,
					   (long long) nodes, (long long) experiment->max_id);
	return PH_OK;
}

static PhStatus
add_cell(PhHpcExperiment *experiment, const PhInput *db, uint32_t node, uint32_t column,
		 const PhHpcMetric *metric, size_t offset)
{
	double value = big_double(db->data + offset);
	if (value == 0)
		return PH_OK;
	if (!isfinite(value) || value < 0)
		return ph_fail(experiment->env, PH_ERR_VALUE, "%s: offset %zu: metric value %g %s",
					   db->path, offset, value, isfinite(value) ? "is negative" : "is not finite");
	return ph_builder_add_value(experiment->builder, metric->metric, node, column, metric->cost,
								value);
}

PhStatus
ph_hpc_read_db(PhHpcExperiment *experiment, const PhInput *db, uint32_t column)
{
	PH_TRY(check_header(experiment, db));
	const PhMap *nodes = &experiment->nodes;
	for (uint32_t i = 0; i < nodes->count; i++)
	{
		size_t row = (size_t) nodes->keys[i] - 1;
		PH_TRY(ph_env_poll(experiment->env));
		PH_TRY(ph_builder_mark_present(experiment->builder, nodes->values[i], column));
		for (uint32_t j = 0; j < experiment->n_metrics; j++)
		{
			const PhHpcMetric *metric = &experiment->metrics[j];
			if (!metric->is_db || metric->metric == PH_NONE)
				continue;
			size_t cell = row * experiment->db_num_metrics + metric->db_id;
			PH_TRY(add_cell(experiment, db, nodes->values[i], column, metric,
							PH_DB_HEADER_SIZE + 8 * cell));
		}
	}
	return PH_OK;
}
