-- tiles.sql - tiles of run 901 (by hand) and run 902 (at random), see data/make-traces.c.
\set ECHO none
\set QUIET on
\i regress/data/traces.sql
\set ECHO all

-- ---- what people read
SELECT location, bin_start, bin_end, regions, round(shares[1]::numeric, 3) AS share, round(compute::numeric, 3) AS compute,
	round(communication::numeric, 3) AS communication, round(waiting::numeric, 3) AS waiting, longest_region, longest, depth, messages
FROM trace_cells(901, 6);
SELECT location, n_locations, bin_start, regions, longest_region, longest, longest_location, depth, messages, n_present, deviant, deviant_region,
	round(deviant_share::numeric, 3) AS deviant_share, deviant_longest_region, deviant_longest
FROM trace_cells(901, 6, tier => 1);
SELECT location, bin_start FROM trace_cells(901, 6, 100, 200, '{1}');
SELECT tier, level, block, x, is_stored FROM trace_tiles(901) UNION ALL SELECT tier, level, block, x, is_stored FROM trace_tiles(902, tier => 1);

-- ---- against exclusive times by region and bin, which are found another way
CREATE FUNCTION public.wrong_shares(run bigint, level int) RETURNS TABLE (wrong bigint, compared bigint) LANGUAGE sql AS $$
	WITH span AS (SELECT ((duration >> level) + 1)::int AS n FROM perfhouse.trace WHERE run_id = run),
	cell AS (SELECT c.bin_start, name, share, c.n_locations FROM perfhouse.trace_cells(run, level, tier => 1) c, unnest(c.regions, c.shares) r (name, share)),
	exact AS (SELECT t.bin_start, t.region AS name, t.exclusive FROM span, perfhouse.time_profile(run, n, 0, n::bigint << level) t)
	SELECT count(*) FILTER (WHERE share - coalesce(exclusive, 0)::float8 / (n_locations * 2.0 ^ level) NOT BETWEEN -1.0 / 9 AND 0.003), count(*)
	FROM cell LEFT JOIN exact USING (bin_start, name)
$$;
SELECT level, wrong FROM generate_series(4, 9) level, public.wrong_shares(901, level) WHERE compared > 0;
SELECT level, wrong FROM generate_series(24, 27) level, public.wrong_shares(902, level) WHERE compared > 0;

-- ---- a pyramid, and what is made from chunks: the same bytes
SELECT perfhouse.store_tiles(901) > 0 AS stored, perfhouse.store_tiles(902) > 0 AS stored_too;
SELECT run_id, kind, version, is_stale FROM perfhouse.run_derived WHERE kind = 'pyramid' ORDER BY run_id;
CREATE FUNCTION public.different_tiles(run bigint) RETURNS TABLE (different bigint, compared bigint) LANGUAGE sql AS $$
	WITH place AS (SELECT DISTINCT level, tier FROM perfhouse.trace_tile WHERE run_id = run)
	SELECT count(*) FILTER (WHERE s.bytes IS DISTINCT FROM c.bytes), count(s.bytes) FROM place p
	CROSS JOIN LATERAL perfhouse.trace_tiles(run, p.level, tier => p.tier, source => 'chunks') c
	LEFT JOIN LATERAL perfhouse.trace_tiles(run, p.level, tier => p.tier, source => 'stored') s ON (s.block, s.x) = (c.block, c.x)
$$;
SELECT run, different, compared > 4 AS compared FROM unnest('{901,902}'::bigint[]) run, public.different_tiles(run);
SELECT count(*) FILTER (WHERE s IS DISTINCT FROM c) AS different, count(*) > 10 AS compared FROM (SELECT *, row_number() OVER () AS i FROM trace_cells(902, 26, 20000, 3000000000)) s
FULL JOIN (SELECT *, row_number() OVER () AS i FROM trace_cells(902, 26, 20000, 3000000000, source => 'chunks')) c USING (i);
SELECT is_stored, count(*) > 0 AS some FROM trace_tiles(902, 1, 0, 1000) GROUP BY 1;
SELECT count(*) FROM trace_tiles(902, 1, 0, 1000, source => 'stored');
SELECT perfhouse.store_tiles(902) = count(*) AS again FROM perfhouse.trace_tile WHERE run_id = 902;
-- pyramids of another method are not read, and made anew
UPDATE perfhouse.derived SET version = 0 WHERE run_id = 901 AND kind = 'pyramid';
SELECT bool_or(is_stored) FROM trace_tiles(901, 6);
SELECT perfhouse.remake_derived(901);
SELECT bool_and(is_stored) FROM trace_tiles(901, 6);

-- ---- rasters: version, rows, bins; the same of stored tiles and of chunks
CREATE FUNCTION public.raster_head(raster bytea) RETURNS int[] LANGUAGE sql AS $$
	SELECT array_agg(get_byte(raster, 2 * i) + 256 * get_byte(raster, 2 * i + 1) ORDER BY i) FROM generate_series(0, 3) i $$;
SELECT each, h[1:3] AS version_rows_bins, octet_length(r) = 8 + 4 * h[4] + 17 * h[2] * h[3] AS whole
	FROM unnest('{1,2,64}'::int[]) each, trace_raster(901, 7, 0, each) r, public.raster_head(r) h;
CREATE TEMP TABLE raster AS SELECT p.level, p.x, each, trace_raster(902, p.level, p.x, each) AS bytes
	FROM (SELECT DISTINCT level, x FROM perfhouse.trace_tile WHERE run_id = 902 AND tier = 0) p, unnest('{1,2,4}'::int[]) each;
UPDATE perfhouse.derived SET version = 0 WHERE run_id = 902 AND kind = 'pyramid';
SELECT count(*) > 10 AS compared, count(*) FILTER (WHERE bytes IS DISTINCT FROM trace_raster(902, level, x, each)) AS different FROM raster;
SELECT perfhouse.remake_derived(902);
-- several at once: what one call each gives
SELECT count(*) AS compared, bool_and(trace_raster(901, level, 0, each, 0, n) = single.bytes) AS equal
	FROM unnest('{0,3,7}'::int[]) level, unnest('{1,2,64}'::int[]) each, unnest('{2,8}'::int[]) n,
		LATERAL (SELECT string_agg(trace_raster(901, level, x, each), '' ORDER BY x) AS bytes
			FROM generate_series(0, n - 1) x WHERE x <= (SELECT duration FROM perfhouse.trace WHERE run_id = 901) >> level + 8) single
	WHERE ((SELECT duration FROM perfhouse.trace WHERE run_id = 901) >> level + 8) + 1 >= n;

-- ---- errors
SELECT f.* FROM unnest(ARRAY['trace_tiles(1)', 'trace_cells(99999)', 'trace_cells(901, 63)', 'trace_cells(901, -1)', 'trace_cells(901, tier => 2)', 'trace_cells(901, tier => -1)',
	'trace_cells(901, source => ''disk'')', 'trace_cells(901, 3, 200, 100)', 'trace_cells(901, locations => ''{77}'')', 'trace_tiles(902, 0)', 'store_tiles(1)', 'store_tiles(99999)']) call, public.fails('SELECT * FROM perfhouse.' || call) f;
SELECT count(*) FROM trace_cells(NULL);
SELECT trace_raster(NULL, 7, 0) IS NULL AS nothing;
SELECT f.* FROM unnest(ARRAY['1, 7, 0', '901, 7, 0, 3', '901, 7, 0, 0', '901, 63, 0', '901, -1, 0', '901, 7, -1', '901, 7, 1000', '901, 7, 0, 1, 1', '901, 7, 0, 1, -1', '901, 7, 0, 1, 0, 0', '901, 7, 0, 1, 0, 9']) arguments,
	public.fails('SELECT perfhouse.trace_raster(' || arguments || ')') f;
SELECT store_tiles(NULL) IS NULL AS nothing;
SELECT count(*) FROM trace_cells(901, 3, 50, 50);
SELECT count(*) FROM trace_cells(901, 3, 1000000, 2000000);

-- ---- damage
CREATE FUNCTION public.finding_after(change text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	finding text;
BEGIN
	EXECUTE change;
	SELECT detail INTO finding FROM perfhouse.check_run(901) WHERE check_name = 'trace tiles' AND NOT ok;
	RAISE EXCEPTION USING ERRCODE = 'PH999', MESSAGE = coalesce(finding, 'nothing noticed');
EXCEPTION WHEN SQLSTATE 'PH999' THEN
	RETURN SQLERRM;
END $$;
SELECT check_name, ok, detail FROM perfhouse.check_run(901) WHERE check_name = 'trace tiles';
SELECT column_name, public.finding_after(format('UPDATE perfhouse.trace_tile SET %1$I = %2$s WHERE run_id = 901 AND tier = 1 AND (level, x) = (SELECT max(level), 0 FROM perfhouse.trace_tile WHERE run_id = 901)',
	column_name, CASE WHEN data_type <> 'bytea' THEN format('%I + 1', column_name) ELSE format('set_byte(%1$I, length(%1$I) - 1, get_byte(%1$I, length(%1$I) - 1) # 1)', column_name) END)) <> 'nothing noticed' AS is_found
FROM information_schema.columns WHERE table_schema = 'perfhouse' AND table_name = 'trace_tile' AND column_name <> 'run_id' ORDER BY ordinal_position;
SELECT public.finding_after(change) FROM unnest(ARRAY['DELETE FROM perfhouse.derived WHERE run_id = 901 AND kind = ''pyramid''', 'DELETE FROM perfhouse.trace_tile WHERE run_id = 901']) change;
BEGIN;
UPDATE perfhouse.trace_tile SET bytes = '\x00' WHERE run_id = 901;
SELECT * FROM public.fails('SELECT count(*) FROM perfhouse.trace_cells(901, 6)');
ROLLBACK;

-- ---- who drops the events drops the tiles, and so does who removes the run
SELECT perfhouse.drop_trace_events(902) > 0 AS dropped;
SELECT (SELECT count(*) FROM perfhouse.trace_tile WHERE run_id = 902) AS tiles, (SELECT count(*) FROM perfhouse.derived WHERE run_id = 902 AND kind = 'pyramid') AS noted;
SELECT * FROM public.fails('SELECT count(*) FROM perfhouse.trace_cells(902)');
SELECT perfhouse.drop_run(901), perfhouse.drop_run(902);
SELECT count(*) FROM perfhouse.trace_tile WHERE run_id > 900;
DELETE FROM region r WHERE kind = 0 AND NOT EXISTS (SELECT FROM callpath c WHERE c.region_id = r.region_id) AND name IN ('main', 'solve', 'MPI_Send', 'MPI_Recv', 'MPI_Isend', 'MPI_Irecv', 'MPI_Waitall', 'MPI_Allreduce', 'MPI_Barrier');
DROP FUNCTION public.wrong_shares, public.different_tiles, public.finding_after;
