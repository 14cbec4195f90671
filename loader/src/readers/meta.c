/*
 * meta.c - the metadata of a run: text by key, the last value of a key wins.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "readers/input.h"
#include "readers/source.h"
#include "readers/trace_source.h"

#include <string.h>

static PhMetaItem *
find_item(const PhMeta *meta, const char *key)
{
	for (size_t i = 0; i < meta->n_items; i++)
		if (strcmp(meta->items[i].key, key) == 0)
			return &meta->items[i];
	return NULL;
}

static void
free_text(PhEnv *env, char *text)
{
	if (text != NULL)
		ph_env_free(env, text, strlen(text) + 1, 1);
}

static PhStatus
grow(PhEnv *env, PhMeta *meta)
{
	size_t capacity = meta->capacity == 0 ? 16 : meta->capacity * 2;
	void *items = meta->items;
	PH_TRY(ph_env_resize(env, &items, meta->capacity, capacity, sizeof(PhMetaItem)));
	meta->items = items;
	meta->capacity = capacity;
	return PH_OK;
}

PhStatus
ph_meta_set(PhEnv *env, PhMeta *meta, const char *key, const char *value, bool is_literal)
{
	char *value_copy;
	PhMetaItem *item = find_item(meta, key);
	if (item != NULL)
	{
		PH_TRY(ph_run_strdup(env, value, &value_copy));
		free_text(env, item->value);
		item->value = value_copy;
		item->is_literal = is_literal;
		return PH_OK;
	}
	if (meta->n_items == meta->capacity)
		PH_TRY(grow(env, meta));
	char *key_copy;
	PH_TRY(ph_run_strdup(env, key, &key_copy));
	PhStatus status = ph_run_strdup(env, value, &value_copy);
	if (status != PH_OK)
	{
		free_text(env, key_copy);
		return status;
	}
	meta->items[meta->n_items++] = (PhMetaItem){key_copy, value_copy, is_literal};
	return PH_OK;
}

const char *
ph_meta_get(const PhMeta *meta, const char *key)
{
	const PhMetaItem *item = find_item(meta, key);
	return item != NULL ? item->value : NULL;
}

static void
free_meta(PhEnv *env, PhMeta *meta)
{
	for (size_t i = 0; i < meta->n_items; i++)
	{
		free_text(env, meta->items[i].key);
		free_text(env, meta->items[i].value);
	}
	ph_env_free(env, meta->items, meta->capacity, sizeof(PhMetaItem));
}

static void
free_raw_regions(PhEnv *env, PhRunInput *input)
{
	size_t n_regions = input->profile != NULL ? input->profile->n_regions : 0;
	for (size_t i = 0; input->raw_regions != NULL && i < n_regions; i++)
		free_text(env, input->raw_regions[i].raw_file);
	ph_env_free(env, input->raw_regions, n_regions, sizeof(PhRawRegion));
	input->raw_regions = NULL;
}

PhProfile *
ph_run_input_take_profile(PhEnv *env, PhRunInput *input)
{
	PhProfile *profile = input->profile;
	free_raw_regions(env, input);
	input->profile = NULL;
	ph_run_input_free(env, input);
	return profile;
}

static void
free_texts(PhEnv *env, char **texts, size_t n)
{
	for (size_t i = 0; i < n; i++)
		free_text(env, texts[i]);
	ph_env_free(env, texts, n, sizeof(char *));
}

void
ph_run_input_free(PhEnv *env, PhRunInput *input)
{
	free_raw_regions(env, input);
	ph_profile_free(env, input->profile);
	ph_profile_free(env, input->beside);
	if (input->trace != NULL)
		input->trace->free(env, input->trace);
	free_meta(env, &input->meta);
	free_text(env, input->title);
	free_texts(env, input->warnings, input->n_warnings);
	free_texts(env, input->missing, input->n_missing);
	memset(input, 0, sizeof(*input));
}
