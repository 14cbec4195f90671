-- 11-timeline.sql - windows of a trace as a picture's worth of rows, for timelines of any client.
--
-- Locations are put into at most max_rows rows of equal size, in ascending order, those of streams below the threads of
-- their rank; times are cut into bins.
-- A window without ends is the whole trace.

CREATE OR REPLACE FUNCTION timeline_rows(run bigint, locations int4[] DEFAULT NULL, max_rows int4 DEFAULT 500)
	RETURNS TABLE ("row" int4, locations int4[], n_locations int4, rank int4, last_rank int4, thread int4, name text, host text)
	LANGUAGE C STABLE PARALLEL SAFE COST 1000 ROWS 100
	SET search_path = pg_catalog, pg_temp
	AS 'MODULE_PATHNAME', 'ph_timeline_rows';
COMMENT ON FUNCTION timeline_rows(bigint, int4[], int4) IS
	'The rows of a timeline of these locations (NULL: all), by row: which locations share it, the rank of the first '
	'and of the last of them, and thread, name and host of the first. Errors: PH002 for an unknown run or location, '
	'or a run without a trace; 22023 unless max_rows is at least 1.';

CREATE OR REPLACE FUNCTION timeline(run bigint, bins int4 DEFAULT 1000, t_from int8 DEFAULT NULL, t_to int8 DEFAULT NULL,
		locations int4[] DEFAULT NULL, max_rows int4 DEFAULT 500, max_depth int4 DEFAULT 8)
	RETURNS TABLE ("row" int4, depth int4, bin int4, n_bins int4, region text, share float8, calls int8, t_start int8, t_end int8)
	LANGUAGE C STABLE PARALLEL SAFE COST 100000 ROWS 10000
	SET search_path = pg_catalog, pg_temp
	AS 'MODULE_PATHNAME', 'ph_timeline_spans';
COMMENT ON FUNCTION timeline(bigint, int4, int8, int8, int4[], int4, int4) IS
	'Spans of calls, by row, depth and bin: in each bin the function that took most of the time at that depth '
	'(outermost calls are 0; calls at max_depth and deeper are left out), neighbouring bins of one function joined. '
	'share: how much of the span its calls cover, 0 to 1, over the row''s locations; calls: those of it that overlap '
	'the span; t_start and t_end: the span in ns. The number of rows does not grow with the trace. Errors: as '
	'timeline_rows; 22023 for bad bins (1 to 65536), max_depth (1 to 1024) or an empty window.';

CREATE OR REPLACE FUNCTION timeline_deviants(run bigint, bins int4 DEFAULT 1000, t_from int8 DEFAULT NULL, t_to int8 DEFAULT NULL,
		locations int4[] DEFAULT NULL, max_rows int4 DEFAULT 500)
	RETURNS TABLE ("row" int4, bin int4, n_bins int4, location int4, rank int4, thread int4, name text, distance float8)
	LANGUAGE C STABLE PARALLEL SAFE COST 100000 ROWS 1000
	SET search_path = pg_catalog, pg_temp
	AS 'MODULE_PATHNAME', 'ph_timeline_deviants';
COMMENT ON FUNCTION timeline_deviants(bigint, int4, int8, int8, int4[], int4) IS
	'Of the locations that share a row of a timeline, those that are least like the rest, by row and bin: in bins bin '
	'to bin + n_bins - 1, the location whose times by function differ most from the means of its row. distance: the '
	'share of the time in which it did something else, 0 to 1; what is below 0.1 is left out. The window is cut into '
	'32 parts or so; the location that differs most over the whole window stands for all parts but those where another '
	'one differs more than twice as much. No rows where every location has a row of its own. Errors: as timeline.';

CREATE OR REPLACE FUNCTION timeline_deviant_spans(run bigint, bins int4 DEFAULT 1000, t_from int8 DEFAULT NULL, t_to int8 DEFAULT NULL,
		locations int4[] DEFAULT NULL, max_rows int4 DEFAULT 500, max_depth int4 DEFAULT 8)
	RETURNS TABLE ("row" int4, depth int4, bin int4, n_bins int4, region text, share float8, calls int8, location int4, rank int4,
		distance float8, first_bin int4, last_bin int4)
	LANGUAGE sql STABLE PARALLEL SAFE COST 100000 ROWS 10000
	SET search_path = pg_catalog, pg_temp
	AS $$
	WITH deviant AS MATERIALIZED (
		SELECT d.*, dense_rank() OVER (ORDER BY d.location) - 1 AS place
		FROM perfhouse.timeline_deviants(run, bins, t_from, t_to, locations, max_rows) d
	), chosen AS MATERIALIZED (
		SELECT array_agg(DISTINCT d.location) AS locations, count(DISTINCT d.location)::int4 AS n FROM deviant d
	)
	SELECT d."row", s.depth, p.bin, p."end" - p.bin, s.region, s.share, s.calls, d.location, d.rank, d.distance, d.bin,
		d.bin + d.n_bins - 1
	FROM chosen c, perfhouse.timeline(run, bins, t_from, t_to, c.locations, c.n, max_depth) s JOIN deviant d ON d.place = s."row"
	CROSS JOIN LATERAL (SELECT greatest(s.bin, d.bin) AS bin, least(s.bin + s.n_bins, d.bin + d.n_bins) AS "end") p
	WHERE c.n > 0 AND p.bin < p."end"
	ORDER BY s.depth, d."row", p.bin
	$$;
COMMENT ON FUNCTION timeline_deviant_spans(bigint, int4, int8, int8, int4[], int4, int4) IS
	'The calls of timeline_deviants, each in its bins (first_bin to last_bin), as timeline has calls: what a timeline '
	'draws beside what most locations of a row do. Order: depth, row, bin. Errors: as timeline.';

CREATE OR REPLACE FUNCTION time_profile_outliers(run bigint, bins int4 DEFAULT 50, t_from int8 DEFAULT NULL, t_to int8 DEFAULT NULL,
		locations int4[] DEFAULT NULL)
	RETURNS TABLE (bin int4, region text, location int4, rank int4, share float8, usual float8)
	LANGUAGE sql STABLE PARALLEL SAFE COST 1000000 ROWS 100
	SET search_path = pg_catalog, pg_temp
	AS $$
	WITH "row" AS MATERIALIZED (
		SELECT r."row", r.locations[1] AS location, r.rank, r.n_locations FROM perfhouse.timeline_rows(run, locations, 500) r
	), span AS MATERIALIZED (
		SELECT r.location, r.rank, s.depth, s.bin, s.n_bins, s.region, s.share, 1::float8 AS distance
		FROM perfhouse.timeline(run, bins, t_from, t_to, locations, 500, 64) s JOIN "row" r USING ("row")
		WHERE NOT EXISTS (SELECT FROM "row" WHERE n_locations > 1)
		UNION ALL
		SELECT d.location, d.rank, d.depth, d.bin, d.n_bins, d.region, d.share, d.distance
		FROM perfhouse.timeline_deviant_spans(run, bins, t_from, t_to, locations, 500, 64) d
		WHERE EXISTS (SELECT FROM "row" WHERE n_locations > 1)
	), own AS (
		SELECT s.location, s.rank, b.bin, s.region, s.distance,
			s.share - coalesce(lead(s.share) OVER (PARTITION BY s.location, b.bin ORDER BY s.depth), 0) AS share
		FROM span s CROSS JOIN LATERAL generate_series(s.bin, s.bin + s.n_bins - 1) b (bin)
	)
	SELECT DISTINCT ON (d.bin, d.region) d.bin, d.region, d.location, d.rank, d.share, coalesce(p.share, 0)
	FROM own d LEFT JOIN perfhouse.time_profile(run, bins, t_from, t_to, locations) p ON p.bin = d.bin AND p.region = d.region
	WHERE d.share >= 0.5 AND d.share > 10 * coalesce(p.share, 0)
	ORDER BY d.bin, d.region, d.share DESC, d.distance DESC, d.location
	$$;
COMMENT ON FUNCTION time_profile_outliers(bigint, int4, int8, int8, int4[]) IS
	'What single locations did that hardly any other did at the time, and that a time profile is too coarse to show: by '
	'bin and region, the location that spent most of the bin in it and not in what it called (share, at least half), '
	'where that is more than ten times what the locations did on average (usual, the share of time_profile). Of more than 500 locations '
	'those are asked that timeline_deviants has. Errors: as timeline.';

CREATE OR REPLACE FUNCTION timeline_messages(run bigint, bins int4 DEFAULT 1000, t_from int8 DEFAULT NULL, t_to int8 DEFAULT NULL,
		locations int4[] DEFAULT NULL, max_rows int4 DEFAULT 500, max_messages int4 DEFAULT 20000)
	RETURNS TABLE (from_row int4, to_row int4, send_time int8, receive_time int8, messages int8, bytes int8, bin_width int8)
	LANGUAGE C STABLE PARALLEL SAFE COST 100000 ROWS 5000
	SET search_path = pg_catalog, pg_temp
	AS 'MODULE_PATHNAME', 'ph_timeline_messages';
COMMENT ON FUNCTION timeline_messages(bigint, int4, int8, int8, int4[], int4, int4) IS
	'Matched messages between the rows of a timeline, bundled: those that leave from one bin of one row and arrive in '
	'one bin of another are a row of the answer, with their mean times (ns; of ends outside the window its start or '
	'end) and the sums of messages and bytes. Bins are joined until there are at most max_messages rows, or one bin; '
	'bin_width is how wide they became, in ns. Order: from_row, send_time, to_row, receive_time. Errors: as timeline.';

CREATE OR REPLACE FUNCTION timeline_launches(run bigint, bins int4 DEFAULT 1000, t_from int8 DEFAULT NULL, t_to int8 DEFAULT NULL,
		locations int4[] DEFAULT NULL, max_rows int4 DEFAULT 500, max_bundles int4 DEFAULT 20000)
	RETURNS TABLE (from_row int4, to_row int4, t_call int8, t_start int8, launches int8, bin_width int8)
	LANGUAGE C STABLE PARALLEL SAFE COST 100000 ROWS 1000
	SET search_path = pg_catalog, pg_temp
	AS 'MODULE_PATHNAME', 'ph_timeline_launches';
COMMENT ON FUNCTION timeline_launches(bigint, int4, int8, int8, int4[], int4, int4) IS
	'Launches of a timeline: from the row of the call to that of the stream, bundled by bins as timeline_messages, with the '
	'mean times of the calls'' starts and of the activities''. Traces without devices have none. Errors: as timeline_messages.';

CREATE OR REPLACE FUNCTION metric_over_time(run bigint, metric text, bins int4 DEFAULT 50, t_from int8 DEFAULT NULL,
		t_to int8 DEFAULT NULL, locations int4[] DEFAULT NULL)
	RETURNS TABLE (bin int4, bin_start int8, bin_end int8, mean float8, min float8, max float8, n_locations int4, unit text,
		accumulated boolean)
	LANGUAGE C STABLE PARALLEL SAFE COST 100000 ROWS 100
	SET search_path = pg_catalog, pg_temp
	AS 'MODULE_PATHNAME', 'ph_metric_over_time';
COMMENT ON FUNCTION metric_over_time(bigint, text, int4, int8, int8, int4[]) IS
	'A metric recorded in the trace, bin by bin: mean, least and largest value over the locations that have one '
	'(n_locations), in unit. Absolute metrics hold from sample to sample and have their mean over the bin; '
	'accumulated ones (counters) have their growth within it. Errors: PH002 for a metric that the trace does not '
	'have, an unknown run or location; 22023 for bad bins or an empty window.';
