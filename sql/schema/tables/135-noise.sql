-- 135-noise.sql - at what level call paths lie under a condition, and how far they scatter.

CREATE TABLE perfhouse.noise (
    application text NOT NULL,
    experiment  text NOT NULL,           -- the condition: run_experiment.experiment
    metric_id   int4 NOT NULL,           -- primary metric of the runs
    callpath_id int8 NOT NULL,           -- 0: the whole
    n_runs      int4 NOT NULL,           -- the latest ones that have it
    level       float8 NOT NULL,         -- inclusive, mean over units, in the metric's base unit
    spread      float8 NOT NULL,         -- standard deviation of one run
    autocorrelation float8 NOT NULL,     -- of neighbouring runs
    degrees     float8 NOT NULL,         -- of freedom with which spread is known
    latest_run  int8 NOT NULL,           -- the greatest id of the condition's runs
    PRIMARY KEY (application, experiment, metric_id, callpath_id)
);
COMMENT ON TABLE perfhouse.noise IS
    'Level and noise of the whole and of call paths by application and condition, of the latest runs, as refresh_noise() keeps them. '
    'known_noise(run) reads it.';
