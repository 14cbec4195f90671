-- 114-months.sql - what functions cost in the runs of a month, for questions about many runs.
--
-- Runs follow time, so that a few pages tell of a month: a BRIN index finds it as fast as a tree does, in 24 kB instead
-- of 2.3 MB for 10^5 runs, and costs a load nothing.
CREATE INDEX run_by_measured_at ON perfhouse.run USING brin ((coalesce(started_at, loaded_at)))
    WITH (pages_per_range = 32, autosummarize = true);

-- Which runs were rolled up, and what they said of themselves then: perfhouse.month_run (definitions) says what they say now.
-- A month whose runs have changed is read from region_summary until refresh_months() has come by.
CREATE TABLE perfhouse.run_month (
    application text NOT NULL,           -- '': runs without one
    month       date NOT NULL,           -- its first day, UTC
    n_runs      int4 NOT NULL,
    last_run    int8 NOT NULL,           -- runs with a higher number came later
    mark        int8 NOT NULL,           -- exclusive or of the runs' marks
    refreshed_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (application, month)
);
COMMENT ON TABLE perfhouse.run_month IS 'Months of applications whose runs are rolled up in region_month.';

CREATE TABLE perfhouse.region_month (
    application text NOT NULL,
    month       date NOT NULL,
    region_id   int8 NOT NULL,
    metric_id   int4 NOT NULL,           -- the primary one of the runs; values are in its unit
    is_excluded boolean NOT NULL,        -- of the runs that are, or of the others
    n_runs      int4 NOT NULL,           -- runs that have the region
    exclusive   float8 NOT NULL,         -- sum of region_summary.exclusive
    unit_exclusive float8,               -- the same, each times the run's processes or threads; null: no run says them
    host_excess float8 NOT NULL,         -- sum of what the slowest unit took longer than the mean, each times the run's hosts
    runs        int4[],                  -- which of the month's runs, in order of run_id, from 0; null: all
    "values"    float8[] NOT NULL,       -- region_summary.exclusive of these runs
    PRIMARY KEY (application, month, region_id, metric_id, is_excluded)
);
ALTER TABLE perfhouse.region_month ALTER "values" SET COMPRESSION lz4, ALTER runs SET COMPRESSION lz4;
COMMENT ON TABLE perfhouse.region_month IS
    'What regions cost in the runs of an application and month, by their primary metric. Read it by function_costs(), which '
    'knows what has changed since.';
