/*
 * otlp.h - profiles of OpenTelemetry (OTLP): a dictionary like pprof's tables, and samples that
 * refer to it by places, in profiles of one type each, in scopes, in resources.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_READERS_PPROF_OTLP_H
#define PH_READERS_PPROF_OTLP_H

#include "readers/pprof/pprof.h"

/* Which fields a sample has: releases of the schema moved them. */
typedef enum PhOtlpLayout
{
	PH_OTLP_UNKNOWN,
	PH_OTLP_1_8, /* also 1.9: values 2, attributes 3, link 4 */
	PH_OTLP_1_10 /* attributes 2, link 3, values 4 */
} PhOtlpLayout;

/* Of a sample, a profile or a resource. */
typedef struct PhOtlpAttribute
{
	const char *key, *text; /* text NULL: a number, or of a kind that tells nothing */
	bool is_number;
	int64_t number;
} PhOtlpAttribute;

typedef struct PhOtlpStack
{
	uint32_t first, n; /* in stack_locations */
} PhOtlpStack;

typedef struct PhOtlp
{
	PhPprof pprof; /* its first member: passes are lent it */
	PH_VECTOR(PhOtlpAttribute) attributes;
	PH_VECTOR(PhOtlpStack) stacks;
	PH_VECTOR(uint64_t) stack_locations; /* ids, leaf first */
	PhOtlpLayout layout;
	uint32_t n_resources;
	int64_t end; /* of the last profile */

	PhProtoField field; /* that was begun last, for errors */

	/* the profile that is read */
	PhColumnSpec resource, column;
	uint32_t metric;
} PhOtlp;

/* Tables, types, times and the layout: the first pass. */
PhStatus ph_otlp_read_tables(PhPprof *pprof) PH_MUST_CHECK;

/* Samples: the second one. */
PhStatus ph_otlp_read_samples(PhPprof *pprof) PH_MUST_CHECK;

/* A key and a value; of a dictionary its keys are strings of the table. */
PhStatus ph_otlp_read_attribute(PhOtlp *otlp, const PhProtoField *field,
								PhOtlpAttribute *out) PH_MUST_CHECK;

PhStatus ph_otlp_fail(PhOtlp *otlp, const char *message);

/* Call take with every field of this number in the messages that are nested so; 0 ends the path. */
typedef PhStatus (*PhOtlpTake)(PhOtlp *otlp, PhProtoField *field);
PhStatus ph_otlp_each(PhOtlp *otlp, const PhProtoField *message, uint32_t number,
					  PhOtlpTake take) PH_MUST_CHECK;

/* Fields of the messages. */
enum
{
	PH_OTLP_RESOURCE_PROFILES = 1,
	PH_OTLP_DICTIONARY = 2,
	PH_OTLP_RESOURCE = 1,
	PH_OTLP_SCOPE_PROFILES = 2,
	PH_OTLP_PROFILES = 2,
	PH_OTLP_SAMPLE_TYPE = 1,
	PH_OTLP_SAMPLES = 2
};

#endif
