/*
 * clusters.h - processes of a phase that behave alike: the tree of clusters, and what the
 * members of each shown cluster did at every step.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_VIEWS_LOGICAL_CLUSTERS_H
#define PH_VIEWS_LOGICAL_CLUSTERS_H

#include "request/rows.h"
#include "views/logical/logical.h"

/* How the phase's processes exchange messages. */
typedef enum PhClusterExchange
{
	PH_EXCHANGE_NONE, /* or sends, then single receives: drawn alike */
	PH_EXCHANGE_PAIRS,
	PH_EXCHANGE_WAITALL
} PhClusterExchange;

typedef struct PhCluster
{
	double id, distance, n_members, most;
	const char *latest, *centroid; /* "rank 3", or a chare's name */
	const char *members;		   /* of shown clusters: ranks as ranges, or names */
	double parent_id, child_id[2]; /* NaN: none */
	uint32_t parent, child[2];	   /* UINT32_MAX: none, or not shown */
	bool folded;				   /* one of its own that has parts */
	uint32_t row;				   /* of its only process; UINT32_MAX: there are several */
	double top, height;
	double x, y; /* of its knot in the dendrogram */
} PhCluster;

/* What a kind of events of a cluster was at one step. */
typedef enum PhPart
{
	PH_PART_SEND,
	PH_PART_COLLECTIVE,
	PH_PART_RECEIVE,
	PH_PARTS
} PhPart;

typedef struct PhClusterSeries
{
	uint32_t cluster;
	bool first_sends; /* of pairs: those that begin with a send */
	double n_processes;
	uint32_t n;
	const double *column, *step, *received;
	const double *count[PH_PARTS], *value[PH_PARTS], *before[PH_PARTS];
} PhClusterSeries;

typedef struct PhClusterPlot
{
	PhLogicalPlot rows;		  /* processes on top, then those that are a cluster of their own */
	uint32_t n_focus;		  /* rows on top */
	const char *centre;		  /* of them: "rank 3" */
	double centre_cluster;	  /* whose process that is */
	bool by_centroid;		  /* the nearest to its mean, not its latest */
	double focus_all, radius; /* processes around it, and messages away from it */
	PhClusterExchange exchange;
	double most_received; /* by one call of the phase, on average over a cluster */
	uint32_t n;
	PhCluster *clusters;
	uint32_t n_shown;
	uint32_t *shown; /* from top to bottom */
	uint32_t n_series;
	PhClusterSeries *series;
	uint32_t n_stubs;
	const double *stub_row, *stub_step, *stub_sent, *stub_up;
	uint32_t n_links;
	const double *link_from, *link_to; /* ids of clusters */
	const double *link_send, *link_receive;
	bool no_inactive;
	const char *phase;
} PhClusterPlot;

/* Sections of render_logical_clusters.sql. False: nothing to draw. */
bool ph_clusters_read(PhArena *arena, const PhOptions *options, const PhViewRows *rows,
					  PhClusterPlot *out);
/* Index of a cluster, UINT32_MAX when there is none. */
uint32_t ph_cluster_find(const PhClusterPlot *plot, double id);
/* "12 processes", "1 chare" */
const char *ph_cluster_count(PhArena *arena, const PhClusterPlot *plot, const PhCluster *cluster);
void ph_clusters_draw(PhScene *scene, PhClusterPlot *plot, PhBody body);

/* Room above and below a row's glyphs, for the lines of messages and quarter discs. */
double ph_cluster_room_above(double height);
double ph_cluster_room_below(const PhClusterPlot *plot, double height);

/* Glyphs of one series in its cluster's row. */
void ph_cluster_series_draw(PhScene *scene, const PhClusterPlot *plot,
							const PhClusterSeries *series);
/* The same as a pair of timelines: those that send first, and their partners; either may be NULL.
 */
void ph_cluster_pair_draw(PhScene *scene, const PhClusterPlot *plot, const PhClusterSeries *senders,
						  const PhClusterSeries *receivers);

#endif
