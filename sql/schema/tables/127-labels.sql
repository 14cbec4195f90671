-- 127-labels.sql - what runs say of their regions is stored packed, as the bytes that its id is the hash of.
--
-- A run with one function more than others has a set of its own: a row in place of one a region. The bytes are apart from
-- label_set, which loaders of all projects look into: they name paths.

CREATE TABLE perfhouse.label_data (
    labels_id int8 PRIMARY KEY,
    labels    bytea NOT NULL             -- perfhouse_internal.label_rows unpacks them
);
ALTER TABLE perfhouse.label_data ALTER labels SET COMPRESSION lz4;

INSERT INTO perfhouse.label_data (labels_id, labels)
SELECT s.labels_id, coalesce(string_agg(int8send(l.region_id) || int4send(l.local_id) || int4send(coalesce(l.line, -1))
    || convert_to(coalesce(l.module, ''), 'UTF8') || '\x00'::bytea || convert_to(coalesce(l.raw_file, ''), 'UTF8') || '\x00'::bytea
    || convert_to(coalesce(l.paradigm, ''), 'UTF8') || '\x00'::bytea, ''::bytea ORDER BY l.region_id), ''::bytea)
FROM perfhouse.label_set s LEFT JOIN perfhouse.region_label l USING (labels_id) GROUP BY 1;

-- The view that reads the old table lets go of it; the definitions, which follow in this transaction, have it read the new one.
DO $$
BEGIN
    IF (SELECT c.relkind FROM pg_class c WHERE c.oid = to_regclass('perfhouse.run_region')) = 'v' THEN
        CREATE OR REPLACE VIEW perfhouse.run_region WITH (security_invoker = true) AS
        SELECT o.run_id, o.region_id, o.local_id, o.module, o.raw_file, o.line, o.paradigm FROM perfhouse.run_region_1 o;
    END IF;
END $$;
DROP TABLE perfhouse.region_label;
COMMENT ON COLUMN perfhouse.run.labels_id IS 'what it says of its regions, in label_data; null: in run_region_1, or it has none';
