-- 20-change-points.sql - change points of any series of numbers, and what goes with them.
--
-- perfhouse.change_points (tables) applies these to the stored runs.

CREATE OR REPLACE FUNCTION change_point_indexes(series float8[], mode text DEFAULT 'default', max_p_value float8 DEFAULT NULL,
		min_magnitude float8 DEFAULT 0, "window" int4 DEFAULT NULL, groups int4[] DEFAULT NULL)
	RETURNS TABLE (index int4, magnitude float8, p_value float8, mean_before float8, mean_after float8, sd_before float8,
		sd_after float8, n_before int4, n_after int4, score float8, series_p_value float8, noise float8, autocorrelation float8)
	LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000 ROWS 3 AS 'MODULE_PATHNAME', 'ph_change_point_indexes';
COMMENT ON FUNCTION change_point_indexes(float8[], text, float8, float8, int4, int4[]) IS
	'Where the level of a series changes, by index (from 0) of the first value of the new level. Of a query: '
	'change_point_indexes((SELECT array_agg(x ORDER BY t) FROM ...)). mode default: robust against outliers (runs of '
	'up to three values) and autocorrelated noise; p_value is the expected number of false points per change-free '
	'value, and a point is found exactly when p_value <= max_p_value (default 0.0002), so that raising it only adds '
	'points; noise and autocorrelation are of the series; nulls are left out; values of one group (for example a '
	'commit) are not parted; a level has four values or more. mode otava: as Apache Otava finds them; p_value of '
	'Student''s t, max_p_value 0.001 and window 50 by default; nulls are filled with the value before. '
	'series_p_value: chance of such a point in a change-free series of this length. magnitude: the larger of the '
	'relative changes forth and back; min_magnitude leaves out smaller ones. Means, deviations (n) and counts are of '
	'the values between the points. Errors: 22023 for an unknown mode, an impossible limit, an infinite value or a '
	'wrong number of groups.';

CREATE OR REPLACE FUNCTION false_discovery_rates(p_values float8[], tests int4 DEFAULT NULL) RETURNS float8[]
	LANGUAGE C IMMUTABLE PARALLEL SAFE AS 'MODULE_PATHNAME', 'ph_false_discovery_rates_of';
COMMENT ON FUNCTION false_discovery_rates(float8[], int4) IS
	'For every p-value the least false discovery rate at which its test is a discovery (Benjamini and Hochberg 1995). '
	'tests: how many tests were made, when those with large p-values are not given.';

CREATE OR REPLACE FUNCTION false_discovery_rate(p_value float8) RETURNS float8
	LANGUAGE C WINDOW IMMUTABLE PARALLEL SAFE AS 'MODULE_PATHNAME', 'ph_false_discovery_rate';
COMMENT ON FUNCTION false_discovery_rate(float8) IS
	'Window function: the least false discovery rate at which the test of this row is a discovery among the tests of '
	'all rows of the partition, whatever their order (Benjamini and Hochberg 1995). Null: a test that found nothing '
	'counts, and is none. Changes of many series: SELECT s.key, c.*, false_discovery_rate(c.series_p_value) OVER () '
	'FROM history_series(...) s LEFT JOIN change_point_indexes(s.values) c ON true. Errors: 22023 for a probability '
	'that is none.';

CREATE OR REPLACE FUNCTION perfhouse_internal.dense_series_add(internal, place int4, value float8, length int4) RETURNS internal
	LANGUAGE C IMMUTABLE PARALLEL SAFE AS 'MODULE_PATHNAME', 'ph_dense_series_add';
COMMENT ON FUNCTION perfhouse_internal.dense_series_add(internal, int4, float8, int4) IS
	'Transition function of the aggregate dense_series.';
CREATE OR REPLACE FUNCTION perfhouse_internal.dense_series_final(internal) RETURNS float8[]
	LANGUAGE C IMMUTABLE PARALLEL SAFE AS 'MODULE_PATHNAME', 'ph_dense_series_final';
COMMENT ON FUNCTION perfhouse_internal.dense_series_final(internal) IS
	'Final function of the aggregate dense_series.';
CREATE OR REPLACE AGGREGATE dense_series(place int4, value float8, length int4) (
	SFUNC = perfhouse_internal.dense_series_add, STYPE = internal, FINALFUNC = perfhouse_internal.dense_series_final, PARALLEL = SAFE
);
COMMENT ON AGGREGATE dense_series(int4, float8, int4) IS
	'Array of length numbers with value added at place (from 0); 0 where there is none.';
CREATE OR REPLACE FUNCTION perfhouse_internal.dense_series_add(internal, places int4[], wanted int4[], known int4[], "values" float8[],
	factor float8, length int4) RETURNS internal LANGUAGE C IMMUTABLE PARALLEL SAFE AS 'MODULE_PATHNAME', 'ph_dense_series_add_many';
COMMENT ON FUNCTION perfhouse_internal.dense_series_add(internal, int4[], int4[], int4[], float8[], float8, int4) IS
	'Transition function of the aggregate dense_series of arrays.';
CREATE OR REPLACE FUNCTION perfhouse_internal.dense_series_final_any(internal) RETURNS float8[]
	LANGUAGE C IMMUTABLE PARALLEL SAFE AS 'MODULE_PATHNAME', 'ph_dense_series_final_any';
COMMENT ON FUNCTION perfhouse_internal.dense_series_final_any(internal) IS
	'Final function of the aggregate dense_series of arrays.';
CREATE OR REPLACE AGGREGATE dense_series(places int4[], wanted int4[], known int4[], "values" float8[], factor float8, length int4) (
	SFUNC = perfhouse_internal.dense_series_add, STYPE = internal, FINALFUNC = perfhouse_internal.dense_series_final_any, PARALLEL = SAFE
);
COMMENT ON AGGREGATE dense_series(int4[], int4[], int4[], float8[], float8, int4) IS
	'Array of length numbers with values, times factor, added at places (from 0); 0 where there is none, null when there is '
	'none at all. wanted: the numbers of the values for the places, parallel to them (null: 0, 1, ...). known: the numbers '
	'of those that values has, ascending (null: 0, 1, ...). Errors: 2202E when arrays do not fit each other.';

CREATE OR REPLACE FUNCTION perfhouse_internal.place_in_series(series int8) RETURNS int4
	LANGUAGE C WINDOW IMMUTABLE PARALLEL SAFE AS 'MODULE_PATHNAME', 'ph_place_in_series';
COMMENT ON FUNCTION perfhouse_internal.place_in_series(int8) IS
	'Window function: the place of a row among those of its series, which are neighbours, from 0. For windows without partitions.';
CREATE OR REPLACE FUNCTION perfhouse_internal.commit_in_series(series int8, commit_id text) RETURNS int4
	LANGUAGE C WINDOW IMMUTABLE PARALLEL SAFE AS 'MODULE_PATHNAME', 'ph_commit_in_series';
COMMENT ON FUNCTION perfhouse_internal.commit_in_series(int8, text) IS
	'Window function: the number of a row''s commit among those of its series, which are neighbours, from 1. Neighbours of one '
	'commit have one number; a row without commit has a number of its own.';
CREATE OR REPLACE FUNCTION perfhouse_internal.month_of(at timestamptz) RETURNS date
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'ph_month_of';
COMMENT ON FUNCTION perfhouse_internal.month_of(timestamptz) IS 'The first day of the month, UTC, that a time is in.';
CREATE OR REPLACE FUNCTION perfhouse_internal.run_mark(run_id int8, loaded_at timestamptz, is_excluded boolean, metric_id int4,
	n_units int4, n_hosts int4) RETURNS int8
	LANGUAGE C IMMUTABLE PARALLEL SAFE AS 'MODULE_PATHNAME', 'ph_run_mark';
COMMENT ON FUNCTION perfhouse_internal.run_mark(int8, timestamptz, boolean, int4, int4, int4) IS
	'A hash of what the roll-up of a run depends on; metric and units may be null, which counts as 0.';

CREATE OR REPLACE FUNCTION run_filter_sql(filter text, OUT predicate text, OUT arguments text[])
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'ph_run_filter_sql';
COMMENT ON FUNCTION run_filter_sql(text) IS
	'Translates a run filter (see above) to a predicate over r, a row of run_overview, and $1, the array of its '
	'arguments. The predicate consists of fixed words, column names and references to arguments; no text of the '
	'filter gets into it. Errors: 22023 with the position when it is not a filter; 54000 when it is too long.';
