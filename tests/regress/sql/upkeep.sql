-- upkeep.sql - version, check_run, drop_run, settings, interruption, parallel workers.
SELECT perfhouse_version() = extversion AS matches FROM pg_extension WHERE extname = 'perfhouse';
SELECT perfhouse_build() ~ '^[0-9a-f]{32}$' AS is_checksum;
SELECT * FROM check_run(1);
SELECT * FROM check_run(3);
SELECT * FROM public.fails($$SELECT * FROM check_run(12345)$$);
-- what locations cost but for some functions, of values in blocks and in rows
SELECT * FROM perfhouse_internal.column_sums(1, 'time', '{MPI_,PMPI_}');
SELECT * FROM perfhouse_internal.column_sums(2, 'time', '{}');
SELECT * FROM perfhouse_internal.column_sums(1, 'time', '{main,foo.c,foo,bar,MPI}');
SELECT * FROM perfhouse_internal.column_sums(1, 'time', '{m,f,b,M,l}');
SELECT * FROM perfhouse_internal.column_sums(1, 'calls', '{MPI_}');
SELECT * FROM public.fails($$SELECT * FROM perfhouse_internal.column_sums(1, 'nothing', '{}')$$);
BEGIN;
SELECT public.as_old_release(1);
SELECT * FROM perfhouse_internal.column_sums(1, 'time', '{MPI_,PMPI_}');
SELECT * FROM perfhouse_internal.column_sums(1, 'time', '{main,foo.c,foo,bar,MPI}');
ROLLBACK;
-- a run's metrics are looked up, however many others have: no table is read from its beginning to its end
BEGIN;
INSERT INTO perfhouse.metric (name, unit) SELECT 'planted ' || i, 'count' FROM generate_series(1, 3000) i;
ANALYZE perfhouse.metric;
SELECT coalesce(sum(seq_tup_read), 0) AS before FROM pg_stat_xact_user_tables WHERE relid = 'perfhouse.metric'::regclass \gset
SELECT count(*) > 0 AS is_read FROM nodes(profile(1));
SELECT sum(seq_tup_read) - :before AS metrics_read_besides FROM pg_stat_xact_user_tables WHERE relid = 'perfhouse.metric'::regclass;
ROLLBACK;
-- every check can fail
BEGIN;
SELECT public.as_old_release(1);
UPDATE perfhouse.run SET n_nodes = 99, n_columns = 7, metrics = '{time,cycles}' WHERE run_id = 1;
UPDATE perfhouse.profile_summary_1 SET inclusive_sum = inclusive_sum + 1 WHERE run_id = 1 AND exclusive_sum > 5;
UPDATE perfhouse.profile_values_1 SET inclusive = '{1,NaN}', exclusive = '{1,1}' WHERE run_id = 1 AND inclusive[2] = 7;
DELETE FROM perfhouse.region WHERE name = 'of bar';
SELECT check_name, ok, regexp_replace(detail, '-?\d{6,}', 'ID') AS detail FROM check_run(1);
ROLLBACK;
BEGIN;
UPDATE perfhouse.call_tree SET tree = 'not a tree' WHERE tree_id = (SELECT tree_id FROM perfhouse.run WHERE run_id = 1);
DELETE FROM perfhouse.value_block WHERE run_id = 1;
DELETE FROM perfhouse.location WHERE run_id = 1 AND location_id = 0;
SELECT check_name, ok, detail IS NOT NULL AS explained FROM check_run(1) WHERE check_name IN ('tree', 'vectors', 'locations');
ROLLBACK;
BEGIN;
UPDATE perfhouse.value_block SET bytes = set_byte(bytes, length(bytes) - 1, 255 - get_byte(bytes, length(bytes) - 1)) WHERE run_id = 1;
SELECT check_name, detail FROM check_run(1) WHERE NOT ok;
ROLLBACK;
BEGIN;
UPDATE perfhouse.value_block SET stripe = 1 WHERE run_id = 1;
SELECT check_name, detail FROM check_run(1) WHERE check_name = 'vectors';
UPDATE perfhouse.value_block SET stripe = 0, block = 3 WHERE run_id = 1;
SELECT check_name, detail FROM check_run(1) WHERE check_name = 'vectors';
ROLLBACK;
-- summaries of another tree or metric, and damaged ones, which nothing reads either
BEGIN;
UPDATE perfhouse.summary_block SET block = 1 WHERE run_id = 1;
SELECT check_name, detail FROM check_run(1) WHERE NOT ok;
SELECT code, message FROM public.fails('SELECT count(*) FROM profile_summary WHERE run_id = 1');
UPDATE perfhouse.summary_block SET block = 0, bytes = (SELECT bytes FROM perfhouse.summary_block WHERE run_id = 2 LIMIT 1) WHERE run_id = 1;
SELECT check_name, detail FROM check_run(1) WHERE NOT ok;
SELECT code, message FROM public.fails('SELECT count(*) FROM profile_summary WHERE run_id = 1');
SELECT code, message FROM public.fails($$SELECT count(*) FROM nodes(perfhouse_internal.mean_profile(1, '{time}'))$$);
UPDATE perfhouse.summary_block SET bytes = set_byte(bytes, length(bytes) - 1, 255 - get_byte(bytes, length(bytes) - 1)) WHERE run_id = 1;
SELECT check_name, detail FROM check_run(1) WHERE NOT ok;
SELECT code, message FROM public.fails('SELECT count(*) FROM profile_summary WHERE run_id = 1');
SELECT code, message FROM public.fails('SELECT roll_up_run(1)');
ROLLBACK;
BEGIN;
UPDATE perfhouse.summary_block SET metric_id = -7 WHERE run_id = 1 AND metric_id = (SELECT metric_ids[1] FROM perfhouse.run WHERE run_id = 1);
SELECT check_name, detail FROM check_run(1) WHERE NOT ok;
ROLLBACK;
-- packed and unpacked, whole and in part
BEGIN;
CREATE TEMP TABLE packed AS SELECT * FROM profile_summary WHERE run_id IN (1, 2);
CREATE TEMP TABLE asked AS SELECT array_agg(run_id) AS runs, array_agg(metric_id) AS metric_ids,
	(SELECT array_agg(callpath_id) FROM packed WHERE run_id = 1 AND n = 1) AS wanted FROM (SELECT run_id, unnest(metric_ids) AS metric_id FROM run WHERE run_id IN (1, 2)) r;
CREATE TEMP TABLE sums AS SELECT s.* FROM asked a, perfhouse_internal.run_sums(a.runs, a.metric_ids) s;
CREATE TEMP TABLE part AS SELECT s.* FROM asked a, perfhouse_internal.run_sums(a.runs, a.metric_ids, a.wanted) s;
SELECT public.summaries_as_rows(1), public.summaries_as_rows(2);
SELECT (SELECT count(*) FROM packed) AS n, (SELECT count(*) FROM (SELECT * FROM packed EXCEPT SELECT * FROM profile_summary WHERE run_id IN (1, 2)) d) AS differ,
	(SELECT count(*) FROM sums) AS n_sums, (SELECT count(*) FROM (SELECT * FROM sums EXCEPT SELECT s.* FROM asked a, perfhouse_internal.run_sums(a.runs, a.metric_ids) s) d) AS differ,
	(SELECT count(*) FROM (SELECT run_id, callpath_id, metric_id, n, inclusive_sum, exclusive_sum FROM packed EXCEPT
		SELECT run_id, callpath_id, metric_id, n, inclusive_sum, exclusive_sum FROM sums) d) AS lacking,
	(SELECT count(*) FROM part) AS n_part, (SELECT count(*) FROM (SELECT s.* FROM sums s, asked a WHERE s.callpath_id = ANY (a.wanted) EXCEPT SELECT * FROM part) d) AS differ,
	(SELECT count(*) FROM (SELECT * FROM part EXCEPT SELECT s.* FROM asked a, perfhouse_internal.run_sums(a.runs, a.metric_ids, a.wanted) s) d) AS differ;
UPDATE perfhouse.profile_summary_1 SET inclusive_sumsq = NULL WHERE run_id = 1;
SELECT code, message FROM public.fails('SELECT * FROM perfhouse_internal.summary_blocks(1)');
UPDATE perfhouse.profile_summary_1 SET callpath_id = -callpath_id WHERE run_id = 2;
SELECT code, message FROM public.fails('SELECT * FROM perfhouse_internal.summary_blocks(2)');
SELECT count(*) FROM perfhouse_internal.summary_blocks(12345);
SELECT perfhouse_internal.callpath_blocks('{5,7,9}', '{9,5}'), perfhouse_internal.callpath_blocks('{5,7,9}', '{8}'), perfhouse_internal.callpath_blocks('{5,7,9}', NULL),
	perfhouse_internal.callpath_blocks((SELECT array_agg(i::bigint) FROM generate_series(1, 1000) i), '{1000,300}'), perfhouse_internal.callpath_blocks(NULL, '{1}');
SELECT code, message FROM public.fails($$SELECT perfhouse_internal.callpath_blocks('{5,null}', '{8}')$$);
SELECT count(*) FROM perfhouse_internal.summary_rows(NULL, '{1}', 0);
ROLLBACK;
-- a cell that is not exclusive + children, also where the vectors and summaries agree
BEGIN;
SELECT public.as_old_release(1);
UPDATE perfhouse.profile_values_1 SET exclusive[1] = exclusive[1] + 1 WHERE run_id = 1 AND exclusive[1] > 0;
UPDATE perfhouse.profile_summary_1 SET exclusive_sum = exclusive_sum + 1
	WHERE (run_id, callpath_id, metric_id) IN (SELECT run_id, callpath_id, metric_id FROM perfhouse.profile_values WHERE run_id = 1 AND exclusive[1] > 1);
SELECT check_name, regexp_replace(detail, '-?\d{6,}', 'ID') AS detail FROM check_run(1) WHERE NOT ok;
ROLLBACK;
-- a residual that the run row does not count
BEGIN;
SELECT public.as_old_release(1);
UPDATE perfhouse.profile_values_1 v SET inclusive[1] = 0, exclusive[1] = 0 FROM perfhouse.callpath c
	WHERE v.run_id = 1 AND c.callpath_id = v.callpath_id AND c.parent_id IS NULL;
SELECT check_name, regexp_replace(detail, '-?\d{6,}', 'ID') AS detail FROM check_run(1) WHERE check_name = 'additivity';
UPDATE perfhouse.run SET residual_cells = 2 WHERE run_id = 1;
SELECT check_name, regexp_replace(detail, '-?\d{6,}', 'ID') AS detail FROM check_run(1) WHERE check_name = 'additivity';
ROLLBACK;
-- a drop takes everything along, also from a table that was added later, and only in its transaction
SELECT '{location,value_block,summary_block,region_summary}'::regclass[] <@ array_agg(t) AS all_there FROM tables_by_run() t;
CREATE FUNCTION public.rows_of(run bigint) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
	n bigint;
BEGIN
	EXECUTE (SELECT 'SELECT ' || string_agg(format('(SELECT count(*) FROM %s WHERE run_id = $1)', t), ' + ') FROM perfhouse.tables_by_run() t)
		INTO n USING run;
	RETURN n;
END $$;
BEGIN;
CREATE TABLE perfhouse.later (run_id bigint, part int, PRIMARY KEY (run_id, part));
CREATE TABLE perfhouse.about_runs (id int PRIMARY KEY, run_id bigint);
INSERT INTO perfhouse.later VALUES (1, 1), (2, 1), (2, 2);
INSERT INTO perfhouse.about_runs VALUES (1, 2);
SELECT public.rows_of(1) AS rows_1, public.rows_of(2) AS rows_2 \gset
SELECT drop_run(2), drop_run(2);
SELECT :rows_2 > 2 AS some, public.rows_of(2) AS left_over, public.rows_of(1) = :rows_1 AS others_stay, (SELECT count(*) FROM perfhouse.later) AS later, (SELECT count(*) FROM perfhouse.about_runs) AS about_runs;
SELECT count(*) AS left_behind FROM rows_without_run();
ROLLBACK;
SELECT caption(profile(2));
-- a plain DELETE leaves rows behind, which are found and removed; those of other runs stay
BEGIN;
SELECT public.rows_of(1) + public.rows_of(3) AS before \gset
DELETE FROM perfhouse.run WHERE run_id = 2;
INSERT INTO perfhouse.location (run_id, location_id) VALUES (777, 0), (-5, 0);
SELECT * FROM rows_without_run() ORDER BY 1, 2;
SELECT count(*) AS removed FROM rows_without_run(true);
SELECT count(*) AS left_behind FROM rows_without_run();
SELECT public.rows_of(2) AS rows_2, public.rows_of(1) + public.rows_of(3) = :before AS others_stay;
ROLLBACK;
-- whoever does not see every run is not told that the others' rows belong to none
BEGIN;
CREATE ROLE regress_perfhouse_partial;
GRANT USAGE ON SCHEMA perfhouse TO regress_perfhouse_partial;
GRANT SELECT, DELETE ON ALL TABLES IN SCHEMA perfhouse TO regress_perfhouse_partial;
GRANT EXECUTE ON FUNCTION rows_without_run(boolean), perfhouse_internal.is_by_run(oid) TO regress_perfhouse_partial;
GRANT USAGE ON SCHEMA perfhouse_internal TO regress_perfhouse_partial;
SET LOCAL ROLE regress_perfhouse_partial;
SELECT count(*) AS left_behind FROM rows_without_run(true);
RESET ROLE;
ALTER TABLE perfhouse.run ENABLE ROW LEVEL SECURITY;
CREATE POLICY nothing ON perfhouse.run USING (false);
SET LOCAL ROLE regress_perfhouse_partial;
SELECT count(*) AS seen FROM perfhouse.run;
SELECT count(*) AS left_behind FROM rows_without_run(true);
ROLLBACK;
DROP FUNCTION public.rows_of(bigint);
-- who may not read or delete is told so
CREATE ROLE regress_perfhouse_nobody;
SET ROLE regress_perfhouse_nobody;
SELECT perfhouse.profile(1);
RESET ROLE;
GRANT USAGE ON SCHEMA perfhouse TO regress_perfhouse_nobody;
SET ROLE regress_perfhouse_nobody;
SELECT perfhouse.profile(1);
SELECT perfhouse.drop_run(1);
RESET ROLE;
REVOKE USAGE ON SCHEMA perfhouse FROM regress_perfhouse_nobody;
DROP ROLE regress_perfhouse_nobody;
-- the memory limit is an error, not a crash
SET perfhouse.memory_limit = '1MB';
SELECT code, hint FROM public.fails($$SELECT caption(sum(p)) FROM (SELECT hatchet_literal(jsonb_agg(jsonb_build_object('frame', jsonb_build_object('name', 'f' || i),
	'metrics', jsonb_build_object('time', i)))) AS p FROM generate_series(1, 20000) i) s$$);
SELECT code, message FROM public.fails($$SELECT ensemble(p, k::text) FROM (SELECT hatchet_literal(jsonb_agg(
	jsonb_build_object('frame', jsonb_build_object('name', 'f' || i), 'metrics', jsonb_build_object('time', i)))) AS p FROM generate_series(1, 60) i) s, generate_series(1, 3000) k$$);
-- and is no limit to how many profiles are added up
SELECT sum(n.inclusive) AS sum FROM (SELECT sum(p) AS p FROM (SELECT hatchet_literal(jsonb_agg(
	jsonb_build_object('frame', jsonb_build_object('name', 'f' || i), 'metrics', jsonb_build_object('time', i)))) AS p FROM generate_series(1, 60) i) s, generate_series(1, 1000)) m, nodes(m.p) n;
SET ROLE pg_read_all_data;
SELECT code FROM public.fails($$SET perfhouse.memory_limit = '8GB'$$);
RESET ROLE;
RESET perfhouse.memory_limit;
SET perfhouse.unknown = 1;
-- a timeout interrupts the work
CREATE TABLE public.wide AS SELECT hatchet_literal(jsonb_agg(jsonb_build_object('frame', jsonb_build_object('name', 'f' || i, 'module', 'm' || i % 100),
	'metrics', jsonb_build_object('time', i)))) AS p FROM generate_series(1, 20000) i;
SET statement_timeout = '200ms';
SELECT count(*) FROM public.wide, generate_series(1, 1000) i, LATERAL nodes(p * i) n;
RESET statement_timeout;
SELECT count(*) FROM public.wide, nodes(p);
DROP TABLE public.wide;
-- errors inside a subtransaction leave nothing behind
DO $$
BEGIN
	FOR i IN 1..200 LOOP
		BEGIN
			PERFORM supergraph(filter(profile(1), 0.1), 'planet');
		EXCEPTION WHEN invalid_parameter_value THEN NULL;
		END;
	END LOOP;
END $$;
-- parallel workers give what one process gives
CREATE TABLE public.many AS SELECT i, p FROM public.sample, generate_series(1, 40) i;
SELECT md5(string_agg(t, ',' ORDER BY t)) AS serial FROM (SELECT (SELECT sum(inclusive) FROM supernodes(supergraph(filter(p, 0.05))))::text AS t FROM public.many) s \gset
SELECT mean(p)::text AS serial_mean FROM public.many \gset
SELECT sum(inclusive)::text AS serial_runs FROM generate_series(1, 2) r, nodes(profile(r)) \gset
-- its name changed with PostgreSQL 16
SELECT name AS forced_mode FROM pg_settings WHERE name IN ('force_parallel_mode', 'debug_parallel_query') \gset
SET :forced_mode = on;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SELECT md5(string_agg(t, ',' ORDER BY t)) = :'serial' AS same FROM (SELECT (SELECT sum(inclusive) FROM supernodes(supergraph(filter(p, 0.05))))::text AS t FROM public.many) s;
EXPLAIN (COSTS OFF) SELECT mean(p) FROM public.many;
SELECT mean(p)::text = :'serial_mean' AS same FROM public.many;
SELECT sum(inclusive)::text = :'serial_runs' AS same FROM generate_series(1, 2) r, nodes(profile(r));
SELECT ensemble(p, 'x' ORDER BY i)::text = (SELECT ensemble(p, 'x' ORDER BY i)::text FROM public.many WHERE i < 3) AS same FROM public.many WHERE i < 3;
RESET :forced_mode;
RESET parallel_setup_cost;
RESET parallel_tuple_cost;
RESET min_parallel_table_scan_size;
DROP TABLE public.many;

-- a role that was taken for queries of others cannot be left, until the transaction is rolled back
SELECT public.fails('SELECT perfhouse_internal.keep_role()') AS superuser;
BEGIN READ ONLY;
SET LOCAL ROLE perfhouse_reader;
SELECT perfhouse_internal.keep_role();
SAVEPOINT before;
SELECT set_config('role', 'none', true);
ROLLBACK TO before;
SELECT set_config('session_authorization', session_user, true);
ROLLBACK TO before;
SET LOCAL ROLE NONE;
ROLLBACK TO before;
SELECT current_user;
ROLLBACK;
SELECT set_config('role', 'none', false), current_user = session_user AS back;
