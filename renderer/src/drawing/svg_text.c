/*
 * svg_text.c - the growing text of an SVG.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "drawing/svg_text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LEAST_CAPACITY ((size_t) 4096)

static bool
make_room(PhSvgText *text, size_t n)
{
	size_t wanted = text->capacity < LEAST_CAPACITY ? LEAST_CAPACITY : text->capacity * 2;
	char *grown;

	if (text->no_memory)
		return false;
	if (n <= text->capacity - text->size)
		return true;
	while (wanted - text->size < n)
		wanted *= 2;
	grown = realloc(text->bytes, wanted);
	text->no_memory = grown == NULL;
	if (grown == NULL)
		return false;
	text->bytes = grown;
	text->capacity = wanted;
	return true;
}

void
ph_svg_put(PhSvgText *text, const char *bytes, size_t n)
{
	if (n == 0 || !make_room(text, n))
		return;
	memcpy(text->bytes + text->size, bytes, n);
	text->size += n;
}

void
ph_svg_puts(PhSvgText *text, const char *string)
{
	ph_svg_put(text, string, strlen(string));
}

void
ph_svg_putc(PhSvgText *text, char byte)
{
	ph_svg_put(text, &byte, 1);
}

static const char *
entity(char byte)
{
	switch (byte)
	{
		case '&':
			return "&amp;";
		case '<':
			return "&lt;";
		case '>':
			return "&gt;";
		case '"':
			return "&quot;";
		default:
			return "&#10;";
	}
}

void
ph_svg_put_escaped(PhSvgText *text, const char *string)
{
	for (;;)
	{
		size_t plain = strcspn(string, "&<>\"\n");

		ph_svg_put(text, string, plain);
		string += plain;
		if (*string == '\0')
			return;
		ph_svg_puts(text, entity(*string++));
	}
}

static size_t
put_digits(char *out, unsigned long long number)
{
	char reversed[PH_SVG_NUMBER_SIZE];
	size_t n = 0;

	do
	{
		reversed[n++] = (char) ('0' + number % 10);
		number /= 10;
	} while (number > 0);
	for (size_t i = 0; i < n; i++)
		out[i] = reversed[n - 1 - i];
	return n;
}

size_t
ph_svg_number(char out[PH_SVG_NUMBER_SIZE], double value)
{
	double hundredths = isfinite(value) ? fmin(fmax(round(value * 100), -9e15), 9e15) : 0;
	unsigned long long magnitude = (unsigned long long) fabs(hundredths);
	unsigned decimals = (unsigned) (magnitude % 100);
	size_t n = 0;

	if (hundredths < 0)
		out[n++] = '-';
	n += put_digits(out + n, magnitude / 100);
	if (decimals > 0)
	{
		out[n++] = '.';
		out[n++] = (char) ('0' + decimals / 10);
	}
	if (decimals % 10 > 0)
		out[n++] = (char) ('0' + decimals % 10);
	out[n] = '\0';
	return n;
}
