-- 014-aliases.sql - aliases of regions: kept, applied to profiles and to histories.

-- PL/pgSQL, which keeps the plan: every history asks.
CREATE OR REPLACE FUNCTION perfhouse.aliases_of(application text DEFAULT NULL) RETURNS jsonb
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RETURN (SELECT coalesce(jsonb_agg(jsonb_strip_nulls(jsonb_build_object('name', a.name, 'library', a.library, 'file', a.file,
            'is_pattern', a.is_pattern, 'to_name', a.to_name, 'to_library', a.to_library, 'to_file', a.to_file))
            ORDER BY a.alias_id), '[]')
        FROM perfhouse.region_alias a WHERE a.application IS NULL OR a.application = $1);
END $$;
COMMENT ON FUNCTION perfhouse.aliases_of(text) IS
    'The aliases of an application and those of all applications, as rename_regions takes them, the oldest first.';

CREATE OR REPLACE FUNCTION perfhouse.add_alias(name text, to_name text, application text DEFAULT NULL, library text DEFAULT NULL,
    file text DEFAULT NULL, to_library text DEFAULT NULL, to_file text DEFAULT NULL, is_pattern boolean DEFAULT false,
        reason text DEFAULT NULL)
RETURNS bigint
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    id bigint;
BEGIN
    IF coalesce($1, $4, $5) IS NULL OR coalesce($2, $6, $7) IS NULL OR $2 = '' OR $8 IS NULL THEN
        RAISE EXCEPTION 'an alias needs what it is about and what that counts as' USING ERRCODE = '22023',
            HINT = 'Give name, library or file, and to_name, to_library or to_file.';
    END IF;
    INSERT INTO perfhouse.region_alias AS a (application, name, library, file, is_pattern, to_name, to_library, to_file, reason)
    VALUES ($3, $1, $4, $5, $8, $2, $6, $7, $9)
    ON CONFLICT ON CONSTRAINT region_alias_once
    DO UPDATE SET reason = coalesce(excluded.reason, a.reason) RETURNING a.alias_id INTO id;
    -- wrong patterns and circles show when the rules are applied to their own targets
    PERFORM perfhouse_internal.alias_target(perfhouse.aliases_of(o.application), 0::int2, coalesce(r.to_name, r.name, ''),
        coalesce(r.to_library, r.library),
                coalesce(r.to_file, r.file), NULL)
    FROM (SELECT DISTINCT x.application FROM perfhouse.region_alias x) o, perfhouse.region_alias r
    WHERE NOT r.is_pattern AND (r.application IS NULL OR r.application = o.application)
       OR r.alias_id = id;
    RETURN id;
END $$;
COMMENT ON FUNCTION perfhouse.add_alias(text, text, text, text, text, text, text, boolean, text) IS
    'From now on regions with this name (library, file; is_pattern: regular expressions) count as to_name '
    '(to_library, to_file) in the histories of an application (null: all), and in profiles that went through '
    'apply_aliases. Says the alias''s id; who, when and why are kept in perfhouse.region_alias. From candidates: '
    'SELECT add_alias(name, candidate_name, ''lulesh'', reason => array_to_string(reasons, '', '')) FROM '
    'match_candidates(a, b, most => 1) WHERE is_top AND name <> candidate_name AND score > 0.8. Errors: 22023 without '
    'condition or target, for a wrong pattern or a circle.';

CREATE OR REPLACE FUNCTION perfhouse.remove_alias(id bigint) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    DELETE FROM perfhouse.region_alias a WHERE a.alias_id = id;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'no alias %', id USING ERRCODE = 'PH002', HINT = 'perfhouse.region_alias lists them.';
    END IF;
END $$;
COMMENT ON FUNCTION perfhouse.remove_alias(bigint) IS 'Forget an alias: its regions are their own again. Errors: PH002 for an unknown one.';
REVOKE ALL ON FUNCTION perfhouse.add_alias(text, text, text, text, text, text, text, boolean, text), perfhouse.remove_alias(bigint)
    FROM PUBLIC;

CREATE OR REPLACE FUNCTION perfhouse.apply_aliases(p perfhouse.profile, application text DEFAULT NULL) RETURNS perfhouse.profile
LANGUAGE sql STABLE PARALLEL SAFE COST 10000 SET search_path = pg_catalog, pg_temp AS $$
    SELECT perfhouse.rename_regions($1, perfhouse.aliases_of(coalesce($2, (
        SELECT min(r.application) FROM perfhouse.run r WHERE r.run_id IN (SELECT c.run_id FROM perfhouse.columns($1) c)))))
$$;
COMMENT ON FUNCTION perfhouse.apply_aliases(perfhouse.profile, text) IS
    'A profile under the names of the warehouse''s aliases for an application (null: that of the profile''s runs), to '
    'be compared: diff(apply_aliases(profile(1)), apply_aliases(profile(2))), '
    'ensemble(apply_aliases(profile(run_id)), title). Provenance and caption name what was renamed. See '
    'rename_regions.';

-- ------------------------------------------------------------------------------------------ histories
-- A region counts as another only when a rule is about it directly; rules that name their regions need no scan.
CREATE OR REPLACE FUNCTION perfhouse_internal.aliased_regions(application text)
RETURNS TABLE (region_id bigint, name text, target_id bigint, to_name text, to_library text)
LANGUAGE plpgsql STABLE PARALLEL SAFE ROWS 10 SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    rules jsonb := perfhouse.aliases_of($1);
    names text[];
BEGIN
    IF rules = '[]' THEN
        RETURN;
    END IF;
    IF NOT EXISTS (SELECT FROM jsonb_array_elements(rules) r WHERE r ->> 'name' IS NULL OR (r ->> 'is_pattern')::boolean) THEN
        names := ARRAY(SELECT r ->> 'name' FROM jsonb_array_elements(rules) r);
        RETURN QUERY SELECT g.region_id, g.name, t.region_id, t.to_name, t.to_library
            FROM perfhouse.region g, perfhouse_internal.alias_target(rules, g.kind, g.name, g.library, g.file, g.line) t
            WHERE g.name = ANY (names) AND (t.to_name, t.to_library, t.to_file) IS DISTINCT FROM (g.name, g.library, g.file);
    ELSE
        RETURN QUERY SELECT g.region_id, g.name, t.region_id, t.to_name, t.to_library
            FROM perfhouse.region g, perfhouse_internal.alias_target(rules, g.kind, g.name, g.library, g.file, g.line) t
            WHERE (t.to_name, t.to_library, t.to_file) IS DISTINCT FROM (g.name, g.library, g.file);
    END IF;
END $$;
COMMENT ON FUNCTION perfhouse_internal.aliased_regions(text) IS
    'The stored regions that count as others in an application''s histories, and as what. Empty without aliases.';

-- A path's key is the stored path that it counts as, or, when no run has that one, the least of those that count as it.
CREATE OR REPLACE FUNCTION perfhouse_internal.aliased_callpaths(application text)
RETURNS TABLE (callpath_id bigint, key bigint, parent_key bigint)
LANGUAGE sql STABLE PARALLEL SAFE ROWS 100 SET search_path = pg_catalog, pg_temp AS $$
    WITH RECURSIVE renamed AS MATERIALIZED (SELECT * FROM perfhouse_internal.aliased_regions($1)),
    below (callpath_id, parent_id, region_id) AS (
        SELECT c.callpath_id, c.parent_id, c.region_id FROM renamed r JOIN perfhouse.callpath c USING (region_id)
        UNION SELECT c.callpath_id, c.parent_id, c.region_id FROM below b JOIN perfhouse.callpath c ON c.parent_id = b.callpath_id),
    targets (callpath_id, target_id, parent_target) AS (
        SELECT b.callpath_id, perfhouse_internal.callpath_hash(b.parent_id, coalesce(r.target_id, b.region_id)), b.parent_id
        FROM below b LEFT JOIN renamed r USING (region_id) WHERE NOT EXISTS (SELECT FROM below a WHERE a.callpath_id = b.parent_id)
        UNION ALL
        SELECT b.callpath_id, perfhouse_internal.callpath_hash(t.target_id, coalesce(r.target_id, b.region_id)), t.target_id
        FROM targets t JOIN below b ON b.parent_id = t.callpath_id LEFT JOIN renamed r ON r.region_id = b.region_id),
    keys AS (
        SELECT t.target_id, coalesce(min(c.callpath_id), min(t.callpath_id)) AS key
        FROM targets t LEFT JOIN perfhouse.callpath c ON c.callpath_id = t.target_id GROUP BY 1)
    SELECT t.callpath_id, k.key, coalesce(p.key, t.parent_target)
    FROM targets t JOIN keys k USING (target_id) LEFT JOIN keys p ON p.target_id = t.parent_target
$$;
COMMENT ON FUNCTION perfhouse_internal.aliased_callpaths(text) IS
    'The stored call paths at or below regions that count as others in an application''s histories: the call path '
    'that stands for each and for its caller. Empty without aliases.';
