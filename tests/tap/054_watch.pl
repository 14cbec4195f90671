# load --watch: a spool folder from its first file to Ctrl-C; who listens hears of runs.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Perfhouse;
use File::Copy qw(copy);
use File::Path qw(make_path);
use JSON::PP;
use Test::More;
use Time::HiRes qw(sleep);

my $w     = Perfhouse->new;
my $spool = "$w->{home}/spool";
make_path($spool);

# Until the output of the watcher matches.
sub comes
{
	my ($file, $pattern, $name) = @_;
	Perfhouse::await(sub { Perfhouse::slurp($file) =~ $pattern });
	like(Perfhouse::slurp($file), $pattern, $name);
}

# As a job does: under a hidden name first.
sub deliver
{
	my ($from, $name) = @_;
	copy($from, "$spool/.$name") or die $!;
	rename("$spool/.$name", "$spool/$name") or die $!;
}

is($w->run('load', '--watch', '--dry-run', $spool)->{code}, 2, 'not with --dry-run');
is($w->run('load', '--settle', 3, $spool)->{code}, 2, '--settle alone');
is($w->run('load', '--watch', "$w->{home}/nowhere")->{code}, 13, 'no such folder');
$w->ok_run('init', 'load', '--no-regressions', '--set', 'application=first', "$Perfhouse::data/profiles/small.cali");

# psql tells what it heard of after a statement: until two runs have been loaded, the first of which has been told of then
my $until_two = q{DO $$ BEGIN WHILE (SELECT count(*) < 2 FROM perfhouse.run WHERE application = 'spooled' AND state = 'ready') LOOP PERFORM pg_sleep(0.2); END LOOP; END $$};
my ($ears, $heard) = $w->start('psql', '--', '-Atc', 'LISTEN perfhouse_run', '-c', $until_two, '-c', 'SELECT 1');
$w->becomes_true(q{SELECT count(*) = 1 FROM pg_stat_activity WHERE query ~ '^DO'});
deliver("$Perfhouse::data/profiles/small.cali", 'old.cali');
my ($pid, $base) = $w->start('load', '--watch', $spool, '--settle', 2, '--set', 'application=spooled');
comes("$base.out", qr{old\.cali: already loaded as run 1$}m, 'what the warehouse has is skipped');
deliver("$Perfhouse::data/profiles/small.json", 'a.json');
comes("$base.out", qr{a\.json: run \d+, 3 nodes}, 'a file is loaded');

# written slowly: not before it is complete
my $text = Perfhouse::slurp("$Perfhouse::data/profiles/lulesh-8.region-profile.cali");
open(my $slow, '>', "$spool/slow.cali") or die $!;
$slow->autoflush(1);
for my $part (0 .. 19)
{
	print $slow substr($text, $part * int(length($text) / 20 + 1), int(length($text) / 20 + 1));
	sleep 0.2; # each pause much shorter than --settle, all of them longer
}
close $slow;
comes("$base.out", qr{slow\.cali: run \d+, 35 nodes}, 'a file that is written slowly is loaded when it is complete');
unlike(Perfhouse::slurp("$base.err"), qr/slow/, 'and not tried before');

# a folder is one unit
system('cp', '-r', "$Perfhouse::data/profiles/scorep-halo2d", "$spool/.tmp") == 0 or die;
rename("$spool/.tmp", "$spool/scorep") or die $!;
comes("$base.out", qr{spool/scorep: run \d+, 22 nodes, 9 columns}, 'an experiment is one run');

# a failed input is reported once, and tried again when it changes
$w->write_file('spool/bad.json', '{"data": [[1,2');
comes("$base.err", qr/bad\.json/, 'a failure is reported');
my $errors = () = Perfhouse::slurp("$base.err") =~ /error/g;
sleep 2;
is(scalar(() = Perfhouse::slurp("$base.err") =~ /error/g), $errors, 'once');
copy("$Perfhouse::data/profiles/literal-b.json", "$spool/bad.json");
comes("$base.out", qr{bad\.json: run \d+, 4 nodes}, 'and loaded when it is mended');

$heard = $w->finish($ears, $heard)->{out};
like($heard, qr/notification "perfhouse_run" with payload "\{"run_id" : \d+, "application" : "spooled", "state" : "ready"\}"/, 'NOTIFY perfhouse_run');

# a restarting database
$w->ok_run('the server goes', 'down');
deliver("$Perfhouse::data/profiles/lulesh-8.spot.cali", 'late.cali');
comes("$base.out", qr{late\.cali: run \d+, 35 nodes}, 'what comes while it is away is loaded when it is back');
unlike(Perfhouse::slurp("$base.out"), qr/late\.cali.*late\.cali/s, 'once');
kill 'INT', $pid;
my $r = $w->finish($pid, $base);
is($r->{code}, 1, 'Ctrl-C: an input had failed');
like($r->{out}, qr/^watched for \d+ s: 5 loaded, 1 already there, 1 failed$/m, 'the summary') or diag($r->{out}, $r->{err});
is($w->sql(q{SELECT count(*) FROM perfhouse.run WHERE state <> 'ready'}), 0, 'nothing half is left');
is($w->sql(q{SELECT count(*) FROM perfhouse.run_overview WHERE application = 'spooled'}), 5, 'every input is a run');

# again: nothing is loaded twice; units are moved where they belong; JSON
make_path("$spool/done", "$w->{home}/failed");
$w->write_file('spool/worse.json', '{"data": [[');
$w->write_file('spool/notes.txt', 'hello');
($pid, $base) = $w->start('load', '--watch', $spool, '--settle', 0, '--done', "$spool/done", '--failed', "$w->{home}/failed", '--json', '--ignore-unknown');
comes("$base.out", qr{slow\.cali.*skipped}, 'a new watcher skips what is there');
Perfhouse::await(sub { !grep { !-e } "$w->{home}/failed/worse.json", map { "$spool/done/$_" } qw(a.json slow.cali scorep bad.json late.cali old.cali) });
ok(-e "$spool/done/$_", "$_ is moved away") for qw(a.json slow.cali scorep bad.json late.cali old.cali);
ok(-e "$w->{home}/failed/worse.json" && !-e "$spool/worse.json", 'a failed one elsewhere');
ok(-e "$spool/notes.txt", 'what nobody knows stays');
deliver("$Perfhouse::data/profiles/small.json", 'a.json');
ok(Perfhouse::await(sub { -e "$spool/done/a.json.2" }), 'a name that is taken gets a number');
kill 'TERM', $pid;
$r = $w->finish($pid, $base);
my @lines = map { decode_json($_) } split /\n/, $r->{out};
is(scalar(grep { $_->{outcome} eq 'skipped' } @lines), 7, 'JSON for every input');
is($r->{code}, 1, 'SIGTERM');
($pid, $base) = $w->start('load', '--watch', $spool, '--settle', 0, '--ignore-unknown');
deliver("$Perfhouse::data/profiles/small.json", 'again.json');
comes("$base.out", qr{again\.json: already loaded}, 'a watcher that has nothing to do');
kill 'INT', $pid;
is($w->finish($pid, $base)->{code}, 0, 'nothing failed: success');

# a folder with a file that cannot be read waits for it, and has failed when it does not come
make_path("$spool/.half");
copy("$Perfhouse::data/profiles/$_", "$spool/.half/$_") or die $! for qw(small.csv small.folded);
symlink('nowhere', "$spool/.half/$_") or die $! for qw(gone lost);
rename("$spool/.half", "$spool/half") or die $!;
($pid, $base) = $w->start('load', '--watch', $spool, '--settle', 0, '--give-up', 5, '--done', "$spool/done", '--failed', "$w->{home}/failed", '--ignore-unknown');
comes("$base.out", qr{half/small\.csv: run \d+.*half/small\.folded: run \d+}s, 'what can be read of it is loaded');
ok(Perfhouse::await(sub { -e "$w->{home}/failed/half" }), 'and it goes where what failed goes');
kill 'TERM', $pid;
$r = $w->finish($pid, $base);
is(scalar(() = $r->{err} =~ m{half/gone: cannot be read}g), 1, 'the file is told, once');
like($r->{out}, qr/ 2 loaded, \d+ already there, 2 failed$/m, 'and counted');
is($r->{code}, 1, 'an input failed');

# what is not whole yet has not failed
$w->write_file('spool/part.cali', substr(Perfhouse::slurp("$Perfhouse::data/lulesh-history/lulesh-3e01c40-n8-1.cali"), 0, 12_000));
($pid, $base) = $w->start('load', '-v', '--watch', $spool, '--settle', 0, '--give-up', 300, '--ignore-unknown');
comes("$base.err", qr{part\.cali: not whole yet}, 'a file that is cut off waits');
deliver("$Perfhouse::data/lulesh-history/lulesh-3e01c40-n8-1.cali", 'part.cali');
comes("$base.out", qr{part\.cali: run \d+}, 'and is loaded when it is whole');
$w->sql(q{CREATE FUNCTION public.deadlock() RETURNS trigger LANGUAGE plpgsql AS $f$BEGIN RAISE EXCEPTION USING ERRCODE = 'deadlock_detected', MESSAGE = 'in each other''s way'; END$f$;}
	. q{ CREATE TRIGGER deadlock BEFORE INSERT ON perfhouse.run FOR EACH ROW EXECUTE FUNCTION public.deadlock()});
deliver("$Perfhouse::data/lulesh-history/lulesh-3e01c40-n8-2.cali", 'locked.cali');
comes("$base.err", qr/the database ended a load for another's sake; trying again in 1 s/, 'a deadlock is told');
$w->sql('DROP TRIGGER deadlock ON perfhouse.run');
comes("$base.out", qr{locked\.cali: run \d+}, 'and the load comes again');
kill 'TERM', $pid;
is($w->finish($pid, $base)->{code}, 0, 'nothing has failed');
is($w->sql(q{SELECT count(*) FROM perfhouse.load_log WHERE source LIKE '%/part.cali' AND outcome = 'failed'}), 0, 'also in the log of loads');

# drops and rollups are heard of, too
$heard = $w->ok_run('listening', 'psql', '--', '-Atc', 'LISTEN perfhouse_run', '-c', 'SELECT perfhouse.roll_up_run(1)', '-c', 'SELECT perfhouse.drop_run(1)', '-c', 'SELECT 1')->{out};
like($heard, qr/"run_id" : 1, "application" : "first", "state" : "rolled up"/, 'rolled up');
like($heard, qr/"run_id" : 1, "application" : "first", "state" : "dropped"/, 'dropped');
done_testing();
