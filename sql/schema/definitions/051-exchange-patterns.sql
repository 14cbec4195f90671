-- 051-exchange-patterns.sql - names of users for what ranks do in a phase.

CREATE OR REPLACE FUNCTION perfhouse.define_pattern(name text, expression text, application text DEFAULT NULL) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF coalesce($1, '') = '' OR octet_length($1) > 200 THEN
        RAISE EXCEPTION 'a pattern needs a name of 1 to 200 bytes' USING ERRCODE = '22023';
    END IF;
    IF $1 IN ('none', 'collective', 'mixed', 'pairwise', 'gather', 'scatter', 'root', 'all-to-all', 'pipeline', 'tree', 'wavefront',
        'SSWA', 'SRSR', 'SSWW', 'SSRR', 'shift', 'one way') THEN
        RAISE EXCEPTION '"%" is a pattern already', $1 USING ERRCODE = '22023', HINT = 'Choose a name of your own.';
    END IF;
    IF $2 IS NULL THEN
        RAISE EXCEPTION 'pattern "%" needs an expression', $1 USING ERRCODE = '22023';
    END IF;
    IF perfhouse.pattern_matches($2, '') THEN
        RAISE EXCEPTION 'the expression of "%" is true of ranks that do nothing', $1
            USING ERRCODE = '22023', HINT = 'Use x+ in place of x* for what must be there.';
    END IF;
    INSERT INTO perfhouse.exchange_pattern AS p (application, name, expression) VALUES ($3, $1, $2)
    ON CONFLICT ON CONSTRAINT exchange_pattern_key DO UPDATE SET expression = excluded.expression,
        set_by = excluded.set_by, set_at = excluded.set_at;
END $$;
COMMENT ON FUNCTION perfhouse.define_pattern(text, text, text) IS
    'Keep a pattern of communication by name, of one application, or of all (null): from then on exchange_patterns gives that '
    'name to phases in which at least half of the ranks follow the expression (see pattern_matches); of several, the '
    'application''s own ones come first, then by name. A name that is defined already gets the new expression. Needs the rights '
    'of a loader. Errors: 22023 for no name or that of a built-in pattern, for an expression with a mistake (the message says '
    'where) and for one that is true of ranks that do nothing.';

CREATE OR REPLACE FUNCTION perfhouse.drop_pattern(name text, application text DEFAULT NULL) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    DELETE FROM perfhouse.exchange_pattern p WHERE p.name = $1 AND p.application IS NOT DISTINCT FROM $2;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'there is no pattern "%"', $1
            USING ERRCODE = 'PH002', HINT = 'The table exchange_pattern lists all, with their applications.';
    END IF;
END $$;
COMMENT ON FUNCTION perfhouse.drop_pattern(text, text) IS
    'Forget a pattern that define_pattern() kept, of this application (null: of all). Errors: PH002 when there is none of that '
    'name.';
REVOKE ALL ON FUNCTION perfhouse.define_pattern(text, text, text), perfhouse.drop_pattern(text, text) FROM PUBLIC;
