/*
 * run_record.c - from a run's metadata to the columns of perfhouse.run and its meta document.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "pipeline/store/run_record.h"

#include <errno.h>
#include <json-c/json.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/min_max.h"
#include "system/memory.h"

/* Keys that profilers use for a promoted column, best first. */
static const char *const application_keys[] = {
	"application", "app",		 "application_name", "program", "program_name",
	"executable",  "experiment", "problem",			 "jobname", NULL};
static const char *const commit_keys[] = {"commit",		"commit_id", "commit_hash", "git_commit",
										  "git-commit", "revision",	 "git_sha",		NULL};
static const char *const branch_keys[] = {"branch", "git_branch", "git-branch", NULL};
static const char *const time_keys[] = {"started_at", "start_time", "launchdate", "starttime.sec",
										"starttime",  "launchday",	"date",		  NULL};
static const char *const user_keys[] = {"user_name", "user", "username", NULL};
static const char *const cluster_keys[] = {"cluster", "system", "machine", NULL};
static const char *const title_keys[] = {"title", NULL};

/* Variables of batch systems and CI services that describe the job that loads. */
static const char *const environment_keys[] = {
	"SLURM_JOB_ID",		 "SLURM_JOB_NAME",		"SLURM_CLUSTER_NAME",  "SLURM_JOB_USER",
	"SLURM_JOB_ACCOUNT", "SLURM_JOB_PARTITION", "SLURM_JOB_NUM_NODES", "SLURM_JOB_NODELIST",
	"SLURM_NTASKS",		 "SLURM_CPUS_PER_TASK", "CI_COMMIT_SHA",	   "CI_COMMIT_REF_NAME",
	"CI_PIPELINE_ID",	 "CI_JOB_ID",			"CI_JOB_URL",		   "CI_PROJECT_PATH",
	"GITHUB_SHA",		 "GITHUB_REF_NAME",		"GITHUB_RUN_ID",	   "GITHUB_REPOSITORY",
	"GIT_COMMIT",		 "GIT_BRANCH",			"BUILD_TAG",		   NULL};
static const char *const environment_commit[] = {"CI_COMMIT_SHA", "GITHUB_SHA", "GIT_COMMIT", NULL};
static const char *const environment_branch[] = {"CI_COMMIT_REF_NAME", "GITHUB_REF_NAME",
												 "GIT_BRANCH", NULL};
static const char *const environment_user[] = {"SLURM_JOB_USER", NULL};
static const char *const environment_cluster[] = {"SLURM_CLUSTER_NAME", NULL};
static const char *const no_keys[] = {NULL};

typedef struct Sources
{
	const PhMeta *set;
	const PhMeta *file;
	PhGetenv environment;
} Sources;

static PhStatus find(PhArena *arena, const Sources *sources, const char *const *keys,
					 const char *const *variables, char **out);
static PhStatus clean_copy(PhArena *arena, const char *text, char **out);
static PhStatus make_meta(PhArena *arena, const Sources *sources, char **out);
static PhStatus base_name(PhArena *arena, const char *path, char **out);

static PhStatus
set_title(PhArena *arena, const Sources *sources, const char *title, const char *path,
		  PhRunRecord *record)
{
	PH_TRY(find(arena, sources, title_keys, no_keys, &record->title));
	if (record->title != NULL)
		return PH_OK;
	return title != NULL ? ph_arena_strndup(arena, title, strlen(title), &record->title)
						 : base_name(arena, path, &record->title);
}

static PhStatus
set_start(PhArena *arena, const Sources *sources, PhRunRecord *record)
{
	char *started;
	char when[64];

	PH_TRY(find(arena, sources, time_keys, no_keys, &started));
	if (started == NULL || !ph_parse_time(started, when, sizeof(when)))
		return PH_OK;
	return ph_arena_strndup(arena, when, strlen(when), &record->started_at);
}

/* A batch job's name is the application's, if somebody gave it one. */
static PhStatus
find_application(PhArena *arena, const Sources *sources, PhRunRecord *record)
{
	static const char *const nameless[] = {"wrap", "interactive", "bash", "sh", NULL};
	const char *job = sources->environment != NULL ? sources->environment("SLURM_JOB_NAME") : NULL;

	PH_TRY(find(arena, sources, application_keys, no_keys, &record->application));
	if (record->application != NULL || job == NULL || job[0] == '\0')
		return PH_OK;
	for (size_t i = 0; nameless[i] != NULL; i++)
		if (strcmp(job, nameless[i]) == 0)
			return PH_OK;
	return clean_copy(arena, job, &record->application);
}

static PhStatus
fill_record(const Sources *sources, const char *title, const char *path, PhRunRecord *record)
{
	PhArena *arena = &record->arena;

	PH_TRY(find_application(arena, sources, record));
	PH_TRY(find(arena, sources, commit_keys, environment_commit, &record->commit_id));
	PH_TRY(find(arena, sources, branch_keys, environment_branch, &record->branch));
	PH_TRY(find(arena, sources, user_keys, environment_user, &record->user_name));
	PH_TRY(find(arena, sources, cluster_keys, environment_cluster, &record->cluster));
	PH_TRY(set_title(arena, sources, title, path, record));
	PH_TRY(set_start(arena, sources, record));
	PH_TRY(ph_arena_strndup(arena, path, strlen(path), &record->source));
	return make_meta(arena, sources, &record->meta);
}

PhStatus
ph_run_record_make(PhEnv *env, const PhRunInput *input, const char *path, const PhMeta *set,
				   PhGetenv environment, PhRunRecord *out)
{
	static const PhMeta empty = {0};
	Sources sources = {set != NULL ? set : &empty, &input->meta, environment};
	PhRunRecord record = {0};
	PhStatus status;

	ph_arena_init(&record.arena, env);
	status = fill_record(&sources, input->title, path, &record);
	if (status == PH_OK)
		*out = record;
	else
		ph_run_record_free(&record);
	return status;
}

void
ph_run_record_free(PhRunRecord *record)
{
	ph_arena_drop(&record->arena);
	*record = (PhRunRecord){0};
}

const char *const *
ph_run_record_variables(void)
{
	return environment_keys;
}

/* Length of the well-formed UTF-8 sequence at text; 0 when there is none. */
static size_t
utf8_length(const unsigned char *text)
{
	static const unsigned minimum[] = {0, 0, 0x80, 0x800, 0x10000};
	size_t n = text[0] < 0x80	? 1
			   : text[0] < 0xc2 ? 0
			   : text[0] < 0xe0 ? 2
			   : text[0] < 0xf0 ? 3
								: 4;
	unsigned code = n > 1 ? text[0] & (0x7fu >> n) : text[0];

	if (text[0] > 0xf4)
		return 0;
	for (size_t i = 1; i < n; i++)
	{
		if ((text[i] & 0xc0) != 0x80)
			return 0;
		code = code << 6 | (text[i] & 0x3fu);
	}
	if (n > 1 && (code < minimum[n] || code > 0x10ffff || (code >= 0xd800 && code < 0xe000)))
		return 0;
	return n;
}

/* A copy that is valid UTF-8: what is not becomes a question mark. */
static PhStatus
clean_copy(PhArena *arena, const char *text, char **out)
{
	PH_TRY(ph_arena_strndup(arena, text, strlen(text), out));
	for (char *at = *out; *at != '\0';)
	{
		size_t n = utf8_length((const unsigned char *) at);

		if (n == 0)
			*at = '?';
		at += n == 0 ? 1 : n;
	}
	return PH_OK;
}

static const char *
find_in(const PhMeta *meta, const char *const *keys)
{
	for (; *keys != NULL; keys++)
	{
		const char *value = ph_meta_get(meta, *keys);

		if (value != NULL && value[0] != '\0')
			return value;
	}
	return NULL;
}

/* *out: NULL where none is known. */
static PhStatus
find(PhArena *arena, const Sources *sources, const char *const *keys, const char *const *variables,
	 char **out)
{
	const char *value = find_in(sources->set, keys);

	if (value == NULL)
		value = find_in(sources->file, keys);
	for (; value == NULL && sources->environment != NULL && *variables != NULL; variables++)
	{
		value = sources->environment(*variables);
		if (value != NULL && value[0] == '\0')
			value = NULL;
	}
	*out = NULL;
	return value == NULL ? PH_OK : clean_copy(arena, value, out);
}

/* ---- the meta document ---- */

bool
ph_is_json_number(const char *text)
{
	const char *at = text + (text[0] == '-');
	size_t digits = strspn(at, "0123456789");

	if (digits == 0 || (digits > 1 && at[0] == '0'))
		return false;
	at += digits;
	if (at[0] == '.')
	{
		digits = strspn(++at, "0123456789");
		if (digits == 0)
			return false;
		at += digits;
	}
	if (at[0] == 'e' || at[0] == 'E')
	{
		at++;
		at += at[0] == '+' || at[0] == '-';
		digits = strspn(at, "0123456789");
		if (digits == 0)
			return false;
		at += digits;
	}
	return at[0] == '\0';
}

static json_object *
json_number(const char *text)
{
	char *end;
	long long integer;
	double number;

	errno = 0;
	integer = strtoll(text, &end, 10);
	if (*end == '\0' && errno == 0)
		return json_object_new_int64(integer);
	number = strtod(text, &end);
	return isfinite(number) ? json_object_new_double_s(number, text) : NULL;
}

/* A number, true or false; NULL: it is none of these. */
static json_object *
json_literal(const char *text)
{
	if (strcmp(text, "true") == 0 || strcmp(text, "false") == 0)
		return json_object_new_boolean(text[0] == 't');
	return ph_is_json_number(text) ? json_number(text) : NULL;
}

static PhStatus
add_value(PhArena *arena, json_object *document, const char *key, const char *text, bool is_literal)
{
	json_object *value = NULL;
	char *clean_key;
	char *clean;

	PH_TRY(clean_copy(arena, key, &clean_key));
	PH_TRY(clean_copy(arena, text, &clean));
	if (is_literal)
		value = json_literal(clean);
	if (value == NULL)
		value = json_object_new_string(clean);
	if (value != NULL && json_object_object_add(document, clean_key, value) == 0)
		return PH_OK;
	json_object_put(value);
	return ph_fail_memory(arena->env, "json-c");
}

static PhStatus
add_meta(PhArena *arena, json_object *document, const PhMeta *meta)
{
	for (size_t i = 0; i < meta->n_items; i++)
		PH_TRY(add_value(arena, document, meta->items[i].key, meta->items[i].value,
						 meta->items[i].is_literal));
	return PH_OK;
}

/* Least trusted first, so that later sources overwrite. */
static PhStatus
add_sources(PhArena *arena, json_object *document, const Sources *sources)
{
	for (size_t i = 0; sources->environment != NULL && environment_keys[i] != NULL; i++)
	{
		const char *value = sources->environment(environment_keys[i]);

		if (value != NULL)
			PH_TRY(add_value(arena, document, environment_keys[i], value, true));
	}
	PH_TRY(add_meta(arena, document, sources->file));
	return add_meta(arena, document, sources->set);
}

static PhStatus
make_meta(PhArena *arena, const Sources *sources, char **out)
{
	json_object *document = json_object_new_object();
	PhStatus status;

	if (document == NULL)
		return ph_fail_memory(arena->env, "json-c");
	status = add_sources(arena, document, sources);
	if (status == PH_OK)
	{
		const char *text = json_object_to_json_string_ext(document, JSON_C_TO_STRING_PLAIN);

		status = text != NULL ? ph_arena_strndup(arena, text, strlen(text), out)
							  : ph_fail_memory(arena->env, "json-c");
	}
	json_object_put(document);
	return status;
}

/* ---- values ---- */

static void
format_zone(char zone[8], char sign, int hours, int minutes)
{
	snprintf(zone, 8, "%c%02d:%02d", sign, hours % 100, minutes % 100);
}

/* What follows the seconds: a fraction, then Z, an offset or nothing. */
static bool
parse_zone(const char *rest, char fraction[8], char zone[8])
{
	int hours = 0;
	int minutes = 0;

	fraction[0] = '\0';
	format_zone(zone, '+', 0, 0);
	if (rest[0] == '.')
	{
		size_t digits = strspn(rest + 1, "0123456789");

		if (digits > 0)
			snprintf(fraction, 8, ".%.*s", (int) PH_MIN(6, digits), rest + 1);
		rest += 1 + digits;
	}
	rest += strspn(rest, " \n");
	if (rest[0] == '\0' || strcmp(rest, "Z") == 0)
		return true;
	if (rest[0] != '+' && rest[0] != '-')
		return false;
	if (sscanf(rest + 1, "%2d:%2d", &hours, &minutes) < 2 &&
		sscanf(rest + 1, "%2d%2d", &hours, &minutes) < 1)
		return false;
	if (hours < 0 || hours > 14 || minutes < 0 || minutes > 59)
		return false;
	format_zone(zone, rest[0], hours, minutes);
	return true;
}

static bool
parse_seconds(const char *text, char *out, size_t size)
{
	double seconds = strtod(text, NULL);
	time_t whole = seconds > 1e8 && seconds < 1e11 ? (time_t) seconds : 0;
	struct tm tm;

	if (whole == 0 || gmtime_r(&whole, &tm) == NULL)
		return false;
	return strftime(out, size, "%Y-%m-%d %H:%M:%S+00", &tm) > 0;
}

/* Days such as February 30, which strptime() takes, are none. */
static bool
is_day(const struct tm *tm)
{
	struct tm normal = *tm;

	return timegm(&normal) != (time_t) -1 && normal.tm_mday == tm->tm_mday;
}

bool
ph_parse_time(const char *text, char *out, size_t size)
{
	static const char *const formats[] = {"%Y-%m-%dT%H:%M:%S",
										  "%Y-%m-%d %H:%M:%S",
										  "%Y-%m-%dT%H:%M",
										  "%Y-%m-%d %H:%M",
										  "%Y-%m-%d",
										  "%a %b %d %H:%M:%S %Y",
										  NULL};
	char fraction[8];
	char zone[8];

	if (ph_is_json_number(text))
		return parse_seconds(text, out, size);
	for (size_t i = 0; formats[i] != NULL; i++)
	{
		struct tm tm = {0};
		const char *rest = strptime(text, formats[i], &tm);

		if (rest == NULL || !parse_zone(rest, fraction, zone) || tm.tm_year < -1800 || !is_day(&tm))
			continue;
		snprintf(out, size, "%04d-%02d-%02d %02d:%02d:%02d%s%s", tm.tm_year + 1900, tm.tm_mon + 1,
				 tm.tm_mday, tm.tm_hour, tm.tm_min, PH_MIN(59, tm.tm_sec), fraction, zone);
		return true;
	}
	return false;
}

static PhStatus
base_name(PhArena *arena, const char *path, char **out)
{
	size_t length = strlen(path);
	size_t start;

	while (length > 1 && path[length - 1] == '/')
		length--;
	start = length;
	while (start > 0 && path[start - 1] != '/')
		start--;
	return ph_arena_strndup(arena, path + start, length - start, out);
}
