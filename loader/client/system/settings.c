/*
 * settings.c - see settings.h.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "system/settings.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "system/log.h"
#include "system/memory.h"
#include "system/paths.h"

#define LONGEST_LINE 4096

/* Both programs read the same files, so each knows the settings of the other. What belongs to one
 * load (its commit, its branch) is none. */
static const char *const names[] = {
	"cache",	"cache_size",	  "clock_offsets",	  "db",
	"home",		"jobs",			  "logical_clock",	  "module_map",
	"no_blame", "no_environment", "no_logical_steps", "no_regressions",
	"port",		"pyramid",		  "python",			  "redact",
	"salt",		"set_from_name",  "source_root",	  "spool",
	NULL};

static bool
is_name(const char *name)
{
	for (size_t i = 0; names[i] != NULL; i++)
		if (strcmp(names[i], name) == 0)
			return true;
	return false;
}

/* Whoever says by other variables where the warehouse is means that one. */
static bool
is_said_otherwise(const char *name)
{
	static const char *const places[] = {"PGHOST",	  "PGHOSTADDR",		"PGDATABASE",
										 "PGSERVICE", "PERFHOUSE_HOME", NULL};

	if (strcmp(name, "db") != 0)
		return false;
	for (size_t i = 0; places[i] != NULL; i++)
	{
		const char *value = getenv(places[i]);

		if (value != NULL && *value != '\0')
			return true;
	}
	return false;
}

static void
set(const char *name, const char *value)
{
	char variable[64] = "PERFHOUSE_";
	size_t length = strlen(variable);

	for (; *name != '\0' && length + 1 < sizeof(variable); name++)
		variable[length++] = (char) toupper((unsigned char) *name);
	variable[length] = '\0';
	setenv(variable, value, 0);
}

/* Cuts white space off both ends, in place. */
static char *
trim(char *text)
{
	char *end;

	while (isspace((unsigned char) *text))
		text++;
	end = text + strlen(text);
	while (end > text && isspace((unsigned char) end[-1]))
		*--end = '\0';
	return text;
}

static void
read_line(const char *path, unsigned number, char *line)
{
	char *name = trim(line);
	char *equals = strchr(name, '=');
	char *value = equals != NULL ? trim(equals + 1) : NULL;

	if (*name == '\0' || *name == '#')
		return;
	if (equals != NULL)
		*equals = '\0';
	trim(name);
	if (value == NULL)
		ph_log_warning("%s:%u: \"%s\" is no setting: NAME = VALUE", path, number, name);
	else if (!is_name(name))
		ph_log_warning("%s:%u: there is no setting \"%s\"", path, number, name);
	else if (!is_said_otherwise(name))
		set(name, value);
}

static void
read_file(const char *path)
{
	char line[LONGEST_LINE];
	unsigned number = 0;
	FILE *file = fopen(path, "r");

	if (file == NULL)
		return;
	while (fgets(line, sizeof(line), file) != NULL)
	{
		if (strchr(line, '\n') == NULL && !feof(file))
		{
			ph_log_warning("%s:%u: longer than %d bytes: the rest is not read", path, number + 1,
						   LONGEST_LINE);
			break;
		}
		read_line(path, ++number, line);
	}
	fclose(file);
}

/* Programs that this one starts have it in their environment, and need not warn again. */
void
ph_settings_read(void)
{
	const char *named = getenv("PERFHOUSE_CONF");

	if (named != NULL && *named != '\0' && !ph_path_exists(named))
		ph_log_warning("there is no %s, which PERFHOUSE_CONF names", named);
	if (named != NULL)
		read_file(named);
	else
	{
		char *own = ph_path_settings();

		read_file(own);
		free(own);
		read_file(PH_SITE_CONF);
	}
	setenv("PERFHOUSE_CONF", "", 1);
}
