-- 046-stored-profiles.sql - a computed profile becomes a run.

CREATE OR REPLACE FUNCTION perfhouse_internal.computed_of(run bigint) RETURNS text
LANGUAGE sql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
    SELECT string_agg(o.value, ', ' ORDER BY o.place) FROM perfhouse.run_provenance o
    WHERE o.run_id = run AND o.item IN ('source', 'operation')
$$;
COMMENT ON FUNCTION perfhouse_internal.computed_of(bigint) IS
    'The sources and operations of a profile that was kept as a run; null: of none.';

CREATE OR REPLACE FUNCTION perfhouse_internal.intern_profile(p perfhouse.profile) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
BEGIN
    INSERT INTO perfhouse.region (region_id, kind, name, library, file, line)
    SELECT g.region_id, g.kind, g.name, g.library, g.file, CASE WHEN g.has_line THEN g.line END
    FROM perfhouse_internal.profile_regions(p) g
    WHERE NOT EXISTS (SELECT FROM perfhouse.region k WHERE k.region_id = g.region_id) ORDER BY g.region_id ON CONFLICT DO NOTHING;
    INSERT INTO perfhouse.callpath (callpath_id, parent_id, region_id, depth)
    SELECT c.callpath_id, c.parent_id, c.region_id, c.depth FROM perfhouse_internal.profile_paths(p) c
    WHERE NOT EXISTS (SELECT FROM perfhouse.callpath k WHERE k.callpath_id = c.callpath_id) ORDER BY c.callpath_id ON CONFLICT DO NOTHING;
    INSERT INTO perfhouse.metric (name, unit, kind, combine, is_signed)
    SELECT m.name, m.unit, m.kind, m.combine, m.is_signed FROM perfhouse_internal.profile_metrics(p) m
    LEFT JOIN perfhouse.metric k ON (k.name, k.unit, k.kind, k.combine, k.is_signed) = (m.name, m.unit, m.kind, m.combine, m.is_signed)
        AND k.numerator_id IS NULL AND k.denominator_id IS NULL
    WHERE m.numerator IS NULL AND k.metric_id IS NULL
    ORDER BY m.name, m.unit ON CONFLICT DO NOTHING;
END $$;
COMMENT ON FUNCTION perfhouse_internal.intern_profile(perfhouse.profile) IS
    'Regions, call paths and metrics of a profile go into the dictionary, unless they are there; ratios apart.';

-- Ratios are known by the ids of their parts, which come first.
CREATE OR REPLACE FUNCTION perfhouse_internal.profile_metric_ids(p perfhouse.profile) RETURNS int[]
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    ids int[] := '{}';
    m record;
    id int;
BEGIN
    FOR m IN SELECT * FROM perfhouse_internal.profile_metrics(p) ORDER BY numerator IS NOT NULL, place LOOP
        SELECT k.metric_id INTO id FROM perfhouse.metric k
        WHERE (k.name, k.unit, k.kind, k.combine, k.is_signed) = (m.name, m.unit, m.kind, m.combine, m.is_signed)
          AND k.numerator_id IS NOT DISTINCT FROM ids[m.numerator] AND k.denominator_id IS NOT DISTINCT FROM ids[m.denominator];
        IF NOT FOUND THEN
            INSERT INTO perfhouse.metric (name, unit, kind, combine, is_signed, numerator_id, denominator_id)
            VALUES (m.name, m.unit, m.kind, m.combine, m.is_signed, ids[m.numerator], ids[m.denominator]) RETURNING metric_id INTO id;
        END IF;
        ids[m.place] := id;
    END LOOP;
    RETURN ids;
END $$;
COMMENT ON FUNCTION perfhouse_internal.profile_metric_ids(perfhouse.profile) IS
    'The metric_ids of a profile''s metrics, by place; those of ratios that no run has had are made.';

CREATE OR REPLACE FUNCTION perfhouse_internal.profile_labels(p perfhouse.profile) RETURNS bigint
LANGUAGE sql SET search_path = pg_catalog, pg_temp AS $$
    SELECT perfhouse_internal.intern_labels(array_agg(g.region_id), array_agg(g.local_id), array_agg(g.line), array_agg(g.module),
        array_agg(NULL::text), array_agg(g.paradigm)) FROM perfhouse_internal.profile_regions(p) g
$$;
COMMENT ON FUNCTION perfhouse_internal.profile_labels(perfhouse.profile) IS 'The labels_id of what a profile says of its regions.';

-- What all sources agree on; null where they do not.
CREATE OR REPLACE FUNCTION perfhouse_internal.common_metadata(runs bigint[])
RETURNS TABLE (application text, commit_id text, branch text, cluster text, project text)
LANGUAGE sql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
    SELECT CASE WHEN count(DISTINCT coalesce(r.application, '')) = 1 THEN min(r.application) END,
           CASE WHEN count(DISTINCT coalesce(r.commit_id, '')) = 1 THEN min(r.commit_id) END,
           CASE WHEN count(DISTINCT coalesce(r.branch, '')) = 1 THEN min(r.branch) END,
           CASE WHEN count(DISTINCT coalesce(r.cluster, '')) = 1 THEN min(r.cluster) END,
           CASE WHEN count(DISTINCT coalesce(r.project, '')) = 1 THEN min(r.project) END
    FROM perfhouse.run r WHERE r.run_id = ANY (runs)
$$;
COMMENT ON FUNCTION perfhouse_internal.common_metadata(bigint[]) IS 'What some runs say alike of themselves; null where they differ.';

CREATE OR REPLACE FUNCTION perfhouse_internal.insert_stored(p perfhouse.profile, print text, title text, application text, meta jsonb)
RETURNS bigint
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    new_run bigint;
BEGIN
    INSERT INTO perfhouse.run (fingerprint, state, application, title, format, commit_id, branch, cluster, n_ranks, n_threads, n_nodes,
        n_columns, n_units, n_hosts, total, residual_cells, missing_columns, meta, completeness, missing, excluded_reason, project,
        tree_id, labels_id, storage, derived_from)
    SELECT print, 'loading', coalesce($4, c.application), $3, 'stored', c.commit_id, c.branch, c.cluster, nullif(f.n_ranks, 0),
        nullif(f.n_threads, 0), f.n_nodes, f.n_columns, f.n_units, nullif(f.n_hosts, 0), f.total, f.residual_cells, f.missing_columns,
        $5, v.completeness, CASE v.completeness WHEN 'incomplete' THEN ARRAY['a run that it was computed of is incomplete'] ELSE '{}' END,
        'derived profile',
        coalesce(nullif($5 ->> 'project', ''), c.project, perfhouse_internal.project_of('{}')),
        perfhouse_internal.intern_tree(perfhouse.skeleton(p)), perfhouse_internal.profile_labels(p), 2, f.sources
    FROM perfhouse_internal.profile_facts(p) f CROSS JOIN LATERAL perfhouse_internal.common_metadata(f.sources) c
    CROSS JOIN LATERAL (SELECT max(o.value) AS completeness FROM perfhouse.provenance(p) o WHERE o.item = 'completeness') v
    RETURNING run_id INTO STRICT new_run;
    RETURN new_run;
END $$;
COMMENT ON FUNCTION perfhouse_internal.insert_stored(perfhouse.profile, text, text, text, jsonb) IS
    'The row of a run for a profile that is settled. Errors: 23505 when another session stores the same at this moment.';

CREATE OR REPLACE FUNCTION perfhouse.store_profile(p perfhouse.profile, title text, application text DEFAULT NULL, meta jsonb DEFAULT '{}')
RETURNS bigint
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    whole perfhouse.profile;
    print text;
    new_run bigint;
    of_application text;
BEGIN
    PERFORM perfhouse_internal.refuse_nodes('profiles that are kept as runs');
    IF p IS NULL THEN
        RETURN NULL;
    ELSIF coalesce(title, '') = '' THEN
        RAISE EXCEPTION 'a stored profile needs a title' USING ERRCODE = '22023', HINT = 'It is what runs and pages call it.';
    ELSIF jsonb_typeof(meta) IS DISTINCT FROM 'object' THEN
        RAISE EXCEPTION 'metadata must be a JSON object' USING ERRCODE = '22023';
    END IF;
    IF EXISTS (SELECT FROM perfhouse_internal.profile_facts(p) f WHERE f.n_nodes = 0 OR f.n_columns = 0)
        OR NOT EXISTS (SELECT 1 FROM perfhouse.metrics(p)) THEN
        RAISE EXCEPTION 'the profile is empty' USING ERRCODE = '22023', HINT = 'It has no call path, no column or no metric.';
    END IF;
    print := encode(sha256(convert_to(title, 'UTF8') || '\x00'::bytea || perfhouse_internal.profile_send(p)), 'hex');
    SELECT min(r.run_id) INTO new_run FROM perfhouse.run r WHERE r.fingerprint = print AND r.state = 'ready';
    IF new_run IS NOT NULL THEN
        RETURN new_run;
    END IF;
    whole := perfhouse_internal.settled(p);
    PERFORM perfhouse_internal.intern_profile(whole);
    new_run := perfhouse_internal.insert_stored(whole, print, title, application, meta);
    INSERT INTO perfhouse.location (run_id, location_id, kind, rank, thread, host, name, iteration)
    SELECT new_run, l.location_id, l.kind, l.rank, l.thread, l.host, l.name, l.iteration
    FROM perfhouse_internal.profile_locations(whole) l;
    INSERT INTO perfhouse.run_provenance (run_id, place, item, value)
    SELECT new_run, o.place, o.item, o.value FROM perfhouse.provenance(p) WITH ORDINALITY o (item, value, place);
    PERFORM perfhouse_internal.add_metrics(new_run, whole, perfhouse_internal.profile_metric_ids(whole),
        ARRAY(SELECT m.metric FROM perfhouse.metrics(whole) m));
    INSERT INTO perfhouse.derived (run_id, kind, version) VALUES (new_run, 'summaries', perfhouse_internal.summaries_version());
    UPDATE perfhouse.run r SET state = 'ready' WHERE r.run_id = new_run RETURNING r.application INTO of_application;
    PERFORM perfhouse_internal.assign_colors(ARRAY[new_run]);
    PERFORM perfhouse_internal.notify_run(new_run, of_application, 'ready');
    RETURN new_run;
END $$;
COMMENT ON FUNCTION perfhouse.store_profile(perfhouse.profile, text, text, jsonb) IS
    'Keeps a computed profile (a difference, mean, projection, what a filter left, an ensemble) as a run under this title and returns '
    'its number: from then on it is listed, drawn, compared, exported and removed (drop_run) as any other, with its own copy of the '
    'values. run_overview.derived_from has the runs that it was computed of, run_provenance all that provenance() says of it. '
    'application: null is the one that all of them share; meta: metadata, as perfhouse set gives. It was not measured: it is excluded '
    '(excluded_reason "derived profile"), so that histories, searches for regressions, comparisons and known noise leave it out until '
    'perfhouse exclude --undo asks for it; sums of costs leave it out always. What filters absorbed is stored as own cost. The same '
    'profile under the same title is stored once: its number is returned. Null for a null profile. Needs the rights of a loader. NOTIFY '
    'perfhouse_run. Errors: 22023 without a title, for an empty profile, and for values that are undefined, as of a / b over 0; '
    '23505 when another session stores the same at this moment.';
REVOKE ALL ON FUNCTION perfhouse.store_profile(perfhouse.profile, text, text, jsonb) FROM PUBLIC;
