# A warehouse of an older build of the same version: refused by every command, brought up to date by init and up.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Perfhouse;
use Test::More;

my $w = Perfhouse->new;
my ($base) = $w->ok_run('a server', 'up')->{out} =~ /(host='[^']*' port=\d+)/;
my $source = "$Perfhouse::data/lulesh-history";

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
my $signatures  = q{SELECT md5(string_agg(p.oid::regprocedure::text || coalesce(p.proargnames::text, '') || p.prorettype::regtype || coalesce(p.proacl::text, ''), E'\n' ORDER BY p.oid::regprocedure::text))
	FROM pg_proc p WHERE pronamespace = 'perfhouse'::regnamespace AND proname <> 'may_see'};
my $members = q{SELECT count(*) FROM pg_depend WHERE refclassid = 'pg_extension'::regclass AND deptype = 'e' AND refobjid = (SELECT oid FROM pg_extension WHERE extname = 'perfhouse')};

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
is(ask('older', $signatures), ask('fresh', $signatures), 'as in a fresh one');
is(ask('older', $members), ask('fresh', $members), 'all members of the extension');
$w->ok_run('it serves', 'runs', '--db', db('older'));

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
my $before = ask('older', $signatures);
$r = $w->run('init', '--db', db('older'));
is($r->{code}, 8, 'a view on a function that has to change');
like($r->{err}, qr/these objects use functions or views of the older perfhouse that have to change: .*view (public\.)?top/, 'is named');
like($r->{err}, qr/nothing was changed/, 'nothing was changed');
is(ask('older', $signatures), $before, 'indeed');
is(ask('older', 'DROP VIEW public.top'), '', 'without it');
$w->ok_run('init makes them again', 'init', '--db', db('older'));
is(ask('older', $signatures), ask('fresh', $signatures), 'as in a fresh one');
is(ask('older', $members), ask('fresh', $members), 'all members');
is(ask('older', 'SELECT count(*) FROM public.mine'), '4', 'a view on a view that did not change goes on');
is(ask('older', "SELECT perfhouse.may_see('x')"), 't', 'a function of another name stays');
is(ask('older', 'SELECT count(*) FILTER (WHERE p = perfhouse.profile(run_id)) FROM public.kept'), '4', 'stored profiles are what they were');
my $applied = ask('older', 'SELECT max(applied_at) FROM perfhouse.schema_version');
$w->ok_run('init again', 'init', '--db', db('older'));
is(ask('older', 'SELECT max(applied_at) FROM perfhouse.schema_version'), $applied, 'finds nothing to do');

# ---- tables of early steps
is(ask('older', q{DROP TABLE perfhouse.logical_timeline; ALTER TABLE perfhouse.logical_chunk DROP COLUMN tasks CASCADE;
	ALTER TABLE perfhouse.phase_chunk DROP COLUMN is_runtime CASCADE, DROP COLUMN max_idle CASCADE; ALTER TABLE perfhouse.run_region DROP COLUMN paradigm CASCADE;
	DELETE FROM perfhouse.schema_version WHERE version >= 100}), '', 'tables of early steps');
$r = $w->run('runs', '--db', db('older'));
is($r->{code}, 8, 'are noticed');
like($r->{err}, qr/is of an older perfhouse: its tables are of version 20, this program needs 1\d\d/, 'are refused');
$r = $w->ok_run('init', 'init', '--db', db('older'));
like($r->{err}, qr/applying 100-early-tables.*applying 010-views/s, 'applies the step before the definitions');
my $columns = q{SELECT md5(string_agg(table_name || column_name || data_type, ',' ORDER BY table_name, column_name)) FROM information_schema.columns WHERE table_schema = 'perfhouse'};
is(ask('older', $columns), ask('fresh', $columns), 'columns as in a fresh one');
is(ask('older', 'SELECT count(*) FROM perfhouse.phases(4)'), $phases, 'logical time is what it was');
$r = $w->ok_run('doctor', 'doctor', '--all', '--db', db('older'));

# ---- too old
ask('older', 'ALTER TABLE perfhouse.metric DROP COLUMN is_signed CASCADE; DELETE FROM perfhouse.schema_version WHERE version >= 100');
$r = $w->run('init', '--db', db('older'));
isnt($r->{code}, 0, 'what cannot be upgraded');
like($r->{err}, qr/too old to be upgraded.*hint: Make a new database, run perfhouse init there and load the files again/s, 'says what to do');

# ---- the embedded server
is($w->run('psql', '--', '-XAtqc', $other_build)->{code}, 0, 'an embedded warehouse of another build');
is($w->run('runs')->{code}, 9, 'is refused');
$w->ok_run('up', 'up');
$w->ok_run('upgrades it', 'runs');

done_testing();
