-- 043-explain.sql - Why stored runs take longer than others: what the rules of explain_profiles say, and what only a warehouse knows.

-- Few runs are enough to know a median and its noise, and each costs its values.
CREATE OR REPLACE FUNCTION perfhouse_internal.explained_runs(runs bigint[]) RETURNS bigint[]
LANGUAGE sql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
    SELECT array_agg(q.run_id ORDER BY q.run_id) FROM (
        SELECT r.run_id FROM perfhouse.run r WHERE r.run_id = ANY ($1) AND r.state = 'ready'
        ORDER BY coalesce(r.started_at, r.loaded_at) DESC, r.run_id DESC LIMIT 12) q
$$;
COMMENT ON FUNCTION perfhouse_internal.explained_runs(bigint[]) IS
    'Of these runs the latest twelve that are ready, by number: what explanations read.';

CREATE OR REPLACE FUNCTION perfhouse_internal.part_of_run(run bigint, metrics text[], ranks int4[] DEFAULT NULL, within text DEFAULT NULL,
    t_from bigint DEFAULT NULL, t_to bigint DEFAULT NULL, iterations boolean DEFAULT false, is_aliased boolean DEFAULT true)
RETURNS perfhouse.profile LANGUAGE plpgsql STABLE PARALLEL SAFE COST 100000 SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    p perfhouse.profile;
BEGIN
    IF t_from IS NULL AND t_to IS NULL THEN
        p := CASE WHEN cardinality(metrics) > 1 THEN perfhouse.profile(run, metrics, ranks, iterations)
            ELSE perfhouse.profile(run, metrics[1], ranks, iterations) END;
    ELSIF EXISTS (SELECT FROM perfhouse.run r WHERE r.run_id = run AND r.state = 'ready')
        AND NOT EXISTS (SELECT 1 FROM perfhouse.trace t WHERE t.run_id = run) THEN
        RAISE EXCEPTION 'run % has no trace, and of a profile nobody knows what was when', run USING ERRCODE = 'PH002',
            HINT = 'Load the trace of the run, or choose by ranks or call path.';
    ELSE
        p := perfhouse.trace_profile(run, t_from, t_to);
        p := perfhouse.select_metrics(p, ARRAY(SELECT coalesce(m.name, 'time') FROM unnest(coalesce(metrics, ARRAY['time'])) WITH ORDINALITY
            m (name, no) WHERE m.no = 1 OR m.name IN (SELECT k.metric FROM perfhouse.metrics(p) k) ORDER BY m.no));
        IF ranks IS NOT NULL THEN
            p := perfhouse.subset_ranks(p, ranks);
        END IF;
    END IF;
    IF is_aliased THEN
        p := perfhouse.apply_aliases(p, (SELECT r.application FROM perfhouse.run r WHERE r.run_id = run));
    END IF;
    RETURN CASE WHEN within IS NULL THEN p ELSE perfhouse.subtree(p, within) END;
END $$;
COMMENT ON FUNCTION perfhouse_internal.part_of_run(bigint, text[], int4[], text, bigint, bigint, boolean, boolean) IS
    'The profile of a run with these metrics (null, or null among them: the primary one), of these ranks, below a call path or '
    'the one that ends with a function, and of a window of its trace, in ns since its first event (null: all of each; of a window '
    'metrics that the trace has not are left out, but for the first). is_aliased: under the names that aliases give regions, by '
    'which the call path is named. Errors: PH002 for a run, ranks or call path that are not there, and for a window of a run '
    'without a trace.';

CREATE OR REPLACE FUNCTION perfhouse_internal.explained_profiles(runs bigint[], metric text DEFAULT NULL, ranks int4[] DEFAULT NULL,
    within text DEFAULT NULL, t_from bigint DEFAULT NULL, t_to bigint DEFAULT NULL) RETURNS perfhouse.profile[]
LANGUAGE sql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
    SELECT array_agg(perfhouse_internal.part_of_run(r.run_id, coalesce($2, r.metrics[1]) || ARRAY(
            SELECT m.name FROM unnest(r.metrics) WITH ORDINALITY m (name, no)
            WHERE (m.no > 1 OR $2 IS NOT NULL) AND NOT starts_with(lower(m.name), lower($2)) IS TRUE
                AND (m.name ~* 'tot_ins|instructions|inst_retired|bytes' OR m.name = perfhouse.calls_metric(r.run_id))
            ORDER BY m.no LIMIT 5), $3, $4, $5, $6, r.n_columns <= 65536) ORDER BY r.run_id)
    FROM perfhouse.run r WHERE r.run_id = ANY ($1) AND r.state = 'ready'
$$;
COMMENT ON FUNCTION perfhouse_internal.explained_profiles(bigint[], text, int4[], text, bigint, bigint) IS
    'Profiles of runs with what explain_profiles uses: a metric (null: the primary one), what counts calls, instructions and '
    'bytes, and iterations where they are not too many; of a part of each, as part_of_run has it.';

CREATE OR REPLACE FUNCTION perfhouse_internal.elements_that_differ(key text, a text, b text, OUT a_value text, OUT b_value text)
LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
    WITH form AS (
        SELECT CASE WHEN $2 ~ '^[[{].*[]}]$' AND $3 ~ '^[[{].*[]}]$' THEN ','
            WHEN $1 ~* 'lib|blas|cuda|rocm|modules|module_list|malloc|container|version|driver|^ld_' AND $2 || $3 ~ ':'
                AND $2 || $3 !~ '[ [{]' THEN ':' END AS separator),
    elements AS (
        SELECT btrim(replace(e.text, '\', ''), E' \t\n"') AS text, bool_or(s.side = 'a') AS of_a, bool_or(s.side = 'b') AS of_b
        FROM form f, (VALUES ('a', $2), ('b', $3)) s (side, list), string_to_table(btrim(s.list, '[]{}'), f.separator) e (text)
        WHERE f.separator IS NOT NULL AND e.text <> ''
        GROUP BY 1)
    SELECT CASE WHEN count(*) > 0 THEN coalesce(string_agg(text, ', ' ORDER BY text) FILTER (WHERE NOT of_b), '') END,
        CASE WHEN count(*) > 0 THEN coalesce(string_agg(text, ', ' ORDER BY text) FILTER (WHERE NOT of_a), '') END
    FROM elements
$$;
COMMENT ON FUNCTION perfhouse_internal.elements_that_differ(text, text, text) IS
    'Of two lists the elements that only one has: of lists as JSON and Caliper write them, and of a:b where a key of metadata tells of '
    'libraries or modules, as for gate and compare (loader/src/reports/environment.c). Null: one of the texts is no list.';

CREATE OR REPLACE FUNCTION perfhouse_internal.metadata_that_differs(a bigint[], b bigint[])
RETURNS TABLE (key text, a_value text, b_value text)
LANGUAGE sql STABLE PARALLEL SAFE ROWS 5 SET search_path = pg_catalog, pg_temp AS $$
    WITH facts AS (
        SELECT t.run_id = ANY ($2) AS is_after, t.run_id, t.key, t.value FROM perfhouse_internal.told_metadata($1 || $2) t),
    sides AS (
        SELECT f.key, min(f.value) FILTER (WHERE NOT f.is_after) AS a_value, max(f.value) FILTER (WHERE NOT f.is_after) AS a_last,
            min(f.value) FILTER (WHERE f.is_after) AS b_value, max(f.value) FILTER (WHERE f.is_after) AS b_last, count(f.value) AS n
        FROM facts f GROUP BY 1)
    SELECT s.key, coalesce(l.a_value, s.a_value), coalesce(l.b_value, s.b_value)
    FROM sides s CROSS JOIN LATERAL (SELECT * FROM perfhouse_internal.elements_that_differ(s.key, s.a_value, s.b_value)) l
    WHERE s.a_value = s.a_last AND s.b_value = s.b_last AND s.a_value <> s.b_value AND s.n = cardinality($1 || $2)
        AND (l.a_value <> '' OR l.b_value <> '') IS NOT FALSE
    ORDER BY s.key
$$;
COMMENT ON FUNCTION perfhouse_internal.metadata_that_differs(bigint[], bigint[]) IS
    'Keys of metadata that have one value in all runs of a and another in all runs of b. Of single runs whatever differs. Of '
    'lists the elements that differ; clocks to two digits.';

CREATE OR REPLACE FUNCTION perfhouse_internal.profile_text(metric text, ranks int4[], within text, t_from bigint, t_to bigint,
    iterations boolean) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
    SELECT CASE WHEN num_nonnulls($1, $2, $3, $4, $5) = 0 AND $6 THEN 'perfhouse.profile(r, NULL::text, iterations => true)'
        WHEN num_nonnulls($1, $2, $3, $4, $5) = 0 THEN 'perfhouse.profile(r)'
        ELSE format('perfhouse_internal.part_of_run(r, ARRAY[%L::text], %L, %L, %L, %L, %L)', $1, $2, $3, $4, $5, $6) END
$$;
COMMENT ON FUNCTION perfhouse_internal.profile_text(text, int4[], text, bigint, bigint, boolean) IS
    'The part of a run r as SQL, for evidence that people can read and run.';

CREATE OR REPLACE FUNCTION perfhouse_internal.evidence_of(a bigint[], b bigint[], path text, shape text, p text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
    SELECT format(CASE $4 WHEN 'some units' THEN 'SELECT r AS run_id, r = ANY (%1$L) AS is_after, v.rank, v.thread, v.inclusive FROM '
                'unnest(%2$L::bigint[]) r, %4$s p, perfhouse.column_values(p, perfhouse.node_at(p, %3$L)) v ORDER BY v.rank, v.thread, 2, 1'
            WHEN 'some iterations' THEN 'SELECT r AS run_id, r = ANY (%1$L) AS is_after, v.iteration, avg(v.inclusive) FROM '
                'unnest(%2$L::bigint[]) r, %4$s p, perfhouse.column_values(p, perfhouse.node_at(p, %3$L)) v '
                'GROUP BY 1, 2, 3 ORDER BY 3, 2, 1'
            ELSE 'SELECT r AS run_id, r = ANY (%1$L) AS is_after, n.inclusive, n.exclusive FROM unnest(%2$L::bigint[]) r, '
                'perfhouse.nodes(%4$s) n WHERE n.path = %3$L ORDER BY 2, 1' END, $2, $1 || $2, $3, $5)
$$;
COMMENT ON FUNCTION perfhouse_internal.evidence_of(bigint[], bigint[], text, text, text) IS
    'A query that shows the numbers that a finding rests on, by run; p: the profile of a run r, as profile_text has it.';

CREATE OR REPLACE FUNCTION perfhouse_internal.picture_of(a bigint[], b bigint[], shape text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
    SELECT CASE $3 WHEN 'some units' THEN format('perfhouse render processes --run %s -o explain.svg', $2[1])
        ELSE format('perfhouse render flame-diff --run %s --vs %s -o explain.svg', $1[cardinality($1)], $2[1]) END
$$;
COMMENT ON FUNCTION perfhouse_internal.picture_of(bigint[], bigint[], text) IS 'A command that draws what a finding is about.';

-- ---------------------------------------------------------------------------------------- two sides
CREATE OR REPLACE FUNCTION perfhouse_internal.explain_comparable(a bigint[], b bigint[], OUT is_comparable boolean, OUT sentence text)
LANGUAGE sql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
    SELECT d.text IS NULL, coalesce('The runs cannot be compared: ' || d.text || '.', 'All runs are of one experiment'
        || coalesce(': ' || (SELECT perfhouse_internal.experiment_text(min(x.keys), min(x."values")) FROM perfhouse.run_experiment x
            WHERE x.run_id = ANY ($1)), '') || '.')
    FROM (SELECT perfhouse_internal.differences_text($1, $2)) d (text)
$$;
COMMENT ON FUNCTION perfhouse_internal.explain_comparable(bigint[], bigint[]) IS 'Whether two sides are of one experiment, in a sentence.';

CREATE OR REPLACE FUNCTION perfhouse_internal.explain_commits(a bigint[], b bigint[]) RETURNS text
LANGUAGE sql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
    WITH ends AS (
        SELECT min(r.commit_id) FILTER (WHERE r.run_id = ANY ($1)) AS good, min(r.commit_id) FILTER (WHERE r.run_id = ANY ($2)) AS bad
        FROM perfhouse.run r WHERE r.run_id = ANY ($1 || $2)
        HAVING count(DISTINCT r.commit_id) FILTER (WHERE r.run_id = ANY ($1)) = 1
            AND count(DISTINCT r.commit_id) FILTER (WHERE r.run_id = ANY ($2)) = 1),
    known AS (
        SELECT e.good, e.bad, (SELECT count(*) FROM perfhouse.commit k WHERE k.commit_id IN (e.good, e.bad)) AS n FROM ends e
        WHERE e.good <> e.bad),
    ways AS (
        SELECT k.good, k.bad, k.n, b.n AS n_between, b.text FROM known k LEFT JOIN LATERAL (
            SELECT count(*) AS n, string_agg(left(c.commit_id, 9) || coalesce(' "' || left(m.subject, 60) || '"', ''), ', '
                ORDER BY c.no DESC) FILTER (WHERE c.no_from_end <= 3) AS text
            FROM (SELECT w.commit_id, w.no, row_number() OVER (ORDER BY w.no DESC) AS no_from_end
                FROM perfhouse.commits_between(k.good, k.bad) WITH ORDINALITY w (commit_id, no) WHERE k.n = 2) c
            LEFT JOIN perfhouse.commit m USING (commit_id)) b ON true)
    SELECT CASE WHEN w.n < 2 THEN format('The commit is %s, and was %s; the history between them is not loaded (perfhouse commits).',
                left(w.bad, 9), left(w.good, 9))
            WHEN w.n_between = 0 THEN format('The commit is %s, which %s contains.', left(w.bad, 9), left(w.good, 9))
            ELSE format('%s commit%s: %s%s.', w.n_between, CASE w.n_between WHEN 1 THEN '' ELSE 's' END, w.text,
                CASE WHEN w.n_between > 3 THEN ', …' ELSE '' END) END
    FROM ways w
$$;
COMMENT ON FUNCTION perfhouse_internal.explain_commits(bigint[], bigint[]) IS
    'What commits are between two sides that have one each, the latest first, in a sentence; null when they have the same '
    'or several.';

CREATE OR REPLACE FUNCTION perfhouse_internal.require_sides(a bigint[], b bigint[]) RETURNS void
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    lost bigint := (SELECT min(u.run_id) FROM unnest(a || b) u (run_id) WHERE NOT EXISTS (
        SELECT FROM perfhouse.run r WHERE r.run_id = u.run_id AND r.state = 'ready'));
BEGIN
    IF cardinality(a) = 0 OR cardinality(b) = 0 OR a && b OR array_position(a || b, NULL) IS NOT NULL THEN
        RAISE EXCEPTION 'two sides to explain are runs each, and have none in common' USING ERRCODE = '22023';
    ELSIF lost IS NOT NULL THEN
        RAISE EXCEPTION 'there is no run %', lost USING ERRCODE = 'PH002', HINT = 'perfhouse runs lists them; in SQL run_overview.';
    END IF;
END $$;
COMMENT ON FUNCTION perfhouse_internal.require_sides(bigint[], bigint[]) IS
    'Errors: 22023 for sides that are empty, have nulls or a run in common; PH002 for a run that is not there.';

CREATE OR REPLACE FUNCTION perfhouse_internal.known_for_explain(run bigint, metric text, is_part boolean, OUT paths text[],
    OUT spreads float8[], OUT degrees float8[])
LANGUAGE sql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
    SELECT coalesce(array_agg(CASE WHEN k.callpath_id IS NULL THEN '' ELSE k.path END), '{}'), coalesce(array_agg(k.relative), '{}'),
        coalesce(array_agg(k.degrees), '{}')
    FROM perfhouse.run r CROSS JOIN LATERAL perfhouse.known_noise(r.run_id) k
    WHERE r.run_id = $1 AND r.state = 'ready' AND NOT $3 AND coalesce($2, r.metrics[1]) = r.metrics[1]
        AND k.relative IS NOT NULL
$$;
COMMENT ON FUNCTION perfhouse_internal.known_for_explain(bigint, text, boolean) IS
    'What is known of how runs of a run''s experiment scatter, as explain_profiles takes it. Empty of parts of runs (is_part) and of '
    'other metrics than the primary one (null): nothing is known of them.';

CREATE OR REPLACE FUNCTION perfhouse_internal.explain_part(a bigint[], b bigint[], margin float8, metric text DEFAULT NULL,
    ranks int4[] DEFAULT NULL, within text DEFAULT NULL, t_from bigint DEFAULT NULL, t_to bigint DEFAULT NULL)
RETURNS TABLE (step text, sentence text, confidence text, shape text, cause text, path text, units text, share float8, effect float8,
    evidence text, picture text)
LANGUAGE sql STABLE PARALLEL SAFE ROWS 4 SET search_path = pg_catalog, pg_temp AS $$
    SELECT CASE e.finding WHEN 0 THEN 'level' ELSE 'finding' END, e.sentence, e.confidence, e.shape, e.cause, e.path, e.units,
        e.share, e.effect,
        CASE e.finding WHEN 0 THEN format('SELECT r AS run_id, r = ANY (%L) AS is_after, n.inclusive FROM unnest(%L::bigint[]) r, '
                'perfhouse.nodes(%s) n WHERE n.parent IS NULL ORDER BY 2, 1', s.b, s.a || s.b,
                perfhouse_internal.profile_text($4, $5, $6, $7, $8, false))
            ELSE perfhouse_internal.evidence_of(s.a, s.b, e.path, e.shape,
                perfhouse_internal.profile_text($4, $5, $6, $7, $8, e.shape = 'some iterations')) END,
        -- two runs that differ by noise alone would be drawn as if all of it were changes
        CASE WHEN count(*) OVER () > 1 THEN perfhouse_internal.picture_of(s.a, s.b, e.shape) END
    FROM (SELECT perfhouse_internal.explained_runs($1), perfhouse_internal.explained_runs($2)) s (a, b),
        perfhouse_internal.known_for_explain(s.a[1], $4, num_nonnulls($5, $6, $7, $8) > 0) k,
        perfhouse.explain_profiles(perfhouse_internal.explained_profiles(s.a, $4, $5, $6, $7, $8),
            perfhouse_internal.explained_profiles(s.b, $4, $5, $6, $7, $8), $3, k.paths, k.spreads, k.degrees) e
    ORDER BY e.finding
$$;
COMMENT ON FUNCTION perfhouse_internal.explain_part(bigint[], bigint[], float8, text, int4[], text, bigint, bigint) IS
    'Levels and findings of explain_runs, of a part of each run as part_of_run has it, whether the sides can be compared or not.';

CREATE OR REPLACE FUNCTION perfhouse.explain_runs(a bigint[], b bigint[], margin float8 DEFAULT 0.02)
RETURNS TABLE (step text, sentence text, confidence text, shape text, cause text, path text, units text, share float8, effect float8,
    evidence text, picture text)
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE COST 1000000 ROWS 8 SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    before bigint[] := perfhouse_internal.explained_runs(a);
    after bigint[] := perfhouse_internal.explained_runs(b);
    is_comparable boolean;
BEGIN
    PERFORM perfhouse_internal.require_sides(a, b);
    step := 'comparable';
    evidence := format('SELECT * FROM perfhouse.experiment_differences(%L, %L)', before, after);
    SELECT c.is_comparable, c.sentence INTO is_comparable, sentence FROM perfhouse_internal.explain_comparable(before, after) c;
    RETURN NEXT;
    IF NOT is_comparable THEN
        RETURN;
    END IF;
    RETURN QUERY SELECT * FROM perfhouse_internal.explain_part(before, after, margin);
    RETURN QUERY
        SELECT 'changed', c.text, 'low', NULL, NULL, NULL, NULL, NULL::float8, NULL::float8, NULL, NULL
        FROM (SELECT perfhouse_internal.explain_commits(before, after)) c (text) WHERE c.text IS NOT NULL
        UNION ALL
        SELECT 'changed', 'With it goes: ' || string_agg(format('%s is %s, and was %s', m.key, perfhouse_internal.short_value(m.b_value),
                perfhouse_internal.short_value(m.a_value)), '; ') || '.', 'low',
            NULL, NULL, NULL, NULL, NULL::float8, NULL::float8, NULL, NULL
        FROM (SELECT * FROM perfhouse_internal.metadata_that_differs(before, after) LIMIT 12) m HAVING count(*) > 0;
END $$;
COMMENT ON FUNCTION perfhouse.explain_runs(bigint[], bigint[], float8) IS
    'Why the runs b take another time than the runs a, a sentence a row, in the order in which to read them. step: '
    'comparable (if they are not, it says in what they differ, and that is all); level (the whole: verdict, size, noise, how '
    'many more runs would settle it); finding (what changed, the largest effect first, as explain_profiles: shape, cause, '
    'path, units, share of the run''s time before, effect in the metric''s unit; none where nothing is clearer than noise); '
    'changed (commits in between, metadata that goes with the sides: that is not because). confidence: low, medium, high. '
    'evidence: a query that shows the numbers; picture: a command that draws them. Of each side the latest twelve runs '
    'count; regions go by their aliases. Errors: 22023 for sides that are empty or have a run in common; PH002 for a run '
    'that is not there.';

-- ---------------------------------------------------------------------------------------- a run
CREATE OR REPLACE FUNCTION perfhouse_internal.siblings(run bigint, OUT runs bigint[], OUT what text)
LANGUAGE sql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
    WITH others AS MATERIALIZED (
        SELECT o.run_id, o.commit_id IS NOT DISTINCT FROM r.commit_id AS is_repeat,
            row_number() OVER (ORDER BY coalesce(o.started_at, o.loaded_at) > coalesce(r.started_at, r.loaded_at),
                abs(extract(epoch FROM coalesce(o.started_at, o.loaded_at) - coalesce(r.started_at, r.loaded_at))), o.run_id) AS nth
        FROM perfhouse.run r, perfhouse.comparable_runs(r.run_id) c (run_id) JOIN perfhouse.run o ON o.run_id = c.run_id
        WHERE r.run_id = $1),
    chosen AS (
        SELECT o.run_id, q.n >= 3 AS of_commit FROM others o, (SELECT count(*) AS n FROM others WHERE is_repeat) q
        WHERE o.is_repeat OR q.n < 3 ORDER BY o.nth LIMIT 12)
    SELECT array_agg(c.run_id ORDER BY c.run_id), CASE WHEN bool_and(c.of_commit) THEN 'of its commit' ELSE 'of its experiment' END
    FROM chosen c
$$;
COMMENT ON FUNCTION perfhouse_internal.siblings(bigint) IS
    'Runs that a run is measured by: of its experiment and commit when they are three, else of its experiment; twelve at '
    'most, those before it first, the nearest ones. Null: there are none.';

CREATE OR REPLACE FUNCTION perfhouse_internal.explain_alone(run bigint)
RETURNS TABLE (step text, sentence text, confidence text, shape text, cause text, path text, units text, share float8, effect float8,
    evidence text, picture text)
LANGUAGE sql STABLE PARALLEL SAFE ROWS 2 SET search_path = pg_catalog, pg_temp AS $$
    SELECT 'level', CASE WHEN r.application IS NULL THEN format('Nobody said of which application this run is (perfhouse set %s '
                'application=NAME), so that there is no other to measure it by.', $1)
            ELSE 'No other run is of the same experiment, so that nobody can say whether this one is slow.' END, NULL, NULL, NULL,
        NULL, NULL, NULL::float8, NULL::float8, format('SELECT * FROM perfhouse.run_experiment WHERE run_id = %s', $1), NULL
    FROM perfhouse.run r WHERE r.run_id = $1
$$;
COMMENT ON FUNCTION perfhouse_internal.explain_alone(bigint) IS 'What explain_run says of a run that has no siblings.';

CREATE OR REPLACE FUNCTION perfhouse_internal.explain_balance(run bigint)
RETURNS TABLE (step text, sentence text, confidence text, shape text, cause text, path text, units text, share float8, effect float8,
    evidence text, picture text)
LANGUAGE sql STABLE PARALLEL SAFE ROWS 1 SET search_path = pg_catalog, pg_temp AS $$
    SELECT 'balance', format('%s itself is the least balanced: rank %s takes %s times the mean, which costs the others %s %% of the run.',
            perfhouse.short_name(i.path), i.worst_rank, round(i.imbalance_ratio::numeric, 2),
            round((100 * (i.max - i.mean) / r.total)::numeric, 1)),
        NULL, NULL, NULL, i.path, 'rank ' || i.worst_rank, (i.max - i.mean) / r.total, i.max - i.mean,
        format('SELECT path, mean, max, lost, worst_rank FROM perfhouse.imbalance(perfhouse.profile(%s)) LIMIT 10', $1),
        format('perfhouse render processes --run %s -o explain.svg', $1)
    FROM perfhouse.run r, perfhouse.imbalance(perfhouse.profile(r.run_id)) i
    WHERE r.run_id = $1 AND r.rolled_up_at IS NULL AND r.total > 0 AND r.n_columns <= 65536
        AND NOT perfhouse_internal.has_devices($1) AND i.imbalance_ratio IS NOT NULL AND i.worst_rank IS NOT NULL
        AND i.name !~* '^p?mpi_' AND i.max - i.mean >= 0.02 * r.total
    ORDER BY i.lost DESC, i.path LIMIT 1
$$;
COMMENT ON FUNCTION perfhouse_internal.explain_balance(bigint) IS
    'The call path outside of MPI whose slowest rank costs the others most, when that is 2 % of the run or more. Of runs that were '
    'rolled up nobody knows; of runs with devices explain_devices says more, and threads that wait for them are no loss.';

CREATE OR REPLACE FUNCTION perfhouse_internal.ranks_text(ranks int4[]) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
    WITH numbered AS (SELECT u.rank, u.rank - row_number() OVER (ORDER BY u.rank) AS run FROM unnest($1) u (rank)),
    ranges AS (SELECT min(n.rank) AS first, max(n.rank) AS last, count(*) AS n, row_number() OVER (ORDER BY min(n.rank)) AS no
        FROM numbered n GROUP BY n.run)
    SELECT CASE cardinality($1) WHEN 1 THEN 'rank ' ELSE 'ranks ' END
        || string_agg(r.first || CASE WHEN r.n > 1 THEN '-' || r.last ELSE '' END, ', ' ORDER BY r.no) FILTER (WHERE r.no <= 6)
        || coalesce(' and ' || sum(r.n) FILTER (WHERE r.no > 6) || ' more', '')
    FROM ranges r
$$;
COMMENT ON FUNCTION perfhouse_internal.ranks_text(int4[]) IS 'Different ranks for people: "rank 3", "ranks 0, 4-7"; six ranges at most.';

CREATE OR REPLACE FUNCTION perfhouse_internal.chief_ranks(p perfhouse.profile, metric text, OUT ranks int4[], OUT amount float8,
    OUT total float8)
LANGUAGE sql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
    WITH sums AS (
        SELECT v.rank, sum(v.inclusive) AS amount FROM perfhouse.nodes($1, $2) n, perfhouse.column_values($1, n.node, $2) v
        WHERE n.parent IS NULL GROUP BY 1),
    listed AS (
        SELECT array_agg(s.rank ORDER BY s.rank) AS ranks, array_agg(greatest(s.amount, 0) ORDER BY s.rank) AS amounts,
            sum(s.amount) AS total
        FROM sums s),
    chief AS (
        SELECT array_agg(l.ranks[c.place] ORDER BY c.place) AS ranks, sum(l.amounts[c.place]) AS amount
        FROM listed l, unnest(perfhouse_internal.chiefs(l.amounts)) c (place))
    SELECT c.ranks, c.amount, l.total FROM listed l, chief c
$$;
COMMENT ON FUNCTION perfhouse_internal.chief_ranks(perfhouse.profile, text) IS
    'The ranks of a profile that stand out by how much of a metric they have, as perfhouse_internal.chiefs tells them; how much they hold, '
    'and of how much. Null ranks: none stand out.';

CREATE OR REPLACE FUNCTION perfhouse_internal.chief_paths(p perfhouse.profile, metric text, OUT path text, OUT largest text,
    OUT largest_share float8)
LANGUAGE sql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
    WITH n AS MATERIALIZED (SELECT n.* FROM perfhouse.nodes($1, $2) n),
    whole AS (SELECT sum(n.inclusive) AS amount FROM n WHERE n.parent IS NULL)
    SELECT (SELECT n.path FROM n WHERE n.inclusive >= 0.9 * w.amount ORDER BY n.depth DESC, n.inclusive DESC LIMIT 1),
        l.path, l.exclusive / nullif(w.amount, 0)
    FROM whole w LEFT JOIN LATERAL (SELECT n.path, n.exclusive FROM n ORDER BY n.exclusive DESC, n.node LIMIT 1) l ON true
$$;
COMMENT ON FUNCTION perfhouse_internal.chief_paths(perfhouse.profile, text) IS
    'The deepest call path below which 90 % of a metric is (null: no root has it), and the one that itself has most, with its share of '
    'the whole.';

CREATE OR REPLACE FUNCTION perfhouse_internal.explain_device_profile(run bigint)
RETURNS TABLE (step text, sentence text, confidence text, shape text, cause text, path text, units text, share float8, effect float8,
    evidence text, picture text)
LANGUAGE sql STABLE PARALLEL SAFE ROWS 3 SET search_path = pg_catalog, pg_temp AS $$
    WITH of_run AS MATERIALIZED (
        SELECT r.run_id, perfhouse.profile(r.run_id, ARRAY['gpu time']) AS p FROM perfhouse.run r
        WHERE r.run_id = $1 AND r.metrics @> ARRAY['gpu time'] AND r.n_columns <= 65536 AND NOT perfhouse_internal.has_devices($1)),
    nodes AS MATERIALIZED (SELECT n.* FROM of_run o, perfhouse.nodes(o.p, 'gpu time') n),
    dearest AS (SELECT n.name, n.path, n.exclusive / nullif(sum(n.exclusive) OVER (), 0) AS share FROM nodes n
        ORDER BY n.exclusive DESC NULLS LAST, n.path LIMIT 1),
    ranks AS MATERIALIZED (
        SELECT v.rank, sum(v.inclusive) AS seconds FROM of_run o, nodes n, perfhouse.column_values(o.p, n.node, 'gpu time') v
        WHERE n.parent IS NULL GROUP BY 1 HAVING sum(v.inclusive) > 0),
    used AS (SELECT sum(k.seconds) AS seconds, count(*) AS n, avg(k.seconds) AS mean, max(k.seconds) AS most FROM ranks k),
    chief AS (SELECT c.* FROM of_run o, used u, perfhouse_internal.chief_ranks(o.p, 'gpu time') c WHERE u.n > 1 AND c.ranks IS NOT NULL)
    SELECT 'devices', format('Devices worked %s%s, as sums over their streams; most is %s, %s %% of it. What of that ran side by side, and '
            'who waited for it, a trace would tell.', perfhouse.readable(u.seconds, 's'), CASE WHEN u.n > 1 THEN format(' for %s ranks, '
            '%s for one on average and %s at most', u.n, perfhouse.readable(u.mean, 's'), perfhouse.readable(u.most, 's')) ELSE '' END,
            perfhouse.short_name(d.path), round((100 * d.share)::numeric, 1)),
        'medium', NULL, NULL, d.path, NULL, NULL::float8, u.seconds,
        format('SELECT path, exclusive FROM perfhouse.nodes(perfhouse.profile(%s, ARRAY[''gpu time'']), ''gpu time'') '
            'ORDER BY exclusive DESC LIMIT 10', $1),
        format('perfhouse render flame --run %s --metric ''gpu time'' -o explain.svg', $1)
    FROM used u, dearest d WHERE u.seconds > 0
    UNION ALL
    SELECT 'devices', format('The device%s of %s work%s %s %% of what all do: the work could be spread more evenly, or these devices are '
            'slower.', CASE cardinality(c.ranks) WHEN 1 THEN '' ELSE 's' END, perfhouse_internal.ranks_text(c.ranks),
            CASE cardinality(c.ranks) WHEN 1 THEN 's' ELSE '' END, round((100 * c.amount / c.total)::numeric, 1)),
        'medium', NULL, NULL, NULL, perfhouse_internal.ranks_text(c.ranks), c.amount / c.total, c.amount,
        format('SELECT rank, sum(inclusive) FROM perfhouse.column_values(perfhouse.profile(%s, ARRAY[''gpu time'']), 0, ''gpu time'') '
            'GROUP BY 1 ORDER BY 2 DESC LIMIT 10', $1),
        format('perfhouse render metric --run %s --metric ''gpu time'' -o explain.svg', $1)
    FROM chief c
$$;
COMMENT ON FUNCTION perfhouse_internal.explain_device_profile(bigint) IS
    'What devices did by the metric gpu time of a run without a trace of them: how much, in which call path most, and the ranks whose '
    'devices stand out, as perfhouse_internal.chiefs tells them. No row where there is no such metric.';

CREATE OR REPLACE FUNCTION perfhouse_internal.must_estimate_waits(run bigint) RETURNS boolean
LANGUAGE sql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
    SELECT NOT r.metrics @> ARRAY['wait', 'wait caused'] AND (NOT o.has_trace OR perfhouse_internal.is_sampled($1))
    FROM perfhouse.run r JOIN perfhouse.run_overview o USING (run_id) WHERE r.run_id = $1
$$;
COMMENT ON FUNCTION perfhouse_internal.must_estimate_waits(bigint) IS
    'Whether who waited in a run can only be estimated: it is not stored, and there is no trace to find it in.';

CREATE OR REPLACE FUNCTION perfhouse_internal.waiting_profile(run bigint, is_estimated boolean) RETURNS perfhouse.profile
LANGUAGE plpgsql STABLE PARALLEL RESTRICTED SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    r record;
BEGIN
    SELECT q.metrics, q.rolled_up_at, q.n_columns, q.n_nodes::bigint * q.n_columns AS n_cells, o.n_events INTO r
    FROM perfhouse.run q JOIN perfhouse.run_overview o USING (run_id) WHERE q.run_id = run;
    IF r.rolled_up_at IS NOT NULL OR r.n_columns > 65536 OR (r.n_columns < 2 AND NOT perfhouse_internal.has_devices(run)) THEN
        RETURN NULL;
    ELSIF r.metrics @> ARRAY['wait', 'wait caused'] THEN
        RETURN perfhouse.profile(run, ARRAY['wait', 'wait caused']);
    ELSIF is_estimated AND r.n_cells <= 5000000 THEN -- in half a second
        RETURN perfhouse.estimated_blame(perfhouse.profile(run));
    ELSIF NOT is_estimated AND r.n_events <= 3000000 THEN
        RETURN perfhouse_internal.blame_profile(run);
    END IF;
    RETURN NULL;
END $$;
COMMENT ON FUNCTION perfhouse_internal.waiting_profile(bigint, boolean) IS
    'A profile of a run that says who waited and who caused it: as stored, else by a trace of three million events or fewer, else as '
    'estimated from a profile of five million cells or fewer (must_estimate_waits). Null where nobody knows.';

CREATE OR REPLACE FUNCTION perfhouse_internal.who_waits(run bigint, who text, by_itself boolean) RETURNS text
LANGUAGE sql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
    SELECT CASE WHEN h.ranks > 1 AND $3 THEN CASE WHEN perfhouse_internal.has_devices($1) AND $2 ~ '^rank ' THEN 'The host of ' || $2
                || ' waited %s for its devices' WHEN perfhouse_internal.has_devices($1) THEN 'Hosts of ' || $2 || ' waited %s for their '
                'devices' ELSE 'Threads of ' || $2 || ' made each other wait %s' END
        WHEN h.ranks > 1
            THEN coalesce(upper(left($2, 1)) || substr($2, 2) || ' made others wait %s', 'Ranks made each other wait %s')
        WHEN NOT perfhouse_internal.has_devices($1) THEN 'Threads made each other wait %s'
        WHEN h.n > 1 THEN 'Threads and devices made each other wait %s' ELSE 'The host waited %s for its devices' END
    FROM (SELECT count(DISTINCT l.rank) AS ranks, count(*) AS n
        FROM perfhouse.location l LEFT JOIN perfhouse.trace_stream s USING (run_id, location_id)
        WHERE l.run_id = $1 AND s.run_id IS NULL) h
$$;
COMMENT ON FUNCTION perfhouse_internal.who_waits(bigint, text, boolean) IS
    'Who made whom wait in a run, as the beginning of a sentence with %s for how long; who: the ranks that stand out, null: none; '
    'by_itself: hardly anybody else waited. Of one rank nobody but its threads and devices can be waited for.';

CREATE OR REPLACE FUNCTION perfhouse_internal.waits_text(who text, caused float8, of_all float8, is_estimated boolean, path text,
    largest text, largest_share float8) RETURNS text
LANGUAGE sql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
    SELECT format('%s%s%s%s%s.', format($1, perfhouse.readable($2, 's')),
        CASE WHEN $2 < 0.9995 * $3 THEN format(', %s %% of all waiting', round((100 * $2 / $3)::numeric, 1)) ELSE '' END,
        CASE WHEN $4 THEN ', as their profile estimates' ELSE '' END,
        CASE WHEN $5 ~ '/' THEN format(', %s %s', w.preposition, perfhouse.short_name($5)) ELSE '' END, -- a root says nothing
        CASE WHEN $6 IS DISTINCT FROM $5 AND $7 > 0 THEN format('; the largest part of that, %s %%, %s %s',
            round((100 * $7)::numeric, 1), w.preposition, perfhouse.short_name($6)) ELSE '' END)
    FROM (SELECT CASE WHEN $1 ~ 'for (its|their) devices$' THEN 'for' ELSE 'in' END AS preposition) w
$$;
COMMENT ON FUNCTION perfhouse_internal.waits_text(text, float8, float8, boolean, text, text, float8) IS
    'The sentence of explain_waits: how it begins, seconds that were caused, of how many, and where, as chief_paths has it.';

CREATE OR REPLACE FUNCTION perfhouse_internal.explain_waits(run bigint)
RETURNS TABLE (step text, sentence text, confidence text, shape text, cause text, path text, units text, share float8, effect float8,
    evidence text, picture text)
LANGUAGE plpgsql STABLE PARALLEL RESTRICTED ROWS 1 SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    is_estimated boolean := perfhouse_internal.must_estimate_waits(run);
    p perfhouse.profile := perfhouse_internal.waiting_profile(run, is_estimated); -- queries, and rows, would make bytes of it
    kind text;
    chief record;
    victims record;
    caused float8;
    of_all float8;
    by_itself boolean := false;
    t record;
BEGIN
    IF p IS NULL THEN
        RETURN;
    END IF;
    kind := CASE WHEN is_estimated THEN 'estimated ' ELSE '' END;
    chief := perfhouse_internal.chief_ranks(p, kind || 'wait caused');
    victims := perfhouse_internal.chief_ranks(p, kind || 'wait');
    of_all := victims.total;
    caused := coalesce(chief.amount, chief.total);
    IF caused IS NULL OR caused <= 0 OR of_all IS NULL OR of_all <= 0 THEN
        RETURN;
    ELSIF chief.ranks IS NOT NULL THEN
        p := perfhouse.subset_ranks(p, chief.ranks);
        by_itself := of_all - coalesce((perfhouse_internal.chief_ranks(p, kind || 'wait')).total, 0) < 0.05 * caused;
    END IF;
    t := perfhouse_internal.chief_paths(p, kind || 'wait caused');
    step := 'waits';
    units := perfhouse_internal.ranks_text(chief.ranks);
    sentence := perfhouse_internal.waits_text(perfhouse_internal.who_waits(run, units, by_itself), caused, of_all, is_estimated,
        t.path, t.largest, t.largest_share);
    confidence := CASE WHEN is_estimated THEN 'low' END;
    path := coalesce(t.path, t.largest);
    effect := caused;
    evidence := CASE WHEN is_estimated THEN format('SELECT path, exclusive FROM perfhouse.nodes(perfhouse.estimated_blame('
            'perfhouse.profile(%s)), ''estimated wait caused'') ORDER BY exclusive DESC LIMIT 10', run)
        ELSE format('SELECT rank, path, short_term, long_term FROM perfhouse.delay_costs(%s) '
            'ORDER BY short_term + long_term DESC LIMIT 10', run) END;
    picture := format('perfhouse render %s --run %s -o explain.svg', CASE WHEN is_estimated THEN 'processes' ELSE 'blame' END, run);
    RETURN NEXT;
END $$;
COMMENT ON FUNCTION perfhouse_internal.explain_waits(bigint) IS
    'Who made others wait, by waiting_profile: the ranks that caused most of it, if any stand out, and in which call paths.';

CREATE OR REPLACE FUNCTION perfhouse_internal.wait_kind_text(kind text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
    SELECT coalesce((SELECT k.text FROM (VALUES ('late sender', 'for messages that were sent late'),
        ('wrong order', 'for a late message while others had been sent (wrong order)'),
        ('late receiver', 'in sends for receivers that came late'),
        ('barrier', 'at barriers for the last one'),
        ('N to N', 'in collectives of all for the last one (N to N)'),
        ('late broadcast', 'for roots that were late'),
        ('early reduce', 'of roots that came early to reductions'),
        ('early scan', 'in scans for lower ranks'),
        ('fence', 'at fences of windows for the last one'),
        ('window', 'where windows are made and freed'),
        ('late post', 'for windows that were opened late'),
        ('late complete', 'for accesses to a window that ended late'),
        ('window lock', 'for locks of windows'),
        ('team barrier', 'at barriers of threads'),
        ('thread join', 'for the last thread of parallel regions'),
        ('idle thread', 'of threads between parallel regions'),
        ('lock', 'for locks'),
        ('device', 'for devices'),
        ('I/O', 'for files')) k (kind, text) WHERE k.kind = $1), $1)
$$;
COMMENT ON FUNCTION perfhouse_internal.wait_kind_text(text) IS 'A kind of wait_states as the end of a sentence about waiting.';

CREATE OR REPLACE FUNCTION perfhouse_internal.explain_wait_kinds(run bigint)
RETURNS TABLE (step text, sentence text, confidence text, shape text, cause text, path text, units text, share float8, effect float8,
    evidence text, picture text)
LANGUAGE sql STABLE PARALLEL SAFE ROWS 1 SET search_path = pg_catalog, pg_temp AS $$
    WITH waits AS MATERIALIZED (
        SELECT w.kind, w.region, sum(w.ns) AS ns, t.duration::float8 * t.n_locations AS of_all
        FROM perfhouse.trace t, perfhouse.wait_states(t.run_id) w
        WHERE t.run_id = $1 AND t.n_events <= 1000000 AND t.events_dropped_at IS NULL AND NOT perfhouse_internal.is_sampled($1)
        GROUP BY 1, 2, t.duration, t.n_locations),
    kinds AS (
        SELECT DISTINCT ON (w.kind) w.kind, w.region, w.ns AS most, sum(w.ns) OVER (PARTITION BY w.kind) AS ns,
            (SELECT sum(q.ns) FROM waits q) AS waited, w.of_all
        FROM waits w ORDER BY w.kind, w.ns DESC, w.region),
    listed AS (
        SELECT k.*, row_number() OVER (ORDER BY k.ns DESC, k.kind) AS nth FROM kinds k WHERE k.waited >= 0.02 * k.of_all)
    SELECT 'waits', format('Of all waiting %s.', string_agg(format('%s %%%s %s%s', round(100 * l.ns / l.waited, 1),
                CASE l.nth WHEN 1 THEN ' is' ELSE '' END, perfhouse_internal.wait_kind_text(l.kind),
                CASE WHEN l.region IS NULL OR l.kind IN ('team barrier', 'thread join', 'idle thread') THEN ''
                    WHEN l.most = l.ns THEN ' in ' || l.region ELSE ', most in ' || l.region END), ', ' ORDER BY l.nth)),
        NULL, NULL, NULL, NULL, NULL, NULL::float8, (max(l.waited) / 1e9)::float8,
        format('SELECT kind, region, count(*) AS waits, sum(ns) AS ns FROM perfhouse.wait_states(%s) '
            'GROUP BY 1, 2 ORDER BY 4 DESC LIMIT 10', $1),
        format('perfhouse render blame --run %s -o explain.svg', $1)
    FROM listed l WHERE l.nth <= 3 AND l.ns >= 0.1 * l.waited HAVING count(*) > 0
$$;
COMMENT ON FUNCTION perfhouse_internal.explain_wait_kinds(bigint) IS
    'What kinds of waits a traced run of a million events or fewer has, the three with most that are a tenth of all waiting at least, '
    'where all waiting is 2 % of the time of its processes and threads or more. effect: all waiting, in seconds.';

CREATE OR REPLACE FUNCTION perfhouse_internal.explain_device_efficiency(run bigint)
RETURNS TABLE (step text, sentence text, confidence text, shape text, cause text, path text, units text, share float8, effect float8,
    evidence text, picture text)
LANGUAGE sql STABLE PARALLEL SAFE ROWS 1 SET search_path = pg_catalog, pg_temp AS $$
    WITH factors AS (
        SELECT f.name, f.value, f.no FROM perfhouse.run r, LATERAL (VALUES (1, 'load balance', r.device_load_balance),
            (2, 'communication', r.device_communication), (3, 'orchestration', r.device_orchestration)) f (no, name, value)
        WHERE r.run_id = $1 AND f.value IS NOT NULL)
    SELECT 'efficiency', format('Devices compute for %s %% of the time in which they are used: %s.%s',
            round((100 * r.device_efficiency)::numeric, 1),
            (SELECT string_agg(format('%s %s %%', f.name, round((100 * f.value)::numeric, 1)), ', ' ORDER BY f.no) FROM factors f),
            CASE WHEN l.value < 0.9995 THEN format(' Most is lost by %s.', l.name) ELSE '' END),
        'high', NULL, NULL, NULL, NULL, 1 - r.device_efficiency, NULL::float8,
        format('SELECT parallel, load_balance, communication, orchestration, offload FROM perfhouse.device_efficiency(%s)', $1),
        format('perfhouse render gpu-activity --run %s -o explain.svg', $1)
    FROM perfhouse.run r, (SELECT f.name, f.value FROM factors f ORDER BY f.value, f.no LIMIT 1) l
    WHERE r.run_id = $1 AND r.device_efficiency IS NOT NULL
$$;
COMMENT ON FUNCTION perfhouse_internal.explain_device_efficiency(bigint) IS
    'How well devices are used, as device_efficiency(run) found it at the load, and by what most is lost; share is what is lost of '
    'the time. No row where nothing is stored.';

CREATE OR REPLACE FUNCTION perfhouse_internal.explain_efficiency(run bigint)
RETURNS TABLE (step text, sentence text, confidence text, shape text, cause text, path text, units text, share float8, effect float8,
    evidence text, picture text)
LANGUAGE sql STABLE PARALLEL SAFE ROWS 1 SET search_path = pg_catalog, pg_temp AS $$
    WITH factors AS (
        SELECT f.name, f.value, f.no FROM perfhouse.run r, LATERAL (VALUES (1, 'load balance', r.load_balance),
            (2, 'communication', CASE WHEN r.serialisation_efficiency IS NULL THEN r.communication_efficiency END),
            (3, 'serialisation', r.serialisation_efficiency), (4, 'transfer', r.transfer_efficiency),
            (5, 'threads', CASE WHEN r.thread_load_balance IS NULL THEN r.thread_efficiency END),
            (6, 'thread load balance', r.thread_load_balance), (7, 'thread serialisation', r.thread_serialisation)) f (no, name, value)
        WHERE r.run_id = $1 AND f.value IS NOT NULL),
    ends AS (
        SELECT sum(s.inclusive) / nullif(o.total, 0) AS share
        FROM perfhouse.run_overview o JOIN perfhouse.metric m ON m.name = o.metrics[1]
            JOIN perfhouse.region_summary s ON s.run_id = o.run_id AND s.metric_id = m.metric_id
            JOIN perfhouse.region g ON g.region_id = s.region_id AND g.name ~* '^mpi_(init|init_thread|finalize)(_*|\(\))$'
        WHERE o.run_id = $1 GROUP BY o.total)
    SELECT 'efficiency', format('Processes work for %s %% of the time%s: %s.%s',
            round((100 * r.parallel_efficiency)::numeric, 1),
            CASE WHEN r.efficiency_estimated THEN ', as their profile estimates'
                ELSE (SELECT format(' between MPI_Init and MPI_Finalize, which take %s %% of the run', round((100 * e.share)::numeric, 1))
                    FROM ends e WHERE e.share >= 0.1) END,
            (SELECT string_agg(format('%s %s %%', f.name, round((100 * f.value)::numeric, 1)), ', ' ORDER BY f.no) FROM factors f),
            CASE WHEN l.value < 0.9995 THEN format(' Most is lost by %s.', l.name) ELSE '' END),
        CASE WHEN r.efficiency_estimated THEN 'low' ELSE 'high' END, NULL, NULL, NULL, NULL, 1 - r.parallel_efficiency, NULL::float8,
        format('SELECT parallel, load_balance, communication, serialisation, transfer, threads, estimated '
            'FROM perfhouse.efficiency(%s)', $1),
        format('perfhouse render %s --run %s -o explain.svg', CASE WHEN l.name = 'load balance' OR r.efficiency_estimated
            THEN 'processes' ELSE 'time-profile' END, $1)
    FROM perfhouse.run r, (SELECT f.name, f.value FROM factors f ORDER BY f.value, f.no LIMIT 1) l
    WHERE r.run_id = $1 AND r.parallel_efficiency IS NOT NULL AND NOT (perfhouse_internal.has_devices($1) AND (r.efficiency_estimated
        OR NOT EXISTS (SELECT 1 FROM perfhouse.trace t WHERE t.run_id = $1 AND t.n_messages + t.n_collectives > 0)))
    UNION ALL
    SELECT * FROM perfhouse_internal.explain_device_efficiency($1)
$$;
COMMENT ON FUNCTION perfhouse_internal.explain_efficiency(bigint) IS
    'How well processes are used, as efficiency(run) found it at the load, and by what most is lost; share is what is lost of the '
    'time. Start-up and shut-down are told where they take a tenth of a traced run. No row where nothing is stored, or where '
    'devices do the work and it is estimated or processes do not communicate. Then '
    'the same of devices.';

CREATE OR REPLACE FUNCTION perfhouse_internal.change_text(change jsonb) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
    SELECT CASE k.kind WHEN 'network' THEN 'A network that takes no time'
        WHEN 'balance' THEN format('Balancing %s, each call of which takes on every rank the mean over the ranks,',
            perfhouse.short_name(k.value #>> '{}'))
        WHEN 'rank_to_mean' THEN format('Bringing what rank %s computes to the mean of the ranks', k.value #>> '{}')
        WHEN 'nonblocking' THEN format('Not waiting for receivers in %s', k.value #>> '{}')
        WHEN 'order' THEN CASE WHEN k.value ? 'sends'
            THEN format('Sending in the order of %s in %s', k.value ->> 'sends', perfhouse.short_name(k.value ->> 'path'))
            ELSE format('Beginning %s with the %s on %s ranks', perfhouse.short_name(k.value ->> 'path'), k.value ->> 'first',
                coalesce(k.value ->> 'ranks', 'all')) END
        ELSE change::text END
    FROM jsonb_each(change) k (kind, value) LIMIT 1
$$;
COMMENT ON FUNCTION perfhouse_internal.change_text(jsonb) IS 'A change of opportunities as the subject of a sentence.';

CREATE OR REPLACE FUNCTION perfhouse_internal.explain_gain(run bigint)
RETURNS TABLE (step text, sentence text, confidence text, shape text, cause text, path text, units text, share float8, effect float8,
    evidence text, picture text)
LANGUAGE sql STABLE PARALLEL SAFE ROWS 3 SET search_path = pg_catalog, pg_temp AS $$
    WITH size AS (
        SELECT g.name, min(s.inclusive) AS inclusive
        FROM perfhouse.run r JOIN perfhouse.metric m ON m.name = r.metrics[1]
            JOIN perfhouse.region_summary s ON s.run_id = r.run_id AND s.metric_id = m.metric_id
            JOIN perfhouse.region g ON g.region_id = s.region_id
        WHERE r.run_id = $1 GROUP BY 1),
    tried AS MATERIALIZED (
        SELECT o.*, k.kind, s.inclusive, max(o.gain_ns) OVER (PARTITION BY k.kind) AS most,
            abs(ln((o.predicted_ns + o.gain_ns)::float8 / nullif(t.duration, 0))) AS off
        FROM perfhouse.trace t, perfhouse.opportunities(t.run_id, 100) o, jsonb_each(o.change) k (kind, value)
            LEFT JOIN size s ON k.kind = 'balance' AND s.name = k.value #>> '{}'
        WHERE t.run_id = $1 AND t.n_events <= 1000000 AND t.events_dropped_at IS NULL AND NOT perfhouse_internal.is_sampled($1)),
    best AS (
        SELECT DISTINCT ON (w.kind) w.* FROM tried w
        WHERE w.share >= 0.01 AND w.gain_ns >= 0.95 * w.most
        ORDER BY w.kind, w.inclusive NULLS LAST, w.gain_ns DESC, w.change::text)
    SELECT 'gain', format('%s would make the run %s %% shorter: %s instead of %s.', c.text,
            round((100 * b.share)::numeric, 1), perfhouse.readable(b.predicted_ns / 1e9, 's'),
            perfhouse.readable((b.predicted_ns + b.gain_ns) / 1e9, 's')),
        CASE WHEN b.off <= 0.01 THEN 'high' WHEN b.off <= 0.05 THEN 'medium' ELSE 'low' END, NULL, NULL,
        coalesce(b.change ->> 'balance', b.change ->> 'nonblocking', b.change #>> '{order,path}'), 'rank ' || (b.change ->> 'rank_to_mean'),
        b.share, b.gain_ns / 1e9::float8,
        format('SELECT recorded_ns, calibration, predicted_ns, gain_ns, waits FROM perfhouse.what_if(%s, %L)', $1, b.change),
        format('perfhouse render %s --run %s -o explain.svg', CASE WHEN b.kind IN ('balance', 'rank_to_mean') THEN 'processes'
            WHEN b.kind = 'network' THEN 'comm-matrix' ELSE 'timeline' END, $1)
    FROM best b, perfhouse_internal.change_text(b.change) c (text)
    UNION ALL
    SELECT 'gain', 'No single change that a replay can try (balance, ranks, sends, their order, the network) would make the run '
            '1 % shorter.',
        'medium', NULL, NULL, NULL, NULL, NULL::float8, NULL::float8,
        format('SELECT change, gain_ns, predicted_ns, share FROM perfhouse.opportunities(%s)', $1), NULL
    WHERE EXISTS (SELECT FROM tried) AND NOT EXISTS (SELECT FROM best)
    ORDER BY 9 DESC NULLS LAST, 2 LIMIT 3
$$;
COMMENT ON FUNCTION perfhouse_internal.explain_gain(bigint) IS
    'What would make a traced run of a million events or fewer shorter, as opportunities predicts: of each kind of change the best '
    'one, from 1 % of the run on, three at most; of functions to balance that bring nearly the same the smallest. effect: seconds. '
    'Confidence is high where the replay without changes ends within 1 % of what was recorded, medium within 5 %.';

CREATE OR REPLACE FUNCTION perfhouse.explain_run(run bigint, margin float8 DEFAULT 0.02)
RETURNS TABLE (step text, sentence text, confidence text, shape text, cause text, path text, units text, share float8, effect float8,
    evidence text, picture text)
LANGUAGE plpgsql STABLE STRICT PARALLEL RESTRICTED COST 1000000 ROWS 8 SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    siblings record;
BEGIN
    IF NOT EXISTS (SELECT FROM perfhouse.run r WHERE r.run_id = run AND r.state = 'ready') THEN
        RAISE EXCEPTION 'there is no run %', run USING ERRCODE = 'PH002', HINT = 'perfhouse runs lists them; in SQL run_overview.';
    END IF;
    SELECT * INTO siblings FROM perfhouse_internal.siblings(run);
    IF siblings.runs IS NULL THEN
        RETURN QUERY SELECT * FROM perfhouse_internal.explain_alone(run);
    ELSE
        RETURN QUERY SELECT e.step, CASE e.step WHEN 'comparable' THEN format('Measured by %s other run%s %s. ', cardinality(siblings.runs),
                CASE cardinality(siblings.runs) WHEN 1 THEN '' ELSE 's' END, siblings.what) ELSE '' END || e.sentence,
            e.confidence, e.shape, e.cause, e.path, e.units, e.share, e.effect, e.evidence, e.picture
        FROM perfhouse.explain_runs(siblings.runs, ARRAY[run], margin) e;
    END IF;
    RETURN QUERY SELECT * FROM perfhouse_internal.explain_metadata(run);
    RETURN QUERY SELECT * FROM perfhouse_internal.explain_sizes(run);
    RETURN QUERY SELECT * FROM perfhouse_internal.explain_devices(run);
    RETURN QUERY SELECT * FROM perfhouse_internal.explain_waits(run);
    RETURN QUERY SELECT * FROM perfhouse_internal.explain_wait_kinds(run);
    RETURN QUERY SELECT * FROM perfhouse_internal.explain_efficiency(run);
    RETURN QUERY SELECT * FROM perfhouse_internal.explain_scaling_efficiency(run);
    RETURN QUERY SELECT * FROM perfhouse_internal.explain_balance(run);
    RETURN QUERY SELECT * FROM perfhouse_internal.explain_gain(run);
END $$;
COMMENT ON FUNCTION perfhouse.explain_run(bigint, float8) IS
    'Why a run takes the time that it takes, a sentence a row: explain_runs of its siblings (twelve runs of its experiment '
    'at most, of its commit when they are three, those before it first) and it; then changed (runs around it that have another value '
    'of some metadata are all faster), scaling (it is out of line with runs of other numbers of ranks), '
    'devices (of a trace: what they did and lost time by, which one is slow, for which rank others'
    ' wait in collectives, the dearest kernel), waits (who made others wait, and where, without a trace as the profile '
    'estimates; of a trace of a million events or fewer what kinds of waits there were), '
    'efficiency (how well processes, and devices, are used and by what most is lost; what computation lost since the smallest number of '
    'ranks), balance (the call path whose slowest rank costs the others most, from 2 % of the run on) and gain (the changes that would '
    'shorten a traced run of a million events or fewer most, by replay; effect: what they gain, in seconds). Errors: PH002 for a '
    'run that is not there.';
