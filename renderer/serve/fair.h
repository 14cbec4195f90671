/*
 * fair.h - whose job is next: that of the client for whom least is under way.
 *
 * Who waits longest comes first among equals. A client has at most all workers but one, so that
 * there is one for the others whatever it asks for.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_FAIR_H
#define PH_FAIR_H

#include <stddef.h>
#include <stdint.h>

/* waiting: clients of the jobs that wait, the oldest first; busy: those of the workers, 0: it is
 * idle. n: no job may begin. */
size_t ph_fair_choose(const uint64_t *waiting, size_t n, const uint64_t *busy, size_t n_workers);

/* A client's number, not 0, from its address and the name that it gives itself (NULL: none). */
uint64_t ph_fair_client(const void *address, size_t size, const char *name);

#endif
