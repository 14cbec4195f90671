/*
 * measured_region.c - kind, library and line of a region from an instrumenting tool's definition.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "readers/measured_region.h"

#include <string.h>
#include <strings.h>

static bool
is(const char *text, const char *word)
{
	return text != NULL && strcasecmp(text, word) == 0;
}

/* Tools have words for what they do not know. */
static bool
is_known(const char *paradigm)
{
	return !is(paradigm, "unknown") && !is(paradigm, "none");
}

bool
ph_measured_source_is_file(const char *source)
{
	return source != NULL && source[0] != '\0' && (source[0] == '/' || strchr(source, '.') != NULL);
}

bool
ph_measured_program(const PhMeasuredRegion *region, const char **command, size_t *length)
{
	const char *text = region->canonical;
	if (!is(region->paradigm, "measurement") || !is(region->role, "artificial") || text == NULL)
		return false;
	*command = text;
	*length = strcspn(text, " ");
	return memchr(text, '/', *length) != NULL;
}

/* Base name of the first length bytes of a path. */
static void
copy_base(const char *path, size_t length, char library[PH_LIBRARY_MAX])
{
	const char *slash = memrchr(path, '/', length);
	const char *base = slash != NULL ? slash + 1 : path;
	size_t n = length - (size_t) (base - path);
	n = n < PH_LIBRARY_MAX ? n : PH_LIBRARY_MAX - 1;
	while (n > 0 && ((unsigned char) base[n] & 0xC0) == 0x80)
		n--; /* not in the middle of a character */
	memcpy(library, base, n);
	library[n] = '\0';
}

static PhRegionKind
kind_of(const PhMeasuredRegion *region)
{
	if (is(region->role, "loop"))
		return PH_KIND_LOOP;
	if (is(region->role, "artificial"))
		return PH_KIND_FUNCTION;
	bool construct = is(region->paradigm, "openmp") && region->name != NULL &&
					 strncmp(region->name, "!$omp", 5) == 0;
	return construct || is(region->paradigm, "user") ? PH_KIND_REGION : PH_KIND_FUNCTION;
}

void
ph_measured_region_spec(const PhMeasuredRegion *region, char library[PH_LIBRARY_MAX],
						PhRegionSpec *out)
{
	const char *command;
	size_t length;
	bool named = region->name != NULL && region->name[0] != '\0';
	library[0] = '\0';
	if (ph_measured_program(region, &command, &length))
		copy_base(command, length, library);
	bool word = region->source != NULL && !ph_measured_source_is_file(region->source);
	*out = (PhRegionSpec){.kind = kind_of(region),
						  .name = named ? region->name : "<unnamed>",
						  .library = library[0] == '\0' && word ? region->source : library,
						  .paradigm = is_known(region->paradigm) ? region->paradigm : NULL,
						  .line = region->line > 0 && region->line <= INT32_MAX
									  ? (int32_t) region->line
									  : PH_NO_NUMBER};
}
