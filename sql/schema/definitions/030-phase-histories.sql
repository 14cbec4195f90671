-- 030-phase-histories.sql - the same phases in the traces of an application.

CREATE OR REPLACE FUNCTION perfhouse.phase_history(application text, filter text DEFAULT NULL)
RETURNS TABLE (run_id bigint, commit_id text, measured_at timestamptz, n_ranks int4, phase_class int8, pattern text, regions text,
    occurrences int8, ns int8, least_ns int8, most_ns int8, max_lateness int8)
LANGUAGE sql STABLE PARALLEL SAFE ROWS 1000 SET search_path = pg_catalog, pg_temp AS $$
    SELECT r.run_id, r.commit_id, coalesce(r.started_at, r.loaded_at), r.n_ranks, c.phase_class, min(c.pattern), min(c.regions),
        count(*), sum(c.t_last - c.t_first)::int8, min(c.t_last - c.t_first), max(c.t_last - c.t_first), max(c.max_lateness)
    FROM perfhouse.chosen_runs($1, $2) r JOIN perfhouse.logical l USING (run_id),
        LATERAL perfhouse.phase_classes(l.run_id) c
    WHERE c.phase_class IS NOT NULL
    GROUP BY r.run_id, r.commit_id, 3, r.n_ranks, c.phase_class
    ORDER BY 3, r.run_id, min(c.phase)
$$;
COMMENT ON FUNCTION perfhouse.phase_history(text, text) IS
    'What the phases of the traces of an application (null: of any) took, run by run: a row per run and class of phases '
    '(phase_classes), by the time of the run, then the first phase of the class: how many occurrences it has, from their '
    'first enter to their last leave in all (ns), the shortest and the longest of them, and the greatest lateness in '
    'any; ns. filter: see runs_matching. Runs without steps or classes are left out. Errors: 22023 for what is not a '
    'filter.';

CREATE OR REPLACE FUNCTION perfhouse.phase_waits(run bigint)
RETURNS TABLE (phase int4, waits int8, ns int8, inferred_ns int8, cause_rank int4, cause_ns int8, cause_path text)
LANGUAGE sql STABLE PARALLEL SAFE COST 1000000 ROWS 100 SET search_path = pg_catalog, pg_temp AS $$
    WITH waits AS MATERIALIZED (
        SELECT row_number() OVER () AS wait, w.victim, w.t_from, w.ns, w.kind, w.inferred, w.origin_rank, w.origin_path
        FROM perfhouse.wait_states($1) w),
    events AS MATERIALIZED (
        SELECT e.location, e.phase, e.enter, e.leave, row_number() OVER (PARTITION BY e.location ORDER BY e.seq) AS no
        FROM perfhouse.logical_event e
        WHERE e.run_id = $1 AND NOT EXISTS (SELECT 1 FROM perfhouse.task_trace t WHERE t.run_id = $1)),
    -- a wait belongs to the last event of its location that was entered by then; calls that complete sends are no events
    placed AS (
        SELECT m.wait, m.location, max(m.no) OVER (PARTITION BY m.location ORDER BY m.t, m.wait NULLS FIRST) AS no
        FROM (SELECT e.location, e.enter AS t, e.no, NULL::int8 AS wait FROM events e
            UNION ALL SELECT w.victim, w.t_from, NULL, w.wait FROM waits w) m),
    found AS MATERIALIZED (
        SELECT e.phase, w.ns, w.inferred, w.origin_rank, w.origin_path
        FROM placed p JOIN waits w USING (wait) JOIN events e ON e.location = p.location AND e.no = p.no
        WHERE w.t_from < e.leave OR w.kind = 'late receiver'),
    by_rank AS (
        SELECT f.phase, f.origin_rank AS rank, sum(f.ns) AS ns FROM found f WHERE f.origin_rank IS NOT NULL GROUP BY 1, 2),
    chief AS (SELECT DISTINCT ON (b.phase) b.phase, b.rank, b.ns FROM by_rank b ORDER BY b.phase, b.ns DESC, b.rank),
    path AS (
        SELECT DISTINCT ON (f.phase) f.phase, f.origin_path AS path
        FROM found f JOIN chief c ON c.phase = f.phase AND c.rank = f.origin_rank
        GROUP BY f.phase, f.origin_path ORDER BY f.phase, sum(f.ns) DESC, f.origin_path)
    SELECT f.phase, count(*), sum(f.ns)::int8, coalesce(sum(f.ns) FILTER (WHERE f.inferred), 0)::int8, min(c.rank),
        min(c.ns)::int8, min(p.path)
    FROM found f LEFT JOIN chief c USING (phase) LEFT JOIN path p USING (phase) GROUP BY f.phase ORDER BY f.phase
$$;
COMMENT ON FUNCTION perfhouse.phase_waits(bigint) IS
    'How long the processes of a trace waited within each phase, and who caused most of that: waits of wait_states that begin in '
    'an event of the phase, or for receivers in a call that completes sends after one (waits among threads, for files and for '
    'devices are in none), their sum (ns), what of it is in collectives that calls alone show (inferred_ns), the rank that is the '
    'origin of most of it, by how much (cause_ns), and the call path there that has most of that (null: not explained). Phases in '
    'which nobody waits have no row, nor has a run of tasks. Errors: as wait_states.';

CREATE OR REPLACE FUNCTION perfhouse.phase_wait_history(application text, filter text DEFAULT NULL)
RETURNS TABLE (run_id bigint, commit_id text, measured_at timestamptz, n_ranks int4, phase_class int8, pattern text, regions text,
    occurrences int8, max_lateness int8, waits int8, ns int8, cause_rank int4, cause_ns int8)
LANGUAGE sql STABLE PARALLEL SAFE COST 1000000 ROWS 1000 SET search_path = pg_catalog, pg_temp AS $$
    SELECT r.run_id, r.commit_id, coalesce(r.started_at, r.loaded_at), r.n_ranks, c.phase_class, min(c.pattern), min(c.regions),
        count(*), max(c.max_lateness), coalesce(sum(w.waits), 0)::int8, coalesce(sum(w.ns), 0)::int8,
        (array_agg(w.cause_rank ORDER BY w.cause_ns DESC NULLS LAST, c.phase))[1], max(w.cause_ns)
    FROM perfhouse.chosen_runs($1, $2) r JOIN perfhouse.logical l USING (run_id)
        JOIN perfhouse.trace t ON t.run_id = l.run_id AND t.events_dropped_at IS NULL
        CROSS JOIN LATERAL perfhouse.phase_classes(l.run_id) c
        LEFT JOIN LATERAL perfhouse.phase_waits(l.run_id) w ON w.phase = c.phase
    WHERE c.phase_class IS NOT NULL
        AND NOT EXISTS (SELECT FROM perfhouse.run q WHERE q.run_id = r.run_id AND q.meta @> '{"trace.sampled": true}')
    GROUP BY r.run_id, r.commit_id, 3, r.n_ranks, c.phase_class
    ORDER BY 3, r.run_id, min(c.phase)
$$;
COMMENT ON FUNCTION perfhouse.phase_wait_history(text, text) IS
    'How late processes were and how long they waited in the phases of the traces of an application (null: of any), run by run, as '
    'phase_history has what they took: a row per run and class of phases, with the greatest lateness in any of its occurrences, the '
    'waits in all (phase_waits; ns), and the rank that caused most of them in one occurrence. Each run''s waits are found anew. '
    'Runs without steps, classes or events are left out. Errors: 22023 for what is not a filter.';
