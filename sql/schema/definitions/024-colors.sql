-- 024-colors.sql - colours of functions and modules in pictures: a name has one, in all pictures of its application.

CREATE OR REPLACE FUNCTION perfhouse_internal.function_family(name text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE STRICT SET search_path = pg_catalog, pg_temp AS $$
    SELECT CASE
        WHEN name ~* '^p?mpi_file_' THEN 'io'
        WHEN name ~* '^p?mpi_(wait|test|i?m?probe)' THEN 'wait'
        WHEN name ~* '^p?mpi_i?(neighbor_)?(all|barrier|bcast|reduce|gather|scatter|scan|exscan)' THEN 'collective'
        WHEN name ~* '^p?mpi_(i?[bsrm]?(send|recv)|p(send|recv|ready|arrived)|start)' THEN 'point-to-point'
        WHEN name ~* '^p?mpi_' THEN 'mpi'
        WHEN name ~ '^(__)?(cuda|hip|hsa_|nccl|rccl|roctx|nvtx|cublas|cufft|zeCommand|zeKernel|acc_|omp_target)'
          OR name ~ '^(cu|cl)[A-Z]' THEN 'device'
        WHEN name ~ '^(H5|nc_|ncmpi_|adios|__GI_)?[pf]?(read|write|open|close|sync|seek|flush|puts|gets|printf|scanf)v?(64)?$'
          OR name ~ '^(H5[A-Z]|nc_|ncmpi_|adios2?_)' THEN 'io'
        ELSE 'compute' END
$$;
COMMENT ON FUNCTION perfhouse_internal.function_family(text) IS
    'What a function is for, by its name: point-to-point, collective, wait, mpi (other functions of MPI), io, device or '
    'compute. Pictures choose hues by it.';

CREATE OR REPLACE FUNCTION perfhouse_internal.assign_colors(runs bigint[]) RETURNS bigint
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    n bigint;
BEGIN
    -- two loaders would give one place twice
    PERFORM pg_advisory_xact_lock(8097114103);
    WITH loaded AS (
        SELECT r.run_id, coalesce(r.application, '') AS application, r.primary_metric_id AS metric_id
        FROM perfhouse.run r WHERE r.run_id = ANY (runs) AND r.state = 'ready'
    ), function AS (
        SELECT l.run_id, l.application, g.name, coalesce(rr.module, g.library) AS module, g.file, s.exclusive * m.factor AS exclusive
        FROM loaded l JOIN perfhouse.metric m USING (metric_id) JOIN perfhouse.region_summary s USING (run_id, metric_id)
        JOIN perfhouse.region g USING (region_id)
        LEFT JOIN perfhouse.run_region rr ON rr.run_id = l.run_id AND rr.region_id = s.region_id
    ), heavy AS (
        SELECT f.application, f.name, perfhouse_internal.function_family(f.name) AS family, max(f.weight) AS weight
        FROM (SELECT run_id, application, name, sum(exclusive) AS weight,
                     row_number() OVER (PARTITION BY run_id ORDER BY sum(exclusive) DESC, name) AS heaviness
              FROM function GROUP BY run_id, application, name) f
        WHERE f.heaviness <= 500 AND f.name <> '' AND f.name !~ '^<' GROUP BY 1, 2
    ), grouped AS (
        SELECT f.application, m.name, 'group' AS family, sum(f.exclusive) AS weight
        FROM function f CROSS JOIN LATERAL (VALUES (f.module), (f.file)) AS m (name)
        WHERE m.name <> '' GROUP BY 1, 2
    ), fresh AS (
        SELECT DISTINCT ON (x.application, x.name) x.* FROM (TABLE grouped UNION ALL TABLE heavy) x
        WHERE NOT EXISTS (SELECT FROM perfhouse.color_of c WHERE c.application = x.application AND c.name = x.name)
        ORDER BY x.application, x.name, x.family
    )
    INSERT INTO perfhouse.color_of (application, name, family, place)
    SELECT f.application, f.name, f.family,
           coalesce((SELECT max(c.place) + 1 FROM perfhouse.color_of c WHERE c.application = f.application AND c.family = f.family), 0)
           + row_number() OVER (PARTITION BY f.application, f.family ORDER BY f.weight DESC, f.name) - 1
    FROM fresh f
    ON CONFLICT DO NOTHING;
    GET DIAGNOSTICS n = ROW_COUNT;
    RETURN n;
END $$;
COMMENT ON FUNCTION perfhouse_internal.assign_colors(bigint[]) IS
    'Gives colours to the functions (the 500 heaviest of each run), modules and files of runs that have none in their '
    'application yet, the heaviest first; how many. Loading calls it; colours that are given never change.';
REVOKE ALL ON FUNCTION perfhouse_internal.assign_colors(bigint[]) FROM PUBLIC;

-- a warehouse of before there were colours
DO $$
BEGIN
    IF NOT EXISTS (SELECT FROM perfhouse.color_of) THEN
        PERFORM perfhouse_internal.assign_colors(ARRAY(SELECT r.run_id FROM perfhouse.run r WHERE r.state = 'ready'));
    END IF;
END $$;
