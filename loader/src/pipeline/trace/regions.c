/*
 * regions.c - see regions.h.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "pipeline/trace/regions.h"

static PhStatus
add_paths(PhTraceRegions *regions, PhArena *arena, const PhTraceModel *model,
		  const PhReadOptions *options)
{
	PH_TRY(ph_paths_init(&regions->paths, arena, options->source_root));
	PH_TRY(PH_NEW(arena, model->n_regions, &regions->files));
	for (uint32_t i = 0; i < model->n_regions; i++)
	{
		if (model->regions[i].file[0] != '\0')
			PH_TRY(ph_paths_add(&regions->paths, model->regions[i].file, &regions->files[i]));
	}
	return ph_paths_finish(&regions->paths);
}

static PhStatus
hide_files(PhTraceRegions *regions, PhArena *arena, const char *salt)
{
	PhSourcePaths *paths = &regions->paths;

	for (uint32_t i = 0; i < paths->n_normal; i++)
	{
		PH_TRY(ph_hide_path(arena, salt, paths->normal[i], &paths->normal[i]));
		PH_TRY(ph_hide_path(arena, salt, paths->raw.text[i], &paths->raw.text[i]));
	}
	return PH_OK;
}

PhRegionSpec
ph_trace_region_spec(const PhTraceRegions *regions, const PhTraceModel *model, uint32_t region)
{
	const PhTraceRegion *of = &model->regions[region];

	return (PhRegionSpec){
		.kind = of->kind,
		.name = of->name,
		.library = of->library,
		.file = regions->paths.normal[regions->files[region]],
		.line = of->line,
		.paradigm = of->paradigm,
	};
}

PhStatus
ph_trace_regions_identify(PhArena *arena, const PhTraceModel *model, const PhReadOptions *options,
						  const PhHiding *hiding, PhTraceRegions *out)
{
	PH_TRY(add_paths(out, arena, model, options));
	if (hiding != NULL && hiding->paths)
		PH_TRY(hide_files(out, arena, hiding->salt));
	PH_TRY(PH_NEW(arena, model->n_regions, &out->ids));
	for (uint32_t i = 0; i < model->n_regions; i++)
	{
		PhRegionSpec spec = ph_trace_region_spec(out, model, i);

		out->ids[i] = ph_hash_region(spec.kind, spec.name, spec.library, spec.file, spec.line);
	}
	return PH_OK;
}
