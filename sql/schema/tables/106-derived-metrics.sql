-- 106-derived-metrics.sql - metrics that are made of others by a formula, for all runs that have these.

CREATE TABLE perfhouse.derived_metric (
    name    text PRIMARY KEY,
    formula text NOT NULL,               -- as derive() takes it
    unit    text,                        -- null: what the units of the operands give
    set_by  text NOT NULL DEFAULT current_user,
    set_at  timestamptz NOT NULL DEFAULT now()
);
COMMENT ON TABLE perfhouse.derived_metric IS 'Metrics made of others by a formula, as define_metric() keeps them.';
