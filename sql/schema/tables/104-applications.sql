-- 104-applications.sql - what people say of an application: which metadata makes its runs one experiment, and its size.

CREATE TABLE perfhouse.application (
    application text PRIMARY KEY,
    keys        text[],                  -- experiment keys; null: perfhouse.default_keys()
    size_keys   text[],                  -- numbers whose product is the size of the problem; null: perfhouse.default_size_keys()
    size_of     text CHECK (size_of IN ('run', 'rank')), -- what that is the size of; null: not said
    set_by      text NOT NULL DEFAULT current_user,
    set_at      timestamptz NOT NULL DEFAULT now()
);
COMMENT ON TABLE perfhouse.application IS 'Experiment keys and size keys of applications, as set_application() keeps them.';
