-- 121-values.sql - values in blocks of 256 nodes and 16,384 columns, as integers, instead of two arrays a node.

ALTER TABLE perfhouse.profile_values RENAME TO profile_values_1;
ALTER TABLE perfhouse.profile_values_1 RENAME CONSTRAINT profile_values_pkey TO profile_values_1_pkey;

CREATE TABLE perfhouse.value_block (
    run_id    int8 NOT NULL,
    metric_id int4 NOT NULL,
    stripe    int4 NOT NULL,             -- columns [stripe * 16384, stripe * 16384 + 16384)
    block     int4 NOT NULL,             -- nodes [block * 256, block * 256 + 256) of the tree in pre-order
    bytes     bytea NOT NULL,            -- core/stored/value_block
    PRIMARY KEY (run_id, metric_id, stripe, block)
);
ALTER TABLE perfhouse.value_block ALTER bytes SET STORAGE EXTERNAL;

ALTER TABLE perfhouse.run ADD COLUMN storage int2; -- without a default: functions use the row type of run
COMMENT ON COLUMN perfhouse.run.storage IS 'how its values are stored: 2 in value_block; null or 1 in profile_values_1';
