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
