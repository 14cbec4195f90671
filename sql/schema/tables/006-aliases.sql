-- 006-aliases.sql - regions that count as others when runs are compared.

CREATE TABLE perfhouse.region_alias (
    alias_id    int8 GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    application text,                    -- null: of all applications
    name        text,                    -- what it is about; null: any
    library     text,
    file        text,
    is_pattern  boolean NOT NULL DEFAULT false, -- the three above are regular expressions
    to_name     text CHECK (to_name <> ''), -- what that counts as; null: stays
    to_library  text,                    -- '': none
    to_file     text,
    reason      text,
    set_by      text NOT NULL DEFAULT current_user,
    set_at      timestamptz NOT NULL DEFAULT now(),
    CHECK (coalesce(name, library, file) IS NOT NULL),
    CHECK (coalesce(to_name, to_library, to_file) IS NOT NULL),
    CONSTRAINT region_alias_once UNIQUE NULLS NOT DISTINCT (application, name, library, file, is_pattern, to_name, to_library, to_file)
);
COMMENT ON TABLE perfhouse.region_alias IS 'Renamed functions, moved files, newer libraries: what people said with add_alias().';
