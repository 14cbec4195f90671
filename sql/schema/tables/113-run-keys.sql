-- 113-run-keys.sql - what questions about thousands of runs would otherwise make of every run's row, kept in it.
--
-- Generated, so that no writer of a row can leave them behind it. default_experiment is what perfhouse_internal.experiment_of
-- (definitions) says by the default keys, spelt out in their order: other default keys take another step here.

-- A function whose body is parsed and takes a run's row stands in the way of a column that is filled at once: until the
-- definitions follow in this transaction it has a body that is not.
DO $$
BEGIN
    IF pg_catalog.to_regprocedure('perfhouse_internal.experiment_of(perfhouse.run, text[])') IS NOT NULL THEN
        CREATE OR REPLACE FUNCTION perfhouse_internal.experiment_of(r perfhouse.run, keys text[]) RETURNS text
        LANGUAGE sql STABLE PARALLEL SAFE AS 'SELECT NULL::text';
    END IF;
END $$;

ALTER TABLE perfhouse.run
    ADD COLUMN primary_metric_id int4 GENERATED ALWAYS AS (metric_ids[1]) STORED,
    ADD COLUMN default_experiment text GENERATED ALWAYS AS (application || E'\x1F' || coalesce(n_ranks::text, E'\x1E') || E'\x1F'
        || coalesce(n_threads::text, E'\x1E') || E'\x1F' || coalesce(n_hosts::text, E'\x1E') || E'\x1F'
        || coalesce(nullif(cluster, ''), E'\x1E') || E'\x1F' || coalesce(nullif(meta ->> 'problem', ''), E'\x1E') || E'\x1F'
        || coalesce(nullif(meta ->> 'problem_size', ''), E'\x1E') || E'\x1F'
        || coalesce(nullif(meta ->> 'input', ''), E'\x1E')) STORED;
COMMENT ON COLUMN perfhouse.run.primary_metric_id IS 'metric_ids[1]: the statistics of a column of its own let joins be planned';
COMMENT ON COLUMN perfhouse.run.default_experiment IS
    'what run_experiment has in experiment for a run whose application has no keys of its own (set_application)';
