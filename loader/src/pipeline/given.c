/*
 * given.c - see given.h: the layers, and the sidecar.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "pipeline/given.h"

#include <errno.h>
#include <json-c/json.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "system/memory.h"
#include "system/paths.h"

/* ---- the sidecar ---- */

char *
ph_sidecar_of(const char *path)
{
	size_t length = strlen(path);
	size_t stem;
	char *name;

	while (length > 1 && path[length - 1] == '/')
		length--;
	for (stem = length; stem > 0 && path[stem - 1] != '.' && path[stem - 1] != '/';)
		stem--;
	name = ph_format("%.*s" PH_SIDECAR, (int) length, path);
	if (stem < 2 || path[stem - 1] != '.' || path[stem - 2] == '/' || access(name, F_OK) == 0)
		return name;
	free(name);
	return ph_format("%.*s" PH_SIDECAR, (int) stem - 1, path);
}

static PhStatus
add_members(PhEnv *env, json_object *object, PhMeta *meta)
{
	json_object_object_foreach(object, key, value)
	{
		json_type type = json_object_get_type(value);

		if (type == json_type_null)
			continue;
		PH_TRY(ph_meta_set(env, meta, key, json_object_get_string(value),
						   type == json_type_int || type == json_type_double ||
							   type == json_type_boolean));
	}
	return PH_OK;
}

static PhStatus
parse_sidecar(PhEnv *env, const char *name, const char *text, PhMeta *meta)
{
	json_tokener *tokener = json_tokener_new();
	json_object *object;
	enum json_tokener_error error;
	PhStatus status;

	if (tokener == NULL)
		return ph_fail_memory(env, "json-c");
	object = json_tokener_parse_ex(tokener, text, (int) strlen(text) + 1);
	error = json_tokener_get_error(tokener);
	if (error != json_tokener_success)
		status = ph_fail(env, PH_ERR_FORMAT, "%s: byte %zu: %s", name,
						 json_tokener_get_parse_end(tokener), json_tokener_error_desc(error));
	else if (!json_object_is_type(object, json_type_object))
		status = ph_fail_hint(env, PH_ERR_FORMAT, "Write {\"commit\": \"3e01c40\", \"ranks\": 8}.",
							  "%s: not an object of keys and values", name);
	else
		status = add_members(env, object, meta);
	json_object_put(object);
	json_tokener_free(tokener);
	return status;
}

static PhStatus
add_sidecar(PhEnv *env, const char *path, PhMeta *meta)
{
	char *name = ph_sidecar_of(path);
	char *text = ph_path_read_text(name);
	PhStatus status = PH_OK;

	if (text != NULL)
		status = parse_sidecar(env, name, text, meta);
	else if (errno != ENOENT && errno != ENOTDIR)
		status = ph_fail(env, PH_ERR_UNREADABLE, "%s: %s", name, strerror(errno));
	free(text);
	free(name);
	return status;
}

/* ---- all of it ---- */

PhStatus
ph_given_collect(PhEnv *env, const PhGivenMeta *given, const char *path, PhMeta *meta,
				 char **warning)
{
	bool fits = true;
	bool is_listed = true;

	*warning = NULL;
	if (given->names != NULL)
		PH_TRY(ph_name_pattern_apply(env, given->names, path, meta, &fits));
	PH_TRY(add_sidecar(env, path, meta));
	if (given->manifest != NULL)
		PH_TRY(ph_manifest_apply(env, given->manifest, path, meta, &is_listed));
	for (size_t i = 0; given->set != NULL && i < given->set->n_items; i++)
		PH_TRY(ph_meta_set(env, meta, given->set->items[i].key, given->set->items[i].value,
						   given->set->items[i].is_literal));
	if (!fits)
		*warning = ph_strdup("the name does not have the form of --set-from-name, which gives it "
							 "nothing");
	else if (!is_listed)
		*warning = ph_strdup("the manifest does not name it");
	return PH_OK;
}
