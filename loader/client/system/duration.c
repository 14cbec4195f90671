/*
 * duration.c - times as people write them.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "system/duration.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

bool
ph_duration_parse(const char *text, int64_t *ns)
{
	static const struct
	{
		const char *name;
		double ns;
	} units[] = {{"", 1},	  {"ns", 1},  {"us", 1e3},	 {"\xc2\xb5s", 1e3},
				 {"ms", 1e6}, {"s", 1e9}, {"min", 6e10}, {"h", 3.6e12}};
	char *end = NULL;
	double number;

	errno = 0;
	number = strtod(text, &end);
	if (end == text || errno != 0)
		return false;
	while (*end == ' ')
		end++;
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
	{
		if (strcmp(end, units[i].name) != 0 || !(fabs(number * units[i].ns) < 9e18))
			continue;
		*ns = llround(number * units[i].ns);
		return true;
	}
	return false;
}
