-- distributed.sql - rules of the catalog for a database that spreads tables by run_id over nodes and copies the others.
-- What breaks one must be listed with its reason, and what is listed must break it.
CREATE TEMPORARY VIEW by_run AS SELECT t AS oid FROM perfhouse.tables_by_run() t;
CREATE TEMPORARY VIEW broken_rule AS
-- a table with a run_id is spread when its primary key begins with it: others would stay on one node
SELECT 'has run_id, is not by run' AS rule, c.oid::regclass::text AS object
FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'run_id' AND NOT a.attisdropped
WHERE c.relnamespace = 'perfhouse'::regnamespace AND c.relkind IN ('r', 'p') AND c.oid NOT IN (SELECT oid FROM by_run)
UNION ALL
SELECT 'unique without run_id', i.indexrelid::regclass::text FROM pg_index i JOIN by_run b ON b.oid = i.indrelid
WHERE (i.indisunique OR i.indisexclusion) AND NOT EXISTS (SELECT FROM pg_attribute a
    WHERE a.attrelid = i.indrelid AND a.attname = 'run_id' AND a.attnum = ANY (i.indkey::int2[]))
UNION ALL
SELECT 'foreign key from or to a table by run', format('%s %s', c.conrelid::regclass, c.conname) FROM pg_constraint c
WHERE c.contype = 'f' AND (c.conrelid IN (SELECT oid FROM by_run) OR c.confrelid IN (SELECT oid FROM by_run))
UNION ALL
SELECT 'trigger', format('%s %s', t.tgrelid::regclass, t.tgname) FROM pg_trigger t
WHERE t.tgrelid IN (SELECT oid FROM by_run) AND NOT t.tgisinternal
UNION ALL
SELECT 'rule', format('%s %s', r.ev_class::regclass, r.rulename) FROM pg_rewrite r WHERE r.ev_class IN (SELECT oid FROM by_run)
UNION ALL
SELECT 'security of rows, unlogged or inherited', c.oid::regclass::text FROM pg_class c JOIN by_run USING (oid)
WHERE c.relrowsecurity OR c.relpersistence <> 'p' OR c.relhassubclass AND c.relkind = 'r'
UNION ALL
-- numbers of a node's own
SELECT 'identity, sequence or generated column', format('%s.%s', a.attrelid::regclass, a.attname)
FROM pg_attribute a LEFT JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
WHERE a.attrelid IN (SELECT oid FROM by_run)
    AND (a.attidentity <> '' OR a.attgenerated <> '' OR pg_get_expr(d.adbin, d.adrelid) LIKE '%nextval%')
UNION ALL
-- equal hashes put the rows of a run on one node
SELECT 'run_id is not int8 NOT NULL', a.attrelid::regclass::text FROM pg_attribute a
WHERE a.attrelid IN (SELECT oid FROM by_run) AND a.attname = 'run_id' AND (a.atttypid <> 'int8'::regtype OR NOT a.attnotnull)
UNION ALL
-- nodes have ranges of 64-bit sequences
SELECT 'identity of fewer than 64 bits', format('%s.%s', c.oid::regclass, a.attname)
FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
WHERE c.relnamespace = 'perfhouse'::regnamespace AND c.relkind = 'r' AND a.attidentity <> '' AND a.atttypid <> 'int8'::regtype
UNION ALL
-- a node that joins gets copies by logical replication
SELECT 'rows have no identity', c.oid::regclass::text FROM pg_class c
WHERE c.relnamespace = 'perfhouse'::regnamespace AND c.relkind IN ('r', 'p') AND c.relreplident <> 'f'
    AND NOT EXISTS (SELECT FROM pg_index i WHERE i.indrelid = c.oid AND (i.indisprimary OR i.indisreplident))
UNION ALL
-- each node aggregates its rows, one combines
SELECT 'aggregate of stored bytes cannot be combined', p.oid::regprocedure::text FROM pg_proc p JOIN pg_aggregate a ON a.aggfnoid = p.oid
WHERE p.pronamespace IN ('perfhouse'::regnamespace, 'perfhouse_internal'::regnamespace)
    AND p.proargtypes::oid[] @> ARRAY['bytea'::regtype::oid]
    AND (a.aggtranstype <> 'bytea'::regtype OR a.aggcombinefn = 0 OR p.proparallel <> 's')
UNION ALL
-- the planner of shards needs to know the run
SELECT 'function with generic plans', p.proname FROM pg_proc p
WHERE p.pronamespace IN ('perfhouse'::regnamespace, 'perfhouse_internal'::regnamespace)
    AND array_to_string(p.proconfig, ',') LIKE '%plan_cache_mode=force_generic_plan%';
CREATE TEMPORARY TABLE exception (rule text, object text, reason text NOT NULL, PRIMARY KEY (rule, object));
INSERT INTO exception VALUES
    ('has run_id, is not by run', 'run', 'copied to every node: what is asked of runs is asked of all'),
    ('has run_id, is not by run', 'load_log', 'local: a diary of the loads, nothing is joined with it'),
    ('has run_id, is not by run', 'regression', 'local: run_id is where a finding begins, not whose row it is'),
    ('has run_id, is not by run', 'run_change', 'local: what people set outlives the rows that loading the run again replaces'),
    ('identity of fewer than 64 bits', 'metric.metric_id', 'copied to every node and numbered on one; a few hundred rows'),
    ('function with generic plans', 'history', 'planning takes longer than the answer on one node; ALTER FUNCTION ... RESET for many'),
    ('function with generic plans', 'history_runs', 'as history'),
    ('function with generic plans', 'intern_callpaths', 'reads and writes the dictionary, which every node has'),
    ('function with generic plans', 'intern_regions', 'as intern_callpaths'),
    ('function with generic plans', 'months_asked', 'reads run and run_month, which every node has'),
    ('function with generic plans', 'region_costs', 'as history; calls region_sums for what is spread'),
    ('function with generic plans', 'region_series', 'as history'),
    ('function with generic plans', 'region_sums', 'as history'),
    ('function with generic plans', 'run_sums', 'as history'),
    ('function with generic plans', 'series_of_conditions', 'as history'),
    ('function with generic plans', 'series_places', 'as history');
SELECT rule, object FROM broken_rule EXCEPT SELECT rule, object FROM exception ORDER BY 1, 2;
SELECT rule, object AS is_none FROM exception EXCEPT SELECT rule, object FROM broken_rule ORDER BY 1, 2;
-- each rule notices what breaks it
BEGIN;
CREATE TABLE perfhouse.spoilt (run_id int8, part_id int4 GENERATED ALWAYS AS IDENTITY, metric_id int4 REFERENCES perfhouse.metric,
    whole int8 UNIQUE, PRIMARY KEY (run_id, part_id));
CREATE UNLOGGED TABLE perfhouse.spoilt_type (run_id int4, PRIMARY KEY (run_id));
CREATE TABLE perfhouse.spoilt_row (whole int8 UNIQUE);
CREATE TABLE perfhouse.spoilt_key (part_id int8 PRIMARY KEY, run_id int8);
CREATE FUNCTION perfhouse.spoil() RETURNS trigger LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan AS $$ BEGIN RETURN NEW; END $$;
CREATE TRIGGER spoil BEFORE INSERT ON perfhouse.spoilt FOR EACH ROW EXECUTE FUNCTION perfhouse.spoil();
CREATE RULE spoil AS ON DELETE TO perfhouse.spoilt DO INSTEAD NOTHING;
CREATE AGGREGATE perfhouse.spoilt_sum(bytea) (SFUNC = byteacat, STYPE = bytea);
SELECT rule, object FROM broken_rule EXCEPT SELECT rule, object FROM exception ORDER BY 1, 2;
ROLLBACK;
