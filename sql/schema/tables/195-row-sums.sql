-- 195-row-sums.sql - how many rows a run has in other tables by run, and a checksum of what stands in their plain columns.

CREATE TABLE perfhouse.row_sum (
    run_id   bigint NOT NULL,
    relation text NOT NULL,
    n_columns smallint NOT NULL, -- later ones had no values then
    n_rows   bigint NOT NULL,
    crc      bigint NOT NULL, -- sum of the rows' CRC-32C
    PRIMARY KEY (run_id, relation)
);
COMMENT ON TABLE perfhouse.row_sum IS
    'Of each run and table by run whose rows nothing else proves: how many rows there are and a checksum of their plain columns, by which '
    'check_run() knows lost and changed ones. Runs that were stored before this table was made have none.';
COMMENT ON COLUMN perfhouse.row_sum.run_id IS 'The run.';
COMMENT ON COLUMN perfhouse.row_sum.relation IS 'Name of the table in schema perfhouse.';
COMMENT ON COLUMN perfhouse.row_sum.n_columns IS 'How many of the table''s first columns the checksum is of: all that it had then.';
COMMENT ON COLUMN perfhouse.row_sum.n_rows IS 'How many rows the run has there.';
COMMENT ON COLUMN perfhouse.row_sum.crc IS
    'Sum of the CRC-32C of the rows, each in binary form without run_id, packed columns (bytea) and times of storing.';
