-- 146-exchange-patterns.sql - names that users give to what ranks do in a phase.

CREATE TABLE perfhouse.exchange_pattern (
    application text,                    -- null: of all applications
    name        text NOT NULL,
    expression  text NOT NULL,           -- over a rank's sequence, as pattern_matches() takes it
    set_by      text NOT NULL DEFAULT current_user,
    set_at      timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT exchange_pattern_key UNIQUE NULLS NOT DISTINCT (application, name)
);
COMMENT ON TABLE perfhouse.exchange_pattern IS
    'Patterns of communication that users know by name, as define_pattern() keeps them; exchange_patterns(run) knows them.';
