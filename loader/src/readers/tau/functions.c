/*
 * functions.c - what function a step of a call path is, and its region.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "readers/tau/tau.h"

PhStatus
ph_tau_find_function(PhTauRun *run, PhTauText step, uint32_t *out)
{
	uint32_t index;
	step = ph_tau_trim(step);
	PH_TRY(ph_strings_intern_n(&run->steps, step.text, step.size, &index));
	*out = index > 0 && index < run->n_functions ? index : PH_NONE;
	return PH_OK;
}

PhStatus
ph_tau_region(PhTauRun *run, uint32_t index, uint32_t *out)
{
	PhTauFunction *function = &run->functions[index];
	const PhReadOptions *options = run->options;
	if (function->region == PH_NONE)
	{
		const char *name = function->name.name.text;
		bool is_sampled_line =
			function->name.kind == PH_KIND_STATEMENT && function->name.line == PH_NO_NUMBER;
		PhRegionSpec spec = {.kind = is_sampled_line	  ? PH_KIND_FUNCTION
									 : function->is_phase ? PH_KIND_REGION
														  : function->name.kind,
							 .name = name[0] != '\0' ? name : "<unnamed>",
							 .library = function->is_program ? run->program : function->library,
							 .paradigm = function->paradigm,
							 .file = run->paths.normal[function->file],
							 .line = function->name.line};
		if (options != NULL && options->module_map != NULL)
			spec.module = ph_module_map_apply(options->module_map, spec.name, spec.file,
											  spec.library != NULL ? spec.library : "");
		PH_TRY(ph_builder_add_region(run->builder, &spec, &function->region));
	}
	*out = function->region;
	return PH_OK;
}
