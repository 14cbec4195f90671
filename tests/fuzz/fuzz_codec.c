/*
 * fuzz_codec.c - packed integers from arbitrary bytes: what is read does not depend on the
 * processor, and is what was written.
 *
 * Input: how many integers, two bytes; then their bytes.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <stdlib.h>
#include <string.h>

#include "base/crc32c.h"
#include "trace/chunk/codec.h"

#define MOST 4096

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A copy with what a decoder may look at behind it, and no more. */
static uint8_t *
with_slack(const uint8_t *data, size_t size)
{
	uint8_t *copy = calloc(size + PH_SVB_SLACK, 1);

	if (copy == NULL)
		abort();
	if (size > 0)
		memcpy(copy, data, size);
	return copy;
}

static void
must_be_same(const void *a, const void *b, size_t size)
{
	if (memcmp(a, b, size) != 0)
		abort();
}

static void
must_come_back(const uint32_t *values, size_t n)
{
	static uint32_t back[MOST];
	static uint8_t portable[MOST * 5 + PH_SVB_SLACK];
	uint8_t *room = malloc(ph_svb_bound(n) + PH_SVB_SLACK);
	const uint8_t *end = ph_svb_encode(values, n, room);

	if (ph_svb_encode_portable(values, n, portable) - portable != end - room)
		abort();
	must_be_same(room, portable, (size_t) (end - room));
	if (ph_svb_decode(room, end, n, back) != end)
		abort();
	must_be_same(back, values, n * sizeof(*values));
	free(room);
}

static void
try_sums(const uint8_t *bytes, const uint8_t *end, size_t n)
{
	static uint64_t fast[MOST], plain[MOST];
	const uint8_t *to = ph_svb_decode_sums(bytes, end, n, 7, fast);

	if (ph_svb_decode_sums_portable(bytes, end, n, 7, plain) != to)
		abort();
	if (to != NULL)
		must_be_same(fast, plain, n * sizeof(*fast));
}

static void
try_values(const uint8_t *bytes, const uint8_t *end, size_t n)
{
	static uint32_t fast[MOST], plain[MOST];
	const uint8_t *to = ph_svb_decode(bytes, end, n, fast);

	if (ph_svb_decode_portable(bytes, end, n, plain) != to)
		abort();
	if (to == NULL)
		return;
	must_be_same(fast, plain, n * sizeof(*fast));
	must_come_back(fast, n);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	size_t n;
	uint8_t *bytes;

	if (size < 2)
		return 0;
	if (ph_crc32c(0, data, size) != ph_crc32c_portable(0, data, size))
		abort();
	n = ((size_t) data[0] << 8 | data[1]) % MOST;
	bytes = with_slack(data + 2, size - 2);
	try_values(bytes, bytes + size - 2, n);
	try_sums(bytes, bytes + size - 2, n);
	free(bytes);
	return 0;
}
