# Records of benchmark harnesses: beside a profile they describe it, alone they are runs.
use strict;
use warnings;
use Cwd qw(getcwd);
use File::Copy qw(copy);
use File::Path qw(make_path remove_tree);
use FindBin;
use lib "$FindBin::Bin/../lib";
use JSON::PP;
use Perfhouse;
use Test::More;

my $w       = Perfhouse->new;
my $harness = "$FindBin::Bin/../data/harness";
my $profile = "$Perfhouse::data/profiles/small.cali";

sub put
{
	my ($from, $to) = @_;
	my $path = "$w->{home}/$to";
	make_path($path =~ s{/[^/]+$}{}r);
	copy($from, $path) or die "$path: $!";
	return $path;
}

# ---- alone
my $r = $w->ok_run('a log of ReFrame', 'load', '--no-environment', "$harness/reframe/halo_test.log");
like($r->{out}, qr/halo_test\.log:2: run 1, 1 node, 1 column, 2 metrics/, 'each line is a run');
like($r->{out}, qr/^3 runs loaded/m,                                        'but the one that failed');
is($w->sql('SELECT application, cluster, n_ranks, n_threads, title, started_at::date FROM run WHERE run_id = 2'),
	'halo_test|alps|4|2|halo_test %size=64|2026-11-28', 'described');
is($w->sql('SELECT inclusive FROM nodes(profile(2, ARRAY[$$bandwidth$$]))'), '12.25', 'with its figures as metrics');
is($w->sql(q{SELECT better FROM metric WHERE name IN ('bandwidth', 'solve_time') ORDER BY name}), "1\n-1", 'of rates more is better');
is($w->sql('SELECT meta -> $$size$$, meta -> $$figure.bandwidth$$ FROM run WHERE run_id = 2'), '64|12.25', 'parameters and figures are metadata');
like($w->run('load', "$harness/reframe/halo_test.log")->{out}, qr/0 runs loaded, 3 already there/, 'again: nothing new');
my $grown = put("$harness/reframe/halo_test.log", 'grown.log');
{
	open(my $log, '>>', $grown) or die $!;
	print $log "pass|2026-11-29T10:33:19||{}|gnu|1795861999.09|0|nid1|28000|halo_test %size=64|2|4|gpu|12.0|GB/s|0|None|None|3.5|s|3|-0.1|0.1|halo_test_e7ed40a8|64|alps|halo_test_0\n";
	close($log);
}
like($w->run('load', $grown)->{out}, qr/1 run loaded, 3 already there/, 'of a log that grew only its new lines');
is($w->sql('SELECT count(DISTINCT experiment) FROM run_experiment WHERE run_id IN (2, 3)'), 2, 'other parameters are another experiment');

$r = $w->run('load', '-v', "$harness/workspace/results.latest.json");
like($r->{out}, qr/2 runs loaded/, 'experiments of Ramble');
like($r->{err}, qr/2 records of runs that failed or have no figures left out/, 'what is left out is counted');
like($r->{err}, qr/halo\.strong\.n16: not read: a run that failed/, 'and named');
is($w->sql(q{SELECT title, application, n_ranks, meta ->> 'input' FROM run WHERE title = 'halo.strong.n8'}), 'halo.strong.n8|halo|8|strong/n8', 'described');
my @exacb = map { $w->run('load', '--no-environment', "$harness/exacb/$_")->{out} =~ /(\d+) runs? loaded/ } qw(report.json record.json results.csv);
is("@exacb", '2 2 2', 'results of exaCB: reports, records, tables');
is($w->sql(q{SELECT count(DISTINCT (n_ranks, meta ->> 'SLURM_JOB_ID')) FROM run WHERE meta ? 'exacb.taskspernode'}), '2', 'all three say the same');
$w->ok_run('TALP-Pages', 'load', '--no-environment', '--set-from-name', '{case}/{configuration}/*.json', "$harness/talp-pages");
is($w->sql(q{SELECT commit_id, branch, n_ranks, meta ->> 'case', meta ->> 'configuration' FROM run WHERE title = 'talp_4x2.json'}),
	'3e01c40|main|4|strong|4x2', 'with the version that it adds, and its folders by a pattern');

# ---- jobs: what a harness ran is known to coverage
is($w->sql(q{SELECT sum(n_profiled) FROM coverage('2026-11-28', '2026-11-29') WHERE queue = 'all' AND application = 'halo'}), '2', 'batch jobs are covered');

# ---- beside a profile
put("$harness/workspace/$_", "ws/$_") for 'results.latest.json', 'experiments/halo/strong/n4/ramble_inventory.json';
put($profile, 'ws/experiments/halo/strong/n4/n4.cali');
$r = $w->ok_run('a profile in a workspace', 'load', '--no-environment', '--if-exists', 'append', "$w->{home}/ws/experiments");
my $id = $w->sql('SELECT max(run_id) FROM run');
is($w->sql("SELECT application, meta ->> 'workload', meta ->> 'ramble.size', meta ->> 'figure.Bandwidth', n_ranks FROM run WHERE run_id = $id"),
	'halo|strong|64|12.5|2', 'the results around it describe it; what the file says wins');
is($w->sql("SELECT string_agg(metric || ' ' || kind, ',') FROM metrics(profile($id, NULL::text[]))"),
	'time flow,Solve time value,Bandwidth value,step 1: Residual value', 'its figures are metrics of the profile');
is($w->sql("SELECT name, inclusive FROM nodes(profile($id, ARRAY['Bandwidth'])) WHERE parent IS NULL"), 'main|12.5', 'at the root, of every unit');

# ---- malformed records stop nothing else
put("$harness/workspace/$_", "cut/$_") for 'results.latest.json', 'experiments/halo/strong/n4/ramble_inventory.json';
put($profile, 'cut/experiments/halo/strong/n4/n4.cali');
truncate("$w->{home}/cut/results.latest.json", 600) or die $!;
$r = $w->ok_run('beside a workspace whose results are cut', 'load', '--no-environment', '--if-exists', 'append', "$w->{home}/cut/experiments");
like($r->{out}, qr/^1 run loaded/m, 'a profile is loaded');
like($r->{err}, qr/profiles get nothing from the records beside them: .*results\.latest\.json/, 'with a warning');
$r = $w->run('load', '--no-environment', '--if-exists', 'append', "$w->{home}/cut");
is($r->{code}, 1, 'the results themselves are a file that failed');
like($r->{out}, qr/^1 run loaded, 1 failed/m, 'of two');
like($r->{err}, qr{error: \S*/cut/results\.latest\.json: (?!\S*/cut/)}, 'which is named once');
remove_tree("$w->{home}/cut/experiments");
is($w->run('load', '--no-environment', "$w->{home}/cut")->{code}, 3, 'alone they are malformed input');

put("$harness/reframe/report.json", 'rf/report.json');
put($profile, 'rf/output/alps/gpu/gnu/halo_test_e7ed40a8/run.cali');
$r = $w->ok_run('a profile in an output folder', 'load', '--no-environment', '--if-exists', 'append', "$w->{home}/rf");
like($r->{out}, qr/^2 runs loaded/m, 'one record describes it, the other is a run');
is($w->sql(q{SELECT application, meta ->> 'test', meta ->> 'SLURM_JOB_ID', meta ->> 'figure.solve_time' FROM run WHERE title = 'run.cali' ORDER BY run_id DESC LIMIT 1}),
	'halo_test|halo_test_e7ed40a8|27775|3.25', 'by its folder');

put("$harness/exacb/report.json", 'cb/report.json');
put($profile, "cb/$_") for '1235/a.cali', 'other/12350.cali';
$r = $w->ok_run('profiles of jobs', 'load', '--no-environment', '--if-exists', 'append', "$w->{home}/cb");
is($w->sql(q{SELECT title, meta ->> 'SLURM_JOB_ID', meta ->> 'figure.triad' FROM run WHERE title IN ('a.cali', '12350.cali') ORDER BY 1}),
	"12350.cali||\na.cali|1235|101", 'by the number of the job, all of it');

put("$harness/../chrome/threads.json", 'ws/experiments/halo/strong/n4/trace.json');
$w->ok_run('a trace in a workspace', 'load', '--no-environment', "$w->{home}/ws/experiments/halo/strong/n4/trace.json");
is($w->sql(q{SELECT meta ->> 'workload', (SELECT string_agg(metric, ',') FROM metrics(profile(run_id, NULL::text[])) WHERE kind = 'value') FROM run ORDER BY run_id DESC LIMIT 1}),
	'strong|Solve time,Bandwidth,step 1: Residual', 'is described, too');

# ---- the harnesses themselves, where they are installed
sub installed
{
	my ($program) = @_;
	return scalar grep { -x "$_/$program" } split(/:/, $ENV{PATH});
}

SKIP:
{
	skip('reframe (PyPI: reframe-hpc) is not on PATH', 4) unless installed('reframe');
	my $check = $w->write_file('check.py', <<'PYTHON');
import reframe as rfm
import reframe.utility.sanity as sn


@rfm.simple_test
class triad(rfm.RunOnlyRegressionTest):
    valid_systems = ['*']
    valid_prog_environs = ['*']
    executable = 'echo triad 12.5; false'
    size = parameter([64, 128])
    num_tasks = 1

    @sanity_function
    def ok(self):
        return sn.assert_found('triad', self.stdout)

    @performance_function('GB/s')
    def bandwidth(self):
        return sn.extractsingle(r'triad (\S+)', self.stdout, 1, float)
PYTHON
	local $ENV{HOME} = $w->{home};
	my $said = `cd $w->{home} && reframe -c $check -r --prefix=$w->{home}/real --report-file=$w->{home}/real.json 2>&1`;
	is($?, 0, 'ReFrame runs a test') or diag($said);
	for my $path ("$w->{home}/real.json", glob("$w->{home}/real/perflogs/*/*/triad.log"))
	{
		my $before = $w->sql('SELECT max(run_id) FROM run');
		like($w->ok_run("$path is read", 'load', '--no-environment', $path)->{out}, qr/2 runs loaded/, 'each test case');
		is($w->sql("SELECT string_agg(format('%s %s %s', application, meta ->> 'size', meta ->> 'figure.bandwidth'), ',' ORDER BY run_id) FROM run WHERE run_id > $before"),
			'triad 64 12.5,triad 128 12.5', 'as it was');
	}
}

SKIP:
{
	skip('jureap (PyPI), which writes reports of exaCB, is not on PATH', 2) unless installed('jureap');
	my $table = $w->write_file('real.csv', "system,version,queue,variant,jobid,nodes,taskspernode,threadspertask,runtime,success,triad\njedi,2024.12,all,strong.tiny,77,1,4,8,12.5,true,55\n");
	my $env   = $w->write_file('real.env', "CI_PIPELINE_ID=7\nCI_JOB_ID=8\nCI_COMMIT_SHA=3e01c40\nGITLAB_USER_LOGIN=ann\nPROJECT=real\nBUDGET_ACCOUNTS=x\nSYSTEMNAME=jedi\nCI_JOB_STARTED_AT=2026-11-28T08:00:00Z\n");
	my $said = `jureap log --input $table --output $w->{home}/real-log.json --env $env 2>&1`;
	is($?, 0, 'jureap writes a report') or diag($said);
	$w->ok_run('and it is read', 'load', '--no-environment', "$w->{home}/real-log.json");
	is($w->sql(q{SELECT commit_id, cluster, n_ranks, meta ->> 'figure.triad' FROM run WHERE application = 'real'}), '3e01c40|jedi|4|55', 'as it was');
}

SKIP:
{
	skip('exacb (PyPI) is not on PATH', 2) unless installed('exacb');
	my $env   = $w->write_file('exacb-env.json', encode_json({gitlab => {pipeline => 77, job => 9, job_name => 'x', commit => 'abc1234'}}));
	my $table = $w->write_file('exacb.csv', "system,jobid,nodes,taskspernode,runtime,success\njedi,99,2,4,8.5,true\n");
	my $said = `exacb record generate --env $env --result $table --output $w->{home}/exacb-record.json 2>&1`;
	is($?, 0, 'exacb writes a record') or diag($said);
	$w->ok_run('and it is read', 'load', '--no-environment', "$w->{home}/exacb-record.json");
	is($w->sql(q{SELECT commit_id, n_ranks, meta ->> 'figure.runtime' FROM run WHERE meta ->> 'SLURM_JOB_ID' = '99'}), 'abc1234|8|8.5', 'as it was');
}

SKIP:
{
	skip('talp (PyPI: talp-pages) is not on PATH', 2) unless installed('talp');
	my $path = put("$harness/talp-pages/strong/4x2/talp_4x2.json", 'pages/case/4x2/talp.json');
	my $json = decode_json(Perfhouse::slurp($path));
	delete $json->{metadata};
	$w->write_file('pages/case/4x2/talp.json', encode_json($json));
	my $said = `talp metadata -i $w->{home}/pages --git-commit feed123 --git-branch side --git-timestamp 2026-11-28T01:02:03 2>&1`;
	is($?, 0, 'TALP-Pages adds the version') or diag($said);
	$w->ok_run('and it is read', 'load', '--no-environment', "$w->{home}/pages");
	is($w->sql(q{SELECT commit_id, branch FROM run WHERE commit_id = 'feed123'}), 'feed123|side', 'as it was');
}

SKIP:
{
	skip('ramble (https://github.com/GoogleCloudPlatform/ramble) is not on PATH', 2) unless installed('ramble');
	my $config = $w->write_file('ramble.yaml', <<'YAML');
ramble:
  variables:
    mpi_command: ''
    batch_submit: '{execute_experiment}'
    processes_per_node: 2
    n_ranks: '2'
  applications:
    hostname:
      workloads:
        local:
          experiments:
            test_{n_nodes}:
              variables:
                n_nodes: [1, 2]
  software:
    packages: {}
    environments: {}
YAML
	local $ENV{HOME} = $w->{home};
	my $space = "$w->{home}/space";
	my $said  = `ramble workspace create -d $space -c $config 2>&1; ramble -D $space workspace setup 2>&1; ramble -D $space on 2>&1; ramble -D $space workspace analyze -f json 2>&1`;
	ok(-e "$space/results.latest.json", 'Ramble runs experiments') or diag($said);
	put($profile, 'space/experiments/hostname/local/test_1/test_1.cali');
	$w->ok_run('and a profile among them is read', 'load', '--no-environment', '--if-exists', 'append', "$space/experiments");
	is($w->sql(q{SELECT application, meta ->> 'workload', meta ->> 'experiment', meta ->> 'nodes' FROM run ORDER BY run_id DESC LIMIT 1}),
		'hostname|local|test_1|1', 'with what they are');
}
done_testing();
