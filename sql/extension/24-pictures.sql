-- 24-pictures.sql - what pictures of ensembles, call trees and processes are drawn from.

CREATE OR REPLACE FUNCTION text_guides(sg supergraph, node text DEFAULT NULL, bins int4 DEFAULT 20, cost text DEFAULT 'inclusive',
	metric text DEFAULT NULL)
	RETURNS TABLE (node text, bin int4, low float8, high float8, count int4, value float8, mark text, runs text[],
		begin_share float8, end_share float8)
	LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000 ROWS 200 AS 'MODULE_PATHNAME', 'ph_text_guides';
COMMENT ON FUNCTION text_guides(supergraph, text, int4, text, text) IS
	'What stands beside the gradients of an ensemble''s super graph: a row per bin that holds a run, of a supernode '
	'(NULL: of every one), by (level, node), then bin. Bins as in ensemble_gradient; value: the least of the first, '
	'the greatest of the last, the mean of the runs in those between; mark: min, max, only (all runs equal) or null; '
	'runs: labels of the runs in the bin; begin_share and end_share: where the bin lies in the bar''s height, 0 (top, '
	'least) to 1. Errors: PH002 for an unknown node; 22023 for an impossible number of bins or another cost.';

CREATE OR REPLACE FUNCTION node_ranges(p profile, cost text DEFAULT 'exclusive', metric text DEFAULT NULL)
	RETURNS TABLE (node int4, n_present int4, min float8, max float8, mean float8, max_rank int4, max_column text)
	LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000 ROWS 10000 AS 'MODULE_PATHNAME', 'ph_node_ranges';
COMMENT ON FUNCTION node_ranges(profile, text, text) IS
	'Least, greatest and mean cost of every node over all columns, absent = 0, by node; n_present columns have it; '
	'max_rank and max_column: the first column with the greatest. node_statistics has quartiles and outliers, over '
	'the columns that have the node. Errors: PH002 for an unknown metric, 22023 for another cost.';

CREATE OR REPLACE FUNCTION column_statistics(p profile, cost text DEFAULT 'exclusive', metric text DEFAULT NULL)
	RETURNS TABLE (location int4, rank int4, thread int4, host text, name text, n_nodes int4, min float8, max float8, mean float8,
		total float8, max_node int4)
	LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000 ROWS 1000 AS 'MODULE_PATHNAME', 'ph_column_statistics';
COMMENT ON FUNCTION column_statistics(profile, text, text) IS
	'What every column (process, thread, run) spent in its nodes, by location: least, greatest, mean and total over '
	'the n_nodes nodes where it has any cost; max_node is the first with the greatest. Errors: PH002 for an unknown '
	'metric, 22023 for another cost.';

CREATE OR REPLACE FUNCTION matching_nodes(p profile, query text) RETURNS TABLE (node int4, name text)
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000 ROWS 1000 AS 'MODULE_PATHNAME', 'ph_matching_nodes';
COMMENT ON FUNCTION matching_nodes(profile, text) IS
	'The nodes on paths that a call-path query matches, as squash and call_path_query keep them; none when nothing '
	'matches. A test alone is a query, too: [exclusive > 0.1], "main", /^MPI_/. Errors: 22023 with the position when '
	'the query cannot be read.';

CREATE OR REPLACE FUNCTION node_at(p profile, path text) RETURNS int4
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000 AS 'MODULE_PATHNAME', 'ph_node_at';
COMMENT ON FUNCTION node_at(profile, text) IS
	'The number of the node with this path: names from a root joined by "/", or one name that only one node has. '
	'Errors: PH002 when no node has it; 22023 when several have.';

CREATE OR REPLACE FUNCTION function_nodes(p profile, metric text DEFAULT NULL)
	RETURNS TABLE (node int4, parent int4, function text, caller text, module text, is_call boolean, is_outermost boolean,
		inclusive float8, exclusive float8, calls float8)
	LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000 ROWS 10000 AS 'MODULE_PATHNAME', 'ph_function_nodes';
COMMENT ON FUNCTION function_nodes(profile, text) IS
	'A row per node, in pre-order, with the function that it belongs to (its own name; of loops and statements the '
	'nearest function above) and the function of its parent, for graphs of functions: GROUP BY caller, function WHERE '
	'is_call are the edges, sum(inclusive) FILTER (WHERE is_outermost) counts no recursion twice, sum(exclusive) is '
	'the function''s own cost (with absorbed and residual). is_call: not a loop or statement; is_outermost: a call '
	'with no other of the same function above it. calls: how often the node was entered, null where the profile does '
	'not count it. Errors: PH002 for an unknown metric.';
