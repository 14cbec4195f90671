# Warehouses of older builds and of releases: refused by every command, brought up to date by init and up.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Perfhouse;
use Test::More;

my $w = Perfhouse->empty;
my ($base) = $w->ok_run('a server', 'up')->{out} =~ /(host='[^']*' port=\d+)/;
my $source = "$Perfhouse::data/lulesh-history";
my $root   = "$FindBin::Bin/../..";

sub db { return "$base dbname=$_[0] user=perfhouse" }

# One value from another database.
sub ask
{
	my ($name, $query) = @_;
	my $r = $w->run('psql', '--db', db($name), '--', '-XAtqv', 'ON_ERROR_STOP=1', '-c', $query);
	chomp(my $out = $r->{out});
	return $r->{code} == 0 ? $out : "error: $r->{err}";
}

my $other_build = q{CREATE OR REPLACE FUNCTION perfhouse.perfhouse_build() RETURNS text LANGUAGE sql IMMUTABLE AS $$ SELECT '00000000000000000000000000000000'::text $$};

# Everything that a fresh warehouse and an upgraded one must have alike, a line an object.
my $catalogs = <<'SQL';
WITH ours AS (SELECT oid, nspname FROM pg_namespace WHERE nspname LIKE 'perfhouse%'),
	rights AS (SELECT c.oid, 'pg_class'::regclass AS class, c.relacl AS acl FROM pg_class c WHERE c.relnamespace IN (SELECT oid FROM ours)
		UNION ALL SELECT p.oid, 'pg_proc'::regclass, p.proacl FROM pg_proc p WHERE p.pronamespace IN (SELECT oid FROM ours)
		UNION ALL SELECT n.oid, 'pg_namespace'::regclass, n.nspacl FROM pg_namespace n WHERE n.oid IN (SELECT oid FROM ours)),
	member AS (SELECT d.classid, d.objid FROM pg_depend d JOIN pg_extension e ON d.refclassid = 'pg_extension'::regclass AND d.refobjid = e.oid
		WHERE e.extname = 'perfhouse' AND d.deptype = 'e')
SELECT line FROM (
	SELECT 'function ' || concat_ws(' | ', p.oid::regprocedure, p.prokind, pg_get_function_arguments(p.oid), pg_get_function_result(p.oid), p.provolatile, p.proparallel, p.proisstrict,
		p.proconfig, p.procost, p.prorows, p.prosupport, p.probin, md5(p.prosrc), a.aggtransfn, a.aggfinalfn, a.aggcombinefn, a.aggserialfn, a.aggdeserialfn, a.aggtranstype::regtype) AS line
	FROM pg_proc p LEFT JOIN pg_aggregate a ON a.aggfnoid = p.oid WHERE p.pronamespace IN (SELECT oid FROM ours) AND p.proname <> 'may_see'
	UNION ALL SELECT 'relation ' || concat_ws(' | ', c.oid::regclass, c.relkind, c.reloptions, md5(pg_get_viewdef(c.oid))) FROM pg_class c WHERE c.relnamespace IN (SELECT oid FROM ours) AND c.relkind IN ('r', 'v', 'i', 'S')
	UNION ALL SELECT 'column ' || concat_ws(' | ', t.attrelid::regclass, t.attname, format_type(t.atttypid, t.atttypmod), t.attnotnull, t.attstorage, t.attcompression, pg_get_expr(d.adbin, d.adrelid))
	FROM pg_attribute t JOIN pg_class c ON c.oid = t.attrelid LEFT JOIN pg_attrdef d ON d.adrelid = c.oid AND d.adnum = t.attnum
	WHERE c.relnamespace IN (SELECT oid FROM ours) AND c.relkind IN ('r', 'v') AND t.attnum > 0 AND NOT t.attisdropped
	UNION ALL SELECT 'constraint ' || concat_ws(' | ', conrelid::regclass, conname, pg_get_constraintdef(oid)) FROM pg_constraint WHERE connamespace IN (SELECT oid FROM ours)
	UNION ALL SELECT 'type ' || concat_ws(' | ', t.oid::regtype, t.typinput, t.typoutput, t.typreceive, t.typsend, t.typstorage) FROM pg_type t WHERE t.typnamespace IN (SELECT oid FROM ours) AND t.typtype = 'b' AND t.typelem = 0
	UNION ALL SELECT 'operator ' || concat_ws(' | ', o.oid::regoperator, o.oprcode, o.oprcom::regoperator, o.oprnegate::regoperator, o.oprrest, o.oprjoin) FROM pg_operator o WHERE o.oprnamespace IN (SELECT oid FROM ours)
	UNION ALL SELECT 'cast ' || concat_ws(' | ', castsource::regtype, casttarget::regtype, castfunc::regprocedure, castcontext) FROM pg_cast WHERE castsource >= 16384 OR casttarget >= 16384
	UNION ALL SELECT 'comment ' || concat_ws(' | ', pg_describe_object(classoid, objoid, objsubid), md5(description)) FROM pg_description WHERE objoid >= 16384 AND pg_describe_object(classoid, objoid, 0) NOT LIKE 'language%'
	UNION ALL SELECT 'right ' || concat_ws(' | ', pg_describe_object(r.class, r.oid, 0), x.grantee::regrole, x.privilege_type, x.is_grantable) FROM rights r, aclexplode(r.acl) x
	UNION ALL SELECT 'no right ' || pg_describe_object(r.class, r.oid, 0) FROM rights r WHERE r.acl = '{}'
	UNION ALL SELECT 'member ' || pg_describe_object(classid, objid, 0) FROM member) l
WHERE line NOT LIKE '%may_see%' ORDER BY line COLLATE "C"
SQL

sub same_catalogs
{
	my ($name, $what) = @_;
	my %count;
	$count{$_}++ for split /\n/, ask('fresh', $catalogs);
	$count{$_}-- for split /\n/, ask($name,   $catalogs);
	my @differences = map { ($count{$_} > 0 ? "fresh: " : "$name: ") . $_ } sort grep { $count{$_} } keys %count;
	cmp_ok(scalar(keys %count), '>', 1000, 'catalogs were read');
	ok(!@differences, "the same objects, definitions, comments and rights as a fresh one $what") or diag(join "\n", @differences > 40 ? (@differences[0 .. 39], '...') : @differences);
	return;
}

$w->ok_run('a warehouse', 'init');
ask('postgres', "CREATE DATABASE $_") for qw(fresh older);
$w->ok_run("init $_", 'init', '--db', db($_)) for qw(fresh older);
$w->ok_run('load', 'load', '--db', db('older'), '--module-map', "$source/modules.map", glob("$source/lulesh-3e01c40-n8-*.cali"));
$w->ok_run('load a trace', 'load', '--db', db('older'), "$Perfhouse::data/traces/lulesh-8");
my $phases = ask('older', 'SELECT count(*) FROM perfhouse.phases(4)');
cmp_ok($phases, '>', 1, 'logical time');

# ---- only the build differs
is(ask('older', $other_build), '', 'functions of another build');
my $r = $w->run('runs', '--db', db('older'));
is($r->{code}, 9, 'are refused');
like($r->{err}, qr/the warehouse is of an older perfhouse: .*\n.*hint: Run perfhouse init/, 'with a remedy');
for my $command ([qw(report 1)], ['load', glob("$source/lulesh-3e01c40-n8-1.cali")], [qw(regressions)], [qw(render flame --run 1 -o), "$w->{home}/x.svg"], [qw(doctor)])
{
	$r = $w->run(@$command, '--db', db('older'));
	like($r->{err} . $r->{out}, qr/is of an older perfhouse.*perfhouse init/s, "$command->[0] says so");
}
$r = $w->ok_run('init renews them', 'init', '--db', db('older'));
unlike($r->{err}, qr/dropping/, 'in place');
same_catalogs('older', 'after another build');
$w->ok_run('it serves', 'runs', '--db', db('older'));

# ---- functions that are missing, those that name one another as well
is(ask('older', q{DO $$
DECLARE
	missing text;
BEGIN
	FOR missing IN SELECT p.oid::regprocedure::text FROM pg_proc p JOIN pg_depend d ON d.classid = 'pg_proc'::regclass AND d.objid = p.oid AND d.deptype = 'e'
			WHERE p.prolang = (SELECT oid FROM pg_language WHERE lanname = 'sql') AND NOT EXISTS (SELECT FROM pg_depend u WHERE u.refclassid = 'pg_proc'::regclass AND u.refobjid = p.oid) LOOP
		EXECUTE format('ALTER EXTENSION perfhouse DROP FUNCTION %1$s; DROP FUNCTION %1$s', missing);
	END LOOP;
END $$;} . $other_build), '', 'a build without many of the functions');
is(ask('older', "SELECT to_regprocedure('perfhouse.help(text)') IS NULL"), 't', 'help among them');
$w->ok_run('init makes them', 'init', '--db', db('older'));
same_catalogs('older', 'after functions that were missing');

# ---- functions that return something else, that are gone, that have other arguments; objects of people's own
my $older_functions = <<'SQL';
ALTER EXTENSION perfhouse DROP FUNCTION perfhouse.flat(perfhouse.profile, text, text);
DROP FUNCTION perfhouse.flat(perfhouse.profile, text, text);
CREATE FUNCTION perfhouse.flat(p perfhouse.profile, by text DEFAULT 'function', metric text DEFAULT NULL) RETURNS TABLE (name text) LANGUAGE sql AS $$ SELECT 'older' $$;
ALTER EXTENSION perfhouse ADD FUNCTION perfhouse.flat(perfhouse.profile, text, text);
CREATE FUNCTION perfhouse.gone(int) RETURNS int LANGUAGE sql AS $$ SELECT 1 $$;
ALTER EXTENSION perfhouse ADD FUNCTION perfhouse.gone(int);
CREATE FUNCTION perfhouse.change_points(application text, x int DEFAULT 0) RETURNS int LANGUAGE sql AS $$ SELECT 1 $$;
SQL
ask('older', $older_functions . $other_build);
ask('older', q{CREATE TABLE public.kept AS SELECT run_id, perfhouse.profile(run_id) AS p FROM perfhouse.run_overview;
	CREATE VIEW public.mine AS SELECT run_id FROM perfhouse.run_overview;
	CREATE FUNCTION perfhouse.may_see(project text) RETURNS boolean LANGUAGE sql AS $$ SELECT true $$;
	CREATE VIEW public.top AS SELECT f.name FROM perfhouse.flat(perfhouse.profile(1)) f});
my $before = ask('older', $catalogs);
$r = $w->run('init', '--db', db('older'));
is($r->{code}, 8, 'a view on a function that has to change');
like($r->{err}, qr/these objects use functions or views of the older perfhouse that have to change: .*view (public\.)?top/, 'is named');
like($r->{err}, qr/nothing was changed/, 'nothing was changed');
is(ask('older', $catalogs), $before, 'indeed');
is(ask('older', 'DROP VIEW public.top'), '', 'without it');
$w->ok_run('init makes them again', 'init', '--db', db('older'));
same_catalogs('older', 'after functions that return something else');
is(ask('older', 'SELECT count(*) FROM public.mine'), '4', 'a view on a view that did not change goes on');
is(ask('older', "SELECT perfhouse.may_see('x')"), 't', 'a function of another name stays');
is(ask('older', 'SELECT count(*) FILTER (WHERE p = perfhouse.profile(run_id)) FROM public.kept'), '4', 'stored profiles are what they were');
my $applied = ask('older', 'SELECT max(applied_at) FROM perfhouse.schema_version');
$w->ok_run('init again', 'init', '--db', db('older'));
is(ask('older', 'SELECT max(applied_at) FROM perfhouse.schema_version'), $applied, 'finds nothing to do');

# ---- tables of early steps
ask('older', q{INSERT INTO perfhouse.regression (application, metric_id, callpath_id, path, run_id, mean_before, mean_after, own_change, total_change, p_value, q_value,
	n_before, n_after, state, reason) SELECT 'decided', 1, 1, 'main', i, 1, 2, 1, 1, 0, 0, 5, 5, 'ignored', CASE i WHEN -2 THEN 'with 9 runs it is no longer told from noise'
	ELSE 'wanted' END FROM generate_series(-2, -1) i});
is(ask('older', q{DROP TABLE perfhouse.logical_timeline; ALTER TABLE perfhouse.phase_block SET SCHEMA public; ALTER TABLE perfhouse.logical_chunk DROP COLUMN tasks CASCADE;
	ALTER TABLE perfhouse.phase_chunk DROP COLUMN is_runtime CASCADE, DROP COLUMN max_idle CASCADE; 
	INSERT INTO perfhouse.profile_summary_1 SELECT * FROM perfhouse.profile_summary; DROP VIEW perfhouse.profile_summary CASCADE; DROP TABLE perfhouse.summary_block CASCADE;
	ALTER TABLE perfhouse.profile_summary_1 RENAME TO profile_summary; ALTER TABLE perfhouse.profile_summary RENAME CONSTRAINT profile_summary_1_pkey TO profile_summary_pkey;
	DROP INDEX perfhouse.region_summary_run; ALTER TABLE perfhouse.region_summary DROP CONSTRAINT region_summary_pkey, ADD PRIMARY KEY (run_id, region_id, metric_id); CREATE INDEX region_summary_history ON perfhouse.region_summary (region_id, metric_id, run_id) INCLUDE (inclusive, exclusive, min, max);
	INSERT INTO perfhouse.profile_values_1 SELECT * FROM perfhouse.profile_values; DROP VIEW perfhouse.profile_values CASCADE; DROP TABLE perfhouse.value_block CASCADE;
	ALTER TABLE perfhouse.profile_values_1 RENAME TO profile_values; ALTER TABLE perfhouse.profile_values RENAME CONSTRAINT profile_values_1_pkey TO profile_values_pkey;
	ALTER TABLE perfhouse.run DROP COLUMN storage CASCADE;
	INSERT INTO perfhouse.profile_tree_1 SELECT run_id, n_nodes, tree FROM perfhouse.profile_tree;
	INSERT INTO perfhouse.run_region_1 SELECT run_id, region_id, local_id, module, raw_file, line FROM perfhouse.run_region;
	DROP VIEW perfhouse.profile_tree, perfhouse.run_region CASCADE; DROP TABLE perfhouse.call_tree, perfhouse.label_set, perfhouse.label_data;
	ALTER TABLE perfhouse.profile_tree_1 RENAME TO profile_tree; ALTER TABLE perfhouse.profile_tree RENAME CONSTRAINT profile_tree_1_pkey TO profile_tree_pkey;
	ALTER TABLE perfhouse.run_region_1 RENAME TO run_region; ALTER TABLE perfhouse.run_region RENAME CONSTRAINT run_region_1_pkey TO run_region_pkey;
	ALTER TABLE perfhouse.run_region DROP COLUMN paradigm CASCADE; ALTER TABLE perfhouse.run DROP COLUMN tree_id CASCADE, DROP COLUMN labels_id CASCADE;
	ALTER TABLE perfhouse.run DROP COLUMN project CASCADE, DROP COLUMN owner, DROP COLUMN completeness CASCADE, DROP COLUMN missing CASCADE, ADD CONSTRAINT run_fingerprint_repeat_key UNIQUE (fingerprint, repeat);
	ALTER TABLE perfhouse.regression DROP COLUMN by_search, DROP COLUMN scope; ALTER TABLE perfhouse.regression_watch DROP COLUMN scope; ALTER TABLE perfhouse.regression_watch ADD CONSTRAINT regression_watch_pkey PRIMARY KEY (application);
	DROP TABLE perfhouse.project_member CASCADE; DROP TABLE perfhouse.run_change; DROP TABLE perfhouse.trace_text; DROP TABLE perfhouse.application CASCADE; DROP TABLE perfhouse.derived_metric; DROP TABLE perfhouse.color_of CASCADE;
	DROP INDEX perfhouse.run_by_application, perfhouse.run_by_title, perfhouse.run_by_started_at, perfhouse.run_by_n_ranks, perfhouse.run_by_total, perfhouse.run_by_text;
	ALTER TABLE perfhouse.metric DROP COLUMN dimension CASCADE, DROP COLUMN factor CASCADE;
	ALTER TABLE perfhouse.run DROP COLUMN parallel_efficiency CASCADE, DROP COLUMN load_balance, DROP COLUMN communication_efficiency, DROP COLUMN serialisation_efficiency, DROP COLUMN transfer_efficiency, DROP COLUMN thread_efficiency, DROP COLUMN thread_load_balance, DROP COLUMN thread_serialisation, DROP COLUMN efficiency_estimated, DROP COLUMN device_efficiency, DROP COLUMN device_load_balance, DROP COLUMN device_communication, DROP COLUMN device_orchestration;
	ALTER TABLE perfhouse.run DROP COLUMN primary_metric_id CASCADE, DROP COLUMN default_experiment CASCADE;
	ALTER TABLE perfhouse.run DROP COLUMN n_events CASCADE, DROP COLUMN events_dropped_at CASCADE;
	ALTER TABLE perfhouse.run DROP COLUMN derived_from CASCADE; DROP TABLE perfhouse.run_provenance;
	DROP TABLE perfhouse.job CASCADE; DROP TABLE perfhouse.pseudonym_salt CASCADE; DROP TABLE perfhouse.saved_query CASCADE; DROP INDEX perfhouse.run_batch_job; DROP TABLE perfhouse.run_month, perfhouse.region_month, perfhouse.noise, perfhouse.exchange_pattern, perfhouse.row_sum, perfhouse.trace_stream, perfhouse.launch_configuration, perfhouse.launch_chunk; DROP TABLE perfhouse.derived CASCADE; DROP TABLE perfhouse.trace_tile; DROP INDEX perfhouse.run_by_measured_at;
	DELETE FROM perfhouse.schema_version WHERE version >= 100}), '', 'tables of early steps');
$r = $w->run('runs', '--db', db('older'));
is($r->{code}, 8, 'are noticed');
like($r->{err}, qr/is of an older perfhouse: its tables are of version \d\d, this program needs \d{3}/, 'are refused');
$r = $w->ok_run('init', 'init', '-v', '--db', db('older'));
like($r->{err}, qr/applying 100-early-tables.*applying 010-views/s, 'applies the step before the definitions');
is(ask('older', q{WITH gone AS (DELETE FROM perfhouse.regression WHERE application = 'decided' RETURNING *) SELECT string_agg(by_search || scope, ' ' ORDER BY run_id) FROM gone}),
	'true false', 'what a search gave up is told from what people decided');
my $columns = q{SELECT md5(string_agg(table_name || column_name || data_type, ',' ORDER BY table_name, column_name)) FROM information_schema.columns WHERE table_schema = 'perfhouse'};
is(ask('older', $columns), ask('fresh', $columns), 'columns as in a fresh one');
ask('older', 'INSERT INTO perfhouse.phase_block SELECT * FROM public.phase_block; DROP TABLE public.phase_block');
is(ask('older', 'SELECT count(*) FROM perfhouse.phases(4)'), $phases, 'logical time is what it was');
$r = $w->ok_run('doctor', 'doctor', '--all', '--db', db('older'));

# ---- labels of regions that builds before release 0.2.0 stored a row each
my $said = q{SELECT md5(string_agg(v::text, ',' ORDER BY run_id, region_id)) FROM perfhouse.run_region v};
my $modules = q{SELECT md5(string_agg(v::text, ',' ORDER BY v::text)) FROM (SELECT run_id, callpath_id, metric, module, line FROM perfhouse.profile_row) v};
is(ask('older', 'SELECT count(*) FILTER (WHERE perfhouse.convert_run(run_id)) > 0 FROM perfhouse.run'), 't', 'what is stored as this release does');
my ($were, $belonged) = (ask('older', $said), ask('older', $modules));
is(ask('older', q{CREATE TABLE perfhouse.region_label (labels_id int8 NOT NULL, region_id int8 NOT NULL, local_id int4 NOT NULL, line int4, module text, raw_file text, paradigm text, PRIMARY KEY (labels_id, region_id));
	INSERT INTO perfhouse.region_label SELECT d.labels_id, l.region_id, l.local_id, l.line, l.module, l.raw_file, l.paradigm FROM perfhouse.label_data d CROSS JOIN LATERAL perfhouse_internal.label_rows(d.labels) l;
	INSERT INTO perfhouse.label_set (labels_id, n_regions, crc) VALUES (perfhouse_internal.content_id(''), 0, perfhouse_internal.crc32c(''));
	CREATE OR REPLACE VIEW perfhouse.run_region AS SELECT r.run_id, l.region_id, l.local_id, l.module, l.raw_file, l.line, l.paradigm FROM perfhouse.run r JOIN perfhouse.region_label l USING (labels_id)
		UNION ALL SELECT o.run_id, o.region_id, o.local_id, o.module, o.raw_file, o.line, o.paradigm FROM perfhouse.run_region_1 o;
	DROP TABLE perfhouse.label_data; DELETE FROM perfhouse.schema_version WHERE version = 127}), '', 'labels as rows');
cmp_ok(ask('older', 'SELECT count(*) FROM perfhouse.region_label WHERE module IS NOT NULL OR line IS NOT NULL'), '>', 0, 'which say something');
$w->ok_run('init packs them', 'init', '--db', db('older'));
is(ask('older', $said), $were, 'they say the same');
is(ask('older', $modules), $belonged, 'of call paths, too');
is(ask('older', 'SELECT count(*) FROM perfhouse.label_set s LEFT JOIN perfhouse.label_data d USING (labels_id) WHERE s.labels_id IS DISTINCT FROM perfhouse_internal.content_id(d.labels) OR s.crc <> perfhouse_internal.crc32c(d.labels)'), '0', 'under the same ids');
$r = $w->ok_run('doctor', 'doctor', '--all', '--db', db('older'));

# ---- efficiencies that unreleased builds stored: those of traces lack waiting in MPI_Finalize and for windows
my $stale = q{SELECT string_agg(run_id::text, ' ' ORDER BY run_id) FROM perfhouse.run_derived WHERE kind = 'efficiency' AND is_stale};
is(ask('older', q{SELECT count(perfhouse.assign_efficiency(run_id)) FROM perfhouse.run}), '4', 'efficiencies');
is(ask('older', $stale . q{; DELETE FROM perfhouse.schema_version WHERE version = 175}), '', 'none is stale');
$w->ok_run('init of what such a build made', 'init', '--db', db('older'));
is(ask('older', $stale), '4', 'that of the trace is, and those of profiles are not');

# ---- too old
ask('older', 'ALTER TABLE perfhouse.metric DROP COLUMN is_signed CASCADE; DELETE FROM perfhouse.schema_version WHERE version >= 100');
$r = $w->run('init', '--db', db('older'));
isnt($r->{code}, 0, 'what cannot be upgraded');
like($r->{err}, qr/too old to be upgraded.*hint: Make a new database, run perfhouse init there and load the files again/s, 'says what to do');

# ---- a warehouse that release 0.1.0 made: its data, its answers, what people added to it
my $releases = "$Perfhouse::data/releases";

# Restores a release's warehouse into a new database, over the frozen scripts of that release.
sub restore
{
	my ($name, $version) = @_;
	ask('postgres', "CREATE DATABASE $name");
	my $dump = qx(gzip -dc '$releases/$version.sql.gz') =~ s/^CREATE EXTENSION IF NOT EXISTS perfhouse WITH SCHEMA perfhouse;$/CREATE EXTENSION perfhouse SCHEMA perfhouse VERSION '$version';/mr;
	my $r = $w->run('psql', '--db', db($name), '--', '-Xqv', 'ON_ERROR_STOP=1', '-f', $w->write_file("$version.sql", $dump));
	return $r->{code} == 0 ? '' : $r->{err};
}

sub answers
{
	my ($name) = @_;
	my @queries = grep { !/^--/ } split /\n/, Perfhouse::slurp("$releases/queries.sql");
	# whether its files were whole is unknown of a release's run, and noted in its profiles: without the note they are the same bytes
	# and its times are read as they are stored, not in seconds: the rest of the test has these
	my $script = "SET search_path = perfhouse, public;\nBEGIN;\nUPDATE run SET completeness = 'complete';\n"
		. "ALTER TABLE metric ALTER dimension DROP EXPRESSION, ALTER factor DROP EXPRESSION;\nUPDATE metric SET dimension = NULL, factor = 1;\n" . join('', map { "\\echo Q\n$_;\n" } @queries) . "ROLLBACK;\n";
	my $r = $w->run('psql', '--db', db($name), '--', '-XAtqv', 'ON_ERROR_STOP=1', '-f', $w->write_file('queries.sql', $script));
	return $r->{out} . $r->{err};
}

my ($version) = Perfhouse::slurp("$root/extension/perfhouse.control") =~ /^default_version *= *'(.*)'/m;
my @releases = map { m{/([0-9.]+)\.answers$} } glob("$releases/*.answers");
is(join(' ', @releases), join(' ', grep { $_ ne $version } map { m{--([0-9.]+)\.sql$} } glob("$root/sql/releases/perfhouse--*.sql")), 'every release has a warehouse') or diag("@releases");
for my $release (@releases)
{
	my $name = 'release_' . $release =~ tr/./_/r;
	is(restore($name, $release), '', "the warehouse of $release, over its own scripts");
	my $expected = Perfhouse::slurp("$releases/$release.answers");
	# profiles that lack cells have other bytes since version 3 of their form: all runs; run 3 and its graph, of which the same query
	# tells that what the release stored and what is read now are equal
	my %bytes = ('ca6d65a9a1dbb471571127f7ca74d7af' => 'b7b8c435b3852d9f654ecbb1479e7a1f',
		'1a3b463df2a035d1ea481585ac3058c3' => 'ebc090941f211711fa80efdae309f1ab', '014abe63edbe43186129c5d1efe0f5cc' => 'c47525c078a1b8ff376e7f65899d4e8e');
	# own costs in flames are sums of means since, which were means of sums: their last digits
	$bytes{cdd402c0c4db56f5d07d69de7dd8e8e4} = 'b7a1756e99e9ef91d07c4e1bb25b5cf9';
	$expected =~ s/$_/$bytes{$_}/ for keys %bytes;
	$r = $w->run('runs', '--db', db($name));
	is($r->{code}, 9, 'is refused');
	like($r->{err}, qr/version \Q$release\E, this program is \Q$version\E\n.*hint: Run perfhouse init/, 'with a remedy');
	is(ask($name, 'CREATE VIEW public.on_machinery AS SELECT callpath_id FROM perfhouse.run_sketches(1)'), '', 'a view on what became machinery');
	is(ask($name, 'CREATE VIEW public.on_other_columns AS SELECT phase, n_ranks, first_step, last_step FROM perfhouse.exchange_patterns(8)'), '', 'and one on columns of then');
	my ($tau) = ask($name, "SELECT run_id FROM perfhouse.run WHERE format = 'tau'");
	my $cost = "SELECT (SELECT concat_ws(' ', round(seconds::numeric, 12), round(unit_hours::numeric, 12)) FROM perfhouse.run_cost WHERE run_id = $tau), (SELECT round(sum(unit_hours)::numeric, 12) FROM perfhouse.function_cost WHERE run_id = $tau)";
	my $seconds = ask($name, $cost);
	my $sketched = ask($name, 'SELECT count(*) FROM public.on_machinery');
	ask('postgres', "CREATE DATABASE ${name}_unreleased TEMPLATE $name");

	$r = $w->ok_run('init upgrades it', 'init', '--db', db($name));
	unlike($r->{err}, qr/renewing/, 'as the release is known');
	# a function with other result columns, or one that the warehouse's own views rest on
	my $columns_changed = qr/cannot change return type of existing function|cannot drop function \w+\([\w ,]*\) because other objects depend on it/;
	my @made_again = grep { /dropping/ && !/\($columns_changed\): dropping/ } split /\n/, $r->{err};
	is("@made_again", '', 'only functions whose result columns changed need to be made again');
	is(answers($name), $expected, 'every answer is what it was');
	same_catalogs($name, "after $release");
	my $old_runs = ask($name, 'SELECT count(*) FROM perfhouse.run');
	is(ask($name, 'SELECT count(*) FILTER (WHERE perfhouse.convert_run(run_id)) FROM perfhouse.run'), $old_runs, 'its runs are stored as this release does');
	is(ask($name, 'SELECT count(*) FROM (SELECT run_id FROM perfhouse.profile_values_1 UNION ALL SELECT run_id FROM perfhouse.profile_summary_1 UNION ALL SELECT run_id FROM perfhouse.profile_tree_1 UNION ALL SELECT run_id FROM perfhouse.run_region_1) o'), '0', 'nothing is as it was');
	is(answers($name), $expected, 'but every answer');
	is(ask($name, "SELECT count(*), pg_get_viewdef('public.on_machinery') ~ 'perfhouse_internal.run_sketches' FROM public.on_machinery"), "$sketched|t", 'a view on what became machinery goes on');
	is(ask($name, "SET ROLE perfhouse_reader; SELECT (SELECT count(*) FROM perfhouse.event) > 0, (SELECT count(*) FROM perfhouse.comm_matrix(8)) > 0, (SELECT count(*) FROM perfhouse.logical_event) > 0"),
		't|t|t', 'a reader reads through the machinery');
	is(ask($name, q{SELECT count(*) FROM pg_proc WHERE pronamespace = 'perfhouse_internal'::regnamespace AND has_function_privilege('public', oid, 'execute')}), '0', 'of which PUBLIC has nothing');
	# steps that an older method found are all that is to be done anew, and doctor says how
	$r = $w->run('doctor', '--all', '--db', db($name));
	is(join("\n", grep { /^PROBLEM/ && !/^PROBLEM +stale results +\d+ with/ && !/ was found by version \d+ of the method, this one is \d+: / } split /\n/, $r->{out}), '', 'doctor finds older steps at most');
	like($w->ok_run('doctor finds them anew', 'doctor', '--repair', '--db', db($name))->{out}, qr/ok +stale results +\d+, done/, 'says so');
	is(ask($name, 'SELECT count(*) > 0, count(n) = count(*) FROM public.on_other_columns LEFT JOIN perfhouse.exchange_patterns(8) n USING (phase, n_ranks, first_step, last_step)'), 't|t', 'the view on columns of then, too');
	$w->ok_run('doctor finds it sound', 'doctor', '--all', '--db', db($name));
	my $runs = ask($name, 'SELECT max(run_id) FROM perfhouse.run');
	$w->ok_run('load a profile and a trace', 'load', '--db', db($name), "$Perfhouse::data/profiles/lulesh-8.spot.cali", "$Perfhouse::data/traces/tau-halo2d-nb-9");
	is(ask($name, "SELECT count(*) FROM perfhouse.run_overview WHERE run_id > $runs"), 2, 'are there');
	like($w->ok_run('what is there', 'load', '--db', db($name), "$Perfhouse::data/profiles/literal-a.json")->{out}, qr/already loaded as run 1/, 'is known');

	# its times are stored in microseconds, and read in seconds as those of new runs are
	is(ask($name, $cost), $seconds, 'costs are the same seconds and hours');
	like($seconds, qr/^0\.[0-9]+ 0\.[0-9]+\|[0-9.]+$/, 'which are some');
	$w->ok_run('its TAU profile again', 'load', '--db', db($name), '--if-exists', 'append', "$Perfhouse::data/profiles/tau-callpath");
	my $again = ask($name, "SELECT max(run_id) FROM perfhouse.run");
	is(ask($name, "SELECT string_agg(concat_ws(' ', m.stored_unit, m.unit, m.dimension, m.factor), ', ' ORDER BY r.run_id) FROM perfhouse.run r JOIN perfhouse.metric_overview m ON m.metric_id = r.metric_ids[1] WHERE run_id IN ($tau, $again)"),
		'us s time 1e-06, s s time 1', 'is stored in seconds now, that of the release is what it was');
	is(ask($name, "SELECT count(*) > 20, bool_and(abs(a.inclusive - b.inclusive) <= 1e-12 * b.inclusive AND abs(a.exclusive - b.exclusive) <= 1e-12 * b.exclusive) FROM perfhouse.nodes(perfhouse.profile($tau)) a JOIN perfhouse.nodes(perfhouse.profile($again)) b USING (callpath_id)"),
		't|t', 'both are read alike');
	is(ask($name, "SELECT count(*), bool_and(abs(a.total - b.total) <= 1e-12 AND a.unit = b.unit AND a.unit = 's') FROM perfhouse.run_cost a, perfhouse.run_cost b WHERE a.run_id = $tau AND b.run_id = $again"), '1|t', 'their totals, too');
	is(ask($name, "SELECT count(*), count(DISTINCT series), max(value) - min(value) < 1e-12 FROM perfhouse.history('halo2d.tau', 'main')"), '2|1|t', 'and they are one series');
	is(ask($name, "SELECT bool_and(ok) FROM perfhouse.check_run($tau)"), 't', 'the release\'s run is sound');

	# an unreleased build of that version: other functions, columns and names
	is(ask("${name}_unreleased", $older_functions =~ s/\bflat\(p perfhouse.profile[^)]*\)/hot_path(p perfhouse.profile, share float8, start int, metric text)/r
		=~ s/\bflat\(perfhouse.profile, text, text\)/hot_path(perfhouse.profile, float8, int, text)/gr . $other_build), '', 'functions of a build before the release');
	$r = $w->ok_run('a build before the release', 'init', '--db', db("${name}_unreleased"));
	like($r->{err}, qr/renewing extension \Q$release\E.*upgrading to extension \Q$version\E/s, 'becomes the release, then this version');
	is(answers("${name}_unreleased"), $expected, 'every answer is what it was');
	same_catalogs("${name}_unreleased", "after a build before $release");

}

# ---- the embedded server
is($w->run('psql', '--', '-XAtqc', $other_build)->{code}, 0, 'an embedded warehouse of another build');
is($w->run('runs')->{code}, 9, 'is refused');
$w->ok_run('up', 'up');
$w->ok_run('upgrades it', 'runs');

done_testing();
