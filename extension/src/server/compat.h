/*
 * compat.h - the only file that knows server versions: refuses unsupported ones.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_SERVER_COMPAT_H
#define PH_SERVER_COMPAT_H

#if PG_VERSION_NUM < 150000
#error "perfhouse needs PostgreSQL 15 or later"
#endif

/* Declares and introduces a function that SQL calls. */
#define PH_FUNCTION(name)                                                                          \
	PG_FUNCTION_INFO_V1(name);                                                                     \
	Datum name(PG_FUNCTION_ARGS)

#endif
