-- 054-copies.sql - what perfhouse copy asks of the warehouse that it reads and of the one that it writes to, and what it and load hide.
--
-- Identities of functions and call paths are the same everywhere; numbers of runs and of metrics are each warehouse's own, so
-- rows come with the numbers of the source and are renumbered: those of tables by run by the program, which streams them, the
-- others here, as JSON.

-- ------------------------------------------------------------------------------------------- redaction
CREATE OR REPLACE FUNCTION perfhouse_internal.pseudonym(kind text, value text, salt text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
    SELECT kind || '-' || left(encode(sha256(convert_to(salt || E'\n' || value, 'UTF8')), 'hex'), 12)
$$;
COMMENT ON FUNCTION perfhouse_internal.pseudonym(text, text, text) IS
    'A name that is the same for the same value and salt and tells nothing of the value to who does not know the salt.';

CREATE OR REPLACE FUNCTION perfhouse_internal.is_private_path(value text) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
    SELECT value ~ '^(~|/+[^/]|\\\\|[A-Za-z]:[\\/])' AND value !~ '^/+(usr|lib|lib32|lib64|bin|sbin|opt|etc|proc|sys|dev|run)(/|$)'
$$;
COMMENT ON FUNCTION perfhouse_internal.is_private_path(text) IS
    'Whether it is an absolute path that is none of the operating system''s: it may tell users, projects and machines.';

CREATE OR REPLACE FUNCTION perfhouse_internal.hidden_path(path text, salt text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
    SELECT CASE WHEN path ~ '[/\\]' THEN perfhouse_internal.pseudonym('path', regexp_replace(path, '[/\\][^/\\]*$', ''), salt) || '/'
        || regexp_replace(path, '^.*[/\\]', '') ELSE path END
$$;
COMMENT ON FUNCTION perfhouse_internal.hidden_path(text, text) IS 'The path with a pseudonym in place of its folder.';

CREATE OR REPLACE FUNCTION perfhouse_internal.hidden_words(value text, words text[], kind text, salt text) RETURNS text
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    word text;
BEGIN
    FOREACH word IN ARRAY words LOOP
        CONTINUE WHEN strpos(value, word) = 0; -- of the thousands of hosts of a run a text names few
        value := regexp_replace(value, '(?<![[:alnum:]_])' || regexp_replace(word, '([^[:alnum:]_])', '\\\1', 'g') || '(?![[:alnum:]_])',
                                perfhouse_internal.pseudonym(kind, word, salt), 'g');
    END LOOP;
    RETURN value;
END $$;
COMMENT ON FUNCTION perfhouse_internal.hidden_words(text, text[], text, text) IS 'The text with pseudonyms in place of these words.';

-- Paths are looked for between blanks, quotes and the like, behind the letters of an option (-I/home/ann) or what a shell or a
-- profiler puts before them (@/home/ann), and in addresses (file:///home/ann).
CREATE OR REPLACE FUNCTION perfhouse_internal.hidden_paths(value text, salt text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
    SELECT CASE WHEN value !~ '[/\\]' THEN value ELSE (
        SELECT string_agg(CASE WHEN perfhouse_internal.is_private_path(p.path) THEN b.before || perfhouse_internal.hidden_path(p.path, salt)
                          ELSE m.part[1] END, '' ORDER BY m.place)
        FROM regexp_matches(value, '([^\s:;,="''<>()\[\]{}]+|[\s:;,="''<>()\[\]{}]+)', 'g') WITH ORDINALITY m (part, place)
        CROSS JOIN LATERAL (SELECT coalesce(substring(m.part[1] FROM
            '^(?:-[-_+A-Za-z0-9]*|[@|&!#%*?^$`+]+)?(?:/*(?=/)|(?=~))'), '') AS before) b
        CROSS JOIN LATERAL (SELECT substr(m.part[1], length(b.before) + 1) AS path) p) END
$$;
COMMENT ON FUNCTION perfhouse_internal.hidden_paths(text, text) IS 'The text with hidden_path of every private path in it.';

CREATE OR REPLACE FUNCTION perfhouse_internal.hidden_text(value text, hidden text[], users text[], hosts text[], salt text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
    SELECT CASE WHEN 'hosts' = ANY (hidden) THEN perfhouse_internal.hidden_words(u.value, hosts, 'host', salt) ELSE u.value END
    FROM (SELECT CASE WHEN 'users' = ANY (hidden) THEN perfhouse_internal.hidden_words(p.value, users, 'user', salt) ELSE p.value END
          FROM (SELECT CASE WHEN 'paths' = ANY (hidden) THEN perfhouse_internal.hidden_paths($1, salt) ELSE $1 END) p (value)) u (value)
$$;
COMMENT ON FUNCTION perfhouse_internal.hidden_text(text, text[], text[], text[], text) IS
    'The text without what is hidden: private paths, and the names of these users and hosts.';

-- Loads keep objects and arrays of metadata as texts. No text is parsed here: one that is no JSON after all must not fail.
CREATE OR REPLACE FUNCTION perfhouse_internal.hidden_json(value text, hidden text[]) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
    SELECT CASE WHEN value !~ '^\s*[\[{]' THEN value WHEN 'commands' = ANY (hidden) THEN regexp_replace(replace(value, '\/', '/'),
        '("(?:[^"\\]*[^a-z"\\])?(?:cmd|cmdline|command|command line|commandline|arguments|args|argv|options|environment)'
        '(?:[^a-z"\\][^"\\]*)?"\s*:\s*)(?:"(?:\\.|[^"\\])*"|\[(?:"(?:\\.|[^"\\])*"|[^"\[\]])*\]|\{(?:"(?:\\.|[^"\\])*"|[^"{}])*\}'
        '|[^]\s,}"\[{]+)', '\1""', 'gi')
        ELSE replace(value, '\/', '/') END
$$;
COMMENT ON FUNCTION perfhouse_internal.hidden_json(text, text[]) IS
    'A text that may be JSON with slashes as they are, and without command lines if these are hidden; another text as it is.';

-- Metadata inside metadata is treated as such: a command line is one at any depth.
CREATE OR REPLACE FUNCTION perfhouse_internal.hidden_value(value jsonb, hidden text[], users text[], hosts text[], salt text) RETURNS jsonb
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RETURN CASE jsonb_typeof(value)
        WHEN 'string' THEN to_jsonb(perfhouse_internal.hidden_text(perfhouse_internal.hidden_json(value #>> '{}', hidden),
            hidden, users, hosts, salt))
        WHEN 'array' THEN (
            SELECT coalesce(jsonb_agg(perfhouse_internal.hidden_value(e.item, hidden, users, hosts, salt) ORDER BY e.place), '[]')
            FROM jsonb_array_elements(value) WITH ORDINALITY e (item, place))
        WHEN 'object' THEN (
            SELECT coalesce(jsonb_object_agg(perfhouse_internal.hidden_text(e.name, hidden, users, hosts, salt), e.item), '{}')
            FROM jsonb_each(perfhouse_internal.hidden_meta(value, hidden, users, hosts, salt)) e (name, item))
        ELSE value END;
END $$;
COMMENT ON FUNCTION perfhouse_internal.hidden_value(jsonb, text[], text[], text[], text) IS
    'A value of metadata without what is hidden: texts as hidden_text, objects as hidden_meta with their names as texts.';

CREATE OR REPLACE FUNCTION perfhouse_internal.hidden_meta(meta jsonb, hidden text[], users text[], hosts text[], salt text) RETURNS jsonb
LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
    SELECT coalesce(jsonb_object_agg(e.key, CASE
        WHEN 'users' = ANY (hidden) AND e.key ~* '(^|[^a-z])(user|users|username|login|logname|uid|author|owner|email|account)([^a-z]|$)'
            THEN to_jsonb(perfhouse_internal.pseudonym('user', e.value #>> '{}', salt))
        WHEN 'hosts' = ANY (hidden)
            AND e.key ~* '(^|[^a-z])(hosts?|hostname|host name|nodename|node name|nodelist|node_list|processor name|submit_host)([^a-z]|$)'
            THEN to_jsonb(perfhouse_internal.pseudonym('host', e.value #>> '{}', salt))
        ELSE perfhouse_internal.hidden_value(e.value, hidden, users, hosts, salt) END), '{}')
    FROM jsonb_each(meta) e
    WHERE NOT ('commands' = ANY (hidden)
        AND e.key ~* '(^|[^a-z])(cmd|cmdline|command|command line|commandline|arguments|args|argv|options|environment)([^a-z]|$)')
$$;
COMMENT ON FUNCTION perfhouse_internal.hidden_meta(jsonb, text[], text[], text[], text) IS
    'Metadata without what is hidden: values of keys that name users or hosts, command lines, and as hidden_text all other texts.';

CREATE OR REPLACE FUNCTION perfhouse_internal.hidden_run(r jsonb, hidden text[], hosts text[], salt text) RETURNS jsonb
LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
    SELECT r || jsonb_build_object('meta', perfhouse_internal.hidden_meta(r -> 'meta', hidden, u.users, hosts, salt),
        'title', perfhouse_internal.hidden_text(r ->> 'title', hidden, u.users, hosts, salt),
        'application', CASE WHEN 'paths' = ANY (hidden) THEN perfhouse_internal.hidden_paths(r ->> 'application', salt)
            ELSE r ->> 'application' END,
        'branch', perfhouse_internal.hidden_text(r ->> 'branch', hidden, u.users, hosts, salt),
        'excluded_reason', perfhouse_internal.hidden_text(r ->> 'excluded_reason', hidden, u.users, hosts, salt),
        'missing', (SELECT coalesce(jsonb_agg(perfhouse_internal.hidden_text(m.file, hidden, u.users, hosts, salt) ORDER BY m.place), '[]')
                    FROM jsonb_array_elements_text(r -> 'missing') WITH ORDINALITY m (file, place)),
        'source', CASE WHEN 'paths' = ANY (hidden) THEN perfhouse_internal.hidden_path(r ->> 'source', salt)
            ELSE perfhouse_internal.hidden_text(r ->> 'source', hidden, u.users, hosts, salt) END)
        || CASE WHEN 'users' = ANY (hidden) AND r ->> 'user_name' IS NOT NULL
            THEN jsonb_build_object('user_name', perfhouse_internal.pseudonym('user', r ->> 'user_name', salt)) ELSE '{}' END
    FROM (SELECT ARRAY(SELECT DISTINCT v FROM unnest(ARRAY[r ->> 'user_name', r #>> '{meta,SLURM_JOB_USER}', r #>> '{meta,USER}',
        r #>> '{meta,user}', r ->> 'owner']) v WHERE v NOT IN ('', 'root', 'perfhouse') ORDER BY v) AS users) u
$$;
COMMENT ON FUNCTION perfhouse_internal.hidden_run(jsonb, text[], text[], text) IS 'A row of perfhouse.run without what is hidden.';

CREATE OR REPLACE FUNCTION perfhouse_internal.hidden_labels(labels bytea, hidden text[], salt text) RETURNS bytea
LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
    SELECT CASE WHEN 'paths' = ANY (hidden) THEN (
        SELECT perfhouse_internal.label_bytes(array_agg(l.region_id ORDER BY l.region_id), array_agg(l.local_id ORDER BY l.region_id),
            array_agg(l.line ORDER BY l.region_id), array_agg(l.module ORDER BY l.region_id),
            array_agg(CASE WHEN perfhouse_internal.is_private_path(l.raw_file) THEN perfhouse_internal.hidden_path(l.raw_file, salt)
                      ELSE l.raw_file END ORDER BY l.region_id), array_agg(l.paradigm ORDER BY l.region_id))
        FROM perfhouse_internal.label_rows(labels) l) ELSE labels END
$$;
COMMENT ON FUNCTION perfhouse_internal.hidden_labels(bytea, text[], text) IS 'Packed labels of regions without what is hidden.';

-- ------------------------------------------------------------------------------------------- tables
-- What hides a column of a table by run; null: it is copied as it is. Every text may have paths.
CREATE OR REPLACE FUNCTION perfhouse_internal.hiding_of(relation name, of_column name, of_type regtype, hidden text[]) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
    SELECT CASE
        WHEN 'hosts' = ANY (hidden) AND of_column = 'host' THEN 'perfhouse_internal.pseudonym(''host'', nullif(t.host, ''''), $2)'
        WHEN 'hosts' = ANY (hidden) AND of_column = 'name' AND relation IN ('location', 'trace_stream')
            THEN 'CASE WHEN t.host <> '''' THEN replace(t.name, t.host, perfhouse_internal.pseudonym(''host'', t.host, $2)) ELSE t.name END'
        WHEN 'paths' = ANY (hidden) AND of_type = 'text'::regtype THEN format('perfhouse_internal.hidden_paths(t.%I, $2)', of_column)
        WHEN 'paths' = ANY (hidden) AND of_type = 'text[]'::regtype
            THEN format('ARRAY(SELECT perfhouse_internal.hidden_paths(u.v, $2) FROM unnest(t.%I) WITH ORDINALITY u (v, n) ORDER BY u.n)',
                of_column) END
$$;
COMMENT ON FUNCTION perfhouse_internal.hiding_of(name, name, regtype, text[]) IS
    'The expression that hides a column of table t with the salt $2; null: nothing of it is to be hidden.';

-- Phases name functions in packed rows.
CREATE OR REPLACE FUNCTION perfhouse_internal.hiding_rows(relation name, hidden text[]) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
    SELECT CASE WHEN 'paths' = ANY (hidden) AND relation IN ('logical', 'logical_chunk', 'logical_timeline', 'phase_block', 'phase_chunk')
        THEN ' AND NOT EXISTS (SELECT 1 FROM perfhouse.trace_region g WHERE g.run_id = t.run_id'
            ' AND g.name <> perfhouse_internal.hidden_paths(g.name, $2))' ELSE '' END
$$;
COMMENT ON FUNCTION perfhouse_internal.hiding_rows(name, text[]) IS
    'The condition that leaves rows out which name paths where they cannot be hidden: logical time of functions that do.';

CREATE OR REPLACE FUNCTION perfhouse_internal.copied_tables(hidden text[])
RETURNS TABLE (relation name, read_sql text, write_sql text)
LANGUAGE sql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
    SELECT c.relname, format('SELECT %s FROM perfhouse.%I t WHERE t.run_id = ANY ($1::int8[]) AND $2::text IS NOT NULL%s ORDER BY %s',
            string_agg(coalesce(perfhouse_internal.hiding_of(c.relname, a.attname, a.atttypid, hidden) || ' AS ' || quote_ident(a.attname),
                't.' || quote_ident(a.attname)), ', ' ORDER BY a.attname <> 'run_id', a.attnum), c.relname,
            perfhouse_internal.hiding_rows(c.relname, hidden), k.columns),
        format('COPY perfhouse.%I (%s) FROM STDIN (FORMAT binary)', c.relname,
            string_agg(quote_ident(a.attname), ', ' ORDER BY a.attname <> 'run_id', a.attnum))
    FROM perfhouse.tables_by_run() b
    JOIN pg_class c ON c.oid = b
    JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = ''
    CROSS JOIN LATERAL (
        SELECT string_agg('t.' || quote_ident(p.attname), ', ' ORDER BY u.place) AS columns
        FROM pg_index i CROSS JOIN unnest(i.indkey::int2[]) WITH ORDINALITY u (attnum, place)
        JOIN pg_attribute p ON p.attrelid = i.indrelid AND p.attnum = u.attnum
        WHERE i.indrelid = c.oid AND i.indisprimary) k
    GROUP BY c.relname, k.columns ORDER BY c.relname
$$;
COMMENT ON FUNCTION perfhouse_internal.copied_tables(text[]) IS
    'Tables by run with the query that reads the rows of the runs $1, run_id first, without what is hidden (salt $2), and the COPY that '
    'writes them.';

-- ------------------------------------------------------------------------------------------- numbers
CREATE OR REPLACE FUNCTION perfhouse_internal.renumbered(r jsonb, runs jsonb, metrics jsonb) RETURNS jsonb
LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
    SELECT r || CASE WHEN r ? 'run_id' THEN jsonb_build_object('run_id', runs -> (r ->> 'run_id')) ELSE '{}' END
        || CASE WHEN r ? 'metric_id' THEN jsonb_build_object('metric_id', metrics -> (r ->> 'metric_id')) ELSE '{}' END
        || CASE WHEN jsonb_typeof(r -> 'metric_ids') = 'array' THEN jsonb_build_object('metric_ids', (
            SELECT coalesce(jsonb_agg(metrics -> m.id ORDER BY m.place), '[]')
            FROM jsonb_array_elements_text(r -> 'metric_ids') WITH ORDINALITY m (id, place))) ELSE '{}' END
        || CASE WHEN jsonb_typeof(r -> 'derived_from') = 'array' THEN jsonb_build_object('derived_from', (
            SELECT coalesce(jsonb_agg(runs -> d.id ORDER BY d.place), '[]')
            FROM jsonb_array_elements_text(r -> 'derived_from') WITH ORDINALITY d (id, place) WHERE runs ? d.id)) ELSE '{}' END
$$;
COMMENT ON FUNCTION perfhouse_internal.renumbered(jsonb, jsonb, jsonb) IS
    'A row of another warehouse with this one''s numbers of runs and metrics: objects of new numbers by the old ones. What a kept profile '
    'was computed of stays as far as it is here.';

-- Columns of a table that rows of another warehouse bring: those that have one number for all rows here do not.
CREATE OR REPLACE FUNCTION perfhouse_internal.copied_columns(relation name) RETURNS text
LANGUAGE sql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
    SELECT string_agg(quote_ident(a.attname), ', ' ORDER BY a.attnum)
    FROM pg_attribute a
    WHERE a.attrelid = ('perfhouse.' || quote_ident(relation))::regclass AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = ''
        AND (a.attidentity = '' OR relation = 'run')
        AND (relation, a.attname) NOT IN (('run', 'owner'), ('run', 'loader_pid'), ('run', 'loaded_at'), ('job', 'owner'))
$$;
COMMENT ON FUNCTION perfhouse_internal.copied_columns(name) IS 'Names of the columns that rows of another warehouse bring along.';

CREATE OR REPLACE FUNCTION perfhouse_internal.take_rows(relation name, given jsonb, runs jsonb, metrics jsonb) RETURNS bigint
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    columns text := perfhouse_internal.copied_columns(relation);
    n bigint;
BEGIN
    EXECUTE format('INSERT INTO perfhouse.%I (%s) SELECT %s FROM jsonb_populate_recordset(NULL::perfhouse.%I, ('
        'SELECT jsonb_agg(perfhouse_internal.renumbered(e.row, $2, $3) ORDER BY e.place)'
        ' FROM jsonb_array_elements($1) WITH ORDINALITY e (row, place) WHERE NOT e.row ? ''run_id'''
        ' OR $2 ? (e.row ->> ''run_id''))) ON CONFLICT DO NOTHING', relation, columns, columns, relation)
        USING given, runs, metrics;
    GET DIAGNOSTICS n = ROW_COUNT;
    RETURN n;
END $$;
COMMENT ON FUNCTION perfhouse_internal.take_rows(name, jsonb, jsonb, jsonb) IS
    'Rows of another warehouse''s table go into this one''s, renumbered, unless what they are known by is here; those of runs that have no '
    'number here are left out. How many went in.';

CREATE OR REPLACE FUNCTION perfhouse_internal.take_runs(given jsonb, runs jsonb, metrics jsonb) RETURNS SETOF bigint
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    columns text := perfhouse_internal.copied_columns('run');
BEGIN
    RETURN QUERY EXECUTE format('INSERT INTO perfhouse.run (%s) SELECT %s FROM jsonb_populate_recordset(NULL::perfhouse.run, ('
        'SELECT jsonb_agg(perfhouse_internal.renumbered(e.row, $2, $3)'
        ' || jsonb_build_object(''project'', perfhouse_internal.copied_project(e.row)) ORDER BY e.place)'
        ' FROM jsonb_array_elements($1) WITH ORDINALITY e (row, place))) ON CONFLICT (fingerprint, repeat, project) DO NOTHING'
        ' RETURNING run_id', columns, columns) USING given, runs, metrics;
END $$;
COMMENT ON FUNCTION perfhouse_internal.take_runs(jsonb, jsonb, jsonb) IS
    'Rows of another warehouse''s runs, under the numbers that runs gives them; the numbers of those that went in: the content of the '
    'others is here.';

CREATE OR REPLACE FUNCTION perfhouse_internal.copied_project(r jsonb) RETURNS text
LANGUAGE sql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
    SELECT coalesce(nullif(r ->> 'project', ''), perfhouse_internal.project_of('{}'))
$$;
COMMENT ON FUNCTION perfhouse_internal.copied_project(jsonb) IS
    'The project of a run of another warehouse: the one that it has there, else that of a run which the caller loads.';

-- Ratios come behind the metrics that they are of.
CREATE OR REPLACE FUNCTION perfhouse_internal.take_metrics(given jsonb) RETURNS jsonb
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    m record;
    numbers jsonb := '{}';
    known int;
BEGIN
    FOR m IN SELECT * FROM jsonb_populate_recordset(NULL::perfhouse.metric, given) g
             ORDER BY g.numerator_id IS NOT NULL, g.name, g.unit, g.metric_id LOOP
        m.numerator_id := (numbers ->> m.numerator_id::text)::int;
        m.denominator_id := (numbers ->> m.denominator_id::text)::int;
        FOR attempt IN 1 .. 2 LOOP
            SELECT k.metric_id INTO known FROM perfhouse.metric k
            WHERE (k.name, k.unit, k.kind, k.combine, k.is_signed) = (m.name, m.unit, m.kind, m.combine, m.is_signed)
                AND k.numerator_id IS NOT DISTINCT FROM m.numerator_id AND k.denominator_id IS NOT DISTINCT FROM m.denominator_id;
            EXIT WHEN FOUND OR attempt = 2;
            BEGIN
                INSERT INTO perfhouse.metric (name, unit, kind, combine, is_signed, numerator_id, denominator_id, better)
                VALUES (m.name, m.unit, m.kind, m.combine, m.is_signed, m.numerator_id, m.denominator_id, m.better);
            EXCEPTION WHEN unique_violation THEN
                NULL; -- another loader was faster
            END;
        END LOOP;
        numbers := numbers || jsonb_build_object(m.metric_id::text, known);
    END LOOP;
    RETURN numbers;
END $$;
COMMENT ON FUNCTION perfhouse_internal.take_metrics(jsonb) IS
    'Metrics of another warehouse, made where they are missing: an object of their numbers here by those there.';
