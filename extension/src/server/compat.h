/*
 * compat.h - the only file that knows server versions: refuses unsupported ones, hides their
 * differences.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_SERVER_COMPAT_H
#define PH_SERVER_COMPAT_H

#if PG_VERSION_NUM < 150000
#error "perfhouse needs PostgreSQL 15 or later"
#endif

/* VARDATA, VARSIZE and their like have a header of their own since 16. */
#if PG_VERSION_NUM >= 160000
#include "varatt.h"
#endif

/* Base relations below a node of the join tree: since 16 inner joins are asked for separately. */
#if PG_VERSION_NUM >= 160000
#define PH_RELIDS_IN_JOINTREE(tree) get_relids_in_jointree((tree), false, false)
#else
#define PH_RELIDS_IN_JOINTREE(tree) get_relids_in_jointree((tree), false)
#endif

/*
 * What later versions no longer have, by the last one that has it. (A header of the server that is
 * included after this one and says such a name fails, too: include it before.)
 */
#undef pg_attribute_noreturn
/* 15 */
#pragma GCC poison MemoryContextContains SetSingleFuncCall
/* 17: write C11's _Noreturn */
#pragma GCC poison pg_attribute_noreturn

/* Declares and introduces a function that SQL calls. */
#define PH_FUNCTION(name)                                                                          \
	PG_FUNCTION_INFO_V1(name);                                                                     \
	Datum name(PG_FUNCTION_ARGS)

#endif
