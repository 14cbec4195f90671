-- 027-run-lists.sql - pages of long lists of runs, in any order, each found by an index from the run where the last one ended.

-- Runs without the key stand at the end in both directions; no index has them there. So a list is two parts.
CREATE OR REPLACE FUNCTION perfhouse_internal.run_list_part(key text, has_key boolean, downwards boolean, behind boolean,
    condition text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
    SELECT format('SELECT r.run_id FROM perfhouse.run_overview r WHERE %s AND %s', $5,
            CASE WHEN $2 THEN $1 || ' IS NOT NULL' ELSE $1 || ' IS NULL' END)
        || CASE WHEN NOT $4 THEN ''
                WHEN $2 THEN format(' AND (%1$s, r.run_id) %2$s ((SELECT %1$s FROM perfhouse.run_overview r WHERE r.run_id = $4), $4)',
                    $1, before.sign)
                ELSE format(' AND r.run_id %s $4', before.sign) END
        || ' ORDER BY ' || CASE WHEN $2 THEN $1 || before.word || ', ' ELSE '' END || 'r.run_id' || before.word || ' LIMIT $5'
    FROM (SELECT CASE WHEN $3 THEN '<' ELSE '>' END AS sign, CASE WHEN $3 THEN ' DESC' ELSE '' END AS word) before
$$;
COMMENT ON FUNCTION perfhouse_internal.run_list_part(text, boolean, boolean, boolean, text) IS
    'The statement of list_runs for the runs that have, or have not, a key: behind the run $4, or all; $5 of them. The '
    'condition refers to $1 (arguments of the filter), $2 (application) and $3 (pattern).';

CREATE OR REPLACE FUNCTION perfhouse_internal.run_list_condition(filter text, application text, search text,
    OUT condition text, OUT arguments text[], OUT pattern text)
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $body$
DECLARE
    f record;
BEGIN
    condition := 'true';
    IF filter IS NOT NULL THEN
        f := perfhouse.run_filter_sql(filter);
        condition := '(' || f.predicate || ')';
        arguments := f.arguments;
    END IF;
    IF application IS NOT NULL THEN
        condition := condition || ' AND r.application = $2';
    END IF;
    IF search <> '' THEN
        condition := condition || $$ AND lower(coalesce(r.title, '') || ' ' || coalesce(r.application, '') || ' ' ||
            coalesce(r.commit_id, '') || ' ' || coalesce(r.source, '')) LIKE $3$$; -- as the index run_by_text has it
        pattern := '%' || regexp_replace(lower(search), '([\\%_])', '\\\1', 'g') || '%';
    END IF;
END $body$;
COMMENT ON FUNCTION perfhouse_internal.run_list_condition(text, text, text) IS
    'What list_runs and count_runs look for: a predicate over r, a row of run_overview, and its parameters $1 to $3.';

CREATE OR REPLACE FUNCTION perfhouse.list_runs(filter text DEFAULT NULL, application text DEFAULT NULL, search text DEFAULT NULL,
    "order" text DEFAULT '-run_id', page_size int DEFAULT 100, after bigint DEFAULT NULL, before bigint DEFAULT NULL)
RETURNS TABLE (place bigint, run_id bigint)
LANGUAGE plpgsql STABLE PARALLEL SAFE ROWS 100 SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    keys CONSTANT jsonb := '{"run_id": "r.run_id", "application": "r.application", "title": "left(r.title, 200)",
        "started_at": "r.started_at", "n_ranks": "r.n_ranks", "total": "r.total"}';
    key text := keys ->> ltrim("order", '-');
    downwards boolean := ("order" LIKE '-%') <> (before IS NOT NULL); -- pages before a run are read towards the start
    anchor bigint := coalesce(after, before);
    anchor_has_key boolean;
    wanted record;
    has_key boolean;
    reached boolean := false; -- the part that the anchor is in
    found bigint[] := '{}';
    part bigint[];
BEGIN
    IF key IS NULL THEN
        RAISE EXCEPTION 'runs have no order "%"', "order" USING ERRCODE = '22023',
            HINT = 'One of run_id, application, title, started_at, n_ranks, total; with - before it from large to small.';
    ELSIF after IS NOT NULL AND before IS NOT NULL THEN
        RAISE EXCEPTION 'a page is after a run or before one' USING ERRCODE = '22023';
    ELSIF page_size NOT BETWEEN 1 AND 100000 THEN
        RAISE EXCEPTION 'a page has 1 to 100000 runs' USING ERRCODE = '22023';
    END IF;
    wanted := perfhouse_internal.run_list_condition(filter, application, search);
    IF anchor IS NOT NULL THEN
        EXECUTE format('SELECT %s IS NOT NULL FROM perfhouse.run_overview r WHERE r.run_id = $1', key) INTO anchor_has_key USING anchor;
        IF anchor_has_key IS NULL THEN
            RAISE EXCEPTION 'there is no run %', anchor USING ERRCODE = 'PH002', HINT = 'Begin with the first page again.';
        END IF;
    END IF;
    FOREACH has_key IN ARRAY CASE WHEN before IS NULL THEN '{t,f}' ELSE '{f,t}' END::boolean[] LOOP
        CONTINUE WHEN anchor IS NOT NULL AND NOT reached AND has_key <> anchor_has_key;
        EXECUTE format('SELECT array_agg(p.run_id) FROM (%s) p',
                perfhouse_internal.run_list_part(key, has_key, downwards, anchor IS NOT NULL AND NOT reached, wanted.condition))
            INTO part USING wanted.arguments, application, wanted.pattern, anchor, page_size - cardinality(found);
        found := found || coalesce(part, '{}');
        reached := true;
        EXIT WHEN cardinality(found) >= page_size;
    END LOOP;
    RETURN QUERY
    SELECT CASE WHEN before IS NULL THEN u.n ELSE cardinality(found) + 1 - u.n END, u.run
    FROM unnest(found) WITH ORDINALITY u (run, n) ORDER BY 1;
END $$;
COMMENT ON FUNCTION perfhouse.list_runs(text, text, text, text, int, bigint, bigint) IS
    'A page of the ready runs that a filter (see run_filter_sql), an application and a search (part of title, application, '
    'commit or source, whatever the case) select; null: all. order: run_id, application, title, started_at, n_ranks or '
    'total, with - before it from large to small; runs without that are last; equal ones by run_id. The first page, or that '
    'behind the run after, or that in front of the run before: long lists take no longer at their end. Join run_overview, '
    'ORDER BY place. Errors: 22023 for another order, PH002 for a run that is not there.';

-- Counted by an index where a filter has one, also of runs that no vacuum has seen yet: the table from its beginning on may
-- hold very many others before the first that fits.
CREATE OR REPLACE FUNCTION perfhouse.count_runs(filter text DEFAULT NULL, application text DEFAULT NULL, search text DEFAULT NULL,
    most int DEFAULT 10000)
RETURNS TABLE (runs bigint, more boolean)
LANGUAGE plpgsql STABLE PARALLEL SAFE ROWS 1 SET search_path = pg_catalog, pg_temp SET random_page_cost = 1.1 AS $$
DECLARE
    wanted record := perfhouse_internal.run_list_condition(filter, application, search);
BEGIN
    RETURN QUERY EXECUTE format('SELECT least(count(*), $4), count(*) > $4 '
            'FROM (SELECT FROM perfhouse.run_overview r WHERE %s LIMIT $4::bigint + 1) r', wanted.condition)
        USING wanted.arguments, application, wanted.pattern, most::bigint;
END $$;
COMMENT ON FUNCTION perfhouse.count_runs(text, text, text, int) IS
    'How many runs list_runs has, counted up to most only (more: there are more of them).';
