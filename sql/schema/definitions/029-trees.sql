-- 029-trees.sql - call trees and labels of regions that runs share: stored once, found again by a hash of their content.

-- --------------------------------------------------------------------------------------- interning
-- Content is looked for, and made when it is missing, in a transaction before the run's. Nobody removes what was
-- touched within a day (remove_unused_trees): whoever finds a row that was touched more than an hour ago touches it
-- again, which waits for who is removing it, and finds it gone then. So a run may rely for hours on what was interned.
CREATE OR REPLACE FUNCTION perfhouse_internal.known_trees(ids bigint[]) RETURNS TABLE (tree_id bigint, crc int)
LANGUAGE sql SET search_path = pg_catalog, pg_temp AS $$
    WITH touched AS (
        UPDATE perfhouse.call_tree t SET used_at = now()
        WHERE t.tree_id = ANY (ids) AND t.used_at < now() - interval '1 hour' RETURNING t.tree_id, t.crc)
    SELECT touched.tree_id, touched.crc FROM touched
    UNION ALL
    SELECT t.tree_id, t.crc FROM perfhouse.call_tree t WHERE t.tree_id = ANY (ids) AND t.used_at >= now() - interval '1 hour'
$$;
COMMENT ON FUNCTION perfhouse_internal.known_trees(bigint[]) IS
    'Which of these call trees are stored, with their checksums; they stay for a day from here on.';

CREATE OR REPLACE FUNCTION perfhouse_internal.known_labels(ids bigint[]) RETURNS TABLE (labels_id bigint, crc int)
LANGUAGE sql SET search_path = pg_catalog, pg_temp AS $$
    WITH touched AS (
        UPDATE perfhouse.label_set s SET used_at = now()
        WHERE s.labels_id = ANY (ids) AND s.used_at < now() - interval '1 hour' RETURNING s.labels_id, s.crc)
    SELECT touched.labels_id, touched.crc FROM touched
    UNION ALL
    SELECT s.labels_id, s.crc FROM perfhouse.label_set s WHERE s.labels_id = ANY (ids) AND s.used_at >= now() - interval '1 hour'
$$;
COMMENT ON FUNCTION perfhouse_internal.known_labels(bigint[]) IS 'As known_trees, of labels of regions.';

CREATE OR REPLACE FUNCTION perfhouse_internal.refuse_collision(what text, id bigint) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RAISE EXCEPTION '% % stands for something else already', what, id USING ERRCODE = 'unique_violation',
        HINT = 'Two different contents have the same 64-bit hash; rename a function of one of them.';
END $$;
COMMENT ON FUNCTION perfhouse_internal.refuse_collision(text, bigint) IS 'Error 23505 of content under the hash of another.';

CREATE OR REPLACE FUNCTION perfhouse_internal.intern_tree(tree bytea) RETURNS bigint
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    id bigint := perfhouse_internal.content_id(tree);
    sum int := perfhouse_internal.crc32c(tree);
    there int;
BEGIN
    SELECT k.crc INTO there FROM perfhouse_internal.known_trees(ARRAY[id]) k;
    IF NOT FOUND THEN
        INSERT INTO perfhouse.call_tree AS t (tree_id, n_nodes, crc, callpath_ids, tree)
        SELECT id, cardinality(p.ids), sum, p.ids, intern_tree.tree
        FROM (SELECT perfhouse_internal.tree_callpaths(intern_tree.tree) AS ids) p
        ON CONFLICT ON CONSTRAINT call_tree_pkey DO UPDATE SET used_at = now() RETURNING t.crc INTO there;
    END IF;
    IF there <> sum THEN
        PERFORM perfhouse_internal.refuse_collision('call tree', id);
    END IF;
    RETURN id;
END $$;
COMMENT ON FUNCTION perfhouse_internal.intern_tree(bytea) IS
    'The tree_id of a packed call tree (skeleton(profile)), which is stored when it is not yet. Errors: PH001 when it is '
    'not a tree; 23505 when another one has its hash.';

-- The bytes under the hash; pipeline/store/content.c makes the same.
CREATE OR REPLACE FUNCTION perfhouse_internal.label_bytes(region_ids bigint[], local_ids int[], lines int[], modules text[],
    raw_files text[], paradigms text[]) RETURNS bytea
LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
    SELECT coalesce(string_agg(int8send(u.region_id) || int4send(u.local_id) || int4send(coalesce(u.line, -1))
        || convert_to(coalesce(u.module, ''), 'UTF8') || '\x00'::bytea || convert_to(coalesce(u.raw_file, ''), 'UTF8') || '\x00'::bytea
        || convert_to(coalesce(u.paradigm, ''), 'UTF8') || '\x00'::bytea, ''::bytea ORDER BY u.region_id), ''::bytea)
    FROM unnest(region_ids, local_ids, lines, modules, raw_files, paradigms) u (region_id, local_id, line, module, raw_file, paradigm)
$$;
COMMENT ON FUNCTION perfhouse_internal.label_bytes(bigint[], int[], int[], text[], text[], text[]) IS
    'Labels of regions as the bytes whose hash is their labels_id.';

CREATE OR REPLACE FUNCTION perfhouse_internal.intern_labels(region_ids bigint[], local_ids int[], lines int[], modules text[],
    raw_files text[], paradigms text[]) RETURNS bigint
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    bytes bytea := perfhouse_internal.label_bytes(region_ids, local_ids, lines, modules, raw_files, paradigms);
    id bigint := perfhouse_internal.content_id(bytes);
    sum int := perfhouse_internal.crc32c(bytes);
    there int;
    is_new boolean;
BEGIN
    SELECT k.crc INTO there FROM perfhouse_internal.known_labels(ARRAY[id]) k;
    IF NOT FOUND THEN
        INSERT INTO perfhouse.label_set AS s (labels_id, n_regions, crc) VALUES (id, cardinality(region_ids), sum)
        ON CONFLICT ON CONSTRAINT label_set_pkey DO UPDATE SET used_at = now() RETURNING s.crc, s.xmax = 0 INTO there, is_new;
        INSERT INTO perfhouse.region_label (labels_id, region_id, local_id, line, module, raw_file, paradigm)
        SELECT id, u.region_id, u.local_id, u.line, nullif(u.module, ''), nullif(u.raw_file, ''), nullif(u.paradigm, '')
        FROM unnest(region_ids, local_ids, lines, modules, raw_files, paradigms) u (region_id, local_id, line, module, raw_file, paradigm)
        WHERE is_new ORDER BY u.region_id;
    END IF;
    IF there <> sum THEN
        PERFORM perfhouse_internal.refuse_collision('labels of regions', id);
    END IF;
    RETURN id;
END $$;
COMMENT ON FUNCTION perfhouse_internal.intern_labels(bigint[], int[], int[], text[], text[], text[]) IS
    'The labels_id of what a run says of its regions (arrays in parallel), which is stored when it is not yet. Errors: '
    '23505 when other labels have its hash.';

-- ------------------------------------------------------------------------------------------ removal
CREATE OR REPLACE FUNCTION perfhouse_internal.unused_trees(remove boolean DEFAULT false) RETURNS bigint
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    since timestamptz := now() - interval '1 day';
    n bigint;
    gone bigint[];
BEGIN
    -- who does not see every run would take the content of others for unused; who may not remove it leaves it alone
    IF row_security_active('perfhouse.run') OR remove AND NOT has_table_privilege('perfhouse.call_tree', 'DELETE') THEN
        RETURN 0;
    END IF;
    IF NOT remove THEN
        RETURN (SELECT count(*) FROM perfhouse.call_tree t
                WHERE t.used_at < since AND NOT EXISTS (SELECT FROM perfhouse.run r WHERE r.tree_id = t.tree_id))
             + (SELECT count(*) FROM perfhouse.label_set s
                WHERE s.used_at < since AND NOT EXISTS (SELECT FROM perfhouse.run r WHERE r.labels_id = s.labels_id));
    END IF;
    DELETE FROM perfhouse.call_tree t
    WHERE t.used_at < since AND NOT EXISTS (SELECT FROM perfhouse.run r WHERE r.tree_id = t.tree_id);
    GET DIAGNOSTICS n = ROW_COUNT;
    WITH removed AS (
        DELETE FROM perfhouse.label_set s
        WHERE s.used_at < since AND NOT EXISTS (SELECT FROM perfhouse.run r WHERE r.labels_id = s.labels_id) RETURNING s.labels_id)
    SELECT array_agg(labels_id) INTO gone FROM removed;
    DELETE FROM perfhouse.region_label l WHERE l.labels_id = ANY (gone);
    RETURN n + coalesce(cardinality(gone), 0);
END $$;
COMMENT ON FUNCTION perfhouse_internal.unused_trees(boolean) IS
    'How many call trees and sets of labels no run has, and no load asked for within a day; with true they are removed. 0 for '
    'who does not see every run.';
