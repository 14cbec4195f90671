# jobs, measure-next: every job has a row, and what of them was measured is known.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use JSON::PP;
use Perfhouse;
use Test::More;

my $w     = Perfhouse->new;
my $now   = int(time / 86400) * 86400 - 43200;    # noon of yesterday
my @names = qw(JobID JobIDRaw Cluster JobName User Account Partition State ExitCode Submit Start End ElapsedRaw NNodes NCPUS TotalCPU MaxRSS ConsumedEnergyRaw NodeList Extra);

# A line of accounting: what is given, and blanks.
sub line
{
	my (%given) = @_;
	return join('|', map { $given{$_} // '' } @names) . "\n";
}

sub job
{
	my ($id, $name, $hours, %given) = @_;
	return line(JobID => $id, JobIDRaw => $id, Cluster => 'quartz', JobName => $name, User => 'ann', Account => 'climate', Partition => 'batch',
		State => 'COMPLETED', ExitCode => '0:0', Submit => $now - 9000, Start => $now - 3600, End => $now, ElapsedRaw => 3600, NNodes => $hours, NCPUS => 36,
		TotalCPU => '1-02:03:04.5', NodeList => 'q[1-4]', %given);
}
my $text = join('|', @names) . "\n" . job(100, 'lulesh', 4) . line(JobID => '100.batch', JobIDRaw => '100.batch', Cluster => 'quartz', State => 'COMPLETED', MaxRSS => '2048K')
	. line(JobID => '100.0', JobIDRaw => '100.0', Cluster => 'quartz', State => 'COMPLETED', MaxRSS => '3M', ConsumedEnergyRaw => '1200')
	. job(101, 'lulesh', 4) . job(102, 'halo', 40, State => 'CANCELLED by 1000', ExitCode => '1:0') . job(103, 'wrap', 2, End => 'Unknown', State => 'RUNNING')
	. job('104_7', 'sweep', 1, JobIDRaw => 110) . job(105, 'old', 8, Submit => '2020-02-30T00:00:00') . "garbage\n\nx|y|z\n";
my $file = $w->write_file('sacct.txt', $text);
my $r    = $w->ok_run('load accounting', 'jobs', 'load', $file);
is($r->{out}, "6 jobs of 10 lines\n", 'jobs, not their steps');
like($r->{err}, qr/2 lines are no jobs/, 'and what is none');
is($w->sql(q{SELECT application, user_name, project, queue, state, exit_code, elapsed, n_nodes, n_cpus, cpu_time, max_memory, energy, node_list FROM job WHERE job = '100'}),
	'lulesh|ann|climate|batch|COMPLETED|0|3600|4|36|93784.5|3145728|1200|q[1-4]', 'all that accounting says, with that of steps');
is($w->sql(q{SELECT extract(epoch FROM ended_at)::bigint FROM job WHERE job = '100'}), $now, 'times in seconds');
$w->ok_run('hidden', 'jobs', 'load', '--redact', 'users,hosts', '--salt', 's', $file);
is($w->sql(q{SELECT count(*) FROM job WHERE user_name = perfhouse_internal.pseudonym('user', 'ann', 's') AND node_list = perfhouse_internal.pseudonym('host', 'q[1-4]', 's')}), 6,
	'users and nodes are pseudonyms');
is($w->sql(q{SELECT count(*) FROM job WHERE user_name = 'ann' OR node_list ~ 'q'}), 0, 'and nothing else');
$w->ok_run('as they are', 'jobs', 'load', $file);
is($w->sql(q{SELECT state, exit_code FROM job WHERE job = '102'}), 'CANCELLED|1', 'a state is one word');
is($w->sql(q{SELECT application IS NULL, ended_at IS NULL FROM job WHERE job = '103'}), 't|t', 'no name of its own, no end yet');
is($w->sql(q{SELECT application FROM job WHERE job = '110'}), 'sweep', 'jobs of an array by their own numbers');
is($w->sql(q{SELECT submitted_at IS NULL FROM job WHERE job = '105'}), 't', 'a day that is none is not known');
is($w->run('jobs', 'load', $file)->{out}, "6 jobs of 10 lines\n", 'again');
is($w->sql('SELECT count(*) FROM job'), '6', 'and nothing is there twice');
$w->write_file('later.txt', "JobID|Cluster|State|End|JobName\r\n103|quartz|TIMEOUT|2026-03-01T12:00:00|app\r\n");
is(decode_json($w->ok_run('in a zone', 'jobs', 'load', '--json', '--time-zone', 'Europe/Berlin', "$w->{home}/later.txt")->{out})->{n_jobs}, 1, 'a job that ended');
is($w->sql(q{SELECT state, ended_at AT TIME ZONE 'UTC' FROM job WHERE job = '103'}), 'TIMEOUT|2026-03-01 11:00:00', 'is known so');
for my $case (['no table', "hello\n", 1, qr/does not name the columns JobID and State.*sacct --parsable2/s], ['nothing', '', 1, qr/JobID/], ['no text', "a\0b", 4, qr/not text/])
{
	my ($name, $bad, $code, $message) = @$case;
	$r = $w->run('jobs', 'load', $w->write_file('bad.txt', $bad));
	is($r->{code}, $code, "$name is refused") or diag($r->{err});
	like($r->{err}, $message, "$name: with the reason");
}
is($w->run('jobs', 'load', "$w->{home}/nowhere")->{code}, 4, 'no such file');

# ---- what was measured
my $history = "$Perfhouse::data/lulesh-history";
{
	local $ENV{SLURM_JOB_ID}        = '100';
	local $ENV{SLURM_CLUSTER_NAME}  = 'quartz';
	local $ENV{SLURM_JOB_PARTITION} = 'batch';
	$w->ok_run('a profile', 'load', '--set', 'application=lulesh', '--set', 'started_at=' . ($now - 3000), "$history/lulesh-3e01c40-n8-1.cali");
	local $ENV{SLURM_JOB_ID} = '999';
	$w->ok_run('a trace of a job without accounting', 'load', '--set', 'application=other', '--set', 'started_at=' . ($now - 3000), "$Perfhouse::data/traces/lulesh-8");
}
my %of = map { my $v = decode_json($_); (($v->{application} // '') => $v) } split /\n/, $w->ok_run('coverage', 'jobs', 'coverage', '--since', '3d', '--json')->{out};
is_deeply([sort keys %of], [qw(halo lulesh old other sweep)], 'applications of the last days');
is_deeply([@{$of{lulesh}}{qw(n_jobs n_accounted n_profiled n_traced node_hours measured_share queue)}], [2, 2, 1, 0, 8, 0.5, 'batch'], 'of lulesh a half was measured');
is_deeply([@{$of{other}}{qw(n_jobs n_accounted n_profiled n_traced node_hours)}], [1, 0, 1, 1, undef], 'a trace whose job accounting lacks');
like($w->ok_run('as a table', 'jobs', '--since', '3d')->{out}, qr/^day +queue +application +n_jobs.*^\S+ +batch +halo +1 /ms, 'the default');
my @next = map { decode_json($_) } split /\n/, $w->ok_run('what next', 'measure-next', '--json')->{out};
is(join(' ', map { "$_->{application}:$_->{what}" } @next), 'halo:profile old:profile lulesh:trace sweep:profile', 'by node-hours of what was never measured, or lost');
is($next[0]{reason}, 'its job was not measured', 'with the reason');
is(scalar(@next = split /\n/, $w->ok_run('one', 'measure-next', '--json', '-n', '1')->{out}), 1, 'as many as are asked for');
$w->sql(q{UPDATE run SET parallel_efficiency = 0.4 WHERE application = 'lulesh'});
like($w->ok_run('of no job', 'measure-next', '--since', '2999-01-01')->{err}, qr/nothing to measure: no job of this time/, 'and where there is nothing, that');
like($w->ok_run('bad efficiency', 'measure-next')->{out}, qr/^lulesh +trace .*parallel efficiency of 40 %/m, 'what waits deserves a trace');
for my $known ([1.25, 'parallel efficiency of 40 %'], [0.8, 'latest run took 25.0 % longer than its experiment does, 8.0 standard deviations'])
{
	$w->sql(qq{DELETE FROM noise; INSERT INTO noise SELECT r.application, x.experiment, r.primary_metric_id, 0, 9, $known->[0] * u.total,
		0.025 * u.total, 0, 7, r.run_id FROM run r JOIN run_experiment x USING (run_id) JOIN run_overview u USING (run_id) WHERE r.application = 'lulesh'});
	like($w->ok_run('what is known of noise', 'measure-next')->{out}, qr/^lulesh +trace .*\Q$known->[1]\E/m, "level $known->[0]");
}
is($w->sql(q{SET timezone = 'Asia/Tokyo'; INSERT INTO job (cluster, job, state, ended_at) VALUES ('late', '1', 'COMPLETED', '2026-01-05 23:30Z');
	SELECT day FROM coverage('2026-01-05Z', '2026-01-07Z')}),
	'2026-01-05', 'days are those of UTC, whatever the session has');
$w->sql(q{DELETE FROM job WHERE cluster = 'late'});
isnt($w->run('jobs', 'coverage', '--since', 'yesterdayish')->{code}, 0, 'a time that is none');

# ---- nobody sees others' jobs
my ($base) = $w->run('up')->{out} =~ /(host='[^']*' port=\d+)/;
$w->sql(q{CREATE ROLE climate_team; CREATE ROLE jobs_ann LOGIN IN ROLE perfhouse_loader, climate_team; CREATE ROLE jobs_eve LOGIN IN ROLE perfhouse_loader});
$w->ok_run('grant',  'projects', 'grant', 'climate', 'climate_team');
$w->ok_run('enable', 'projects', 'enable');
my $asked = sub { return $w->run('psql', '--db', "$base dbname=perfhouse user=$_[0]", '--', '-XAtqc', $_[1]) };
is($asked->('jobs_ann', 'SELECT count(*) FROM job')->{out}, "5\n", 'a member sees the jobs of the account');
is($asked->('jobs_eve', q{SELECT count(*) FROM job})->{out}, "0\n", 'a stranger none');
is($asked->('jobs_eve', q{SELECT count(*) FROM coverage(now() - interval '3 days')})->{out}, "0\n", 'nor what was measured of them');
is($w->run('jobs', 'load', '--db', "$base dbname=perfhouse user=jobs_eve", $file)->{code}, 7, 'and may not write over them');


# Digits of other scripts are none to accounting, whatever collation a database has.
SKIP:
{
	skip 'a server without ICU', 1 unless $w->sql("SELECT count(*) FROM pg_collation WHERE collname = 'und-x-icu'");
	is($w->sql("SELECT perfhouse_internal.accounting_count(U&'\\0661\\0662' COLLATE \"und-x-icu\")"), '', 'no count');
}
done_testing();
