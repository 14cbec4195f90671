-- 112-units.sql - what the units of metrics mean, so that runs are read in one unit whatever they are stored in.
--
-- Runs are stored with times in seconds; those of 0.1.0 have them in the unit of their source, and are read in seconds.

ALTER TABLE perfhouse.metric
    ADD COLUMN dimension text GENERATED ALWAYS AS (perfhouse_internal.unit_dimension(unit)) STORED,
    ADD COLUMN factor float8 GENERATED ALWAYS AS (coalesce(perfhouse_internal.unit_factor(unit, NULL), 1)) STORED;
COMMENT ON COLUMN perfhouse.metric.unit IS 'unit of the values as they are stored; metric_overview has the one that they are read in';
COMMENT ON COLUMN perfhouse.metric.dimension IS 'what the unit is one of: time, data, count, frequency, energy, power; null: not known';
COMMENT ON COLUMN perfhouse.metric.factor IS 'base units of the dimension (s, bytes, count, Hz, J, W) in one unit; 1 when it is not known';

-- What is kept of a run and of a regression beside its values is what their readers show.
UPDATE perfhouse.run r SET total = r.total * m.factor
FROM perfhouse.metric m WHERE m.metric_id = r.metric_ids[1] AND m.dimension = 'time' AND m.factor <> 1 AND r.total IS NOT NULL;

UPDATE perfhouse.regression r SET mean_before = r.mean_before * m.factor, mean_after = r.mean_after * m.factor,
    own_change = r.own_change * m.factor, total_change = r.total_change * m.factor
FROM perfhouse.metric m WHERE m.metric_id = r.metric_id AND m.dimension = 'time' AND m.factor <> 1;
