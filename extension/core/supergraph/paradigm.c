/*
 * paradigm.c - the programming model that a region belongs to: as measured, else by its name.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <string.h>

#include "supergraph/internal.h"

const char *const ph_named_paradigms[PH_NAMED_COUNT] = {"mpi", "openmp", "user"};

PhNamedParadigm
ph_paradigm_by_name(const char *name)
{
	static const struct
	{
		const char *prefix;
		PhNamedParadigm paradigm;
	} prefixes[] = {
		{"MPI_", PH_NAMED_MPI},		{"PMPI_", PH_NAMED_MPI},	{"mpi_", PH_NAMED_MPI},
		{"pmpi_", PH_NAMED_MPI},	{"MPIR_", PH_NAMED_MPI},	{"MPID_", PH_NAMED_MPI},
		{"MPIDI_", PH_NAMED_MPI},	{"MPIU_", PH_NAMED_MPI},	{"ompi_", PH_NAMED_MPI},
		{"opal_", PH_NAMED_MPI},	{"omp_", PH_NAMED_OPENMP},	{"!$omp", PH_NAMED_OPENMP},
		{"GOMP_", PH_NAMED_OPENMP}, {"gomp_", PH_NAMED_OPENMP}, {"__kmp", PH_NAMED_OPENMP},
		{"kmp_", PH_NAMED_OPENMP},	{"OMP_", PH_NAMED_OPENMP},
	};
	for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++)
		if (strncmp(name, prefixes[i].prefix, strlen(prefixes[i].prefix)) == 0)
			return prefixes[i].paradigm;
	return PH_NAMED_USER;
}

const char *
ph_name_paradigm(const char *name)
{
	return ph_named_paradigms[ph_paradigm_by_name(name)];
}

const char *
ph_region_paradigm(const PhProfile *profile, const PhRegion *region)
{
	const char *paradigm = ph_profile_string(profile, region->paradigm);
	if (paradigm[0] != '\0')
		return paradigm;
	if (region->kind == PH_KIND_LOOP || region->kind == PH_KIND_STATEMENT)
		return "";
	return ph_name_paradigm(ph_profile_string(profile, region->name));
}
