# init on a shared server: create, repeat, upgrade, refuse; roles; dump and restore; refused logins.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Perfhouse;
use Test::More;
use Time::HiRes qw(sleep);

my $w = Perfhouse->empty;
my ($base) = $w->ok_run('a server', 'up')->{out} =~ /(host='[^']*' port=\d+)/;
my $admin  = "$base dbname=postgres user=perfhouse";
my $source = "$Perfhouse::data/lulesh-history";

sub db { return "$base dbname=$_[0] user=" . ($_[1] // 'perfhouse') }

# One value from another database.
sub ask
{
	my ($conninfo, $query) = @_;
	my $r = $w->run('psql', '--db', $conninfo, '--', '-XAtqc', $query);
	chomp(my $out = $r->{out});
	return $r->{code} == 0 ? $out : "error: $r->{err}";
}

sub make_database { ask($admin, "CREATE DATABASE $_[0]") }

# ---- refused before init
make_database('fresh');
my $r = $w->run('runs', '--db', db('fresh'));
is($r->{code}, 9, 'no extension');
like($r->{err}, qr/hint: .*perfhouse init/, 'with a remedy');

# ---- init, and again
$r = $w->ok_run('init', 'init', '--db', db('fresh'));
like($r->{out}, qr/the warehouse is ready: database "fresh"/, 'says where');
is(scalar(() = $r->{err} =~ /applying/g), 1, 'what was done is one line');
like($r->{err}, qr/applying \d+ files of tables, \d+ of views and functions$/m, 'with numbers');
my $before = ask(db('fresh'), 'SELECT count(*), max(version), min(applied_at) FROM perfhouse.schema_version');
$w->ok_run('init again', 'init', '--db', db('fresh'));
is(ask(db('fresh'), 'SELECT count(*), max(version), min(applied_at) FROM perfhouse.schema_version'), $before, 'changes nothing');
$w->ok_run('load into it', 'load', '--db', db('fresh'), glob("$source/lulesh-3e01c40-n8-*.cali"));
my $runs = ask(db('fresh'), 'SELECT count(*) FROM perfhouse.run_overview');
cmp_ok($runs, '>', 0, 'runs are there');
is(ask("$base dbname=perfhouse user=perfhouse", 'SELECT count(*) FROM pg_tables WHERE schemaname = \'perfhouse\' AND tablename = \'run\''), '0', 'the embedded database was not touched');

# ---- several at once
make_database('together');
my @started = map { [$w->start('init', '--db', db('together'))] } 1 .. 4;
my @results = map { $w->finish(@$_) } @started;
is(join(' ', map { $_->{code} } @results), '0 0 0 0', 'four inits at once') or diag(map { $_->{err} } @results);

# ---- a newer schema
ask(db('together'), "INSERT INTO perfhouse.schema_version (version, name, checksum) VALUES (9999, '9999-future', '')");
for my $command ([qw(runs)], [qw(init)])
{
	$r = $w->run(@$command, '--db', db('together'));
	is($r->{code}, 8, "@$command: newer tables");
	like($r->{err}, qr/of version 9999, newer than this program's/, 'names both');
}

# ---- an older schema is upgraded
make_database('older');
my $schema = Perfhouse::slurp("$FindBin::Bin/../../sql/schema/tables/001-warehouse.sql");
my $script = $w->write_file('older.sql', "CREATE EXTENSION perfhouse;\n$schema\n" . ask(db('fresh'), q{
	SELECT format('CREATE TABLE perfhouse.schema_version (%s, PRIMARY KEY (version));', string_agg(format('%I %s%s', attname, format_type(atttypid, atttypmod), CASE attname WHEN 'applied_at' THEN ' DEFAULT now()' ELSE '' END), ', ' ORDER BY attnum))
	FROM pg_attribute WHERE attrelid = 'perfhouse.schema_version'::regclass AND attnum > 0}) .
	"\nINSERT INTO perfhouse.schema_version (version, name, checksum) VALUES (1, '001-warehouse', 'x');\n");
$r = $w->run('psql', '--db', db('older'), '--', '-Xqv', 'ON_ERROR_STOP=1', '-f', $script);
is($r->{code}, 0, 'tables as version 1 had them') or diag($r->{err});
$r = $w->run('runs', '--db', db('older'));
is($r->{code}, 8, 'older tables are refused');
like($r->{err}, qr/version 1, this program needs \d+.*perfhouse init/s, 'with a remedy');
$w->ok_run('init upgrades', 'init', '--db', db('older'));
$w->ok_run('now they serve', 'runs', '--db', db('older'));
is(ask(db('older'), q{SELECT string_agg(version::text, ',' ORDER BY version) FROM perfhouse.schema_version}),
	ask(db('fresh'), q{SELECT string_agg(version::text, ',' ORDER BY version) FROM perfhouse.schema_version}), 'same versions as a fresh one');

is(ask(db('older'), q{SELECT count(*) FROM pg_constraint WHERE contype = 'f' AND confrelid = 'perfhouse.run'::regclass}), '0', 'rows by run are no longer checked one by one');
my $rights = q{SELECT md5(string_agg(relname || relacl::text, ',' ORDER BY relname)) FROM pg_class WHERE relnamespace = 'perfhouse'::regnamespace};
is(ask(db('older'), $rights), ask(db('fresh'), $rights), 'the same rights');

# ---- a step in the middle that an older perfhouse did not have; definitions of another text
ask(db('older'), q{DELETE FROM perfhouse.schema_version WHERE version IN (115, 15)});
$r = $w->run('runs', '--db', db('older'));
is($r->{code}, 8, 'a missing step is noticed');
like($r->{err}, qr/lack (015-experiments, )?115-trace-formats.*perfhouse init/s, 'and named');
$w->ok_run('init applies it', 'init', '--db', db('older'));
$w->ok_run('now they serve again', 'runs', '--db', db('older'));
ask(db('older'), q{DROP VIEW perfhouse.measurement; UPDATE perfhouse.schema_version SET checksum = 'other' WHERE version = 10});
$w->ok_run('init renews definitions whose text has changed', 'init', '--db', db('older'));
is(ask(db('older'), 'SELECT count(*) FROM perfhouse.measurement'), '0', 'the view is there');
ask(db('older'), q{INSERT INTO perfhouse.schema_version (version, name, checksum) VALUES (0, '000-elsewhere', '')});
for my $command ([qw(runs)], [qw(init)])
{
	$r = $w->run(@$command, '--db', db('older'));
	is($r->{code}, 8, "@$command: a step of a newer perfhouse");
	like($r->{err}, qr/through 000-elsewhere, which this program does not know/, 'is named');
}

# ---- a failing migration changes nothing
make_database('blocked');
ask(db('blocked'), 'CREATE SCHEMA perfhouse; CREATE TABLE perfhouse.callpath (x int)');
$r = $w->run('init', '--db', db('blocked'));
isnt($r->{code}, 0, 'init over a foreign table');
like($r->{err}, qr/nothing was changed/, 'says so');
is(ask(db('blocked'), q{SELECT count(*) FROM pg_extension WHERE extname = 'perfhouse'}), '0', 'not even the extension');

# ---- roles
ask($admin, 'CREATE ROLE ann LOGIN IN ROLE perfhouse_reader; CREATE ROLE bob LOGIN IN ROLE perfhouse_loader; CREATE ROLE eve LOGIN');
is(ask(db('fresh', 'ann'), 'SELECT count(*) FROM perfhouse.run_overview'), $runs, 'a reader reads');
like(ask(db('fresh', 'ann'), 'DELETE FROM perfhouse.run'), qr/permission denied/, 'and does not delete');
like(ask(db('fresh', 'ann'), 'SELECT perfhouse.drop_run(1)'), qr/permission denied/, 'nor through functions');
is(ask(db('fresh', 'ann'), 'SELECT count(*) > 0 FROM perfhouse.nodes(perfhouse.profile(1))'), 't', 'but analyses');
$r = $w->run('load', '--db', db('fresh', 'ann'), glob("$source/lulesh-13ef21b-n8-1.cali"));
is($r->{code}, 7, 'a reader may not load');
$w->ok_run('a loader loads', 'load', '--db', db('fresh', 'bob'), glob("$source/lulesh-13ef21b-n8-1.cali"));
$w->ok_run('and removes', 'rm', '--db', db('fresh', 'bob'), $runs + 1);
$r = $w->run('runs', '--db', db('fresh', 'eve'));
is($r->{code}, 7, 'somebody else sees nothing') or diag($r->{err});
$r = $w->run('init', '--db', db('fresh', 'ann'));
is($r->{code}, 0, 'init by a reader finds nothing to do');
like($r->{out}, qr/\Anothing was to be done: database "fresh" as "ann" .* is ready to be read\n\z/, 'and says so');
like($w->run('init', '--db', db('fresh', 'bob'))->{out}, qr/\Anothing was to be done: .* is ready to be read and loaded into\n\z/, 'so does that of a loader');
ask(db('fresh'), "UPDATE perfhouse.schema_version SET checksum = '' WHERE name = '010-views'");
$r = $w->run('init', '--db', db('fresh', 'ann'));
is($r->{code}, 7, 'where there is something to do a reader is refused') or diag($r->{out});
like($r->{err}, qr/nothing was changed: only the owner of the warehouse upgrades it\n.*hint: Let him run perfhouse init/, 'and hears who may');
unlike($r->{err}, qr/GRANT/, 'not that he lacks a role');
$w->ok_run('the owner does it', 'init', '--db', db('fresh'));

# ---- logins
is($w->run('runs', '--db', db('fresh', 'nobody_here'))->{code}, 6, 'unknown role');
is($w->run('runs', '--db', db('nowhere'))->{code}, 6, 'unknown database');
is($w->run('runs', '--db', 'host=/nonexistent')->{code}, 5, 'no server');
is($w->run('runs', '--db', 'postgresql://localhost:1/x')->{code}, 5, 'by URI');
is($w->run('runs', '--db', 'no such=option')->{code}, 5, 'not a conninfo');
{
	local $ENV{PGHOST} = '/nonexistent';
	is($w->run('runs')->{code}, 5, 'PG* variables choose the server');
}
{
	local $ENV{PERFHOUSE_DB} = db('fresh');
	is($w->ok_run('PERFHOUSE_DB', 'psql', '--', '-Atc', 'SELECT current_database()')->{out}, "fresh\n", 'stands for --db');
}

# ---- dump and restore
my $bin  = qx(pg_config --bindir);
chomp $bin;
my ($host) = $base =~ /host='([^']*)'/;
my $dump = "$w->{home}/dump";
SKIP:
{
	skip 'pg_dump is not there', 4 unless -x "$bin/pg_dump";
	is(system("$bin/pg_dump", '-h', $host, '-U', 'perfhouse', '-Fc', '-f', $dump, 'fresh'), 0, 'pg_dump');
	make_database('restored');
	is(system("$bin/pg_restore", '-h', $host, '-U', 'perfhouse', '--exit-on-error', '-d', 'restored', $dump), 0, 'pg_restore');
	my $digest = q{SELECT md5(string_agg(n::text, E'\n' ORDER BY r.run_id, n.node)) FROM perfhouse.run_overview r, perfhouse.nodes(perfhouse.profile(r.run_id)) n};
	is(ask(db('restored'), $digest), ask(db('fresh'), $digest), 'the same profiles');
	$w->ok_run('and it takes new runs', 'load', '--db', db('restored'), glob("$source/lulesh-13ef21b-n8-1.cali"));
}

# ---- two warehouses of a server that has none yet, set up at the same time: both want to make the roles
{
	my $other = Perfhouse->empty;
	my ($place) = $other->ok_run('another server', 'up')->{out} =~ /(host='[^']*' port=\d+)/;
	my @in = map { ['psql', '--db', "$place dbname=$_ user=perfhouse", '--', '-XAtqv', 'ON_ERROR_STOP=1', '-c'] } qw(postgres second);
	is($other->run(@{$in[0]}, 'CREATE DATABASE second')->{code}, 0, 'a database');
	my $make = join '; ', map { "CREATE ROLE perfhouse_$_ NOLOGIN" } qw(reader loader admin guest);
	my ($first, $of_first) = $other->start(@{$in[0]}, "BEGIN; $make; SELECT FROM pg_advisory_xact_lock(7)",
		'-c', 'DO $$ BEGIN FOR i IN 1 .. 6000 LOOP EXIT WHEN EXISTS (SELECT FROM pg_locks WHERE NOT granted); PERFORM pg_sleep(0.01); END LOOP; END $$', '-c', 'COMMIT');
	for (1 .. 600)
	{
		last if $other->run(@{$in[0]}, q{SELECT count(*) > 0 FROM pg_locks WHERE locktype = 'advisory'})->{out} eq "t\n";
		sleep(0.05);
	}
	$other->ok_run('who comes second waits', 'init', '--db', $in[1][2]);
	my $held = $other->finish($first, $of_first);
	is($held->{code}, 0, 'for the first') or diag($held->{err});
	is($other->run(@{$in[1]}, q{SELECT has_table_privilege('perfhouse_reader', 'perfhouse.run', 'select')})->{out}, "t\n", 'and gives the grants');
	$other->stop;
}

done_testing();
