/*
 * slurm_nodes.c - lists of nodes as SLURM writes them.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "pipeline/slurm_nodes.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* Do n characters of text hold a number from first to last, written with as many digits? */
static bool
is_in_range(const char *text, size_t n, const char *range, size_t size)
{
	const char *dash = memchr(range, '-', size);
	size_t width = dash != NULL ? (size_t) (dash - range) : size;
	unsigned long number = strtoul(text, NULL, 10);
	unsigned long first = strtoul(range, NULL, 10);
	unsigned long last = dash != NULL ? strtoul(dash + 1, NULL, 10) : first;
	bool is_padded = range[0] == '0' && width > 1;

	if (number < first || number > last)
		return false;
	return is_padded ? n >= width && (n == width || text[0] != '0') : n == 1 || text[0] != '0';
}

/* Does the bracket "[1-3,7]" that starts at list have the digits at text? */
static bool
bracket_has(const char *list, const char *text, size_t n_digits)
{
	for (const char *range = list + 1; *range != ']' && *range != '\0';)
	{
		size_t size = strcspn(range, ",]");

		if (size > 0 && is_in_range(text, n_digits, range, size))
			return true;
		range += size;
		range += *range == ',';
	}
	return false;
}

/* Compares host with the entry of the list that ends at end. */
static bool
entry_has(const char *entry, const char *end, const char *host, size_t length)
{
	const char *at = host;
	const char *host_end = host + length;

	while (entry < end)
	{
		if (*entry != '[')
		{
			if (at == host_end || tolower((unsigned char) *at) != tolower((unsigned char) *entry))
				return false;
			at++;
			entry++;
			continue;
		}
		size_t n_digits = strspn(at, "0123456789");

		if (at + n_digits > host_end)
			n_digits = (size_t) (host_end - at);
		if (n_digits == 0 || !bracket_has(entry, at, n_digits))
			return false;
		at += n_digits;
		while (entry < end && *entry != ']')
			entry++;
		entry += entry < end;
	}
	return at == host_end;
}

bool
ph_slurm_has_node(const char *nodes, const char *host)
{
	size_t length = strcspn(host, ".");

	for (const char *entry = nodes; *entry != '\0';)
	{
		bool in_bracket = false;
		const char *end = entry;

		for (; *end != '\0' && (in_bracket || *end != ','); end++)
			in_bracket = *end == '[' || (in_bracket && *end != ']');
		if (in_bracket || entry_has(entry, end, host, length))
			return true;
		entry = end + (*end == ',');
	}
	return false;
}
