/*
 * words.c - OTF2's paradigms and roles of regions as words.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "readers/otf2/words.h"

#include <otf2/otf2.h>
#include <stddef.h>
#include <string.h>

/* Word of a paradigm, as Score-P's profiles have it. */
static const char *const paradigms[] = {
	[OTF2_PARADIGM_UNKNOWN] = "",
	[OTF2_PARADIGM_USER] = "user",
	[OTF2_PARADIGM_COMPILER] = "compiler",
	[OTF2_PARADIGM_OPENMP] = "openmp",
	[OTF2_PARADIGM_MPI] = "mpi",
	[OTF2_PARADIGM_CUDA] = "cuda",
	[OTF2_PARADIGM_MEASUREMENT_SYSTEM] = "measurement",
	[OTF2_PARADIGM_PTHREAD] = "pthread",
	[OTF2_PARADIGM_HMPP] = "hmpp",
	[OTF2_PARADIGM_OMPSS] = "ompss",
	[OTF2_PARADIGM_HARDWARE] = "hardware",
	[OTF2_PARADIGM_GASPI] = "gaspi",
	[OTF2_PARADIGM_UPC] = "upc",
	[OTF2_PARADIGM_SHMEM] = "shmem",
	[OTF2_PARADIGM_WINTHREAD] = "winthread",
	[OTF2_PARADIGM_QTTHREAD] = "qtthread",
	[OTF2_PARADIGM_ACETHREAD] = "acethread",
	[OTF2_PARADIGM_TBBTHREAD] = "tbbthread",
	[OTF2_PARADIGM_OPENACC] = "openacc",
	[OTF2_PARADIGM_OPENCL] = "opencl",
	[OTF2_PARADIGM_MTAPI] = "mtapi",
	[OTF2_PARADIGM_SAMPLING] = "sampling",
	[OTF2_PARADIGM_NONE] = "",
	[OTF2_PARADIGM_HIP] = "hip",
	[OTF2_PARADIGM_KOKKOS] = "kokkos",
};

static const char *const roles[] = {
	"",
	"function",
	"wrapper",
	"loop",
	"code",
	"parallel",
	"sections",
	"section",
	"workshare",
	"single",
	"single sblock",
	"master",
	"critical",
	"critical sblock",
	"atomic",
	"barrier",
	"implicit barrier",
	"flush",
	"ordered",
	"ordered sblock",
	"task",
	"task create",
	"task wait",
	"coll one2all",
	"coll all2one",
	"coll all2all",
	"coll other",
	"file io",
	"point2point",
	"rma",
	"data transfer",
	"artificial",
	"thread create",
	"thread wait",
	"task untied",
	"allocate",
	"deallocate",
	"reallocate",
	"file io metadata",
};

const char *const ph_otf2_activity_attributes[PH_OTF2_ACTIVITY_ATTRIBUTES] = {
	[PH_OTF2_LAUNCH_LOCATION] = "launch location",	 [PH_OTF2_LAUNCH_RECORD] = "launch record",
	[PH_OTF2_LAUNCH_TIME] = "launch time",			 [PH_OTF2_BYTES] = "bytes",
	[PH_OTF2_CONFIGURATION] = "configuration",		 [PH_OTF2_COMMUNICATOR] = "communicator",
	[PH_OTF2_AWAITED_LOCATION] = "awaited location", [PH_OTF2_AWAITED_BEFORE] = "awaited before",
	[PH_OTF2_OPERATION] = "device operation",
};

#define N_WORDS(words) (sizeof(words) / sizeof((words)[0]))

static const char *
word_of(const char *const *words, size_t n, uint32_t number)
{
	return number < n && words[number] != NULL ? words[number] : "";
}

/* 0, which stands for unknown in both tables, for what is no word of it. */
static uint32_t
number_of(const char *const *words, size_t n, const char *word)
{
	for (uint32_t i = 0; i < n; i++)
	{
		if (words[i] != NULL && strcmp(words[i], word) == 0)
			return i;
	}
	return 0;
}

const char *
ph_otf2_paradigm_word(uint32_t paradigm)
{
	return word_of(paradigms, N_WORDS(paradigms), paradigm);
}

const char *
ph_otf2_role_word(uint32_t role)
{
	return word_of(roles, N_WORDS(roles), role);
}

uint32_t
ph_otf2_paradigm_number(const char *word)
{
	return number_of(paradigms, N_WORDS(paradigms), word);
}

uint32_t
ph_otf2_role_number(const char *word)
{
	return number_of(roles, N_WORDS(roles), word);
}
