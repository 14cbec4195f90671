-- 122-summaries.sql - statistics over units in blocks of 256 nodes, instead of a row a node.

ALTER TABLE perfhouse.profile_summary RENAME TO profile_summary_1;
ALTER TABLE perfhouse.profile_summary_1 RENAME CONSTRAINT profile_summary_pkey TO profile_summary_1_pkey;

CREATE TABLE perfhouse.summary_block (
    run_id    int8 NOT NULL,
    metric_id int4 NOT NULL,
    block     int4 NOT NULL,             -- nodes [block * 256, block * 256 + 256) of the tree in pre-order
    bytes     bytea NOT NULL,            -- core/stored/summary_block
    PRIMARY KEY (run_id, metric_id, block)
);
ALTER TABLE perfhouse.summary_block ALTER bytes SET STORAGE EXTERNAL;

-- History reads a function's rows of many runs, everything else a run's. Of the latter's index equal entries are kept once.
DROP INDEX perfhouse.region_summary_history;
ALTER TABLE perfhouse.region_summary DROP CONSTRAINT region_summary_pkey, ADD PRIMARY KEY (region_id, metric_id, run_id);
CREATE INDEX region_summary_run ON perfhouse.region_summary (run_id, metric_id);
