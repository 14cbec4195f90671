-- 105-completeness.sql - whether the files of a run were all that their writer wrote.
--
-- Columns come without a default first: functions of run's row type refuse a column that has to be filled at once.

ALTER TABLE perfhouse.run ADD COLUMN completeness text, ADD COLUMN missing text[];
ALTER TABLE perfhouse.run ALTER completeness SET DEFAULT 'unknown', ALTER missing SET DEFAULT '{}';
UPDATE perfhouse.run SET completeness = 'unknown', missing = '{}';
ALTER TABLE perfhouse.run ALTER completeness SET NOT NULL, ALTER missing SET NOT NULL,
    ADD CONSTRAINT run_completeness CHECK (completeness IN ('complete', 'incomplete', 'unknown'));
COMMENT ON COLUMN perfhouse.run.completeness IS
    'the input proved whole (complete), lacks something (incomplete), or its format has no proof (unknown)';
COMMENT ON COLUMN perfhouse.run.missing IS 'what an incomplete input lacks, a sentence each';
