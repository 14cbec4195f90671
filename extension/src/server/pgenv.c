/*
 * pgenv.c - palloc behind PhEnv, and the only place that maps PhStatus to SQLSTATEs.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "postgres.h"

#include <sys/mman.h>

#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "utils/memutils.h"

#include "server/pgenv.h"

int ph_memory_limit_kb;

#define HUGE_PAGE ((uintptr_t) 2 << 20)

/*
 * Vectors of large profiles are touched once, from end to end: with huge pages that costs one fault
 * per 2 MB instead of 512. Advice only; where the kernel has none, nothing changes.
 */
static void
advise_huge_pages(void *pointer, size_t size)
{
#ifdef MADV_HUGEPAGE
	uintptr_t first = ((uintptr_t) pointer + HUGE_PAGE - 1) & ~(HUGE_PAGE - 1);
	uintptr_t last = ((uintptr_t) pointer + size) & ~(HUGE_PAGE - 1);

	if (last > first)
		(void) madvise((void *) first, last - first, MADV_HUGEPAGE);
#endif
}

static void *
context_alloc(void *user, void *pointer, size_t old_size, size_t new_size)
{
	if (new_size == 0)
	{
		if (pointer != NULL)
			pfree(pointer);
		return NULL;
	}
	if (!AllocHugeSizeIsValid(new_size))
		return NULL;
	if (pointer == NULL)
	{
		pointer = MemoryContextAllocExtended((MemoryContext) user, new_size,
											 MCXT_ALLOC_HUGE | MCXT_ALLOC_NO_OOM);
		if (pointer != NULL && new_size >= 2 * HUGE_PAGE)
			advise_huge_pages(pointer, new_size);
		return pointer;
	}
	return repalloc_huge(pointer, new_size);
}

static bool
check_interrupts(void *user)
{
	CHECK_FOR_INTERRUPTS();
	return false;
}

void
ph_pgenv_init(PhEnv *env, MemoryContext context)
{
	memset(env, 0, sizeof(*env));
	env->alloc = context_alloc;
	env->interrupt = check_interrupts;
	env->user = context;
	env->byte_limit = (size_t) ph_memory_limit_kb * 1024;
}

static int
sqlstate_of(PhStatus status)
{
	switch (status)
	{
		case PH_ERR_MEMORY:
			return ERRCODE_OUT_OF_MEMORY;
		case PH_ERR_LIMIT:
			return ERRCODE_PROGRAM_LIMIT_EXCEEDED;
		case PH_ERR_INTERRUPTED:
			return ERRCODE_QUERY_CANCELED;
		case PH_ERR_FORMAT:
			return PH_ERRCODE_BAD_PROFILE;
		case PH_ERR_VALUE:
			return ERRCODE_INVALID_PARAMETER_VALUE;
		case PH_ERR_NOT_FOUND:
			return PH_ERRCODE_NOT_FOUND;
		case PH_ERR_UNSUPPORTED:
			return PH_ERRCODE_UNSUPPORTED;
		case PH_ERR_CONFLICT:
			return ERRCODE_DATA_EXCEPTION;
		case PH_ERR_UNREADABLE:
			return ERRCODE_IO_ERROR;
		case PH_OK:
		case PH_ERR_INTERNAL:
			break;
	}
	return ERRCODE_INTERNAL_ERROR;
}

/* The core bounds its messages by bytes, which may cut a character in two. */
static char *
whole_characters(const char *bounded)
{
	size_t length = strlen(bounded);
	return pnstrdup(bounded, pg_encoding_mbcliplen(PG_UTF8, bounded, (int) length, (int) length));
}

void
ph_pgenv_raise(const PhEnv *env, PhStatus status)
{
	if (status == PH_OK)
		return;
	const PhError *error = &env->error;
	const char *hint = error->hint;
	if (status == PH_ERR_LIMIT && env->byte_limit != 0 && hint[0] != '\0')
		hint = "Select fewer runs, ranks or metrics; an administrator can raise "
			   "\"perfhouse.memory_limit\".";
	const char *message = error->message[0] != '\0' ? error->message : ph_status_name(status);
	ereport(ERROR, (errcode(sqlstate_of(status)), errmsg("%s", whole_characters(message)),
					hint[0] != '\0' ? errhint("%s", whole_characters(hint)) : 0));
}

PhScratch *
ph_scratch_begin(void)
{
	MemoryContext context =
		AllocSetContextCreate(CurrentMemoryContext, "perfhouse scratch", ALLOCSET_DEFAULT_SIZES);
	PhScratch *scratch = MemoryContextAllocZero(context, sizeof(PhScratch));
	scratch->context = context;
	ph_pgenv_init(&scratch->env, context);
	ph_arena_init(&scratch->arena, &scratch->env);
	return scratch;
}

void
ph_scratch_end(PhScratch *scratch)
{
	MemoryContextDelete(scratch->context);
}
