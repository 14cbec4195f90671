/*
 * entry.c - the file of one kept answer.
 *
 * Little-endian: 8 bytes that say what it is, the CRC-32C of all that follows, the length of the
 * key (4 bytes), the length of the body (8 bytes), the key, the body.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "serve/cache/entry.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/crc32c.h"

#define MAGIC "phserve1"
#define MAGIC_SIZE 8
#define LENGTHS_AT 12
#define HEAD_SIZE 24
#define MOST_KEY 65536

static void
put_number(unsigned char *out, uint64_t value, int n)
{
	for (int i = 0; i < n; i++)
		out[i] = (unsigned char) (value >> (8 * i));
}

static uint64_t
get_number(const unsigned char *bytes, int n)
{
	uint64_t value = 0;

	for (int i = 0; i < n; i++)
		value |= (uint64_t) bytes[i] << (8 * i);
	return value;
}

/* The checksum of lengths, key and body. */
static uint32_t
checksum(const unsigned char *head, const void *key, size_t key_length, const void *body,
		 size_t size)
{
	uint32_t sum = ph_crc32c(0, head + LENGTHS_AT, HEAD_SIZE - LENGTHS_AT);

	return ph_crc32c(ph_crc32c(sum, key, key_length), body, size);
}

static bool
read_all(int file, void *to, size_t size)
{
	for (size_t done = 0; done < size;)
	{
		ssize_t n = read(file, (char *) to + done, size - done);

		if (n == 0 || (n < 0 && errno != EINTR))
			return false;
		done += n > 0 ? (size_t) n : 0;
	}
	return true;
}

static bool
write_all(int file, const void *from, size_t size)
{
	for (size_t done = 0; done < size;)
	{
		ssize_t n = write(file, (const char *) from + done, size - done);

		if (n < 0 && errno != EINTR)
			return false;
		done += n > 0 ? (size_t) n : 0;
	}
	return true;
}

/* Key and body behind a head whose lengths are those of the file. */
static PhEntryStatus
read_contents(int file, const unsigned char *head, const char *key, char *stored_key, char *bytes,
			  size_t size)
{
	size_t key_length = get_number(head + LENGTHS_AT, 4);

	if (!read_all(file, stored_key, key_length) || !read_all(file, bytes, size))
		return PH_ENTRY_DAMAGED;
	if (get_number(head + MAGIC_SIZE, 4) != checksum(head, stored_key, key_length, bytes, size))
		return PH_ENTRY_DAMAGED;
	return strlen(key) == key_length && memcmp(key, stored_key, key_length) == 0 ? PH_ENTRY_WHOLE
																				 : PH_ENTRY_OTHER;
}

PhEntryStatus
ph_entry_read(int file, uint64_t size, const char *key, PhContent **body)
{
	unsigned char head[HEAD_SIZE];
	PhEntryStatus status = PH_ENTRY_NO_MEMORY;
	uint64_t key_length;
	uint64_t body_length;
	char *stored_key;
	char *bytes;

	if (size < HEAD_SIZE || !read_all(file, head, HEAD_SIZE) ||
		memcmp(head, MAGIC, MAGIC_SIZE) != 0)
		return PH_ENTRY_DAMAGED;
	key_length = get_number(head + LENGTHS_AT, 4);
	body_length = get_number(head + LENGTHS_AT + 4, 8);
	if (key_length > MOST_KEY || body_length > PH_ENTRY_MOST_CONTENT ||
		size != HEAD_SIZE + key_length + body_length)
		return PH_ENTRY_DAMAGED;
	stored_key = malloc(key_length + 1);
	bytes = malloc(body_length + 1);
	if (stored_key != NULL && bytes != NULL)
		status = read_contents(file, head, key, stored_key, bytes, body_length);
	free(stored_key);
	if (status != PH_ENTRY_WHOLE)
	{
		free(bytes);
		return status;
	}
	*body = ph_content_new(bytes, body_length);
	return *body != NULL ? PH_ENTRY_WHOLE : PH_ENTRY_NO_MEMORY;
}

bool
ph_entry_write(int file, const char *key, const PhContent *body)
{
	unsigned char head[HEAD_SIZE] = MAGIC;
	size_t key_length = strlen(key);

	if (key_length > MOST_KEY)
		return false;
	put_number(head + LENGTHS_AT, key_length, 4);
	put_number(head + LENGTHS_AT + 4, body->size, 8);
	put_number(head + MAGIC_SIZE, checksum(head, key, key_length, body->bytes, body->size), 4);
	return write_all(file, head, HEAD_SIZE) && write_all(file, key, key_length) &&
		   write_all(file, body->bytes, body->size);
}
