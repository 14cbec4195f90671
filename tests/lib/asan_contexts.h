/*
 * asan_contexts.h - included in front of everything when the extension is built under ASan for a
 * stock server: of the extension's own memory contexts every allocation of more than 128 bytes is
 * a block of malloc, at whose end ASan watches. In blocks of the usual sizes it sees nothing.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_ASAN_CONTEXTS_H
#define PH_ASAN_CONTEXTS_H

#include "postgres.h"

#include "utils/memutils.h"

#undef ALLOCSET_DEFAULT_SIZES
#define ALLOCSET_DEFAULT_SIZES 0, 1024, 1024

#endif
