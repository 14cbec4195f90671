/*
 * regions.c - between the passes over a pprof profile: its metadata, metrics and regions.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <stdio.h>

#include "base/str.h"
#include "readers/pprof/pprof.h"

/* place: of what refers to the string. */
static PhStatus
take_string(PhPprof *pprof, int64_t index, uint64_t place, const char *what, const char **out)
{
	*out = ph_pprof_string(pprof, index);
	return *out != NULL
			   ? PH_OK
			   : ph_fail(pprof->in.env, PH_ERR_FORMAT, "%s: byte %llu: %s is string %lld of %u",
						 pprof->in.input->path, (unsigned long long) place, what, (long long) index,
						 pprof->strings.count);
}

static PhStatus
set_meta(PhPprof *pprof, const char *key, const char *value, bool is_literal)
{
	return ph_meta_set(pprof->in.env, &pprof->in.run->meta, key, value, is_literal);
}

/* The same of a key of this format: "period" is "pprof.period". */
static PhStatus
set_own(PhPprof *pprof, const char *key, const char *value, bool is_literal)
{
	char whole[64];
	snprintf(whole, sizeof(whole), "%s.%s", pprof->fields->prefix, key);
	return set_meta(pprof, whole, value, is_literal);
}

/* ---- metadata ---- */

static PhStatus
set_nanoseconds(PhPprof *pprof, const char *key, int64_t ns,
				PhStatus (*set)(PhPprof *, const char *, const char *, bool))
{
	char text[48];
	if (ns <= 0)
		return PH_OK;
	snprintf(text, sizeof(text), "%lld.%09lld", (long long) (ns / 1000000000),
			 (long long) (ns % 1000000000));
	return set(pprof, key, text, true);
}

static PhStatus
set_period(PhPprof *pprof)
{
	const char *type, *unit;
	char number[32], *text;
	PhStr str;
	PH_TRY(take_string(pprof, pprof->period_type.type, pprof->period_type.place,
					   "the type of the period", &type));
	PH_TRY(take_string(pprof, pprof->period_type.unit, pprof->period_type.place,
					   "the unit of the period", &unit));
	if (pprof->period <= 0)
		return PH_OK;
	snprintf(number, sizeof(number), "%lld", (long long) pprof->period);
	ph_str_init(&str, &pprof->in.arena);
	PH_TRY(ph_str_printf(&str, "%.200s (%.200s)", type, unit));
	PH_TRY(ph_str_take(&str, &text));
	PH_TRY(set_own(pprof, "period", number, true));
	return set_own(pprof, "period_type", text, false);
}

static PhStatus
set_comments(PhPprof *pprof)
{
	for (uint32_t i = 0; i < pprof->n_comments; i++)
	{
		const char *comment;
		char key[32];
		PH_TRY(take_string(pprof, pprof->comments[i].string, pprof->comments[i].place, "a comment",
						   &comment));
		snprintf(key, sizeof(key), "comment.%u", i + 1);
		PH_TRY(set_own(pprof, key, comment, false));
	}
	return PH_OK;
}

/* The first mapping is the program itself, by convention. */
static PhStatus
set_application(PhPprof *pprof)
{
	const char *file;
	if (pprof->mapping_files.count == 0)
		return PH_OK;
	const PhPprofText *mapping = &pprof->mapping_files.items[0];
	PH_TRY(take_string(pprof, mapping->string, mapping->place, "the file of a mapping", &file));
	const char *base = ph_path_base(file);
	return base[0] != '\0' && base[0] != '[' ? set_meta(pprof, "application", base, false) : PH_OK;
}

static PhStatus
set_metadata(PhPprof *pprof)
{
	PH_TRY(set_nanoseconds(pprof, "started_at", pprof->time, set_meta));
	PH_TRY(set_nanoseconds(pprof, "duration", pprof->duration, set_own));
	PH_TRY(set_period(pprof));
	PH_TRY(set_comments(pprof));
	return set_application(pprof);
}

/* ---- metrics ---- */

static PhStatus
add_metric(PhPprof *pprof, PhPprofType *type)
{
	PhMetricSpec spec = {.kind = PH_METRIC_FLOW, .given = PH_GIVEN_EXCLUSIVE};
	if (type->metric != PH_NONE)
		return PH_OK;
	PH_TRY(take_string(pprof, type->type, type->place, "a type of samples", &spec.name));
	PH_TRY(take_string(pprof, type->unit, type->place, "the unit of samples", &spec.unit));
	if (spec.name[0] == '\0')
		spec.name = "samples";
	PhStatus status = ph_builder_add_metric(pprof->in.builder, &spec, &type->metric);
	if (status == PH_ERR_CONFLICT)
		return ph_fail(pprof->in.env, PH_ERR_FORMAT,
					   "%s: two types of samples are named \"%.100s\"", pprof->in.input->path,
					   spec.name);
	return status;
}

/* The default type, else the last one, is the primary metric: as pprof itself shows them. */
static PhStatus
add_metrics(PhPprof *pprof)
{
	uint32_t primary = pprof->n_types - 1;
	if (pprof->n_types == 0)
		return ph_fail(pprof->in.env, PH_ERR_FORMAT, "%s: it has no types of samples",
					   pprof->in.input->path);
	for (uint32_t i = 0; pprof->default_type != 0 && i < pprof->n_types; i++)
		if (pprof->types[i].type == pprof->default_type)
			primary = i;
	PH_TRY(add_metric(pprof, &pprof->types[primary]));
	for (uint32_t i = 0; i < pprof->n_types; i++)
		PH_TRY(add_metric(pprof, &pprof->types[i]));
	return PH_OK;
}

/* ---- regions ---- */

static PhStatus
prepare_paths(PhPprof *pprof)
{
	const char *root = pprof->in.options != NULL ? pprof->in.options->source_root : NULL;
	PH_TRY(ph_paths_init(&pprof->paths, &pprof->in.arena, root));
	for (uint32_t i = 0; i < pprof->functions.count; i++)
	{
		PhPprofFunction *function = &pprof->functions.items[i];
		const char *file;
		PH_TRY(ph_env_poll(pprof->in.env));
		PH_TRY(
			take_string(pprof, function->file, function->place, "the file of a function", &file));
		PH_TRY(ph_paths_add(&pprof->paths, file, &function->path));
	}
	return ph_paths_finish(&pprof->paths);
}

/* An index by its id; PH_NONE: there is no such thing. Ids that are unknown are entered so. */
static PhStatus
look_up(PhMap *ids, uint64_t id, uint32_t *out)
{
	uint32_t *known;
	PH_TRY(ph_map_enter(ids, id, PH_NONE, &known));
	*out = *known;
	return PH_OK;
}

static PhStatus
library_of(PhPprof *pprof, const PhPprofLocation *location, const char **out)
{
	uint32_t mapping;
	*out = "";
	if (location->mapping == 0)
		return PH_OK;
	PH_TRY(look_up(&pprof->mapping_ids, location->mapping, &mapping));
	if (mapping == PH_NONE)
		return ph_fail(pprof->in.env, PH_ERR_FORMAT,
					   "%s: byte %llu: mapping %llu of a location is not there",
					   pprof->in.input->path, (unsigned long long) location->place,
					   (unsigned long long) location->mapping);
	const PhPprofText *text = &pprof->mapping_files.items[mapping];
	PH_TRY(take_string(pprof, text->string, text->place, "the file of a mapping", out));
	*out = ph_path_base(*out);
	return PH_OK;
}

static PhStatus
add_region(PhPprof *pprof, PhRegionSpec *spec, uint32_t *out)
{
	const PhReadOptions *options = pprof->in.options;
	if (options != NULL && options->module_map != NULL)
		spec->module =
			ph_module_map_apply(options->module_map, spec->name, spec->file, spec->library);
	return ph_builder_add_region(pprof->in.builder, spec, out);
}

/* A place without a function is called by its library, as its address differs from run to run. */
static PhStatus
add_unnamed(PhPprof *pprof, const char *library, uint32_t *out)
{
	PhRegionSpec spec = {.kind = PH_KIND_FUNCTION,
						 .name = library[0] != '\0' ? library : "[unknown]",
						 .library = library,
						 .line = PH_NO_NUMBER};
	return add_region(pprof, &spec, out);
}

static PhStatus
add_function(PhPprof *pprof, const PhPprofLocation *location, uint64_t id, const char *library,
			 uint32_t *out)
{
	uint32_t index;
	PhRegionSpec spec = {.kind = PH_KIND_FUNCTION, .library = library, .line = PH_NO_NUMBER};
	if (id == 0)
		return add_unnamed(pprof, library, out);
	PH_TRY(look_up(&pprof->function_ids, id, &index));
	if (index == PH_NONE)
		return ph_fail(
			pprof->in.env, PH_ERR_FORMAT, "%s: byte %llu: function %llu of a location is not there",
			pprof->in.input->path, (unsigned long long) location->place, (unsigned long long) id);
	const PhPprofFunction *function = &pprof->functions.items[index];
	PH_TRY(
		take_string(pprof, function->name, function->place, "the name of a function", &spec.name));
	if (spec.name[0] == '\0')
		PH_TRY(take_string(pprof, function->system_name, function->place, "the name of a function",
						   &spec.name));
	if (spec.name[0] == '\0')
		return add_unnamed(pprof, library, out);
	spec.file = pprof->paths.normal[function->path];
	if (function->line > 0 && function->line <= INT32_MAX)
		spec.line = (int32_t) function->line;
	return add_region(pprof, &spec, out);
}

static PhStatus
add_location(PhPprof *pprof, uint32_t index)
{
	const PhPprofLocation *location = &pprof->locations.items[index];
	const char *library;
	PH_TRY(library_of(pprof, location, &library));
	if (location->n == 0)
		return add_unnamed(pprof, library, &pprof->unnamed[index]);
	for (uint32_t i = location->first; i < location->first + location->n; i++)
		PH_TRY(add_function(pprof, location, pprof->line_functions.items[i], library,
							&pprof->regions[i]));
	return PH_OK;
}

PhStatus
ph_pprof_prepare(PhPprof *pprof)
{
	PH_TRY(set_metadata(pprof));
	PH_TRY(ph_builder_new(pprof->in.env, &pprof->in.builder));
	PH_TRY(add_metrics(pprof));
	PH_TRY(prepare_paths(pprof));
	PH_TRY(PH_NEW(&pprof->in.arena, pprof->line_functions.count, &pprof->regions));
	PH_TRY(PH_NEW(&pprof->in.arena, pprof->locations.count, &pprof->unnamed));
	for (uint32_t i = 0; i < pprof->locations.count; i++)
	{
		PH_TRY(ph_env_poll(pprof->in.env));
		PH_TRY(add_location(pprof, i));
	}
	return PH_OK;
}
