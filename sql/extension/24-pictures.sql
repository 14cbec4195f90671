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

CREATE OR REPLACE FUNCTION perfhouse_internal.combining(p perfhouse.profile, metric text) RETURNS text
	LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp
	BEGIN ATOMIC
		SELECT CASE WHEN m.kind = 0 THEN 'sum' WHEN m.kind = 2 THEN (ARRAY['mean', 'least', 'greatest', 'sum'])[m.combine + 1] END
		FROM perfhouse_internal.profile_metrics($1) m WHERE m.name = $2 OR $2 IS NULL ORDER BY m.place LIMIT 1;
	END;
COMMENT ON FUNCTION perfhouse_internal.combining(profile, text) IS
	'How a metric (null: the primary one) of several call paths is combined to that of their function, as flat does: sum, of metrics '
	'that do not add up mean, least or greatest, null for ratios, which several call paths have none of without their sums.';

CREATE OR REPLACE FUNCTION perfhouse_internal.combined(combining text, total float8, lowest float8, highest float8, n bigint)
	RETURNS float8
	LANGUAGE sql IMMUTABLE PARALLEL SAFE
	RETURN CASE combining WHEN 'sum' THEN total WHEN 'mean' THEN total / nullif(n, 0) WHEN 'least' THEN lowest
		WHEN 'greatest' THEN highest ELSE CASE WHEN n = 1 THEN lowest END END;
COMMENT ON FUNCTION perfhouse_internal.combined(text, float8, float8, float8, bigint) IS
	'The value of n call paths together, of what combining says and the aggregates of their values.';

CREATE OR REPLACE FUNCTION perfhouse_internal.drawn_functions(p perfhouse.profile, metric text, node text, most int4)
	RETURNS TABLE (element text, place int8, function text, caller text, node_id int4, module text, nodes int8, inclusive float8,
		exclusive float8, calls float8, "values" float8[])
	LANGUAGE sql IMMUTABLE PARALLEL SAFE COST 10000 ROWS 1000 SET search_path = pg_catalog, pg_temp AS $$
	WITH tree AS MATERIALIZED (
		SELECT n.*, CASE WHEN n.is_outermost THEN n.inclusive END AS outermost FROM perfhouse.function_nodes(p, $2) n
	), way AS MATERIALIZED (
		SELECT perfhouse_internal.combining(p, $2) AS combining
	), functions AS MATERIALIZED (
		SELECT t.function AS name, min(t.module) AS module, count(*) FILTER (WHERE t.is_call) AS nodes,
			coalesce(perfhouse_internal.combined(c.combining, sum(t.outermost), min(t.outermost), max(t.outermost), count(t.outermost)), 0)
				AS inclusive,
			perfhouse_internal.combined(c.combining, sum(t.exclusive), min(t.exclusive), max(t.exclusive), count(t.exclusive)) AS exclusive,
			sum(t.calls) FILTER (WHERE t.is_call) AS calls
		FROM tree t, way c GROUP BY t.function, c.combining
	), selected AS MATERIALIZED (
		SELECT f.name FROM functions f WHERE $3 IS NULL OR f.name = $3 ORDER BY f.exclusive DESC, f.name LIMIT 1
	), related AS MATERIALIZED (
		SELECT t.caller AS name FROM tree t JOIN selected s ON s.name = t.function WHERE t.is_call AND t.caller IS NOT NULL
		UNION SELECT t.function FROM tree t JOIN selected s ON s.name = t.caller WHERE t.is_call
	), drawn AS MATERIALIZED ( -- of a million functions few are sorted
		SELECT f.*, row_number() OVER () AS place
		FROM (SELECT f.* FROM functions f CROSS JOIN selected s ORDER BY f.name = s.name DESC,
			$3 IS NOT NULL AND f.name IN (SELECT r.name FROM related r) DESC, f.inclusive DESC, f.name LIMIT greatest($4, 1)) f
	), calls AS (
		SELECT t.caller, t.function AS callee, count(*) AS nodes, sum(t.calls) AS calls,
			perfhouse_internal.combined(c.combining, sum(t.inclusive), min(t.inclusive), max(t.inclusive), count(t.inclusive)) AS inclusive,
			array_agg(t.inclusive ORDER BY t.inclusive DESC, t.node) AS "values"
		FROM tree t JOIN drawn a ON a.name = t.caller JOIN drawn b ON b.name = t.function, way c
		WHERE t.is_call GROUP BY t.caller, t.function, c.combining
	), contexts AS MATERIALIZED (
		SELECT t.*, row_number() OVER (PARTITION BY t.function ORDER BY t.inclusive DESC, t.node) AS nth
		FROM tree t WHERE t.is_call AND (t.function IN (SELECT s.name FROM selected s) OR t.function IN (SELECT r.name FROM related r))
	)
	SELECT 'candidate', row_number() OVER (ORDER BY f.exclusive DESC, f.name), f.name, NULL::text, NULL::int4, f.module, f.nodes,
		f.inclusive, f.exclusive, f.calls, NULL::float8[]
	FROM functions f WHERE NOT EXISTS (SELECT FROM selected)
	UNION ALL
	SELECT CASE WHEN d.place = 1 THEN 'selected' ELSE 'function' END, d.place, d.name, NULL, NULL, d.module, d.nodes, d.inclusive,
		d.exclusive, d.calls, NULL
	FROM drawn d
	UNION ALL
	SELECT 'others', count(*), NULL, NULL, NULL, NULL, sum(f.nodes), NULL,
		perfhouse_internal.combined(c.combining, sum(f.exclusive), min(f.exclusive), max(f.exclusive), count(f.exclusive)), NULL, NULL
	FROM functions f, way c WHERE EXISTS (SELECT FROM selected) AND f.name NOT IN (SELECT d.name FROM drawn d)
	GROUP BY c.combining
	UNION ALL
	SELECT 'call', row_number() OVER (ORDER BY c.inclusive DESC, c.caller, c.callee), c.callee, c.caller, NULL, NULL, c.nodes, c.inclusive,
		NULL, c.calls, c."values"
	FROM calls c
	UNION ALL
	SELECT 'context', row_number() OVER (ORDER BY c.function, c.nth), c.function, c.caller, c.node, NULL, NULL, c.inclusive, c.exclusive,
		c.calls, NULL
	FROM contexts c WHERE c.nth <= 48
$$;
COMMENT ON FUNCTION perfhouse_internal.drawn_functions(profile, text, text, int4) IS
	'What function_graph has, without its rows other; of these one row others: place says how many they are, with the sums of nodes '
	'and exclusive. Errors: those of function_graph.';

CREATE OR REPLACE FUNCTION function_graph(p profile, metric text DEFAULT NULL, node text DEFAULT NULL, most int4 DEFAULT 120)
	RETURNS TABLE (element text, place int8, function text, caller text, node_id int4, module text, nodes int8, inclusive float8,
		exclusive float8, calls float8, "values" float8[])
	LANGUAGE sql IMMUTABLE PARALLEL SAFE COST 10000 ROWS 1000 SET search_path = pg_catalog, pg_temp AS $$
	WITH drawn AS MATERIALIZED (
		SELECT d.* FROM perfhouse_internal.drawn_functions(p, $2, $3, $4) d
	), rest AS (
		SELECT t.function AS name, min(t.module) AS module, count(*) FILTER (WHERE t.is_call) AS nodes,
			coalesce(perfhouse_internal.combined(c.combining, sum(t.outermost), min(t.outermost), max(t.outermost), count(t.outermost)), 0)
				AS inclusive,
			perfhouse_internal.combined(c.combining, sum(t.exclusive), min(t.exclusive), max(t.exclusive), count(t.exclusive)) AS exclusive,
			sum(t.calls) FILTER (WHERE t.is_call) AS calls
		FROM (SELECT n.*, CASE WHEN n.is_outermost THEN n.inclusive END AS outermost FROM perfhouse.function_nodes(p, $2) n) t,
			(SELECT perfhouse_internal.combining(p, $2) AS combining) c
		WHERE EXISTS (SELECT FROM drawn d WHERE d.element = 'others')
			AND t.function NOT IN (SELECT d.function FROM drawn d WHERE d.element IN ('selected', 'function'))
		GROUP BY t.function, c.combining
	)
	SELECT d.* FROM drawn d WHERE d.element IN ('candidate', 'selected', 'function')
	UNION ALL
	SELECT 'other', greatest($4, 1) + row_number() OVER (ORDER BY $3 IS NOT NULL AND r.name IN (SELECT d.function FROM drawn d
		WHERE d.element = 'context') DESC, r.inclusive DESC, r.name), r.name, NULL, NULL, r.module, r.nodes, r.inclusive, r.exclusive,
		r.calls, NULL
	FROM rest r
	UNION ALL
	SELECT d.* FROM drawn d WHERE d.element IN ('call', 'context')
$$;
COMMENT ON FUNCTION function_graph(profile, text, text, int4) IS
	'A graph of functions, as function_nodes has them, for pictures: place orders the rows of each element. selected: the '
	'function node, null: the one with the highest exclusive cost; function: others that are drawn, at most so many with '
	'it, those that call or are called by node first, then by inclusive cost; other: the rest; call: from caller to '
	'function, between functions that are drawn, over so many nodes with these inclusive values, greatest first; '
	'context: at most 48 nodes (node_id) of the selected function and of each that calls it or is called by it. No '
	'function node: only rows candidate, all functions by exclusive cost. Errors: PH002 for an unknown metric.';

CREATE OR REPLACE FUNCTION named_nodes(p profile, names text[] DEFAULT '{}', metric text DEFAULT NULL, most int4 DEFAULT 16)
	RETURNS TABLE (panel int4, node int4, path text, name text, n_candidates int4, candidates text[])
	LANGUAGE sql IMMUTABLE PARALLEL SAFE COST 10000 ROWS 10 SET search_path = pg_catalog, pg_temp AS $$
	WITH tree AS MATERIALIZED (
		SELECT n.* FROM perfhouse.nodes(p, $3) n
	), wanted AS MATERIALIZED (
		SELECT w.name, w.no FROM unnest($2) WITH ORDINALITY w (name, no)
	), found AS MATERIALIZED (
		(SELECT 1::int8 AS no, n.node, n.path, n.name, n.exclusive FROM tree n WHERE NOT EXISTS (SELECT FROM wanted)
			ORDER BY n.exclusive DESC, n.node LIMIT $4)
		UNION ALL
		SELECT w.no, n.node, n.path, n.name, n.exclusive FROM wanted w JOIN tree n
			ON CASE WHEN EXISTS (SELECT FROM tree m WHERE m.path = w.name) THEN n.path = w.name
			        ELSE right(n.path, length(w.name) + 1) = '/' || w.name END
	)
	SELECT row_number() OVER (ORDER BY f.no, f.exclusive DESC, f.node)::int4, f.node, f.path, f.name,
		CASE WHEN EXISTS (SELECT FROM wanted) THEN 0 ELSE (SELECT count(*) FROM tree)::int4 END, NULL::text[]
	FROM found f
	UNION ALL
	(SELECT NULL, NULL, w.name, NULL, 0, ARRAY(SELECT DISTINCT t.name FROM tree t ORDER BY 1)
		FROM wanted w WHERE EXISTS (SELECT FROM tree) AND w.no NOT IN (SELECT f.no FROM found f) ORDER BY w.no LIMIT 1)
$$;
COMMENT ON FUNCTION named_nodes(profile, text[], text, int4) IS
	'The call paths that a picture shows, a row per panel. names: whole paths (names joined by /) or else all paths that '
	'end so, in the order of the names, then by exclusive cost; none: those with the highest exclusive cost, at most so '
	'many of n_candidates. Last, without panel and node, the first name that no path has, with the names of all nodes as '
	'candidates. Errors: PH002 for an unknown metric.';

-- plpgsql hands values on without making them flat; a common table expression writes each value once and reads it at
-- every use.
CREATE OR REPLACE FUNCTION perfhouse_internal.mean_profile(run bigint, metrics text[]) RETURNS perfhouse.profile
	LANGUAGE C STABLE STRICT PARALLEL SAFE COST 10000 SET search_path = pg_catalog, pg_temp
	AS 'MODULE_PATHNAME', 'ph_mean_profile_of_run';
COMMENT ON FUNCTION perfhouse_internal.mean_profile(bigint, text[]) IS
	'A run''s profile with one column, the mean over its units (absent = 0), from its summaries: what pictures need that show no '
	'ranks, in time that does not grow with their number. metrics: as in profile (none: the primary one). With a metric that does '
	'not add up, and of a run of one unit: as profile has it. Errors: those of profile.';

CREATE OR REPLACE FUNCTION perfhouse_internal.flame_boxes(p perfhouse.profile, metric text, share float8)
	RETURNS TABLE (level int4, label text, value float8, self float8, node int4, module text, others int4)
	LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000 ROWS 1000 SET search_path = pg_catalog, pg_temp
	AS 'MODULE_PATHNAME', 'ph_flame_boxes';
COMMENT ON FUNCTION perfhouse_internal.flame_boxes(profile, text, float8) IS
	'flame for a picture: call paths under a share of the whole are, with all above them, one row for each of their parents, behind '
	'its other children, without label and node; others: of how many call paths it is the sum. share 0: every call path. '
	'Errors: those of flame.';

CREATE OR REPLACE FUNCTION perfhouse_internal.flame_diff_boxes(a perfhouse.profile, b perfhouse.profile, metric text, share float8)
	RETURNS TABLE (level int4, label text, value float8, self float8, value_right float8, self_right float8, node int4, others int4,
		more float8, less float8)
	LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000 ROWS 1000 SET search_path = pg_catalog, pg_temp
	AS 'MODULE_PATHNAME', 'ph_flame_diff_boxes';
COMMENT ON FUNCTION perfhouse_internal.flame_diff_boxes(profile, profile, text, float8) IS
	'flame_diff for a picture, as flame_boxes: call paths under a share of b''s whole are summed by their parents; others: of how many '
	'call paths the row is the sum; more, less: what they have more and less self cost in b, each summed. What only a has is kept. '
	'Errors: those of flame_diff.';

CREATE OR REPLACE FUNCTION perfhouse_internal.legible_filter(p perfhouse.profile, metric text, group_by text, module_map text,
		share float8 DEFAULT NULL, levels int4 DEFAULT NULL)
	RETURNS float8[] LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100000 SET search_path = pg_catalog, pg_temp
	AS 'MODULE_PATHNAME', 'ph_legible_filter';
COMMENT ON FUNCTION perfhouse_internal.legible_filter(profile, text, text, text, float8, int4) IS
	'What is left out so that people can read the super graph, two shares of the whole. The first, where share is null: the least of '
	'0.001, 0.002, 0.005 ... 0.2 without whose roots and functions it has 60 supernodes or fewer, or 0.2. The second: 0, or the least '
	'of 0.001 ... 1 without whose functions, by what they do not pass on to their heaviest callee, it has so many levels or fewer '
	'(0, null: any number). Errors: those of filter and supergraph.';

CREATE OR REPLACE FUNCTION perfhouse_internal.legible_profile(p perfhouse.profile, share float8, passing float8, metric text)
	RETURNS perfhouse.profile LANGUAGE C IMMUTABLE PARALLEL SAFE COST 10000 SET search_path = pg_catalog, pg_temp
	AS 'MODULE_PATHNAME', 'ph_legible_profile';
COMMENT ON FUNCTION perfhouse_internal.legible_profile(profile, float8, float8, text) IS
	'A profile without what legible_filter chose. Errors: those of filter.';

CREATE OR REPLACE FUNCTION perfhouse_internal.graph_levels(share float8, levels int4) RETURNS int4
	LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
	SELECT coalesce(levels, CASE WHEN share = 0 THEN 0 ELSE 13 END)
$$;
COMMENT ON FUNCTION perfhouse_internal.graph_levels(float8, int4) IS
	'How many levels a super graph has when nobody says: as many as a picture 1200 wide has room for; any number (0) where nothing is '
	'to be left out.';

CREATE OR REPLACE FUNCTION legible(p profile, share float8 DEFAULT NULL, metric text DEFAULT NULL, group_by text DEFAULT 'module',
		module_map text DEFAULT NULL, levels int4 DEFAULT NULL)
	RETURNS profile LANGUAGE plpgsql STABLE PARALLEL SAFE COST 100000 SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	chosen float8[] := perfhouse_internal.legible_filter(p, metric, group_by, module_map, share, levels);
BEGIN
	IF chosen[1] > 0 OR chosen[2] > 0 THEN
		RETURN perfhouse_internal.legible_profile(p, chosen[1], chosen[2], metric);
	END IF;
	RETURN p;
END $$;
COMMENT ON FUNCTION legible(profile, float8, text, text, text, int4) IS
	'A profile, such as an ensemble of runs, without roots and nodes under a share of the whole (null: the one at which a super graph '
	'of group_by can be read) and without what makes that graph have more than so many levels (null: any number). '
	'Errors: those of filter.';

CREATE OR REPLACE FUNCTION perfhouse_internal.shown_profile(run bigint, metrics text[], ranks int4[], share float8,
	metric text DEFAULT NULL, means boolean DEFAULT false, group_by text DEFAULT 'module', module_map text DEFAULT NULL,
	levels int4 DEFAULT NULL)
	RETURNS perfhouse.profile
	LANGUAGE plpgsql STABLE PARALLEL SAFE COST 100000 SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	named text[] := array_remove(metrics, NULL);
	p perfhouse.profile;
	chosen float8[] := ARRAY[share, 0];
	weight text := metric;
BEGIN
	IF share IS NULL OR levels > 0 OR share > 0 AND cardinality(named) > 0 THEN
		p := perfhouse_internal.mean_profile(run, named[1:1]);
		IF (SELECT m.kind FROM perfhouse.metrics(p) m LIMIT 1) = 'value' THEN
			p := perfhouse_internal.mean_profile(run, '{}');
			SELECT m.metric INTO weight FROM perfhouse.metrics(p) m LIMIT 1;
			named := named || array_remove(ARRAY[weight], named[1]);
		END IF;
	END IF;
	IF share IS NULL OR levels > 0 THEN
		chosen := perfhouse_internal.legible_filter(p, weight, group_by, module_map, share, levels);
	END IF;
	IF NOT means OR ranks IS NOT NULL THEN
		p := CASE WHEN cardinality(named) > 0 THEN perfhouse.profile(run, named, ranks)
			ELSE perfhouse.profile(run, NULL::text, ranks) END;
	ELSIF p IS NULL OR cardinality(named) > 1 THEN
		p := perfhouse_internal.mean_profile(run, named);
	END IF;
	IF chosen[1] > 0 OR chosen[2] > 0 THEN
		RETURN perfhouse_internal.legible_profile(p, chosen[1], chosen[2], weight);
	END IF;
	RETURN p; -- the variable, which moves; what a function gets and gives back would be copied
END $$;
COMMENT ON FUNCTION perfhouse_internal.shown_profile(bigint, text[], int4[], float8, text, boolean, text, text, int4) IS
	'What pictures of one run show: its profile with these metrics (none but nulls: the primary one) of these ranks (NULL: all), '
	'without roots and nodes under a share of the whole; NULL: that of legible_filter for the run''s means, whatever ranks are shown, '
	'and so that the super graph has so many levels at most (0, NULL: any number). '
	'means: one column will do, as mean_profile has it. Shares are of the first metric, and of the primary one, which is then read with '
	'it, where that does not add up. Errors: those of profile, drop_roots and filter.';

CREATE OR REPLACE FUNCTION legible(run bigint, share float8 DEFAULT NULL, metric text DEFAULT NULL, ranks int4[] DEFAULT NULL,
	group_by text DEFAULT 'module', module_map text DEFAULT NULL, levels int4 DEFAULT NULL)
	RETURNS profile
	LANGUAGE sql STABLE PARALLEL SAFE COST 100000 SET search_path = pg_catalog, pg_temp
	RETURN perfhouse_internal.shown_profile(run, ARRAY[metric], ranks, share, metric, false, group_by, module_map, levels);
COMMENT ON FUNCTION legible(bigint, float8, text, int4[], text, text, int4) IS
	'The profile of a run as pictures show it: of one metric (null: the primary one) and some ranks (null: all), without roots of '
	'programs'' start and nodes under a share of the whole. share null: the one at which a super graph of group_by can be read, with '
	'at most so many levels (null: any number). What pages copy as SQL begins with it. Errors: those of profile and filter.';

CREATE OR REPLACE FUNCTION perfhouse_internal.sankey_layout_others(sg perfhouse.supergraph, width float8, height float8, metric text,
		previous text DEFAULT NULL, scale_limit float8 DEFAULT NULL, pieces int4 DEFAULT NULL)
	RETURNS TABLE (element text, node text, target text, level int4, "position" int4, x float8, y float8,
		width float8, height float8, x1 float8, y1 float8, thickness float8, value float8, own float8,
		absorbed float8, label text, others int4, more float8, less float8)
	LANGUAGE C IMMUTABLE PARALLEL SAFE COST 10000 ROWS 200 SET search_path = pg_catalog, pg_temp
	AS 'MODULE_PATHNAME', 'ph_sankey_layout_others';
COMMENT ON FUNCTION perfhouse_internal.sankey_layout_others(supergraph, float8, float8, text, text, float8, int4) IS
	'sankey_layout with what a filter took from the supernodes of a level, where that is 0.5 % of the whole or more, as one more bar '
	'of the next level, <others LEVEL>, and a band from each of them: absorbed is 0 there, others of how many call paths the bar is '
	'the sum; of a graph of two columns more and less what the second has more and less than the first, each summed over these call '
	'paths. pieces: rows of bands at most (null: all); what is thinner than others is left out then, which a row of element thin '
	'tells. Errors: those of sankey_layout.';

CREATE OR REPLACE FUNCTION perfhouse_internal.absorbed_paths(p perfhouse.profile) RETURNS TABLE (node int4, paths int4)
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000 ROWS 100 SET search_path = pg_catalog, pg_temp
	AS 'MODULE_PATHNAME', 'ph_absorbed_paths';
COMMENT ON FUNCTION perfhouse_internal.absorbed_paths(profile) IS
	'How many call paths a filter left out whose cost a node absorbed, for nodes that did. The filter''s cost is nodes.absorbed.';

CREATE OR REPLACE FUNCTION perfhouse_internal.measured(sg perfhouse.supergraph, run bigint, metrics text[]) RETURNS perfhouse.supergraph
	LANGUAGE C STABLE STRICT PARALLEL SAFE COST 100000 SET search_path = pg_catalog, pg_temp AS 'MODULE_PATHNAME', 'ph_measured';
COMMENT ON FUNCTION perfhouse_internal.measured(supergraph, bigint, text[]) IS
	'The supernodes of a super graph of shown_profile with means, measured in the columns of their run: a super graph of roots, '
	'without edges, for supernodes, supernode_values, histograms and boxes. metrics: as in mean_profile. Null: the graph has columns '
	'itself. Errors: those of profile.';

CREATE OR REPLACE FUNCTION perfhouse_internal.gross_change(sg perfhouse.supergraph, metric text DEFAULT NULL) RETURNS perfhouse.supergraph
	LANGUAGE C IMMUTABLE PARALLEL SAFE COST 10000 SET search_path = pg_catalog, pg_temp AS 'MODULE_PATHNAME', 'ph_gross_change';
COMMENT ON FUNCTION perfhouse_internal.gross_change(supergraph, text) IS
	'What a super graph of a difference is drawn with: the same partition in one column of means, where own costs have no sign and '
	'inclusives are their sums, so that bars have heights. Null when the metric is not one of differences. Errors: PH002 for an '
	'unknown metric.';
