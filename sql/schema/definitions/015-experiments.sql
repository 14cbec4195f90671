-- 015-experiments.sql - Runs that belong together: groups by metadata, experiments of an application.

-- ---------------------------------------------------------------------------------------- groups of runs
CREATE OR REPLACE FUNCTION perfhouse.run_value(run bigint, key text) RETURNS text
LANGUAGE sql STABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
    SELECT CASE WHEN $2 LIKE 'meta.%' THEN r.meta ->> substr($2, 6)
                ELSE coalesce(to_jsonb(r) ->> $2, r.meta ->> $2) END
    FROM perfhouse.run_overview r WHERE r.run_id = $1
$$;
COMMENT ON FUNCTION perfhouse.run_value(bigint, text) IS
    'One piece of a run''s metadata: a column of run_overview or, when there is none of that name, a key of its '
    'metadata (meta.key: always that). For groups: SELECT ensemble(p, g ORDER BY g) FROM (SELECT run_value(run_id, '
    '''compiler'') AS g, mean(profile(run_id)) AS p FROM run_overview GROUP BY 1) q. Null: the run has no such key.';

CREATE OR REPLACE FUNCTION perfhouse.roll_up_runs(p perfhouse.profile, key text, combine text DEFAULT 'mean') RETURNS perfhouse.profile
LANGUAGE sql STABLE PARALLEL SAFE COST 10000 SET search_path = pg_catalog, pg_temp AS $$
    SELECT perfhouse.roll_up($1, (
        SELECT array_agg(coalesce(perfhouse.run_value(c.run_id, $2), '(none)') ORDER BY c.location) FROM perfhouse.columns($1) c), $3)
$$;
COMMENT ON FUNCTION perfhouse.roll_up_runs(perfhouse.profile, text, text) IS
    'An ensemble with a column per group of runs that have the same value of a metadata key (see run_value; "(none)": '
    'without it), in the order of their first runs: their mean (absent = 0) or sum. To compare compilers, machines, '
    'decompositions: nodes, supernodes_by_column, against_ensemble, node_statistics of the result. Errors: as roll_up.';

-- ---------------------------------------------------------------------------------------- experiments
-- Whether two runs can be compared depends on them and on what was declared for their application, never on a third
-- run: loading one takes no other run's history apart.

CREATE OR REPLACE FUNCTION perfhouse.default_keys() RETURNS text[]
LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
    SELECT ARRAY['n_ranks', 'n_threads', 'n_hosts', 'cluster', 'problem', 'problem_size', 'input']
$$;
COMMENT ON FUNCTION perfhouse.default_keys() IS
    'The experiment keys of applications for which nobody has set others: ranks, threads, nodes and cluster, and '
    'problem, problem_size and input of the metadata. They count where a run compared has them.';

CREATE OR REPLACE FUNCTION perfhouse.default_size_keys() RETURNS text[]
LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
    SELECT ARRAY['problem_size', 'problem', 'size']
$$;
COMMENT ON FUNCTION perfhouse.default_size_keys() IS
    'Metadata that is taken for the size of the problem when nobody has set size keys: the first that is a number in all runs.';

CREATE OR REPLACE FUNCTION perfhouse_internal.number_above_0(value text) RETURNS float8
LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
    SELECT CASE WHEN $1 ~ '^(?=[0-9.]*[1-9])[0-9]{1,15}(\.[0-9]{1,9})?([eE][+-]?[0-9]{1,2})?$' THEN $1::float8 END
$$;
COMMENT ON FUNCTION perfhouse_internal.number_above_0(text) IS 'A value of metadata as a number; null: it is none, or not above 0.';

-- No function here takes a row of run: its type would tie the table to them, and a distributed database refuses to copy it.
CREATE OR REPLACE FUNCTION perfhouse_internal.key_values(told jsonb, keys text[]) RETURNS text[]
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    meta jsonb := told -> 'meta';
BEGIN
    RETURN ARRAY(SELECT nullif(CASE WHEN k.key LIKE 'meta.%' THEN meta ->> substr(k.key, 6)
                                    ELSE coalesce(told ->> k.key, meta ->> k.key) END, '')
                 FROM unnest(keys) WITH ORDINALITY k (key, no) ORDER BY k.no);
END $$;
COMMENT ON FUNCTION perfhouse_internal.key_values(jsonb, text[]) IS
    'What a run (to_jsonb of its row in perfhouse.run) says to keys: columns, or else metadata, meta.key always that; null to '
    'what it does not say.';

CREATE OR REPLACE FUNCTION perfhouse_internal.declared_experiment(run bigint, keys text[]) RETURNS text
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RETURN (SELECT CASE WHEN array_position(v."values", NULL) IS NULL
                        THEN r.application || E'\x1F' || array_to_string(v."values", E'\x1F') END
            FROM perfhouse.run r, perfhouse_internal.key_values(to_jsonb(r), keys) v ("values") WHERE r.run_id = run);
END $$;
COMMENT ON FUNCTION perfhouse_internal.declared_experiment(bigint, text[]) IS
    'experiment_of by keys that were set for the application: null when the run lacks one.';

-- An expression, parsed here and put into the queries that use it, because histories ask for thousands; the run keeps what
-- the default keys say. U+001F parts values, U+001E stands for one that is not there.
CREATE OR REPLACE FUNCTION perfhouse_internal.experiment_of(run bigint, default_experiment text, keys text[]) RETURNS text
LANGUAGE sql STABLE PARALLEL SAFE
RETURN CASE WHEN $3 IS NULL THEN $2 ELSE perfhouse_internal.declared_experiment($1, $3) END;
COMMENT ON FUNCTION perfhouse_internal.experiment_of(bigint, text, text[]) IS
    'The column experiment of run_experiment, for a run, its default_experiment and the keys that were set for its application '
    '(null: none were).';

CREATE OR REPLACE VIEW perfhouse.run_experiment WITH (security_invoker = true) AS
SELECT r.run_id, r.application, perfhouse_internal.experiment_of(r.run_id, r.default_experiment, a.keys) AS experiment,
       coalesce(a.keys, perfhouse.default_keys()) AS keys,
       perfhouse_internal.key_values(to_jsonb(r), coalesce(a.keys, perfhouse.default_keys())) AS "values", a.keys IS NOT NULL AS is_declared
FROM perfhouse.run r LEFT JOIN perfhouse.application a ON a.application = r.application
WHERE r.state = 'ready';
COMMENT ON VIEW perfhouse.run_experiment IS
    'What each run is an experiment of. Runs with the same text in experiment can be compared, others cannot: '
    'experiment_differences says why. What a run does not say makes it like no other where the key was set for its '
    'application; of the default keys it is like those that do not say it either.';
COMMENT ON COLUMN perfhouse.run_experiment.experiment IS
    'application and values in one text, for joins and groups; null: the run can be compared with no other, because it has '
    'no application or lacks a key that was set';
COMMENT ON COLUMN perfhouse.run_experiment.keys IS 'the keys that set_application() keeps for the application, else default_keys()';
COMMENT ON COLUMN perfhouse.run_experiment."values" IS 'parallel to keys; null: the run does not say';
COMMENT ON COLUMN perfhouse.run_experiment.is_declared IS 'the keys were set for the application: a run without one is like no other';

CREATE OR REPLACE FUNCTION perfhouse.experiment_differences(a bigint[], b bigint[] DEFAULT NULL)
RETURNS TABLE (key text, status text, a_values text[], b_values text[])
LANGUAGE sql STABLE PARALLEL SAFE ROWS 8 SET search_path = pg_catalog, pg_temp AS $$
    WITH chosen AS MATERIALIZED (
        SELECT x.*, x.run_id = ANY ($1) AS in_a, coalesce(x.run_id = ANY ($2), false) AS in_b, count(*) OVER () AS n_runs
        FROM perfhouse.run_experiment x WHERE x.run_id = ANY ($1 || coalesce($2, '{}'))),
    facts AS MATERIALIZED (
        SELECT c.in_a, c.in_b, c.n_runs, 0::bigint AS no, 'application' AS key, c.application AS value, true AS is_declared FROM chosen c
        UNION ALL
        SELECT c.in_a, c.in_b, c.n_runs, k.no, k.key, k.value, c.is_declared
        FROM chosen c, unnest(c.keys, c."values") WITH ORDINALITY k (key, value, no)),
    sides AS (
        SELECT s.key, array_agg(s.value ORDER BY length(s.value), s.value) FILTER (WHERE s.in_a) AS a_values,
            array_agg(s.value ORDER BY length(s.value), s.value) FILTER (WHERE s.in_b) AS b_values
        FROM (SELECT DISTINCT f.key, f.value, true AS in_a, false AS in_b FROM facts f WHERE f.in_a
            UNION ALL SELECT DISTINCT f.key, f.value, false, true FROM facts f WHERE f.in_b) s
        GROUP BY 1),
    judged AS (
        SELECT f.key, min(f.no) AS no, CASE
            WHEN count(DISTINCT f.value) > 1 THEN 'differs'
            WHEN count(f.value) = 0 AND (min(f.n_runs) = 1 OR NOT bool_or(f.is_declared)) THEN 'not recorded'
            WHEN count(f.value) < count(*) THEN 'unknown'
            ELSE 'same' END AS status
        FROM facts f GROUP BY 1)
    SELECT d.key, d.status, d.a_values, d.b_values
    FROM (SELECT j.no, j.key, j.status, s.a_values, s.b_values FROM judged j JOIN sides s USING (key)
        UNION ALL
        -- nobody knows what an incomplete run lacks
        SELECT NULL, 'completeness', 'unknown', array_agg(DISTINCT r.completeness) FILTER (WHERE c.in_a),
            array_agg(DISTINCT r.completeness) FILTER (WHERE c.in_b)
        FROM chosen c JOIN perfhouse.run r USING (run_id)
        HAVING bool_or(r.completeness = 'incomplete') AND count(*) > 1) d
    ORDER BY d.no NULLS LAST, d.key
$$;
COMMENT ON FUNCTION perfhouse.experiment_differences(bigint[], bigint[]) IS
    'Whether runs can be compared, a row per experiment key: application first, then those of run_experiment. status: '
    'same; differs; unknown (not every run has the key: null equals nothing, null neither; of keys that nobody has set '
    'for the application, when some runs have it and others have not); not recorded (no run has it, and nobody has set '
    'it for the application, so it does not count). A row completeness is there when one of several runs is '
    'incomplete: unknown. Runs can be compared when none differs or is unknown. a_values, '
    'b_values: the values of the runs of each side, null for runs without; b null: one side alone. The commands, the '
    'pages and all histories decide by this and run_experiment alone.';

CREATE OR REPLACE FUNCTION perfhouse.are_comparable(a bigint[], b bigint[] DEFAULT NULL) RETURNS boolean
LANGUAGE sql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
    SELECT bool_and(d.status NOT IN ('differs', 'unknown')) FROM perfhouse.experiment_differences($1, $2) d
$$;
COMMENT ON FUNCTION perfhouse.are_comparable(bigint[], bigint[]) IS
    'Whether runs are of one experiment, as experiment_differences says it key by key. Null: none of them is there.';

CREATE OR REPLACE FUNCTION perfhouse.comparable_runs(run bigint) RETURNS SETOF bigint
LANGUAGE sql STABLE PARALLEL SAFE ROWS 20 SET search_path = pg_catalog, pg_temp AS $$
    SELECT o.run_id FROM perfhouse.run_experiment x JOIN perfhouse.run_experiment o USING (application, experiment)
    JOIN perfhouse.run_overview v ON v.run_id = o.run_id AND v.excluded_reason IS NULL
    WHERE x.run_id = $1 AND o.run_id <> $1
    ORDER BY o.run_id
$$;
COMMENT ON FUNCTION perfhouse.comparable_runs(bigint) IS
    'The other runs of a run''s experiment, of whatever commit; excluded ones are left out. None of a run without an '
    'application, or without a key that was set for it.';

CREATE OR REPLACE FUNCTION perfhouse_internal.experiment_text(keys text[], "values" text[]) RETURNS text
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RETURN (SELECT string_agg(format('%s %s', CASE k.key WHEN 'n_ranks' THEN 'ranks' WHEN 'n_threads' THEN 'threads'
            WHEN 'n_hosts' THEN 'nodes' ELSE k.key END, k.value), ', ' ORDER BY k.no)
        FROM unnest($1, $2) WITH ORDINALITY k (key, value, no) WHERE k.value IS NOT NULL);
END $$;
COMMENT ON FUNCTION perfhouse_internal.experiment_text(text[], text[]) IS
    'Experiment keys with their values for people; null when there is none.';

CREATE OR REPLACE FUNCTION perfhouse_internal.differences_text(a bigint[], b bigint[] DEFAULT NULL) RETURNS text
LANGUAGE sql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
    SELECT string_agg(d.key || ' ' || CASE WHEN $2 IS NULL THEN s.a
        ELSE s.a || CASE d.status WHEN 'differs' THEN ' against ' ELSE ' and ' END || s.b END, '; ' ORDER BY d.no)
    FROM perfhouse.experiment_differences($1, $2) WITH ORDINALITY d (key, status, a_values, b_values, no),
        LATERAL (SELECT (SELECT string_agg(coalesce(v, 'not known'), ', ') FROM (SELECT v FROM unnest(d.a_values) v LIMIT 8) x)
                || CASE WHEN cardinality(d.a_values) > 8 THEN ', ...' ELSE '' END,
            (SELECT string_agg(coalesce(v, 'not known'), ', ') FROM (SELECT v FROM unnest(d.b_values) v LIMIT 8) x)
                || CASE WHEN cardinality(d.b_values) > 8 THEN ', ...' ELSE '' END) s (a, b)
    WHERE d.status IN ('differs', 'unknown')
$$;
COMMENT ON FUNCTION perfhouse_internal.differences_text(bigint[], bigint[]) IS
    'In what runs differ that they can therefore not be compared, in one line for captions; null when they can.';

CREATE OR REPLACE FUNCTION perfhouse.experiments(application text DEFAULT NULL)
RETURNS TABLE (application text, experiment text, n_runs int, n_commits int, runs bigint[], latest timestamptz)
LANGUAGE sql STABLE PARALLEL SAFE ROWS 20 SET search_path = pg_catalog, pg_temp AS $$
    SELECT min(x.application), perfhouse_internal.experiment_text(min(x.keys), min(x."values")), count(*)::int,
        count(DISTINCT r.commit_id)::int, array_agg(x.run_id ORDER BY x.run_id), max(coalesce(r.started_at, r.loaded_at))
    FROM perfhouse.run_experiment x JOIN perfhouse.run_overview r USING (run_id)
    WHERE $1 IS NULL OR x.application = $1
    GROUP BY coalesce(x.experiment, x.run_id::text)
    ORDER BY 1 NULLS LAST, min(r.n_ranks), min(r.n_threads), min(x.run_id)
$$;
COMMENT ON FUNCTION perfhouse.experiments(text) IS
    'The experiments of an application (null: all): what their runs have in common, how many they are and of how many '
    'commits. Runs in one row can be compared; a run that is like no other, because it has no application or lacks a '
    'key that was set, has a row of its own.';

CREATE OR REPLACE FUNCTION perfhouse_internal.plain_keys(keys text[]) RETURNS text[]
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    plain text[] := ARRAY(SELECT CASE k.key WHEN 'ranks' THEN 'n_ranks' WHEN 'threads' THEN 'n_threads' WHEN 'nodes' THEN 'n_hosts'
        WHEN 'commit' THEN 'commit_id' WHEN 'user' THEN 'user_name' ELSE k.key END
        FROM (SELECT btrim(u.key) AS key, u.no FROM unnest(keys) WITH ORDINALITY u (key, no)) k ORDER BY k.no);
BEGIN
    IF plain && ARRAY['', 'application', 'run_id', 'fingerprint', 'source', 'meta', 'metrics', 'metric_ids', 'total', 'tags'] OR
        array_position(plain, NULL) IS NOT NULL OR cardinality(plain) > 32 THEN
        RAISE EXCEPTION 'what runs are compared by cannot be %', array_to_string(keys, ', ', '(null)') USING ERRCODE = '22023',
            HINT = 'Keys are columns of run_overview that describe the experiment (n_ranks, n_threads, n_hosts, cluster, ...) and '
                'names of metadata, 32 at most; the application always counts.';
    END IF;
    RETURN ARRAY(SELECT p.key FROM unnest(plain) WITH ORDINALITY p (key, no) GROUP BY p.key ORDER BY min(p.no));
END $$;
COMMENT ON FUNCTION perfhouse_internal.plain_keys(text[]) IS
    'Experiment keys under their one name (ranks is n_ranks, ...), each once. Errors: 22023 for what cannot be one.';

CREATE OR REPLACE FUNCTION perfhouse.set_application(name text, keys text[] DEFAULT NULL, size_keys text[] DEFAULT NULL,
    size_of text DEFAULT NULL) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF $1 IS NULL OR btrim($1) = '' THEN
        RAISE EXCEPTION 'an application needs a name' USING ERRCODE = '22023';
    ELSIF $4 NOT IN ('run', 'rank') THEN
        RAISE EXCEPTION 'a size is of a run or of a rank, not of a "%"', $4 USING ERRCODE = '22023';
    ELSIF cardinality($3) = 0 THEN
        RAISE EXCEPTION 'no size keys' USING ERRCODE = '22023', HINT = 'reset_application() takes what was set away.';
    END IF;
    INSERT INTO perfhouse.application AS a (application, keys, size_keys, size_of)
    VALUES ($1, perfhouse_internal.plain_keys($2), perfhouse_internal.plain_keys($3), $4)
    ON CONFLICT (application) DO UPDATE SET keys = coalesce(excluded.keys, a.keys), size_keys = coalesce(excluded.size_keys, a.size_keys),
        size_of = coalesce(excluded.size_of, a.size_of), set_by = excluded.set_by, set_at = excluded.set_at;
END $$;
COMMENT ON FUNCTION perfhouse.set_application(text, text[], text[], text) IS
    'Which metadata makes runs of an application comparable (keys: columns of run_overview or names of metadata; '
    'meta.name: that of the metadata; {}: the application alone), which numbers multiply to the size of its problem '
    '(size_keys), and whether that is the size of the whole run or of a rank (size_of). Null leaves what was set. A '
    'run without a key that was set can be compared with no other. Errors: 22023 for what cannot be a key.';

CREATE OR REPLACE FUNCTION perfhouse.reset_application(name text) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    DELETE FROM perfhouse.application a WHERE a.application = $1;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'nothing is set for application "%"', $1 USING ERRCODE = 'PH002', HINT = 'perfhouse application list shows all.';
    END IF;
END $$;
COMMENT ON FUNCTION perfhouse.reset_application(text) IS
    'Forget the keys that were set for an application: the default ones count again. Errors: PH002 when none were.';
REVOKE ALL ON FUNCTION perfhouse.set_application(text, text[], text[], text), perfhouse.reset_application(text) FROM PUBLIC;

CREATE OR REPLACE FUNCTION perfhouse.applications()
RETURNS TABLE (application text, keys text[], size_keys text[], size_of text, is_declared boolean, n_runs int, n_experiments int,
    set_by text, set_at timestamptz)
LANGUAGE sql STABLE PARALLEL SAFE ROWS 20 SET search_path = pg_catalog, pg_temp AS $$
    SELECT application, coalesce(a.keys, perfhouse.default_keys()), coalesce(a.size_keys, perfhouse.default_size_keys()), a.size_of,
        a.keys IS NOT NULL, coalesce(r.n_runs, 0), coalesce(r.n_experiments, 0), a.set_by, a.set_at
    FROM perfhouse.application a FULL JOIN (
        SELECT e.application, sum(e.n_runs)::int AS n_runs, count(*)::int AS n_experiments FROM perfhouse.experiments() e
        WHERE e.application IS NOT NULL GROUP BY 1) r USING (application)
    ORDER BY 1
$$;
COMMENT ON FUNCTION perfhouse.applications() IS
    'Every application that has runs or for which something was set: its experiment keys and size keys (is_declared: '
    'the keys were set with set_application, else they are the default ones), how many runs it has and of how many '
    'experiments they are.';
