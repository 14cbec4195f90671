-- 047-topologies.sql - grids of ranks, and what of the variance over ranks they explain.

CREATE OR REPLACE FUNCTION perfhouse_internal.run_topologies(run bigint)
RETURNS TABLE (topology text, dimensions text[], sizes int[], members int[], place bigint)
LANGUAGE sql STABLE PARALLEL SAFE ROWS 3 SET search_path = pg_catalog, pg_temp AS $$
    WITH meta AS (
        SELECT e.key, e.value, regexp_match(e.key, '^(?:otf2\.topology\.([0-9]+) ?|topology:)(.*)$') AS parts
        FROM perfhouse.run r, jsonb_each_text(r.meta) e
        WHERE r.run_id = run AND (e.key = 'grid' OR e.key ~ '^otf2\.topology\.[0-9]+($| )' OR e.key LIKE 'topology:%')
    ), size AS (
        SELECT m.key, s.place, (regexp_match(btrim(s.part), '([0-9]{1,9})$'))[1]::int AS size,
            coalesce(nullif(regexp_replace(btrim(s.part), '\s*[0-9]+$', ''), ''), (ARRAY['x', 'y', 'z'])[s.place],
                'dimension ' || s.place) AS name
        FROM meta m, regexp_split_to_table(m.value, '\s+[x×]\s+|(?<=[0-9])[x×](?=[0-9])') WITH ORDINALITY s (part, place)
    ), grid AS (
        SELECT m.key, m.parts, array_agg(s.name ORDER BY s.place) AS names, array_agg(s.size ORDER BY s.place) AS sizes
        FROM meta m JOIN size s USING (key) GROUP BY 1, 2 HAVING bool_and(s.size > 0)
    )
    SELECT coalesce(nullif(g.parts[2], ''), g.key), g.names, g.sizes, c.members,
        row_number() OVER (ORDER BY g.key <> 'grid', g.key COLLATE "C")
    FROM grid g
    LEFT JOIN perfhouse.run r ON r.run_id = run
    LEFT JOIN LATERAL (
        SELECT array_agg(l.rank ORDER BY u.place) AS members
        FROM perfhouse.trace_communicator t, unnest(t.members) WITH ORDINALITY u (location_id, place), perfhouse.location l
        WHERE t.run_id = run AND t.local_id = (r.meta ->> ('otf2.topology.' || g.parts[1] || '.communicator'))::int
          AND l.run_id = run AND l.location_id = u.location_id) c ON g.parts[1] IS NOT NULL
$$;
COMMENT ON FUNCTION perfhouse_internal.run_topologies(bigint) IS
    'The Cartesian grids that a run''s metadata name: their dimensions, and the ranks in them by their number in the grid; null: '
    'all ranks.';

CREATE OR REPLACE FUNCTION perfhouse.topology(run bigint, topology text DEFAULT NULL)
RETURNS TABLE (topology text, rank int, coordinates int[], dimensions text[], sizes int[], n_boundary int)
LANGUAGE sql STABLE PARALLEL SAFE ROWS 100 SET search_path = pg_catalog, pg_temp AS $$
    WITH known AS MATERIALIZED (
        SELECT t.*, s.n, r.n_ranks
        FROM perfhouse_internal.run_topologies(run) t
        CROSS JOIN LATERAL (SELECT round(exp(sum(ln(u.size))))::bigint AS n FROM unnest(t.sizes) u (size)) s
        JOIN perfhouse.run r ON r.run_id = run AND r.state = 'ready'
    ), chosen AS (
        SELECT k.* FROM known k
        WHERE CASE WHEN $2 IS NOT NULL THEN k.topology = $2 ELSE k.n = k.n_ranks END
        ORDER BY k.topology <> 'grid', (SELECT count(*) FROM unnest(k.sizes) u (size) WHERE u.size > 1) DESC, k.place LIMIT 1
    ), placed AS (
        SELECT c.*, i.i, coalesce(c.members[i.i + 1], i.i) AS of_rank,
            (SELECT array_agg((i.i / d.below) % d.size ORDER BY d.place)
             FROM (SELECT u.size, u.place, coalesce(round(exp(sum(ln(u.size)) OVER (ORDER BY u.place DESC
                       ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING))), 1)::int AS below
                   FROM unnest(c.sizes) WITH ORDINALITY u (size, place)) d) AS at
        FROM chosen c, generate_series(0, (least(c.n, 16777216) - 1)::int) i (i)
    )
    SELECT p.topology, p.of_rank, p.at, p.dimensions, p.sizes,
        (SELECT count(*) FROM unnest(p.at, p.sizes) u (place, size) WHERE u.size > 1 AND u.place IN (0, u.size - 1))::int
    FROM placed p ORDER BY p.of_rank
$$;
COMMENT ON FUNCTION perfhouse.topology(bigint, text) IS
    'The Cartesian grid that the ranks of a run stand in, a row each: coordinates (from 0, the last dimension fastest, as MPI '
    'numbers the ranks of a Cartesian communicator), names and sizes of the dimensions, and in how many dimensions (of more than '
    'one place) the rank is at the boundary. Grids come from OTF2''s and CUBE''s Cartesian topologies and from the metadata grid '
    '(perfhouse load --set grid=8x8x8, or perfhouse set RUN grid=8x8x8). topology: which one by name; null: "grid", else the one '
    'of all ranks with most dimensions. No rows: the run has no such grid.';

-- The factors of one node's vector, a row a factor and unit.
CREATE OR REPLACE FUNCTION perfhouse_internal.rank_factors(p perfhouse.profile, topology text)
RETURNS TABLE (factor text, label text, location int)
LANGUAGE sql STABLE PARALLEL SAFE ROWS 1000 SET search_path = pg_catalog, pg_temp AS $$
    WITH unit AS MATERIALIZED (SELECT c.* FROM perfhouse.columns(p) c),
    grid AS MATERIALIZED (
        SELECT t.*, (SELECT count(*) FROM unnest(t.sizes) u (size) WHERE u.size > 1) AS n_wide
        FROM (SELECT DISTINCT run_id FROM unit WHERE run_id <> 0 LIMIT 1) r CROSS JOIN LATERAL perfhouse.topology(r.run_id, $2) t)
    SELECT 'plane of ' || g.dimensions[d.place], g.dimensions[d.place] || ' = ' || d.at, u.location
    FROM unit u JOIN grid g USING (rank) CROSS JOIN LATERAL unnest(g.coordinates, g.sizes) WITH ORDINALITY d (at, size, place)
    WHERE d.size > 1
    UNION ALL
    SELECT 'corners and faces', CASE WHEN g.n_boundary = 0 THEN 'interior' WHEN g.n_boundary = g.n_wide THEN 'corner'
        WHEN g.n_boundary = g.n_wide - 1 THEN 'edge' WHEN g.n_boundary = 1 THEN 'face' ELSE g.n_boundary || ' boundaries' END, u.location
    FROM unit u JOIN grid g USING (rank) WHERE g.n_wide > 0
    UNION ALL
    SELECT 'node', u.host, u.location FROM unit u WHERE u.host IS NOT NULL
    UNION ALL
    SELECT 'thread', 'thread ' || u.thread, u.location FROM unit u WHERE u.thread IS NOT NULL
    UNION ALL
    SELECT 'rank', 'rank ' || u.rank, u.location FROM unit u WHERE u.thread IS NOT NULL OR u.iteration IS NOT NULL
$$;
COMMENT ON FUNCTION perfhouse_internal.rank_factors(perfhouse.profile, text) IS
    'What the units of a profile may differ by: planes and boundaries of the run''s grid, hosts, threads and ranks.';

CREATE OR REPLACE FUNCTION perfhouse.explain_variance(p perfhouse.profile, node int DEFAULT 0, metric text DEFAULT NULL,
    cost text DEFAULT 'inclusive', topology text DEFAULT NULL)
RETURNS TABLE (factor text, share float8, p_value float8, is_clear boolean, n_groups int, extreme text, extreme_share float8,
    mean_in float8, mean_out float8, n_in int)
LANGUAGE sql STABLE PARALLEL SAFE ROWS 5 SET search_path = pg_catalog, pg_temp AS $$
    WITH value AS MATERIALIZED (
        SELECT v.location, coalesce(CASE $4 WHEN 'exclusive' THEN v.exclusive WHEN 'inclusive' THEN v.inclusive END, 0) AS value
        FROM perfhouse.column_values(p, $2, $3) v
    ), grouped AS (
        SELECT f.factor, f.label, v.value, (dense_rank() OVER (PARTITION BY f.factor ORDER BY f.label COLLATE "C") - 1)::int AS number
        FROM perfhouse_internal.rank_factors(p, $5) f JOIN value v USING (location)
    ), judged AS (
        SELECT g.factor, s.*, (SELECT min(o.label) FROM grouped o WHERE o.factor = g.factor AND o.number = s.extreme) AS label
        FROM (SELECT factor, array_agg(value) AS values, array_agg(number) AS numbers FROM grouped GROUP BY 1) g
        CROSS JOIN LATERAL perfhouse.variance_share(g.values, g.numbers) s WHERE s.share IS NOT NULL)
    SELECT j.factor, j.adjusted, j.p_value, j.adjusted >= 0.1 AND j.p_value * count(*) OVER () < 0.01, j.n_groups, j.label, j.extreme_share,
        j.mean_in, j.mean_out, j.n_in
    FROM judged j ORDER BY j.adjusted DESC, j.p_value, j.factor COLLATE "C"
$$;
COMMENT ON FUNCTION perfhouse.explain_variance(perfhouse.profile, int, text, text, text) IS
    'What explains that units differ in one node of the call tree: planes, corners and faces of the run''s grid (topology), nodes '
    '(hosts), threads and ranks (of threads, or iterations), a row a factor, best first. share: of the variance over units, less '
    'what so many groups explain by chance (epsilon squared), 0 to 1; p_value of Fisher''s F; is_clear: a tenth at least, and less '
    'than one in a hundred by chance over all factors. extreme: the group that differs most from all others, such as "x = 3" or a '
    'host, what it alone explains (extreme_share), how many units it has and the means of it and of the others, in the metric''s '
    'unit, absent = 0. node: by number (node_at finds one by path). cost: inclusive or exclusive. Factors with one group, or as '
    'many as units, are not told. Errors: PH002 for an unknown node or metric.';

CREATE OR REPLACE FUNCTION perfhouse_internal.grid_place(coordinates int[], sizes int[]) RETURNS int[]
LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
    -- slices of the last two dimensions in rows of about a square, empty places between them, in which they are named
    SELECT ARRAY[c.x + (c.slice % c.across) * (c.width + 1), c.y + (c.slice / c.across) * (c.height + 1 + c.height / 8)]
    FROM (SELECT $1[n] AS x, coalesce($1[n - 1], 0) AS y, $2[n] AS width, coalesce($2[n - 1], 1) AS height, o.slice,
              ceil(sqrt(o.slices * coalesce($2[n - 1], 1)::float8 / $2[n]))::int AS across
          FROM (SELECT cardinality($2)) k (n) CROSS JOIN LATERAL (
              SELECT coalesce(sum(u.at * u.below), 0)::int AS slice, coalesce(max(u.at_most), 1) AS slices
              FROM (SELECT d.at, coalesce(round(exp(sum(ln(d.size)) OVER (ORDER BY d.place DESC
                        ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING))), 1) AS below,
                        round(exp(sum(ln(d.size)) OVER ()))::int AS at_most
                    FROM unnest($1, $2) WITH ORDINALITY d (at, size, place) WHERE d.place <= n - 2) u) o) c
$$;
COMMENT ON FUNCTION perfhouse_internal.grid_place(int[], int[]) IS
    'Where a place of a grid is drawn: column and row of its slice, with the slices before it.';

CREATE OR REPLACE FUNCTION perfhouse_internal.grid_slice(coordinates int[], dimensions text[]) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
    SELECT coalesce(string_agg(d.name || ' = ' || d.at, ', ' ORDER BY d.place), '')
    FROM unnest($1, $2) WITH ORDINALITY d (at, name, place) WHERE d.place <= cardinality($1) - 2
$$;
COMMENT ON FUNCTION perfhouse_internal.grid_slice(int[], text[]) IS
    'What the slice of a place is called: its coordinates but the last two.';

CREATE OR REPLACE FUNCTION perfhouse_internal.rank_groups(run bigint, grouping_by text) RETURNS TABLE (rank int, label text)
LANGUAGE plpgsql STABLE PARALLEL SAFE ROWS 1000 SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    dimension int := substring(grouping_by FROM '^plane-([1-9])$')::int;
    n_dimensions int;
BEGIN
    IF dimension IS NULL AND grouping_by IS DISTINCT FROM 'boundary' THEN
        RETURN;
    END IF;
    n_dimensions := (SELECT cardinality(t.sizes) FROM perfhouse.topology(run) t LIMIT 1);
    IF n_dimensions IS NULL THEN
        RAISE EXCEPTION 'the ranks of run % stand in no known grid', run USING ERRCODE = 'PH002',
            HINT = 'Say it with perfhouse set RUN grid=8x8x8; traces of MPI_Cart_create know theirs.';
    ELSIF dimension > n_dimensions THEN
        RAISE EXCEPTION 'the grid of run % has % dimensions', run, n_dimensions USING ERRCODE = '22023';
    END IF;
    RETURN QUERY SELECT t.rank, CASE WHEN dimension IS NOT NULL
            THEN t.dimensions[dimension] || ' = ' || lpad(t.coordinates[dimension]::text, length((t.sizes[dimension] - 1)::text))
            WHEN t.n_boundary = 0 THEN 'inside' WHEN t.n_boundary = 1 THEN 'at 1 boundary'
            ELSE 'at ' || t.n_boundary || ' boundaries' END
        FROM perfhouse.topology(run) t;
END $$;
COMMENT ON FUNCTION perfhouse_internal.rank_groups(bigint, text) IS
    'What pictures order and bracket ranks by: plane-1 (2, 3): the coordinate in that dimension of the run''s grid; boundary: how many '
    'boundaries of it they touch. No rows for any other word. Errors: PH002 for a run without a grid, 22023 for a dimension '
    'that it has not.';

CREATE OR REPLACE FUNCTION perfhouse_internal.ordered_locations(run bigint, grouping_by text, ranks int[])
RETURNS TABLE (location_id int, rank int, label text, place bigint)
LANGUAGE sql STABLE PARALLEL SAFE ROWS 1000 SET search_path = pg_catalog, pg_temp AS $$
    SELECT l.location_id, l.rank, coalesce(g.label, l.host),
        row_number() OVER (ORDER BY coalesce(g.label, l.host) COLLATE "C", l.rank, l.location_id)
    FROM perfhouse.location l LEFT JOIN perfhouse_internal.rank_groups(run, grouping_by) g USING (rank)
    WHERE l.run_id = run AND l.rank IS NOT NULL AND (ranks IS NULL OR l.rank = ANY (ranks)) AND grouping_by <> 'rank'
$$;
COMMENT ON FUNCTION perfhouse_internal.ordered_locations(bigint, text, int[]) IS
    'The locations of these ranks (null: of all) in the order of host or of rank_groups(), with what each is below: host, plane, '
    'boundary. No rows for the order of ranks. Errors: those of rank_groups.';

CREATE OR REPLACE FUNCTION perfhouse_internal.logical_locations_by(run bigint, grouping_by text, ranks int[]) RETURNS int[]
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF grouping_by = 'rank' THEN
        RETURN perfhouse_internal.logical_locations_of(run, ranks);
    ELSIF EXISTS (SELECT 1 FROM perfhouse.logical_timeline t WHERE t.run_id = run) THEN
        RAISE EXCEPTION 'the rows of run % are chares, which have no order by %', run, grouping_by USING ERRCODE = '22023';
    END IF;
    RETURN (SELECT coalesce(array_agg(o.location_id ORDER BY o.place), '{}')
        FROM perfhouse_internal.ordered_locations(run, grouping_by, ranks) o);
END $$;
COMMENT ON FUNCTION perfhouse_internal.logical_locations_by(bigint, text, int[]) IS
    'The locations of these ranks in logical time as rows of a picture stand in this order; null: all, by their numbers. Errors: '
    '22023 for tasks in another order than that of ranks, and those of rank_groups.';
