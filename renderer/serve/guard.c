/*
 * guard.c - who may ask: the Host header, requests from other sites' pages, the token.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "serve/guard.h"

#include <arpa/inet.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#define MOST_HOST 256

/* The host of "host", "host:port", "[v6]" or "[v6]:port". False: it is none of these. */
static bool
host_part(const char *text, char *out)
{
	bool bracketed = text[0] == '[';
	size_t length = bracketed ? strcspn(++text, "]") : strcspn(text, ":");
	const char *rest = text + length;

	if (length == 0 || length >= MOST_HOST || (bracketed && *rest++ != ']'))
		return false;
	memcpy(out, text, length);
	out[length] = '\0';
	if (*rest == '\0')
		return true;
	return *rest == ':' && strspn(rest + 1, "0123456789") == strlen(rest + 1);
}

static bool
is_address(const char *host)
{
	unsigned char bytes[sizeof(struct in6_addr)];

	return inet_pton(AF_INET, host, bytes) == 1 || inet_pton(AF_INET6, host, bytes) == 1;
}

bool
ph_guard_host(const char *host, const char *const *names, size_t n)
{
	char name[MOST_HOST];

	if (host == NULL || !host_part(host, name))
		return false;
	if (is_address(name) || strcasecmp(name, "localhost") == 0)
		return true;
	for (size_t i = 0; i < n; i++)
		if (strcasecmp(name, names[i]) == 0)
			return true;
	return false;
}

/* "http://HOST" or "https://HOST" of our own Host header. */
static bool
is_own_origin(const char *origin, const char *host)
{
	const char *rest = strstr(origin, "://");

	return host != NULL && rest != NULL && strcasecmp(rest + 3, host) == 0;
}

static bool
is_one_of(const char *value, const char *a, const char *b)
{
	return value != NULL && (strcmp(value, a) == 0 || strcmp(value, b) == 0);
}

bool
ph_guard_origin(const PhGuardHeaders *headers, bool is_picture)
{
	bool foreign;

	if (is_picture && is_one_of(headers->fetch_dest, "image", "image"))
		return true;
	if (headers->origin != NULL && !is_own_origin(headers->origin, headers->host))
		return false;
	foreign = headers->fetch_site != NULL && !is_one_of(headers->fetch_site, "same-origin", "none");
	return !foreign || (is_one_of(headers->fetch_mode, "navigate", "navigate") &&
						is_one_of(headers->fetch_dest, "document", "document"));
}

bool
ph_guard_same_secret(const char *given, const char *token)
{
	size_t n_given = strlen(given);
	size_t n = strlen(token);
	volatile unsigned char difference = n_given != n;

	for (size_t i = 0; i < n; i++)
		difference |= (unsigned char) (token[i] ^ (i < n_given ? given[i] : '\0'));
	return difference == 0;
}

bool
ph_guard_token(const PhGuardHeaders *headers, const char *given, const char *token)
{
	static const char bearer[] = "Bearer ";
	const char *authorization = headers->authorization;
	bool ok = false;

	if (authorization != NULL && strncasecmp(authorization, bearer, sizeof(bearer) - 1) == 0)
		ok |= ph_guard_same_secret(authorization + sizeof(bearer) - 1, token);
	if (headers->cookie != NULL)
		ok |= ph_guard_same_secret(headers->cookie, token);
	if (given != NULL)
		ok |= ph_guard_same_secret(given, token);
	return ok;
}

bool
ph_guard_is_remote(const char *address)
{
	struct in6_addr v6;
	struct in_addr v4;

	if (inet_pton(AF_INET, address, &v4) == 1)
		return ntohl(v4.s_addr) >> 24 != 127;
	return inet_pton(AF_INET6, address, &v6) == 1 && !IN6_IS_ADDR_LOOPBACK(&v6);
}
