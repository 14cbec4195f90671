\echo Use "CREATE EXTENSION perfhouse" to load this file. \quit
-- 01-types.sql - the types profile and supergraph: text and binary I/O, equality, casts.
--
-- This file is run once, by CREATE EXTENSION; the other files hold functions only and are also
-- appended to upgrade scripts.

CREATE TYPE profile;
CREATE TYPE supergraph;

CREATE FUNCTION profile_in(cstring) RETURNS profile
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000 AS 'MODULE_PATHNAME', 'ph_profile_in';
COMMENT ON FUNCTION profile_in(cstring) IS
	'Reads the text form of a profile: "profile:1:" and the base64 of its flat form. Errors: PH001 when the text is not a whole and sound profile.';
CREATE FUNCTION profile_out(profile) RETURNS cstring
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000 AS 'MODULE_PATHNAME', 'ph_profile_out';
COMMENT ON FUNCTION profile_out(profile) IS
	'Writes the text form of a profile: "profile:1:" and the base64 of its flat form, on one line.';
CREATE FUNCTION profile_recv(internal) RETURNS profile
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000 AS 'MODULE_PATHNAME', 'ph_profile_recv';
COMMENT ON FUNCTION profile_recv(internal) IS
	'Reads the binary form of a profile: its flat form, versioned and little-endian. Errors: PH001 when the bytes are not a whole and sound profile.';
CREATE FUNCTION profile_send(profile) RETURNS bytea
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000 AS 'MODULE_PATHNAME', 'ph_profile_send';
COMMENT ON FUNCTION profile_send(profile) IS
	'Writes the binary form of a profile: its flat form, versioned and little-endian. The same profile always gives the same bytes.';

CREATE TYPE profile (
	INPUT = profile_in,
	OUTPUT = profile_out,
	RECEIVE = profile_recv,
	SEND = profile_send,
	INTERNALLENGTH = VARIABLE,
	STORAGE = extended
);
COMMENT ON TYPE profile IS
	'A calling-context forest in normal form with one or more metrics, each a vector over columns (ranks, threads, iterations or runs) per node, and the provenance of its numbers. A value: functions that take and return profiles compose.';

CREATE FUNCTION supergraph_in(cstring) RETURNS supergraph
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000 AS 'MODULE_PATHNAME', 'ph_supergraph_in';
COMMENT ON FUNCTION supergraph_in(cstring) IS
	'Reads the text form of a super graph: "supergraph:1:" and the base64 of its flat form. Errors: PH001 when the text is not a whole and sound super graph.';
CREATE FUNCTION supergraph_out(supergraph) RETURNS cstring
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000 AS 'MODULE_PATHNAME', 'ph_supergraph_out';
COMMENT ON FUNCTION supergraph_out(supergraph) IS
	'Writes the text form of a super graph: "supergraph:1:" and the base64 of its flat form, on one line.';
CREATE FUNCTION supergraph_recv(internal) RETURNS supergraph
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000 AS 'MODULE_PATHNAME', 'ph_supergraph_recv';
COMMENT ON FUNCTION supergraph_recv(internal) IS
	'Reads the binary form of a super graph: its flat form, versioned and little-endian. Errors: PH001 when the bytes are not a whole and sound super graph.';
CREATE FUNCTION supergraph_send(supergraph) RETURNS bytea
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000 AS 'MODULE_PATHNAME', 'ph_supergraph_send';
COMMENT ON FUNCTION supergraph_send(supergraph) IS
	'Writes the binary form of a super graph: its flat form, versioned and little-endian.';

CREATE TYPE supergraph (
	INPUT = supergraph_in,
	OUTPUT = supergraph_out,
	RECEIVE = supergraph_recv,
	SEND = supergraph_send,
	INTERNALLENGTH = VARIABLE,
	STORAGE = extended
);
COMMENT ON TYPE supergraph IS
	'A partition of a profile''s segments into supernodes (modules, files, functions), acyclic, carrying the profile it came from, so that it can be split, drilled into, restricted and repopulated.';

CREATE FUNCTION profile_eq(profile, profile) RETURNS boolean
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000 AS 'MODULE_PATHNAME', 'ph_profile_eq';
COMMENT ON FUNCTION profile_eq(profile, profile) IS
	'Whether two profiles have the same flat form, byte by byte: tree, columns, metrics, values and provenance.';
CREATE FUNCTION profile_ne(profile, profile) RETURNS boolean
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000 AS 'MODULE_PATHNAME', 'ph_profile_ne';
COMMENT ON FUNCTION profile_ne(profile, profile) IS
	'Whether two profiles differ in any byte of their flat form.';

CREATE OPERATOR = (
	LEFTARG = profile, RIGHTARG = profile, FUNCTION = profile_eq,
	COMMUTATOR = OPERATOR(perfhouse.=), NEGATOR = OPERATOR(perfhouse.<>),
	RESTRICT = eqsel, JOIN = eqjoinsel
);
COMMENT ON OPERATOR = (profile, profile) IS 'same profile, byte by byte';
CREATE OPERATOR <> (
	LEFTARG = profile, RIGHTARG = profile, FUNCTION = profile_ne,
	COMMUTATOR = OPERATOR(perfhouse.<>), NEGATOR = OPERATOR(perfhouse.=),
	RESTRICT = neqsel, JOIN = neqjoinsel
);
COMMENT ON OPERATOR <> (profile, profile) IS 'not the same profile';

CREATE FUNCTION flat_form(profile) RETURNS bytea
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000 AS 'MODULE_PATHNAME', 'ph_profile_flat_form';
COMMENT ON FUNCTION flat_form(profile) IS
	'The flat form of a profile as bytes: what a table stores and COPY BINARY sends.';
CREATE FUNCTION from_flat_form(bytea) RETURNS profile
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000 AS 'MODULE_PATHNAME', 'ph_profile_from_flat_form';
COMMENT ON FUNCTION from_flat_form(bytea) IS
	'The profile with this flat form. Errors: PH001 when the bytes are not a whole and sound profile.';
CREATE FUNCTION skeleton(profile) RETURNS bytea
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000 AS 'MODULE_PATHNAME', 'ph_profile_skeleton_bytes';
COMMENT ON FUNCTION skeleton(profile) IS
	'The tree of a profile alone (nodes, regions, names; no metrics, columns or provenance) as bytes: what perfhouse.profile_tree.tree holds.';
CREATE FUNCTION profile(sg supergraph) RETURNS profile
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000 AS 'MODULE_PATHNAME', 'ph_supergraph_profile';
COMMENT ON FUNCTION profile(supergraph) IS
	'The profile that a super graph carries.';

CREATE CAST (profile AS bytea) WITH FUNCTION flat_form(profile);
COMMENT ON CAST (profile AS bytea) IS 'the flat form of a profile';
CREATE CAST (bytea AS profile) WITH FUNCTION from_flat_form(bytea);
COMMENT ON CAST (bytea AS profile) IS 'the profile with this flat form; checked';
CREATE CAST (supergraph AS profile) WITH FUNCTION profile(supergraph);
COMMENT ON CAST (supergraph AS profile) IS 'the profile that a super graph carries';
-- 02-make.sql - functions that make profiles: from a stored run and from Hatchet's literal form.
--
-- The functions that read the warehouse run SPI with their caller's rights and a pinned search_path.

CREATE FUNCTION profile(run bigint) RETURNS profile
	LANGUAGE C STABLE STRICT PARALLEL SAFE COST 100000
	SET search_path = pg_catalog, pg_temp
	AS 'MODULE_PATHNAME', 'ph_profile_of_run';
COMMENT ON FUNCTION profile(bigint) IS
	'The profile of a stored run with its primary time metric and, when the run has it, the number of calls (visits); a column per execution unit (rank, thread) by location; iterations are summed per unit. In a prepared statement write profile($1::bigint): a parameter without a type fits several functions. Errors: PH002 when no ready run has this id (a run that is still loading or has failed does not exist here); 42P01 when the warehouse tables are missing.';

CREATE FUNCTION profile(run bigint, metric text, ranks int4[] DEFAULT NULL, iterations boolean DEFAULT false) RETURNS profile
	LANGUAGE C STABLE PARALLEL SAFE COST 100000
	SET search_path = pg_catalog, pg_temp
	AS 'MODULE_PATHNAME', 'ph_profile_of_run_metric';
COMMENT ON FUNCTION profile(bigint, text, int4[], boolean) IS
	'The profile of a stored run with one metric (NULL: the primary one). metric: a name, exact or else in any letter case or else a unique beginning. ranks: only the units of these ranks (NULL: all); ranks the run has not are counted as missing in the provenance. iterations: keep a column per unit and iteration instead of summing them per unit. Errors: PH002 when the run, the metric or every asked rank does not exist.';

CREATE FUNCTION profile(run bigint, metrics text[], ranks int4[] DEFAULT NULL, iterations boolean DEFAULT false) RETURNS profile
	LANGUAGE C STABLE PARALLEL SAFE COST 100000
	SET search_path = pg_catalog, pg_temp
	AS 'MODULE_PATHNAME', 'ph_profile_of_run_metrics';
COMMENT ON FUNCTION profile(bigint, text[], int4[], boolean) IS
	'The profile of a stored run with several metrics on one tree, the first being primary (NULL: all the metrics that the run has). A ratio metric brings its numerator and denominator along. ranks, iterations and errors as for one metric.';

CREATE FUNCTION hatchet_literal(json jsonb) RETURNS profile
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10000
	AS 'MODULE_PATHNAME', 'ph_hatchet_literal';
COMMENT ON FUNCTION hatchet_literal(jsonb) IS
	'The profile of Hatchet''s literal form: an array of trees (or one tree) of {"frame": {"name": …, "type": …}, "metrics": {"time": …, "time (inc)": …}, "children": […]}. A metric value is a number, or an object or array of numbers by rank. "M (inc)" is the inclusive of metric M; "M" its exclusive; what is missing is derived. Equal siblings are merged. Errors: 22023 naming the place in the document when a frame has no name or a value is not a number.';
-- 03-combine.sql - profiles from several profiles: arithmetic, diff, aggregates.

CREATE FUNCTION profile_subtract(a profile, b profile) RETURNS profile
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10000 AS 'MODULE_PATHNAME', 'ph_profile_subtract';
COMMENT ON FUNCTION profile_subtract(profile, profile) IS
	'a - b on the union of the trees, nodes matched by path of identities, metrics by name, columns by coordinates when both have the same ones and else on means over columns. A node that one side lacks counts 0 there and is marked. The result is signed.';
CREATE FUNCTION profile_add(a profile, b profile) RETURNS profile
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10000 AS 'MODULE_PATHNAME', 'ph_profile_add';
COMMENT ON FUNCTION profile_add(profile, profile) IS
	'a + b on the union of the trees, matched as for subtraction; null + x = x, null + null = null.';
CREATE FUNCTION profile_multiply(a profile, b profile) RETURNS profile
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10000 AS 'MODULE_PATHNAME', 'ph_profile_multiply';
COMMENT ON FUNCTION profile_multiply(profile, profile) IS
	'a * b cell by cell on the union of the trees. The metrics of the result are not flow: they are never summed up a path.';
CREATE FUNCTION profile_divide(a profile, b profile) RETURNS profile
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10000 AS 'MODULE_PATHNAME', 'ph_profile_divide';
COMMENT ON FUNCTION profile_divide(profile, profile) IS
	'a / b cell by cell on the union of the trees; absent where b is 0. The metrics of the result are not flow: they are never summed up a path.';
CREATE FUNCTION profile_scale(a profile, factor float8) RETURNS profile
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10000 AS 'MODULE_PATHNAME', 'ph_profile_scale_by';
COMMENT ON FUNCTION profile_scale(profile, float8) IS
	'Every value times factor; flow stays flow. Errors: 22023 when factor is not finite.';
CREATE FUNCTION profile_divide(a profile, divisor float8) RETURNS profile
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10000 AS 'MODULE_PATHNAME', 'ph_profile_divide_by';
COMMENT ON FUNCTION profile_divide(profile, float8) IS
	'Every value divided by divisor; flow stays flow. Errors: 22012 when divisor is 0, 22023 when it is not finite.';

CREATE FUNCTION diff(a profile, b profile) RETURNS profile
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10000 AS 'MODULE_PATHNAME', 'ph_profile_diff_of';
COMMENT ON FUNCTION diff(profile, profile) IS
	'b - a on means over all columns of each, so that different rank counts can be compared; a is before, b is after. Every node is marked both, only before or only after; nodes_diff shows both sides. diff(a, a) is 0 everywhere, diff(a, b) = -diff(b, a). Method: union of the trees by path of identities, absent counts 0 and is marked.';

CREATE FUNCTION profile_collect(internal, profile) RETURNS internal
	LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000 AS 'MODULE_PATHNAME', 'ph_profile_collect';
COMMENT ON FUNCTION profile_collect(internal, profile) IS
	'Transition function of the aggregates mean and sum: keeps the profile.';
CREATE FUNCTION profile_collect_labelled(internal, profile, text) RETURNS internal
	LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000 AS 'MODULE_PATHNAME', 'ph_profile_collect_labelled';
COMMENT ON FUNCTION profile_collect_labelled(internal, profile, text) IS
	'Transition function of the aggregate ensemble: keeps the profile and its label.';
CREATE FUNCTION profile_collect_combine(internal, internal) RETURNS internal
	LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000 AS 'MODULE_PATHNAME', 'ph_profile_collect_combine';
COMMENT ON FUNCTION profile_collect_combine(internal, internal) IS
	'Combines the states of two partial aggregations of mean or sum.';
CREATE FUNCTION profile_collect_serialize(internal) RETURNS bytea
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000 AS 'MODULE_PATHNAME', 'ph_profile_collect_serialize';
COMMENT ON FUNCTION profile_collect_serialize(internal) IS
	'State of a partial aggregation as bytes: the flat forms one after the other.';
CREATE FUNCTION profile_collect_deserialize(bytea, internal) RETURNS internal
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000 AS 'MODULE_PATHNAME', 'ph_profile_collect_deserialize';
COMMENT ON FUNCTION profile_collect_deserialize(bytea, internal) IS
	'State of a partial aggregation from bytes.';
CREATE FUNCTION profile_ensemble_final(internal) RETURNS profile
	LANGUAGE C IMMUTABLE PARALLEL SAFE COST 10000 AS 'MODULE_PATHNAME', 'ph_profile_ensemble_final';
COMMENT ON FUNCTION profile_ensemble_final(internal) IS
	'Final function of the aggregate ensemble.';
CREATE FUNCTION profile_mean_final(internal) RETURNS profile
	LANGUAGE C IMMUTABLE PARALLEL SAFE COST 10000 AS 'MODULE_PATHNAME', 'ph_profile_mean_final';
COMMENT ON FUNCTION profile_mean_final(internal) IS
	'Final function of the aggregate mean.';
CREATE FUNCTION profile_sum_final(internal) RETURNS profile
	LANGUAGE C IMMUTABLE PARALLEL SAFE COST 10000 AS 'MODULE_PATHNAME', 'ph_profile_sum_final';
COMMENT ON FUNCTION profile_sum_final(internal) IS
	'Final function of the aggregate sum.';

CREATE AGGREGATE ensemble(p profile, label text) (
	SFUNC = profile_collect_labelled, STYPE = internal, SSPACE = 1048576,
	FINALFUNC = profile_ensemble_final, FINALFUNC_MODIFY = READ_ONLY, PARALLEL = SAFE
);
COMMENT ON AGGREGATE ensemble(profile, text) IS
	'The union of the profiles with one column per input row: that row''s mean over its columns (absent = 0), named by label (NULL: the profile''s own source). Columns come in input order: write ensemble(p, label ORDER BY …) to fix it. Null profiles are left out; without any the result is null. A node that a profile lacks is absent in its column.';
CREATE AGGREGATE mean(p profile) (
	SFUNC = profile_collect, STYPE = internal, SSPACE = 1048576,
	FINALFUNC = profile_mean_final, FINALFUNC_MODIFY = READ_ONLY,
	COMBINEFUNC = profile_collect_combine, SERIALFUNC = profile_collect_serialize,
	DESERIALFUNC = profile_collect_deserialize, PARALLEL = SAFE
);
COMMENT ON AGGREGATE mean(profile) IS
	'The mean of the profiles on the union of their trees, absent = 0, by column when all have the same columns and else over all. The order of the input does not matter, to the last bit. Null profiles are left out; without any the result is null.';
CREATE AGGREGATE sum(p profile) (
	SFUNC = profile_collect, STYPE = internal, SSPACE = 1048576,
	FINALFUNC = profile_sum_final, FINALFUNC_MODIFY = READ_ONLY,
	COMBINEFUNC = profile_collect_combine, SERIALFUNC = profile_collect_serialize,
	DESERIALFUNC = profile_collect_deserialize, PARALLEL = SAFE
);
COMMENT ON AGGREGATE sum(profile) IS
	'The sum of the profiles on the union of their trees, by column when all have the same columns and else over all. The order of the input does not matter, to the last bit. Null profiles are left out; without any the result is null.';
-- 04-operators.sql - arithmetic operators on profiles. Run once, by CREATE EXTENSION.

CREATE OPERATOR - (LEFTARG = profile, RIGHTARG = profile, FUNCTION = profile_subtract);
COMMENT ON OPERATOR - (profile, profile) IS 'difference of two profiles on the union of their trees';
CREATE OPERATOR + (LEFTARG = profile, RIGHTARG = profile, FUNCTION = profile_add);
COMMENT ON OPERATOR + (profile, profile) IS 'sum of two profiles on the union of their trees';
CREATE OPERATOR * (LEFTARG = profile, RIGHTARG = profile, FUNCTION = profile_multiply);
COMMENT ON OPERATOR * (profile, profile) IS 'product of two profiles, cell by cell';
CREATE OPERATOR / (LEFTARG = profile, RIGHTARG = profile, FUNCTION = profile_divide);
COMMENT ON OPERATOR / (profile, profile) IS 'quotient of two profiles, cell by cell';
CREATE OPERATOR * (LEFTARG = profile, RIGHTARG = float8, FUNCTION = profile_scale);
COMMENT ON OPERATOR * (profile, float8) IS 'every value times a number';
CREATE OPERATOR / (LEFTARG = profile, RIGHTARG = float8, FUNCTION = profile_divide);
COMMENT ON OPERATOR / (profile, float8) IS 'every value divided by a number';
-- 05-reduce.sql - a smaller or coarser profile from one profile.

CREATE FUNCTION filter(p profile, share float8 DEFAULT 0.001, stat text DEFAULT 'mean', cost text DEFAULT 'inclusive', metric text DEFAULT NULL) RETURNS profile
	LANGUAGE C IMMUTABLE PARALLEL SAFE COST 10000 AS 'MODULE_PATHNAME', 'ph_profile_filter_by';
COMMENT ON FUNCTION filter(profile, float8, text, text, text) IS
	'Keeps the functions whose recursion-safe total reaches share (0 to 1) of the whole; roots always stay. A removed node''s children go to its nearest kept ancestor, its exclusive cost into that one''s absorbed, so totals and the inclusives of kept nodes do not change. stat: mean or max over columns. cost: inclusive (outermost instances) or exclusive. The result remembers what it came from, for repopulate. Errors: 22023 for an impossible share, stat or cost; PH002 for an unknown metric. Method: CallFlow''s filter by function, with splicing.';

CREATE FUNCTION subset(p profile, columns int4[]) RETURNS profile
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10000 AS 'MODULE_PATHNAME', 'ph_profile_subset_columns';
COMMENT ON FUNCTION subset(profile, int4[]) IS
	'Keeps the columns with these locations (see columns); nodes absent from all of them stay and are marked absent. Errors: PH002 when a location does not exist; 22023 when none is left.';
CREATE FUNCTION subset_ranks(p profile, ranks int4[]) RETURNS profile
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10000 AS 'MODULE_PATHNAME', 'ph_profile_subset_ranks';
COMMENT ON FUNCTION subset_ranks(profile, int4[]) IS
	'Keeps the columns of these ranks. Errors: PH002 when a rank has no column; 22023 when none is left.';

CREATE FUNCTION subtree(p profile, node int4, reroot boolean DEFAULT true) RETURNS profile
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10000 AS 'MODULE_PATHNAME', 'ph_profile_subtree_node';
COMMENT ON FUNCTION subtree(profile, int4, boolean) IS
	'The part of the tree below a node (a number from nodes). reroot: the node becomes a root, so that subtrees of one or more runs can be compared; else its ancestors stay, without cost of their own. Errors: PH002 when there is no such node.';
CREATE FUNCTION subtree(p profile, path text, reroot boolean DEFAULT true) RETURNS profile
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10000 AS 'MODULE_PATHNAME', 'ph_profile_subtree_path';
COMMENT ON FUNCTION subtree(profile, text, boolean) IS
	'The part of the tree below the node with this path: names from a root joined by "/", or one name that only one node has. Errors: PH002 when no node has it; 22023 when several have.';

CREATE FUNCTION squash(p profile, query text) RETURNS profile
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10000 AS 'MODULE_PATHNAME', 'ph_profile_squash_by';
COMMENT ON FUNCTION squash(profile, text) IS
	'Keeps only the nodes on paths that the call-path query matches; a kept node hangs below its nearest kept ancestor or becomes a root; the costs of the others are lost, as in Hatchet''s squash. Errors: 22023 with the position when the query cannot be read; PH002 when nothing matches.';
CREATE FUNCTION call_path_query(p profile, pattern text) RETURNS profile
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10000 AS 'MODULE_PATHNAME', 'ph_profile_call_path_query';
COMMENT ON FUNCTION call_path_query(profile, text) IS
	'Keeps the nodes on paths that the call-path query matches, and the roots, and splices the rest: costs of removed nodes go to the absorbed of their nearest kept ancestor, so that totals do not change. A query is a sequence of steps: "." one node, "*" any number, "+" one or more, n or {m,n}; with a predicate on name, kind, module, library, file, line, depth, inclusive, exclusive or share; AND, OR, XOR, NOT; any(…) and all(…) over ranks. Errors: 22023 with the position when the query cannot be read.';

CREATE FUNCTION invert(p profile) RETURNS profile
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10000 AS 'MODULE_PATHNAME', 'ph_profile_invert_of';
COMMENT ON FUNCTION invert(profile) IS
	'The bottom-up view: roots are the functions with their exclusive cost, children their callers.';

CREATE FUNCTION roll_up(p profile, by text) RETURNS profile
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10000 AS 'MODULE_PATHNAME', 'ph_profile_roll_up_level';
COMMENT ON FUNCTION roll_up(profile, text) IS
	'Merges columns by a level: rank (or process), thread, host, iteration, run or all. Flow metrics add up. Errors: 22023 for another level.';

CREATE FUNCTION select_metrics(p profile, metrics text[]) RETURNS profile
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10000 AS 'MODULE_PATHNAME', 'ph_profile_select_metrics_of';
COMMENT ON FUNCTION select_metrics(profile, text[]) IS
	'Keeps these metrics, in this order; the first becomes primary. Errors: PH002 for an unknown metric; 22023 when none is named.';
-- 06-rows.sql - rows from one profile. Values are means over columns, absent = 0, in the metric's unit.

CREATE FUNCTION nodes(p profile, metric text DEFAULT NULL)
	RETURNS TABLE (node int4, parent int4, depth int4, name text, kind text, module text, file text, line int4,
		inclusive float8, exclusive float8, n_present int4, absorbed float8, residual float8, library text,
		callpath_id int8, path text, paradigm text)
	LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000 ROWS 10000 AS 'MODULE_PATHNAME', 'ph_nodes';
COMMENT ON FUNCTION nodes(profile, text) IS
	'A row per node of the tree, in pre-order with children sorted by identity; node counts from 0, parent is null for roots, depth is 0 there. kind: function, region, loop, statement or root. module: the label of the run''s module map, else the base name of the library; null when unknown (flat and super graphs tell libraries with one base name apart). exclusive: own cost; absorbed: cost of descendants that a filter removed; residual: where the source''s own numbers disagree; inclusive = exclusive + absorbed + residual + the children''s. n_present: columns that have the node. path: names from the root joined by "/"; beyond 4096 bytes its beginning is cut and marked "…". paradigm: mpi, openmp, user, … as measured, else derived from the name; null for loops and statements, which are their function''s. metric: NULL is the primary one. Errors: PH002 for an unknown metric.';

CREATE FUNCTION nodes_diff(p profile, metric text DEFAULT NULL)
	RETURNS TABLE (node int4, parent int4, depth int4, name text, kind text, module text,
		before_inclusive float8, after_inclusive float8, delta_inclusive float8,
		before_exclusive float8, after_exclusive float8, delta_exclusive float8,
		relative float8, status text, callpath_id int8, path text)
	LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000 ROWS 10000 AS 'MODULE_PATHNAME', 'ph_nodes_diff';
COMMENT ON FUNCTION nodes_diff(profile, text) IS
	'A row per node of a diff(before, after), in pre-order: both sides'' means over all their columns, after - before, the relative change of the inclusive (delta / before; null when before is 0) and the status: both, only before, only after. A side without the node counts 0. Exclusives include absorbed and residual costs, so that they add up to the inclusives. Errors: 22023 when the profile is not a diff.';

CREATE FUNCTION flat(p profile, by text DEFAULT 'function', metric text DEFAULT NULL)
	RETURNS TABLE (name text, n_nodes int4, inclusive float8, exclusive float8, absorbed float8, share float8,
		region text, calls float8)
	LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000 ROWS 1000 AS 'MODULE_PATHNAME', 'ph_flat';
COMMENT ON FUNCTION flat(profile, text, text) IS
	'The flat profile: a row per group (by: function or name, module, library, file, paradigm, kind or node), by exclusive descending, then name. region is the name again; calls is the mean number of calls (the metric visits), null where the profile does not count them. inclusive counts outermost instances only, so recursion is not counted twice; share is exclusive / total. Errors: 22023 for another grouping.';

CREATE FUNCTION flame(p profile, metric text DEFAULT NULL)
	RETURNS TABLE (level int4, label text, value float8, self float8, node int4)
	LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000 ROWS 10000 AS 'MODULE_PATHNAME', 'ph_flame';
COMMENT ON FUNCTION flame(profile, text) IS
	'A flame graph as Grafana''s panel takes it: depth-first, exactly one row of level 0 (synthetic, node null, when the forest has several roots), value = inclusive, self = exclusive + absorbed + residual. Children are clamped to their parent; a notice says how often. Errors: 22023 for a signed profile: use flame_diff.';

CREATE FUNCTION flame_diff(a profile, b profile, metric text DEFAULT NULL)
	RETURNS TABLE (level int4, label text, value float8, self float8, value_right float8, self_right float8, node int4)
	LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000 ROWS 10000 AS 'MODULE_PATHNAME', 'ph_flame_diff';
COMMENT ON FUNCTION flame_diff(profile, profile, text) IS
	'A differential flame graph on the union of the trees, depth-first, one root: value and self are a''s (baseline), value_right and self_right b''s (comparison). node is the number in the union. For Grafana rename them "valueRight" and "selfRight".';

CREATE FUNCTION hot_path(p profile, share float8 DEFAULT 0.5, start int4 DEFAULT NULL, metric text DEFAULT NULL)
	RETURNS TABLE (step int4, node int4, name text, inclusive float8, exclusive float8, share float8)
	LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000 ROWS 20 AS 'MODULE_PATHNAME', 'ph_hot_path';
COMMENT ON FUNCTION hot_path(profile, float8, int4, text) IS
	'From start (NULL: the heaviest root), while the heaviest child has at least share of its parent''s inclusive, that child; the last row is the hot spot. step counts from 0; the column share is inclusive / total. Ties go by order of identity. Errors: PH002 when there is no such node.';

CREATE FUNCTION column_values(p profile, node int4 DEFAULT NULL, metric text DEFAULT NULL)
	RETURNS TABLE (location int4, rank int4, thread int4, host text, name text, iteration int8, present bool,
		inclusive float8, exclusive float8, absorbed float8, node int4)
	LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000 ROWS 1000 AS 'MODULE_PATHNAME', 'ph_column_values';
COMMENT ON FUNCTION column_values(profile, int4, text) IS
	'The vector over columns of one node (NULL: of every node), by node, then location. Where the column has no such node, present is false and the values are null. Errors: PH002 when there is no such node.';

CREATE FUNCTION columns(p profile)
	RETURNS TABLE (location int4, kind text, run_id int8, rank int4, thread int4, host text, name text, iteration int8)
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100 ROWS 100 AS 'MODULE_PATHNAME', 'ph_columns';
COMMENT ON FUNCTION columns(profile) IS
	'The columns of a profile by location: kind is unit, run, group, pe or chare; name is a label for people, never null.';

CREATE FUNCTION metrics(p profile)
	RETURNS TABLE (metric text, unit text, kind text, is_signed bool)
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100 ROWS 5 AS 'MODULE_PATHNAME', 'ph_metrics';
COMMENT ON FUNCTION metrics(profile) IS
	'The metrics of a profile, the primary one first: kind is flow (additive over tree and columns), ratio (evaluated after aggregation) or value (kept per cell, never summed up a path).';

CREATE FUNCTION imbalance(p profile, metric text DEFAULT NULL)
	RETURNS TABLE (node int4, name text, path text, mean float8, max float8, imbalance_ratio float8,
		imbalance_excess float8, imbalance_range float8, lost float8, worst_rank int4, worst_host text)
	LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000 ROWS 10000 AS 'MODULE_PATHNAME', 'ph_imbalance';
COMMENT ON FUNCTION imbalance(profile, text) IS
	'A row per node with its exclusive vector over columns (absent = 0): mean, max, imbalance_ratio = max / mean, imbalance_excess = (max - mean) / mean (both null when the mean is 0), imbalance_range = max - min, lost = (max - mean) x columns: what waiting for the slowest costs, in the metric''s unit. By lost descending, then node. worst_rank and worst_host are those of the maximum.';

CREATE FUNCTION tree_text(p profile, max_depth int4 DEFAULT NULL, min_share float8 DEFAULT 0.001, metric text DEFAULT NULL) RETURNS text
	LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000 AS 'MODULE_PATHNAME', 'ph_tree_text';
COMMENT ON FUNCTION tree_text(profile, int4, float8, text) IS
	'The tree as indented text, a line a node: value, share of the total, name, marks. Limited to max_depth levels (NULL: all) and to nodes with at least min_share of the total. Errors: 22023 for a negative depth or share.';

CREATE FUNCTION provenance(p profile)
	RETURNS TABLE (item text, value text)
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100 ROWS 10 AS 'MODULE_PATHNAME', 'ph_provenance';
COMMENT ON FUNCTION provenance(profile) IS
	'What the numbers of a profile rest on: sources (runs), columns, metrics, operations in their order, share absorbed by filters, cells whose source disagreed with itself, missing ranks. Printed under tables and pictures.';
CREATE FUNCTION caption(p profile) RETURNS text
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100 AS 'MODULE_PATHNAME', 'ph_caption_line';
COMMENT ON FUNCTION caption(profile) IS
	'One line for under a picture, such as: run 3 (lulesh) · 8 ranks · time [s] · filter 0.1 % (absorbed 0.4 %) · 2 residual cells · 1 rank missing.';
-- 07-supergraph.sql - super graphs: make, split, drill down, restrict, repopulate; rows and layout.
--
-- A supernode is named by unique text: "libmpi", "libmpi#1" (a callback's), "libmpi-MPI_Send" (a part).

CREATE FUNCTION supergraph(p profile, group_by text DEFAULT 'module', module_map text DEFAULT NULL) RETURNS supergraph
	LANGUAGE C IMMUTABLE PARALLEL SAFE COST 10000 AS 'MODULE_PATHNAME', 'ph_supergraph_of';
COMMENT ON FUNCTION supergraph(profile, text, text) IS
	'Groups the calling contexts into an acyclic super graph. group_by: paradigm (mpi, openmp, user, …), module, library, file, function, kind or node. module_map: lines "regex=module" on function, file or library, first match wins; null uses the run''s own. A node without a label takes its caller''s; a root''s is <unknown>. Callbacks that would close a cycle get a duplicate supernode (lib#1), so no time is counted twice. The partition is decided on means of the primary metric. Errors: 22023 for another grouping, a bad line of the map, or a profile without flow. Method: segments (maximal connected pieces of one label) placed in order of callback depth, weight and tree order, after CallFlow.';

CREATE FUNCTION split_by_entry(sg supergraph, node text, functions text[] DEFAULT NULL) RETURNS supergraph
	LANGUAGE C IMMUTABLE PARALLEL SAFE COST 10000 AS 'MODULE_PATHNAME', 'ph_split_by_entry';
COMMENT ON FUNCTION split_by_entry(supergraph, text, text[]) IS
	'Splits a supernode by entry function: the segments entered through f become node-f. functions: names, patterns "/regex/" or the groups mpi-collective and mpi-p2p; NULL: every entry function. Other supernodes keep every number and name. Errors: PH002 for an unknown node or a function that is no entry of it.';
CREATE FUNCTION split_by_caller(sg supergraph, node text, granularity text DEFAULT 'supernode') RETURNS supergraph
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10000 AS 'MODULE_PATHNAME', 'ph_split_by_caller';
COMMENT ON FUNCTION split_by_caller(supergraph, text, text) IS
	'Splits a supernode by who calls it: node-caller; root segments form node-<root>. granularity: supernode or function. Errors: PH002 for an unknown node, 22023 for another granularity.';
CREATE FUNCTION split_by_callee(sg supergraph, node text) RETURNS supergraph
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10000 AS 'MODULE_PATHNAME', 'ph_split_by_callee';
COMMENT ON FUNCTION split_by_callee(supergraph, text) IS
	'Splits a supernode by what it calls. A segment with several callee labels goes to its heaviest, and the part is marked ambiguous. Errors: PH002 for an unknown node.';
CREATE FUNCTION drill_down(sg supergraph, node text, level text) RETURNS supergraph
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10000 AS 'MODULE_PATHNAME', 'ph_drill_down';
COMMENT ON FUNCTION drill_down(supergraph, text, text) IS
	'Replaces one supernode by finer ones: level is paradigm, module, library, file, function or node, best a finer one; they are named node/file. Errors: PH002 for an unknown node, 22023 for another level.';
CREATE FUNCTION refine(sg supergraph, steps jsonb) RETURNS supergraph
	LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
	WITH RECURSIVE step (n, graph) AS (
		SELECT 0::bigint, sg
		UNION ALL
		SELECT s.n + 1, CASE o.step->>'op'
			WHEN 'split-entry' THEN perfhouse.split_by_entry(s.graph, o.step->>'node',
				CASE WHEN jsonb_array_length(o.step->'functions') > 0
					THEN ARRAY(SELECT jsonb_array_elements_text(o.step->'functions')) END)
			WHEN 'split-caller' THEN perfhouse.split_by_caller(s.graph, o.step->>'node')
			WHEN 'drill' THEN perfhouse.drill_down(s.graph, o.step->>'node', o.step->>'level') END
		FROM step s JOIN jsonb_array_elements(steps) WITH ORDINALITY AS o(step, n) ON o.n = s.n + 1
	)
	SELECT graph FROM step ORDER BY n DESC LIMIT 1
$$;
COMMENT ON FUNCTION refine(supergraph, jsonb) IS
	'Splits and drills one after the other, as a list of {"op": "split-entry", "node": ..., "functions": [...]} (no or an empty list: all), {"op": "split-caller", "node": ...} and {"op": "drill", "node": ..., "level": ...}. NULL for another op. Errors: those of split_by_entry, split_by_caller and drill_down.';

CREATE FUNCTION restrict_columns(sg supergraph, columns int4[]) RETURNS supergraph
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10000 AS 'MODULE_PATHNAME', 'ph_restrict_columns';
COMMENT ON FUNCTION restrict_columns(supergraph, int4[]) IS
	'The same partition with the costs of these columns (locations) only, so that bars match; quantities of a set and of its complement add up. Errors: PH002 when a location does not exist.';
CREATE FUNCTION restrict_ranks(sg supergraph, ranks int4[]) RETURNS supergraph
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10000 AS 'MODULE_PATHNAME', 'ph_restrict_ranks';
COMMENT ON FUNCTION restrict_ranks(supergraph, int4[]) IS
	'The same partition with the costs of these ranks only. Errors: PH002 when a rank has no column.';
CREATE FUNCTION repopulate(sg supergraph, node text DEFAULT NULL, share float8 DEFAULT 0) RETURNS supergraph
	LANGUAGE C IMMUTABLE PARALLEL SAFE COST 10000 AS 'MODULE_PATHNAME', 'ph_repopulate';
COMMENT ON FUNCTION repopulate(supergraph, text, float8) IS
	'Brings back what a filter removed inside one supernode (NULL: everywhere), down to share of the whole. Without a filter nothing changes. Errors: PH002 for an unknown node.';

CREATE FUNCTION supernodes(sg supergraph, metric text DEFAULT NULL)
	RETURNS TABLE (node text, label text, duplicate int4, level int4, inclusive float8, exclusive float8, absorbed float8,
		n_members int4, n_entries int4, source float8, residual float8, inclusive_min float8, inclusive_max float8,
		imbalance_ratio float8, imbalance_excess float8, exclusive_max float8, ambiguous bool)
	LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000 ROWS 50 AS 'MODULE_PATHNAME', 'ph_supernodes';
COMMENT ON FUNCTION supernodes(supergraph, text) IS
	'A row per supernode by (level, node); level is the longest path from a source. inclusive = source + incoming edges = exclusive + absorbed + residual + outgoing edges; source: inclusive of root segments. n_members: tree nodes; n_entries: distinct entry functions. inclusive_min, inclusive_max, exclusive_max: over columns, absent = 0. imbalance_ratio = max / mean and imbalance_excess = (max - mean) / mean of the inclusive, null when the mean is 0. Inclusives of duplicates (lib, lib#1) are nested and must not be added. Errors: PH002 for an unknown metric.';

CREATE FUNCTION superedges(sg supergraph, metric text DEFAULT NULL)
	RETURNS TABLE (source text, target text, inclusive float8)
	LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000 ROWS 100 AS 'MODULE_PATHNAME', 'ph_superedges';
COMMENT ON FUNCTION superedges(supergraph, text) IS
	'A row per edge by (source, target) in byte order: the inclusive cost that source''s calls bring into target.';

CREATE FUNCTION entry_functions(sg supergraph, node text DEFAULT NULL, metric text DEFAULT NULL)
	RETURNS TABLE (node text, function text, instances int4, inclusive float8)
	LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000 ROWS 50 AS 'MODULE_PATHNAME', 'ph_entry_functions';
COMMENT ON FUNCTION entry_functions(supergraph, text, text) IS
	'The functions through which a supernode (NULL: every one, by level and name) is entered, by inclusive descending, then function; instances counts segments. They add up to the supernode''s inclusive. Errors: PH002 for an unknown node.';

CREATE FUNCTION entry_callers(sg supergraph, node text DEFAULT NULL, metric text DEFAULT NULL)
	RETURNS TABLE (node text, function text, caller text, caller_node text, instances int4, inclusive float8)
	LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000 ROWS 50 AS 'MODULE_PATHNAME', 'ph_entry_callers';
COMMENT ON FUNCTION entry_callers(supergraph, text, text) IS
	'Entry functions of a supernode (NULL: every one) by who calls them: a row per (function, caller, supernode of the caller), heaviest first; caller and caller_node are null for roots. Errors: PH002 for an unknown node.';

CREATE FUNCTION members(sg supergraph, node text DEFAULT NULL, metric text DEFAULT NULL)
	RETURNS TABLE (node text, cct_node int4, name text, kind text, module text, file text, line int4,
		inclusive float8, exclusive float8, callpath_id int8)
	LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000 ROWS 1000 AS 'MODULE_PATHNAME', 'ph_members';
COMMENT ON FUNCTION members(supergraph, text, text) IS
	'The tree nodes in a supernode (NULL: in every one), by cct_node, which is their number in nodes(profile(sg)). Errors: PH002 for an unknown node.';

CREATE FUNCTION sankey_layout(sg supergraph, width float8 DEFAULT 1200, height float8 DEFAULT 700,
		metric text DEFAULT NULL, previous text DEFAULT NULL, scale_limit float8 DEFAULT NULL)
	RETURNS TABLE (element text, node text, target text, level int4, "position" int4, x float8, y float8,
		width float8, height float8, x1 float8, y1 float8, thickness float8, value float8, own float8,
		absorbed float8, label text)
	LANGUAGE C IMMUTABLE PARALLEL SAFE COST 10000 ROWS 200 AS 'MODULE_PATHNAME', 'ph_sankey_layout_rows';
COMMENT ON FUNCTION sankey_layout(supergraph, float8, float8, text, text, float8) IS
	'Positions of bars and bands in pixels. First one row canvas: width and height really used, value = scale in pixels per unit. Then bars by (level, position from the top): x, y of the upper left corner, width, height, value = inclusive, own = exclusive + absorbed + residual, absorbed. Then dummies (room for edges over more than one level; node and target are those of the edge). Then bands, a row per piece between layers: node and target are the ends of the whole edge, position counts its pieces from 0, (x, y) and (x1, y1) are the top at either end, thickness, value = the edge''s inclusive. A graph with more than 4096 dummies is drawn with at most one a level for each target: the edges to it join on their way, and the rows of what several share have no node; value = what has joined so far. previous: JSON text {"node": order, "node -> target": [orders of its dummies by level]} of an older layout, to keep unchanged bars and bands in place. scale_limit: pixels per unit at most, to share one scale between pictures. Errors: 22023 for impossible sizes or a metric that is not flow; 22P02 for bad JSON. Method: layered layout with weighted crossing reduction and exact vertical placement.';

CREATE FUNCTION node_graph_nodes(sg supergraph, metric text DEFAULT NULL)
	RETURNS TABLE (id text, title text, subtitle text, mainstat float8, secondarystat float8, arc__exclusive float8,
		arc__inclusive float8, arc__absorbed float8, color text, fixedx float8, fixedy float8)
	LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000 ROWS 50 AS 'MODULE_PATHNAME', 'ph_node_graph_nodes';
COMMENT ON FUNCTION node_graph_nodes(supergraph, text) IS
	'Nodes for Grafana''s node graph panel, by (level, node): mainstat is the inclusive, secondarystat the exclusive, in the metric''s unit. arc__exclusive, arc__absorbed (with residual) and arc__inclusive (what its calls cost) are shares of the inclusive and add up to 1. color: white to red by the exclusive''s share of the whole. fixedx, fixedy: positions of the Sankey layout; leave the two columns out for the panel''s own layout. Filter first to at most 200 nodes.';
CREATE FUNCTION node_graph_edges(sg supergraph, metric text DEFAULT NULL)
	RETURNS TABLE (id text, source text, target text, mainstat float8, thickness float8)
	LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000 ROWS 100 AS 'MODULE_PATHNAME', 'ph_node_graph_edges';
COMMENT ON FUNCTION node_graph_edges(supergraph, text) IS
	'Edges for Grafana''s node graph panel, by (source, target): mainstat is the inclusive, thickness 1 to 10 by its share of the heaviest edge. Every end is an id of node_graph_nodes.';

CREATE FUNCTION provenance(sg supergraph)
	RETURNS TABLE (item text, value text)
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100 ROWS 10 AS 'MODULE_PATHNAME', 'ph_supergraph_provenance';
COMMENT ON FUNCTION provenance(supergraph) IS
	'What the numbers of a super graph rest on: the provenance of its profile, the grouping, and how many supernodes, edges and duplicates it has.';
CREATE FUNCTION caption(sg supergraph) RETURNS text
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100 AS 'MODULE_PATHNAME', 'ph_supergraph_caption';
COMMENT ON FUNCTION caption(supergraph) IS
	'One line for under a picture: the caption of the profile and the grouping.';
-- 08-distribution.sql - one supernode's vector over columns: histogram, scatter, box, ensemble gradient.
--
-- cost is inclusive or exclusive (own = exclusive + absorbed + residual and absorbed are also known).
-- Absent columns count 0.

CREATE FUNCTION supernode_values(sg supergraph, node text DEFAULT NULL, metric text DEFAULT NULL)
	RETURNS TABLE (location int4, rank int4, thread int4, host text, name text, inclusive float8, exclusive float8,
		absorbed float8, node text)
	LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000 ROWS 1000 AS 'MODULE_PATHNAME', 'ph_supernode_values';
COMMENT ON FUNCTION supernode_values(supergraph, text, text) IS
	'The vector over columns of a supernode (NULL: of every one), by supernode, then location; 0 where the column has none of it. Errors: PH002 for an unknown node.';

CREATE FUNCTION histogram(sg supergraph, node text, bins int4 DEFAULT 20, cost text DEFAULT 'inclusive', metric text DEFAULT NULL)
	RETURNS TABLE (bin int4, low float8, high float8, count int4, locations int4[], ranks int4[])
	LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000 ROWS 20 AS 'MODULE_PATHNAME', 'ph_histogram_rows';
COMMENT ON FUNCTION histogram(supergraph, text, int4, text, text) IS
	'Equal bins over [min, max] of a supernode''s vector, by bin from 0: right-open, the last one closed; equal values are all in bin 0. locations and ranks list the columns of the bin, ascending. Errors: PH002 for an unknown node; 22023 for fewer than 1 or more than 10000 bins or another cost.';

CREATE FUNCTION scatter_fit(sg supergraph, node text, metric_x text, metric_y text)
	RETURNS TABLE (n int4, slope float8, intercept float8, r float8, r_squared float8)
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000 ROWS 1 AS 'MODULE_PATHNAME', 'ph_scatter_fit';
COMMENT ON FUNCTION scatter_fit(supergraph, text, text, text) IS
	'Least squares of metric_y over metric_x (inclusives of a supernode, a point per column) with Pearson''s r: one row; all but n are null when either variance is 0.';

CREATE FUNCTION box_plot(sg supergraph, node text, cost text DEFAULT 'inclusive', metric text DEFAULT NULL)
	RETURNS TABLE (n int4, min float8, lower_whisker float8, lower_quartile float8, median float8, upper_quartile float8,
		upper_whisker float8, max float8, mean float8, outliers float8[], outlier_ranks int4[])
	LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000 ROWS 1 AS 'MODULE_PATHNAME', 'ph_box_plot';
COMMENT ON FUNCTION box_plot(supergraph, text, text, text) IS
	'Box plot of a supernode''s vector: quartiles by linear interpolation, whiskers at the last values inside 1.5 interquartile ranges, the values outside with their ranks in order of location.';

CREATE FUNCTION ensemble_gradient(sg supergraph, node text, bins int4 DEFAULT 20, cost text DEFAULT 'inclusive', metric text DEFAULT NULL)
	RETURNS TABLE (bin int4, low float8, high float8, count int4, runs text[])
	LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000 ROWS 20 AS 'MODULE_PATHNAME', 'ph_ensemble_gradient';
COMMENT ON FUNCTION ensemble_gradient(supergraph, text, int4, text, text) IS
	'Histogram over the runs of an ensemble''s super graph, only of those that have the supernode, with the runs'' labels per bin: what the colour gradient in a bar shows. Bins as in histogram.';

CREATE FUNCTION mini_histograms(sg supergraph, bins int4 DEFAULT 20, metric text DEFAULT NULL)
	RETURNS TABLE (node text, bin int4, count int4)
	LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000 ROWS 1000 AS 'MODULE_PATHNAME', 'ph_mini_histograms';
COMMENT ON FUNCTION mini_histograms(supergraph, int4, text) IS
	'Histograms of the inclusive vectors of all supernodes at once, by (level, node), then bin; bins as in histogram.';
-- 09-upkeep.sql - version, checks and removal of stored runs.

CREATE FUNCTION perfhouse_version() RETURNS text
	LANGUAGE C IMMUTABLE PARALLEL SAFE AS 'MODULE_PATHNAME', 'ph_version';
COMMENT ON FUNCTION perfhouse_version() IS
	'Version of the library that is loaded, such as 0.1.0.';

CREATE FUNCTION perfhouse_build() RETURNS text
	LANGUAGE sql IMMUTABLE PARALLEL SAFE
	SET search_path = pg_catalog, pg_temp
	AS $$ SELECT 'b8192fc46c44a6629a055ff3c2d98edb'::text $$;
COMMENT ON FUNCTION perfhouse_build() IS
	'Which build of its version the extension''s functions are of: a checksum of their definitions. Programs of another build refuse to work until perfhouse init has renewed the functions.';

CREATE FUNCTION check_run(run bigint)
	RETURNS TABLE (check_name text, ok bool, detail text)
	LANGUAGE C STABLE STRICT PARALLEL RESTRICTED COST 100000 ROWS 10
	SET search_path = pg_catalog, pg_temp
	AS 'MODULE_PATHNAME', 'ph_check_run';
COMMENT ON FUNCTION check_run(bigint) IS
	'Checks the invariants of a stored run (in any state), a row per check in fixed order: state; locations are dense; metrics and nodes agree with the run row; every call path is in the dictionary; summaries agree with the vectors; inclusive = exclusive + children + residual in every cell of a flow metric, and no more cells have a residual than the run row counts; the tree is sound; every vector belongs to a node of it and has the right length, its nulls agree and its values are finite; for a run with a trace also: its chunks follow each other and are what the trace row counts, every chunk decodes and is of known regions, links are those of the messages that were received; for one with logical time: its chunks are what its row counts, and decode; for one of tasks: its timelines are those of its chares and processors, and its chunks are of them. Of a run that is rolled up the same checks are made of sums and distributions; of a trace whose events were dropped, that they are gone. detail is null when ok. Errors: PH002 when there is no such run.';

CREATE FUNCTION drop_run(run bigint) RETURNS boolean
	LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE COST 100000
	SET search_path = pg_catalog, pg_temp
	AS 'MODULE_PATHNAME', 'ph_drop_run';
COMMENT ON FUNCTION drop_run(bigint) IS
	'Removes a run and everything stored for it, in the caller''s transaction; true when there was one. Waits for a loader that is replacing the run. Dictionary rows stay; they are harmless. NOTIFY perfhouse_run for a run that was ready. Needs UPDATE and DELETE on perfhouse.run.';
REVOKE ALL ON FUNCTION drop_run(bigint) FROM PUBLIC;
-- 10-traces.sql - event traces of stored runs as rows.
--
-- Times are nanoseconds since the run's first event. A window [t_from, t_to) is half-open, null is an
-- open end. location counts the run's execution units and is the location of perfhouse.location. The
-- functions of a run read the warehouse with their caller's rights and a pinned search_path.

CREATE FUNCTION events(run bigint, t_from int8 DEFAULT NULL, t_to int8 DEFAULT NULL, locations int4[] DEFAULT NULL)
	RETURNS TABLE (location int4, rank int4, thread int4, "time" int8, kind text, region text, peer int4, tag int4,
		bytes int8, communicator int4, seq int8, request int8, operation text, root int4, bytes_received int8,
		"values" float8[], depth int4)
	LANGUAGE C STABLE PARALLEL SAFE COST 100000 ROWS 100000
	SET search_path = pg_catalog, pg_temp
	AS 'MODULE_PATHNAME', 'ph_trace_events';
COMMENT ON FUNCTION events(bigint, int8, int8, int4[]) IS
	'A row per event of the window in these locations (NULL: all), by location, then seq, the event''s number within its location. kind: the record''s name as otf2-print writes it (ENTER, LEAVE, MPI_SEND, …, UNKNOWN). region: of ENTER and LEAVE theirs, else the innermost open one. peer and root are ranks of the run. operation: of collectives (barrier, allreduce, …), the first metric''s name of METRIC, on or off of MEASUREMENT. values: of metrics in their units, of other records as they are. depth: calls around the event, or around the call that it enters or leaves. What a kind does not have is null. Errors: PH002 for an unknown run or location, or a run without a trace; 22023 for a window that ends before it begins.';

CREATE FUNCTION chunk_events_support(internal) RETURNS internal
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'ph_chunk_events_support';
REVOKE ALL ON FUNCTION chunk_events_support(internal) FROM PUBLIC;
COMMENT ON FUNCTION chunk_events_support(internal) IS 'Planner support of chunk_events.';

CREATE FUNCTION chunk_events(location_id int4, chunk_no int4, format int2, n_events int4, n_enter int4,
		n_message int4, first_seq int8, t_prev int8, t_first int8, t_last int8, stack bytea, dt bytea, kind bytea,
		region bytea, msg bytea, extra bytea, t_from int8 DEFAULT NULL, t_until int8 DEFAULT NULL)
	RETURNS TABLE ("time" int8, kind text, region_id int4, peer int4, tag int4, bytes int8, communicator int4,
		seq int8, request int8, operation text, root int4, bytes_received int8, operation_id int4, "values" int8[],
		depth int4)
	LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000 ROWS 16384 SUPPORT chunk_events_support
	AS 'MODULE_PATHNAME', 'ph_trace_chunk_events';
COMMENT ON FUNCTION chunk_events(int4, int4, int2, int4, int4, int4, int8, int8, int8, int8, bytea, bytea, bytea, bytea, bytea, bytea, int8, int8) IS
	'The events from t_from to t_until, both inclusive, of one row of perfhouse.trace_chunk, whose columns are the first arguments; for LATERAL, as in the view perfhouse.event. A chunk outside of the window is not even detoasted, and comparisons of the column time with what is known before the query runs are taken for the window by the planner. region_id: local_id of perfhouse.trace_region; operation_id: the number behind operation; values: as stored. The other columns are those of events. Errors: PH001 for bytes that are no chunk.';

CREATE FUNCTION messages(run bigint, t_from int8 DEFAULT NULL, t_to int8 DEFAULT NULL, locations int4[] DEFAULT NULL)
	RETURNS TABLE (sender int4, receiver int4, send_time int8, receive_time int8, tag int4, bytes int8, communicator int4,
		sender_location int4, receiver_location int4, send_seq int8, receive_seq int8, send_region text, receive_region text)
	LANGUAGE C STABLE PARALLEL SAFE COST 100000 ROWS 10000
	SET search_path = pg_catalog, pg_temp
	AS 'MODULE_PATHNAME', 'ph_trace_messages';
COMMENT ON FUNCTION messages(bigint, int8, int8, int4[]) IS
	'A row per point-to-point message that is under way in the window, one of its ends being in these locations (NULL: all), by send_time (nulls last), receive_time (nulls last), sender, receiver. sender and receiver are ranks of the run; send_seq and receive_seq are the events'' numbers in events. The k-th send of (sender, receiver, communicator, tag) meets the k-th receive that was posted. A message with one end only has nulls for the other''s. bytes: as received, else as sent. Errors: as events.';

CREATE FUNCTION chunk_messages_support(internal) RETURNS internal
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'ph_chunk_messages_support';
REVOKE ALL ON FUNCTION chunk_messages_support(internal) FROM PUBLIC;
COMMENT ON FUNCTION chunk_messages_support(internal) IS 'Planner support of chunk_messages.';

CREATE FUNCTION chunk_messages(location_id int4, chunk_no int4, format int2, n_events int4, n_enter int4,
		n_message int4, first_seq int8, t_prev int8, t_first int8, t_last int8, stack bytea, dt bytea, kind bytea,
		region bytea, msg bytea, extra bytea, receiver int4, links bytea, t_send_min int8, t_send_max int8,
		send_from int8 DEFAULT NULL, send_until int8 DEFAULT NULL, receive_from int8 DEFAULT NULL, receive_until int8 DEFAULT NULL)
	RETURNS TABLE (sender int4, receiver int4, send_time int8, receive_time int8, tag int4, bytes int8, communicator int4,
		sender_location int4, receiver_location int4, send_seq int8, receive_seq int8, receive_region_id int4)
	LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000 ROWS 4096 SUPPORT chunk_messages_support
	AS 'MODULE_PATHNAME', 'ph_trace_chunk_messages';
COMMENT ON FUNCTION chunk_messages(int4, int4, int2, int4, int4, int4, int8, int8, int8, int8, bytea, bytea, bytea, bytea, bytea, bytea, int4, bytea, int8, int8, int8, int8, int8, int8) IS
	'The messages that were received in one row of perfhouse.trace_chunk, whose columns are the first arguments, followed by the rank of its location and the columns of perfhouse.message_chunk (null: none); for LATERAL, as in the view perfhouse.message. A chunk without messages in the windows of sending and receiving times (both ends inclusive) is not even detoasted; from others all messages come. Comparisons of send_time and receive_time are taken for the windows by the planner. Errors: PH001 for bytes that are no chunk.';

CREATE FUNCTION collectives(run bigint, t_from int8 DEFAULT NULL, t_to int8 DEFAULT NULL)
	RETURNS TABLE (collective int8, operation text, communicator int4, root int4, n_members int4, n_present int4,
		first_enter int8, last_enter int8, first_leave int8, last_leave int8, bytes_sent int8, bytes_received int8,
		last_rank int4, wait int8, is_mixed bool)
	LANGUAGE C STABLE PARALLEL SAFE COST 1000000 ROWS 1000
	SET search_path = pg_catalog, pg_temp
	AS 'MODULE_PATHNAME', 'ph_trace_collectives';
COMMENT ON FUNCTION collectives(bigint, int8, int8) IS
	'A row per collective operation that overlaps the window, by first_enter, communicator, order within the communicator; collective counts all of the run in that order, from 0. An instance is the k-th collective that each member starts on the communicator; creation and destruction of handles are left out. n_members: of the communicator, null when unknown; n_present: of them recorded. bytes: sums over members. last_rank: who came last; wait: ns that the others waited for it, the sum over members of last_enter - enter. is_mixed: members disagree on operation or root. Errors: PH002 and 22023 as events.';

-- ------------------------------------------------------------------------- aggregates over chunk columns
CREATE FUNCTION comm_tally_add(state bytea, location_id int4, chunk_no int4, format int2, n_events int4, n_enter int4,
		n_message int4, first_seq int8, t_prev int8, t_first int8, t_last int8, stack bytea, dt bytea, kind bytea,
		region bytea, msg bytea, extra bytea, rank int4, key text, t_from int8, t_to int8, bins int4) RETURNS bytea
	LANGUAGE C IMMUTABLE PARALLEL SAFE COST 10000 AS 'MODULE_PATHNAME', 'ph_comm_tally_add';
COMMENT ON FUNCTION comm_tally_add(bytea, int4, int4, int2, int4, int4, int4, int8, int8, int8, int8, bytea, bytea, bytea, bytea, bytea, bytea, int4, text, int8, int8, int4) IS 'Transition function of comm_tally.';
CREATE FUNCTION comm_tally_combine(a bytea, b bytea) RETURNS bytea
	LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000 AS 'MODULE_PATHNAME', 'ph_comm_tally_combine';
COMMENT ON FUNCTION comm_tally_combine(bytea, bytea) IS 'Combine function of comm_tally.';
CREATE AGGREGATE comm_tally(location_id int4, chunk_no int4, format int2, n_events int4, n_enter int4,
		n_message int4, first_seq int8, t_prev int8, t_first int8, t_last int8, stack bytea, dt bytea, kind bytea,
		region bytea, msg bytea, extra bytea, rank int4, key text, t_from int8, t_to int8, bins int4)
	(SFUNC = comm_tally_add, STYPE = bytea, COMBINEFUNC = comm_tally_combine, PARALLEL = SAFE);
COMMENT ON AGGREGATE comm_tally(int4, int4, int2, int4, int4, int4, int8, int8, int8, int8, bytea, bytea, bytea, bytea, bytea, bytea, int4, text, int8, int8, int4) IS
	'Counts and bytes of the messages of event chunks by a key, for comm_tally_rows. The columns of perfhouse.trace_chunk, then the rank of the location, then the key: pair (sends by sender and receiver), size (sends by bytes), time (sends by time bin) or process (sends and receives by rank), then the window [t_from, t_to) (nulls: open) and the number of its bins, which only time uses (null: 1). Chunks of many runs may be tallied together. Parallel. Errors: 22023 for another key or an empty window; PH001 for bytes that are no chunk.';
CREATE FUNCTION comm_tally_rows(tally bytea)
	RETURNS TABLE (key int8, first int4, second int4, messages int8, bytes int8)
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000 ROWS 100 AS 'MODULE_PATHNAME', 'ph_comm_tally_rows';
COMMENT ON FUNCTION comm_tally_rows(bytea) IS
	'What comm_tally counted, by key. pair: first is the sender, second the receiver; size and time: key is the size or bin; process: first is the rank, second 0 for sends and 1 for receives. Errors: PH001 for other bytes.';

CREATE FUNCTION region_profile_add(state bytea, location_id int4, chunk_no int4, format int2, n_events int4, n_enter int4,
		n_message int4, first_seq int8, t_prev int8, t_first int8, t_last int8, stack bytea, dt bytea, kind bytea,
		region bytea, msg bytea, extra bytea, t_from int8, t_to int8) RETURNS bytea
	LANGUAGE C IMMUTABLE PARALLEL SAFE COST 10000 AS 'MODULE_PATHNAME', 'ph_region_profile_add';
COMMENT ON FUNCTION region_profile_add(bytea, int4, int4, int2, int4, int4, int4, int8, int8, int8, int8, bytea, bytea, bytea, bytea, bytea, bytea, int8, int8) IS 'Transition function of region_profile.';
CREATE FUNCTION region_profile_combine(a bytea, b bytea) RETURNS bytea
	LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000 AS 'MODULE_PATHNAME', 'ph_region_profile_combine';
COMMENT ON FUNCTION region_profile_combine(bytea, bytea) IS 'Combine function of region_profile.';
CREATE AGGREGATE region_profile(location_id int4, chunk_no int4, format int2, n_events int4, n_enter int4,
		n_message int4, first_seq int8, t_prev int8, t_first int8, t_last int8, stack bytea, dt bytea, kind bytea,
		region bytea, msg bytea, extra bytea, t_from int8, t_to int8)
	(SFUNC = region_profile_add, STYPE = bytea, COMBINEFUNC = region_profile_combine, PARALLEL = SAFE);
COMMENT ON AGGREGATE region_profile(int4, int4, int2, int4, int4, int4, int8, int8, int8, int8, bytea, bytea, bytea, bytea, bytea, bytea, int8, int8) IS
	'Calls and times of the regions of event chunks, for region_profile_rows: the columns of perfhouse.trace_chunk, then the window [t_from, t_to) (nulls: open); of calls that overlap it the overlap counts. Aggregate chunks of one run. Parallel. Errors: PH001 for bytes that are no chunk.';
CREATE FUNCTION region_profile_rows(profile bytea)
	RETURNS TABLE (region_id int4, calls int8, inclusive int8, exclusive int8)
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000 ROWS 100 AS 'MODULE_PATHNAME', 'ph_region_profile_rows_of';
COMMENT ON FUNCTION region_profile_rows(bytea) IS
	'What region_profile counted, by region_id (local_id of perfhouse.trace_region): calls and times in ns, summed over locations. inclusive counts recursion once. Errors: PH001 for other bytes.';

-- ------------------------------------------------------------------------------------------ communication
CREATE FUNCTION comm_matrix(run bigint, t_from int8 DEFAULT NULL, t_to int8 DEFAULT NULL)
	RETURNS TABLE (sender int4, receiver int4, messages int8, bytes int8)
	LANGUAGE C STABLE PARALLEL SAFE COST 1000000 ROWS 1000
	SET search_path = pg_catalog, pg_temp
	AS 'MODULE_PATHNAME', 'ph_trace_comm_matrix';
COMMENT ON FUNCTION comm_matrix(bigint, int8, int8) IS
	'Messages and bytes that were sent in the window by each pair of ranks that occurs, by sender, receiver. Sends count, whether or not they were received. Errors: PH002 and 22023 as events.';

CREATE FUNCTION message_histogram(run bigint, bins int4 DEFAULT 20, t_from int8 DEFAULT NULL,
		t_to int8 DEFAULT NULL, locations int4[] DEFAULT NULL)
	RETURNS TABLE (bin int4, low int8, high int8, messages int8, bytes int8)
	LANGUAGE C STABLE PARALLEL SAFE COST 1000000 ROWS 20
	SET search_path = pg_catalog, pg_temp
	AS 'MODULE_PATHNAME', 'ph_trace_message_histogram';
COMMENT ON FUNCTION message_histogram(bigint, int4, int8, int8, int4[]) IS
	'Sends of the window from these locations (NULL: all) by size in equal bins between the smallest and the largest, empty ones too; sizes in [low, high), in the last bin [low, high], in bytes. One bin when all are of one size, none without messages. Errors: PH002 and 22023 as events; 22023 unless bins is 1 to 1000000.';

CREATE FUNCTION comm_over_time(run bigint, bins int4 DEFAULT 50, t_from int8 DEFAULT NULL, t_to int8 DEFAULT NULL)
	RETURNS TABLE (bin int4, bin_start int8, bin_end int8, messages int8, bytes int8)
	LANGUAGE C STABLE PARALLEL SAFE COST 1000000 ROWS 50
	SET search_path = pg_catalog, pg_temp
	AS 'MODULE_PATHNAME', 'ph_trace_comm_over_time';
COMMENT ON FUNCTION comm_over_time(bigint, int4, int8, int8) IS
	'Messages and bytes by the time at which they were sent, in equal bins [bin_start, bin_end) of the window, empty ones too. Without a window: from 0 to one ns after the last event. Errors: PH002 as events; 22023 for an empty window or unless bins is 1 to 1000000.';

CREATE FUNCTION comm_by_process(run bigint)
	RETURNS TABLE (rank int4, messages_sent int8, messages_received int8, bytes_sent int8, bytes_received int8)
	LANGUAGE C STABLE PARALLEL SAFE COST 1000000 ROWS 100
	SET search_path = pg_catalog, pg_temp
	AS 'MODULE_PATHNAME', 'ph_trace_comm_by_process';
COMMENT ON FUNCTION comm_by_process(bigint) IS
	'What each rank that communicates sent and received (completed receives), in point-to-point messages, by rank. Errors: PH002 as events.';

-- ---------------------------------------------------------------------------------------------- calls
CREATE FUNCTION calls(run bigint, t_from int8 DEFAULT NULL, t_to int8 DEFAULT NULL, locations int4[] DEFAULT NULL)
	RETURNS TABLE (location int4, rank int4, thread int4, call int8, parent int8, depth int4, region text, enter int8,
		leave int8, inclusive int8, exclusive int8, region_id int8)
	LANGUAGE C STABLE PARALLEL SAFE COST 100000 ROWS 100000
	SET search_path = pg_catalog, pg_temp
	AS 'MODULE_PATHNAME', 'ph_trace_calls';
COMMENT ON FUNCTION calls(bigint, int8, int8, int4[]) IS
	'A row per call that overlaps the window (enter < t_to, leave >= t_from) in these locations (NULL: all), by location, then call, which is the number of its ENTER in events. parent: the call around it, null for outermost ones, whose depth is 0. leave is null when the call was not left; it then ends with the location''s last event. inclusive and exclusive are ns of the whole call, also outside of the window; exclusive is without the calls that it makes. region_id: in perfhouse.region. Errors: as events.';

-- ----------------------------------------------------------------------------------------------- time
CREATE FUNCTION time_profile(run bigint, bins int4 DEFAULT 50, t_from int8 DEFAULT NULL, t_to int8 DEFAULT NULL, locations int4[] DEFAULT NULL)
	RETURNS TABLE (bin int4, bin_start int8, bin_end int8, region text, exclusive int8, share float8)
	LANGUAGE C STABLE PARALLEL SAFE COST 1000000 ROWS 1000
	SET search_path = pg_catalog, pg_temp
	AS 'MODULE_PATHNAME', 'ph_trace_time_profile';
COMMENT ON FUNCTION time_profile(bigint, int4, int8, int8, int4[]) IS
	'Exclusive time in ns of each region in equal bins [bin_start, bin_end) of the window, summed over these locations (NULL: all), cut exactly at the bins'' borders; only regions that have some, by bin, region. Regions of one name are one. share: of the bin''s width times the locations that have calls; what is missing to 1 was outside of all calls. Without a window: from 0 to one ns after the last event. Errors: PH002 as events; 22023 for an empty window or unless bins is 1 to 1000000.';

CREATE FUNCTION idle(run bigint, functions text[] DEFAULT NULL)
	RETURNS TABLE (location int4, rank int4, thread int4, idle int8, share float8)
	LANGUAGE C STABLE PARALLEL SAFE COST 1000000 ROWS 100
	SET search_path = pg_catalog, pg_temp
	AS 'MODULE_PATHNAME', 'ph_trace_idle';
COMMENT ON FUNCTION idle(bigint, text[]) IS
	'For each location that has calls the time in ns during which a call of one of these functions (exact names; NULL: MPI_Recv, MPI_Wait, MPI_Waitall, MPI_Waitany, MPI_Waitsome, Idle) is open, and its share of the run''s duration. Functions that the trace lacks count 0. Errors: PH002 as events.';

CREATE FUNCTION load_imbalance(run bigint, top int4 DEFAULT 1)
	RETURNS TABLE (region text, mean float8, max float8, imbalance_ratio float8, imbalance_excess float8, top_ranks int4[],
		top_locations int4[])
	LANGUAGE C STABLE PARALLEL SAFE COST 1000000 ROWS 100
	SET search_path = pg_catalog, pg_temp
	AS 'MODULE_PATHNAME', 'ph_trace_load_imbalance';
COMMENT ON FUNCTION load_imbalance(bigint, int4) IS
	'Exclusive time in ns of each region over the locations that have calls (absent = 0): mean, max, imbalance_ratio = max / mean, imbalance_excess = (max - mean) / mean (null when the mean is 0), and the top locations that took most, with their ranks (-1: none), equals by location. By mean descending, then region. Regions of one name are one. Errors: PH002 as events; 22023 for a negative top.';

-- -------------------------------------------------------------------------------------- profile and trust
CREATE FUNCTION trace_profile(run bigint, t_from int8 DEFAULT NULL, t_to int8 DEFAULT NULL) RETURNS profile
	LANGUAGE C STABLE PARALLEL SAFE COST 1000000
	SET search_path = pg_catalog, pg_temp
	AS 'MODULE_PATHNAME', 'ph_trace_profile';
COMMENT ON FUNCTION trace_profile(bigint, int8, int8) IS
	'The profile of the window of a trace, with the call paths of profile(run): metrics time [s], visits [count] and the trace''s own accumulated ones; its columns, also those without calls in the window. Of calls that overlap the window the overlap counts as time, and each as a visit. Errors: PH002 as events, and when there are no calls in the window; 22023 for a window that ends before it begins.';

CREATE FUNCTION trace_summary(run bigint)
	RETURNS TABLE (item text, value text, trusted bool)
	LANGUAGE C STABLE STRICT PARALLEL SAFE COST 10000 ROWS 12
	SET search_path = pg_catalog, pg_temp
	AS 'MODULE_PATHNAME', 'ph_trace_summary';
COMMENT ON FUNCTION trace_summary(bigint) IS
	'What a trace holds and how far to trust it, a row per item in fixed order: locations, events, duration, clock (uncorrected, offsets, logical), messages, sends that nobody received, receives that nobody sent, messages received before they were sent and by how much, collectives, calls not left at the end (the trace was cut off), records not understood. trusted is false where something is amiss. Errors: PH002 as events.';

-- ----------------------------------------------------------------------------------------- wait states
CREATE FUNCTION late_senders(run bigint)
	RETURNS TABLE (sender int4, receiver int4, receive_region text, receive_enter int8, send_time int8, receive_time int8,
		wait int8, tag int4, bytes int8, communicator int4, receiver_location int4, receive_seq int8, sender_location int4,
		send_seq int8, receive_leave int8, n_messages int4, n_late int4)
	LANGUAGE C STABLE STRICT PARALLEL SAFE COST 1000000 ROWS 10000
	SET search_path = pg_catalog, pg_temp
	AS 'MODULE_PATHNAME', 'ph_trace_late_senders';
COMMENT ON FUNCTION late_senders(bigint) IS
	'A row per receiving call (MPI_Recv, MPI_Wait, ...) that waited for a sender: from receive_enter until the message was sent, or to the end of the call (receive_leave) when that came first; wait in ns, by wait descending, receiver_location, receive_seq. A call that completes n_messages, n_late of them late, shows the one that it waited for longest. Errors: PH002 as events. Method: late sender after Scalasca.';

CREATE FUNCTION late_receivers(run bigint)
	RETURNS TABLE (sender int4, receiver int4, send_region text, send_enter int8, receive_enter int8, send_leave int8,
		wait int8, tag int4, bytes int8, communicator int4, sender_location int4, send_seq int8, receiver_location int4,
		receive_seq int8)
	LANGUAGE C STABLE STRICT PARALLEL SAFE COST 1000000 ROWS 1000
	SET search_path = pg_catalog, pg_temp
	AS 'MODULE_PATHNAME', 'ph_trace_late_receivers';
COMMENT ON FUNCTION late_receivers(bigint) IS
	'A row per blocking send that lasted until its blocking receive was entered: it waited from send_enter to receive_enter; wait in ns, by wait descending, sender_location, send_seq. Errors: PH002 as events. Method: late receiver after Scalasca.';

CREATE FUNCTION collective_waits(run bigint)
	RETURNS TABLE (collective int8, operation text, communicator int4, rank int4, enter int8, wait int8, cause int4,
		cause_enter int8, location int4, seq int8, cause_location int4)
	LANGUAGE C STABLE STRICT PARALLEL SAFE COST 1000000 ROWS 10000
	SET search_path = pg_catalog, pg_temp
	AS 'MODULE_PATHNAME', 'ph_trace_collective_waits';
COMMENT ON FUNCTION collective_waits(bigint) IS
	'A row per member of a collective that waited for others: in barriers and all-to-all kinds for the last one, in broadcast kinds for the root, as the root of reductions for the last one, in scans for lower ranks. cause: the rank that it waited for, which came at cause_enter; wait in ns from enter, until its end at the latest, by wait descending, collective (as in collectives), location. seq: the event that ended it. Errors: PH002 as events. Method: wait at barrier, wait at NxN, late broadcast and early reduce after Scalasca.';

CREATE FUNCTION critical_path(run bigint)
	RETURNS TABLE (step int4, location int4, rank int4, thread int4, t_from int8, t_to int8, region text, kind text, wait int8,
		peer int4, peer_location int4)
	LANGUAGE C STABLE STRICT PARALLEL SAFE COST 1000000 ROWS 10000
	SET search_path = pg_catalog, pg_temp
	AS 'MODULE_PATHNAME', 'ph_trace_critical_path';
COMMENT ON FUNCTION critical_path(bigint) IS
	'The activities that determine how long the run takes, in order of time; their times [t_from, t_to) in ns tile it from the first event to the last. Followed backward from the last event: stay on a location until a call that waited, go on with the rank waited for at the time when it ended the wait. region: the innermost call, null outside of all; kind: compute, message, collective, or wait (for a partner that was not recorded). peer: the rank that the path came from, null when it was here before; wait: ns that the call waited for it, before t_from. Errors: PH002 as events. Method: after Scalasca (Boehme et al. 2012).';
-- 11-timeline.sql - windows of a trace as a picture's worth of rows, for timelines of any client.
--
-- Locations are put into at most max_rows rows of equal size, in ascending order; times are cut into bins.
-- A window without ends is the whole trace.

CREATE FUNCTION timeline_rows(run bigint, locations int4[] DEFAULT NULL, max_rows int4 DEFAULT 500)
	RETURNS TABLE ("row" int4, locations int4[], n_locations int4, rank int4, last_rank int4, thread int4, name text, host text)
	LANGUAGE C STABLE PARALLEL SAFE COST 1000 ROWS 100
	SET search_path = pg_catalog, pg_temp
	AS 'MODULE_PATHNAME', 'ph_timeline_rows';
COMMENT ON FUNCTION timeline_rows(bigint, int4[], int4) IS
	'The rows of a timeline of these locations (NULL: all), by row: which locations share it, the rank of the first and of the last of them, and thread, name and host of the first. Errors: PH002 for an unknown run or location, or a run without a trace; 22023 unless max_rows is at least 1.';

CREATE FUNCTION timeline(run bigint, bins int4 DEFAULT 1000, t_from int8 DEFAULT NULL, t_to int8 DEFAULT NULL,
		locations int4[] DEFAULT NULL, max_rows int4 DEFAULT 500, max_depth int4 DEFAULT 8)
	RETURNS TABLE ("row" int4, depth int4, bin int4, n_bins int4, region text, share float8, calls int8, t_start int8, t_end int8)
	LANGUAGE C STABLE PARALLEL SAFE COST 100000 ROWS 10000
	SET search_path = pg_catalog, pg_temp
	AS 'MODULE_PATHNAME', 'ph_timeline_spans';
COMMENT ON FUNCTION timeline(bigint, int4, int8, int8, int4[], int4, int4) IS
	'Spans of calls, by row, depth and bin: in each bin the function that took most of the time at that depth (outermost calls are 0; calls at max_depth and deeper are left out), neighbouring bins of one function joined. share: how much of the span its calls cover, 0 to 1, over the row''s locations; calls: those of it that overlap the span; t_start and t_end: the span in ns. The number of rows does not grow with the trace. Errors: as timeline_rows; 22023 for bad bins (1 to 65536), max_depth (1 to 1024) or an empty window.';

CREATE FUNCTION timeline_messages(run bigint, bins int4 DEFAULT 1000, t_from int8 DEFAULT NULL, t_to int8 DEFAULT NULL,
		locations int4[] DEFAULT NULL, max_rows int4 DEFAULT 500, max_messages int4 DEFAULT 20000)
	RETURNS TABLE (from_row int4, to_row int4, send_time int8, receive_time int8, messages int8, bytes int8, bin_width int8)
	LANGUAGE C STABLE PARALLEL SAFE COST 100000 ROWS 5000
	SET search_path = pg_catalog, pg_temp
	AS 'MODULE_PATHNAME', 'ph_timeline_messages';
COMMENT ON FUNCTION timeline_messages(bigint, int4, int8, int8, int4[], int4, int4) IS
	'Matched messages between the rows of a timeline, bundled: those that leave from one bin of one row and arrive in one bin of another are a row of the answer, with their mean times (ns; of ends outside the window its start or end) and the sums of messages and bytes. Bins are joined until there are at most max_messages rows, or one bin; bin_width is how wide they became, in ns. Order: from_row, send_time, to_row, receive_time. Errors: as timeline.';

CREATE FUNCTION metric_over_time(run bigint, metric text, bins int4 DEFAULT 50, t_from int8 DEFAULT NULL,
		t_to int8 DEFAULT NULL, locations int4[] DEFAULT NULL)
	RETURNS TABLE (bin int4, bin_start int8, bin_end int8, mean float8, min float8, max float8, n_locations int4, unit text, accumulated boolean)
	LANGUAGE C STABLE PARALLEL SAFE COST 100000 ROWS 100
	SET search_path = pg_catalog, pg_temp
	AS 'MODULE_PATHNAME', 'ph_metric_over_time';
COMMENT ON FUNCTION metric_over_time(bigint, text, int4, int8, int8, int4[]) IS
	'A metric recorded in the trace, bin by bin: mean, least and largest value over the locations that have one (n_locations), in unit. Absolute metrics hold from sample to sample and have their mean over the bin; accumulated ones (counters) have their growth within it. Errors: PH002 for a metric that the trace does not have, an unknown run or location; 22023 for bad bins or an empty window.';
-- 12-logical.sql - logical time of stored traces: phases, steps, lateness, clusters, differences.
--
-- Communication events (calls that send, receive or take part in a collective) get steps; an event's seq
-- counts those of its location from 0. Times and lateness are ns. Steps of events are even; step - 1 is
-- the time before the event, its aggregate. Events of tasks are those of serial blocks; their locations are
-- chares (13-tasks.sql: logical_locations), their steps any numbers, and they have no aggregates. The functions
-- of a run read the warehouse with their caller's rights and a pinned search_path.

CREATE FUNCTION logical_options(options jsonb DEFAULT '{}', of_tasks boolean DEFAULT false)
	RETURNS jsonb
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
	SET search_path = pg_catalog, pg_temp
	AS 'MODULE_PATHNAME', 'ph_logical_options';
COMMENT ON FUNCTION logical_options(jsonb, boolean) IS
	'All options of assign_logical_steps for runs of processes or of tasks: these ones, the others with their defaults. Errors: 22023 for an option that does not exist or has another type.';

CREATE FUNCTION assign_logical_steps(run bigint, options jsonb DEFAULT '{}')
	RETURNS jsonb
	LANGUAGE C VOLATILE PARALLEL UNSAFE COST 1000000
	SET search_path = pg_catalog, pg_temp
	AS 'MODULE_PATHNAME', 'ph_assign_logical_steps';
COMMENT ON FUNCTION assign_logical_steps(bigint, jsonb) IS
	'Finds the logical structure of a run''s trace and stores it in place of what was stored before: phases, the step of every communication event, its metrics. options, all of them optional: mode "default" or "compat" (as Ravel does it); the switches coalesce_isends (runs of non-blocking sends are one event), wait_groups (from a non-blocking send to the call that completes it: one phase), call_tree_merge (neighbours below one call that communicates: one phase; below a call that holds all of a location''s communication, such as main, only sends and receives from collective to collective) and align_sends (sends of one stride share a step), which are on, and waitall_groups (wait groups guessed from Waitall), leap_merge (until every leap of the phase graph has all processes), leap_skip (but leave leaps where that adds none), global_merge (phases that share steps become one), match_sizes (both ends of a message agree in bytes) and reorder_receives (by cause, not by time), which are off; phase_function (phases are the calls of the function whose name contains this); counter (a metric of the trace to follow). Of tasks, beside mode, the switches by_coordinates (of equal causes, blocks in order of where they come from), absorb_when (what a serial waited for is part of it), order_serials (serials of a chare happen in turn), repair_blocks (unite what the run time split), merge_serials (unite where serials of one phase go on in several), infer_dependencies (order parts by their first sources), leap_merge (unite what shares chares and cannot be ordered) and use_edges (dependencies that the trace tells), which are on, and reorder (blocks within phases by cause, not by time), which is off; break_functions (a phase begins before entry methods whose names begin so, separated by commas). Gives an object: events, messages, locations, phases, last_step, notes (counts of what was odd in the trace), all options, and seconds that finding it took. Needs the rights of a loader. Errors: PH002 for an unknown run, a run without a trace, an unknown counter or phase_function; 22023 for bad options, with the names of those there are.';

CREATE FUNCTION logical_steps(run bigint, step_from int4 DEFAULT NULL, step_to int4 DEFAULT NULL, locations int4[] DEFAULT NULL,
		options jsonb DEFAULT NULL)
	RETURNS TABLE (location int4, seq int8, region text, kind text, n_messages int4, enter int8, leave int8, phase int4,
		step int4, lateness int8, aggregate_lateness int8, differential_lateness int8, peers int4, global_lateness int8,
		duration int8, aggregate_differential_lateness int8, rank int4, thread int4, earliest_location int4,
		binding_location int4, binding_seq int8, aggregate_global_lateness int8, global_differential_lateness int8,
		aggregate_global_differential_lateness int8, aggregate_duration int8, counter float8, aggregate_counter float8,
		step_counter float8, aggregate_step_counter float8, idle_experienced int8, imbalance int8, processor int4,
		serial_block int4, block_share int8)
	LANGUAGE C STABLE PARALLEL SAFE COST 100000 ROWS 100000
	SET search_path = pg_catalog, pg_temp
	AS 'MODULE_PATHNAME', 'ph_logical_steps';
COMMENT ON FUNCTION logical_steps(bigint, int4, int4, int4[], jsonb) IS
	'A row per communication event with a step from step_from to before step_to (NULL: open) in these locations (NULL: all), by location, then seq. kind: send, receive or collective. n_messages: sent or received by it, 0 of collectives. peers: events of its phase and step, itself counted. lateness: leave less the least leave among them; global_lateness: among all events of the step; differential_lateness: what of it is not the lateness with which the event began or its messages were sent; duration: leave - enter less the least among the peers. aggregate_…: the same of the time before the event, with enter in place of leave. earliest_location: of the peer that left first, with whom it is compared. binding: the event from which its step was computed; null: none. counter: growth of the counter followed (options of assign_logical_steps) in its unit, step_counter: less the least among the peers; null: none was followed. Of tasks, lateness and aggregates are null, duration is the differential duration, and the last five columns are those of task_metrics; of processes they are null. options: as assign_logical_steps takes them; steps are then computed with them, and what is stored neither read nor changed. Times in ns. Errors: PH002 for an unknown run, or a run without a trace or without assigned steps, an unknown location; 22023 for a window that ends before it begins.';

CREATE FUNCTION logical_messages(run bigint, step_from int4 DEFAULT NULL, step_to int4 DEFAULT NULL, locations int4[] DEFAULT NULL,
		options jsonb DEFAULT NULL)
	RETURNS TABLE (sender_location int4, send_step int4, receiver_location int4, receive_step int4, send_seq int8,
		receive_seq int8, bytes int8, tag int4)
	LANGUAGE C STABLE PARALLEL SAFE COST 100000 ROWS 10000
	SET search_path = pg_catalog, pg_temp
	AS 'MODULE_PATHNAME', 'ph_logical_messages';
COMMENT ON FUNCTION logical_messages(bigint, int4, int4, int4[], jsonb) IS
	'A row per message with an end in the window (as in logical_steps), by location and seq of that end, which is the receive when both are. Ends that were not recorded are null. options: as in logical_steps. Errors: PH002 for an unknown run, or a run without a trace or without assigned steps, an unknown location; 22023 for a window that ends before it begins.';

CREATE FUNCTION phases(run bigint, options jsonb DEFAULT NULL)
	RETURNS TABLE (phase int4, first_step int4, last_step int4, n_events int4, n_locations int4, pattern text, max_lateness int8,
		merge_reason text, leap int4, t_first int8, t_last int8, is_runtime bool, imbalance int8, regions text, merge_reasons text[],
		max_idle int8, max_duration int8)
	LANGUAGE C STABLE PARALLEL SAFE COST 1000 ROWS 100
	SET search_path = pg_catalog, pg_temp
	AS 'MODULE_PATHNAME', 'ph_phases';
COMMENT ON FUNCTION phases(bigint, jsonb) IS
	'The phases of a run, by number: in order of first steps, then locations. pattern: how its processes exchange messages (SRSR: sends and receives in turn; SSRR: all sends, then receives; SSWA: all sends, then several receives at once; unknown); null: it is no exchange. max_lateness: greatest among its events, ns. merge_reason: the last kind of merge that joined its parts (none, serial block, wait group, call, function, message, collective, cycle, split block, serials, inferred, leap, global), merge_reasons: all kinds. leap: longest way from a first phase in the phase graph. t_first, t_last: first enter and last leave, ns. regions: the functions of its events. Where main itself sends and receives, one phase goes from collective to collective; options with call_tree_merge false, or with phase_function, cut it finer; global_merge unites phases side by side, as those of pairs of processes. Of tasks: is_runtime: it has events of the run time, or that exchange messages with it; imbalance: the greatest less the least load of all processors; max_idle and max_duration: the greatest idle experienced and differential duration; ns. max_lateness is null then. options: as in logical_steps. Errors: PH002 for an unknown run, or a run without a trace or without assigned steps.';

CREATE FUNCTION phase_dag(run bigint)
	RETURNS TABLE (source int4, target int4)
	LANGUAGE C STABLE PARALLEL SAFE COST 1000 ROWS 100
	SET search_path = pg_catalog, pg_temp
	AS 'MODULE_PATHNAME', 'ph_phase_dag';
COMMENT ON FUNCTION phase_dag(bigint) IS
	'The phase graph: target follows source directly on some location; by source, then target. Errors: PH002 for an unknown run, or a run without a trace or without assigned steps.';

CREATE FUNCTION exchange_patterns(run bigint)
	RETURNS TABLE (phase int4, pattern text, n_ranks int4, first_step int4, last_step int4)
	LANGUAGE C STABLE PARALLEL SAFE COST 1000 ROWS 100
	SET search_path = pg_catalog, pg_temp
	AS 'MODULE_PATHNAME', 'ph_exchange_patterns';
COMMENT ON FUNCTION exchange_patterns(bigint) IS
	'The exchange pattern of every phase, as in phases, and how many locations take part, by phase. Errors: PH002 for an unknown run, or a run without a trace or without assigned steps.';

CREATE FUNCTION phase_members(run bigint, phase int4)
	RETURNS TABLE (location int4, rank int4, first_event int8, last_event int8, n_events int4, first_step int4, last_step int4)
	LANGUAGE C STABLE PARALLEL SAFE COST 1000 ROWS 100
	SET search_path = pg_catalog, pg_temp
	AS 'MODULE_PATHNAME', 'ph_phase_members';
COMMENT ON FUNCTION phase_members(bigint, int4) IS
	'The locations of a phase with the seqs of their first and last event in it, by location. Errors: PH002 for an unknown run, or a run without a trace or without assigned steps or phase.';

CREATE FUNCTION step_summary(run bigint, metric text DEFAULT NULL)
	RETURNS TABLE (step int4, n_events int4, sum float8, max int8, mean float8, latest_location int4, t_first int8, t_last int8)
	LANGUAGE C STABLE PARALLEL SAFE COST 100000 ROWS 1000
	SET search_path = pg_catalog, pg_temp
	AS 'MODULE_PATHNAME', 'ph_step_summary';
COMMENT ON FUNCTION step_summary(bigint, text) IS
	'A metric of all events of a step, by step: sum, greatest value and mean in ns, and the location with the greatest (the first on ties); t_first, t_last: first enter and last leave. metric: lateness, global_lateness, differential_lateness, global_differential_lateness or duration, or one of these after aggregate_; NULL: lateness. Of tasks differential_duration, idle_experienced or imbalance; NULL: the first. Errors: PH002 for an unknown run, or a run without a trace or without assigned steps; 22023 for another metric.';

CREATE FUNCTION step_time_span(run bigint, step_from int4, step_to int4)
	RETURNS TABLE (t_from int8, t_to int8)
	LANGUAGE C STABLE PARALLEL SAFE COST 1000 ROWS 1
	SET search_path = pg_catalog, pg_temp
	AS 'MODULE_PATHNAME', 'ph_step_time_span';
COMMENT ON FUNCTION step_time_span(bigint, int4, int4) IS
	'When the events of steps from step_from to before step_to (NULL: open) happened: first enter and last leave, ns; no row when there are none. Errors: PH002 for an unknown run, or a run without a trace or without assigned steps; 22023 for a window that ends before it begins.';

CREATE FUNCTION step_clusters(run bigint, phase int4, k int4 DEFAULT NULL, metric text DEFAULT NULL, seed int8 DEFAULT 0)
	RETURNS TABLE (cluster int4, parent int4, distance float8, n_members int4, locations int4[], max_metric int8, centroid int4,
		latest int4, child_left int4, child_right int4)
	LANGUAGE C STABLE PARALLEL SAFE COST 100000 ROWS 40
	SET search_path = pg_catalog, pg_temp
	AS 'MODULE_PATHNAME', 'ph_step_clusters';
COMMENT ON FUNCTION step_clusters(bigint, int4, int4, text, int8) IS
	'Processes of a phase that behave alike, as a tree of clusters: the leaves, then the joins in order of their distance, the root last. Two are as far apart as the mean of their squared differences in the metric (ns²), over the steps of events and of the time before them. Up to 20 processes are leaves themselves, more are put into 20 leaves around medoids first, drawing samples from seed when they are more than 80. k: only the k clusters that the last joins leave, with those joins; their numbers stay. parent: NULL for the root; locations: of the members; max_metric: greatest value of their events in ns, latest the location that has it; centroid: the location nearest to the members'' mean; child_left has the lesser max_metric. metric: as in step_summary without aggregate_. Errors: PH002 for an unknown run, or a run without a trace or without assigned steps, an unknown phase; 22023 for another metric or a k below 1.';

CREATE FUNCTION focus_processes(run bigint, phase int4, radius int4 DEFAULT 1, centre int4 DEFAULT NULL, metric text DEFAULT NULL)
	RETURNS TABLE (location int4, rank int4, hops int4)
	LANGUAGE C STABLE PARALLEL SAFE COST 100000 ROWS 100
	SET search_path = pg_catalog, pg_temp
	AS 'MODULE_PATHNAME', 'ph_focus_processes';
COMMENT ON FUNCTION focus_processes(bigint, int4, int4, int4, text) IS
	'A process and those that it exchanges messages with in the phase, over at most radius hops, by location. centre: its location; NULL: the one with the greatest value of the metric. radius NULL: the least one that shows half of the phase''s ways of sending, at least 1. Errors: PH002 for an unknown run, or a run without a trace or without assigned steps, an unknown phase or a centre without events in it; 22023 for another metric or a negative radius.';

CREATE FUNCTION logical_aggregates(run bigint, location int4, seq int8)
	RETURNS TABLE (region text, "time" int8)
	LANGUAGE C STABLE PARALLEL SAFE COST 100000 ROWS 20
	SET search_path = pg_catalog, pg_temp
	AS 'MODULE_PATHNAME', 'ph_logical_aggregates';
COMMENT ON FUNCTION logical_aggregates(bigint, int4, int8) IS
	'What a location did between the communication event before this one (else the start of the trace) and this one: ns within each function, without its callees, most first, then by name. Errors: PH002 for an unknown run, or a run without a trace or without assigned steps, or for an event that does not exist; PH003 for a run of tasks.';

CREATE FUNCTION trace_diff(run_a bigint, run_b bigint)
	RETURNS TABLE (phase_a int4, phase_b int4, step_a int4, step_b int4, location_a int4, location_b int4,
		delta_lateness int8, delta_duration int8, delta_messages int4, status text, region text,
		delta_aggregate_lateness int8, delta_differential_lateness int8, delta_bytes int8, messages_only_a int4,
		messages_only_b int4, events_a int4, events_b int4, events_aligned int4, rank_alignment text)
	LANGUAGE C STABLE PARALLEL SAFE COST 1000000 ROWS 1000
	SET search_path = pg_catalog, pg_temp
	AS 'MODULE_PATHNAME', 'ph_trace_diff_rows';
COMMENT ON FUNCTION trace_diff(bigint, bigint) IS
	'Two runs compared by logical structure, never by time: phases are aligned by call paths, processes, exchange patterns and their order, then the steps within them by what is called where, then the processes. A row per pair of aligned steps, and per step that only one run has (status: both, only a, only b; the other side''s columns are NULL), in the order of run_a, what is only in run_b before what follows it. Deltas are b - a in ns, of the aligned events'' values the one that changed most, 0 when none are aligned: lateness, duration (of calls), aggregate_lateness (of the time before the event), differential_lateness (where a change of lateness arose). location_a, location_b and region: of the event whose lateness changed most, else of the one that left the step first. delta_messages and delta_bytes: of messages sent at the step; messages_only_a, messages_only_b: those between aligned processes that the other run does not have. rank_alignment: rank (both runs have as many), position (the phases have), role (those that call the same in the same order; the others are not aligned), none: processes cannot be aligned, and deltas are those of the steps'' greatest values. A run of tasks against a run of processes: functions have no names in common, so phases are aligned in order by shape (share of timelines, messages, partners and receives by timeline, both ways or one; collectives with reductions and broadcasts along trees), those less than half alike stay in only one; steps by who sends or receives, a collective as a receive; ranks with chares by position in exchanges of as many, else rank_alignment is none and location_a and location_b of a step of both are NULL. Locations of tasks are those of logical_locations; with tasks on either side lateness is null, and an event lasts as long as its block_share of task_metrics. Both runs are computed with the options that assigned their steps. Errors: PH002 for an unknown run, or a run without a trace or without assigned steps.';

CREATE FUNCTION chunk_logical_support(internal) RETURNS internal
	LANGUAGE C IMMUTABLE STRICT AS 'MODULE_PATHNAME', 'ph_chunk_logical_support';
REVOKE ALL ON FUNCTION chunk_logical_support(internal) FROM PUBLIC;

CREATE FUNCTION chunk_logical_events(location_id int4, chunk_no int4, format int4, n_events int4, n_ends int4,
		first_seq int4, step_first int4, step_last int4, t_first int8, t_last int8, places bytea, metrics bytea,
		causes bytea, from_step int8 DEFAULT NULL, until_step int8 DEFAULT NULL)
	RETURNS TABLE (seq int8, region_id int4, kind text, n_messages int4, phase int4, step int4, enter int8, leave int8,
		peers int4, lateness int8, aggregate_lateness int8, global_lateness int8, aggregate_global_lateness int8,
		differential_lateness int8, aggregate_differential_lateness int8, global_differential_lateness int8,
		aggregate_global_differential_lateness int8, duration int8, aggregate_duration int8, earliest_location int4,
		binding_location int4, binding_seq int8)
	LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000 ROWS 1024 SUPPORT chunk_logical_support
	AS 'MODULE_PATHNAME', 'ph_chunk_logical_events';
COMMENT ON FUNCTION chunk_logical_events(int4, int4, int4, int4, int4, int4, int4, int4, int8, int8, bytea, bytea, bytea, int8, int8) IS
	'The events from from_step to until_step, both inclusive, of one row of perfhouse.logical_chunk, whose columns are the first arguments; for LATERAL, as in the view perfhouse.logical_event. A chunk outside of the window is not even detoasted, and comparisons of the column step with what is known before the query runs are taken for the window by the planner. region_id: local_id of perfhouse.trace_region. The other columns are those of logical_steps. Errors: PH001 for bytes that are no chunk.';
-- 13-tasks.sql - runs of task-based programs (Charm++ and others): chares, processors, serial blocks.
--
-- A processor is a location of the trace. A serial block is a piece of an execution of an entry method that
-- nothing interrupts. Times are ns. The functions read the warehouse with their caller's rights and a pinned
-- search_path.

CREATE FUNCTION chares(run bigint)
	RETURNS TABLE (chare int4, name text, type text, collection int4, index int4[], is_runtime bool, first_location int4,
		n_locations int4, n_blocks int8, messages_sent int8, messages_received int8, busy int8, first_time int8, last_time int8)
	LANGUAGE C STABLE PARALLEL SAFE COST 100000 ROWS 1000
	SET search_path = pg_catalog, pg_temp
	AS 'MODULE_PATHNAME', 'ph_chares';
COMMENT ON FUNCTION chares(bigint) IS
	'A row per chare (object of a task-based program) that did anything, in order of type, array and index. name: type and index, or type@processor of those that every processor has one of. collection: the array that it is an element of; null: unknown. is_runtime: belongs to the run time system. first_location: where it was seen first; n_locations: on how many locations it ran, more than one when it migrated. n_blocks: serial blocks; a reopened one counts again. busy: ns within them. Messages are those of its blocks; one with several receivers is sent once. Errors: PH002 for an unknown run, a run without a trace or not of a task-based program.';

CREATE FUNCTION processors(run bigint)
	RETURNS TABLE (location int4, processor int4, name text, host text, n_chares int4, n_blocks int8, messages_sent int8,
		messages_received int8, busy int8, first_time int8, last_time int8, idle int8)
	LANGUAGE C STABLE PARALLEL SAFE COST 100000 ROWS 100
	SET search_path = pg_catalog, pg_temp
	AS 'MODULE_PATHNAME', 'ph_processors';
COMMENT ON FUNCTION processors(bigint) IS
	'A row per processor of a task-based run, by location. n_chares: that ran there. n_blocks: serial blocks, which took busy ns from first_time to last_time. idle: ns in which the run time says it had nothing to do; the rest is its own. messages_sent counts those sent outside of blocks, too. Errors: as chares.';

CREATE FUNCTION serial_blocks(run bigint, t_from int8 DEFAULT NULL, t_to int8 DEFAULT NULL, locations int4[] DEFAULT NULL)
	RETURNS TABLE (location int4, processor int4, block int4, chare int4, chare_name text, entry text, enter int8, leave int8,
		is_runtime bool, continues int4, n_received int8, n_sent int8, call int8)
	LANGUAGE C STABLE PARALLEL SAFE COST 100000 ROWS 100000
	SET search_path = pg_catalog, pg_temp
	AS 'MODULE_PATHNAME', 'ph_serial_blocks';
COMMENT ON FUNCTION serial_blocks(bigint, int8, int8, int4[]) IS
	'A row per serial block that overlaps the window (enter < t_to, leave >= t_from) in these locations (NULL: all), by location, then block, which counts from 0 there. An entry method that calls another one inline is interrupted and goes on as a block of its own: continues is the block before. entry: its chare type and name. n_received, n_sent: messages within it; one with several receivers is sent once. call: the number of its ENTER in events. Errors: as chares; PH002 for an unknown location; 22023 for a window that ends before it begins.';

CREATE FUNCTION logical_locations(run bigint)
	RETURNS TABLE (location int4, name text, is_runtime bool, chare int4, first_location int4, processor int4)
	LANGUAGE C STABLE PARALLEL SAFE COST 1000 ROWS 1000
	SET search_path = pg_catalog, pg_temp
	AS 'MODULE_PATHNAME', 'ph_logical_locations';
COMMENT ON FUNCTION logical_locations(bigint) IS
	'The locations of a task-based run in logical time, by number: its chares as chares has them (chare), then one for the run time of every processor, whose chare is null. first_location: where it was seen first, a location of the trace; processor: the number of that. Errors: PH002 for an unknown run, a run without a trace, without assigned steps, or not of a task-based program.';

CREATE FUNCTION task_metrics(run bigint, step_from int4 DEFAULT NULL, step_to int4 DEFAULT NULL, locations int4[] DEFAULT NULL,
		options jsonb DEFAULT NULL)
	RETURNS TABLE (location int4, chare text, processor int4, seq int8, entry text, kind text, enter int8, leave int8, phase int4,
		is_runtime bool, step int4, differential_duration int8, idle_experienced int8, imbalance int8, serial_block int4,
		block_share int8, peers int4, shortest_location int4, n_messages int4)
	LANGUAGE C STABLE PARALLEL SAFE COST 100000 ROWS 100000
	SET search_path = pg_catalog, pg_temp
	AS 'MODULE_PATHNAME', 'ph_task_metrics';
COMMENT ON FUNCTION task_metrics(bigint, int4, int4, int4[], jsonb) IS
	'A row per event of a task-based run with a step from step_from to before step_to (NULL: open) in these locations of logical time (logical_locations; NULL: all), by location, then seq, which is in logical order. chare: the name of the location; processor: where it happened; entry: the method that it happened in; kind: send or receive. is_runtime: of its phase. A serial block''s time is shared out among its events: each has the time since the one before it (block_share), what is left goes to the receive that started the block, else to its last event. differential_duration: how much longer that is than the shortest among the peers, the events of its phase and step, itself counted; shortest_location has it. idle_experienced: how long its processor had nothing to do before what it waited for came. imbalance: load of its processor in its phase less the least of all processors. serial_block: as block in serial_blocks; null: outside of any. Times in ns. options: as assign_logical_steps takes them; all is then computed with them, and what is stored neither read nor changed. Errors: PH002 for an unknown run, a run without a trace, without assigned steps or not of a task-based program, an unknown location; 22023 for a window that ends before it begins, and bad options.';

CREATE FUNCTION task_block_metrics(run bigint)
	RETURNS TABLE (processor int4, serial_block int4, location int4, chare text, entry text, enter int8, leave int8, n_events int8,
		phases int4[], first_step int4, last_step int4, differential_duration int8, idle_experienced int8, imbalance int8)
	LANGUAGE sql STABLE PARALLEL SAFE COST 100000 ROWS 100000
	SET search_path = pg_catalog, pg_temp
BEGIN ATOMIC
	SELECT b.processor, b.block, min(m.location), min(m.chare COLLATE "C"), b.entry, b.enter, b.leave, count(*),
		array_agg(DISTINCT m.phase ORDER BY m.phase), min(m.step), max(m.step), sum(m.differential_duration)::int8,
		max(m.idle_experienced), max(m.imbalance)
	FROM perfhouse.task_metrics(run) m
	JOIN perfhouse.serial_blocks(run) b ON b.processor = m.processor AND b.block = m.serial_block
	GROUP BY b.processor, b.block, b.entry, b.enter, b.leave
	ORDER BY b.processor, b.block;
END;
COMMENT ON FUNCTION task_block_metrics(bigint) IS
	'The metrics of task_metrics by serial block that has events, by processor and block: differential_duration is the sum of its events'', idle_experienced and imbalance the greatest. phases: the phases that it has events in; enter, leave: of the whole block. By phase they are in phases. Errors: as task_metrics.';
-- 20-change-points.sql - change points of any series of numbers, and what goes with them.
--
-- perfhouse.change_points (tables) applies these to the stored runs.

CREATE FUNCTION change_point_indexes(series float8[], mode text DEFAULT 'default', max_p_value float8 DEFAULT NULL,
		min_magnitude float8 DEFAULT 0, "window" int4 DEFAULT NULL, groups int4[] DEFAULT NULL)
	RETURNS TABLE (index int4, magnitude float8, p_value float8, mean_before float8, mean_after float8, sd_before float8,
		sd_after float8, n_before int4, n_after int4, score float8, series_p_value float8, noise float8, autocorrelation float8)
	LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000 ROWS 3 AS 'MODULE_PATHNAME', 'ph_change_point_indexes';
COMMENT ON FUNCTION change_point_indexes(float8[], text, float8, float8, int4, int4[]) IS
	'Where the level of a series changes, by index (from 0) of the first value of the new level. Of a query: change_point_indexes((SELECT array_agg(x ORDER BY t) FROM ...)). mode default: robust against outliers (runs of up to three values) and autocorrelated noise; p_value is the expected number of false points per change-free value, and a point is found exactly when p_value <= max_p_value (default 0.0002), so that raising it only adds points; noise and autocorrelation are of the series; nulls are left out; values of one group (for example a commit) are not parted; a level has four values or more. mode otava: as Apache Otava finds them; p_value of Student''s t, max_p_value 0.001 and window 50 by default; nulls are filled with the value before. series_p_value: chance of such a point in a change-free series of this length. magnitude: the larger of the relative changes forth and back; min_magnitude leaves out smaller ones. Means, deviations (n) and counts are of the values between the points. Errors: 22023 for an unknown mode, an impossible limit, an infinite value or a wrong number of groups.';

CREATE FUNCTION false_discovery_rates(p_values float8[], tests int4 DEFAULT NULL) RETURNS float8[]
	LANGUAGE C IMMUTABLE PARALLEL SAFE AS 'MODULE_PATHNAME', 'ph_false_discovery_rates_of';
COMMENT ON FUNCTION false_discovery_rates(float8[], int4) IS
	'For every p-value the least false discovery rate at which its test is a discovery (Benjamini and Hochberg 1995). tests: how many tests were made, when those with large p-values are not given.';

CREATE FUNCTION dense_series_add(internal, place int4, value float8, length int4) RETURNS internal
	LANGUAGE C IMMUTABLE PARALLEL SAFE AS 'MODULE_PATHNAME', 'ph_dense_series_add';
COMMENT ON FUNCTION dense_series_add(internal, int4, float8, int4) IS
	'Transition function of the aggregate dense_series.';
CREATE FUNCTION dense_series_final(internal) RETURNS float8[]
	LANGUAGE C IMMUTABLE PARALLEL SAFE AS 'MODULE_PATHNAME', 'ph_dense_series_final';
COMMENT ON FUNCTION dense_series_final(internal) IS
	'Final function of the aggregate dense_series.';
CREATE AGGREGATE dense_series(place int4, value float8, length int4) (
	SFUNC = dense_series_add, STYPE = internal, FINALFUNC = dense_series_final, PARALLEL = SAFE
);
COMMENT ON AGGREGATE dense_series(int4, float8, int4) IS
	'Array of length numbers with value added at place (from 0); 0 where there is none.';

CREATE FUNCTION run_filter_sql(filter text, OUT predicate text, OUT arguments text[])
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'ph_run_filter_sql';
COMMENT ON FUNCTION run_filter_sql(text) IS
	'Translates a run filter (see above) to a predicate over r, a row of run_overview, and $1, the array of its arguments. The predicate consists of fixed words, column names and references to arguments; no text of the filter gets into it. Errors: 22023 with the position when it is not a filter; 54000 when it is too long.';
-- 21-statistics.sql - statistics that SQL has not built in: of vectors, and per node over columns (ranks or runs).
--
-- Built in are avg, stddev_samp, percentile_cont, corr, regr_slope and so on: use them on nodes(), column_values() and
-- perfhouse.measurement.

CREATE FUNCTION repeat_test(a float8[], b float8[], margin float8 DEFAULT 0.02, min_runs int4 DEFAULT 3)
	RETURNS TABLE (n_a int4, n_b int4, mean_a float8, mean_b float8, sd_a float8, sd_b float8, difference float8, relative float8,
		low float8, high float8, t float8, degrees float8, p_value float8, verdict text, runs_needed int4)
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE ROWS 1 AS 'MODULE_PATHNAME', 'ph_repeat_test_rows';
COMMENT ON FUNCTION repeat_test(float8[], float8[], float8, int4) IS
	'Are two sets of repeated measurements different? Welch''s test, and the 95 % interval low to high of mean_b - mean_a. verdict: same (the interval lies within margin of mean_a), different (it excludes 0, and the difference is beyond margin), else unknown, as with fewer than min_runs (3 at least) on a side; runs_needed: on each side, for a verdict; null when there is one or it cannot be said. Nulls are left out. Errors: 22023 for an impossible margin.';

CREATE FUNCTION mann_whitney(a float8[], b float8[])
	RETURNS TABLE (n_a int4, n_b int4, u float8, p_value float8, share float8, effect float8, is_exact boolean)
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE ROWS 1 AS 'MODULE_PATHNAME', 'ph_mann_whitney_rows';
COMMENT ON FUNCTION mann_whitney(float8[], float8[]) IS
	'Mann and Whitney''s rank test, two-sided: exact up to 40 values without ties, else the normal approximation with corrections for ties and continuity. u counts the pairs in which b is larger, ties half; share of all pairs; effect: rank-biserial correlation, -1 to 1. Nulls are left out.';

CREATE FUNCTION correlation(x float8[], y float8[])
	RETURNS TABLE (n int4, pearson float8, pearson_p_value float8, spearman float8, spearman_p_value float8)
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE ROWS 1 AS 'MODULE_PATHNAME', 'ph_correlation_rows';
COMMENT ON FUNCTION correlation(float8[], float8[]) IS
	'Pearson''s and Spearman''s correlation of pairs, with two-sided p-values from Student''s t. Pairs with a null are left out; null for fewer than three pairs or without variance. Errors: 22023 when the arrays differ in length.';

CREATE FUNCTION node_statistics(p profile, cost text DEFAULT 'inclusive', metric text DEFAULT NULL)
	RETURNS TABLE (node int4, name text, path text, n int4, mean float8, sd float8, min float8, lower_quartile float8, median float8,
		upper_quartile float8, max float8, lower_fence float8, upper_fence float8, outliers text[])
	LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000 ROWS 1000 AS 'MODULE_PATHNAME', 'ph_node_statistics';
COMMENT ON FUNCTION node_statistics(profile, text, text) IS
	'Every node''s distribution over the columns that have it (ranks of a run, runs of an ensemble), by node: mean, sd (n - 1), quartiles by linear interpolation, fences 1.5 interquartile ranges beyond them, and the columns outside of the fences by label. Roll columns up first (roll_up) to compare hosts or processes. Errors: 22023 for another cost.';

CREATE FUNCTION scaling_model(p profile, parameter text DEFAULT 'p', cost text DEFAULT 'inclusive', metric text DEFAULT NULL)
	RETURNS TABLE (node int4, name text, path text, model text, constant float8, coefficient float8, exponent float8, log_exponent float8,
		growth float8, r_squared float8, smape float8, cross_validation float8, constant_validation float8, n int4)
	LANGUAGE C IMMUTABLE PARALLEL SAFE COST 10000 ROWS 1000 AS 'MODULE_PATHNAME', 'ph_scaling_model_rows';
COMMENT ON FUNCTION scaling_model(profile, text, text, text) IS
	'How every node''s cost grows over the runs of an ensemble whose columns are labelled with a number, as in scaling_model((SELECT ensemble(profile(run_id), n_ranks::text) FROM run_overview WHERE ...), ''ranks''): constant + coefficient * p^exponent * log2(p)^log_exponent, the form of the performance model normal form (Extra-P) that predicts left-out runs best; the constant alone when that is not 10 % better, and for fewer than four different numbers. growth: the model''s value at the largest number over that at the smallest. smape in per cent; cross_validation, constant_validation: root mean square error of left-out runs by the model and by the constant. Runs without the node are left out. Errors: 22023 when a label is not a positive number.';

CREATE FUNCTION speedup(p profile, kind text DEFAULT 'strong', cost text DEFAULT 'inclusive', metric text DEFAULT NULL)
	RETURNS TABLE (node int4, name text, path text, parameter float8, value float8, speedup float8, efficiency float8)
	LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000 ROWS 1000 AS 'MODULE_PATHNAME', 'ph_speedup';
COMMENT ON FUNCTION speedup(profile, text, text, text) IS
	'Every node''s speed-up and efficiency over the runs of an ensemble whose columns are labelled with the number of processes, against the mean of those with the smallest number (base): strong scaling: speedup = base value / value, efficiency = speedup * base / p; weak: efficiency = base value / value, speedup = efficiency * p / base. By node, then column. Errors: 22023 for another kind, or when a label is not a positive number.';
-- 22-ensembles.sql - many runs side by side: common nodes, a column per run, a run against the others, rank by rank.

CREATE FUNCTION "intersect"(a profile, b profile) RETURNS profile
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10000 AS 'MODULE_PATHNAME', 'ph_profile_intersect_of';
COMMENT ON FUNCTION "intersect"(profile, profile) IS
	'a on the nodes that b has too, matched by path of identities. What a''s other nodes cost goes to the absorbed of the nearest node that stays, so inclusives do not change; roots that b lacks go with all below. Write perfhouse.intersect(a, b): the bare word is a keyword of SQL. Errors: PH002 when nothing is in common.';
CREATE FUNCTION "intersect"(p profile) RETURNS profile
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10000 AS 'MODULE_PATHNAME', 'ph_profile_intersect_all';
COMMENT ON FUNCTION "intersect"(profile) IS
	'A profile on the nodes that are present in every column: of an ensemble, those that all runs have. The cost of the others goes to the absorbed of the nearest node that stays. Write perfhouse.intersect(p). Errors: PH002 when nothing is in common.';

CREATE FUNCTION supernodes_by_column(sg supergraph, metric text DEFAULT NULL)
	RETURNS TABLE (node text, label text, run_values float8[], inclusive float8, exclusive_values float8[], columns text[],
		n_present int4, sd float8, min float8, max float8)
	LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000 ROWS 50 AS 'MODULE_PATHNAME', 'ph_supernodes_by_column';
COMMENT ON FUNCTION supernodes_by_column(supergraph, text) IS
	'A row per supernode by (level, node) with its vectors over columns, which for the super graph of an ensemble are the runs, in the order of columns (labels): run_values inclusive, exclusive_values exclusive, null where the column has nothing of the supernode. inclusive is the mean over all columns, absent = 0, as supernodes has it; n_present counts the columns that have it, and sd (n - 1), min and max are of their inclusives. Errors: PH002 for an unknown metric.';

CREATE FUNCTION against_ensemble(ensemble profile, column_label text, cost text DEFAULT 'inclusive', bins int4 DEFAULT 20, metric text DEFAULT NULL)
	RETURNS TABLE (node int4, name text, path text, value float8, mean float8, sd float8, difference float8, z float8, rank int4, bin int4, n int4)
	LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000 ROWS 1000 AS 'MODULE_PATHNAME', 'ph_nodes_against_ensemble';
COMMENT ON FUNCTION against_ensemble(profile, text, text, int4, text) IS
	'One run of an ensemble, named by its label, against the other runs, by node: value (null: the run lacks the node), mean and sd (n - 1) of the others, difference = value - mean, z = difference / sd (null when sd is 0). In these a run without the node counts 0. rank: 1 is the run with the least value; bin: of bins equal ones over the range of all, from 0, as in ensemble_gradient; both among the n runs that have the node. Errors: PH002 when no column has the label, 22023 when several have.';
CREATE FUNCTION against_ensemble(sg supergraph, column_label text, cost text DEFAULT 'inclusive', bins int4 DEFAULT 20, metric text DEFAULT NULL)
	RETURNS TABLE (node text, label text, value float8, mean float8, sd float8, difference float8, z float8, rank int4, bin int4, n int4)
	LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000 ROWS 50 AS 'MODULE_PATHNAME', 'ph_supernodes_against_ensemble';
COMMENT ON FUNCTION against_ensemble(supergraph, text, text, int4, text) IS
	'One run of an ensemble''s super graph against the other runs, by supernode in the order of (level, node); columns as for profiles.';

CREATE FUNCTION column_values_diff(a profile, b profile, path text DEFAULT NULL, bins int4 DEFAULT 20, cost text DEFAULT 'inclusive', metric text DEFAULT NULL)
	RETURNS TABLE (location int4, rank int4, thread int4, iteration int8, name text, before float8, after float8, difference float8, bin int4)
	LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000 ROWS 100 AS 'MODULE_PATHNAME', 'ph_column_values_diff';
COMMENT ON FUNCTION column_values_diff(profile, profile, text, int4, text, text) IS
	'Two runs with the same columns (ranks, threads, iterations), column by column: difference = after - before of the node with this path (names joined by "/", or one unique name; NULL: of the roots together), where a is before, b is after and absent counts 0; by location of a. bin: in histogram_diff. Errors: 22023 when the columns or the unit differ, or the name is not unique; PH002 for an unknown node or metric.';
CREATE FUNCTION histogram_diff(a profile, b profile, path text DEFAULT NULL, bins int4 DEFAULT 20, cost text DEFAULT 'inclusive', metric text DEFAULT NULL)
	RETURNS TABLE (bin int4, low float8, high float8, count int4, locations int4[], ranks int4[])
	LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000 ROWS 20 AS 'MODULE_PATHNAME', 'ph_histogram_diff';
COMMENT ON FUNCTION histogram_diff(profile, profile, text, int4, text, text) IS
	'Histogram of the differences of column_values_diff: equal bins over their range, by bin from 0, right-open, the last one closed; locations and ranks list the columns of a in the bin. Errors: as there.';
-- 23-matching.sql - runs whose regions changed their names, groups of columns.
--
-- perfhouse.region_alias (tables) keeps aliases; apply_aliases() uses them.

CREATE FUNCTION rename_regions(p profile, aliases jsonb) RETURNS profile
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10000 AS 'MODULE_PATHNAME', 'ph_rename_regions';
COMMENT ON FUNCTION rename_regions(profile, jsonb) IS
	'The profile with regions under the names that they count as, so that renamed functions match in diff, ensemble and so on. aliases: an array of rules such as {"name": "old", "to_name": "new"}, with name, library, file (what a rule is about; "is_pattern": true: regular expressions found anywhere) and to_name, to_library, to_file ("" forgets a library or file). The first rule that matches and changes something applies, then the next to the result: a function renamed twice ends at its last name. Siblings that become equal are one node whose costs add up: totals and the cost of subtrees stay, doing it again changes nothing. Provenance and caption name the renamed regions. Errors: 22023 for wrong rules, or rules that go in a circle.';

CREATE FUNCTION alias_target(aliases jsonb, kind int2, name text, library text, file text, line int4,
		OUT region_id int8, OUT to_name text, OUT to_library text, OUT to_file text)
	LANGUAGE C IMMUTABLE PARALLEL SAFE COST 10 AS 'MODULE_PATHNAME', 'ph_alias_target';
COMMENT ON FUNCTION alias_target(jsonb, int2, text, text, text, int4) IS
	'What one region (a row of perfhouse.region) counts as under the rules of rename_regions, and its id in perfhouse.region.';

CREATE FUNCTION callpath_hash(parent_id int8, region_id int8) RETURNS int8
	LANGUAGE C IMMUTABLE PARALLEL SAFE AS 'MODULE_PATHNAME', 'ph_callpath_hash';
COMMENT ON FUNCTION callpath_hash(int8, int8) IS
	'The id of the call path that ends with this region below a call path (null: a root), as in perfhouse.callpath.';

CREATE FUNCTION match_candidates(a profile, b profile, min_score float8 DEFAULT 0.5, most int4 DEFAULT 3, metric text DEFAULT NULL)
	RETURNS TABLE (node int4, name text, path text, rank int4, candidate int4, candidate_name text, candidate_path text, score float8,
		reasons text[], is_top boolean, cost float8, candidate_cost float8, kind text, library text, file text,
		candidate_library text, candidate_file text)
	LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100000 ROWS 100 AS 'MODULE_PATHNAME', 'ph_match_candidate_rows';
COMMENT ON FUNCTION match_candidates(profile, profile, float8, int4, text) IS
	'For every node that only a has, what it may have become in b: the nodes that only b has, best first (at most most, 8 at most), by node and rank. score, 0 to 1, is the weighted mean of what is known of a pair, and reasons lists it: name (edit distance without mangling, template arguments, parameters, letter case; weight 4), caller (the same, or itself a candidate; 2), callees in common (1.5), share of the program''s cost (1.5), place (library, file, line; 1). is_top: the caller is in both profiles, so that this node is where the two part. Up to 65536 pairs are all looked at; beyond, nodes meet those that share caller, name, line or callees with them or are near in the order of names. Rows with name <> candidate_name are renamings for add_alias. Errors: 22023 for a score outside of 0 to 1 or more than 8 candidates.';

CREATE FUNCTION name_likeness(a text, b text) RETURNS float8
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100 AS 'MODULE_PATHNAME', 'ph_name_likeness_value';
COMMENT ON FUNCTION name_likeness(text, text) IS
	'How alike two names of functions are, 0 to 1: 1 for the same name, 0.98 when they differ in decoration only (mangling, template arguments, parameters, letter case), else by edit distance.';

CREATE FUNCTION roll_up(p profile, labels text[], combine text DEFAULT 'sum') RETURNS profile
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10000 AS 'MODULE_PATHNAME', 'ph_profile_roll_up_groups';
COMMENT ON FUNCTION roll_up(profile, text[], text) IS
	'Merges columns that have the same label, in the order of their first columns: labels has one for each of columns(p), and null drops the column. combine sum (processes of a node) or mean (runs of a group; absent = 0); metrics that are not flow combine in their own way. See roll_up_runs for groups of runs by metadata. Errors: 22023 for a wrong number of labels, another way to combine, or when no column is left.';
-- 24-pictures.sql - what pictures of ensembles, call trees and processes are drawn from.

CREATE FUNCTION text_guides(sg supergraph, node text DEFAULT NULL, bins int4 DEFAULT 20, cost text DEFAULT 'inclusive', metric text DEFAULT NULL)
	RETURNS TABLE (node text, bin int4, low float8, high float8, count int4, value float8, mark text, runs text[],
		begin_share float8, end_share float8)
	LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000 ROWS 200 AS 'MODULE_PATHNAME', 'ph_text_guides';
COMMENT ON FUNCTION text_guides(supergraph, text, int4, text, text) IS
	'What stands beside the gradients of an ensemble''s super graph: a row per bin that holds a run, of a supernode (NULL: of every one), by (level, node), then bin. Bins as in ensemble_gradient; value: the least of the first, the greatest of the last, the mean of the runs in those between; mark: min, max, only (all runs equal) or null; runs: labels of the runs in the bin; begin_share and end_share: where the bin lies in the bar''s height, 0 (top, least) to 1. Errors: PH002 for an unknown node; 22023 for an impossible number of bins or another cost.';

CREATE FUNCTION node_ranges(p profile, cost text DEFAULT 'exclusive', metric text DEFAULT NULL)
	RETURNS TABLE (node int4, n_present int4, min float8, max float8, mean float8, max_rank int4, max_column text)
	LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000 ROWS 10000 AS 'MODULE_PATHNAME', 'ph_node_ranges';
COMMENT ON FUNCTION node_ranges(profile, text, text) IS
	'Least, greatest and mean cost of every node over all columns, absent = 0, by node; n_present columns have it; max_rank and max_column: the first column with the greatest. node_statistics has quartiles and outliers, over the columns that have the node. Errors: PH002 for an unknown metric, 22023 for another cost.';

CREATE FUNCTION column_statistics(p profile, cost text DEFAULT 'exclusive', metric text DEFAULT NULL)
	RETURNS TABLE (location int4, rank int4, thread int4, host text, name text, n_nodes int4, min float8, max float8, mean float8,
		total float8, max_node int4)
	LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000 ROWS 1000 AS 'MODULE_PATHNAME', 'ph_column_statistics';
COMMENT ON FUNCTION column_statistics(profile, text, text) IS
	'What every column (process, thread, run) spent in its nodes, by location: least, greatest, mean and total over the n_nodes nodes where it has any cost; max_node is the first with the greatest. Errors: PH002 for an unknown metric, 22023 for another cost.';

CREATE FUNCTION matching_nodes(p profile, query text) RETURNS TABLE (node int4, name text)
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000 ROWS 1000 AS 'MODULE_PATHNAME', 'ph_matching_nodes';
COMMENT ON FUNCTION matching_nodes(profile, text) IS
	'The nodes on paths that a call-path query matches, as squash and call_path_query keep them; none when nothing matches. A test alone is a query, too: [exclusive > 0.1], "main", /^MPI_/. Errors: 22023 with the position when the query cannot be read.';

CREATE FUNCTION node_at(p profile, path text) RETURNS int4
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000 AS 'MODULE_PATHNAME', 'ph_node_at';
COMMENT ON FUNCTION node_at(profile, text) IS
	'The number of the node with this path: names from a root joined by "/", or one name that only one node has. Errors: PH002 when no node has it; 22023 when several have.';

CREATE FUNCTION function_nodes(p profile, metric text DEFAULT NULL)
	RETURNS TABLE (node int4, parent int4, function text, caller text, module text, is_call boolean, is_outermost boolean,
		inclusive float8, exclusive float8, calls float8)
	LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000 ROWS 10000 AS 'MODULE_PATHNAME', 'ph_function_nodes';
COMMENT ON FUNCTION function_nodes(profile, text) IS
	'A row per node, in pre-order, with the function that it belongs to (its own name; of loops and statements the nearest function above) and the function of its parent, for graphs of functions: GROUP BY caller, function WHERE is_call are the edges, sum(inclusive) FILTER (WHERE is_outermost) counts no recursion twice, sum(exclusive) is the function''s own cost (with absorbed and residual). is_call: not a loop or statement; is_outermost: a call with no other of the same function above it. calls: how often the node was entered, null where the profile does not count it. Errors: PH002 for an unknown metric.';
-- 25-sketches.sql - distributions of many numbers in little room: moments and quantiles that merge.
--
-- roll_up_run (tables) keeps these instead of a value per rank.

CREATE FUNCTION sketch(numbers float8[]) RETURNS bytea
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100 AS 'MODULE_PATHNAME', 'ph_sketch_of_numbers';
COMMENT ON FUNCTION sketch(float8[]) IS
	'The distribution of numbers (nulls and NaN are left out) in little room: up to 16 numbers as they are, more as counts in buckets whose bounds are powers of one base, at most 512. Order statistics are then off by relative_error at most: 0.005 when the numbers lie within a factor of 160, twice as much for the square of that, and so on. Moments, least and greatest are exact. Does not depend on the order of the numbers. Errors: 22023 for an infinite number.';

CREATE FUNCTION merge_two_sketches(a bytea, b bytea) RETURNS bytea
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100 AS 'MODULE_PATHNAME', 'ph_merge_two_sketches';
COMMENT ON FUNCTION merge_two_sketches(bytea, bytea) IS
	'The sketch of the numbers of both. Errors: PH001 for what is not a sketch.';

CREATE AGGREGATE merge_sketches(sketch bytea) (
	SFUNC = merge_two_sketches, STYPE = bytea, COMBINEFUNC = merge_two_sketches, PARALLEL = SAFE
);
COMMENT ON AGGREGATE merge_sketches(bytea) IS
	'The sketch of all numbers together: buckets and quantiles are those of one sketch of all, whatever the order and the parts; sums may differ in the last bits.';

CREATE FUNCTION sketch_moments(sketch bytea, absent bigint DEFAULT 0, OUT n bigint, OUT sum float8, OUT mean float8,
		OUT sd float8, OUT min float8, OUT max float8, OUT relative_error float8)
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10 AS 'MODULE_PATHNAME', 'ph_sketch_moments';
COMMENT ON FUNCTION sketch_moments(bytea, bigint) IS
	'Count, sum, mean, standard deviation (n - 1), least and greatest of a sketch''s numbers and absent more zeros, all exact; null where there are too few. relative_error: how far quantiles may be off, relative to the numbers next to them; 0: they are exact. Errors: PH001 for what is not a sketch; 22023 for a negative count.';

CREATE FUNCTION sketch_quantiles(sketch bytea, fractions float8[], absent bigint DEFAULT 0) RETURNS float8[]
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100 AS 'MODULE_PATHNAME', 'ph_sketch_quantiles';
COMMENT ON FUNCTION sketch_quantiles(bytea, float8[], bigint) IS
	'Quantiles of a sketch''s numbers and absent more zeros by linear interpolation (as percentile_cont), each off by relative_error of sketch_moments at most; 0 and 1 are the exact extremes. Null of no numbers. Errors: PH001 for what is not a sketch; 22023 for a fraction that is not in 0 to 1 or a negative count.';

CREATE FUNCTION sketch_histogram(sketch bytea, bins int4 DEFAULT 20, absent bigint DEFAULT 0)
	RETURNS TABLE (bin int4, low float8, high float8, count bigint)
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100 ROWS 20 AS 'MODULE_PATHNAME', 'ph_sketch_histogram_rows';
COMMENT ON FUNCTION sketch_histogram(bytea, int4, bigint) IS
	'Equal bins over [min, max] of a sketch''s numbers and absent more zeros: right-open, the last one closed; nothing of no numbers. A number may be counted in the neighbouring bin when it is within relative_error of its bound. Errors: PH001 for what is not a sketch; 22023 for fewer than 1 or more than 10000 bins or a negative count.';

CREATE FUNCTION vector_sum_add(internal, float8[]) RETURNS internal
	LANGUAGE C IMMUTABLE PARALLEL SAFE AS 'MODULE_PATHNAME', 'ph_vector_sum_add';
COMMENT ON FUNCTION vector_sum_add(internal, float8[]) IS
	'Transition function of the aggregate vector_sum.';
CREATE FUNCTION vector_sum_final(internal) RETURNS float8[]
	LANGUAGE C IMMUTABLE PARALLEL SAFE AS 'MODULE_PATHNAME', 'ph_vector_sum_final';
COMMENT ON FUNCTION vector_sum_final(internal) IS
	'Final function of the aggregate vector_sum.';
CREATE AGGREGATE vector_sum("numbers" float8[]) (
	SFUNC = vector_sum_add, STYPE = internal, FINALFUNC = vector_sum_final, PARALLEL = SAFE
);
COMMENT ON AGGREGATE vector_sum(float8[]) IS
	'Sums of arrays of one length, element by element: of vectors over ranks, say. Null elements are left out; NaN where all are null. Errors: 22023 for another length.';
