# Runs of older releases are stored anew: every answer stays, whoever reads goes on, and a kill at any moment loses nothing.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Perfhouse;
use Test::More;
use Time::HiRes qw(sleep);

my $w = Perfhouse->new;
my $d = $Perfhouse::data;
$w->ok_run('init', 'init');
$w->ok_run('load', 'load', (map { "$d/profiles/$_" } qw(literal-a.json literal-b.json small.cali lulesh-8.spot.cali tau-callpath scorep-halo2d hpctoolkit)),
	"$d/traces/lulesh-8", "$d/traces/colls-6", glob("$d/lulesh-history/lulesh-3e01c40-n8-*.cali"), $w->write_caliper_json('wide.json', 20, 5000, 1));
my @runs   = split /\n/, $w->sql('SELECT run_id FROM perfhouse.run ORDER BY run_id');
my $runs   = join ',', @runs;
my $rolled = $runs[0];
$w->sql("SELECT perfhouse.roll_up_run($rolled)");

my @queries = grep { !/^--|public\.|\bcommit\b|run_history|region_alias|check_run/ } split /\n/, Perfhouse::slurp("$d/releases/queries.sql");
push @queries, q{SELECT md5(string_agg(v::text, E'\n' ORDER BY run_id, metric_id, callpath_id, block)) FROM profile_values v},
	q{SELECT md5(string_agg(v::text, E'\n' ORDER BY run_id, metric_id, callpath_id)) FROM profile_summary v},
	q{SELECT md5(string_agg(v::text, E'\n' ORDER BY run_id, region_id)) FROM run_region v}, q{SELECT run_id, n_nodes, md5(tree) FROM profile_tree ORDER BY 1};

sub answers
{
	my $script = $w->write_file('queries.sql', "SET search_path = perfhouse, public;\n" . join('', map { "\\echo Q\n$_;\n" } @queries));
	my $r = $w->run('psql', '--', '-XAtqv', 'ON_ERROR_STOP=1', '-f', $script);
	return $r->{out} . $r->{err};
}

sub left { return $w->sql('SELECT count(*) FROM perfhouse.run WHERE storage IS DISTINCT FROM 2') }

my $expected = answers();
unlike($expected, qr/ERROR/, 'answers');
cmp_ok(length($expected), '>', 1000, 'many');
$w->as_old_release(@runs);
is($w->sql('SELECT count(*) FROM perfhouse.value_block'), '0', 'nothing is in blocks');
is(answers(), $expected, 'runs of an older release answer the same');
my $r = $w->ok_run('doctor', 'doctor');
like($r->{out}, qr/ok +older runs +@{[scalar @runs]} as an older release stored them \(readable, .*--repair mends it/, 'says how many');
is(left(), scalar @runs, 'and changes nothing');

# ---- one by one, in SQL
my $bytes = $w->sql(q{SELECT sum(pg_column_size(v)) FROM perfhouse.profile_values_1 v WHERE run_id = } . $runs[-1]);
is($w->sql("BEGIN; SET TRANSACTION ISOLATION LEVEL REPEATABLE READ; SELECT perfhouse.convert_run($runs[1]), perfhouse.convert_run($runs[1]); SELECT count(*) FROM perfhouse.profile_tree_1 WHERE run_id = $runs[1]; ROLLBACK"),
	"t|f\n0", 'a run is converted once');
is(left(), scalar @runs, 'rolled back');
like($w->run('psql', '--', '-XAtqc', 'SELECT perfhouse.convert_run(4711)')->{err}, qr/there is no run 4711/, 'a run that is not there');
like($w->run('psql', '--', '-XAtqc', "SET ROLE perfhouse_reader; SELECT perfhouse.convert_run($runs[1])")->{err}, qr/permission denied/, 'readers do not');

# ---- what is not sound stays as it is, and says so; the others go on
my $damaged = $runs[3];
my $spoil   = "run_id = $damaged AND callpath_id = (SELECT min(callpath_id) FROM perfhouse.profile_values_1 WHERE run_id = $damaged)";
$w->sql("CREATE TABLE public.spoilt AS SELECT * FROM perfhouse.profile_values_1 WHERE $spoil; UPDATE perfhouse.profile_values_1 SET callpath_id = -1 WHERE $spoil");

# ---- killed at a lock in the middle of a run: its first row, its tree, the end of its values
sub waits_for_lock
{
	for (1 .. 600)
	{
		my $pid = $w->sql(q{SELECT pid FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%convert_run%' AND pid <> pg_backend_pid()});
		return $pid if $pid =~ /^\d+$/;
		sleep 0.1;
	}
	return;
}

sub wait_until_up
{
	for (1 .. 600)
	{
		my $r = $w->run('psql', '--', '-XAtqc', 'SELECT 1');
		return 1 if $r->{code} == 0;
		sleep 0.1;
	}
	return 0;
}

my $at = 4;
for my $place ("perfhouse.run WHERE run_id = %d", "perfhouse.profile_tree_1 WHERE run_id = %d", "perfhouse.profile_values_1 WHERE run_id = %d")
{
	for my $whom (qw(client backend))
	{
		my $run = $runs[$at++];
		my ($locker, $locker_base) = $w->start('psql', '--', '-XAtqc', sprintf("BEGIN; SELECT count(*) FROM (SELECT FROM $place FOR UPDATE) x; SELECT pg_sleep(600)", $run));
		for (1 .. 600)
		{
			last if $w->sql(q{SELECT count(*) FROM pg_stat_activity WHERE query LIKE '%FOR UPDATE) x; SELECT pg_sleep%' AND wait_event = 'PgSleep' AND pid <> pg_backend_pid()}) eq '1';
			sleep 0.1;
		}
		my ($doctor, $base) = $w->start('doctor', '--repair');
		my $backend = waits_for_lock();
		ok(defined $backend, "a conversion waits: $place, $whom");
		is($w->sql("SELECT count(*) FROM perfhouse.nodes(perfhouse.profile($run)) LIMIT 1"), $w->sql("SELECT n_nodes FROM perfhouse.run WHERE run_id = $run"), 'who reads the run does not');
		kill 'KILL', $whom eq 'client' ? $doctor : $backend;
		$w->finish($doctor, $base);
		if ($whom eq 'client')
		{
			# a server process does not notice that its client is gone before it has the lock: it is ended first
			$w->sql("SELECT pg_terminate_backend($backend, 60000)");
			$w->sql(q{SELECT pg_terminate_backend(pid, 60000) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND query LIKE '%FOR UPDATE) x; SELECT pg_sleep%'});
		}
		kill 'KILL', $locker;
		$w->finish($locker, $locker_base);
		ok(wait_until_up(), 'the server goes on');
		is($w->sql("SELECT count(*) FROM perfhouse.run WHERE run_id = $run AND storage IS DISTINCT FROM 2"), '1', 'the run is what it was') or diag($w->sql('SELECT run_id, storage FROM perfhouse.run'));
		is($w->sql("SELECT count(*) FROM perfhouse.run WHERE run_id IN ($runs) AND run_id < $run AND storage = 2 AND run_id <> $damaged"), $at - 2, 'those before it are done');
	}
}

# ---- it goes on where it was
$r = $w->run('doctor', '--repair');
is($r->{code}, 16, 'all but the damaged run') or diag($r->{err});
like($r->{out}, qr/PROBLEM +older runs +\d+ of \d+ done/, 'says so');
like($r->{err}, qr/converting run $damaged: /, 'names it');
is(left(), '1', 'one is left') or diag($r->{err});
$w->sql("DELETE FROM perfhouse.profile_values_1 WHERE run_id = $damaged AND callpath_id = -1; INSERT INTO perfhouse.profile_values_1 SELECT * FROM public.spoilt; DROP TABLE public.spoilt");
$r = $w->ok_run('retention does the same', 'retention', 'apply');
like($r->{err}, qr/1 runs? of older releases/, 'says so');
is(left(), '0', 'all are converted');
is($w->sql('SELECT (SELECT count(*) FROM perfhouse.profile_values_1) + (SELECT count(*) FROM perfhouse.profile_tree_1) + (SELECT count(*) FROM perfhouse.run_region_1) + (SELECT count(*) FROM perfhouse.trace_chunk WHERE crc IS NULL) + (SELECT count(*) FROM perfhouse.message_chunk WHERE crc IS NULL)'),
	'0', 'nothing is stored in the old way');
is(answers(), $expected, 'every answer is what it was');
cmp_ok($w->sql(q{SELECT sum(octet_length(bytes)) FROM perfhouse.value_block WHERE run_id = } . $runs[-1]), '<', $bytes / 2, 'in less than half the room');
$r = $w->ok_run('doctor finds it sound', 'doctor', '--all');
like($r->{out}, qr/ok +older runs +none/, 'and nothing to do');

done_testing();
