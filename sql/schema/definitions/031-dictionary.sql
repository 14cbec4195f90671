-- 031-dictionary.sql - regions and call paths that runs share: loaders intern them before a run's transaction.
--
-- One look-up an entry tells what is there, what is not, and what stands for something else. Where nothing is there, as of a
-- program's first run, one scan of the index says so, in a third of the time. What is not there is inserted
-- without ON CONFLICT, which takes a quarter longer: it looks again, and writes every row twice into the log. A loader
-- that came first with an entry is waited for; then it is there, and the next attempt sees it. Entries are inserted by id,
-- so that loaders wait for each other in one order only. The scan must be one of the index, also while the table is small:
-- any other compares each row with each entry.

CREATE OR REPLACE FUNCTION perfhouse_internal.intern_regions(region_ids bigint[], kinds smallint[], names text[], libraries text[],
    files text[], lines int[])
RETURNS TABLE (id bigint, given text, stored text)
LANGUAGE plpgsql ROWS 1 SET search_path = pg_catalog, pg_temp SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off SET enable_bitmapscan = off AS $$
BEGIN
    FOR attempt IN 1 .. 100 LOOP
        BEGIN
            IF NOT EXISTS (SELECT FROM perfhouse.region d WHERE d.region_id = ANY (region_ids)) THEN
                INSERT INTO perfhouse.region (region_id, kind, name, library, file, line)
                SELECT s.* FROM unnest(region_ids, kinds, names, libraries, files, lines) s (region_id, kind, name, library, file, line)
                ORDER BY s.region_id;
                RETURN;
            END IF;
            RETURN QUERY
            WITH s AS MATERIALIZED (
                SELECT s.*, r.region_id IS NULL AS is_new, r.name AS stored_name,
                    (s.kind, s.name, s.library, s.file, s.line) IS DISTINCT FROM (r.kind, r.name, r.library, r.file, r.line) AS differs
                FROM unnest(region_ids, kinds, names, libraries, files, lines) s (region_id, kind, name, library, file, line)
                LEFT JOIN LATERAL (SELECT d.* FROM perfhouse.region d WHERE d.region_id = s.region_id OFFSET 0) r ON true),
            interned AS (
                INSERT INTO perfhouse.region (region_id, kind, name, library, file, line)
                SELECT s.region_id, s.kind, s.name, s.library, s.file, s.line FROM s WHERE s.is_new ORDER BY s.region_id)
            SELECT s.region_id, quote_literal(s.name), quote_literal(s.stored_name) FROM s WHERE s.differs AND NOT s.is_new
            ORDER BY s.region_id LIMIT 1;
            RETURN;
        EXCEPTION WHEN unique_violation THEN
            IF attempt = 100 THEN
                RAISE;
            END IF;
        END;
    END LOOP;
END $$;
COMMENT ON FUNCTION perfhouse_internal.intern_regions(bigint[], smallint[], text[], text[], text[], int[]) IS
    'Regions go into the dictionary unless they are there; a row for an id that stands for another region already. Ids are distinct.';

CREATE OR REPLACE FUNCTION perfhouse_internal.intern_callpaths(callpath_ids bigint[], parent_ids bigint[], region_ids bigint[],
    depths int[])
RETURNS TABLE (id bigint, given text, stored text)
LANGUAGE plpgsql ROWS 1 SET search_path = pg_catalog, pg_temp SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off SET enable_bitmapscan = off AS $$
BEGIN
    FOR attempt IN 1 .. 100 LOOP
        BEGIN
            IF NOT EXISTS (SELECT FROM perfhouse.callpath d WHERE d.callpath_id = ANY (callpath_ids)) THEN
                INSERT INTO perfhouse.callpath (callpath_id, parent_id, region_id, depth)
                SELECT s.* FROM unnest(callpath_ids, parent_ids, region_ids, depths) s (callpath_id, parent_id, region_id, depth)
                ORDER BY s.callpath_id;
                RETURN;
            END IF;
            RETURN QUERY
            WITH s AS MATERIALIZED (
                SELECT s.*, c.callpath_id IS NULL AS is_new, c.parent_id AS stored_parent, c.region_id AS stored_region,
                    (s.parent_id, s.region_id, s.depth) IS DISTINCT FROM (c.parent_id, c.region_id, c.depth) AS differs
                FROM unnest(callpath_ids, parent_ids, region_ids, depths) s (callpath_id, parent_id, region_id, depth)
                LEFT JOIN LATERAL (SELECT d.* FROM perfhouse.callpath d WHERE d.callpath_id = s.callpath_id OFFSET 0) c ON true),
            interned AS (
                INSERT INTO perfhouse.callpath (callpath_id, parent_id, region_id, depth)
                SELECT s.callpath_id, s.parent_id, s.region_id, s.depth FROM s WHERE s.is_new ORDER BY s.callpath_id)
            SELECT s.callpath_id, format('(%s, %s)', coalesce(s.parent_id, 0), s.region_id),
                format('(%s, %s)', coalesce(s.stored_parent, 0), s.stored_region)
            FROM s WHERE s.differs AND NOT s.is_new ORDER BY s.callpath_id LIMIT 1;
            RETURN;
        EXCEPTION WHEN unique_violation THEN
            IF attempt = 100 THEN
                RAISE;
            END IF;
        END;
    END LOOP;
END $$;
COMMENT ON FUNCTION perfhouse_internal.intern_callpaths(bigint[], bigint[], bigint[], int[]) IS
    'Call paths go into the dictionary unless they are there; a row for an id that stands for another one already. Ids are distinct.';

-- ------------------------------------------------------------------------------------------ removal
-- Call paths on no stored path, then regions without any.
CREATE OR REPLACE FUNCTION perfhouse_internal.unused_dictionary(remove boolean DEFAULT false, OUT callpaths bigint, OUT regions bigint)
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    paths bigint[];
    unused bigint[];
    -- of runs of older releases: asked for by themselves, because nodes share them
    old_paths bigint[] := ARRAY(SELECT DISTINCT s.callpath_id FROM perfhouse.profile_summary_1 s);
    old_regions bigint[] := ARRAY(SELECT DISTINCT r.region_id FROM perfhouse.run_region_1 r);
BEGIN
    WITH RECURSIVE used (callpath_id) AS (
        SELECT p.callpath_id FROM (SELECT DISTINCT unnest(t.callpath_ids) AS callpath_id FROM perfhouse.call_tree t
                                   UNION SELECT unnest(old_paths)) p
        UNION
        SELECT c.parent_id FROM used JOIN perfhouse.callpath c USING (callpath_id) WHERE c.parent_id IS NOT NULL)
    SELECT array_agg(c.callpath_id) INTO paths FROM perfhouse.callpath c WHERE c.callpath_id NOT IN (SELECT u.callpath_id FROM used u);
    WITH labelled AS MATERIALIZED (
        SELECT DISTINCT l.region_id FROM perfhouse.label_set s JOIN perfhouse.label_data d USING (labels_id)
        CROSS JOIN LATERAL perfhouse_internal.label_rows( -- damaged ones are check_run's business
            CASE WHEN perfhouse_internal.crc32c(d.labels) = s.crc THEN d.labels END) l),
    orphan_paths AS (SELECT unnest(paths) AS callpath_id)
    SELECT array_agg(g.region_id) INTO unused FROM perfhouse.region g
    WHERE NOT EXISTS (SELECT FROM perfhouse.callpath c WHERE c.region_id = g.region_id
                      AND c.callpath_id NOT IN (SELECT o.callpath_id FROM orphan_paths o))
      AND NOT EXISTS (SELECT FROM labelled l WHERE l.region_id = g.region_id)
      AND g.region_id <> ALL (old_regions);
    IF remove THEN
        DELETE FROM perfhouse.callpath c WHERE c.callpath_id = ANY (paths);
        DELETE FROM perfhouse.region g WHERE g.region_id = ANY (unused);
    END IF;
    callpaths := coalesce(cardinality(paths), 0);
    regions := coalesce(cardinality(unused), 0);
END $$;
COMMENT ON FUNCTION perfhouse_internal.unused_dictionary(boolean) IS
    'How many call paths and regions no stored tree or run uses; with true they are removed, which only who sees every run may '
    'ask, while no loader is at work.';
