-- 023-metadata.sql - metadata of stored runs can be mended; every change is logged, and histories hear of it.

CREATE OR REPLACE FUNCTION perfhouse_internal.metadata_column(key text) RETURNS text
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    name text := CASE key WHEN 'commit' THEN 'commit_id' WHEN 'user' THEN 'user_name' ELSE key END;
BEGIN
    IF name IN ('application', 'title', 'commit_id', 'branch', 'started_at', 'user_name', 'cluster', 'project', 'n_ranks', 'n_threads') THEN
        RETURN name;
    ELSIF coalesce(key, '') = '' THEN
        RAISE EXCEPTION 'metadata needs a key' USING ERRCODE = '22023';
    ELSIF EXISTS (SELECT FROM pg_attribute a WHERE a.attrelid = 'perfhouse.run'::regclass AND a.attnum > 0 AND a.attname = name) THEN
        RAISE EXCEPTION '"%" is kept by the warehouse and cannot be set', key USING ERRCODE = '22023',
            HINT = 'perfhouse tag and perfhouse exclude change tags and exclusions; what was measured stays.';
    END IF;
    RETURN NULL;
END $$;
COMMENT ON FUNCTION perfhouse_internal.metadata_column(text) IS
    'The column of perfhouse.run that a key of metadata is promoted to; null: it is in meta alone. Errors: 22023 for '
    'what cannot be set.';

-- Of a promoted key meta has the name that --set takes.
CREATE OR REPLACE FUNCTION perfhouse_internal.write_metadata(run bigint, key text, value jsonb) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    promoted text := perfhouse_internal.metadata_column(key);
    name text := CASE key WHEN 'commit_id' THEN 'commit' WHEN 'user_name' THEN 'user' ELSE key END;
    change jsonb := jsonb_build_object(name, value);
BEGIN
    UPDATE perfhouse.run r SET meta = CASE WHEN value IS NULL THEN r.meta - name ELSE r.meta || change END
    WHERE r.run_id = run;
    IF promoted IS NOT NULL THEN
        EXECUTE format('UPDATE perfhouse.run SET %I = $1::%s WHERE run_id = $2', promoted,
            CASE promoted WHEN 'n_ranks' THEN 'int4' WHEN 'n_threads' THEN 'int4' WHEN 'started_at' THEN 'timestamptz' ELSE 'text' END)
        USING value #>> '{}', run;
    END IF;
END $$;
COMMENT ON FUNCTION perfhouse_internal.write_metadata(bigint, text, jsonb) IS
    'Writes one key of a run''s metadata, and the column that it is promoted to; null removes it.';

CREATE OR REPLACE FUNCTION perfhouse_internal.check_metadata(key text, value jsonb) RETURNS void
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    promoted text := perfhouse_internal.metadata_column(key);
    wanted text;
BEGIN
    IF promoted IS NULL OR value IS NULL THEN
        RETURN;
    ELSIF promoted IN ('n_ranks', 'n_threads') THEN
        wanted := CASE WHEN NOT (jsonb_typeof(value) = 'number' AND value #>> '{}' ~ '^[1-9][0-9]{0,8}$') THEN 'a number from 1 on' END;
    ELSIF promoted = 'started_at' THEN
        wanted := CASE WHEN NOT (jsonb_typeof(value) = 'string' AND value #>> '{}' ~ '^[0-9]{4}-[0-9]{2}-[0-9]{2}') THEN
            'a time such as 2026-11-21 04:00:00+00' END;
    ELSE
        wanted := CASE WHEN jsonb_typeof(value) IN ('object', 'array') OR value #>> '{}' = '' THEN 'a text' END;
    END IF;
    IF wanted IS NOT NULL THEN
        RAISE EXCEPTION '"%" must be %, not %', key, wanted, value USING ERRCODE = '22023';
    END IF;
END $$;
COMMENT ON FUNCTION perfhouse_internal.check_metadata(text, jsonb) IS
    'Fails with 22023 when a key cannot have this value.';

CREATE OR REPLACE FUNCTION perfhouse.set_metadata(run bigint, key text, value jsonb) RETURNS jsonb
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    r perfhouse.run;
    before jsonb;
    promoted text := perfhouse_internal.metadata_column(key);
    new_value jsonb := nullif(value, 'null');
BEGIN
    PERFORM perfhouse_internal.check_metadata(key, new_value);
    SELECT * INTO r FROM perfhouse.run q WHERE q.run_id = run AND q.state = 'ready' FOR UPDATE;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'there is no run %', run USING ERRCODE = 'PH002', HINT = 'perfhouse runs lists them; in SQL run_overview.';
    END IF;
    before := CASE WHEN promoted IS NULL THEN r.meta -> key ELSE nullif(to_jsonb(r) -> promoted, 'null') END;
    IF before IS NOT DISTINCT FROM new_value THEN
        RETURN before;
    END IF;
    PERFORM perfhouse_internal.write_metadata(run, key, new_value);
    INSERT INTO perfhouse.run_change (run_id, key, old_value, new_value) VALUES (run, key, before, new_value);
    -- what was searched for regressions is not what there is now
    DELETE FROM perfhouse.regression_watch w USING perfhouse.run q
    WHERE q.run_id = run AND w.application IN (r.application, q.application);
    PERFORM perfhouse_internal.notify_run(run, a.application, 'changed')
    FROM (SELECT r.application UNION SELECT q.application FROM perfhouse.run q WHERE q.run_id = run) a;
    RETURN before;
END $$;
COMMENT ON FUNCTION perfhouse.set_metadata(bigint, text, jsonb) IS
    'Mends one key of a run''s metadata (null removes it) and returns what it was. application, title, commit, branch, '
    'user, cluster, started_at, project, n_ranks and n_threads are columns of run_overview, too, and are checked to be '
    'texts, a time and positive numbers. The change is kept in run_change and stays when the run is loaded again with '
    '--if-exists replace; histories are searched anew by the next update_regressions(), and NOTIFY perfhouse_run says '
    'changed. Errors: PH002 when there is no such run; 22023 for what cannot be set, or not to this.';
REVOKE ALL ON FUNCTION perfhouse.set_metadata(bigint, text, jsonb) FROM PUBLIC;

CREATE OR REPLACE FUNCTION perfhouse_internal.mend_again(run bigint) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
BEGIN
    -- two names of one thing are one, so that the last word holds
    PERFORM perfhouse_internal.write_metadata(run, c.key, c.new_value)
    FROM (SELECT DISTINCT ON (n.name) k.key, k.new_value
        FROM perfhouse.run_change k
        CROSS JOIN LATERAL (SELECT CASE k.key WHEN 'commit_id' THEN 'commit' WHEN 'user_name' THEN 'user' ELSE k.key END AS name) n
        WHERE k.run_id = run
        ORDER BY n.name, k.change_id DESC) c;
END $$;
COMMENT ON FUNCTION perfhouse_internal.mend_again(bigint) IS
    'Of a run that was loaded again: what people have set of its metadata last is set again.';
