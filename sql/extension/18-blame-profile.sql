-- Waits and their causes by call path and unit, and between groups of them (core/blame/unit_costs, flows; docs/design/blame.md 5).

CREATE OR REPLACE FUNCTION perfhouse_internal.blame_profile(run bigint) RETURNS profile
	LANGUAGE C STABLE STRICT PARALLEL RESTRICTED COST 1000000
	SET search_path = pg_catalog, pg_temp
	AS 'MODULE_PATHNAME', 'ph_blame_profile';
COMMENT ON FUNCTION perfhouse_internal.blame_profile(bigint) IS
	'The profile of a run''s trace, its own metrics left out, with wait, wait caused and on critical path besides, in '
	'seconds: nodes and columns are those of the run. Null when nothing in the trace communicates. Errors: as events.';

CREATE OR REPLACE FUNCTION perfhouse_internal.blame_version() RETURNS int
	LANGUAGE C IMMUTABLE PARALLEL SAFE AS 'MODULE_PATHNAME', 'ph_blame_version';
COMMENT ON FUNCTION perfhouse_internal.blame_version() IS
	'The version of the method of waits and their causes that is stored with profiles.';

CREATE OR REPLACE FUNCTION perfhouse_internal.chiefs(amounts float8[]) RETURNS int4[]
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100 AS 'MODULE_PATHNAME', 'ph_chiefs_of_amounts';
COMMENT ON FUNCTION perfhouse_internal.chiefs(float8[]) IS
	'Positions of those that stand out: of all divisions by size the one that keeps both groups closest together, if those with more are '
	'half of all at most and have half of the whole and twice the mean of the others, or a fifth and three times their mean. Null: '
	'none do. Errors: 22023 for nulls and numbers below 0.';

CREATE OR REPLACE FUNCTION blame_flows(run bigint, t_from int8 DEFAULT NULL, t_to int8 DEFAULT NULL, group_by text DEFAULT 'function',
		blocks int4 DEFAULT 8)
	RETURNS TABLE (origin text, origin_first int4, origin_last int4, origin_ranks int4, victim text, victim_first int4,
		victim_last int4, victim_ranks int4, ns int8, waits int8, inferred int8)
	LANGUAGE C STABLE PARALLEL SAFE COST 1000000 ROWS 100
	SET search_path = pg_catalog, pg_temp
	AS 'MODULE_PATHNAME', 'ph_blame_flows_of_run';
COMMENT ON FUNCTION blame_flows(bigint, int8, int8, text, int4) IS
	'Who made whom wait, as blame, added up: ns of waits in the window from the origin, a group of call paths (group_by: path, '
	'function or module) on the ranks from origin_first to origin_last, to the victim, in so many waits, inferred of them in '
	'collectives without records. Ranks are put into so many blocks of neighbours at most (null: each for itself); those that '
	'stand out on their side (few ranks, half of the waiting and twice the mean of the others, or a fifth and three times that) '
	'have a block each, more than eight one together; origin_ranks and victim_ranks count the ranks of a block, 0 where '
	'it is for files, which everybody waits for by himself. What has '
	'a smaller cause has a null origin, what has none that is known null ranks, too; so all rows add up to all waits. In no order; '
	'no rows for null. Errors: as blame; 22023 for another group_by and fewer than one block.';

CREATE OR REPLACE FUNCTION estimated_blame(p profile, metric text DEFAULT NULL) RETURNS profile
	LANGUAGE C IMMUTABLE PARALLEL SAFE COST 10000 AS 'MODULE_PATHNAME', 'ph_estimated_blame';
COMMENT ON FUNCTION estimated_blame(profile, text) IS
	'The profile with two more metrics, "estimated wait" and "estimated wait caused", in the unit of the metric (null: the '
	'primary one), for runs without a trace. In a call path that synchronises (MPI collectives in which everybody waits for '
	'everybody, blocking receives, waits and tests) a column waited as long as it was there, less the least of all columns. '
	'That is caused by the columns below its mean, in proportion to how much longer than the mean over columns they were in '
	'each call path outside of MPI; where none was, by the first of those that were there least, in that call path. Both '
	'add up to the same. An estimate: transfers count as waiting, and what made the late one late is not followed; so the '
	'metrics are not called like those of traces (assign_blame), and no history mixes them. Null for a null profile. '
	'Errors: PH002 for a metric that the profile lacks; 22023 for one that does not add up and for a difference; 22000 when '
	'the profile has such metrics.';
