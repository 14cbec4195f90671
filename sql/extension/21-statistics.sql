-- 21-statistics.sql - statistics that SQL has not built in: of vectors, and per node over columns (ranks or runs).
--
-- Built in are avg, stddev_samp, percentile_cont, corr, regr_slope and so on: use them on nodes(), column_values() and
-- perfhouse.measurement.

CREATE OR REPLACE FUNCTION repeat_test(a float8[], b float8[], margin float8 DEFAULT 0.02, min_runs int4 DEFAULT 3)
	RETURNS TABLE (n_a int4, n_b int4, mean_a float8, mean_b float8, sd_a float8, sd_b float8, difference float8, relative float8,
		low float8, high float8, t float8, degrees float8, p_value float8, verdict text, runs_needed int4)
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE ROWS 1 AS 'MODULE_PATHNAME', 'ph_repeat_test_rows';
COMMENT ON FUNCTION repeat_test(float8[], float8[], float8, int4) IS
	'Are two sets of repeated measurements different? Welch''s test, and the 95 % interval low to high of mean_b - mean_a. verdict: same (the interval lies within margin of mean_a), different (it excludes 0, and the difference is beyond margin), else unknown, as with fewer than min_runs (3 at least) on a side; runs_needed: on each side, for a verdict; null when there is one or it cannot be said. Nulls are left out. Errors: 22023 for an impossible margin.';

CREATE OR REPLACE FUNCTION mann_whitney(a float8[], b float8[])
	RETURNS TABLE (n_a int4, n_b int4, u float8, p_value float8, share float8, effect float8, is_exact boolean)
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE ROWS 1 AS 'MODULE_PATHNAME', 'ph_mann_whitney_rows';
COMMENT ON FUNCTION mann_whitney(float8[], float8[]) IS
	'Mann and Whitney''s rank test, two-sided: exact up to 40 values without ties, else the normal approximation with corrections for ties and continuity. u counts the pairs in which b is larger, ties half; share of all pairs; effect: rank-biserial correlation, -1 to 1. Nulls are left out.';

CREATE OR REPLACE FUNCTION correlation(x float8[], y float8[])
	RETURNS TABLE (n int4, pearson float8, pearson_p_value float8, spearman float8, spearman_p_value float8)
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE ROWS 1 AS 'MODULE_PATHNAME', 'ph_correlation_rows';
COMMENT ON FUNCTION correlation(float8[], float8[]) IS
	'Pearson''s and Spearman''s correlation of pairs, with two-sided p-values from Student''s t. Pairs with a null are left out; null for fewer than three pairs or without variance. Errors: 22023 when the arrays differ in length.';
