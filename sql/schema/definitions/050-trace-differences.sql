-- 050-trace-differences.sql - two traces compared, iterations folded.

CREATE OR REPLACE FUNCTION perfhouse.trace_diff_classes(run_a bigint, run_b bigint)
RETURNS TABLE (status text, n int8, pattern_a text, pattern_b text, regions_a text, regions_b text, ns_a int8, ns_b int8,
    greatest_change_ns int8, greatest_phase_a int4, greatest_phase_b int4, max_lateness_a int8, max_lateness_b int8,
    delta_messages int8, aligned_by text, class_a int8, class_b int8, phases_a int4[], phases_b int4[])
LANGUAGE sql STABLE PARALLEL SAFE ROWS 20 SET search_path = pg_catalog, pg_temp AS $$
    SELECT d.status, count(*), min(d.pattern_a COLLATE "C"), min(d.pattern_b COLLATE "C"), min(d.regions_a COLLATE "C"),
        min(d.regions_b COLLATE "C"), sum(d.ns_a)::int8, sum(d.ns_b)::int8, perfhouse.greatest_change(d.ns_b - d.ns_a),
        (array_agg(d.phase_a ORDER BY abs(d.ns_b - d.ns_a) DESC, d.n))[1],
        (array_agg(d.phase_b ORDER BY abs(d.ns_b - d.ns_a) DESC, d.n))[1], max(d.max_lateness_a), max(d.max_lateness_b),
        sum(d.delta_messages)::int8, min(d.aligned_by), d.class_a, d.class_b,
        array_agg(d.phase_a ORDER BY d.n) FILTER (WHERE d.phase_a IS NOT NULL),
        array_agg(d.phase_b ORDER BY d.n) FILTER (WHERE d.phase_b IS NOT NULL)
    FROM perfhouse.trace_diff_phases($1, $2) WITH ORDINALITY d (phase_a, phase_b, status, aligned_by, rank_alignment, class_a,
        class_b, pattern_a, pattern_b, regions_a, regions_b, ns_a, ns_b, max_lateness_a, max_lateness_b, steps_both, steps_only_a,
        steps_only_b, delta_messages, delta_bytes, n)
    GROUP BY d.status, d.class_a, d.class_b ORDER BY min(d.n)
$$;
COMMENT ON FUNCTION perfhouse.trace_diff_classes(bigint, bigint) IS
    'trace_diff_phases with iterations folded: a row per pair of classes (phase_classes) that met, and per class that has '
    'phases in one run only, by the first of them; n: how many. ns_a, ns_b: of all of them, from first enter to last leave; '
    'greatest_change_ns: of one pair, ns_b less ns_a, which are greatest_phase_a and greatest_phase_b (of phases in one run '
    'only: the first); max_lateness: the greatest; phases_a, phases_b: which they are, in order, to look at iterations one '
    'by one in trace_diff_phases or trace_diff. Columns of a run that has none are null. Errors: as trace_diff.';
