/*
 * numbers.c - see numbers.h.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "stored/numbers.h"

#include <math.h>

#include "base/min_max.h"
#include "stored/loops.h"

#define HAS_EXCEPTIONS 4
#define MODE_MASK 3
#define SCALE_SHIFT 5 /* a third of the scale above the exponent */
#define LARGEST_SCALE 12
#define N_SAMPLES 24
#define N_MISSED 8
#define FEW_LAST_BITS 2e-15 /* relative: more than the roundings of all forms together */
#define EXCEPTION_BYTES 10	/* what one costs, about: its place and its bits */

static inline uint64_t
bits_of(double value)
{
	uint64_t bits;
	memcpy(&bits, &value, sizeof(bits));
	return bits;
}

static inline double
double_of(uint64_t bits)
{
	double value;
	memcpy(&value, &bits, sizeof(value));
	return value;
}

/* Whether value is an integer of this form, and which. */
static inline bool
to_integer(PhNumberForm form, double value, int64_t *out)
{
	double scaled = ph_scaled_by(form, value);
	if (!(fabs(scaled) < PH_LARGEST_EXACT / 4))
		return false;
	double integer = ph_whole(scaled);
	*out = (int64_t) integer;
	return bits_of(ph_decimal_of(form, integer)) == bits_of(value);
}

double
ph_number_round(PhNumberForm form, double x)
{
	double scaled = ph_scaled_by(form, x);
	if (form.mode == PH_NUMBER_BITS || !(fabs(scaled) < PH_LARGEST_EXACT / 4))
		return x;
	return ph_decimal_of(form, ph_whole(scaled));
}

/* ---- the form of a vector ---- */

/* Some numbers other than 0, which every form has; spread over the vector. */
static uint32_t
take_samples(const double *values, size_t n, double samples[N_SAMPLES])
{
	size_t step = n / N_SAMPLES + 1;
	uint32_t taken = 0;
	for (size_t offset = 0; offset < step && taken < N_SAMPLES; offset++)
		for (size_t i = offset; i < n && taken < N_SAMPLES; i += step)
			if (values[i] != 0)
				samples[taken++] = values[i];
	return taken;
}

/* How many a form has; fewer than least are not counted to the end: most forms have hardly any. */
static uint32_t
count_hits(PhNumberForm form, const double *samples, uint32_t n, uint32_t least)
{
	uint32_t hits = 0;
	int64_t integer;
	for (uint32_t i = 0; i < n && hits + (n - i) >= least; i++)
		hits += to_integer(form, samples[i], &integer);
	return hits;
}

/*
 * How many of the numbers are whole times 10^-decimals but for a few last bits; 0 where fewer than
 * least are. Then none of the forms with so many decimals in all has them, which differ in last
 * bits alone.
 */
static uint32_t
count_near(uint32_t decimals, const double *samples, uint32_t n, uint32_t least)
{
	uint32_t near = 0;
	for (uint32_t i = 0; i < n && near + (n - i) >= least; i++)
	{
		double scaled = samples[i] * ph_powers_of_ten[decimals];
		near += fabs(scaled) < PH_LARGEST_EXACT / 2 &&
				fabs(scaled - ph_whole(scaled)) <= fabs(scaled) * FEW_LAST_BITS;
	}
	return near >= least ? near : 0;
}

/* The forms with so many decimals in all, in the order in which they are tried; ends with bits. */
static PhNumberForm
nth_form(uint8_t decimals, uint32_t nth)
{
	uint32_t scale = nth < 2 ? 0 : 3 * (nth - 1);
	if (nth < 2)
		return (PhNumberForm){nth == 0 ? PH_NUMBER_OVER : PH_NUMBER_TIMES, decimals, 0};
	if (scale > LARGEST_SCALE || scale >= decimals)
		return (PhNumberForm){.mode = PH_NUMBER_BITS};
	return (PhNumberForm){PH_NUMBER_SCALED, (uint8_t) (decimals - scale), (uint8_t) scale};
}

/* Numbers that a form does not have. */
typedef struct Misses
{
	size_t n;
	uint32_t n_kept;
	double values[N_MISSED]; /* some of them */
} Misses;

/* What a search has found. */
typedef struct Found
{
	PhNumberForm form;
	uint32_t most; /* samples that have it; before, one less than are worth a form */
	bool is_whole; /* all samples were near fewer decimals */
} Found;

/*
 * Tries the forms with so many decimals in all. Where all samples are near fewer decimals, dividing
 * by more gives the same numbers as it did there: only products differ.
 */
static void
try_decimals(uint8_t decimals, const double *samples, uint32_t taken, Found *found)
{
	uint32_t near = found->is_whole ? taken : count_near(decimals, samples, taken, found->most + 1);
	for (uint32_t nth = 0; near > 0 && found->most < taken; nth++)
	{
		PhNumberForm form = nth_form(decimals, nth);
		if (form.mode == PH_NUMBER_BITS)
			break;
		if (found->is_whole && form.mode != PH_NUMBER_TIMES)
			continue;
		uint32_t hits = count_hits(form, samples, taken, found->most + 1);
		if (hits > found->most)
		{
			found->form = form;
			found->most = hits;
		}
	}
	found->is_whole |= near == taken;
}

/*
 * The form that most samples and misses of another form have, of several the one with the fewest
 * decimals. A form that is wrong by the last bit is right by chance three times in four: only all
 * samples prove one.
 */
static PhNumberForm
find_form(const double *values, size_t n, PhNumberForm hint, const Misses *misses)
{
	double samples[N_SAMPLES + N_MISSED];
	uint32_t taken = take_samples(values, n, samples);
	memcpy(samples + taken, misses->values, misses->n_kept * sizeof(*samples));
	taken += misses->n_kept;
	Found found = {.form = {.mode = PH_NUMBER_BITS}, .most = taken - taken / 8 - 1};
	if (hint.mode != PH_NUMBER_BITS && count_hits(hint, samples, taken, taken) == taken)
		return hint;
	if (taken == 0)
		return (PhNumberForm){.mode = PH_NUMBER_OVER};
	for (uint8_t decimals = 0; decimals <= PH_NUMBER_EXPONENT_MAX && found.most < taken; decimals++)
		try_decimals(decimals, samples, taken, &found);
	return found.form;
}

PhNumberForm
ph_numbers_form(const double *values, size_t n, PhNumberForm hint)
{
	static const Misses none = {0};
	return find_form(values, n, hint, &none);
}

/* ---- width ---- */

typedef struct Frame
{
	uint64_t base;
	uint32_t width;
	size_t n_exceptions; /* integers that are wider */
	size_t bytes;		 /* about what all will take */
} Frame;

static inline uint32_t
width_of(uint64_t value)
{
	return value == 0 ? 0 : 64 - (uint32_t) __builtin_clzll(value);
}

/* The cheapest width above a base; what lies below it wraps to the widest. */
static Frame
best_width(const uint64_t *integers, size_t n, uint64_t base)
{
	size_t count[65] = {0}, wider = 0;
	Frame best = {.base = base, .width = 64, .bytes = SIZE_MAX};
	for (size_t i = 0; i < n; i++)
		count[width_of(integers[i] - base)]++;
	for (uint32_t width = 65; width-- > 0;)
	{
		size_t bytes = (n * width + 7) / 8 + wider * EXCEPTION_BYTES;
		if (bytes <= best.bytes)
			best = (Frame){base, width, wider, bytes};
		wider += count[width];
	}
	return best;
}

/* From the least integer, or from the least one other than 0: ranks with nothing to do are common.
 */
static Frame
find_frame(const uint64_t *integers, size_t n)
{
	int64_t least = INT64_MAX, least_other = INT64_MAX;
	for (size_t i = 0; i < n; i++)
	{
		int64_t integer = (int64_t) integers[i];
		least = PH_MIN(least, integer);
		if (integer != 0)
			least_other = PH_MIN(least_other, integer);
	}
	Frame frame = best_width(integers, n, n == 0 ? 0 : (uint64_t) least);
	if (least != 0 || least_other == INT64_MAX)
		return frame;
	Frame other = best_width(integers, n, (uint64_t) least_other);
	return other.bytes < frame.bytes ? other : frame;
}

/* ---- packing ---- */

/*
 * Integers of a form. Numbers that are none of it become the integer before them, which costs no
 * width.
 */
static Misses
make_integers(const double *values, size_t n, PhNumberForm form, uint64_t *integers)
{
	Misses misses = {0};
	int64_t integer = 0;
	uint64_t last = 0;
	for (size_t i = 0; i < n; i++)
	{
		if (form.mode == PH_NUMBER_BITS)
			last = bits_of(values[i]);
		else if (to_integer(form, values[i], &integer))
			last = (uint64_t) integer;
		else if (misses.n++ < N_MISSED)
			misses.values[misses.n_kept++] = values[i];
		integers[i] = last;
	}
	return misses;
}

/* The double that the packed integer of a frame stands for. */
static inline uint64_t
decoded_bits(PhNumberForm form, uint64_t integer)
{
	return form.mode == PH_NUMBER_BITS ? integer
									   : bits_of(ph_decimal_of(form, (double) (int64_t) integer));
}

static void
put_exceptions(PhByteWriter *writer, const double *values, size_t n, PhNumberForm form,
			   const Frame *frame, uint64_t *integers, size_t n_exceptions)
{
	size_t last = 0;
	ph_put_varint(writer, n_exceptions);
	for (size_t i = 0; i < n; i++)
	{
		if (width_of(integers[i] - frame->base) <= frame->width &&
			decoded_bits(form, integers[i]) == bits_of(values[i]))
			continue;
		ph_put_varint(writer, i - last);
		ph_put_double(writer, values[i]);
		integers[i] = frame->base;
		last = i;
	}
}

static size_t
count_exceptions(const double *values, size_t n, PhNumberForm form, const Frame *frame,
				 const uint64_t *integers, size_t misses)
{
	size_t count = 0;
	if (misses == 0)
		return frame->n_exceptions;
	for (size_t i = 0; i < n; i++)
		count += width_of(integers[i] - frame->base) > frame->width ||
				 decoded_bits(form, integers[i]) != bits_of(values[i]);
	return count;
}

static void
put_bits(PhByteWriter *writer, const uint64_t *integers, size_t n, const Frame *frame)
{
	uint64_t word = 0;
	uint32_t filled = 0;
	for (size_t i = 0; i < n && frame->width > 0; i++)
	{
		uint64_t value = integers[i] - frame->base;
		word |= value << filled;
		filled += frame->width;
		if (filled < 64)
			continue;
		ph_put(writer, word, 8);
		filled -= 64;
		word = filled == 0 ? 0 : value >> (frame->width - filled);
	}
	ph_put(writer, word, (filled + 7) / 8);
}

static uint64_t
zigzag(uint64_t value)
{
	return value << 1 ^ (0 - (value >> 63));
}

static uint64_t
unzigzag(uint64_t value)
{
	return value >> 1 ^ (0 - (value & 1));
}

/* Decimals cost more than the bits where too many numbers are none. */
static bool
is_worse_than_bits(size_t n, const Frame *frame, size_t misses)
{
	return frame->bytes + misses * EXCEPTION_BYTES > 7 * n + 16;
}

/*
 * Integers of the best form. A form that some numbers miss may be wrong by the last bit: then there
 * is one that the missed ones have, too, unless there are so many that they are no decimals.
 */
static size_t
find_integers(const double *values, size_t n, PhNumberForm *form, uint64_t *integers)
{
	PhNumberForm first = ph_numbers_form(values, n, *form);
	Misses misses = make_integers(values, n, first, integers);
	*form = first;
	if (misses.n == 0 || misses.n > n / 2)
		return misses.n;
	PhNumberForm second = find_form(values, n, (PhNumberForm){0}, &misses);
	if (second.mode == PH_NUMBER_BITS)
		return misses.n;
	Misses fewer = make_integers(values, n, second, integers);
	if (fewer.n < misses.n)
		*form = second;
	else
		fewer = make_integers(values, n, first, integers);
	return fewer.n;
}

uint8_t *
ph_numbers_pack(const double *values, size_t n, uint64_t *scratch, PhNumberForm *form, uint8_t *out)
{
	PhByteWriter writer = {out};
	PhNumberForm used = *form;
	size_t misses = find_integers(values, n, &used, scratch);
	Frame frame = find_frame(scratch, n);
	if (used.mode != PH_NUMBER_BITS && is_worse_than_bits(n, &frame, misses))
	{
		used = (PhNumberForm){.mode = PH_NUMBER_BITS};
		misses = make_integers(values, n, used, scratch).n;
		frame = find_frame(scratch, n);
	}
	size_t exceptions = count_exceptions(values, n, used, &frame, scratch, misses);
	ph_put(&writer, used.mode | (exceptions > 0 ? HAS_EXCEPTIONS : 0u), 1);
	if (used.mode != PH_NUMBER_BITS)
		ph_put(&writer, used.exponent | used.scale / 3u << SCALE_SHIFT, 1);
	ph_put(&writer, frame.width, 1);
	ph_put_varint(&writer, zigzag(frame.base));
	if (exceptions > 0)
		put_exceptions(&writer, values, n, used, &frame, scratch, exceptions);
	put_bits(&writer, scratch, n, &frame);
	*form = used;
	return writer.at;
}

/* ---- unpacking ---- */

uint64_t
ph_get_varint(PhByteReader *reader)
{
	uint64_t value = 0;
	for (uint32_t shift = 0; shift < 64; shift += 7)
	{
		uint64_t byte = ph_get(reader, 1);
		if (shift == 63 && byte > 1)
			break;
		value |= (byte & 127) << shift;
		if (byte < 128)
			return value;
	}
	reader->bad = true;
	return 0;
}

typedef struct Header
{
	PhNumberForm form;
	uint32_t width;
	uint64_t base;
	size_t n_exceptions;
	PhByteReader exceptions; /* at the first one */
	const uint8_t *bits;	 /* ceil(n × width / 8) bytes */
} Header;

/* Each takes nine bytes at least, and their places are below n. */
static void
step_over_exceptions(PhByteReader *reader, size_t n, size_t count)
{
	size_t place = 0;
	if (count > n || count > ph_left(reader) / 9)
		reader->bad = true;
	for (size_t i = 0; i < count && !reader->bad; i++)
	{
		uint64_t gap = ph_get_varint(reader);
		if (gap >= n - place || (i > 0 && gap == 0))
			reader->bad = true;
		place += gap;
		(void) ph_take(reader, 8);
	}
}

static void
take_decimals(PhByteReader *reader, PhNumberForm *form)
{
	uint32_t byte = (uint32_t) ph_get(reader, 1), scale = 3 * (byte >> SCALE_SHIFT);
	form->exponent = byte & ((1 << SCALE_SHIFT) - 1);
	form->scale = (uint8_t) scale;
	if (form->exponent > PH_NUMBER_EXPONENT_MAX || scale > LARGEST_SCALE ||
		(scale != 0) != (form->mode == PH_NUMBER_SCALED))
		reader->bad = true;
}

static bool
take_header(PhByteReader *reader, size_t n, Header *header)
{
	uint64_t first = ph_get(reader, 1);
	*header = (Header){.form.mode = (uint8_t) (first & MODE_MASK)};
	if (header->form.mode != PH_NUMBER_BITS)
		take_decimals(reader, &header->form);
	header->width = (uint32_t) ph_get(reader, 1);
	header->base = unzigzag(ph_get_varint(reader));
	if (first > (HAS_EXCEPTIONS | MODE_MASK) || header->width > 64 || n > SIZE_MAX / 64 - 8)
		reader->bad = true;
	if ((first & HAS_EXCEPTIONS) != 0)
		header->n_exceptions = ph_get_varint(reader);
	header->exceptions = *reader;
	step_over_exceptions(reader, n, header->n_exceptions);
	if (!reader->bad)
		header->bits = ph_take(reader, (n * header->width + 7) / 8);
	return !reader->bad;
}

#define UNPACK_MANY 256 /* integers that stay in the nearest cache; they end at a whole byte */

static void
convert(const Header *header, const uint64_t *integers, size_t n, double *values)
{
	int64_t base = (int64_t) header->base;
	bool is_small = header->width < 31 && base > -(1 << 30) && base < 1 << 30;
	if (header->form.mode == PH_NUMBER_BITS)
		memcpy(values, integers, n * sizeof(*values));
	else
		ph_loop_decimals(header->form, is_small, integers, n, values);
}

/* The last integers are copied, so that whole words may be read behind them. */
static void
unpack_values(const Header *header, size_t n, double *values)
{
	uint8_t tail[UNPACK_MANY * sizeof(uint64_t) + 2 * PH_UNPACK_SLACK] = {0};
	uint64_t integers[UNPACK_MANY];
	const uint8_t *bits = header->bits;
	size_t left = (n * header->width + 7) / 8;
	bool is_copied = false;
	for (size_t i = 0, many, size; i < n; i += many, bits += size, left -= size)
	{
		many = PH_MIN(n - i, UNPACK_MANY);
		size = (many * header->width + 7) / 8;
		if (!is_copied && left < size + PH_UNPACK_SLACK)
		{
			bits = memcpy(tail, bits, left);
			is_copied = true;
		}
		ph_loop_integers(bits, many, header->base, header->width, integers);
		convert(header, integers, many, values + i);
	}
}

static void
unpack_exceptions(Header *header, double *values)
{
	size_t place = 0;
	for (size_t i = 0; i < header->n_exceptions; i++)
	{
		place += ph_get_varint(&header->exceptions);
		values[place] = ph_get_double(&header->exceptions);
	}
}

void
ph_numbers_unpack(PhByteReader *reader, size_t n, double *values, PhNumberForm *form)
{
	Header header;
	if (!take_header(reader, n, &header))
		return;
	if (header.width == 0)
	{
		double value = double_of(decoded_bits(header.form, header.base));
		for (size_t i = 0; i < n; i++)
			values[i] = value;
	}
	else
		unpack_values(&header, n, values);
	unpack_exceptions(&header, values);
	*form = header.form;
}
