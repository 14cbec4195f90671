/*
 * gen_profile.c - writes a synthetic profile in a format that the loader and its peers read.
 *
 *   gen_profile NODES RANKS SEED VARIANT FORMAT > FILE
 *
 * FORMAT: json-split (Caliper, a row per node and rank), json-iterations (the same, its columns are
 * iterations in place of ranks), literal (Hatchet, one rank), cali (Caliper's own). See
 * synthetic_cct.h for the trees.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "synthetic_cct.h"

#define NAME_SIZE 64

static void
write_rows(const SyntheticCct *cct)
{
	double *inclusive = calloc(cct->n_nodes, sizeof(*inclusive));
	for (uint32_t rank = 0; rank < cct->n_ranks && inclusive != NULL; rank++)
	{
		synthetic_cct_inclusive(cct, rank, inclusive);
		for (uint32_t node = 0; node < cct->n_nodes; node++)
			printf("%s[%.6f,%u,%.6f,%u]", rank + node == 0 ? "" : ",\n", inclusive[node], rank,
				   synthetic_cct_exclusive(cct, node, rank), node);
	}
	free(inclusive);
}

static void
write_json_split(const SyntheticCct *cct, const char *column)
{
	char name[NAME_SIZE];
	printf("{\n\"data\": [\n");
	write_rows(cct);
	printf("\n],\n\"columns\": [\"inclusive#sum#time.duration\",\"%s\",\"sum#time.duration\","
		   "\"path\"],\n\"column_metadata\": [{\"is_value\":true},{\"is_value\":true},"
		   "{\"is_value\":true},{\"is_value\":false}],\n\"nodes\": [\n",
		   column);
	for (uint32_t node = 0; node < cct->n_nodes; node++)
	{
		synthetic_cct_name(cct, node, name, sizeof(name));
		printf("%s{\"label\":\"%s\",\"column\":\"path\"", node == 0 ? "" : ",\n", name);
		if (node > 0)
			printf(",\"parent\":%u", cct->parent[node]);
		printf("}");
	}
	printf("\n],\n\"mpi.world.size\": \"%u\"\n}\n", cct->n_ranks);
}

/* Children behind their parents: order[] is a pre-order, closing[] how many nodes end there. */
static void
write_literal(const SyntheticCct *cct)
{
	char name[NAME_SIZE];
	uint32_t n = cct->n_nodes, depth = 0;
	uint32_t *first = malloc(n * sizeof(*first)), *next = malloc(n * sizeof(*next));
	uint32_t *stack = malloc(n * sizeof(*stack));
	double *inclusive = malloc(n * sizeof(*inclusive));
	memset(first, 0xFF, n * sizeof(*first));
	for (uint32_t node = n; node-- > 1;)
	{
		next[node] = first[cct->parent[node]];
		first[cct->parent[node]] = node;
	}
	next[0] = UINT32_MAX;
	synthetic_cct_inclusive(cct, 0, inclusive);
	printf("[");
	for (uint32_t node = 0; node != UINT32_MAX;)
	{
		synthetic_cct_name(cct, node, name, sizeof(name));
		printf("{\"frame\":{\"name\":\"%s\",\"type\":\"function\"},\"metrics\":{\"time\":%.6f,"
			   "\"time (inc)\":%.6f}",
			   name, synthetic_cct_exclusive(cct, node, 0), inclusive[node]);
		stack[depth++] = node;
		if (first[node] != UINT32_MAX)
		{
			printf(",\"children\":[\n");
			node = first[node];
			continue;
		}
		printf("}");
		while (depth > 0 && next[stack[depth - 1]] == UINT32_MAX)
			if (--depth > 0)
				printf("]}");
		node = depth > 0 ? next[stack[--depth]] : UINT32_MAX;
		if (node != UINT32_MAX)
			printf(",\n");
	}
	printf("]\n");
	free(first);
	free(next);
	free(stack);
	free(inclusive);
}

/* Attributes are nodes themselves; 10, 8, 13, 14 are Caliper's property, name, alias and unit. */
static void
write_cali(const SyntheticCct *cct, uint64_t seed)
{
	char name[NAME_SIZE];
	printf("__rec=node,id=12,attr=10,data=64,parent=3\n"
		   "__rec=node,id=13,attr=8,data=attribute.alias,parent=12\n"
		   "__rec=node,id=14,attr=8,data=attribute.unit,parent=12\n"
		   "__rec=node,id=27,attr=14,data=sec,parent=5\n"
		   "__rec=node,id=28,attr=13,data=time,parent=27\n"
		   "__rec=node,id=29,attr=10,data=2113,parent=28\n"
		   "__rec=node,id=30,attr=8,data=sum#sum#time.duration,parent=29\n"
		   "__rec=node,id=40,attr=10,data=77,parent=1\n"
		   "__rec=node,id=41,attr=8,data=mpi.rank,parent=40\n"
		   "__rec=node,id=42,attr=10,data=1612,parent=3\n"
		   "__rec=node,id=43,attr=8,data=seed,parent=42\n"
		   "__rec=node,id=44,attr=43,data=%llu\n"
		   "__rec=node,id=34,attr=10,data=276,parent=3\n"
		   "__rec=node,id=35,attr=8,data=region,parent=34\n",
		   (unsigned long long) seed);
	for (uint32_t node = 0; node < cct->n_nodes; node++)
	{
		synthetic_cct_name(cct, node, name, sizeof(name));
		printf("__rec=node,id=%u,attr=35,data=%s", node + 100, name);
		printf(node == 0 ? "\n" : ",parent=%u\n", cct->parent[node] + 100);
	}
	for (uint32_t rank = 0; rank < cct->n_ranks; rank++)
		for (uint32_t node = 0; node < cct->n_nodes; node++)
			printf("__rec=ctx,ref=%u,attr=41=30,data=%u=%.6f\n", node + 100, rank,
				   synthetic_cct_exclusive(cct, node, rank));
	printf("__rec=globals,ref=44\n");
}

static unsigned long long
number(const char *text, unsigned long long least, unsigned long long most)
{
	char *rest;
	unsigned long long value = strtoull(text, &rest, 10);
	if (*rest != '\0' || rest == text || value < least || value > most)
	{
		fprintf(stderr, "gen_profile: \"%s\" is not a number from %llu to %llu\n", text, least,
				most);
		exit(2);
	}
	return value;
}

int
main(int argc, char **argv)
{
	if (argc != 6)
	{
		fprintf(stderr, "usage: gen_profile NODES RANKS SEED VARIANT "
						"json-split|json-iterations|literal|cali\n");
		return 2;
	}
	uint64_t seed = number(argv[3], 0, UINT64_MAX);
	SyntheticCct *cct = synthetic_cct_new((uint32_t) number(argv[1], 1, 100000000),
										  (uint32_t) number(argv[2], 1, 10000000), seed,
										  (uint32_t) number(argv[4], 0, 1000000));
	if (strcmp(argv[5], "json-split") == 0)
		write_json_split(cct, "mpi.rank");
	else if (strcmp(argv[5], "json-iterations") == 0)
		write_json_split(cct, "iteration#main.loop");
	else if (strcmp(argv[5], "literal") == 0)
		write_literal(cct);
	else if (strcmp(argv[5], "cali") == 0)
		write_cali(cct, seed);
	else
	{
		fprintf(stderr, "gen_profile: no format \"%s\"\n", argv[5]);
		return 2;
	}
	synthetic_cct_free(cct);
	return fflush(stdout) == 0 && !ferror(stdout) ? 0 : 1;
}
