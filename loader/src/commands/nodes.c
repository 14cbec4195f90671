/*
 * nodes.c - what is wrong with the nodes of a distributed warehouse.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "commands/nodes.h"

#include <stdlib.h>

#include "queries.h"
#include "system/memory.h"

/* Columns of ph_sql_doctor_nodes. */
enum
{
	NODE_NAME,
	NODE_ANSWERS,
	NODE_SAID,
	NODE_IS_OF_THIS_BUILD,
	NODE_ASKS_OTHERS,
	NODE_IN_DOUBT,
	NODE_SHARDS
};

/* What is the first thing to mend there; NULL: nothing. malloc'ed. */
static char *
fault_of(const PhResult *rows, size_t row)
{
	if (!ph_result_bool(rows, row, NODE_ANSWERS))
		return ph_format("does not answer (%s): its runs cannot be read, and nothing can be loaded",
						 ph_result_text(rows, row, NODE_SAID));
	if (!ph_result_bool(rows, row, NODE_IS_OF_THIS_BUILD))
		return ph_strdup("has an extension of another build: make install there, then perfhouse "
						 "init --distributed");
	if (!ph_result_bool(rows, row, NODE_ASKS_OTHERS))
		return ph_strdup("does not let functions ask other nodes: perfhouse init --distributed");
	if (ph_result_int(rows, row, NODE_IN_DOUBT) > 0)
		return ph_format("has %s transactions in doubt for minutes: SELECT "
						 "recover_prepared_transactions()",
						 ph_result_text(rows, row, NODE_IN_DOUBT));
	return NULL;
}

/* False when there is a fault. */
static bool
tell_node(const PhResult *rows, size_t row, PhNodeFinding tell, void *user)
{
	char *fault = fault_of(rows, row);
	if (fault == NULL)
		return true;
	if (tell != NULL)
	{
		char *finding = ph_format("worker %s %s", ph_result_text(rows, row, NODE_NAME), fault);
		tell(user, false, finding);
		free(finding);
	}
	free(fault);
	return false;
}

/* Tables that a program made and no init has spread. */
static PhExit
look_at_tables(PhConnection *connection, PhNodeFinding tell, void *user)
{
	PhParam shards = ph_param_null();
	PhResult *rows = ph_pq_query(connection, ph_sql_warehouse_unspread, &shards, 1);
	if (rows == NULL)
		return ph_pq_log_error(connection, "nodes");
	if (ph_result_count(rows) > 0)
	{
		char *finding = ph_format("%zu tables lie on the coordinator alone: perfhouse init "
								  "--distributed",
								  ph_result_count(rows));
		tell(user, false, finding);
		free(finding);
	}
	ph_result_free(rows);
	return PH_EXIT_OK;
}

static PhExit
look_at_workers(PhConnection *connection, PhNodeCount *count, PhNodeFinding tell, void *user)
{
	PhResult *rows = ph_pq_query(connection, ph_sql_doctor_nodes, NULL, 0);
	if (rows == NULL)
		return ph_pq_log_error(connection, "nodes");
	size_t n_fine = 0;
	count->n_workers = ph_result_count(rows);
	for (size_t row = 0; row < count->n_workers; row++)
	{
		n_fine += tell_node(rows, row, tell, user);
		count->n_silent += !ph_result_bool(rows, row, NODE_ANSWERS);
		count->n_shards += (size_t) ph_result_int(rows, row, NODE_SHARDS);
	}
	ph_result_free(rows);
	if (tell == NULL)
		return PH_EXIT_OK;
	if (n_fine == count->n_workers)
	{
		char *finding = ph_format("%zu workers answer, all of this build", count->n_workers);
		tell(user, true, finding);
		free(finding);
	}
	return look_at_tables(connection, tell, user);
}

PhExit
ph_nodes_look(PhConnection *connection, PhNodeCount *count, PhNodeFinding tell, void *user)
{
	bool distributed = false;
	*count = (PhNodeCount){0};
	if (!ph_warehouse_is_distributed(connection, &distributed))
		return ph_pq_log_error(connection, "nodes");
	return distributed ? look_at_workers(connection, count, tell, user) : PH_EXIT_OK;
}
