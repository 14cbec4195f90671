/*
 * offers.c - what completion offers from the warehouse.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "completion/offers.h"

#include <stdlib.h>

#include "database/warehouse.h"
#include "queries.h"

static const PhQuery *
query_of(PhOffer offer)
{
	switch (offer)
	{
		case PH_OFFER_RUNS:
			return &ph_query_complete_runs;
		case PH_OFFER_TAGS:
			return &ph_query_complete_tags;
		case PH_OFFER_METRICS:
			return &ph_query_complete_metrics;
		case PH_OFFER_APPLICATIONS:
			return &ph_query_complete_applications;
		case PH_OFFER_COMMITS:
			return &ph_query_complete_commits;
		case PH_OFFER_POLICIES:
			return &ph_query_complete_policies;
		case PH_OFFER_REGRESSIONS:
			return &ph_query_complete_regressions;
		case PH_OFFER_ALIASES:
			return &ph_query_complete_aliases;
		case PH_OFFER_NOTHING:
		case PH_OFFER_FILES:
		case PH_OFFER_FOLDERS:
			return NULL;
	}
	return NULL;
}

/* NULL: the embedded server does not run. */
static char *
running_server(void)
{
	PhEmbedded *embedded;
	char *conninfo = NULL;

	if (ph_embedded_find(&embedded) != PH_EXIT_OK)
		return NULL;
	if (ph_embedded_pid(embedded) != 0)
		conninfo = ph_embedded_conninfo(embedded);
	ph_embedded_free(embedded);
	return conninfo;
}

static bool
connect_quietly(const char *db, PhConnection **out)
{
	bool is_embedded = ph_warehouse_is_embedded(db);
	char *embedded = is_embedded ? running_server() : NULL;
	bool ok = (!is_embedded || embedded != NULL) &&
			  ph_pq_connect(out, is_embedded ? embedded : db, "perfhouse complete");

	free(embedded);
	return ok;
}

void
ph_offers_from_warehouse(PhOffer offer, const char *db, const char *prefix,
						 void (*take)(void *user, const char *value, const char *about), void *user)
{
	const PhQuery *query = query_of(offer);
	PhConnection *connection = NULL;
	PhParam param = ph_param_text(prefix);
	PhResult *rows = NULL;

	if (query != NULL && connect_quietly(db, &connection) &&
		ph_pq_script(connection, "SET statement_timeout = '1s'"))
		rows = ph_pq_query(connection, query->sql, &param, 1);
	for (size_t row = 0; rows != NULL && row < ph_result_count(rows); row++)
		take(user, ph_result_text(rows, row, 0), ph_result_text(rows, row, 1));
	ph_result_free(rows);
	ph_pq_close(connection);
}
