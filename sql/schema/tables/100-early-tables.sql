-- 100-early-tables.sql - what tables lack that were made while steps 002 to 009 were still being written.
--
-- Steps are applied once and their texts do not change any more; a later change of tables is a new step from 100 on.

DO $$
DECLARE
    level text := pg_catalog.current_setting('client_min_messages');
BEGIN
    IF NOT EXISTS (SELECT FROM pg_catalog.pg_attribute
                   WHERE attrelid = 'perfhouse.metric'::regclass AND attname = 'is_signed' AND NOT attisdropped) THEN
        RAISE EXCEPTION 'the warehouse is of a perfhouse that is too old to be upgraded: its profiles are stored in another way'
            USING HINT = 'Make a new database, run perfhouse init there and load the files again; perfhouse.run says which they were (column source).';
    END IF;
    -- phases were rows before they were arrays; logical time follows from the events: assign_logical_steps(run)
    IF pg_catalog.to_regclass('perfhouse.phase') IS NOT NULL THEN
        DROP TABLE perfhouse.phase;
        DELETE FROM perfhouse.logical_chunk;
        DELETE FROM perfhouse.logical;
    END IF;

    PERFORM pg_catalog.set_config('client_min_messages', 'warning', true); -- IF NOT EXISTS tells what exists
    ALTER TABLE perfhouse.profile_tree ALTER tree SET COMPRESSION lz4;
    ALTER TABLE perfhouse.run_region ADD COLUMN IF NOT EXISTS paradigm text;
    ALTER TABLE perfhouse.trace_chunk SET (parallel_workers = 8);

    -- As in 004 and 009.
    CREATE TABLE IF NOT EXISTS perfhouse.phase_chunk (
        run_id        int8 NOT NULL,
        first_phase   int4 NOT NULL,
        first_step    int4[] NOT NULL,
        last_step     int4[] NOT NULL,
        n_events      int4[] NOT NULL,
        n_locations   int4[] NOT NULL,
        leap          int4[] NOT NULL,
        max_lateness  int8[] NOT NULL,
        t_first       int8[] NOT NULL,
        t_last        int8[] NOT NULL,
        pattern       text[] NOT NULL,
        merge_reason  text[] NOT NULL,
        merge_reasons text[] NOT NULL,
        regions       text[] NOT NULL,
        followed_by   text[] NOT NULL,
        PRIMARY KEY (run_id, first_phase)
    );
    CREATE TABLE IF NOT EXISTS perfhouse.logical_timeline (
        run_id      int8 NOT NULL,
        location_id int4 NOT NULL,
        name        text NOT NULL,
        is_runtime  boolean NOT NULL,
        chare_id    int4,
        first_location int4 NOT NULL,
        PRIMARY KEY (run_id, location_id)
    );
    ALTER TABLE perfhouse.logical_chunk ADD COLUMN IF NOT EXISTS tasks bytea;
    ALTER TABLE perfhouse.logical_chunk ALTER tasks SET STORAGE EXTERNAL;
    ALTER TABLE perfhouse.phase_chunk
        ADD COLUMN IF NOT EXISTS is_runtime boolean[], ADD COLUMN IF NOT EXISTS imbalance int8[],
        ADD COLUMN IF NOT EXISTS max_idle int8[], ADD COLUMN IF NOT EXISTS max_duration int8[];
    ALTER TABLE perfhouse.phase_chunk
        ALTER first_step SET COMPRESSION lz4, ALTER last_step SET COMPRESSION lz4, ALTER n_events SET COMPRESSION lz4,
        ALTER n_locations SET COMPRESSION lz4, ALTER leap SET COMPRESSION lz4, ALTER max_lateness SET COMPRESSION lz4,
        ALTER t_first SET COMPRESSION lz4, ALTER t_last SET COMPRESSION lz4, ALTER pattern SET COMPRESSION lz4,
        ALTER merge_reason SET COMPRESSION lz4, ALTER merge_reasons SET COMPRESSION lz4,
        ALTER regions SET COMPRESSION lz4, ALTER followed_by SET COMPRESSION lz4, ALTER is_runtime SET COMPRESSION lz4,
        ALTER imbalance SET COMPRESSION lz4, ALTER max_idle SET COMPRESSION lz4, ALTER max_duration SET COMPRESSION lz4;
    PERFORM pg_catalog.set_config('client_min_messages', level, true);
END $$;
