/*
 * sankey.h - the Sankey layout of a super graph.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_SUPERGRAPH_SANKEY_H
#define PH_SUPERGRAPH_SANKEY_H

#include "postgres.h"

#include "layout/sankey_layout.h"
#include "server/pgenv.h"
#include "supergraph/supergraph.h"

/* Layout options that SQL can set; previous: JSON of orders or NULL; scale_limit 0: none. */
typedef struct PhSankeyOptions
{
	double width;
	double height;
	double scale_limit;
	const char *previous;
} PhSankeyOptions;

/* Lay out the means of a flow metric, with others (NULL: none) as bars behind the supernodes and
 * edges behind the graph's, by supernode. Raises 22023 when it is not flow, or is signed. */
void ph_sankey_of(PhScratch *scratch, const PhSupergraph *graph, uint32 metric,
				  const PhSupergraphMeans *means, const PhSupergraphOthers *others,
				  const PhSankeyOptions *options, PhLayout *out);

/* Whether a metric can be drawn as bar heights: flow and never negative. */
bool ph_sankey_can_draw(const PhSupergraph *graph, uint32 metric);

#endif
