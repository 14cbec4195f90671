-- 110-run-lists.sql - what lists of 10^5 to 10^6 runs need: an index an order, a search that does not read every run.

CREATE INDEX run_by_application ON perfhouse.run (application, run_id) WHERE state = 'ready';
CREATE INDEX run_by_title ON perfhouse.run (left(title, 200), run_id) WHERE state = 'ready'; -- titles may be long
CREATE INDEX run_by_started_at ON perfhouse.run (started_at, run_id) WHERE state = 'ready';
CREATE INDEX run_by_n_ranks ON perfhouse.run (n_ranks, run_id) WHERE state = 'ready';
CREATE INDEX run_by_total ON perfhouse.run (total, run_id) WHERE state = 'ready';

-- What a search looks at is spelled as in perfhouse_internal.run_list_condition (definitions), or its index would not serve.
-- A server without the module pg_trgm reads every run to search.
DO $$
DECLARE
    place text;
BEGIN
    IF EXISTS (SELECT FROM pg_catalog.pg_available_extensions WHERE name = 'pg_trgm') THEN
        CREATE EXTENSION IF NOT EXISTS pg_trgm WITH SCHEMA perfhouse_internal;
        SELECT quote_ident(n.nspname) INTO place
        FROM pg_catalog.pg_extension e JOIN pg_catalog.pg_namespace n ON n.oid = e.extnamespace WHERE e.extname = 'pg_trgm';
        EXECUTE format($index$CREATE INDEX run_by_text ON perfhouse.run USING gin (lower(coalesce(title, '') || ' ' ||
            coalesce(application, '') || ' ' || coalesce(commit_id, '') || ' ' || coalesce(source, '')) %s.gin_trgm_ops)$index$, place);
    END IF;
END $$;
