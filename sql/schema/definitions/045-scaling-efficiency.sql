-- 045-scaling-efficiency.sql - what is lost between runs of other sizes: POP's computation scaling (docs/design/replay.md 6).

CREATE OR REPLACE FUNCTION perfhouse_internal.useful_sums(run bigint)
RETURNS TABLE (seconds float8, instructions float8, cycles float8)
LANGUAGE sql STABLE PARALLEL SAFE ROWS 1 SET search_path = pg_catalog, pg_temp AS $$
    WITH metric AS (
        SELECT k.kind, (SELECT m.name FROM unnest(r.metrics) WITH ORDINALITY m (name, no)
            WHERE m.name ~* k.pattern ORDER BY m.no LIMIT 1) AS name
        FROM perfhouse.run_overview r, (VALUES ('instructions', '(tot_ins|inst_retired|instructions)$'),
            ('cycles', '(tot_cyc|clk_unhalted.*|cycles)$')) k (kind, pattern)
        WHERE r.run_id = $1
        UNION ALL SELECT 'seconds', NULL), -- null: the primary one
    useful AS (
        SELECT m.kind, r.n_columns * sum(n.exclusive) FILTER (WHERE coalesce(n.paradigm, '') <> 'mpi' AND n.name !~* '^p?mpi_'
            AND NOT (n.name ~* '^!\$omp' AND n.name ~* 'barrier')) AS value
        FROM metric m, perfhouse.run_overview r, LATERAL perfhouse.nodes(
            CASE WHEN m.name IS NULL THEN perfhouse.profile($1) ELSE perfhouse.profile($1, m.name) END) n
        WHERE r.run_id = $1 AND (m.name IS NOT NULL OR m.kind = 'seconds') GROUP BY m.kind, r.n_columns)
    SELECT max(u.value) FILTER (WHERE u.kind = 'seconds'), max(u.value) FILTER (WHERE u.kind = 'instructions'),
        max(u.value) FILTER (WHERE u.kind = 'cycles') FROM useful u
$$;
COMMENT ON FUNCTION perfhouse_internal.useful_sums(bigint) IS
    'Sums over all units of a run outside of MPI and of barriers of teams: the primary metric, instructions and cycles, by the '
    'names that counters have; null: not recorded.';

CREATE OR REPLACE FUNCTION perfhouse.scaling_efficiency(runs bigint[])
RETURNS TABLE (run_id bigint, n_ranks int, n_threads int, kind text, parallel float8, computation float8, instructions float8,
    ipc float8, frequency float8, global float8, reason text)
LANGUAGE sql STABLE PARALLEL SAFE ROWS 10 SET search_path = pg_catalog, pg_temp AS $$
    WITH run AS MATERIALIZED (
        SELECT r.run_id, r.n_ranks, r.n_threads, r.n_ranks::float8 * coalesce(r.n_threads, 1) AS units, r.parallel_efficiency, u.*
        FROM perfhouse.run_overview r, LATERAL perfhouse_internal.useful_sums(r.run_id) u
        WHERE r.run_id = ANY (runs) AND r.n_ranks > 0),
    reference AS (SELECT * FROM run ORDER BY units, run_id LIMIT 1),
    factor AS ( -- the work of a run is so many times that of the reference
        SELECT r.run_id, k.kind, k.reason, CASE k.kind WHEN 'strong' THEN 1 WHEN 'weak' THEN r.n_ranks::float8 / f.n_ranks END AS work
        FROM run r, reference f, LATERAL perfhouse.scaling_kind(runs) k)
    SELECT r.run_id, r.n_ranks, r.n_threads, w.kind, r.parallel_efficiency, w.work * f.seconds / nullif(r.seconds, 0),
        w.work * f.instructions / nullif(r.instructions, 0),
        r.instructions / nullif(r.cycles, 0) / nullif(f.instructions / nullif(f.cycles, 0), 0),
        r.cycles / nullif(r.seconds, 0) / nullif(f.cycles / nullif(f.seconds, 0), 0),
        r.parallel_efficiency * w.work * f.seconds / nullif(r.seconds, 0), w.reason
    FROM run r JOIN factor w USING (run_id), reference f ORDER BY r.units, r.run_id
$$;
COMMENT ON FUNCTION perfhouse.scaling_efficiency(bigint[]) IS
    'What is lost between runs of other sizes, a row a run, smallest first, 1 for the smallest: computation, the time outside of MPI '
    'and of barriers of teams that all units of the smallest run took / that of this one (the primary metric), which is instructions '
    '(the same of their number) x ipc (of this run / of the smallest) x frequency (cycles in that time, likewise); null where '
    'counters are not recorded. global = parallel (the stored parallel efficiency) x computation. With weak scaling the '
    'work of a run is taken to grow with its ranks. kind and reason are those of scaling_kind: of runs that do not tell '
    'whether their problem grows, computation, instructions and global are null. Runs that are not there have no row. '
    'Method: the multiplicative efficiencies of the POP project (M. Wagner et al. 2017).';

CREATE OR REPLACE FUNCTION perfhouse.scaling_study(application text, filter text DEFAULT NULL)
RETURNS TABLE (run_id bigint, n_ranks int, n_threads int, kind text, parallel float8, computation float8, instructions float8,
    ipc float8, frequency float8, global float8, reason text)
LANGUAGE sql STABLE PARALLEL SAFE ROWS 10 SET search_path = pg_catalog, pg_temp AS $$
    WITH study AS ( -- in the order of the subquery: what comes after the first is not looked at
        SELECT n.run_id || s.runs AS runs
        FROM (SELECT r.run_id FROM perfhouse.run r
            WHERE r.application = $1 AND r.state = 'ready' AND r.excluded_reason IS NULL AND r.n_ranks > 0
              AND ($2 IS NULL OR r.run_id IN (SELECT perfhouse.runs_matching($2)))
            ORDER BY r.run_id DESC LIMIT 10) n, LATERAL (SELECT array_agg(o.run_id ORDER BY o.n_ranks) AS runs FROM (
            SELECT DISTINCT ON (p.n_ranks) p.run_id, p.n_ranks FROM perfhouse_internal.runs_of_other_sizes(n.run_id) p
            WHERE $2 IS NULL OR p.run_id IN (SELECT perfhouse.runs_matching($2))
            ORDER BY p.n_ranks, abs(p.run_id - n.run_id), p.run_id) o) s
        WHERE s.runs IS NOT NULL ORDER BY n.run_id DESC LIMIT 1)
    SELECT e.* FROM study s, LATERAL perfhouse.scaling_efficiency(s.runs) e
$$;
COMMENT ON FUNCTION perfhouse.scaling_study(text, text) IS
    'The newest scaling study of an application, as scaling_efficiency has it: of its ten newest runs (that a run filter selects, null: '
    'all) the first beside which there are runs of other numbers of ranks that differ in nothing else of their experiment, and of each '
    'number the nearest of those. No rows: there is none, or no such application. Errors: 22023 for a filter that nobody can read.';

CREATE OR REPLACE FUNCTION perfhouse_internal.explain_scaling_efficiency(run bigint)
RETURNS TABLE (step text, sentence text, confidence text, shape text, cause text, path text, units text, share float8, effect float8,
    evidence text, picture text)
LANGUAGE sql STABLE PARALLEL SAFE ROWS 1 SET search_path = pg_catalog, pg_temp AS $$
    WITH pair AS MATERIALIZED ( -- the nearest run on the smallest number of ranks, and this one
        SELECT o.run_id AS smaller, o.n_ranks AS smaller_ranks, r.n_ranks, ARRAY[o.run_id, r.run_id] AS runs
        FROM perfhouse.run r, LATERAL (SELECT s.run_id, s.n_ranks FROM perfhouse_internal.runs_of_other_sizes(r.run_id) s
            WHERE s.n_ranks < r.n_ranks ORDER BY s.n_ranks, abs(s.run_id - r.run_id), s.run_id LIMIT 1) o
        WHERE r.run_id = $1 AND r.state = 'ready'),
    own AS (
        SELECT p.*, e.* FROM pair p, LATERAL perfhouse.scaling_efficiency(p.runs) e
        WHERE e.run_id = $1 AND e.computation IS NOT NULL),
    factors AS (
        SELECT string_agg(format('%s %s %%', f.name, round((100 * f.value)::numeric, 1)), ', ' ORDER BY f.no) AS text
        FROM own w, LATERAL (VALUES
            (1, 'instructions', w.instructions), (2, 'IPC', w.ipc), (3, 'frequency', w.frequency)) f (no, name, value)
        WHERE f.value IS NOT NULL)
    SELECT 'efficiency', format('From %s to %s ranks (%s scaling) computation keeps %s %% of its efficiency%s%s.', w.smaller_ranks,
            (SELECT p.n_ranks FROM pair p), w.kind, round((100 * w.computation)::numeric, 1), coalesce(': ' || f.text, ''),
            coalesce(format('; with that of processes it is %s %%', round((100 * w.global)::numeric, 1)), '')),
        'medium', NULL, NULL, NULL, NULL, greatest(1 - w.computation, 0), NULL::float8,
        format('SELECT * FROM perfhouse.scaling_efficiency(%L)', w.runs),
        format('perfhouse render scaling --application ''%s'' -o explain.svg', replace(r.application, '''', '''\'''''))
    FROM own w, factors f, perfhouse.run r WHERE r.run_id = $1
$$;
COMMENT ON FUNCTION perfhouse_internal.explain_scaling_efficiency(bigint) IS
    'What a run loses to the nearest run of its experiment on the smallest number of ranks, by scaling_efficiency; share is what '
    'computation loses. No row of the smallest, and where it is not known whether the problem grows.';
