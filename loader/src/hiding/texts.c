/*
 * texts.c - private paths and names of hosts in texts.
 *
 * The same rules as perfhouse_internal.is_private_path, hidden_paths and pseudonym: program and
 * server give a folder and a host the same pseudonym.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <openssl/evp.h>
#include <string.h>

#include "base/str.h"
#include "hiding/hiding.h"

#define SHOWN_BYTES 6

static bool
is_separator(char byte)
{
	return byte == '/' || byte == '\\';
}

/* One of the folders that every machine has; path without slashes before it. */
static bool
is_of_system(const char *path)
{
	static const char *const roots[] = {"usr", "lib", "lib32", "lib64", "bin", "sbin",
										"opt", "etc", "proc",  "sys",	"dev", "run"};

	for (size_t i = 0; i < sizeof(roots) / sizeof(roots[0]); i++)
	{
		size_t length = strlen(roots[i]);

		if (strncmp(path, roots[i], length) == 0 && (path[length] == '/' || path[length] == '\0'))
			return true;
	}
	return false;
}

static bool
is_private(const char *path)
{
	bool is_letter = (path[0] >= 'A' && path[0] <= 'Z') || (path[0] >= 'a' && path[0] <= 'z');
	size_t slashes = strspn(path, "/");

	if (slashes > 0)
		return path[slashes] != '\0' && !is_of_system(path + slashes);
	return path[0] == '~' || (path[0] == '\\' && path[1] == '\\') ||
		   (is_letter && path[1] == ':' && is_separator(path[2]));
}

static PhStatus
digest(PhArena *arena, const char *salt, const char *text, size_t length, char *hex)
{
	unsigned char bytes[EVP_MAX_MD_SIZE];
	EVP_MD_CTX *context = EVP_MD_CTX_new();
	bool ok = context != NULL && EVP_DigestInit_ex(context, EVP_sha256(), NULL) == 1 &&
			  EVP_DigestUpdate(context, salt, strlen(salt)) == 1 &&
			  EVP_DigestUpdate(context, "\n", 1) == 1 &&
			  EVP_DigestUpdate(context, text, length) == 1 &&
			  EVP_DigestFinal_ex(context, bytes, NULL) == 1;

	EVP_MD_CTX_free(context);
	if (!ok)
		return ph_fail(arena->env, PH_ERR_INTERNAL, "SHA-256 is not available in this libcrypto");
	for (size_t i = 0; i < SHOWN_BYTES; i++)
	{
		hex[2 * i] = "0123456789abcdef"[bytes[i] >> 4];
		hex[2 * i + 1] = "0123456789abcdef"[bytes[i] & 15];
	}
	hex[(size_t) 2 * SHOWN_BYTES] = '\0';
	return PH_OK;
}

static PhStatus
make_pseudonym(PhArena *arena, const char *kind, const char *salt, const char *value, size_t length,
			   const char *rest, const char **out)
{
	char hex[2 * SHOWN_BYTES + 1];
	PhStr text;
	char *made;

	PH_TRY(digest(arena, salt, value, length, hex));
	ph_str_init(&text, arena);
	PH_TRY(ph_str_printf(&text, "%s-%s%s", kind, hex, rest));
	PH_TRY(ph_str_take(&text, &made));
	*out = made;
	return PH_OK;
}

PhStatus
ph_hide_path(PhArena *arena, const char *salt, const char *path, const char **out)
{
	size_t folder = path == NULL ? 0 : strlen(path);

	*out = path;
	if (path == NULL || !is_private(path))
		return PH_OK;
	while (folder > 0 && !is_separator(path[folder - 1]))
		folder--;
	if (folder == 0)
		return PH_OK;
	return make_pseudonym(arena, "path", salt, path, folder - 1, path + folder - 1, out);
}

/* Paths are looked for between these, as perfhouse_internal.hidden_paths does. */
#define BETWEEN " \t\n\r\f\v:;,=\"'<>()[]{}"

/* What may stand right before a path. */
#define OPTION "-_+ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
#define SIGNS "@|&!#%*?^$`+"

/*
 * How much of a word comes before the path in it: an option (-I/home/ann), a sign (@/home/ann),
 * slashes of an address (file:///home/ann). 0: nothing, or there is no absolute path.
 */
static size_t
before_path(const char *word)
{
	size_t n = word[0] == '-' ? strspn(word, OPTION) : strspn(word, SIGNS);
	size_t slashes = strspn(word + n, "/");

	if (word[n] == '~')
		return n;
	return slashes == 0 ? 0 : n + slashes - 1;
}

PhStatus
ph_hide_paths(PhArena *arena, const char *salt, const char *text, const char **out)
{
	PhStr made;
	char *taken;

	*out = text;
	if (strpbrk(text, "/\\") == NULL)
		return PH_OK;
	ph_str_init(&made, arena);
	for (const char *at = text; *at != '\0';)
	{
		size_t between = strspn(at, BETWEEN), length = strcspn(at + between, BETWEEN), before;
		const char *hidden;
		char *word;

		PH_TRY(ph_arena_strndup(arena, at + between, length, &word));
		before = before_path(word);
		PH_TRY(ph_str_append_n(&made, at, between + before));
		PH_TRY(ph_hide_path(arena, salt, word + before, &hidden));
		PH_TRY(ph_str_append(&made, hidden));
		at += between + length;
	}
	PH_TRY(ph_str_take(&made, &taken));
	*out = taken;
	return PH_OK;
}

PhStatus
ph_hide_in_region(PhArena *arena, const char *salt, const char **name, const char **library,
				  const char **file)
{
	PH_TRY(ph_hide_paths(arena, salt, *name, name));
	PH_TRY(ph_hide_path(arena, salt, *library, library));
	return ph_hide_path(arena, salt, *file, file);
}

/* The text with another one in place of each of these words. */
static PhStatus
replace(PhArena *arena, const char *text, const char *word, const char *by, const char **out)
{
	size_t length = strlen(word);
	const char *found;
	PhStr made;
	char *taken;

	ph_str_init(&made, arena);
	for (; (found = strstr(text, word)) != NULL; text = found + length)
	{
		PH_TRY(ph_str_append_n(&made, text, (size_t) (found - text)));
		PH_TRY(ph_str_append(&made, by));
	}
	PH_TRY(ph_str_append(&made, text));
	PH_TRY(ph_str_take(&made, &taken));
	*out = taken;
	return PH_OK;
}

PhStatus
ph_hide_host(PhArena *arena, const char *salt, const char **host, const char **name)
{
	const char *pseudonym;

	if (*host == NULL || (*host)[0] == '\0')
		return PH_OK;
	PH_TRY(make_pseudonym(arena, "host", salt, *host, strlen(*host), "", &pseudonym));
	if (*name != NULL)
		PH_TRY(replace(arena, *name, *host, pseudonym, name));
	*host = pseudonym;
	return PH_OK;
}
