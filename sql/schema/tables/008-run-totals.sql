-- 008-run-totals.sql - what a run cost as a whole, kept with the run: questions about thousands of runs ask for it.

ALTER TABLE perfhouse.run ADD COLUMN total float8, ADD COLUMN n_hosts int4;
COMMENT ON COLUMN perfhouse.run.total IS 'whole of the primary metric (its roots'' inclusive values), mean over execution units; null: not a metric that adds up';
COMMENT ON COLUMN perfhouse.run.n_hosts IS 'distinct hosts of its execution units; null: the file does not say';

UPDATE perfhouse.run r SET
    total = (SELECT sum(s.inclusive_sum) / nullif(r.n_units, 0)
             FROM perfhouse.profile_summary s JOIN perfhouse.callpath c USING (callpath_id) JOIN perfhouse.metric m USING (metric_id)
             WHERE s.run_id = r.run_id AND s.metric_id = r.metric_ids[1] AND m.kind = 0 AND c.parent_id IS NULL),
    n_hosts = (SELECT nullif(count(DISTINCT l.host), 0) FROM perfhouse.location l WHERE l.run_id = r.run_id)
WHERE r.state = 'ready';
