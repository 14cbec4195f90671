/*
 * metrics.c - what a Caliper attribute is: axis, metric or neither; names, units, pairs.
 *
 * Names are chains of operators: "max#inclusive#sum#time.duration". The outermost of min, max, avg
 * and sum says how values combine; "inclusive" makes the value inclusive; "scale" changes the unit.
 * Files for people have aliases only: "Max time/rank", "Total time (exc)", "Calls/rank (avg)".
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "readers/caliper/caliper.h"

#include "base/unit.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* What the names of one field say. */
typedef struct FieldMeaning
{
	uint32_t field;
	char *display;
	const char *unit;
	PhMetricKind kind;
	PhCombine combine;
	bool inclusive, exclusive; /* said explicitly */
	bool is_time;
	double scale;
	int score;		 /* the highest becomes the primary metric */
	int32_t partner; /* index of the meaning that makes one metric with this, -1: none */
} FieldMeaning;

static bool
starts_with(const char *text, const char *prefix)
{
	return strncasecmp(text, prefix, strlen(prefix)) == 0;
}

static bool
contains(const char *text, const char *part)
{
	return strcasestr(text, part) != NULL;
}

static bool
is_one_of(const char *text, const char *const *words)
{
	for (; *words != NULL; words++)
		if (strcmp(text, *words) == 0)
			return true;
	return false;
}

PhCaliperRole
ph_caliper_role(const char *name, const char *alias)
{
	static const char *const ranks[] = {"mpi.rank", "rank", NULL};
	static const char *const threads[] = {"omp.thread.id", "omp.thread", "omp.thread.num",
										  "thread.id",	   "thread",	 NULL};
	static const char *const skipped[] = {"nid",
										  "name",
										  "time.timestamp",
										  "time.inclusive.duration",
										  "mpi.world.size",
										  "time.inclusive.duration.ns",
										  "mpi.call.id",
										  "timeseries.starttime",
										  "class.iteration",
										  "timeseries.snapshot",
										  "Node order",
										  "cupti.activity.start",
										  "cupti.activity.end",
										  "cupti.starttime",
										  "cupti.timestamp",
										  "rocm.starttime",
										  "rocm.endtime",
										  "rocm.host.timestamp",
										  "rocm.host.starttime",
										  NULL};
	static const char *const skipped_parts[] = {"aggregate.slot", "callpath", "sampler.pc",
												"address",		  ".offset",  "attribute."};
	static const char *const skipped_starts[] = {"event.", "cali.", "avg.sum#", "avg.count#"};

	if (is_one_of(name, ranks))
		return PH_CALIPER_RANK;
	if (is_one_of(name, threads))
		return PH_CALIPER_THREAD;
	if (strncmp(name, "iteration#", 10) == 0 || strcmp(name, "loop.start_iteration") == 0)
		return PH_CALIPER_ITERATION;
	if (is_one_of(name, skipped) || (alias != NULL && strcmp(alias, "Node order") == 0))
		return PH_CALIPER_SKIP;
	for (size_t i = 0; i < sizeof(skipped_parts) / sizeof(skipped_parts[0]); i++)
		if (contains(name, skipped_parts[i]))
			return PH_CALIPER_SKIP;
	for (size_t i = 0; i < sizeof(skipped_starts) / sizeof(skipped_starts[0]); i++)
		if (starts_with(name, skipped_starts[i]))
			return PH_CALIPER_SKIP;
	return PH_CALIPER_METRIC;
}

PhRegionKind
ph_caliper_region_kind(const char *label)
{
	bool mpi = strncmp(label, "MPI_", 4) == 0 || strncmp(label, "PMPI_", 5) == 0;
	return mpi ? PH_KIND_FUNCTION : PH_KIND_REGION;
}

/* Cut suffix off text, without regard to case. */
static bool
cut_suffix(char *text, const char *suffix)
{
	size_t length = strlen(text);
	size_t cut = strlen(suffix);
	if (length <= cut || strcasecmp(text + length - cut, suffix) != 0)
		return false;
	text[length - cut] = '\0';
	return true;
}

/* Remove an operator and its '#' from a chain of operators. */
static bool
cut_operator(char *chain, const char *operator)
{
	size_t length = strlen(operator);
	bool found = false;
	for (char *at = chain; at != NULL;)
	{
		if (strncmp(at, operator, length) == 0 && at[length] == '#')
		{
			memmove(at, at + length + 1, strlen(at + length + 1) + 1);
			found = true;
			continue;
		}
		char *next = strchr(at, '#');
		at = next != NULL ? next + 1 : NULL;
	}
	return found;
}

/* The outermost aggregation of a chain of operators; true when there is one. */
static bool
chain_combine(const char *chain, PhMetricKind *kind, PhCombine *combine)
{
	static const struct
	{
		const char *prefix;
		PhMetricKind kind;
		PhCombine combine;
	} operators[] = {{"sum#", PH_METRIC_FLOW, PH_COMBINE_SUM},
					 {"min#", PH_METRIC_VALUE, PH_COMBINE_MIN},
					 {"max#", PH_METRIC_VALUE, PH_COMBINE_MAX},
					 {"avg#", PH_METRIC_VALUE, PH_COMBINE_MEAN},
					 {"ratio#", PH_METRIC_VALUE, PH_COMBINE_MEAN},
					 {"iratio#", PH_METRIC_VALUE, PH_COMBINE_MEAN},
					 {"variance#", PH_METRIC_VALUE, PH_COMBINE_MEAN},
					 {"percent_total#", PH_METRIC_VALUE, PH_COMBINE_MEAN}};
	for (size_t i = 0; i < sizeof(operators) / sizeof(operators[0]); i++)
		if (starts_with(chain, operators[i].prefix))
		{
			*kind = operators[i].kind;
			*combine = operators[i].combine;
			return true;
		}
	return false;
}

/* How values combine, from a name for people. */
static void
plain_combine(const char *name, PhMetricKind *kind, PhCombine *combine)
{
	static const char *const flow[] = {"time",	"duration", "count",  "bytes",	 "sum",	  "total",
									   "calls", "visits",	"cycles", "samples", "instr", "PAPI_"};
	*kind = PH_METRIC_VALUE;
	if (starts_with(name, "min ") || contains(name, "(min)"))
		*combine = PH_COMBINE_MIN;
	else if (starts_with(name, "max ") || contains(name, "(max)") || contains(name, "watermark") ||
			 contains(name, "peak"))
		*combine = PH_COMBINE_MAX;
	else if (starts_with(name, "avg ") || contains(name, "(avg)") || contains(name, "%"))
		*combine = PH_COMBINE_MEAN;
	else if (starts_with(name, "loop.") || starts_with(name, "timeseries."))
		*combine = PH_COMBINE_SUM;
	else
	{
		*combine = PH_COMBINE_MEAN;
		for (size_t i = 0; i < sizeof(flow) / sizeof(flow[0]); i++)
			if (contains(name, flow[i]))
				*kind = PH_METRIC_FLOW;
	}
}

/* ---- devices ---- */

static bool
ends_with(const char *text, const char *end)
{
	size_t length = strlen(text);
	size_t cut = strlen(end);

	return length >= cut && strcmp(text + length - cut, end) == 0;
}

/* Names of services for devices end alike: "sum#cupti.activity.duration". */
static bool
is_of_device(const char *name, const char *what)
{
	return ends_with(name, what) &&
		   (strstr(name, "cupti.") != NULL || strstr(name, "rocm.") != NULL);
}

bool
ph_caliper_is_activity_time(const char *name, bool *is_single)
{
	*is_single = strchr(name, '#') == NULL;
	return is_of_device(name, ".activity.duration");
}

/* What our metrics of devices are called, whatever the file calls them; NULL: none of them. */
static const char *
device_metric(const char *chain)
{
	bool is_single;

	if (ph_caliper_is_activity_time(chain, &is_single))
		return "gpu time";
	if (is_of_device(chain, ".activity.count"))
		return "gpu kernels";
	return is_of_device(chain, "memcpy.bytes") || is_of_device(chain, "rocm.bytes") ||
				   is_of_device(chain, ".activity.bytes")
			   ? "gpu copy bytes"
			   : NULL;
}

static const char *
spelled_unit(const char *unit)
{
	static const char *const pairs[][2] = {{"sec", "s"},	{"usec", "us"},	   {"nsec", "ns"},
										   {"msec", "ms"},	{"Byte", "bytes"}, {"B", "bytes"},
										   {"seconds", "s"}};
	for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++)
		if (strcmp(unit, pairs[i][0]) == 0)
			return pairs[i][1];
	return unit;
}

/*
 * Unit of a metric that names none. Caliper 2 measures time.duration in seconds, older versions,
 * which write no version, in microseconds.
 */
static const char *
guessed_unit(const char *name, const char *version)
{
	size_t length = strlen(name);
	bool time = contains(name, "time");
	if (time && length > 3 && strcmp(name + length - 3, ".ns") == 0)
		return "ns";
	if (time)
		return version != NULL && version[0] >= '2' && version[0] <= '9' ? "s" : "us";
	if (contains(name, "bytes") || contains(name, "watermark"))
		return "bytes";
	return contains(name, "count") || contains(name, "calls") ? "count" : "";
}

static bool
is_time_unit(const char *unit)
{
	PhUnitMeaning meaning;
	return ph_unit_meaning(unit, &meaning) && strcmp(meaning.dimension, "time") == 0;
}

static int
primary_score(const FieldMeaning *meaning)
{
	if (meaning->kind != PH_METRIC_FLOW)
		return 0;
	if (strncmp(meaning->display, "gpu ", 4) == 0)
		return strcmp(meaning->display, "gpu time") == 0;
	bool usual =
		strcmp(meaning->display, "time") == 0 || strcmp(meaning->display, "Total time") == 0;
	return meaning->is_time ? 2 + usual : 1;
}

/* Read the names of one field. */
static PhStatus
understand(PhArena *arena, const PhCaliperField *fields, uint32_t field, const char *version,
		   bool is_caliper, FieldMeaning *out)
{
	static const char *const time_names[] = {"time.duration",
											 "sum#time.duration",
											 "sum#sum#time.duration",
											 "sum#avg#sum#time.duration",
											 "sum#cupti.host.duration",
											 "sum#rocm.host.duration",
											 NULL};
	const PhCaliperField *given = &fields[field];
	char *chain;
	PH_TRY(ph_arena_strndup(arena, given->name, strlen(given->name), &chain));
	memset(out, 0, sizeof(*out));
	out->field = field;
	out->partner = -1;
	out->inclusive = cut_operator(chain, "inclusive");
	bool is_scaled = cut_operator(chain, "scale") || cut_operator(chain, "iscale");
	const char *device_name = device_metric(chain);
	bool is_device_time = is_of_device(chain, ".duration");
	if (!chain_combine(chain, &out->kind, &out->combine))
		plain_combine(chain, &out->kind, &out->combine);

	out->display = chain;
	if (device_name != NULL && out->kind == PH_METRIC_FLOW)
		PH_TRY(ph_arena_strndup(arena, device_name, strlen(device_name), &out->display));
	else if (given->alias != NULL && given->alias[0] != '\0')
		PH_TRY(ph_arena_strndup(arena, given->alias, strlen(given->alias), &out->display));
	else if (is_one_of(chain, time_names))
		PH_TRY(ph_arena_strndup(arena, "time", 4, &out->display));
	else if (strcmp(chain, "time.duration.ns") == 0)
		PH_TRY(ph_arena_strndup(arena, "sum#time.duration.ns", 20, &out->display));
	if (out->kind == PH_METRIC_FLOW)
		out->combine = PH_COMBINE_SUM;
	out->inclusive |= cut_suffix(out->display, " (inc)") || cut_suffix(out->display, " (I)");
	out->exclusive = cut_suffix(out->display, " (exc)") || cut_suffix(out->display, " (E)");
	if (given->unit != NULL && given->unit[0] != '\0')
		out->unit = spelled_unit(given->unit);
	else if (is_device_time)
		out->unit = "s";
	else
		out->unit = is_caliper ? guessed_unit(chain, version) : "";
	/* The services measure in ns, which queries scale to s. */
	out->scale = is_device_time && !is_scaled ? 1e-9 : 1;
	out->is_time = is_time_unit(out->unit) || (!is_caliper && contains(chain, "time"));
	out->score = primary_score(out);
	return PH_OK;
}

/* Nothing in the names says that values are a minimum, maximum or average. */
static bool
may_add_up(const FieldMeaning *meaning)
{
	return meaning->kind == PH_METRIC_FLOW ||
		   (meaning->combine == PH_COMBINE_MEAN && strchr(meaning->display, '#') == NULL &&
			!starts_with(meaning->display, "avg"));
}

/*
 * Where one name has an inclusive field and one that is not, the values add up over the tree,
 * whatever the names say about the kind: both become flow metrics that are summed. Names that say
 * minimum, maximum or average are left as they are (may_add_up).
 */
static void
settle_kinds(FieldMeaning *meanings, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		for (uint32_t j = 0; j < n; j++)
		{
			FieldMeaning *a = &meanings[i];
			FieldMeaning *b = &meanings[j];
			if (!a->inclusive || b->inclusive || !may_add_up(a) || !may_add_up(b) ||
				strcmp(a->display, b->display) != 0)
				continue;
			a->kind = b->kind = PH_METRIC_FLOW;
			a->combine = b->combine = PH_COMBINE_SUM;
			a->score = primary_score(a);
			b->score = primary_score(b);
		}
}

static bool
same_metric(const FieldMeaning *a, const FieldMeaning *b)
{
	return strcmp(a->display, b->display) == 0 && a->kind == b->kind && a->combine == b->combine &&
		   strcmp(a->unit, b->unit) == 0;
}

/*
 * a and b are two fields with the same name, unit and kind. When only one of them says whether it
 * is inclusive or exclusive, the other is taken to be its opposite. Nothing changes when both say
 * the same or neither says anything.
 */
static void
pair_up(FieldMeaning *a, FieldMeaning *b)
{
	if (a->inclusive == b->inclusive && a->exclusive == b->exclusive)
		return;
	bool a_inclusive = a->inclusive || b->exclusive;
	bool b_inclusive = b->inclusive || a->exclusive;
	if (a_inclusive == b_inclusive)
		return;
	a->inclusive = a_inclusive;
	b->inclusive = b_inclusive;
}

static int
by_importance(const void *x, const void *y)
{
	const FieldMeaning *a = x;
	const FieldMeaning *b = y;
	if (a->score != b->score)
		return a->score > b->score ? -1 : 1;
	if (a->kind != b->kind)
		return a->kind < b->kind ? -1 : 1;
	int order = strcmp(a->display, b->display);
	if (order != 0)
		return order;
	if (a->inclusive != b->inclusive)
		return a->inclusive ? -1 : 1;
	return a->field < b->field ? -1 : 1;
}

/* The first field of a metric declares it; its partner joins. */
static PhStatus
declare(PhProfileBuilder *builder, PhCaliperField *fields, const FieldMeaning *meaning,
		const FieldMeaning *partner, const char *name)
{
	PhMetricSpec spec = {
		.name = name, .unit = meaning->unit, .kind = meaning->kind, .combine = meaning->combine};
	spec.given = partner != NULL	  ? PH_GIVEN_BOTH
				 : meaning->inclusive ? PH_GIVEN_INCLUSIVE
									  : PH_GIVEN_EXCLUSIVE;
	spec.may_be_negative = meaning->kind == PH_METRIC_VALUE && !meaning->is_time;
	const FieldMeaning *both[] = {meaning, partner};
	uint32_t metric;
	PH_TRY(ph_builder_add_metric(builder, &spec, &metric));
	for (size_t i = 0; i < 2 && both[i] != NULL; i++)
	{
		PhCaliperField *field = &fields[both[i]->field];
		field->metric = metric;
		field->cost = both[i]->inclusive ? PH_COST_INCLUSIVE : PH_COST_EXCLUSIVE;
		field->flow = meaning->kind == PH_METRIC_FLOW;
		field->metric_name = name;
		field->has_partner = partner != NULL;
		field->scale = both[i]->scale;
		field->of_kernels = strcmp(name, "gpu kernels") == 0;
	}
	return PH_OK;
}

static PhStatus
declare_all(PhArena *arena, PhProfileBuilder *builder, PhCaliperField *fields,
			FieldMeaning *meanings, uint32_t n)
{
	PhStrings names;
	PH_TRY(ph_strings_init(&names, arena));
	for (uint32_t i = 0; i < n; i++)
		for (uint32_t j = i + 1; j < n && same_metric(&meanings[i], &meanings[j]); j++)
			pair_up(&meanings[i], &meanings[j]);
	for (uint32_t i = 0; i < n;)
	{
		bool pair = i + 1 < n && same_metric(&meanings[i], &meanings[i + 1]) &&
					meanings[i].inclusive != meanings[i + 1].inclusive;
		const char *name = meanings[i].display;
		uint32_t before = names.count;
		uint32_t index;
		PH_TRY(ph_strings_intern(&names, name, &index));
		if (index < before) /* taken by another field: fall back on the name in the file */
			name = fields[meanings[i].field].name;
		PH_TRY(declare(builder, fields, &meanings[i], pair ? &meanings[i + 1] : NULL, name));
		i += pair ? 2 : 1;
	}
	return PH_OK;
}

/* Keep the axis that most rows have; of equals, the first by name. */
static void
choose_iteration(PhCaliperField *fields, uint32_t n_fields)
{
	PhCaliperField *best = NULL;
	for (uint32_t i = 0; i < n_fields; i++)
	{
		PhCaliperField *field = &fields[i];
		if (field->role != PH_CALIPER_ITERATION)
			continue;
		bool better = best == NULL || field->n_uses > best->n_uses ||
					  (field->n_uses == best->n_uses && strcmp(field->name, best->name) < 0);
		PhCaliperField *loser = better ? best : field;
		if (loser != NULL)
			loser->role = PH_CALIPER_SKIP;
		best = better ? field : best;
	}
}

PhStatus
ph_caliper_add_metrics(PhArena *arena, PhProfileBuilder *builder, PhCaliperField *fields,
					   uint32_t n_fields, const char *version, bool is_caliper)
{
	FieldMeaning *meanings;
	uint32_t n = 0;
	PH_TRY(PH_NEW(arena, n_fields, &meanings));
	for (uint32_t i = 0; i < n_fields; i++)
		if (fields[i].role == PH_CALIPER_METRIC)
			PH_TRY(understand(arena, fields, i, version, is_caliper, &meanings[n++]));
	choose_iteration(fields, n_fields);
	if (n == 0)
		return ph_fail(arena->env, PH_ERR_VALUE, "no column or attribute holds a metric");
	settle_kinds(meanings, n);
	qsort(meanings, n, sizeof(FieldMeaning), by_importance);
	return declare_all(arena, builder, fields, meanings, n);
}
