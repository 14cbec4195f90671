-- renewal.sql - frame of the script that brings another build of a version up to this one; make-script fills it in.
--
-- `perfhouse init` runs it inside its transaction, as the extension's owner. ALTER EXTENSION UPDATE goes from version to
-- version only, and builds of an unreleased version have one. Objects are replaced and keep their identity; what has to
-- be made again is made a member of the extension by hand.
SET LOCAL search_path = perfhouse, pg_temp;
SET LOCAL check_function_bodies = off; -- as in CREATE EXTENSION: a function may name a later one

-- Types, operators, casts, schemas: tables hold values of the types, so what is there stays.
CREATE FUNCTION pg_temp.make_once(definition text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE definition;
EXCEPTION
    WHEN duplicate_object OR duplicate_function OR duplicate_schema THEN
        NULL;
END $$;

-- A function may have been in the other schema, and may have had other columns. What uses it then is named by the error.
CREATE FUNCTION pg_temp.replace_routine(schema_name text, identity text, definition text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    wanted text := schema_name || '.' || identity;
    elsewhere regprocedure := to_regprocedure(CASE schema_name WHEN 'perfhouse' THEN 'perfhouse_internal' ELSE 'perfhouse' END || '.' || identity);
BEGIN
    IF to_regprocedure(wanted) IS NULL AND elsewhere IS NOT NULL THEN
        EXECUTE pg_catalog.format('ALTER ROUTINE %s SET SCHEMA %I', elsewhere, schema_name);
    END IF;
    EXECUTE definition;
EXCEPTION
    WHEN invalid_function_definition OR wrong_object_type THEN
        EXECUTE pg_catalog.format('ALTER EXTENSION perfhouse DROP ROUTINE %1$s; DROP ROUTINE %1$s', to_regprocedure(wanted));
        EXECUTE definition;
END $$;

-- @BODY@

-- The extension has these and no other functions.
DO $$
DECLARE
    wanted oid[] := ARRAY[
@ROUTINES@
    ]::regprocedure[];
    object text;
BEGIN
    FOREACH object IN ARRAY ARRAY[
@OBJECTS@
    ]::text[] LOOP
        BEGIN
            EXECUTE 'ALTER EXTENSION perfhouse ADD ' || object;
        EXCEPTION
            WHEN object_not_in_prerequisite_state THEN
                NULL; -- it is a member already
        END;
    END LOOP;
    FOR object IN
        SELECT p.oid::regprocedure::text FROM pg_catalog.pg_proc p
        WHERE p.oid = ANY (wanted) AND NOT EXISTS (
            SELECT FROM pg_catalog.pg_depend d
            WHERE d.classid = 'pg_catalog.pg_proc'::regclass AND d.objid = p.oid AND d.deptype = 'e')
    LOOP
        EXECUTE 'ALTER EXTENSION perfhouse ADD ROUTINE ' || object;
    END LOOP;
    FOR object IN
        SELECT p.oid::regprocedure::text
        FROM pg_catalog.pg_depend d
        JOIN pg_catalog.pg_extension e ON d.refclassid = 'pg_catalog.pg_extension'::regclass AND d.refobjid = e.oid
        JOIN pg_catalog.pg_proc p ON d.classid = 'pg_catalog.pg_proc'::regclass AND d.objid = p.oid
        WHERE e.extname = 'perfhouse' AND d.deptype = 'e' AND p.oid <> ALL (wanted)
        ORDER BY p.prokind = 'a' DESC, p.oid DESC
    LOOP
        EXECUTE pg_catalog.format('ALTER EXTENSION perfhouse DROP ROUTINE %1$s; DROP ROUTINE %1$s', object);
    END LOOP;
END $$;
DROP FUNCTION pg_temp.replace_routine(text, text, text);
DROP FUNCTION pg_temp.make_once(text);
SET LOCAL search_path = pg_catalog, pg_temp;
