/*
 * synthetic_cct.h - deterministic calling-context trees for benchmarks.
 *
 * Nothing random but a 64-bit linear congruence: the same numbers give the same tree everywhere.
 * Trees are deep and bushy: a node's parent is one of the 60 nodes before it unless that is deeper
 * than 40; there are 40 modules of about a dozen functions; a child stays in its parent's module
 * seven times out of ten.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef SYNTHETIC_CCT_H
#define SYNTHETIC_CCT_H

#include <stdint.h>

#define SYNTHETIC_MODULES 40

typedef struct SyntheticCct
{
	uint32_t n_nodes;
	uint32_t n_ranks;
	uint32_t *parent;	/* of node 0: UINT32_MAX */
	uint32_t *module;	/* 0..SYNTHETIC_MODULES-1 */
	uint32_t *function; /* within the module; siblings differ */
	uint32_t *renamed;	/* 0, or the variant that gave the leaf another name */
	double *cost;		/* exclusive, of an average rank */
	double *rank_factor;
} SyntheticCct;

/* variant 0 is the base run; others cost something else and rename one leaf in twenty. */
SyntheticCct *synthetic_cct_new(uint32_t n_nodes, uint32_t n_ranks, uint64_t seed,
								uint32_t variant);
void synthetic_cct_free(SyntheticCct *cct);

/* "mod07::fn003"; size bytes at out. */
void synthetic_cct_name(const SyntheticCct *cct, uint32_t node, char *out, uint32_t size);

double synthetic_cct_exclusive(const SyntheticCct *cct, uint32_t node, uint32_t rank);

/* Inclusive costs of one rank for all nodes. */
void synthetic_cct_inclusive(const SyntheticCct *cct, uint32_t rank, double *out);

#endif
