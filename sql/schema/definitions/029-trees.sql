-- 029-trees.sql - call trees and labels of regions that runs share: stored once, found again by a hash of their content.

-- --------------------------------------------------------------------------------------- interning
-- Content is looked for, and made when it is missing, in a transaction before the run's. Nobody removes what was
-- touched within a day (remove_unused_trees): whoever finds a row that was touched more than an hour ago touches it
-- again, which waits for who is removing it, and finds it gone then. So a run may rely for hours on what was interned.
CREATE OR REPLACE FUNCTION perfhouse_internal.known_trees(ids bigint[]) RETURNS TABLE (tree_id bigint, crc int)
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
BEGIN
    RETURN QUERY
    WITH touched AS (
        UPDATE perfhouse.call_tree t SET used_at = now()
        WHERE t.tree_id = ANY (ids) AND t.used_at < now() - interval '1 hour' RETURNING t.tree_id, t.crc)
    SELECT touched.tree_id, touched.crc FROM touched
    UNION ALL
    SELECT t.tree_id, t.crc FROM perfhouse.call_tree t WHERE t.tree_id = ANY (ids) AND t.used_at >= now() - interval '1 hour';
END $$;
COMMENT ON FUNCTION perfhouse_internal.known_trees(bigint[]) IS
    'Which of these call trees are stored, with their checksums; they stay for a day from here on.';

CREATE OR REPLACE FUNCTION perfhouse_internal.known_labels(ids bigint[]) RETURNS TABLE (labels_id bigint, crc int)
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
BEGIN
    RETURN QUERY
    WITH touched AS (
        UPDATE perfhouse.label_set s SET used_at = now()
        WHERE s.labels_id = ANY (ids) AND s.used_at < now() - interval '1 hour' RETURNING s.labels_id, s.crc)
    SELECT touched.labels_id, touched.crc FROM touched
    UNION ALL
    SELECT s.labels_id, s.crc FROM perfhouse.label_set s WHERE s.labels_id = ANY (ids) AND s.used_at >= now() - interval '1 hour';
END $$;
COMMENT ON FUNCTION perfhouse_internal.known_labels(bigint[]) IS 'As known_trees, of labels of regions.';

CREATE OR REPLACE FUNCTION perfhouse_internal.refuse_collision(what text, id bigint) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RAISE EXCEPTION '% % stands for something else already', what, id USING ERRCODE = 'unique_violation',
        HINT = 'Two different contents have the same 64-bit hash; rename a function of one of them.';
END $$;
COMMENT ON FUNCTION perfhouse_internal.refuse_collision(text, bigint) IS 'Error 23505 of content under the hash of another.';

-- Those that are not there yet, in order of their ids, so that loaders wait for each other in one order only.
CREATE OR REPLACE FUNCTION perfhouse_internal.intern_trees(trees bytea[]) RETURNS bigint[]
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    collided bigint;
BEGIN
    WITH given AS MATERIALIZED (
        SELECT i.id, min(i.crc) AS crc, max(i.crc) AS other, (array_agg(i.tree))[1] AS tree
        FROM (SELECT perfhouse_internal.content_id(u) AS id, perfhouse_internal.crc32c(u) AS crc, u AS tree FROM unnest($1) u) i GROUP BY 1
    ), stored AS (
        INSERT INTO perfhouse.call_tree AS t (tree_id, n_nodes, crc, callpath_ids, tree)
        SELECT g.id, cardinality(p.ids), g.crc, p.ids, g.tree
        FROM given g CROSS JOIN LATERAL (SELECT perfhouse_internal.tree_callpaths(g.tree) AS ids OFFSET 0) p ORDER BY g.id
        ON CONFLICT (tree_id) DO UPDATE SET used_at = excluded.used_at RETURNING t.tree_id, t.crc
    )
    SELECT min(g.id) INTO collided FROM given g JOIN stored s ON s.tree_id = g.id WHERE s.crc <> g.crc OR g.crc <> g.other;
    IF collided IS NOT NULL THEN
        PERFORM perfhouse_internal.refuse_collision('call tree', collided);
    END IF;
    RETURN ARRAY(SELECT perfhouse_internal.content_id(u.tree) FROM unnest($1) WITH ORDINALITY u (tree, place) ORDER BY u.place);
END $$;
COMMENT ON FUNCTION perfhouse_internal.intern_trees(bytea[]) IS
    'The tree_ids of packed call trees (skeleton(profile)), which are stored when they are not yet. Errors: PH001 when one is '
    'not a tree; 23505 when another one has its hash.';

CREATE OR REPLACE FUNCTION perfhouse_internal.intern_tree(tree bytea) RETURNS bigint
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    id bigint := perfhouse_internal.content_id(tree);
    there int;
BEGIN
    SELECT k.crc INTO there FROM perfhouse_internal.known_trees(ARRAY[id]) k;
    IF NOT FOUND THEN
        PERFORM perfhouse_internal.intern_trees(ARRAY[tree]);
    ELSIF there <> perfhouse_internal.crc32c(tree) THEN
        PERFORM perfhouse_internal.refuse_collision('call tree', id);
    END IF;
    RETURN id;
END $$;
COMMENT ON FUNCTION perfhouse_internal.intern_tree(bytea) IS 'intern_trees of one tree.';

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

CREATE OR REPLACE FUNCTION perfhouse_internal.intern_label_sets(label_sets bytea[]) RETURNS bigint[]
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    collided bigint;
BEGIN
    WITH given AS MATERIALIZED (
        SELECT i.id, min(i.crc) AS crc, max(i.crc) AS other, (array_agg(i.labels))[1] AS labels
        FROM (SELECT perfhouse_internal.content_id(u) AS id, perfhouse_internal.crc32c(u) AS crc, u AS labels FROM unnest($1) u) i
        GROUP BY 1
    ), stored AS (
        INSERT INTO perfhouse.label_set AS s (labels_id, n_regions, crc)
        SELECT g.id, (SELECT count(*) FROM perfhouse_internal.label_rows(g.labels)), g.crc FROM given g ORDER BY g.id
        ON CONFLICT (labels_id) DO UPDATE SET used_at = excluded.used_at RETURNING s.labels_id, s.crc
    ), written AS (
        INSERT INTO perfhouse.label_data (labels_id, labels)
        SELECT g.id, g.labels FROM given g JOIN stored s ON s.labels_id = g.id ON CONFLICT DO NOTHING
    )
    SELECT min(g.id) INTO collided FROM given g JOIN stored s ON s.labels_id = g.id WHERE s.crc <> g.crc OR g.crc <> g.other;
    IF collided IS NOT NULL THEN
        PERFORM perfhouse_internal.refuse_collision('labels of regions', collided);
    END IF;
    RETURN ARRAY(SELECT perfhouse_internal.content_id(u.labels) FROM unnest($1) WITH ORDINALITY u (labels, place) ORDER BY u.place);
END $$;
COMMENT ON FUNCTION perfhouse_internal.intern_label_sets(bytea[]) IS
    'The labels_ids of what runs say of their regions (label_bytes), which is stored when it is not yet. Errors: PH001 when '
    'bytes are not of labels; 23505 when other labels have their hash.';

CREATE OR REPLACE FUNCTION perfhouse_internal.intern_labels(region_ids bigint[], local_ids int[], lines int[], modules text[],
    raw_files text[], paradigms text[]) RETURNS bigint
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    bytes bytea := perfhouse_internal.label_bytes(region_ids, local_ids, lines, modules, raw_files, paradigms);
    id bigint := perfhouse_internal.content_id(bytes);
    there int;
BEGIN
    SELECT k.crc INTO there FROM perfhouse_internal.known_labels(ARRAY[id]) k;
    IF NOT FOUND THEN
        PERFORM perfhouse_internal.intern_label_sets(ARRAY[bytes]);
    ELSIF there <> perfhouse_internal.crc32c(bytes) THEN
        PERFORM perfhouse_internal.refuse_collision('labels of regions', id);
    END IF;
    RETURN id;
END $$;
COMMENT ON FUNCTION perfhouse_internal.intern_labels(bigint[], int[], int[], text[], text[], text[]) IS
    'intern_label_sets of one run, given as arrays in parallel.';

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
    DELETE FROM perfhouse.label_data d WHERE d.labels_id = ANY (gone);
    RETURN n + coalesce(cardinality(gone), 0);
END $$;
COMMENT ON FUNCTION perfhouse_internal.unused_trees(boolean) IS
    'How many call trees and sets of labels no run has, and no load asked for within a day; with true they are removed. 0 for '
    'who does not see every run.';
