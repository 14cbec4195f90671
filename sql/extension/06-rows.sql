-- 06-rows.sql - rows from one profile. Values are means over columns, absent = 0, in the metric's unit.

CREATE OR REPLACE FUNCTION nodes(p profile, metric text DEFAULT NULL)
	RETURNS TABLE (node int4, parent int4, depth int4, name text, kind text, module text, file text, line int4,
		inclusive float8, exclusive float8, n_present int4, absorbed float8, residual float8, library text,
		callpath_id int8, path text, paradigm text)
	LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000 ROWS 10000 AS 'MODULE_PATHNAME', 'ph_nodes';
COMMENT ON FUNCTION nodes(profile, text) IS
	'A row per node of the tree, in pre-order with children sorted by identity; node counts from 0, parent is null '
	'for roots, depth is 0 there. kind: function, region, loop, statement or root. module: the label of the run''s '
	'module map, else the base name of the library; null when unknown (flat and super graphs tell libraries with one '
	'base name apart). exclusive: own cost; absorbed: cost of descendants that a filter removed; residual: where the '
	'source''s own numbers disagree; inclusive = exclusive + absorbed + residual + the children''s. n_present: '
	'columns that have the node. path: names from the root joined by "/"; beyond 4096 bytes its beginning is cut and '
	'marked "…". paradigm: mpi, openmp, user, … as measured, else derived from the name; null for loops and '
	'statements, which are their function''s. metric: NULL is the primary one. Errors: PH002 for an unknown metric.';

CREATE OR REPLACE FUNCTION nodes_diff(p profile, metric text DEFAULT NULL)
	RETURNS TABLE (node int4, parent int4, depth int4, name text, kind text, module text,
		before_inclusive float8, after_inclusive float8, delta_inclusive float8,
		before_exclusive float8, after_exclusive float8, delta_exclusive float8,
		relative float8, status text, callpath_id int8, path text)
	LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000 ROWS 10000 AS 'MODULE_PATHNAME', 'ph_nodes_diff';
COMMENT ON FUNCTION nodes_diff(profile, text) IS
	'A row per node of a diff(before, after), in pre-order: both sides'' means over all their columns, after - '
	'before, the relative change of the inclusive (delta / before; null when before is 0) and the status: both, only '
	'before, only after. A side without the node counts 0. Exclusives include absorbed and residual costs, so that '
	'they add up to the inclusives. Errors: 22023 when the profile is not a diff.';

CREATE OR REPLACE FUNCTION flat(p profile, by text DEFAULT 'function', metric text DEFAULT NULL)
	RETURNS TABLE (name text, n_nodes int4, inclusive float8, exclusive float8, absorbed float8, share float8,
		region text, calls float8, residual float8)
	LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000 ROWS 1000 AS 'MODULE_PATHNAME', 'ph_flat_profile';
COMMENT ON FUNCTION flat(profile, text, text) IS
	'The flat profile: a row per group (by: function or name, module, library, file, paradigm, kind or node), by '
	'exclusive descending, then name. region is the name again; calls is the mean number of calls (the metric '
	'visits), null where the profile does not count them. exclusive + absorbed + residual over all rows is the total of '
	'the profile: residual is where the source''s own numbers disagree. inclusive counts outermost instances only, so recursion is '
	'not counted twice; share is exclusive / total. Errors: 22023 for another grouping.';

CREATE OR REPLACE FUNCTION flame(p profile, metric text DEFAULT NULL)
	RETURNS TABLE (level int4, label text, value float8, self float8, node int4)
	LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000 ROWS 10000 AS 'MODULE_PATHNAME', 'ph_flame';
COMMENT ON FUNCTION flame(profile, text) IS
	'A flame graph as Grafana''s panel takes it: depth-first, exactly one row of level 0 (synthetic, node null, when '
	'the forest has several roots), value = inclusive, self = exclusive + absorbed + residual. Children are clamped '
	'to their parent; a notice says how often. Errors: 22023 for a signed profile: use flame_diff.';

CREATE OR REPLACE FUNCTION flame_diff(a profile, b profile, metric text DEFAULT NULL)
	RETURNS TABLE (level int4, label text, value float8, self float8, value_right float8, self_right float8, node int4)
	LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000 ROWS 10000 AS 'MODULE_PATHNAME', 'ph_flame_diff';
COMMENT ON FUNCTION flame_diff(profile, profile, text) IS
	'A differential flame graph on the union of the trees, depth-first, one root: value and self are a''s (baseline), '
	'value_right and self_right b''s (comparison). node is the number in the union. For Grafana rename them '
	'"valueRight" and "selfRight".';

CREATE OR REPLACE FUNCTION hot_path(p profile, share float8 DEFAULT 0.5, start int4 DEFAULT NULL, metric text DEFAULT NULL)
	RETURNS TABLE (step int4, node int4, name text, inclusive float8, exclusive float8, share float8)
	LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000 ROWS 20 AS 'MODULE_PATHNAME', 'ph_hot_path';
COMMENT ON FUNCTION hot_path(profile, float8, int4, text) IS
	'From start (NULL: the heaviest root), while the heaviest child has at least share of its parent''s inclusive, '
	'that child; the last row is the hot spot. step counts from 0; the column share is inclusive / total. Ties go by '
	'order of identity. Errors: PH002 when there is no such node.';

CREATE OR REPLACE FUNCTION column_values(p profile, node int4 DEFAULT NULL, metric text DEFAULT NULL)
	RETURNS TABLE (location int4, rank int4, thread int4, host text, name text, iteration int8, present bool,
		inclusive float8, exclusive float8, absorbed float8, node int4)
	LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000 ROWS 1000 AS 'MODULE_PATHNAME', 'ph_column_values';
COMMENT ON FUNCTION column_values(profile, int4, text) IS
	'The vector over columns of one node (NULL: of every node), by node, then location. Where the column has no such '
	'node, present is false and the values are null. Errors: PH002 when there is no such node.';

CREATE OR REPLACE FUNCTION value_columns(p profile, metric text DEFAULT NULL)
	RETURNS TABLE (first_node int4, n int4, node bytea, location bytea, inclusive bytea, exclusive bytea, absorbed bytea)
	LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000 ROWS 100 AS 'MODULE_PATHNAME', 'ph_value_columns';
COMMENT ON FUNCTION value_columns(profile, text) IS
	'All values of a metric as columns, for data frames: a row is some 16384 cells of neighbouring nodes, and each of node, '
	'location (int32), inclusive, exclusive and absorbed (float64) an array of n little-endian numbers, by node, then '
	'location. Only cells that are present are there; NaN is what column_values gives as null, absorbed is null where '
	'nothing was filtered. A million cells are 61 rows, which take a tenth of the time of column_values. '
	'Errors: PH002 for an unknown metric.';

CREATE OR REPLACE FUNCTION by_iteration(p profile, cost text DEFAULT 'inclusive', metric text DEFAULT NULL)
	RETURNS TABLE (node int4, name text, path text, iteration int8, mean float8, min float8, max float8, n_present int4,
		worst_rank int4, callpath_id int8)
	LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000 ROWS 10000 AS 'MODULE_PATHNAME', 'ph_by_iteration';
COMMENT ON FUNCTION by_iteration(profile, text, text) IS
	'A row per node and iteration, of a profile that has iterations as columns (profile(run, ''time'', iterations => true)): mean, '
	'minimum and maximum over the units that have the iteration, absent = 0, in the metric''s unit; of a ratio the mean is that of '
	'sums, null over 0. n_present: units with the node in this iteration; worst_rank: that of the maximum. cost: inclusive, '
	'exclusive, absorbed or own. By node, then iteration. Errors: PH002 for a profile without iterations and for an unknown metric.';

CREATE OR REPLACE FUNCTION iteration_changes(p profile, cost text DEFAULT 'exclusive', metric text DEFAULT NULL,
		max_rate float8 DEFAULT 0.05)
	RETURNS TABLE (node int4, name text, path text, iteration int8, before float8, after float8, relative float8, whole float8,
		false_discovery_rate float8, n_before int4, n_after int4)
	LANGUAGE sql IMMUTABLE PARALLEL SAFE COST 10000 ROWS 10
	SET search_path = pg_catalog, pg_temp
	AS $$
	WITH series AS MATERIALIZED (
		SELECT b.node, b.name, b.path, array_agg(b.mean ORDER BY b.iteration) AS means,
			array_agg(b.iteration ORDER BY b.iteration) AS iterations
		FROM perfhouse.by_iteration(p, cost, metric) b GROUP BY 1, 2, 3
	), found AS (
		SELECT s.*, c.*, perfhouse.false_discovery_rate(c.series_p_value) OVER () AS rate
		FROM series s LEFT JOIN LATERAL perfhouse.change_point_indexes(s.means) c ON true)
	SELECT f.node, f.name, f.path, f.iterations[f.index + 1], f.mean_before, f.mean_after,
		(f.mean_after - f.mean_before) / nullif(abs(f.mean_before), 0),
		(f.mean_after - f.mean_before) * (cardinality(f.iterations) - f.index), f.rate, f.n_before, f.n_after
	FROM found f WHERE f.index IS NOT NULL AND f.rate <= max_rate
	ORDER BY abs((f.mean_after - f.mean_before) * (cardinality(f.iterations) - f.index)) DESC, f.node, f.index
	$$;
COMMENT ON FUNCTION iteration_changes(profile, text, text, float8) IS
	'Where the cost of a call path changes within a run: change points (as change_point_indexes finds them) of its mean over units '
	'along iterations, a row each, those that matter most first. iteration: the first of the new level; before and after: means of the '
	'levels on both sides, in the metric''s unit; relative: after / before - 1, null from 0; whole: what the change cost until the '
	'run''s end, had nothing else changed; false_discovery_rate over the call paths, at most max_rate; n_before and n_after: '
	'iterations of the levels. A level has four iterations or more. Errors: as by_iteration.';

-- The series of a picture by what they are of: a row per node of each. Outermost nodes only where costs are inclusive.
CREATE OR REPLACE FUNCTION perfhouse_internal.profile_series(p profile, names text[], by text, cost text, metric text, most int4)
	RETURNS TABLE (panel int4, level text, label text, name text, node int4, n_candidates int4)
	LANGUAGE sql IMMUTABLE PARALLEL SAFE COST 10000 ROWS 16
	SET search_path = pg_catalog, pg_temp
	AS $$
	WITH RECURSIVE node AS MATERIALIZED (
		SELECT n.node, n.parent, n.name, n.path, n.exclusive, coalesce(n.module, '<unknown>') AS module FROM perfhouse.nodes(p, metric) n
	), asked AS MATERIALIZED ( -- what each name means; no names: everything
		SELECT w.no, w.name, f.is_whole, coalesce(by, CASE WHEN f.is_whole OR f.n = 1 OR w.name LIKE '%/%' THEN 'path' ELSE 'function' END)
			AS level
		FROM unnest(names) WITH ORDINALITY w (name, no),
			LATERAL (SELECT coalesce(bool_or(n.path = w.name), false) AS is_whole, count(*) AS n FROM node n
				WHERE n.path = w.name OR right(n.path, length(w.name) + 1) = '/' || w.name) f
		UNION ALL SELECT 0, NULL, false, coalesce(by, 'path') WHERE cardinality(names) = 0
	), member AS MATERIALIZED (
		SELECT a.no, a.level, k.key, n.* FROM asked a JOIN node n ON a.name IS NULL OR CASE a.level WHEN 'function' THEN n.name = a.name
				WHEN 'module' THEN n.module = a.name WHEN 'path' THEN n.path = a.name
				OR NOT a.is_whole AND right(n.path, length(a.name) + 1) = '/' || a.name END,
			LATERAL (SELECT CASE a.level WHEN 'path' THEN n.node::text WHEN 'function' THEN n.name WHEN 'module' THEN n.module
				ELSE 'whole program' END AS key) k
	), panel AS MATERIALIZED (
		SELECT m.no, m.key, (row_number() OVER (ORDER BY m.no, sum(m.exclusive) DESC, min(m.node)))::int4 AS place,
			(count(*) OVER ())::int4 AS n FROM member m GROUP BY 1, 2
	), chosen AS MATERIALIZED (
		SELECT p.place, p.n, m.* FROM panel p JOIN member m USING (no, key) WHERE p.place <= most
	), above AS ( -- what calls a node
		SELECT c.place, c.node, c.parent FROM chosen c WHERE cost = 'inclusive' AND c.level <> 'path'
		UNION ALL SELECT a.place, a.node, n.parent FROM above a JOIN node n ON n.node = a.parent
	)
	SELECT c.place, c.level, CASE c.level WHEN 'path' THEN c.path ELSE c.key END, CASE c.level WHEN 'path' THEN c.name ELSE c.key END,
		c.node, c.n
	FROM chosen c WHERE NOT EXISTS (SELECT FROM above a JOIN chosen o ON o.place = a.place AND o.node = a.parent
		WHERE a.place = c.place AND a.node = c.node)
	$$;
COMMENT ON FUNCTION perfhouse_internal.profile_series(profile, text[], text, text, text, int4) IS
	'What iteration_history draws: a row per panel and node of it.';

CREATE OR REPLACE FUNCTION iteration_history(p profile, names text[] DEFAULT '{}', by text DEFAULT NULL, cost text DEFAULT 'inclusive',
		metric text DEFAULT NULL, most int4 DEFAULT 16)
	RETURNS TABLE (panel int4, level text, label text, name text, nodes int4[], iterations int8[], means float8[], mins float8[],
		maxs float8[], worst_ranks int4[], n_candidates int4)
	LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE COST 10000 ROWS 16
	SET search_path = pg_catalog, pg_temp
	AS $$
#variable_conflict use_column
DECLARE
	unknown text;
BEGIN
	IF by NOT IN ('path', 'function', 'module', 'total') THEN
		RAISE EXCEPTION 'a history is of call paths, functions, modules or the total, not of "%"', by
			USING ERRCODE = '22023', HINT = 'Use path, function, module or total.';
	END IF;
	RETURN QUERY
	WITH member AS MATERIALIZED (
		SELECT s.*, count(*) OVER (PARTITION BY s.panel) = 1 AS is_one FROM perfhouse_internal.profile_series($1, $2, $3, $4, $5, $6) s
	), value AS (
		SELECT m.panel, b.iteration, sum(b.mean) AS mean, CASE WHEN m.is_one THEN min(b.min) END AS min,
			CASE WHEN m.is_one THEN max(b.max) END AS max, CASE WHEN m.is_one THEN max(b.worst_rank) END AS worst
		FROM member m JOIN perfhouse.by_iteration($1, $4, $5) b USING (node) GROUP BY 1, 2, m.is_one
	), series AS (
		SELECT v.panel, array_agg(v.iteration ORDER BY v.iteration) AS iterations, array_agg(v.mean ORDER BY v.iteration) AS means,
			array_agg(v.min ORDER BY v.iteration) AS mins, array_agg(v.max ORDER BY v.iteration) AS maxs,
			array_agg(v.worst ORDER BY v.iteration) AS worst FROM value v GROUP BY 1
	), panel AS (
		SELECT m.panel, min(m.level) AS level, min(m.label) AS label, min(m.name) AS name, array_agg(m.node ORDER BY m.node) AS nodes,
			min(m.n_candidates) AS n FROM member m GROUP BY 1
	)
	SELECT a.panel, a.level, a.label, a.name, a.nodes, s.iterations, s.means, s.mins, s.maxs, s.worst, a.n
	FROM panel a JOIN series s USING (panel) ORDER BY a.panel;
	SELECT min(w.name) INTO unknown FROM unnest($2) w (name) WHERE NOT EXISTS (SELECT FROM perfhouse.nodes($1, $5) n
		WHERE CASE $3 WHEN 'function' THEN n.name = w.name WHEN 'module' THEN coalesce(n.module, '<unknown>') = w.name
			ELSE n.path = w.name OR right('/' || n.path, length(w.name) + 1) = '/' || w.name END);
	IF unknown IS NOT NULL THEN
		RAISE EXCEPTION 'the profile has no % "%"', coalesce(replace($3, 'path', 'call path'), 'call path or function'), unknown
			USING ERRCODE = 'PH002',
			HINT = 'Those that cost most are ' || (SELECT string_agg(f.name, ', ' ORDER BY f.exclusive DESC)
				FROM (SELECT * FROM perfhouse.flat($1, 'function', $5) LIMIT 5) f) || '.';
	END IF;
END $$;
COMMENT ON FUNCTION iteration_history(profile, text[], text, text, text, int4) IS
	'What the view history draws of one run: a row per series along the iterations of a profile that has them as columns '
	'(profile(run, ''time'', iterations => true)), with arrays by iteration: means over units, and of a single call path least and '
	'greatest of a unit and the rank of that (null: not one call path), in the metric''s unit. names: call paths, ends of such, '
	'functions or modules, as by says; by null: a whole call path, the one that ends so, else the function; no names: the dearest of '
	'all n_candidates by exclusive cost, at most so many. by total: the whole program. Inclusive costs of functions and modules count '
	'outermost calls; nodes: those summed. Changes: change_point_indexes(means). Errors: as by_iteration; PH002 for an unknown name, '
	'22023 for another by.';

CREATE OR REPLACE FUNCTION columns(p profile)
	RETURNS TABLE (location int4, kind text, run_id int8, rank int4, thread int4, host text, name text, iteration int8)
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100 ROWS 100 AS 'MODULE_PATHNAME', 'ph_columns';
COMMENT ON FUNCTION columns(profile) IS
	'The columns of a profile by location: kind is unit, run, group, pe or chare; name is a label for people, never null.';

CREATE OR REPLACE FUNCTION metrics(p profile)
	RETURNS TABLE (metric text, unit text, kind text, is_signed bool)
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100 ROWS 5 AS 'MODULE_PATHNAME', 'ph_metrics';
COMMENT ON FUNCTION metrics(profile) IS
	'The metrics of a profile, the primary one first: kind is flow (additive over tree and columns), ratio (evaluated '
	'after aggregation) or value (kept per cell, never summed up a path).';

CREATE OR REPLACE FUNCTION imbalance(p profile, metric text DEFAULT NULL)
	RETURNS TABLE (node int4, name text, path text, mean float8, max float8, imbalance_ratio float8,
		imbalance_excess float8, imbalance_range float8, lost float8, worst_rank int4, worst_host text, basis text)
	LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000 ROWS 10000 AS 'MODULE_PATHNAME', 'ph_imbalance';
COMMENT ON FUNCTION imbalance(profile, text) IS
	'A row per node with its exclusive vector over columns (absent = 0; what several ranks did together, as in logs of Darshan, is no '
	'rank''s and left out): mean, max, imbalance_ratio = max / mean, '
	'imbalance_excess = (max - mean) / mean (both null when the mean is 0), imbalance_range = max - min, lost = (max '
	'- mean) x columns: what waiting for the slowest costs, in the metric''s unit. By lost descending, then node. '
	'worst_rank and worst_host are those of the maximum. basis: columns; or file, where the profile has one column for '
	'many ranks and the file''s own maximum and average over them (Caliper''s Max time/rank, Avg time/rank): then mean, '
	'max and lost are those, exclusive or inclusive as the file has them, and the worst rank is unknown; or null, where '
	'one column tells nothing: then all but mean and max are null.';

CREATE OR REPLACE FUNCTION tree_text(p profile, max_depth int4 DEFAULT NULL, min_share float8 DEFAULT 0.001,
	metric text DEFAULT NULL) RETURNS text
	LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000 AS 'MODULE_PATHNAME', 'ph_tree_text';
COMMENT ON FUNCTION tree_text(profile, int4, float8, text) IS
	'The tree as indented text, a line a node: value, share of the total, name, marks. Limited to max_depth levels '
	'(NULL: all) and to nodes with at least min_share of the total. Nodes deeper than 48 levels are indented by their '
	'nearest 48, after the number of the others. Errors: 22023 for a negative depth or share.';

CREATE OR REPLACE FUNCTION provenance(p profile)
	RETURNS TABLE (item text, value text)
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100 ROWS 10 AS 'MODULE_PATHNAME', 'ph_provenance';
COMMENT ON FUNCTION provenance(profile) IS
	'What the numbers of a profile rest on: sources (runs), columns, metrics, operations in their order, share '
	'absorbed by filters, the total (sum of the roots'' inclusive), the residual (below 0 where children cost more than '
	'their parents) and its share of the total, cells whose source disagreed with itself, missing ranks. Of metrics '
	'that do not add up there is no total. Printed under tables and pictures.';
CREATE OR REPLACE FUNCTION caption(p profile) RETURNS text
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100 AS 'MODULE_PATHNAME', 'ph_caption_line';
COMMENT ON FUNCTION caption(profile) IS
	'One line for under a picture, such as: run 3 (lulesh) · 8 ranks · time [s] · filter 0.1 % (absorbed 0.4 %) · '
	'residual -0.03 s (2 %) in 2 cells · 1 rank missing.';
