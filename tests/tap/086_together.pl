# Eight loaders beside readers, retention and the search for regressions: nothing half loaded is seen, nothing that was reported
# is lost unless somebody removed it, nobody waits for another for good. RUNS (25) runs each; make torture-loads: 10,000.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Perfhouse;
use POSIX ();
use Test::More;
use Time::HiRes qw(time);

my $runs    = $ENV{RUNS} // 25;
my $loaders = 8;
my $batch   = $runs < 500 ? int(($runs + 1) / 2) : 250;
my $w       = Perfhouse->new;
diag("RUNS=$runs");
$w->without_sync;
$w->sql(q{INSERT INTO perfhouse.commit (commit_id, repository, parents, committed_at, subject, position, first_parent_position)
	SELECT md5('r' || i), 'code', CASE WHEN i > 1 THEN ARRAY[md5('r' || (i - 1))] ELSE '{}' END, '2026-01-01'::timestamptz + i * interval '1 day', 'commit ' || i, i, i - 1 FROM generate_series(1, 40) i});
$w->sql(q{SELECT perfhouse.set_retention('old', 'roll up', '1 day', 'tag = old')});
my @commits = split /\n/, $w->sql(q{SELECT commit_id FROM perfhouse.commit ORDER BY position});

# ---- who is there beside the loaders: each repeats its statements until the end
my %beside = (
	reader => q{BEGIN ISOLATION LEVEL REPEATABLE READ;
SELECT 'wrong', r.run_id, c.* FROM (SELECT run_id FROM perfhouse.run_overview ORDER BY run_id DESC LIMIT 10) r, perfhouse.check_run(r.run_id) c WHERE NOT c.ok;
SELECT 'differ', a.n, b.n FROM (SELECT count(*) AS n FROM perfhouse.run_overview) a, (SELECT count(*) AS n FROM perfhouse.run_overview) b WHERE a.n <> b.n;
SELECT 'ok', sum(n.inclusive) > 0 FROM (SELECT run_id FROM perfhouse.run_overview ORDER BY random() LIMIT 5) r, perfhouse.nodes(perfhouse.profile(r.run_id)) n;
COMMIT;},
	retention => q{WITH few AS (SELECT run_id FROM perfhouse.run_overview WHERE tags = '{}' ORDER BY random() LIMIT 20)
	UPDATE perfhouse.run r SET tags = CASE WHEN r.run_id % 2 = 0 THEN '{old}'::text[] ELSE '{gone}' END, loaded_at = 'epoch', started_at = 'epoch' FROM few s WHERE s.run_id = r.run_id;
SELECT 'ok', action, count(*) FROM perfhouse.apply_retention() GROUP BY action;
SELECT 'ok', 'remove', count(perfhouse.drop_run(run_id)) FROM perfhouse.run_overview WHERE 'gone' = ANY (tags);
SELECT pg_sleep(0.2);},
	regressions => q{SELECT 'ok', count(*) FROM perfhouse.update_regressions('app'); SELECT pg_sleep(0.5);});
my $stop = "$w->{home}/stop";
my @others;
for my $name (sort keys %beside)
{
	my $file = $w->write_file("$name.sql", ("$beside{$name}\n") x 10);
	my $pid  = fork() // die "fork: $!";
	if ($pid == 0)
	{
		while (!-e $stop) { system("'$Perfhouse::program' psql -- -XAtq -f '$file' >> '$w->{home}/$name.log' 2>&1") }
		POSIX::_exit(0);
	}
	push @others, $pid;
}

# ---- the loaders: each has a folder, filled anew for every load
my ($serial, $n, $odd) = (0, 0, '');
my %reported;
my $began   = time;
my $summary = sub { return "$n of " . $loaders * $runs . ' runs were reported in ' . int(time - $began) . ' s' };
local @SIG{qw(TERM INT HUP)} = (sub { $w->write_file('stop', ''); BAIL_OUT('ended early: ' . $summary->()) }) x 3;

sub next_load
{
	my ($l) = @_;
	my $size = $l->{left} < $batch ? $l->{left} : $batch;
	mkdir "$w->{home}/in$l->{no}";
	unlink glob("$w->{home}/in$l->{no}/*");
	$w->write_caliper_json("in$l->{no}/$_.json", 12, 2, ++$serial) for 1 .. $size;
	$l->{left} -= $size;
	$l->{job} = [$w->start('load', '--json', '--no-regressions', '--set', 'application=app', '--commit', $commits[rand @commits], "$w->{home}/in$l->{no}")];
	return;
}

my @all = map { {no => $_, left => $runs} } 1 .. $loaders;
my %of;
my $go_on = sub { my ($l) = @_; next_load($l); $of{$l->{job}[0]} = $l; return };
$go_on->($_) for @all;
my $told = 0;
while (%of)
{
	my $pid = waitpid(-1, 0);
	my $l   = delete $of{$pid} or next;
	my $r   = $w->result($?, $l->{job}[1]);
	$odd .= "code $r->{code}: $r->{err}\n" if $r->{code} != 0 || $r->{err} ne '';
	$reported{$_} = 1 for $r->{out} =~ /"run_id":\s*(\d+)/g;
	$n = keys %reported;
	$go_on->($l) if $l->{left} > 0;
	next if $n < $told + 5000;
	$told = $n;
	diag($summary->());
}
$w->write_file('stop', '');
waitpid($_, 0) for @others;

# ---- what is there
is($odd, '', 'every load went well, without a warning');
is($n, $loaders * $runs, 'every run was reported');
my %answers;
for my $name (sort keys %beside)
{
	my @lines = split /\n/, Perfhouse::slurp("$w->{home}/$name.log");
	my @good  = grep { /^ok\|/ } @lines;
	my @bad   = grep { !/^ok\|/ && /\S/ } @lines;
	$answers{$name} = @good;
	cmp_ok(scalar @good, '>', 0, "$name had answers");
	is(join("\n", @bad[0 .. ($#bad > 9 ? 9 : $#bad)]), '', "and nothing wrong ($name)");
}
my %there = map { $_ => 1 } split(/\n/, $w->sql('SELECT run_id FROM perfhouse.run_overview'));
my $lost = grep { !$there{$_} } keys %reported;
my $taken = 0;
$taken += $_ for Perfhouse::slurp("$w->{home}/retention.log") =~ /^ok\|remove\|(\d+)$/mg;
is($lost, $taken, 'what is gone was removed');
is($w->sql('SELECT count(*) FROM perfhouse.rows_without_run()'), 0, 'no row without a run');
is($w->sql(q{SELECT count(*) FROM perfhouse.run WHERE state <> 'ready'}), 0, 'no load is left');
is($w->sql('SELECT count(*) FROM (SELECT run_id FROM perfhouse.run_overview ORDER BY random() LIMIT 2000) r, perfhouse.check_run(r.run_id) c WHERE NOT c.ok'), 0, 'runs are whole');
is($w->sql('SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()'), 0, 'no deadlock');
diag($summary->() . '; ' . join(', ', map { "$_ $answers{$_} answers" } sort keys %answers) . "; $taken were removed, and rolled up " . $w->sql('SELECT count(*) FROM perfhouse.run WHERE rolled_up_at IS NOT NULL'));
done_testing();
