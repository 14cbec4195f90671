-- export-otf2-steps.sql - logical time of a run's communication events; $1: run.
SELECT location, region, enter, leave, phase, step, lateness, differential_lateness FROM perfhouse.logical_steps($1::bigint);
