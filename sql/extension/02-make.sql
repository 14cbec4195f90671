-- 02-make.sql - functions that make profiles: from a stored run and from Hatchet's literal form.
--
-- The functions that read the warehouse run SPI with their caller's rights and a pinned search_path.

CREATE OR REPLACE FUNCTION profile(run bigint) RETURNS profile
	LANGUAGE C STABLE STRICT PARALLEL SAFE COST 100000
	SET search_path = pg_catalog, pg_temp
	AS 'MODULE_PATHNAME', 'ph_profile_of_run';
COMMENT ON FUNCTION profile(bigint) IS
	'The profile of a stored run with its primary time metric and, when the run has it, the number of calls '
	'(calls_metric), and of a file that was aggregated over ranks its minima, maxima and averages over them; a column '
	'per execution unit (rank, thread) by location; iterations are summed per unit. In a prepared statement write '
	'profile($1::bigint): a parameter without a type fits several functions. Errors: PH002 when no ready run has this id '
	'(a run that is still loading or has failed does not exist here); 42P01 when the warehouse tables are missing.';

CREATE OR REPLACE FUNCTION profile(run bigint, metric text, ranks int4[] DEFAULT NULL, iterations boolean DEFAULT false) RETURNS profile
	LANGUAGE C STABLE PARALLEL SAFE COST 100000
	SET search_path = pg_catalog, pg_temp
	AS 'MODULE_PATHNAME', 'ph_profile_of_run_metric';
COMMENT ON FUNCTION profile(bigint, text, int4[], boolean) IS
	'The profile of a stored run with one metric (NULL: the primary one). metric: a name, exact, or else of a metric '
	'that define_metric() made of others, or else in any letter case, or else a unique beginning. ranks: only the units '
	'of these ranks (NULL: all); ranks the run has not are '
	'counted as missing in the provenance. iterations: keep a column per unit and iteration instead of summing them '
	'per unit. Of a file that was aggregated over ranks the minimum, maximum and average over them come along. Errors: '
	'PH002 when the run, the metric or every asked rank does not exist.';

CREATE OR REPLACE FUNCTION profile(run bigint, metrics text[], ranks int4[] DEFAULT NULL, iterations boolean DEFAULT false) RETURNS profile
	LANGUAGE C STABLE PARALLEL SAFE COST 100000
	SET search_path = pg_catalog, pg_temp
	AS 'MODULE_PATHNAME', 'ph_profile_of_run_metrics';
COMMENT ON FUNCTION profile(bigint, text[], int4[], boolean) IS
	'The profile of a stored run with several metrics on one tree, the first being primary (NULL: all the metrics '
	'that the run has). A ratio metric brings its numerator and denominator along. ranks, iterations and errors as '
	'for one metric.';

CREATE OR REPLACE FUNCTION calls_metric(run bigint) RETURNS text
	LANGUAGE C STABLE STRICT PARALLEL SAFE COST 1000
	SET search_path = pg_catalog, pg_temp
	AS 'MODULE_PATHNAME', 'ph_calls_metric';
COMMENT ON FUNCTION calls_metric(bigint) IS
	'The name of the metric of a stored run that counts calls: visits of Score-P and of traces, calls of TAU, Calls '
	'(total) or region.count of Caliper. NULL when the run counts none, or there is no such run. Caliper''s count is '
	'the number of its snapshots, not of calls. With it profile(run, ARRAY[metric, calls_metric(run)]) has what flat, '
	'function_nodes and function_graph need to tell calls.';

CREATE OR REPLACE FUNCTION hatchet_literal("json" jsonb) RETURNS profile
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10000
	AS 'MODULE_PATHNAME', 'ph_hatchet_literal';
COMMENT ON FUNCTION hatchet_literal(jsonb) IS
	'The profile of Hatchet''s literal form: an array of trees (or one tree) of {"frame": {"name": …, "type": …}, '
	'"metrics": {"time": …, "time (inc)": …}, "children": […]}. A metric value is a number, or an object or array of '
	'numbers by rank. "M (inc)" is the inclusive of metric M; "M" its exclusive; what is missing is derived. Equal '
	'siblings are merged. Errors: 22023 naming the place in the document when a frame has no name or a value is not a '
	'number.';
