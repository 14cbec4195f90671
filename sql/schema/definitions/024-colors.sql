-- 024-colors.sql - colours of functions and modules in pictures: a name has one, in all pictures of its application.

-- An expression, which becomes a part of the query that calls it; a function that is strict by word would not.
CREATE OR REPLACE FUNCTION perfhouse_internal.function_family(name text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE
        WHEN name IS NULL THEN NULL
        WHEN name ~* '^p?mpi_' THEN CASE
            WHEN name ~* '^p?mpi_file_' THEN 'io'
            WHEN name ~* '^p?mpi_(wait|test|i?m?probe)' THEN 'wait'
            WHEN name ~* '^p?mpi_i?(neighbor_)?(all|barrier|bcast|reduce|gather|scatter|scan|exscan)' THEN 'collective'
            WHEN name ~* '^p?mpi_(i?[bsrm]?(send|recv)|p(send|recv|ready|arrived)|start)' THEN 'point-to-point'
            ELSE 'mpi' END
        WHEN name ~ '^(__)?(cuda|hip|hsa_|nccl|rccl|roctx|nvtx|cublas|cufft|zeCommand|zeKernel|acc_|omp_target)'
          OR name ~ '^(cu|cl)[A-Z]' THEN 'device'
        WHEN name ~ '^(H5|nc_|ncmpi_|adios|__GI_)?[pf]?(read|write|open|close|sync|seek|flush|puts|gets|printf|scanf)v?(64)?$'
          OR name ~ '^(H5[A-Z]|nc_|ncmpi_|adios2?_)' THEN 'io'
        ELSE 'compute' END;
COMMENT ON FUNCTION perfhouse_internal.function_family(text) IS
    'What a function is for, by its name: point-to-point, collective, wait, mpi (other functions of MPI), io, device or '
    'compute. Pictures choose hues by it.';

CREATE OR REPLACE FUNCTION perfhouse_internal.assign_colors(runs bigint[]) RETURNS bigint
-- a row a run and region: aggregates hash; the price that this puts on the sorts of names would have them compiled
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp SET enable_sort = off SET jit = off AS $$
DECLARE
    n bigint;
BEGIN
    -- two loaders would give one place twice
    PERFORM pg_advisory_xact_lock(8097114103);
    WITH loaded AS MATERIALIZED (
        SELECT r.run_id, coalesce(r.application, '') AS application, r.labels_id, r.primary_metric_id AS metric_id, r.n_nodes, m.factor
        FROM perfhouse.run r JOIN perfhouse.metric m ON m.metric_id = r.primary_metric_id
        WHERE r.run_id = ANY (runs) AND r.state = 'ready'
    ), cost AS NOT MATERIALIZED (
        -- Millions of rows of a large load, which are read where they are needed. That the runs are named again tells the planner
        -- how many rows these runs have, not the mean of all: one large run made it read the whole table for a small one.
        SELECT l.run_id, l.application, l.labels_id, s.region_id, s.exclusive * l.factor AS exclusive
        FROM loaded l JOIN perfhouse.region_summary s USING (run_id, metric_id) WHERE s.run_id = ANY (runs)
    ), labelled AS MATERIALIZED (
        SELECT s.application, s.labels_id, q.region_id, q.module
        FROM (SELECT DISTINCT l.application, l.labels_id FROM loaded l) s JOIN perfhouse.label_data d USING (labels_id)
        CROSS JOIN LATERAL perfhouse_internal.label_rows(d.labels) q WHERE q.module IS NOT NULL
    ), crowded AS MATERIALIZED ( -- of runs with more functions the heaviest have colours
        SELECT l.run_id FROM loaded l JOIN perfhouse.region_summary s USING (run_id, metric_id)
        WHERE l.n_nodes > 500 AND s.run_id = ANY (runs) GROUP BY 1 HAVING count(*) > 500
    ), chosen AS MATERIALIZED ( -- few, and the planner knows: what is looked up for every row of a large run is a hash of them
        SELECT w.run_id, h.region_ids
        FROM crowded w CROSS JOIN LATERAL (
            SELECT array_agg(c.region_id) AS region_ids FROM cost c JOIN perfhouse.region g USING (region_id)
            WHERE c.run_id = w.run_id GROUP BY g.name ORDER BY sum(c.exclusive) DESC, g.name LIMIT 500) h
    ), heaviest AS MATERIALIZED ( -- numbers first: names are compared once a region
        SELECT c.region_id, c.application,
               max(c.exclusive) FILTER (WHERE c.run_id NOT IN (SELECT w.run_id FROM crowded w)
                   OR (c.run_id, c.region_id) IN (SELECT h.run_id, unnest(h.region_ids) FROM chosen h)) AS weight
        FROM cost c GROUP BY c.region_id, c.application
    ), named AS MATERIALIZED (
        SELECT c.application, c.region_id, c.weight, g.name,
               g.library <> '' OR g.file <> '' OR g.region_id IN (SELECT q.region_id FROM labelled q)
               OR (SELECT count(*) FILTER (WHERE l.labels_id IS NULL) FROM loaded l) > 0 AS has_group,
               NOT EXISTS (SELECT FROM perfhouse.color_of o WHERE o.application = c.application AND o.name = g.name) AS is_fresh
        FROM heaviest c JOIN perfhouse.region g USING (region_id)
    ), heavy AS (
        SELECT n.application, n.name, perfhouse_internal.function_family(n.name) AS family, sum(n.weight) AS weight
        FROM named n WHERE n.is_fresh AND n.weight IS NOT NULL AND n.name <> '' AND n.name !~ '^<' GROUP BY 1, 2
    ), split AS (
        -- By module. What is looked up is hashed, and labels are one more summand: the planner takes rows of a first large load for a
        -- few, and a join of them by nested loops would be quadratic.
        SELECT x.application, x.region_id, coalesce(max(x.label), x.module) AS module, sum(x.exclusive) AS weight
        FROM (SELECT c.application, c.region_id, c.labels_id, o.module, NULL AS label, c.exclusive, 1 AS n
              FROM cost c LEFT JOIN perfhouse.run_region_1 o ON c.labels_id IS NULL AND o.run_id = c.run_id AND o.region_id = c.region_id
              UNION ALL SELECT q.application, q.region_id, q.labels_id, NULL, q.module, NULL, 0 FROM labelled q) x
        WHERE (x.region_id IN (SELECT n.region_id FROM named n WHERE n.has_group)) IS TRUE
        GROUP BY x.application, x.region_id, x.labels_id, x.module HAVING sum(x.n) > 0
    ), grouped AS (
        SELECT c.application, m.name, 'group' AS family, sum(c.weight) AS weight
        FROM split c JOIN perfhouse.region g USING (region_id)
        CROSS JOIN LATERAL (VALUES (coalesce(c.module, g.library)), (g.file)) AS m (name)
        WHERE m.name <> '' GROUP BY 1, 2
    ), fresh AS MATERIALIZED (
        SELECT DISTINCT ON (x.application, x.name) x.* FROM (TABLE grouped UNION ALL TABLE heavy) x
        WHERE NOT EXISTS (SELECT FROM perfhouse.color_of c WHERE c.application = x.application AND c.name = x.name)
        ORDER BY x.application, x.name, x.family
    ), taken AS MATERIALIZED (
        SELECT c.application, c.family, max(c.place) AS place FROM perfhouse.color_of c
        WHERE c.application IN (SELECT f.application FROM fresh f) GROUP BY 1, 2
    )
    INSERT INTO perfhouse.color_of (application, name, family, place)
    SELECT f.application, f.name, f.family, coalesce(t.place + 1, 0)
           + row_number() OVER (PARTITION BY f.application, f.family ORDER BY f.weight DESC, f.name) - 1
    FROM fresh f LEFT JOIN taken t USING (application, family)
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
