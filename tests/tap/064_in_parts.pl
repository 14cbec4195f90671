# A warehouse whose tables by run are in parts, as a distributed database has them, gives the same answers; and what is said of
# databases that cannot be distributed.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Perfhouse;
use Test::More;

my $w      = Perfhouse->new;
my $root   = "$FindBin::Bin/../..";
my $build  = $Perfhouse::program =~ s{/bin/[^/]*$}{}r;
my ($base) = $w->ok_run('a server', 'up')->{out} =~ /(host='[^']*' port=\d+)/;
my %db     = map { ($_ => "$base user=perfhouse dbname=$_") } qw(one many);
$w->sql("CREATE DATABASE $_") for qw(one many);

my $files = join ' ', map { "$root/tests/data/$_" } qw(profiles/small.json lulesh-history/lulesh-3e01c40-n8-1.cali
	lulesh-history/lulesh-46c2a1d-n8-1.cali traces/lulesh-8 projections/jacobi3d-4p gpu/train-4);
my $said = `QUICK=1 SHARDS=3 perl $root/bench/distributed.pl $build "$db{one}" "$db{many}" $files 2>&1`;
is($?, 0, 'every answer is the same') or diag $said;
my ($same) = $said =~ /^(\d+) the same, 0 refused as documented, 0 refused, 0 different/m;
cmp_ok($same // 0, '>', 300, 'to hundreds of questions');
my $parts = $w->run('psql', '--db', $db{many}, '--', '-XAtc',
	q{SELECT count(*) FILTER (WHERE c.relkind = 'p') = count(*) FROM perfhouse.tables_by_run() t JOIN pg_class c ON c.oid = t})->{out};
is($parts, "t\n", 'of tables that are in parts');
my $none = $w->run('psql', '--db', $db{many}, '--', '-XAtc', 'SELECT count(*) FROM perfhouse.rows_without_run()')->{out};
is($none, "0\n", 'removed runs leave nothing in them');

# ---- what is asked of one run reads the parts that have it, and no other (report and explain look at other runs)
my ($run) = split /\n/, $w->run('psql', '--db', $db{many}, '--', '-XAtc', 'SELECT run_id FROM perfhouse.run_overview WHERE has_trace ORDER BY 1')->{out};
my $others = qq{SELECT string_agg(s.relid::regclass::text, ' ') FROM pg_inherits i JOIN pg_stat_user_tables s ON s.relid = i.inhrelid
	WHERE i.inhparent IN (SELECT perfhouse.tables_by_run()) AND s.seq_scan + coalesce(s.idx_scan, 0) > 0
	AND NOT satisfies_hash_partition(i.inhparent, 3, substring(s.relname FROM '_part_(.*)')::int, ${run}::bigint)};
my @about = (['show', $run], (map { ['trace', $run, $_] } qw(waits path opportunities efficiency)),
	map { ['render', $_, '--run', $run, '-o', "$w->{home}/picture.svg"] } qw(sankey flame cct function-graph histogram scatter box timeline comm-matrix
	message-sizes time-profile blame logical step-overview));
for my $question (@about)
{
	$w->run('psql', '--db', $db{many}, '--', '-XAtc', 'SELECT pg_stat_reset()');
	$w->ok_run("@$question[0 .. 1]", @$question, '--db', $db{many});
	is($w->ok_run('what is read', 'psql', '--db', $db{many}, '--', '-XAtc', $others)->{out}, "\n", 'reads the parts of its run alone');
}

# ---- parts of Citus's copies, where they are shown
my $named = $w->run('psql', '--db', $db{one}, '--', '-XAtqc', q{BEGIN; CREATE TABLE perfhouse.run_102013 (LIKE perfhouse.run INCLUDING ALL);
	SELECT count(*) FROM perfhouse.tables_by_run() t WHERE t::text ~ 'run_1020'; ROLLBACK})->{out};
is($named, "0\n", 'are no tables by run');

# ---- what cannot be distributed refuses, and stays as it was
my $refused = $w->run('init', '--distributed', '--db', $db{one});
is($refused->{code}, 9, 'a database without Citus is not distributed');
like($refused->{err}, qr/the extension citus is missing.*CREATE EXTENSION citus/s, 'with what to do');
$w->ok_run('it is as it was', 'runs', '--db', $db{one});

# ---- loaders side by side: Citus locks its copies of a table as a whole, for INSERT against UPDATE and for UPDATE against both. Here
# triggers do, in a database that says of itself that it is distributed.
$w->ok_run('copies of run', 'psql', '--', '-XqAtc', q{SET allow_system_table_mods = on;
	INSERT INTO pg_extension SELECT 1, 'citus', extowner, extnamespace, false, extversion FROM pg_extension WHERE extname = 'perfhouse';
	CREATE TABLE pg_catalog.pg_dist_local_group AS SELECT 0 AS groupid;
	CREATE TABLE pg_catalog.pg_dist_node AS SELECT 0 AS groupid, 'here'::text AS nodename, 1 AS nodeport, 'primary'::text AS noderole;
	CREATE TABLE pg_catalog.pg_dist_partition AS SELECT 'perfhouse.run'::regclass AS logicalrelid;
	RESET allow_system_table_mods;
	CREATE TABLE public.copies ();
	CREATE FUNCTION public.lock_copies() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $f$BEGIN
		EXECUTE format('LOCK TABLE public.copies IN %s MODE', TG_ARGV[0]); RETURN NULL; END$f$;
	CREATE TRIGGER inserts BEFORE INSERT ON perfhouse.run EXECUTE FUNCTION public.lock_copies('ROW EXCLUSIVE');
	CREATE TRIGGER changes BEFORE UPDATE OR DELETE ON perfhouse.run EXECUTE FUNCTION public.lock_copies('EXCLUSIVE')});
my @traces = map { "$root/tests/data/traces/$_" } qw(lulesh-8 colls-6 tau-halo2d-nb-9);
my @profiles = glob("$root/tests/data/lulesh-history/*-n1-*.cali");
$w->ok_run('some are there', 'load', '-j1', @profiles[0, 1]);
my @load = (qw(load -j2 --if-exists replace), @traces, @profiles);
my @together = map { [ $w->start(@load) ] } 1 .. 3;
for (map { $w->finish(@$_) } @together)
{
	is($_->{code}, 0, 'traces and profiles are loaded by several at once') or diag($_->{err});
}
is($w->sql('SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()'), 0, 'and none waits for another in a circle');
is($w->sql(q{SELECT count(*), count(*) FILTER (WHERE state = 'ready') FROM perfhouse.run}), (@traces + @profiles) . '|' . (@traces + @profiles),
	'each is there once');

# ---- a worker that joined later may have the extension of another build: what nodes are asked is written down here
$w->sql(q{SET allow_system_table_mods = on; TRUNCATE pg_dist_partition; ALTER TABLE pg_dist_partition ADD partmethod text;
	INSERT INTO pg_dist_partition SELECT oid, 'n' FROM pg_class WHERE relnamespace = 'perfhouse'::regnamespace AND relkind IN ('r', 'p');
	INSERT INTO pg_dist_node VALUES (1, 'there', 2, 'primary');
	CREATE TABLE public.asked (command text);
	CREATE FUNCTION pg_catalog.run_command_on_workers(command text, OUT nodename text, OUT nodeport int, OUT success bool, OUT result text)
		RETURNS SETOF record LANGUAGE sql AS $f$INSERT INTO public.asked VALUES (command) RETURNING 'there', 2, true, ''$f$;
	CREATE FUNCTION pg_catalog.run_command_on_coordinator(command text, OUT success bool, OUT result text)
		LANGUAGE sql AS $f$SELECT true, ''$f$});
$w->ok_run('a node is set up', 'init', '--distributed');
is($w->sql(q{SELECT count(*) FROM public.asked WHERE command LIKE '%IS DISTINCT FROM%' || perfhouse.perfhouse_build() || '%perfhouse_build()%'}), 1,
	'and gets the extension of this build where it has another one');
done_testing;
