# load --spool, spool flush, run: jobs leave what they measured, and never fail or wait because of the warehouse.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Perfhouse;
use Test::More;

my $w       = Perfhouse->new;
my $spool   = "$w->{home}/spool";
my $history = "$Perfhouse::data/lulesh-history";
my @away    = ('--db', 'host=/nonexistent');
my $waiting = sub { my @names = grep { !/^failed$/ } map { s{.*/}{}r } glob("$spool/*"); return scalar @names };

# ---- the database is away
my $one = "$history/lulesh-3e01c40-n8-1.cali";
my $r   = $w->run('load', @away, '--spool', $spool, '--set', 'problem=30', '--tag', 'night', '--commit', 'abc123', $one);
is($r->{code}, 0, 'the database is away: no job fails');
like($r->{err}, qr/cannot connect.*Copies wait in \Q$spool\E: perfhouse spool flush/s, 'what happened, and what will');
is($w->run('load', @away, $one)->{code}, 5, 'without a spool it does');
{
	local $ENV{SLURM_JOB_ID}   = '4711';
	local $ENV{SLURM_JOB_USER} = 'ann';
	$r = $w->ok_run('a job that does not try', 'load', '--spool', $spool, '--defer', "$history/lulesh-46c2a1d-n8-1.cali", "$Perfhouse::data/traces/lulesh-8/traces.otf2");
	is($r->{err}, '', 'says nothing');
}
my $copy = $w->write_file('gone.cali', Perfhouse::slurp("$history/lulesh-a703528-n8-2.cali"));
$w->write_file('gone.cali.meta.json', '{"application": "beside"}');
$w->ok_run('its metadata is beside it', 'load', '--spool', $spool, '--defer', $copy);
unlink $copy, "$copy.meta.json";
is($waiting->(), 3, 'three loads wait');
is(scalar(my @lines = split /\n/, $w->ok_run('list', 'spool', 'list', $spool)->{out}), 3, 'are listed');
is((stat($spool))[2] & 077, 0, 'and nobody else may look');

# ---- delivery
$r = $w->run('spool', 'flush', $spool, @away);
is($r->{code}, 5, 'still away');
like($r->{out}, qr/^0 delivered, 0 failed, 3 waiting$/m, 'all wait');
$r = $w->ok_run('flush', 'spool', 'flush', $spool);
like($r->{out}, qr/^3 delivered, 0 failed, 0 waiting$/m, 'delivered');
is($waiting->(), 0, 'nothing is left');
is($w->sql("SELECT count(*) FROM run WHERE state = 'ready'"), 4, 'all are there, also a trace with its files');
is($w->sql("SELECT commit_id, meta ->> 'problem', tags FROM run WHERE commit_id = 'abc123'"), 'abc123|30|{night}', 'with what they were given');
is($w->sql("SELECT count(*) FROM run WHERE user_name = 'ann' AND meta ->> 'SLURM_JOB_ID' = '4711'"), 2, 'and their own job');
is($w->sql("SELECT count(*) FROM run WHERE application = 'beside'"), 1, 'and what lay beside');
{
	local $ENV{SLURM_JOB_ID} = '99';
	$w->ok_run('again', 'load', '--spool', $spool, '--defer', $one);
	$w->ok_run('flush again', 'spool', 'flush', $spool);
}
is($w->sql('SELECT count(*) FROM run'), 4, 'nothing is there twice');

# ---- input that is none
my $bad = $w->write_file('bad.cali', substr(Perfhouse::slurp($one), 0, 12_000));
is($w->run('load', '--spool', $spool, $bad)->{code}, 0, 'a file that was cut off fails no job');
$w->ok_run('kept', 'load', '--spool', $spool, '--defer', $bad);
$w->ok_run('kept with a good one behind it', 'load', '--spool', $spool, '--defer', "$history/lulesh-3e01c40-n27-1.cali");
$r = $w->run('spool', 'flush', $spool);
is($r->{code}, 1, 'a refused one is told');
like($r->{out}, qr/^failed: see (\S+)$/m, 'with its log');
my ($log) = $r->{out} =~ /^failed: see (\S+)$/m;
like(Perfhouse::slurp($log), qr/cut off|incomplete|truncated/i, 'which says why');
like($r->{out}, qr/^1 delivered, 1 failed, 0 waiting$/m, 'and stops no other');

# ---- many jobs while a service delivers
my ($pid, $base) = $w->start('spool', 'flush', $spool, '--watch');
my @names = glob("$history/*.cali");
for my $i (0 .. 19)
{
	local $ENV{SLURM_JOB_ID} = 1000 + $i;
	$w->ok_run("job $i", 'load', '-q', '--spool', $spool, '--defer', $names[$i % @names]);
}
Perfhouse::await(sub { $waiting->() == 0 });
is($waiting->(), 0, 'a service delivers what comes');
kill 'TERM', $pid;
is($w->finish($pid, $base)->{code}, 0, 'and ends when told to');
is($w->sql('SELECT count(*) - count(DISTINCT fingerprint) FROM run'), 0, 'no content twice');

# ---- a database that goes away between two loads: only what it lacks is kept, and waits
my $kept    = "$w->{home}/kept";
my $flushed = sub { my $f = $w->run('spool', 'flush', $kept, @_); return "$f->{code}: " . ($f->{out} =~ /^(\d+ delivered.*)$/m ? $1 : $f->{out}) };
my $put     = sub {
	$w->ok_run('put into the spool', 'load', '--spool', $kept, '--defer', @_);
	my ($put) = glob("$kept/[0-9]*");
	return $put;
};
my @sides = ($w->write_caliper_json('large.json', 4000, 16, 7), $w->write_caliper_json('lost.json', 10, 2, 8)); # the large one is stored by itself
$w->sql(q{CREATE FUNCTION public.lost() RETURNS trigger LANGUAGE plpgsql AS $f$BEGIN RAISE EXCEPTION USING ERRCODE = 'admin_shutdown', MESSAGE = 'it goes'; END$f$;}
	. q{ CREATE TRIGGER lost BEFORE INSERT ON perfhouse.run FOR EACH ROW WHEN (NEW.title = 'lost.json') EXECUTE FUNCTION public.lost()});
is($w->run('load', '--spool', $kept, '-j', 1, @sides)->{code}, 0, 'the database goes away after the first of two');
is($w->sql(q{SELECT count(*) FROM run WHERE title = 'large.json'}), 1, 'which is stored');
is(join(' ', map { s{.*/}{}r } glob("$kept/*/*/*")), 'lost.json', 'the other one is kept');
is($w->run('load', '-j', 1, @sides)->{code}, 5, 'a load without a spool ends with its code');
system('rm', '-r', $kept);
$put->(@sides);
is($flushed->(), '5: 0 delivered, 0 failed, 1 waiting', 'a delivery of both waits');
$w->sql('DROP TRIGGER lost ON perfhouse.run');
is($flushed->(), '0: 1 delivered, 0 failed, 0 waiting', 'until the database is back');

# ---- what ends a delivery, but is not the fault of the load
$w->sql(q{CREATE SEQUENCE public.asked; CREATE FUNCTION public.deadlock() RETURNS trigger LANGUAGE plpgsql AS $f$BEGIN}
	. q{ IF nextval('public.asked') <= 5 THEN RAISE EXCEPTION USING ERRCODE = 'deadlock_detected', MESSAGE = 'in each other''s way'; END IF; RETURN NEW; END$f$;}
	. q{ CREATE TRIGGER deadlock BEFORE INSERT ON perfhouse.run FOR EACH ROW EXECUTE FUNCTION public.deadlock()});
$put->($w->write_caliper_json('locked.json', 10, 2, 9));
is($flushed->(), '0: 1 delivered, 0 failed, 0 waiting', 'deadlocks are tried again');
$w->sql('DROP TRIGGER deadlock ON perfhouse.run');
{
	my $name  = $put->($w->write_caliper_json('killed.json', 10, 2, 10)) =~ s{.*/}{}r;
	my $words = Perfhouse::slurp("$kept/$name/environment");
	my $ends  = sub { return $w->write_file("kept/$name/environment", "sh\0-c\0ulimit -c 0; echo tried; $_[0]\0") };
	for my $how ('kill -KILL $$', 'kill -TERM $$', 'exit 127')
	{
		$ends->($how);
		is($flushed->(), '130: 0 delivered, 0 failed, 1 waiting', "$how: it waits");
	}
	local $ENV{PATH} = "$w->{home}/nowhere";
	$w->write_file("kept/$name/environment", $words);
	is($flushed->(), '0: 1 delivered, 0 failed, 0 waiting', 'and is delivered, whatever PATH is');
}
{
	my $name = $put->($w->write_caliper_json('crash.json', 10, 2, 11)) =~ s{.*/}{}r;
	$w->write_file("kept/$name/environment", "sh\0-c\0ulimit -c 0; echo tried; kill -SEGV \$\$\0");
	is($flushed->(), '1: 0 delivered, 1 failed, 0 waiting', 'one that always crashes stops no other');
	is(scalar(() = Perfhouse::slurp("$kept/failed/$name/log") =~ /tried/g), 3, 'after three attempts');
}

# ---- one that is too large, or killed each time, keeps no other from being delivered; more words than fit in 16 bits
{
	my $first = $put->($w->write_caliper_json('wide.json', 20, 2, 12)) =~ s{.*/}{}r;
	my $words = Perfhouse::slurp("$kept/$first/environment");
	$w->write_file("kept/$first/environment", "sh\0-c\0exit 11\0");
	$put->($w->write_caliper_json('next.json', 10, 2, 13), map { "--tag=t$_" } 1 .. 33_000);
	mkdir "$kept/failed/old" or die $!;
	$r = $w->run('spool', 'flush', $kept);
	is($r->{code}, 11, 'no memory for one');
	like($r->{out}, qr/^1 delivered, 0 failed, 1 waiting$/m, 'the next one is delivered');
	is($w->sql(q{SELECT cardinality(tags) FROM run WHERE title = 'next.json'}), 33_000, 'with all its words');
	$w->write_file("kept/$first/environment", "sh\0-c\0kill -KILL \$\$\0");
	$put->($w->write_caliper_json('third.json', 10, 2, 14));
	is($flushed->(), '130: 1 delivered, 0 failed, 1 waiting', 'nor does a load that is killed');
	$put->($w->write_caliper_json('fourth.json', 10, 2, 15));
	is($flushed->(@away), '130: 0 delivered, 0 failed, 2 waiting', 'failed ones do not wait');
	$w->write_file("kept/$first/environment", $words);
	is($flushed->(), '0: 2 delivered, 0 failed, 0 waiting', 'and it comes when it can');
}

# ---- what is delivered, but cannot be removed: a path that is too long for the system
{
	chdir $put->('--if-exists', 'append', $one) or die $!;
	for (1 .. 25) { mkdir 'x' x 200 or die $!; chdir 'x' x 200 or die $! }
	chdir '/' or die $!;
	my $n = $w->sql('SELECT count(*) FROM run');
	$r = $w->run('spool', 'flush', $kept);
	like($r->{out}, qr/^1 delivered, 0 failed, 0 waiting$/m, 'a load that cannot be removed is delivered');
	like($r->{err}, qr/is delivered, but cannot be removed/, 'with a warning');
	is($flushed->(), '0: 0 delivered, 0 failed, 0 waiting', 'once');
	is($w->sql('SELECT count(*) FROM run'), $n + 1, 'and is one run');
	system('rm', '-rf', $kept);
}

# ---- what may not be
like($w->run('load', '--or-fail', $one)->{err}, qr/--or-fail goes with --spool/, '--or-fail alone');
like($w->run('load', '--defer', $one)->{err}, qr/--defer goes with --spool/, '--defer alone');
like($w->run('load', '--spool', $spool, '--watch', $spool)->{err}, qr/neither with --watch/, '--spool with --watch');
is($w->run('spool', 'flush', "$w->{home}/nowhere")->{code}, 13, 'no such spool');
SKIP:
{
	skip 'needs root to have two users', 1 if $> != 0;
	$w->ok_run('another one', 'load', '--spool', $spool, '--defer', $one);
	chown 65534, 65534, grep { !/failed$/ } glob("$spool/*");
	like($w->run('spool', 'flush', $spool)->{out}, qr/^0 delivered, 0 failed/m, 'what another user put there is left to him');
}

# ---- run
my $app = $w->write_file('app', "#!/bin/sh\necho out\necho err >&2\n[ \"\$1\" = signal ] && kill -TERM \$\$\nexit \${1:-0}\n");
chmod 0755, $app;
chdir $w->{home} or die $!;
for my $code (0, 3, 42)
{
	$r = $w->run('run', '--with', 'none', '--', $app, $code);
	is($r->{code}, $code, "the exit code is the program's: $code");
	is($r->{out}, "out\n", 'and so is its output');
	is($r->{err}, "err\n", 'nothing is added');
}
is($w->run('run', '--with', 'none', '--', $app, 'signal')->{code}, 128 + 15, 'a signal, too');
is($w->run('run', '--with', 'none', '--', "$w->{home}/none")->{code}, 127, 'no such program');
is($w->run('run')->{code}, 2, 'no program');
my $mark = $w->write_file('scorep', "#!/bin/sh\ncp '$names[-1]' \"\$SCOREP_EXPERIMENT_DIRECTORY.cali\"\nexit 5\n");
chmod 0755, $mark;
my $before = $w->sql('SELECT max(run_id) FROM run');
$r = $w->run('run', '--with', 'scorep', '--set', 'who=me', '--', $mark);
is($r->{code}, 5, 'a measured program keeps its code');
is($r->{out}, '', 'loading writes to standard error');
is_deeply([glob("$w->{home}/perfhouse-run-*")], [], 'its folder is gone');
is($w->sql("SELECT meta ->> 'who', meta ->> 'exit_code', application FROM run WHERE run_id > $before"), 'me|5|scorep', 'and the run is there');
$r = $w->run('run', '--with', 'scorep', @away, '--', $mark);
is($r->{code}, 5, 'also while the database is away');
like($r->{err}, qr/what was measured stays in (\S+)/, 'then the files stay');
$r = $w->run('run', '--with', 'scorep', '--spool', $spool, @away, '--', $mark);
is($r->{code}, 5, 'or a copy is left in the spool');
like($w->ok_run('list', 'spool', 'list', $spool)->{out}, qr/bytes$/m, 'where it waits');
$r = $w->run('run', '--with', 'scorep', '--spool', "$app/none", @away, '--', $mark);
is($r->{code}, 5, 'a spool that cannot be made');
my ($stays) = $r->{err} =~ /what was measured stays in (\S+)/;
ok(defined $stays && -s "$stays/scorep.cali", 'then the files stay, too');
is($w->run('load', '--spool', "$app/none", '--defer', $one)->{code}, 0, 'a load fails no job even so');
is($w->run('load', '--spool', "$app/none", '--defer', '--or-fail', $one)->{code}, 4, 'unless it is to');
{
	mkdir "$w->{home}/fake" or die $!;
	chmod 0755, $w->write_file('fake/perf', <<"PERF");
#!/bin/sh
case \$1 in
script) cat '$Perfhouse::data/profiles/small.perf-script.txt'; exit \${SCRIPT_ENDS:-0} ;;
esac
while [ "\$1" != -- ]; do [ "\$1" != -o ] || echo samples > "\$2"; shift; done
shift
exec "\$@"
PERF
	local $ENV{PATH} = "$w->{home}/fake:$ENV{PATH}";
	local $ENV{SCRIPT_ENDS} = 1;
	my $count = $w->sql('SELECT count(*) FROM run');
	$r = $w->run('run', '--', $app, 3);
	is($r->{code}, 3, 'perf script fails');
	like($r->{err}, qr/perf script could not make a text/, 'as a warning says');
	($stays) = $r->{err} =~ /what was measured stays in (\S+)/;
	is(join(' ', map { s{.*/}{}r } glob(($stays // 'nowhere') . '/*')), 'perf.data', 'then the samples stay as they are');
	is($w->sql('SELECT count(*) FROM run'), $count, 'half a text is not loaded');
	$ENV{SCRIPT_ENDS} = 0;
	($stays) = $w->run('run', '--keep', '--', $app)->{err} =~ /what was measured stays in (\S+)/;
	is(join(' ', map { s{.*/}{}r } glob(($stays // 'nowhere') . '/*')), 'perf.data samples.perf', '--keep keeps the samples and their text');
	is($w->sql('SELECT count(*) FROM run'), $count + 1, 'which is loaded');
}
SKIP:
{
	skip 'no perf here', 2 if system('perf record -q -o /dev/null -- true > /dev/null 2>&1') != 0;
	my $count = $w->sql('SELECT count(*) FROM run');
	is($w->run('run', '--', 'sh', '-c', 'i=0; while [ $i -lt 300000 ]; do i=$((i+1)); done; exit 4')->{code}, 4, 'perf samples what no tool measures');
	is($w->sql('SELECT count(*) FROM run'), $count + 1, 'a run');
}

# ---- Slurm's epilog: steps note where a job's profiles are, the end of its script leaves them
{
	my ($bin) = $Perfhouse::program =~ m{(.*)/};
	my $site = "$w->{home}/site";
	mkdir $_ or die $! for $site, "$w->{home}/profiles";
	system('cp', $one, "$w->{home}/profiles/one.cali");
	local %ENV = (%ENV, PATH => "$bin:$ENV{PATH}", PERFHOUSE_SPOOL => $site, SLURM_JOB_ID => '4712', SLURM_PROCID => '0');
	my $epilog = sub {
		my (%variables) = @_;
		local @ENV{keys %variables} = values %variables;
		return system('sh', "$FindBin::Bin/../../docs/site/epilog.sh") . ' ' . scalar(() = glob("$site/*/*"));
	};
	my %profiles = (PERFHOUSE_PROFILES => "$w->{home}/profiles");
	is($epilog->(), '0 0', 'a job that measures nothing');
	is($epilog->(%profiles, SLURM_STEP_ID => '0', SLURM_PROCID => '1'), '0 0', 'another task');
	is($epilog->(%profiles, SLURM_STEP_ID => '0'), '0 0', 'a step: others may still write');
	is($epilog->(%profiles, SLURM_STEP_ID => '1'), '0 0', 'the next one');
	is($epilog->(), '0 1', 'the script, which set the folder itself');
	is($epilog->(), '0 1', 'is over once');
	is($epilog->(%profiles), '0 2', 'a script that does it as its last line');
	is(scalar(() = glob("$site/.job*")), 0, 'no note is left');
}

done_testing();
