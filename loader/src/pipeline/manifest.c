/*
 * manifest.c - metadata of many files in one list: CSV as RFC 4180 has it.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "pipeline/manifest.h"
#include "pipeline/meta_text.h"
#include "system/memory.h"
#include "system/paths.h"

#define MOST_FIELDS 256
#define MOST_BYTES ((size_t) 256 << 20) /* a million lines and more */

/* A line: its fields, of which one names the file, and where that is. */
typedef struct Line
{
	char **fields;
	size_t n;
	unsigned number;
	char *path;
} Line;

struct PhManifest
{
	char *path; /* links resolved */
	char *text; /* the fields are in it */
	Line *lines;
	size_t n;
	Line keys;
	size_t file; /* which field names the file */
};

/* ---- reading ---- */

/* Cuts the field at *at in place, unquoted; returns what ended it: a comma, a newline or 0. */
static char
cut_field(char **at, char **field, bool *is_broken)
{
	char *out = *at;
	bool is_quoted = **at == '"';
	char end;

	*field = out;
	*at += is_quoted;
	while (**at != '\0' && (is_quoted || (**at != ',' && **at != '\n')))
	{
		if (is_quoted && **at == '"' && *++*at != '"')
		{
			is_quoted = false;
			continue;
		}
		*out++ = *(*at)++;
	}
	end = **at;
	*is_broken |= is_quoted;
	*at += end != '\0';
	if (end != ',' && out > *field && out[-1] == '\r')
		out--;
	*out = '\0';
	return end;
}

static PhStatus
cut_line(PhEnv *env, const char *path, char **at, unsigned number, Line *line)
{
	char *fields[MOST_FIELDS];
	bool is_broken = false;
	char end;

	*line = (Line){.number = number};
	do
	{
		if (line->n == MOST_FIELDS)
			return ph_fail(env, PH_ERR_LIMIT, "%s:%u: more than %d fields", path, number,
						   MOST_FIELDS);
		end = cut_field(at, &fields[line->n++], &is_broken);
	} while (end == ',');
	if (is_broken)
		return ph_fail(env, PH_ERR_FORMAT, "%s:%u: a quoted field has no end", path, number);
	line->fields = ph_must_alloc(line->n, sizeof(char *));
	memcpy(line->fields, fields, line->n * sizeof(char *));
	return PH_OK;
}

/* Where the file is, links resolved; as written when it is not there. */
static char *
resolve(const char *manifest, const char *file)
{
	const char *slash = strrchr(manifest, '/');
	char *path = file[0] == '/' || slash == NULL
					 ? ph_strdup(file)
					 : ph_format("%.*s/%s", (int) (slash - manifest), manifest, file);
	char *real = realpath(path, NULL);

	if (real == NULL)
		return path;
	free(path);
	return real;
}

static int
compare_lines(const void *x, const void *y)
{
	const Line *a = x;
	const Line *b = y;
	int order = strcmp(a->path, b->path);

	return order != 0 ? order : (a->number > b->number) - (a->number < b->number);
}

static PhStatus
read_keys(PhEnv *env, const char *path, PhManifest *manifest, char **at)
{
	PH_TRY(cut_line(env, path, at, 1, &manifest->keys));
	for (manifest->file = 0; manifest->file < manifest->keys.n; manifest->file++)
		if (strcmp(manifest->keys.fields[manifest->file], "file") == 0)
			return PH_OK;
	return ph_fail_hint(env, PH_ERR_FORMAT, "The first line names the columns: file,commit,ranks.",
						"%s:1: no column is called file", path);
}

static PhStatus
read_line(PhEnv *env, const char *path, PhManifest *manifest, char **at, unsigned number)
{
	Line line;

	PH_TRY(cut_line(env, path, at, number, &line));
	if (line.n == 1 && line.fields[0][0] == '\0') /* an empty line */
	{
		free(line.fields);
		return PH_OK;
	}
	if (line.n != manifest->keys.n || line.fields[manifest->file][0] == '\0')
	{
		free(line.fields);
		return line.n != manifest->keys.n
				   ? ph_fail(env, PH_ERR_FORMAT, "%s:%u: %zu fields, the first line has %zu", path,
							 number, line.n, manifest->keys.n)
				   : ph_fail(env, PH_ERR_FORMAT, "%s:%u: names no file", path, number);
	}
	line.path = resolve(path, line.fields[manifest->file]);
	manifest->lines = ph_must_resize(manifest->lines, manifest->n + 1, sizeof(Line));
	manifest->lines[manifest->n++] = line;
	return PH_OK;
}

static PhStatus
read_lines(PhEnv *env, const char *path, PhManifest *manifest)
{
	char *at = manifest->text;

	if (strncmp(at, "\xef\xbb\xbf", 3) == 0) /* spreadsheets write one */
		at += 3;
	PH_TRY(read_keys(env, path, manifest, &at));
	for (unsigned number = 2; *at != '\0'; number++)
		PH_TRY(read_line(env, path, manifest, &at, number));
	if (manifest->n > 0)
		qsort(manifest->lines, manifest->n, sizeof(Line), compare_lines);
	for (size_t i = 1; i < manifest->n; i++)
		if (strcmp(manifest->lines[i - 1].path, manifest->lines[i].path) == 0)
			return ph_fail(env, PH_ERR_FORMAT, "%s:%u: %s is in line %u already", path,
						   manifest->lines[i].number, manifest->lines[i].fields[manifest->file],
						   manifest->lines[i - 1].number);
	return PH_OK;
}

PhStatus
ph_manifest_read(PhEnv *env, const char *path, PhManifest **out)
{
	PhManifest *manifest = ph_must_alloc(1, sizeof(*manifest));
	PhStatus status;

	manifest->path = realpath(path, NULL);
	manifest->text = ph_path_read_long_text(path, MOST_BYTES);
	if (manifest->text == NULL)
		status = ph_fail_hint(env, errno == ENOENT ? PH_ERR_NOT_FOUND : PH_ERR_UNREADABLE,
							  errno == EFBIG ? "Load its files by several manifests."
											 : "Check the path and that this user may read it.",
							  "%s: cannot read the manifest: %s", path, strerror(errno));
	else
		status = read_lines(env, path, manifest);
	if (status == PH_OK)
		*out = manifest;
	else
		ph_manifest_free(manifest);
	return status;
}

void
ph_manifest_free(PhManifest *manifest)
{
	if (manifest == NULL)
		return;
	for (size_t i = 0; i < manifest->n; i++)
	{
		free(manifest->lines[i].fields);
		free(manifest->lines[i].path);
	}
	free(manifest->lines);
	free(manifest->keys.fields);
	free(manifest->path);
	free(manifest->text);
	free(manifest);
}

/* ---- asking ---- */

static const Line *
find_line(const PhManifest *manifest, const char *path)
{
	char *real = realpath(path, NULL);
	Line wanted = {.path = real != NULL ? real : ph_strdup(path)};
	size_t low = 0;
	size_t high = manifest->n;

	while (low < high)
	{
		size_t middle = low + (high - low) / 2;

		if (strcmp(manifest->lines[middle].path, wanted.path) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	bool found = low < manifest->n && strcmp(manifest->lines[low].path, wanted.path) == 0;

	free(wanted.path);
	return found ? &manifest->lines[low] : NULL;
}

PhStatus
ph_manifest_apply(PhEnv *env, const PhManifest *manifest, const char *path, PhMeta *meta,
				  bool *found)
{
	const Line *line = find_line(manifest, path);

	*found = line != NULL;
	for (size_t i = 0; line != NULL && i < line->n; i++)
		if (i != manifest->file && line->fields[i][0] != '\0')
			PH_TRY(ph_meta_put_text(env, meta, manifest->keys.fields[i], line->fields[i]));
	return PH_OK;
}

const char *
ph_manifest_path(const PhManifest *manifest)
{
	return manifest->path;
}

bool
ph_manifest_is(const PhManifest *manifest, const char *path)
{
	char *real = realpath(path, NULL);
	bool is = real != NULL && manifest->path != NULL && strcmp(real, manifest->path) == 0;

	free(real);
	return is;
}

size_t
ph_manifest_count_unused(const PhManifest *manifest, const char *const *paths, size_t n,
						 const char **example)
{
	bool *used = ph_must_alloc(manifest->n + 1, sizeof(*used));
	size_t unused = 0;

	for (size_t i = 0; i < n; i++)
	{
		const Line *line = find_line(manifest, paths[i]);

		if (line != NULL)
			used[line - manifest->lines] = true;
	}
	for (size_t i = manifest->n; i-- > 0;)
	{
		if (used[i])
			continue;
		*example = manifest->lines[i].fields[manifest->file];
		unused++;
	}
	free(used);
	return unused;
}
