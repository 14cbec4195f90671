-- 08-distribution.sql - one supernode's vector over columns: histogram, scatter, box, ensemble gradient.
--
-- cost is inclusive or exclusive (own = exclusive + absorbed + residual and absorbed are also known).
-- Absent columns count 0.

CREATE OR REPLACE FUNCTION supernode_values(sg supergraph, node text DEFAULT NULL, metric text DEFAULT NULL)
	RETURNS TABLE (location int4, rank int4, thread int4, host text, name text, inclusive float8, exclusive float8,
		absorbed float8, node text)
	LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000 ROWS 1000 AS 'MODULE_PATHNAME', 'ph_supernode_values';
COMMENT ON FUNCTION supernode_values(supergraph, text, text) IS
	'The vector over columns of a supernode (NULL: of every one), by supernode, then location; 0 where the column has '
	'none of it. Errors: PH002 for an unknown node.';

CREATE OR REPLACE FUNCTION histogram(sg supergraph, node text, bins int4 DEFAULT 20, cost text DEFAULT 'inclusive',
	metric text DEFAULT NULL)
	RETURNS TABLE (bin int4, low float8, high float8, count int4, locations int4[], ranks int4[])
	LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000 ROWS 20 AS 'MODULE_PATHNAME', 'ph_histogram_rows';
COMMENT ON FUNCTION histogram(supergraph, text, int4, text, text) IS
	'Equal bins over [min, max] of a supernode''s vector, by bin from 0: right-open, the last one closed; equal '
	'values are all in bin 0. locations and ranks list the columns of the bin, ascending. Errors: PH002 for an '
	'unknown node; 22023 for fewer than 1 or more than 10000 bins or another cost.';

CREATE OR REPLACE FUNCTION scatter_fit(sg supergraph, node text, metric_x text, metric_y text)
	RETURNS TABLE (n int4, slope float8, intercept float8, r float8, r_squared float8)
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000 ROWS 1 AS 'MODULE_PATHNAME', 'ph_scatter_fit';
COMMENT ON FUNCTION scatter_fit(supergraph, text, text, text) IS
	'Least squares of metric_y over metric_x (inclusives of a supernode, a point per column) with Pearson''s r: one '
	'row; all but n are null when either variance is 0.';

CREATE OR REPLACE FUNCTION box_plot(sg supergraph, node text, cost text DEFAULT 'inclusive', metric text DEFAULT NULL)
	RETURNS TABLE (n int4, min float8, lower_whisker float8, lower_quartile float8, median float8, upper_quartile float8,
		upper_whisker float8, max float8, mean float8, outliers float8[], outlier_ranks int4[])
	LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000 ROWS 1 AS 'MODULE_PATHNAME', 'ph_box_plot';
COMMENT ON FUNCTION box_plot(supergraph, text, text, text) IS
	'Box plot of a supernode''s vector: quartiles by linear interpolation, whiskers at the last values inside 1.5 '
	'interquartile ranges, the values outside with their ranks in order of location.';

CREATE OR REPLACE FUNCTION ensemble_gradient(sg supergraph, node text, bins int4 DEFAULT 20, cost text DEFAULT 'inclusive',
	metric text DEFAULT NULL)
	RETURNS TABLE (bin int4, low float8, high float8, count int4, runs text[])
	LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000 ROWS 20 AS 'MODULE_PATHNAME', 'ph_ensemble_gradient';
COMMENT ON FUNCTION ensemble_gradient(supergraph, text, int4, text, text) IS
	'Histogram over the runs of an ensemble''s super graph, only of those that have the supernode, with the runs'' '
	'labels per bin: what the colour gradient in a bar shows. Bins as in histogram.';

CREATE OR REPLACE FUNCTION mini_histograms(sg supergraph, bins int4 DEFAULT 20, metric text DEFAULT NULL)
	RETURNS TABLE (node text, bin int4, count int4)
	LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000 ROWS 1000 AS 'MODULE_PATHNAME', 'ph_mini_histograms';
COMMENT ON FUNCTION mini_histograms(supergraph, int4, text) IS
	'Histograms of the inclusive vectors of all supernodes at once, by (level, node), then bin; bins as in histogram.';
