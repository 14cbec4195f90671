/*
 * guard.h - who may ask: the Host header, requests from other sites' pages, the token.
 *
 * A page of another site that is open in the same browser must not get at the data: names that
 * were made to point here (DNS rebinding) fail the check of Host, requests that such a page sends
 * carry Origin or Sec-Fetch-Site. Links from elsewhere may be followed, pictures may be shown.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_GUARD_H
#define PH_GUARD_H

#include <stdbool.h>
#include <stddef.h>

#define PH_COOKIE_NAME "perfhouse_token"

/* Headers that matter here; NULL: absent. */
typedef struct PhGuardHeaders
{
	const char *host, *origin;
	const char *fetch_site, *fetch_mode, *fetch_dest;
	const char *authorization;
	const char *cookie; /* value of PH_COOKIE_NAME */
} PhGuardHeaders;

/* Is the host of a Host header one of ours? IP addresses and localhost always are: a page needs a
 * name of its own for the attack. names: further ones, n of them; without regard to case. */
bool ph_guard_host(const char *host, const char *const *names, size_t n);

/* Does the request come from our own pages, a person (address bar, link) or a program? Pictures
 * may also be asked for by other sites' pages, as pictures. */
bool ph_guard_origin(const PhGuardHeaders *headers, bool is_picture);

/* Does the request carry the token: "Authorization: Bearer", the cookie, or given (?token=)? Takes
 * the same time whatever is wrong. */
bool ph_guard_token(const PhGuardHeaders *headers, const char *given, const char *token);

/* Is given the token? Compares all of token, whatever given is. */
bool ph_guard_same_secret(const char *given, const char *token);

/* Is it an IP address (without brackets) that other machines may reach? */
bool ph_guard_is_remote(const char *address);

#endif
