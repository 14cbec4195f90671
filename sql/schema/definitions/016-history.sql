-- 016-history.sql - runs along the commit graph: order, merge bases, ranges, baselines.

-- Runs of commits that are not in perfhouse.commit come after those that are, by time.
CREATE OR REPLACE VIEW perfhouse.run_history WITH (security_invoker = true) AS
SELECT r.run_id, r.application, r.title, r.n_ranks, r.n_threads, r.cluster, r.branch,
       coalesce(c.commit_id, b.commit_id, r.commit_id) AS commit_id, coalesce(c."position", b."position") AS "position",
       coalesce(c.first_parent_position, b.first_parent_position) AS first_parent_position,
       coalesce(c.repository, b.repository) AS repository,
       coalesce(c.parents, b.parents) AS parents, coalesce(c.subject, b.subject) AS subject, coalesce(c.author, b.author) AS author,
       coalesce(c.committed_at, b.committed_at) AS committed_at, coalesce(r.started_at, r.loaded_at) AS measured_at, r.metrics,
       r.metric_ids, r.n_units, r.tags, r.excluded_reason, r.meta,
       perfhouse_internal.experiment_of(r.run_id, r.default_experiment, a.keys) AS experiment,
       r.primary_metric_id, r.derived_from IS NULL AS is_measured,
       perfhouse_internal.run_mark(r.run_id, r.loaded_at, r.excluded_reason IS NOT NULL, r.primary_metric_id, -- as in month_run
           greatest(r.n_units, r.n_ranks), coalesce(r.n_hosts, 1)) AS mark
FROM perfhouse.run r
LEFT JOIN perfhouse.application a ON a.application = r.application
LEFT JOIN perfhouse.commit c ON c.commit_id = r.commit_id
LEFT JOIN LATERAL ( -- the beginning of a hash
    SELECT * FROM perfhouse.commit b
    WHERE c.commit_id IS NULL AND length(r.commit_id) BETWEEN 4 AND 39
      AND b.commit_id OPERATOR(pg_catalog.~>=~) r.commit_id AND b.commit_id OPERATOR(pg_catalog.~<~) (r.commit_id || 'g')
    ORDER BY b.commit_id USING OPERATOR(pg_catalog.~<~) LIMIT 1) b ON true
WHERE r.state = 'ready';
COMMENT ON VIEW perfhouse.run_history IS
    'Every ready run with its commit''s place in the history. Order by position, measured_at, run_id. A run that '
    'names the beginning of a hash belongs to the first commit with it.';
COMMENT ON COLUMN perfhouse.run_history."position" IS
    'place of the commit, parents before children; null: the commit is unknown (perfhouse commits reads them)';
COMMENT ON COLUMN perfhouse.run_history.experiment IS
    'runs with the same text can be compared, as in run_experiment; null: with no other run';
COMMENT ON COLUMN perfhouse.run_history.primary_metric_id IS 'metric_ids[1]';
COMMENT ON COLUMN perfhouse.run_history.mark IS
    'a hash that changes with what the roll-up of the run by month depends on, as in month_run';
COMMENT ON COLUMN perfhouse.run_history.is_measured IS 'not computed from other runs (keep_run)';
COMMENT ON COLUMN perfhouse.run_history.first_parent_position IS 'place on the main line; null: on a side branch, or unknown';

-- A name that nothing has is a slip of the pen, not an empty answer.
CREATE OR REPLACE FUNCTION perfhouse_internal.refuse_name(what text, name text, known text[]) RETURNS void
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    closest text;
BEGIN
    SELECT string_agg(format('"%s"', c.known_name), ', ' ORDER BY c.likeness DESC, c.known_name) INTO closest
    FROM (SELECT k AS known_name, perfhouse.name_likeness(k, $2) AS likeness FROM unnest($3) k ORDER BY 2 DESC, 1 LIMIT 3) c
    WHERE c.likeness >= 0.5;
    RAISE EXCEPTION 'no % "%" in the warehouse', what, name USING ERRCODE = 'PH002', HINT = CASE
        WHEN closest IS NOT NULL THEN 'Closest: ' || closest || '.'
        WHEN coalesce(cardinality(known), 0) = 0 THEN 'There is none yet.'
        ELSE 'There are: ' || (SELECT string_agg(format('"%s"', k.k), ', ' ORDER BY k.k)
            FROM (SELECT k FROM unnest(known) k ORDER BY k LIMIT 10) k)
             || CASE WHEN cardinality(known) > 10 THEN ', ...' ELSE '.' END END;
END $$;
COMMENT ON FUNCTION perfhouse_internal.refuse_name(text, text, text[]) IS
    'Fails with PH002 because nothing in the warehouse has this name; the hint tells the closest of those that are known.';

CREATE OR REPLACE FUNCTION perfhouse_internal.require_names(application text, metric text DEFAULT NULL, function text DEFAULT NULL)
RETURNS void
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF application <> '' AND NOT EXISTS (SELECT FROM perfhouse.run r WHERE r.application = $1)
       AND NOT EXISTS (SELECT FROM perfhouse.regression r WHERE r.application = $1) THEN
        PERFORM perfhouse_internal.refuse_name('application', $1, (SELECT array_agg(DISTINCT r.application) FROM perfhouse.run r
            WHERE r.state = 'ready' AND r.application IS NOT NULL));
    END IF;
    IF metric NOT IN ('', 'time') AND NOT EXISTS (SELECT FROM perfhouse.metric m WHERE m.name = $2)
       AND NOT EXISTS (SELECT FROM perfhouse.derived_metric d WHERE d.name = $2) THEN
        PERFORM perfhouse_internal.refuse_name('metric', $2, ARRAY(
            SELECT m.name FROM perfhouse.metric m UNION SELECT d.name FROM perfhouse.derived_metric d));
    END IF;
    IF function <> '' AND NOT EXISTS (SELECT FROM perfhouse.region g WHERE g.name = $3)
       AND NOT EXISTS (SELECT FROM perfhouse.region_alias a WHERE $3 IN (a.name, a.to_name)) THEN
        PERFORM perfhouse_internal.refuse_name('function', $3, (SELECT array_agg(DISTINCT g.name) FROM perfhouse.region g));
    END IF;
END $$;
COMMENT ON FUNCTION perfhouse_internal.require_names(text, text, text) IS
    'Fails with PH002 and the closest names when the warehouse has no run of this application, no such metric or no '
    'such function; null and the empty text are not looked at.';

-- PL/pgSQL, which keeps the plan: every history asks.
CREATE OR REPLACE FUNCTION perfhouse_internal.is_derived(application text, metric text) RETURNS boolean
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RETURN EXISTS (SELECT FROM perfhouse.derived_metric d WHERE d.name = $2 AND d.name <> 'time')
       AND NOT EXISTS (SELECT FROM perfhouse.run r WHERE r.application = $1 AND r.state = 'ready' AND $2 = ANY (r.metrics));
END $$;
COMMENT ON FUNCTION perfhouse_internal.is_derived(text, text) IS
    'Whether histories of this application make the metric by its definition (define_metric): no run has it stored. '
    'time always stands for what runs have.';

CREATE OR REPLACE FUNCTION perfhouse_internal.require_stored(application text, metric text) RETURNS text
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF perfhouse_internal.is_derived($1, $2) THEN
        RAISE EXCEPTION 'regressions are of metrics that runs have stored; "%" is derived', $2 USING ERRCODE = '22023',
            HINT = 'change_points(application, metric, by => ''path'') tells where a derived metric changes.';
    END IF;
    RETURN $2;
END $$;
COMMENT ON FUNCTION perfhouse_internal.require_stored(text, text) IS
    'The metric; fails with 22023 when it is derived: the change of a path is not the sum of its callees'' then.';

-- The commit that a person means: a hash, the beginning of one, a branch, a tag, HEAD, or commit~n.
CREATE OR REPLACE FUNCTION perfhouse.find_commit(name text, repository text DEFAULT NULL) RETURNS text
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    found text[];
    steps int := coalesce(substring(name FROM '~([0-9]{1,9})$')::int, CASE WHEN name ~ '[~^]$' THEN 1 ELSE 0 END);
    base text := regexp_replace(name, '(~[0-9]*|\^)$', '');
    commit text;
BEGIN
    SELECT array_agg(DISTINCT f.commit_id) INTO found FROM perfhouse.commit_ref f
    WHERE (f.name = base OR upper(base) = 'HEAD' AND f.kind = 'head')
      AND (find_commit.repository IS NULL OR f.repository = find_commit.repository)
      AND f.kind = (SELECT k FROM unnest(ARRAY['head', 'branch', 'tag', 'remote']) WITH ORDINALITY o (k, n)
                    WHERE EXISTS (SELECT FROM perfhouse.commit_ref g WHERE g.kind = o.k AND
                        (g.name = base OR upper(base) = 'HEAD' AND g.kind = 'head')) ORDER BY n LIMIT 1);
    IF found IS NULL AND base ~* '^[0-9a-f]{4,64}$' THEN
        SELECT array_agg(c.commit_id) INTO found FROM (
            SELECT c.commit_id FROM perfhouse.commit c
            WHERE c.commit_id ~>=~ lower(base) AND c.commit_id ~<~ (lower(base) || 'g')
              AND (find_commit.repository IS NULL OR c.repository = find_commit.repository) LIMIT 2) c;
    END IF;
    IF cardinality(found) > 1 THEN
        RAISE EXCEPTION '"%" names more than one commit: %', base, array_to_string(found, ' ') USING ERRCODE = 'PH002';
    ELSIF found IS NULL THEN
        RAISE EXCEPTION 'no commit, branch or tag "%"', base USING ERRCODE = 'PH002', HINT = 'perfhouse commits REPOSITORY reads them.';
    END IF;
    commit := found[1];
    FOR i IN 1 .. steps LOOP
        SELECT c.parents[1] INTO commit FROM perfhouse.commit c WHERE c.commit_id = commit;
        EXIT WHEN commit IS NULL;
    END LOOP;
    RETURN commit;
END $$;
COMMENT ON FUNCTION perfhouse.find_commit(text, text) IS
    'The full hash of a commit, the beginning of a hash, a branch, a tag or HEAD; name~n is its n-th first parent, '
    'null before the first commit. Errors: PH002 when there is none or more than one.';

CREATE OR REPLACE FUNCTION perfhouse.commit_ancestors(commit_id text) RETURNS SETOF text
LANGUAGE sql STABLE PARALLEL SAFE ROWS 1000 SET search_path = pg_catalog, pg_temp AS $$
    WITH RECURSIVE above (commit_id) AS (
        SELECT $1 UNION SELECT p FROM above a JOIN perfhouse.commit c USING (commit_id), unnest(c.parents) p)
    SELECT commit_id FROM above
$$;
COMMENT ON FUNCTION perfhouse.commit_ancestors(text) IS 'A commit (full hash) and everything that it contains.';

CREATE OR REPLACE FUNCTION perfhouse.merge_base(a text, b text) RETURNS text
LANGUAGE sql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
    WITH common AS MATERIALIZED (
        SELECT c FROM perfhouse.commit_ancestors(perfhouse.find_commit(a)) c
        INTERSECT SELECT c FROM perfhouse.commit_ancestors(perfhouse.find_commit(b)) c)
    SELECT k.commit_id FROM common JOIN perfhouse.commit k ON k.commit_id = common.c
    WHERE NOT EXISTS (SELECT FROM common d JOIN perfhouse.commit e ON e.commit_id = d.c WHERE common.c = ANY (e.parents))
    ORDER BY k."position" DESC, k.commit_id LIMIT 1
$$;
COMMENT ON FUNCTION perfhouse.merge_base(text, text) IS
    'The best common ancestor of two commits: one that no other common ancestor contains; of several the latest. Null '
    'when they share nothing. Errors: PH002 for an unknown commit.';

CREATE OR REPLACE FUNCTION perfhouse.commits_between(good text, bad text) RETURNS SETOF text
LANGUAGE sql STABLE PARALLEL SAFE ROWS 100 SET search_path = pg_catalog, pg_temp AS $$
    SELECT c.commit_id FROM perfhouse.commit c
    WHERE c.commit_id IN (SELECT perfhouse.commit_ancestors(perfhouse.find_commit(bad))
                          EXCEPT SELECT perfhouse.commit_ancestors(perfhouse.find_commit(good)))
    ORDER BY c."position", c.commit_id
$$;
COMMENT ON FUNCTION perfhouse.commits_between(text, text) IS
    'The commits that bad contains and good does not (git''s good..bad), parents first. Errors: PH002 for an unknown commit.';

CREATE OR REPLACE FUNCTION perfhouse.runs_between(application text, good text, bad text)
RETURNS TABLE (run_id bigint, commit_id text, "position" int, n_ranks int, measured_at timestamptz)
LANGUAGE sql STABLE PARALLEL SAFE ROWS 100 SET search_path = pg_catalog, pg_temp AS $$
    SELECT h.run_id, h.commit_id, h."position", h.n_ranks, h.measured_at FROM perfhouse.run_history h
    WHERE h.application = $1 AND h.excluded_reason IS NULL
      AND h.commit_id IN (SELECT perfhouse.commits_between(good, bad))
    ORDER BY h."position", h.measured_at, h.run_id
$$;
COMMENT ON FUNCTION perfhouse.runs_between(text, text, text) IS
    'An application''s runs of the commits that bad contains and good does not, in order. Excluded runs are left out.';

CREATE OR REPLACE FUNCTION perfhouse.baseline_runs(application text, of_commit text, rule text DEFAULT 'parent', n_ranks int DEFAULT NULL)
RETURNS TABLE (run_id bigint, commit_id text, distance int)
LANGUAGE plpgsql STABLE PARALLEL SAFE ROWS 10 SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    here text := perfhouse.find_commit($2);
    base text;
    wanted int := 1;
BEGIN
    IF rule = 'parent' OR rule ~ '^previous [1-9][0-9]{0,3}$' THEN
        SELECT c.parents[1] INTO base FROM perfhouse.commit c WHERE c.commit_id = here;
        wanted := coalesce(substring(rule FROM '[0-9]+')::int, 1);
    ELSIF rule LIKE 'merge base %' THEN
        base := perfhouse.merge_base(here, substring(rule FROM 12));
        IF base = here THEN
            SELECT c.parents[1] INTO base FROM perfhouse.commit c WHERE c.commit_id = here;
        END IF;
    ELSIF rule LIKE 'baseline %' THEN
        SELECT perfhouse.find_commit(b.commit_id) INTO base FROM perfhouse.baseline b
        WHERE b.application = $1 AND b.name = substring(rule FROM 10);
        IF base IS NULL THEN
            RAISE EXCEPTION 'application % has no baseline "%"', $1, substring(rule FROM 10) USING ERRCODE = 'PH002';
        END IF;
    ELSE
        RAISE EXCEPTION 'unknown baseline rule "%"', rule USING ERRCODE = '22023',
            HINT = 'The rules are: parent, previous N, merge base BRANCH, baseline NAME.';
    END IF;
    PERFORM perfhouse_internal.require_names($1);
    RETURN QUERY
    WITH RECURSIVE line (commit_id, distance) AS (
        SELECT base, 0 WHERE base IS NOT NULL
        UNION ALL SELECT c.parents[1], l.distance + 1 FROM line l JOIN perfhouse.commit c ON c.commit_id = l.commit_id
        WHERE c.parents[1] IS NOT NULL),
    measured AS (
        SELECT h.run_id, l.commit_id, l.distance, dense_rank() OVER (ORDER BY l.distance) AS nth
        FROM line l JOIN perfhouse.run_history h ON h.commit_id = l.commit_id
        WHERE h.application = $1 AND h.excluded_reason IS NULL AND ($4 IS NULL OR h.n_ranks = $4))
    SELECT m.run_id, m.commit_id, m.distance FROM measured m WHERE m.nth <= wanted ORDER BY m.distance, m.run_id;
END $$;
COMMENT ON FUNCTION perfhouse.baseline_runs(text, text, text, int) IS
    'The runs to compare a commit with: parent (the nearest measured commit on its line of first parents), previous N '
    '(the N nearest), merge base BRANCH, baseline NAME (see perfhouse.baseline); where the commit named is not '
    'measured, the nearest measured one before it. distance: steps back from the named commit. Errors: PH002 for an '
    'unknown application, commit or baseline; 22023 for another rule.';
