-- 22-ensembles.sql - many runs side by side: common nodes, a column per run, a run against the others, rank by rank.

CREATE OR REPLACE FUNCTION "intersect"(a profile, b profile) RETURNS profile
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10000 AS 'MODULE_PATHNAME', 'ph_profile_intersect_of';
COMMENT ON FUNCTION "intersect"(profile, profile) IS
	'a on the nodes that b has too, matched by path of identities. What a''s other nodes cost goes to the absorbed of '
	'the nearest node that stays, so inclusives do not change; roots that b lacks go with all below. Write '
	'perfhouse.intersect(a, b): the bare word is a keyword of SQL. Errors: PH002 when nothing is in common.';
CREATE OR REPLACE FUNCTION "intersect"(p profile) RETURNS profile
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10000 AS 'MODULE_PATHNAME', 'ph_profile_intersect_all';
COMMENT ON FUNCTION "intersect"(profile) IS
	'A profile on the nodes that are present in every column: of an ensemble, those that all runs have. The cost of '
	'the others goes to the absorbed of the nearest node that stays. Write perfhouse.intersect(p). Errors: PH002 when '
	'nothing is in common.';

CREATE OR REPLACE FUNCTION supernodes_by_column(sg supergraph, metric text DEFAULT NULL)
	RETURNS TABLE (node text, label text, run_values float8[], inclusive float8, exclusive_values float8[], columns text[],
		n_present int4, sd float8, min float8, max float8)
	LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000 ROWS 50 AS 'MODULE_PATHNAME', 'ph_supernodes_by_column';
COMMENT ON FUNCTION supernodes_by_column(supergraph, text) IS
	'A row per supernode by (level, node) with its vectors over columns, which for the super graph of an ensemble are '
	'the runs, in the order of columns (labels): run_values inclusive, exclusive_values exclusive, null where the '
	'column has nothing of the supernode. inclusive is the mean over all columns, absent = 0, as supernodes has it; '
	'n_present counts the columns that have it, and sd (n - 1), min and max are of their inclusives. Errors: PH002 '
	'for an unknown metric.';

CREATE OR REPLACE FUNCTION against_ensemble(ensemble profile, column_label text, cost text DEFAULT 'inclusive',
	bins int4 DEFAULT 20, metric text DEFAULT NULL)
	RETURNS TABLE (node int4, name text, path text, value float8, mean float8, sd float8, difference float8, z float8, rank int4,
		bin int4, n int4)
	LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000 ROWS 1000 AS 'MODULE_PATHNAME', 'ph_nodes_against_ensemble';
COMMENT ON FUNCTION against_ensemble(profile, text, text, int4, text) IS
	'One run of an ensemble, named by its label, against the other runs, by node: value (null: the run lacks the '
	'node), mean and sd (n - 1) of the others, difference = value - mean, z = difference / sd (null when sd is 0). In '
	'these a run without the node counts 0. rank: 1 is the run with the least value; bin: of bins equal ones over the '
	'range of all, from 0, as in ensemble_gradient; both among the n runs that have the node. Errors: PH002 when no '
	'column has the label, 22023 when several have.';
CREATE OR REPLACE FUNCTION against_ensemble(sg supergraph, column_label text, cost text DEFAULT 'inclusive', bins int4 DEFAULT 20,
	metric text DEFAULT NULL)
	RETURNS TABLE (node text, label text, value float8, mean float8, sd float8, difference float8, z float8, rank int4, bin int4, n int4)
	LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000 ROWS 50 AS 'MODULE_PATHNAME', 'ph_supernodes_against_ensemble';
COMMENT ON FUNCTION against_ensemble(supergraph, text, text, int4, text) IS
	'One run of an ensemble''s super graph against the other runs, by supernode in the order of (level, node); columns as for profiles.';

CREATE OR REPLACE FUNCTION column_values_diff(a profile, b profile, path text DEFAULT NULL, bins int4 DEFAULT 20,
	cost text DEFAULT 'inclusive', metric text DEFAULT NULL)
	RETURNS TABLE (location int4, rank int4, thread int4, iteration int8, name text, before float8, after float8, difference float8,
		bin int4)
	LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000 ROWS 100 AS 'MODULE_PATHNAME', 'ph_column_values_diff';
COMMENT ON FUNCTION column_values_diff(profile, profile, text, int4, text, text) IS
	'Two runs with the same columns (ranks, threads, iterations), column by column: difference = after - before of '
	'the node with this path (names joined by "/", or one unique name; NULL: of the roots together), where a is '
	'before, b is after and absent counts 0; by location of a. bin: in histogram_diff. Errors: 22023 when the columns '
	'or the unit differ, or the name is not unique; PH002 for an unknown node or metric.';
CREATE OR REPLACE FUNCTION histogram_diff(a profile, b profile, path text DEFAULT NULL, bins int4 DEFAULT 20,
	cost text DEFAULT 'inclusive', metric text DEFAULT NULL)
	RETURNS TABLE (bin int4, low float8, high float8, count int4, locations int4[], ranks int4[])
	LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000 ROWS 20 AS 'MODULE_PATHNAME', 'ph_histogram_diff';
COMMENT ON FUNCTION histogram_diff(profile, profile, text, int4, text, text) IS
	'Histogram of the differences of column_values_diff: equal bins over their range, by bin from 0, right-open, the '
	'last one closed; locations and ranks list the columns of a in the bin. Errors: as there.';
