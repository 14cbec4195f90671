/*
 * fingerprint.c - what makes two experiments the same: SHA-256 over their files.
 *
 * The digest covers, for every file in byte order of its name relative to the experiment, that name
 * with its NUL and the SHA-256 of its content. A single file is named "": where it lies, and what
 * it is called, does not matter.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "pipeline/internal.h"

#include <errno.h>
#include <fcntl.h>
#include <openssl/evp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "readers/input.h"
#include "readers/record.h"
#include "readers/source.h"
#include "system/memory.h"

#define PH_DIGEST_SIZE 32
#define PH_CHUNK ((size_t) 64 << 10)

static PhStatus
digest_failed(PhEnv *env)
{
	return ph_fail(env, PH_ERR_INTERNAL, "SHA-256 is not available in this libcrypto");
}

static PhStatus
hash_descriptor(PhEnv *env, int fd, const char *path, EVP_MD_CTX *context, void *chunk,
				uint64_t *bytes)
{
	for (;;)
	{
		ssize_t n = read(fd, chunk, PH_CHUNK);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return ph_fail(env, ph_input_errno_status(errno), "%s: cannot read: %s", path,
						   strerror(errno));
		if (n == 0)
			return PH_OK;
		if (EVP_DigestUpdate(context, chunk, (size_t) n) != 1)
			return digest_failed(env);
		*bytes += (uint64_t) n;
		PH_TRY(ph_env_poll(env));
	}
}

static PhStatus
hash_file(PhEnv *env, const char *path, EVP_MD_CTX *context, uint8_t *digest, uint64_t *bytes)
{
	if (EVP_DigestInit_ex(context, EVP_sha256(), NULL) != 1)
		return digest_failed(env);
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		return ph_fail_hint(env, ph_input_errno_status(errno),
							"Check that it is there and that this user may read it.",
							"%s: cannot open: %s", path, strerror(errno));
	void *chunk = ph_must_resize(NULL, PH_CHUNK, 1); /* not zeroed: most files are small */
	PhStatus status = hash_descriptor(env, fd, path, context, chunk, bytes);
	free(chunk);
	close(fd);
	if (status == PH_OK && EVP_DigestFinal_ex(context, digest, NULL) != 1)
		return digest_failed(env);
	return status;
}

/* Bytes of path that name the directory of an experiment; all of it for a single file. */
static size_t
base_length(const PhExperiment *experiment)
{
	const char *slash = strrchr(experiment->path, '/');
	if (experiment->reader == NULL || !experiment->reader->is_anchor)
		return strlen(experiment->path);
	for (size_t i = 0; i < experiment->n_files; i++)
	{
		if (strcmp(experiment->files[i], experiment->path) == 0)
			return slash == NULL ? 0 : (size_t) (slash - experiment->path);
	}
	return strlen(experiment->path);
}

/* The file's name relative to the experiment, whose directory has length bytes. */
static const char *
relative_name(const PhExperiment *experiment, size_t length, size_t file)
{
	const char *name = experiment->files[file];
	if (strncmp(name, experiment->path, length) != 0)
		return name;
	name += length;
	while (*name == '/')
		name++;
	return name;
}

/* Of a record: what it says, so that a file that grows has only its new ones to load. */
static PhStatus
hash_record(PhEnv *env, const PhRecord *record, EVP_MD_CTX *context, uint8_t *digest,
			uint64_t *bytes)
{
	bool ok = EVP_DigestInit_ex(context, EVP_sha256(), NULL) == 1;

	for (uint32_t i = 0; ok && i < record->n_items; i++)
	{
		const PhRecordItem *item = &record->items[i];

		ok = EVP_DigestUpdate(context, item->key, strlen(item->key) + 1) == 1 &&
			 EVP_DigestUpdate(context, item->value, strlen(item->value) + 1) == 1;
		*bytes += strlen(item->key) + strlen(item->value);
	}
	for (uint32_t i = 0; ok && i < record->n_figures; i++)
	{
		const PhFigure *figure = &record->figures[i];

		ok = EVP_DigestUpdate(context, figure->name, strlen(figure->name) + 1) == 1 &&
			 EVP_DigestUpdate(context, figure->unit, strlen(figure->unit) + 1) == 1 &&
			 EVP_DigestUpdate(context, &figure->value, sizeof(figure->value)) == 1;
		*bytes += strlen(figure->name) + sizeof(figure->value);
	}
	return ok && EVP_DigestFinal_ex(context, digest, NULL) == 1 ? PH_OK : digest_failed(env);
}

static PhStatus
hash_experiment(PhEnv *env, const PhExperiment *experiment, EVP_MD_CTX *whole, EVP_MD_CTX *single,
				uint8_t *digest, uint64_t *bytes)
{
	if (experiment->record != NULL)
		return hash_record(env, experiment->record, whole, digest, bytes);
	if (EVP_DigestInit_ex(whole, EVP_sha256(), NULL) != 1)
		return digest_failed(env);
	const PhReader *reader = experiment->reader;
	if (reader != NULL && reader->is_aspect &&
		EVP_DigestUpdate(whole, reader->name, strlen(reader->name) + 1) != 1)
		return digest_failed(env);
	size_t length = base_length(experiment);
	for (size_t i = 0; i < experiment->n_files; i++)
	{
		const char *name = relative_name(experiment, length, i);
		PH_TRY(hash_file(env, experiment->files[i], single, digest, bytes));
		if (EVP_DigestUpdate(whole, name, strlen(name) + 1) != 1 ||
			EVP_DigestUpdate(whole, digest, PH_DIGEST_SIZE) != 1)
			return digest_failed(env);
	}
	return EVP_DigestFinal_ex(whole, digest, NULL) == 1 ? PH_OK : digest_failed(env);
}

PhStatus
ph_experiment_fingerprint(PhEnv *env, const PhExperiment *experiment, char out[65], uint64_t *bytes)
{
	static const char hex[] = "0123456789abcdef";
	uint8_t digest[PH_DIGEST_SIZE] = {0};
	EVP_MD_CTX *whole = EVP_MD_CTX_new();
	EVP_MD_CTX *single = EVP_MD_CTX_new();
	*bytes = 0;
	PhStatus status = whole == NULL || single == NULL
						  ? ph_fail_memory(env, "libcrypto")
						  : hash_experiment(env, experiment, whole, single, digest, bytes);
	EVP_MD_CTX_free(whole);
	EVP_MD_CTX_free(single);
	if (status != PH_OK)
		return status;
	for (size_t i = 0; i < PH_DIGEST_SIZE; i++)
	{
		out[2 * i] = hex[digest[i] >> 4];
		out[2 * i + 1] = hex[digest[i] & 15];
	}
	out[64] = '\0';
	return PH_OK;
}

uint64_t
ph_experiment_stamp(const PhExperiment *experiment)
{
	uint64_t stamp = 0;

	for (size_t i = 0; i < experiment->n_files; i++)
	{
		struct stat status;

		if (stat(experiment->files[i], &status) != 0)
			continue;
		stamp = stamp * 31 + (uint64_t) status.st_size;
		stamp = stamp * 31 + (uint64_t) status.st_mtim.tv_sec;
		stamp = stamp * 31 + (uint64_t) status.st_mtim.tv_nsec;
	}
	return stamp;
}
