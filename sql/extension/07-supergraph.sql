-- 07-supergraph.sql - super graphs: make, split, drill down, restrict, repopulate; rows and layout.
--
-- A supernode is named by unique text: "libmpi", "libmpi#1" (a callback's), "libmpi-MPI_Send" (a part).

CREATE OR REPLACE FUNCTION supergraph(p profile, group_by text DEFAULT 'module', module_map text DEFAULT NULL) RETURNS supergraph
	LANGUAGE C IMMUTABLE PARALLEL SAFE COST 10000 AS 'MODULE_PATHNAME', 'ph_supergraph_of';
COMMENT ON FUNCTION supergraph(profile, text, text) IS
	'Groups the calling contexts into an acyclic super graph. group_by: paradigm (mpi, openmp, user, …), module, '
	'library, file, function, kind or node. module_map: lines "regex=module" on function, file or library, first '
	'match wins; null uses the run''s own. A node without a label takes its caller''s; a root''s is <unknown>. '
	'Callbacks that would close a cycle get a duplicate supernode (lib#1), so no time is counted twice. The partition '
	'is decided on means of the primary metric. Errors: 22023 for another grouping, a bad line of the map, or a '
	'profile without flow. Method: segments (maximal connected pieces of one label) placed in order of callback '
	'depth, weight and tree order, after CallFlow.';

CREATE OR REPLACE FUNCTION split_by_entry(sg supergraph, node text, functions text[] DEFAULT NULL) RETURNS supergraph
	LANGUAGE C IMMUTABLE PARALLEL SAFE COST 10000 AS 'MODULE_PATHNAME', 'ph_split_by_entry';
COMMENT ON FUNCTION split_by_entry(supergraph, text, text[]) IS
	'Splits a supernode by entry function: the segments entered through f become node-f. functions: names, patterns '
	'"/regex/" or the groups mpi-collective and mpi-p2p; NULL: every entry function. Other supernodes keep every '
	'number and name. Errors: PH002 for an unknown node or a function that is no entry of it.';
CREATE OR REPLACE FUNCTION split_by_caller(sg supergraph, node text, granularity text DEFAULT 'supernode') RETURNS supergraph
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10000 AS 'MODULE_PATHNAME', 'ph_split_by_caller';
COMMENT ON FUNCTION split_by_caller(supergraph, text, text) IS
	'Splits a supernode by who calls it: node-caller; root segments form node-<root>. granularity: supernode or '
	'function. Errors: PH002 for an unknown node, 22023 for another granularity.';
CREATE OR REPLACE FUNCTION split_by_callee(sg supergraph, node text) RETURNS supergraph
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10000 AS 'MODULE_PATHNAME', 'ph_split_by_callee';
COMMENT ON FUNCTION split_by_callee(supergraph, text) IS
	'Splits a supernode by what it calls. A segment with several callee labels goes to its heaviest, and the part is '
	'marked ambiguous. Errors: PH002 for an unknown node.';
CREATE OR REPLACE FUNCTION drill_down(sg supergraph, node text, level text) RETURNS supergraph
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10000 AS 'MODULE_PATHNAME', 'ph_drill_down';
COMMENT ON FUNCTION drill_down(supergraph, text, text) IS
	'Replaces one supernode by finer ones: level is paradigm, module, library, file, function or node, best a finer '
	'one; they are named node/file. Errors: PH002 for an unknown node, 22023 for another level.';
CREATE OR REPLACE FUNCTION refine(sg supergraph, steps jsonb) RETURNS supergraph
	LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE COST 10000 SET search_path = pg_catalog, pg_temp AS $$
DECLARE -- plpgsql hands values on without making them flat
	step jsonb;
BEGIN
	FOR step IN SELECT s.step FROM jsonb_array_elements(steps) WITH ORDINALITY s (step, n) ORDER BY s.n LOOP
		sg := CASE step->>'op'
			WHEN 'split-entry' THEN perfhouse.split_by_entry(sg, step->>'node',
				CASE WHEN jsonb_array_length(step->'functions') > 0 THEN ARRAY(SELECT jsonb_array_elements_text(step->'functions')) END)
			WHEN 'split-caller' THEN perfhouse.split_by_caller(sg, step->>'node')
			WHEN 'drill' THEN perfhouse.drill_down(sg, step->>'node', step->>'level') END;
	END LOOP;
	RETURN sg;
END $$;
COMMENT ON FUNCTION refine(supergraph, jsonb) IS
	'Splits and drills one after the other, as a list of {"op": "split-entry", "node": ..., "functions": [...]} (no '
	'or an empty list: all), {"op": "split-caller", "node": ...} and {"op": "drill", "node": ..., "level": ...}. NULL '
	'for another op. Errors: those of split_by_entry, split_by_caller and drill_down.';

CREATE OR REPLACE FUNCTION restrict_columns(sg supergraph, columns int4[]) RETURNS supergraph
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10000 AS 'MODULE_PATHNAME', 'ph_restrict_columns';
COMMENT ON FUNCTION restrict_columns(supergraph, int4[]) IS
	'The same partition with the costs of these columns (locations) only, so that bars match; quantities of a set and '
	'of its complement add up. Errors: PH002 when a location does not exist.';
CREATE OR REPLACE FUNCTION restrict_ranks(sg supergraph, ranks int4[]) RETURNS supergraph
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10000 AS 'MODULE_PATHNAME', 'ph_restrict_ranks';
COMMENT ON FUNCTION restrict_ranks(supergraph, int4[]) IS
	'The same partition with the costs of these ranks only. Errors: PH002 when a rank has no column.';
CREATE OR REPLACE FUNCTION restrict_other_ranks(sg supergraph, ranks int4[]) RETURNS supergraph
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10000 AS 'MODULE_PATHNAME', 'ph_restrict_other_ranks';
COMMENT ON FUNCTION restrict_other_ranks(supergraph, int4[]) IS
	'The same partition with the costs of all columns but those of these ranks, so that restrict_ranks and this one '
	'are two sides of one graph. Errors: PH002 when a rank has no column, 22023 when no other column is left.';
CREATE OR REPLACE FUNCTION repopulate(sg supergraph, node text DEFAULT NULL, share float8 DEFAULT 0) RETURNS supergraph
	LANGUAGE C IMMUTABLE PARALLEL SAFE COST 10000 AS 'MODULE_PATHNAME', 'ph_repopulate';
COMMENT ON FUNCTION repopulate(supergraph, text, float8) IS
	'Brings back what a filter removed inside one supernode (NULL: everywhere), down to share of the whole. Without a '
	'filter nothing changes. Errors: PH002 for an unknown node.';

CREATE OR REPLACE FUNCTION supernodes(sg supergraph, metric text DEFAULT NULL)
	RETURNS TABLE (node text, label text, duplicate int4, level int4, inclusive float8, exclusive float8, absorbed float8,
		n_members int4, n_entries int4, source float8, residual float8, inclusive_min float8, inclusive_max float8,
		imbalance_ratio float8, imbalance_excess float8, exclusive_max float8, ambiguous bool)
	LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000 ROWS 50 AS 'MODULE_PATHNAME', 'ph_supernodes';
COMMENT ON FUNCTION supernodes(supergraph, text) IS
	'A row per supernode by (level, node); level is the longest path from a source. inclusive = source + incoming '
	'edges = exclusive + absorbed + residual + outgoing edges; source: inclusive of root segments. n_members: tree '
	'nodes; n_entries: distinct entry functions. inclusive_min, inclusive_max, exclusive_max: over columns, absent = '
	'0. imbalance_ratio = max / mean and imbalance_excess = (max - mean) / mean of the inclusive, null when the mean '
	'is 0 or there is one column. Inclusives of duplicates (lib, lib#1) are nested and must not be added. Errors: PH002 for an unknown '
	'metric.';

CREATE OR REPLACE FUNCTION superedges(sg supergraph, metric text DEFAULT NULL)
	RETURNS TABLE (source text, target text, inclusive float8)
	LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000 ROWS 100 AS 'MODULE_PATHNAME', 'ph_superedges';
COMMENT ON FUNCTION superedges(supergraph, text) IS
	'A row per edge by (source, target) in byte order: the inclusive cost that source''s calls bring into target.';

CREATE OR REPLACE FUNCTION entry_functions(sg supergraph, node text DEFAULT NULL, metric text DEFAULT NULL)
	RETURNS TABLE (node text, function text, instances int4, inclusive float8)
	LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000 ROWS 50 AS 'MODULE_PATHNAME', 'ph_entry_functions';
COMMENT ON FUNCTION entry_functions(supergraph, text, text) IS
	'The functions through which a supernode (NULL: every one, by level and name) is entered, by inclusive '
	'descending, then function; instances counts segments. They add up to the supernode''s inclusive. Errors: PH002 '
	'for an unknown node.';

CREATE OR REPLACE FUNCTION entry_callers(sg supergraph, node text DEFAULT NULL, metric text DEFAULT NULL)
	RETURNS TABLE (node text, function text, caller text, caller_node text, instances int4, inclusive float8)
	LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000 ROWS 50 AS 'MODULE_PATHNAME', 'ph_entry_callers';
COMMENT ON FUNCTION entry_callers(supergraph, text, text) IS
	'Entry functions of a supernode (NULL: every one) by who calls them: a row per (function, caller, supernode of '
	'the caller), heaviest first; caller and caller_node are null for roots. Errors: PH002 for an unknown node.';

CREATE OR REPLACE FUNCTION members(sg supergraph, node text DEFAULT NULL, metric text DEFAULT NULL)
	RETURNS TABLE (node text, cct_node int4, name text, kind text, module text, file text, line int4,
		inclusive float8, exclusive float8, callpath_id int8)
	LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000 ROWS 1000 AS 'MODULE_PATHNAME', 'ph_members';
COMMENT ON FUNCTION members(supergraph, text, text) IS
	'The tree nodes in a supernode (NULL: in every one), by cct_node, which is their number in nodes(profile(sg)). '
	'Errors: PH002 for an unknown node.';

CREATE OR REPLACE FUNCTION sankey_layout(sg supergraph, width float8 DEFAULT 1200, height float8 DEFAULT 700,
		metric text DEFAULT NULL, previous text DEFAULT NULL, scale_limit float8 DEFAULT NULL)
	RETURNS TABLE (element text, node text, target text, level int4, "position" int4, x float8, y float8,
		width float8, height float8, x1 float8, y1 float8, thickness float8, value float8, own float8,
		absorbed float8, label text)
	LANGUAGE C IMMUTABLE PARALLEL SAFE COST 10000 ROWS 200 AS 'MODULE_PATHNAME', 'ph_sankey_layout_rows';
COMMENT ON FUNCTION sankey_layout(supergraph, float8, float8, text, text, float8) IS
	'Positions of bars and bands in pixels. First one row canvas: width and height really used, value = scale in '
	'pixels per unit. Then bars by (level, position from the top): x, y of the upper left corner, width, height, '
	'value = inclusive, own = exclusive + absorbed + residual, absorbed. Then dummies (room for edges over more than '
	'one level; node and target are those of the edge). Then bands, a row per piece between layers: node and target '
	'are the ends of the whole edge, position counts its pieces from 0, (x, y) and (x1, y1) are the top at either '
	'end, thickness, value = the edge''s inclusive. A graph with more than 4096 dummies is drawn with at most one a '
	'level for each target: the edges to it join on their way, and the rows of what several share have no node; value '
	'= what has joined so far. previous: JSON text {"node": order, "node -> target": [orders of its dummies by '
	'level]} of an older layout, to keep unchanged bars and bands in place. scale_limit: pixels per unit at most, to '
	'share one scale between pictures. Errors: 22023 for impossible sizes or a metric that is not flow; 22P02 for bad '
	'JSON. Method: layered layout with weighted crossing reduction and exact vertical placement.';
CREATE OR REPLACE FUNCTION sankey_order(sg supergraph, width float8 DEFAULT 1200, height float8 DEFAULT 700, metric text DEFAULT NULL)
	RETURNS text
	LANGUAGE sql IMMUTABLE PARALLEL SAFE COST 10000 SET search_path = pg_catalog, pg_temp AS $$
	WITH layout AS MATERIALIZED (
		SELECT l.element, l.node, l.target, l.level, l."position" FROM perfhouse.sankey_layout(sg, $2, $3, $4) l
		WHERE l.element IN ('bar', 'dummy') AND l.node IS NOT NULL
	)
	SELECT jsonb_object_agg(o.name, o.place)::text
	FROM (SELECT l.node AS name, to_jsonb(l."position") AS place FROM layout l WHERE l.element = 'bar'
		UNION ALL
		SELECT l.node || ' -> ' || l.target, jsonb_agg(l."position" ORDER BY l.level) FROM layout l
		WHERE l.element = 'dummy' GROUP BY l.node, l.target) o
$$;
COMMENT ON FUNCTION sankey_order(supergraph, float8, float8, text) IS
	'How a layout of this size orders bars and bands, for previous of the layout of another graph, which then keeps '
	'what both have in place: sankey_layout(b, previous => sankey_order(a)). Errors: as there.';

CREATE OR REPLACE FUNCTION node_graph_nodes(sg supergraph, metric text DEFAULT NULL)
	RETURNS TABLE (id text, title text, subtitle text, mainstat float8, secondarystat float8, arc__exclusive float8,
		arc__inclusive float8, arc__absorbed float8, color text, fixedx float8, fixedy float8)
	LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000 ROWS 50 AS 'MODULE_PATHNAME', 'ph_node_graph_nodes';
COMMENT ON FUNCTION node_graph_nodes(supergraph, text) IS
	'Nodes for Grafana''s node graph panel, by (level, node): mainstat is the inclusive, secondarystat the exclusive, '
	'in the metric''s unit. arc__exclusive, arc__absorbed (with residual) and arc__inclusive (what its calls cost) '
	'are shares of the inclusive and add up to 1. color: white to red by the exclusive''s share of the whole. fixedx, '
	'fixedy: positions of the Sankey layout; leave the two columns out for the panel''s own layout. Filter first to '
	'at most 200 nodes.';
CREATE OR REPLACE FUNCTION node_graph_edges(sg supergraph, metric text DEFAULT NULL)
	RETURNS TABLE (id text, source text, target text, mainstat float8, thickness float8)
	LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000 ROWS 100 AS 'MODULE_PATHNAME', 'ph_node_graph_edges';
COMMENT ON FUNCTION node_graph_edges(supergraph, text) IS
	'Edges for Grafana''s node graph panel, by (source, target): mainstat is the inclusive, thickness 1 to 10 by its '
	'share of the heaviest edge. Every end is an id of node_graph_nodes.';

CREATE OR REPLACE FUNCTION provenance(sg supergraph)
	RETURNS TABLE (item text, value text)
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100 ROWS 10 AS 'MODULE_PATHNAME', 'ph_supergraph_provenance';
COMMENT ON FUNCTION provenance(supergraph) IS
	'What the numbers of a super graph rest on: the provenance of its profile, the grouping, and how many supernodes, '
	'edges and duplicates it has.';
CREATE OR REPLACE FUNCTION caption(sg supergraph) RETURNS text
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100 AS 'MODULE_PATHNAME', 'ph_supergraph_caption';
COMMENT ON FUNCTION caption(supergraph) IS
	'One line for under a picture: the caption of the profile and the grouping.';
