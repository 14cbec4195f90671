-- 057-row-sums.sql - lost and changed rows of tables that have no redundancy are seen by checksums (row_sum).

-- Packed columns have checks of their own (check_run), times are of storing; metrics have other numbers in other warehouses. Tiles may
-- be removed: they are made again.
CREATE OR REPLACE FUNCTION perfhouse_internal.row_sum_sql(of_relation name, of_columns int DEFAULT 32767) RETURNS text
LANGUAGE sql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
    SELECT format('SELECT t.run_id, %1$L::text AS relation, %2$s::int2 AS n_columns, count(*) AS n_rows, '
        'coalesce(sum(perfhouse_internal.crc32c(record_send(ROW(%3$s)))), 0) AS crc '
        'FROM perfhouse.%1$I t%4$s WHERE t.run_id = ANY ($1) GROUP BY t.run_id', of_relation, max(a.place),
        string_agg(CASE a.attname WHEN 'metric_id' THEN 'm.name, m.unit' ELSE 't.' || quote_ident(a.attname) END, ', ' ORDER BY a.place)
            FILTER (WHERE a.attname <> 'run_id' AND a.atttypid NOT IN ('bytea'::regtype, 'timestamptz'::regtype)),
        CASE WHEN bool_or(a.attname = 'metric_id') THEN ' JOIN perfhouse.metric m ON m.metric_id = t.metric_id' ELSE '' END)
    FROM (SELECT x.attname, x.atttypid, row_number() OVER (ORDER BY x.attnum) AS place
          FROM pg_attribute x
          WHERE x.attrelid = ('perfhouse.' || quote_ident(of_relation))::regclass AND x.attnum > 0 AND NOT x.attisdropped) a
    WHERE a.place <= of_columns
$$;
COMMENT ON FUNCTION perfhouse_internal.row_sum_sql(name, int) IS
    'The query that counts and sums up the rows of the runs $1 (bigint[]) in a table by run, by its first columns: what row_sum keeps.';

CREATE OR REPLACE FUNCTION perfhouse_internal.seal_rows(runs bigint[], relations text[]) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    of_relation text;
BEGIN
    DELETE FROM perfhouse.row_sum s WHERE s.run_id = ANY (runs) AND s.relation = ANY (relations);
    FOREACH of_relation IN ARRAY relations LOOP
        EXECUTE 'INSERT INTO perfhouse.row_sum (run_id, relation, n_columns, n_rows, crc) '
            || perfhouse_internal.row_sum_sql(of_relation) USING runs;
    END LOOP;
END $$;
COMMENT ON FUNCTION perfhouse_internal.seal_rows(bigint[], text[]) IS
    'Notes in row_sum what runs have in these tables now. Whoever changes rows of such a table does this last.';

-- What a load stores of a trace beside its profile; tiles and blame come later.
CREATE OR REPLACE FUNCTION perfhouse_internal.sealed_relations() RETURNS text[]
LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
    SELECT '{trace, trace_region, trace_communicator, trace_metric, trace_text, trace_chunk, message_chunk, trace_stream,'
        ' launch_configuration, launch_chunk, task_trace, task_type, task_entry, chare, logical, logical_timeline,'
        ' logical_chunk, phase_block, phase_chunk}'::text[]
$$;
COMMENT ON FUNCTION perfhouse_internal.sealed_relations() IS 'Tables of which row_sum keeps the rows of every run with a trace.';

-- Of a profile alone summaries and values prove each other.
CREATE OR REPLACE FUNCTION perfhouse_internal.seal_runs(runs bigint[]) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    traced bigint[] := ARRAY(SELECT t.run_id FROM perfhouse.trace t WHERE t.run_id = ANY (runs));
BEGIN
    PERFORM perfhouse_internal.seal_rows(runs, '{location}');
    IF cardinality(traced) > 0 THEN
        PERFORM perfhouse_internal.seal_rows(traced, perfhouse_internal.sealed_relations());
    END IF;
END $$;
COMMENT ON FUNCTION perfhouse_internal.seal_runs(bigint[]) IS 'Notes in row_sum what runs have that were just stored.';

-- Checksums are made together: one proves that there were others. Runs that an older release loaded have none of their
-- locations; later steps (dropping events, finding logical steps, rolling up) note what they change alone.
CREATE OR REPLACE FUNCTION perfhouse_internal.row_sum_missing(run bigint) RETURNS text
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    known text[] := ARRAY(SELECT s.relation FROM perfhouse.row_sum s WHERE s.run_id = run);
    candidate text;
    has_rows bool;
BEGIN
    IF NOT 'location' = ANY (known) THEN
        RETURN (SELECT 'location' FROM perfhouse.trace t
                WHERE t.run_id = run AND t.events_dropped_at IS NULL AND 'trace' = ANY (known));
    END IF;
    FOREACH candidate IN ARRAY perfhouse_internal.sealed_relations() LOOP
        IF candidate <> ALL (known) THEN
            EXECUTE format('SELECT EXISTS (SELECT FROM perfhouse.%I t WHERE t.run_id = $1)', candidate) INTO has_rows USING run;
            IF has_rows THEN
                RETURN candidate;
            END IF;
        END IF;
    END LOOP;
    RETURN NULL;
END $$;
COMMENT ON FUNCTION perfhouse_internal.row_sum_missing(bigint) IS
    'The first table of which row_sum lacks a run''s checksum that others of the run say was there; null: none is known to be lacking.';

CREATE OR REPLACE FUNCTION perfhouse_internal.rows_differ(run bigint) RETURNS text
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    known record;
    found record;
BEGIN
    FOR known IN SELECT * FROM perfhouse.row_sum s WHERE s.run_id = run ORDER BY s.relation COLLATE "C" LOOP
        EXECUTE perfhouse_internal.row_sum_sql(known.relation, known.n_columns) INTO found USING ARRAY[run];
        IF coalesce(found.n_rows, 0) <> known.n_rows THEN
            RETURN format('%s has %s rows of %s', known.relation, coalesce(found.n_rows, 0), known.n_rows);
        ELSIF found.crc <> known.crc OR found.n_columns <> known.n_columns THEN
            RETURN format('rows of %s were changed', known.relation);
        END IF;
    END LOOP;
    RETURN 'the checksum of ' || perfhouse_internal.row_sum_missing(run) || ' is missing';
END $$;
COMMENT ON FUNCTION perfhouse_internal.rows_differ(bigint) IS
    'The first table whose rows of a run are not those that row_sum knows, or of which it lacks a checksum, in words; null: none, or the '
    'run has no checksums at all.';
