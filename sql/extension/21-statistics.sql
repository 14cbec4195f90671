-- 21-statistics.sql - statistics that SQL has not built in: of vectors, and per node over columns (ranks or runs).
--
-- Built in are avg, stddev_samp, percentile_cont, corr, regr_slope and so on: use them on nodes(), column_values() and
-- perfhouse.measurement.

CREATE OR REPLACE FUNCTION repeat_test(a float8[], b float8[], margin float8 DEFAULT 0.02, min_runs int4 DEFAULT 3)
	RETURNS TABLE (n_a int4, n_b int4, mean_a float8, mean_b float8, sd_a float8, sd_b float8, difference float8, relative float8,
		low float8, high float8, t float8, degrees float8, p_value float8, verdict text, runs_needed int4)
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE ROWS 1 AS 'MODULE_PATHNAME', 'ph_repeat_test_rows';
COMMENT ON FUNCTION repeat_test(float8[], float8[], float8, int4) IS
	'Are two sets of repeated measurements different? Welch''s test, and the 95 % interval low to high of mean_b - '
	'mean_a. verdict: same (the interval lies within margin of mean_a), different (it excludes 0, and the difference '
	'is beyond margin), else unknown, as with fewer than min_runs (3 at least) on a side; runs_needed: on each side, '
	'for a verdict; null when there is one or it cannot be said. Nulls are left out. Errors: 22023 for an impossible '
	'margin.';

CREATE OR REPLACE FUNCTION level_of("values" float8[])
	RETURNS TABLE (n int4, level float8, spread float8, autocorrelation float8, degrees float8)
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE ROWS 1 AS 'MODULE_PATHNAME', 'ph_level_rows';
COMMENT ON FUNCTION level_of(float8[]) IS
	'At what level measurements under one condition lie and how far they scatter, in order of time: level (median of the '
	'latest eight), spread (standard deviation of one of them, from differences of neighbours, so that neither steps nor '
	'outliers disturb it; null below three), autocorrelation of neighbours, and degrees (of freedom with which spread is '
	'known). Nulls are left out. Method: the noise of change_point_indexes.';

CREATE OR REPLACE FUNCTION mann_whitney(a float8[], b float8[])
	RETURNS TABLE (n_a int4, n_b int4, u float8, p_value float8, share float8, effect float8, is_exact boolean)
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE ROWS 1 AS 'MODULE_PATHNAME', 'ph_mann_whitney_rows';
COMMENT ON FUNCTION mann_whitney(float8[], float8[]) IS
	'Mann and Whitney''s rank test, two-sided: exact up to 40 values without ties, else the normal approximation with '
	'corrections for ties and continuity. u counts the pairs in which b is larger, ties half; share of all pairs; '
	'effect: rank-biserial correlation, -1 to 1. Nulls are left out.';

CREATE OR REPLACE FUNCTION correlation(x float8[], y float8[])
	RETURNS TABLE (n int4, pearson float8, pearson_p_value float8, spearman float8, spearman_p_value float8)
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE ROWS 1 AS 'MODULE_PATHNAME', 'ph_correlation_rows';
COMMENT ON FUNCTION correlation(float8[], float8[]) IS
	'Pearson''s and Spearman''s correlation of pairs, with two-sided p-values from Student''s t. Pairs with a null '
	'are left out; null for fewer than three pairs or without variance. Errors: 22023 when the arrays differ in '
	'length.';

CREATE OR REPLACE FUNCTION node_statistics(p profile, cost text DEFAULT 'inclusive', metric text DEFAULT NULL)
	RETURNS TABLE (node int4, name text, path text, n int4, mean float8, sd float8, min float8, lower_quartile float8, median float8,
		upper_quartile float8, max float8, lower_fence float8, upper_fence float8, outliers text[])
	LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000 ROWS 1000 AS 'MODULE_PATHNAME', 'ph_node_statistics';
COMMENT ON FUNCTION node_statistics(profile, text, text) IS
	'Every node''s distribution over the columns that have it (ranks of a run, runs of an ensemble), by node: mean, '
	'sd (n - 1), quartiles by linear interpolation, fences 1.5 interquartile ranges beyond them, and the columns '
	'outside of the fences by label. Roll columns up first (roll_up) to compare hosts or processes. Errors: 22023 for '
	'another cost.';

CREATE OR REPLACE FUNCTION scaling_model(p profile, parameter text DEFAULT 'p', cost text DEFAULT 'inclusive', metric text DEFAULT NULL)
	RETURNS TABLE (node int4, name text, path text, model text, constant float8, coefficient float8, exponent float8, log_exponent float8,
		growth float8, r_squared float8, smape float8, cross_validation float8, constant_validation float8, n int4, n_numbers int4,
		alternatives text[], negative_at float8, caution text)
	LANGUAGE C IMMUTABLE PARALLEL SAFE COST 10000 ROWS 1000 AS 'MODULE_PATHNAME', 'ph_scaling_models';
COMMENT ON FUNCTION scaling_model(profile, text, text, text) IS
	'How every node''s cost grows over the runs of an ensemble whose columns are labelled with a number, as in '
	'scaling_model((SELECT ensemble(profile(run_id), n_ranks::text) FROM run_overview WHERE ...), ''ranks''): '
	'constant + coefficient * p^exponent * log2(p)^log_exponent, the form of the performance model normal form '
	'(Extra-P) that predicts left-out runs best; the constant alone when that is not 10 % better. growth: the '
	'model''s value at the largest number over that at the smallest. smape in per cent; cross_validation, '
	'constant_validation: root mean square error of left-out runs by the model and by the constant. alternatives: '
	'models that predict left-out runs as well (5 % worse at most; of the constant: better), the best first. '
	'negative_at: where in the range the model is below 0 though nothing measured is. caution: what to know before '
	'the model is trusted, null for nothing. With fewer than four different numbers (n_numbers) there is no model: '
	'constant is then the mean. Runs without the node are left out. Errors: 22023 when a label is not a positive '
	'number.';

CREATE OR REPLACE FUNCTION speedup(p profile, kind text DEFAULT 'strong', cost text DEFAULT 'inclusive', metric text DEFAULT NULL)
	RETURNS TABLE (node int4, name text, path text, parameter float8, value float8, speedup float8, efficiency float8)
	LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000 ROWS 1000 AS 'MODULE_PATHNAME', 'ph_speedup';
COMMENT ON FUNCTION speedup(profile, text, text, text) IS
	'Every node''s speed-up and efficiency over the runs of an ensemble whose columns are labelled with the number of '
	'processes, against the mean of those with the smallest number (base): strong scaling: speedup = base value / '
	'value, efficiency = speedup * base / p; weak: efficiency = base value / value, speedup = efficiency * p / base. '
	'By node, then column. Errors: 22023 for another kind, or when a label is not a positive number.';

CREATE OR REPLACE FUNCTION variance_share("values" float8[], groups int4[])
	RETURNS TABLE (n int4, n_groups int4, share float8, adjusted float8, p_value float8, extreme int4, extreme_share float8,
		mean_in float8, mean_out float8, n_in int4)
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000 ROWS 1 AS 'MODULE_PATHNAME', 'ph_variance_share';
COMMENT ON FUNCTION variance_share(float8[], int4[]) IS
	'One-way analysis of variance: how much of the variance of numbers a grouping of them explains. groups: the group of '
	'each value, from 0; below 0: left out, as are null and NaN values. share: sum of squares between groups / all, 0 to '
	'1; adjusted: less what so many groups explain by chance (epsilon squared); p_value: of Fisher''s F; null where '
	'nothing varies, or there are fewer than two groups or no more values than groups. extreme: the group that alone, '
	'against all others, explains most (extreme_share, of all), with the means of it and of the others, and its size '
	'n_in. Errors: 22023 when there are not as many groups as values, or a number is not below that of values.';
