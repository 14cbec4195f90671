/*
 * listen.h - the sockets that the server listens on.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_LISTEN_H
#define PH_LISTEN_H

#include <stddef.h>
#include <stdint.h>

#include "system/exit_codes.h"

#define PH_LISTEN_MOST 4

typedef struct PhListeners
{
	int sockets[PH_LISTEN_MOST];
	size_t n;
	uint16_t port; /* the real one when 0 was asked for */
} PhListeners;

/* addresses: n numeric IPv4 or IPv6 addresses; with none, both loopback addresses (a machine
 * without IPv6 is fine). Failures are logged and leave nothing open. */
PhExit ph_listen(const char *const *addresses, size_t n, uint16_t port, PhListeners *out);

#endif
