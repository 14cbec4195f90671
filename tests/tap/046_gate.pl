# gate: verdicts on folders without a server, on runs of a warehouse, exit codes, formats; the workflows of docs/ci.
use strict;
use warnings;
use CPAN::Meta::YAML;
use Cwd qw(abs_path);
use File::Basename qw(dirname);
use FindBin;
use lib "$FindBin::Bin/../lib";
use Perfhouse;
use JSON::PP;
use Test::More;

my $w       = Perfhouse->empty;
my $history = "$Perfhouse::data/lulesh-history";

# A profile in which kernel takes so long; three others beside it.
sub literal
{
	my ($name, $kernel, $instructions, $noise, %meta) = @_;
	my $node = sub {
		my ($label, $time, $count, @children) = @_;
		return sprintf('{"frame":{"name":"%s","type":"function"},"metrics":{"time":%.6f,"PAPI_TOT_INS":%d},"children":[%s]}',
			$label, $time, $count, join(',', @children));
	};
	my $path = $w->write_file($name, '[' . $node->('main', 1 + $noise, 1000000, $node->('kernel', $kernel, $instructions),
		$node->('MPI_Wait', 2 + 3 * $noise, 7000000 * (1 + $noise)), $node->('output', 2, 500000)) . ']');
	$w->write_file("$name.meta.json", encode_json({application => 'planted', %meta}));
	return $path;
}

mkdir "$w->{home}/$_" for qw(base slow same more few other);
for my $i (1 .. 5)
{
	my $noise = 0.01 * ($i % 3);
	literal("base/$i.json", 5,   20000000, $noise, compiler => 'gcc 12.2', commit => 'aaaa111', branch => 'main');
	literal("slow/$i.json", 6.5, 20000000, $noise, compiler => 'gcc 13.1', commit => 'bbbb222');
	literal("same/$i.json", 5,   20000000, $noise, compiler => 'gcc 12.2', commit => 'cccc333');
	literal("more/$i.json", 5,   20200000, $noise, compiler => 'gcc 12.2', commit => 'dddd444');
}
literal("few/$_.json", 5 + $_, 20000000, 0) for 1 .. 2;
literal("other/$_.json", 5, 20000000, 0, problem => 'large') for 1 .. 3;

sub gate { my ($new, @rest) = @_; return $w->run('gate', "$w->{home}/$new", '--baseline', "$w->{home}/base", @rest) }

# ---- files alone
my $start = Perfhouse::cpu();
my $r     = gate('slow');
cmp_ok(Perfhouse::cpu() - $start, '<', 5, 'a verdict within five seconds');
is($r->{code}, 17, 'slower: exit code 17') or diag("$r->{out}$r->{err}");
like($r->{out}, qr/^verdict: slower$/m, 'says so');
like($r->{out}, qr/^ +\+\d+\.\d % .* kernel$/m, 'names the function');
like($r->{out}, qr/^ +compiler +compiler +gcc 12\.2 +gcc 13\.1$/m, 'and the compiler that goes with it');
ok(!-e "$w->{home}/home", 'no server was made');
$r = gate('same');
is($r->{code}, 0, 'the same');
like($r->{out}, qr/^verdict: same$/m, 'says so') or diag($r->{out});
like($r->{out}, qr/PAPI_TOT_INS \(outside MPI\).* same$/m, 'instructions are the same outside MPI, whatever waiting spins');
$r = gate('more');
is($r->{code}, 17, 'more work');
like($r->{out}, qr/^verdict: more work$/m, 'says so');
is(gate('more', '--work-margin', 2)->{code}, 0, 'within a margin of its own');
$r = $w->run('gate', "$w->{home}/few", '--baseline', "$w->{home}/few/1.json");
is($r->{code}, 0, 'too few runs: unknown is no failure');
like($r->{out}, qr/1 and 1 runs are too few/, 'but says why');
is($w->run('gate', "$w->{home}/few", '--baseline', "$w->{home}/few/1.json", '--fail-on', 'unknown')->{code}, 19, 'unless it is asked for');
is(gate('slow', '--fail-on', 'none')->{code}, 0, 'nothing fails');
is($w->run('gate', "$w->{home}/slow/1.json", '--baseline', "$w->{home}/base")->{code}, 17, 'one run against five');
$r = gate('other');
is($r->{code}, 18, 'another experiment');
like($r->{err}, qr/It has runs of planted/, 'says what the baseline has');
is($w->run('gate', "$w->{home}/slow")->{code}, 2, 'without a baseline');
is(gate('slow', '--metric', 'cycles')->{code}, 13, 'no such metric');
is(gate('slow', '--set', 'x')->{code}, 2, 'not of the form key=value');
is($w->run('gate', $history, '--baseline', $history)->{code}, 13, 'nothing is left that is not judged');
is($w->run('gate', $w->{home}, '--baseline', "$w->{home}/base", '--fail-on', 'none')->{code}, 0, 'a baseline within what is judged is not judged');

# ---- bundles of profiles
mkdir "$w->{home}/tmp";
$ENV{TMPDIR} = "$w->{home}/tmp";
system('tar', '-C', $w->{home}, '-czf', "$w->{home}/base.tar.gz", 'base') == 0 or die 'tar';
$r = $w->run('gate', "$w->{home}/slow", '--baseline', "$w->{home}/base.tar.gz");
is($r->{code}, 17, 'a bundle as baseline') or diag("$r->{out}$r->{err}");
my $by_folder = gate('slow')->{out} =~ s/\/base \(/\/base.tar.gz (/r;
is($r->{out}, $by_folder, 'judges as its folder does');
is($w->run('gate', "$w->{home}/base.tar.gz", '--baseline', "$w->{home}/base")->{code}, 0, 'a bundle is judged');
$w->write_file('cut.zip', "PK\3\4cut");
$r = $w->run('gate', "$w->{home}/slow", '--baseline', "$w->{home}/cut.zip");
isnt($r->{code}, 0, 'one that is cut is refused');
like($r->{err}, qr/cut\.zip: /, 'by its name');
is_deeply([glob("$w->{home}/tmp/perfhouse-*")], [], 'nothing is left unpacked');
delete $ENV{TMPDIR};

# a file that cannot be read may be the slow one
mkdir "$w->{home}/gone";
literal("gone/$_.json", 5, 20000000, 0.01 * ($_ % 3), compiler => 'gcc 12.2') for 1 .. 4;
symlink('nowhere', "$w->{home}/gone/5.json") or die $!;
$r = gate('gone');
is($r->{code}, 13, 'a file below the folder cannot be read');
like($r->{err}, qr{gone/5\.json: cannot be read}, 'and is named');
unlink "$w->{home}/gone/5.json";
is(gate('gone')->{code}, 0, 'without it the verdict is that of the others');
$w->write_file("gone/$_", "not a profile\n") for 'a.txt', 'b.log', 'c.log';
$r = gate('gone');
is($r->{code}, 0, 'what is of no known format is no run');
like($r->{err}, qr{warning: \S+/gone/a\.txt and 2 more are left out: of no known format}, 'and is told');
unlink glob("$w->{home}/gone/*.log");
like(gate('gone')->{err}, qr{warning: \S+/gone/a\.txt is left out: of no known format}, 'also one');

# ---- event traces: their profile is made of the events, as the loader does
my $root      = abs_path("$FindBin::Bin/../..");
my $cc        = $ENV{CC} // 'gcc';
my $generator = "$w->{home}/gen_trace";
is(system("$cc -std=c11 -O1 -D_GNU_SOURCE -o $generator $root/bench/gen_trace.c \$(pkg-config --cflags --libs otf2)"), 0, 'build the generator');

sub make_traces
{
	my ($folder, $first, $last, @options) = @_;
	mkdir "$w->{home}/$folder";
	for my $seed ($first .. $last)
	{
		system($generator, 'halo', "$w->{home}/$folder/$seed", '--ranks', 8, '--iterations', 40, '--seed', $seed, @options) == 0 or die 'gen_trace';
	}
	return;
}

make_traces('traces-main', 1, 5);
make_traces('traces-same', 6, 8);
make_traces('traces-slow', 6, 6, '--slow-rank', 3);

sub gate_traces { my ($new, $baseline, @rest) = @_; return $w->run('gate', "$w->{home}/$new", '--baseline', $baseline, '--set', 'application=halo', @rest) }

$r = gate_traces('traces-same', "$w->{home}/traces-main", '--fail-on', 'unknown');
is($r->{code}, 0, 'traces that are as before') or diag("$r->{out}$r->{err}");
like($r->{out}, qr/^ +visits .* \+0\.000 % .* same$/m, 'visits are exactly the same');
$r = gate_traces('traces-slow', "$w->{home}/traces-main", '--format', 'json');
is($r->{code}, 17, 'one trace with a slow rank');
like($r->{out}, qr/compute/, 'names what it computes') or diag($r->{out});
ok(!-e "$w->{home}/home", 'still no server');

# ---- formats
my $j = decode_json(gate('slow', '--format', 'json')->{out});
is($j->{verdict}, 'slower', 'JSON');
my %metric = map { $_->{metric} => $_ } @{$j->{experiments}[0]{metrics}};
is($metric{time}{functions}[0]{name}, 'kernel', 'with functions');
ok($metric{PAPI_TOT_INS}{is_work} && $metric{PAPI_TOT_INS}{verdict} eq 'same', 'and work');
is($j->{experiments}[0]{environment}[0]{after}, 'gcc 13.1', 'and environment');
like(gate('slow', '--format', 'markdown')->{out}, qr/^\| time \| .* \| slower \|$/m, 'Markdown');
$r = gate('slow', '--output', "$w->{home}/gate.html");
like($r->{out}, qr/^verdict: slower$/m, 'the text beside a page');
my $page = Perfhouse::slurp("$w->{home}/gate.html");
like($page, qr/^<!DOCTYPE html>.*<h1>Performance: slower<\/h1>.*<\/html>\n\z/s, 'a page by the name of the file');
is(() = $page =~ /<svg class="chart" role="img" [^>]*aria-label="/g, 3, 'a picture a metric, and one of functions');
my ($numbers) = $page =~ m{(<svg class="chart".*?</svg>)}s;
my @ticks = map { 0 + $_ } $numbers =~ m{text-anchor="middle">([\d.]+)}g;
my ($digits) = sprintf('%.3e', $ticks[1] - $ticks[0]) =~ /^([\d.]+)e/;
ok(@ticks >= 2 && @ticks <= 5 && grep({ $_ == $digits } 1, 2, 5), 'numbers of its axis are round') or diag("@ticks");
is(() = $page =~ /<circle class="of-b"/g, 10, 'with a dot a run');
like($page, qr/<td>kernel<\/td>/, 'and functions');
is($page, gate('slow', '--format', 'html')->{out}, 'to standard output, too');
unlike($page, qr/(?:src|href)="(?!#)|<script|url\(/, 'that needs nothing beside it');
literal("slow/6.json", 6.5, 20000000, 0, compiler => 'gcc <13> & "x"', problem => "a'<b>");
$r = gate('slow', '--format', 'junit', '--output', "$w->{home}/gate.xml");
like($r->{out}, qr/^verdict: slower$/m, 'the text beside a file');
my $xml = Perfhouse::slurp("$w->{home}/gate.xml");
like($xml, qr/<testsuite name="perfhouse gate" tests="3" failures="1" errors="0" skipped="1">/, 'JUnit counts');
like($xml, qr/name="time"><failure message="slower by \+\d+\.\d % ?, most of it in kernel">Environment$/m, 'and tells') or diag($xml);
like($xml, qr/^ +compiler +compiler +gcc 12\.2 +gcc 13\.1$/m, 'with the environment');
like($xml, qr/a&#39;&lt;b&gt;/, 'texts are escaped');
unlike($xml =~ s/<\/?(?:testsuites|testsuite|testcase|failure|skipped)(?: [a-z]+="[^"<]*")*\/?>|<\?xml[^>]*>//gr, qr/[<>]/, 'well formed');
like(gate('slow', '--format', 'html')->{out}, qr/a&#39;&lt;b&gt;/, 'in pages, too');
is($w->run('gate', "$w->{home}/slow", '--baseline', "$w->{home}/base", '-o', "$w->{home}/no/such")->{code}, 4, 'a file that cannot be written');
unlink glob("$w->{home}/slow/6.json*");

# ---- environment: of lists what differs, clocks by their size
{
	my @libraries = map { "/usr/lib/lib$_.so" } 'a' .. 'm';
	for my $side (['old', 'libblas.so.3', 2400], ['new', 'libblas.so.4', 2100])
	{
		my ($folder, $blas, $clock) = @$side;
		mkdir "$w->{home}/$folder";
		literal("$folder/$_.json", 5, 20000000, 0.01 * $_, libraries => [@libraries, $blas], 'CPU MHz' => $clock + $_, scaling => 'x') for 1 .. 3;
	}
	$r = $w->run('gate', "$w->{home}/new", '--baseline', "$w->{home}/old");
	like($r->{out}, qr/^ +library +libraries +libblas\.so\.3 +libblas\.so\.4$/m,               'the library that differs, of many') or diag($r->{out});
	like($r->{out}, qr/^ +clock +CPU MHz +2402 \(2401 to 2403\) +2102 \(2101 to 2103\)$/m, 'the clock, as a range');
}

# ---- runs of a warehouse
my $without_server = $w;
$w = Perfhouse->new;
my $files = $w->{home};
mkdir "$files/$_" for qw(base slow same);
for my $i (1 .. 5)
{
	my $noise = 0.01 * ($i % 3) + 0.0001 * $i;
	literal("base/$i.json", 5,   20000000, $noise, commit => 'aaaa111', branch => 'main', compiler => 'gcc 12.2');
	literal("slow/$i.json", 6.5, 20000000, $noise, commit => 'bbbb222', branch => 'work', compiler => 'gcc 13.1');
	literal("same/$i.json", 5,   20000000, $noise + 0.00001, commit => 'cccc333', branch => 'main', compiler => 'gcc 12.2');
}
$w->ok_run('load main', 'load', "$files/base", "$files/same");
$r = $w->run('gate', "$files/slow", '--baseline', 'main');
is($r->{code}, 17, 'files by the runs of a branch') or diag("$r->{out}$r->{err}");
like($r->{out}, qr/A  main \(10 runs\)/, 'the newest ten');
like($w->run('gate', "$files/slow", '--baseline', 'main', '--runs', 4)->{out}, qr/A  main \(4 runs\)/, 'or fewer');
is($w->run('gate', "$files/slow", '--baseline', 'aaaa')->{code}, 17, 'by a commit');
like($w->run('gate', 8, 9, '--baseline', 'aaaa')->{out}, qr/B  runs 8,9 \(2 runs\)/, 'runs by their numbers');
is($w->run('gate', "$files/slow", '--baseline', 'nothing')->{code}, 13, 'by nothing');
$w->ok_run('load the slow one', 'load', "$files/slow");
is($w->run('gate', 'bbbb222', '--baseline', 'main')->{code}, 17, 'a stored commit');
$r = $w->run('gate', 'cccc333', '--baseline', 'main');
is($r->{code}, 0, 'a commit of the branch itself');
like($r->{out}, qr/A  main \(5 runs\)/, 'is no baseline for itself');
my $ids = $w->sql("SELECT string_agg(run_id::text, ',') FROM perfhouse.run WHERE commit_id = 'bbbb222'");
is($w->run('gate', $ids, '--baseline', "$files/base")->{code}, 17, 'stored runs by files');

# ---- pages of perfhouse bundle: the runs in them are judged as those of the warehouse are
{
	my $main  = $w->sql("SELECT string_agg(run_id::text, ' ' ORDER BY run_id) FROM perfhouse.run WHERE commit_id = 'aaaa111'");
	my $pages = "$w->{home}/pages-main";
	$w->ok_run('pages of the baseline', 'bundle', split(/ /, $main), '-o', $pages);
	$w->ok_run('pages of the slow one', 'bundle', split(/,/, $ids), '-o', "$w->{home}/pages-slow");
	my $nowhere = Perfhouse->empty;
	my $stored  = $w->run('gate', 'bbbb222', '--baseline', 'aaaa');
	my $by      = $nowhere->run('gate', "$files/slow", '--baseline', $pages);
	is($by->{code}, 17, 'files by pages, without a server') or diag("$by->{out}$by->{err}");
	$by = $nowhere->run('gate', "$w->{home}/pages-slow", '--baseline', $pages);
	is($by->{code}, 17, 'pages by pages') or diag("$by->{out}$by->{err}");
	my ($words, $expected) = map { join "\n", grep { !/^(?:A|B|  [AB]) / && !/scatter by/ } split /\n/, $_->{out} } $by, $stored;
	is($words, $expected, 'with the words that the warehouse has');
	system('tar', '-C', $w->{home}, '-czf', "$w->{home}/pages.tar.gz", 'pages-main') == 0 or die 'tar';
	is($nowhere->run('gate', "$files/same", '--baseline', "$w->{home}/pages.tar.gz")->{code}, 0, 'an archive of them, and no change');
	is($nowhere->run('gate', $pages, '--baseline', $pages)->{code}, 13, 'nothing is judged by itself');
	my ($first) = split / /, $main;
	truncate("$pages/runs/$first.profile", 100) or die;
	like($nowhere->run('gate', "$files/slow", '--baseline', $pages)->{err}, qr{runs/$first\.profile: }, 'a profile that is cut is named');
	$w->write_file("pages-main/runs/$first.json", '[1]');
	like($nowhere->run('gate', "$files/slow", '--baseline', $pages)->{err}, qr{runs/$first\.json: not what perfhouse bundle}, 'so is what is known of it');
	unlink "$pages/runs/$first.json";
	like($nowhere->run('gate', "$files/slow", '--baseline', $pages)->{err}, qr{runs/$first\.json: No such file}, 'and where that is missing');
}

# ---- single runs, by what is known of their experiment: the same words as compare
mkdir "$files/single";
literal('single/before.json', 5,   20000000, 0.004, commit => 'f00d000', branch => 'main', compiler => 'gcc 12.2');
literal('single/slow.json',   6.5, 20000000, 0.006, commit => 'f00d001', branch => 'work', compiler => 'gcc 12.2');
literal('single/same.json',   5,   20000000, 0.005, commit => 'f00d002', branch => 'work', compiler => 'gcc 12.2');
$w->ok_run('load single runs', 'load', '--no-regressions', "$files/single");
for my $case (['f00d001', 'slower'], ['f00d002', 'unknown'])
{
	my ($commit, $verdict) = @$case;
	$r = $w->run('gate', $commit, '--baseline', 'f00d000');
	like($r->{out}, qr/^verdict: $verdict$/m, "one run by one run: $verdict") or diag("$r->{out}$r->{err}");
	like($r->{out}, qr/the latest \d+ runs of the experiment scatter by \d/, 'by what is known of their experiment');
	like($w->run('gate', $commit, '--baseline', 'f00d000', '--format', 'markdown')->{out}, qr/^\* the latest \d+ runs/m, 'in Markdown, too');
	like($w->run('compare', 'f00d000', $commit)->{out}, qr/the latest \d+ runs of the experiment scatter by \d/, 'as compare does');
}
like($r->{out}, qr/with such noise about \d+ runs on each side would settle it/, 'how many runs would settle it, by the same noise');
like($w->run('gate', "$files/single/slow.json", '--baseline', "$files/single/before.json")->{out}, qr/1 and 1 runs are too few/, 'files alone do not know it');

my $made = $without_server->{home};
$w->ok_run('load traces', 'load', '--set', 'application=halo', '--commit', 'eeee555', '--branch', 'trunk', "$made/traces-main");
for my $case (['traces-slow', 17], ['traces-same', 0])
{
	$r = $w->run('gate', "$made/$case->[0]", '--baseline', 'trunk', '--set', 'application=halo', '--fail-on', 'unknown');
	is($r->{code}, $case->[1], "$case->[0] by traces that were loaded") or diag("$r->{out}$r->{err}");
}
is($w->run('gate', 999, '--baseline', 'main')->{code}, 13, 'no such run');
$w->sql(q{SELECT perfhouse.set_application('planted', '{compiler}')});
is($w->run('gate', 'bbbb222', '--baseline', 'main')->{code}, 18, 'keys that were set make experiments');
is($w->run('gate', "$files/slow", '--baseline', 'main')->{code}, 18, 'of files, too');
$r = $w->ok_run('compare', 'compare', 'aaaa111', 'bbbb222', '--force');
like($r->{out}, qr/^ +compiler +compiler +gcc 12\.2 +gcc 13\.1$/m, 'compare tells of the environment');
$j = decode_json($w->run('compare', 'aaaa111', 'bbbb222', '--force', '--json')->{out});
is($j->{environment}[0]{before}, 'gcc 12.2', 'as JSON, too');

# ---- the workflows: their commands, with a program that hands out profiles of two commits
my $ci = abs_path("$FindBin::Bin/../../docs/ci");

# Runs a script as the services do; the number of a profile counts up.
sub run_script
{
	my ($script, %environment) = @_;
	local $ENV{PATH} = dirname($Perfhouse::program) . ":$ENV{PATH}";
	s/\$\$/\$/g for values %environment; # GitLab's way to write one $
	local @ENV{keys %environment} = values %environment;
	$script =~ s/\$\{\{[^}]*\}\}//g;
	my $pid = fork() // die "fork: $!";
	if ($pid == 0)
	{
		chdir "$w->{home}/job" or die $!;
		open(STDOUT, '>>', "$w->{home}/job.log") or die $!;
		open(STDERR, '>>', "$w->{home}/job.log") or die $!;
		exec 'bash', '-e', '-c', $script or die $!;
	}
	waitpid($pid, 0);
	return $? >> 8;
}

sub measure
{
	my ($commit) = @_;
	return "n=\$(ls results | wc -l); cp \"$history/lulesh-$commit-n8-\$((n % 3 + 1)).cali\" \"\$PROFILE\"";
}

mkdir "$w->{home}/job";
my $workflow = CPAN::Meta::YAML->read("$ci/github.yml")->[0];
my %step     = map { ($_->{name} // $_->{uses}) => $_ } @{$workflow->{jobs}{gate}{steps}};
my %job      = (%{$workflow->{env}}, BUILD => 'true', APPLICATION => 'lulesh', REPEATS => 3, GITHUB_STEP_SUMMARY => "$w->{home}/job/summary");
is(run_script($step{$_}{run}, %job, MEASURE => measure('46c2a1d')), 0, "GitHub: $_") for 'Build', 'Measure', 'Gate', 'Renew the baseline';
is(scalar(glob_count("$w->{home}/job/baseline/*.cali")), 3, 'main is the baseline');
is(scalar(glob_count("$w->{home}/job/baseline/*.meta.json")), 3, 'with the environment of each run');
ok(decode_json(Perfhouse::slurp($_))->{kernel}, 'which is JSON') for (glob("$w->{home}/job/baseline/*.meta.json"))[0];
system('rm', '-rf', "$w->{home}/job/results");
is(run_script($step{Measure}{run}, %job, MEASURE => measure('3e01c40')), 0, 'GitHub: measures the change');
my $code = run_script($step{Gate}{run}, %job);
ok($code == 0 || $code == 17, 'GitHub: a verdict') or diag(Perfhouse::slurp("$w->{home}/job.log"));
is(run_script($step{'Show the report'}{run}, %job), 0, 'GitHub: shows it');
ok(-s "$w->{home}/job/gate.html", 'GitHub: and a page');
like(Perfhouse::slurp("$w->{home}/job/summary"), qr/^## Performance: /, 'as Markdown');
my ($pages) = grep { /pages/ } keys %step;
is(run_script($step{$pages}{run}, %job, RUNNER_TEMP => "$w->{home}/job"), 0, 'GitHub: pages of both');
ok(-s "$w->{home}/job/pages/profile-2.html", 'GitHub: of the change, too');

$workflow = CPAN::Meta::YAML->read("$ci/gitlab.yml")->[0];
my $script = join("\n", @{$workflow->{performance}{script}});
%job = (%{$workflow->{variables}}, BUILD => 'true', APPLICATION => 'lulesh', REPEATS => 3, CI_DEFAULT_BRANCH => 'main');
system('rm', '-rf', "$w->{home}/job/results", "$w->{home}/job/baseline");
is(run_script($script, %job, CI_COMMIT_BRANCH => '', MEASURE => measure('46c2a1d')), 0, 'GitLab: before main was measured');
is(run_script($script, %job, CI_COMMIT_BRANCH => 'main', MEASURE => measure('46c2a1d')), 0, 'GitLab: main');
system('rm', '-rf', "$w->{home}/job/results");
$code = run_script($script, %job, CI_COMMIT_BRANCH => '', MEASURE => measure('3e01c40'));
ok($code == 0 || $code == 17, 'GitLab: a merge request') or diag(Perfhouse::slurp("$w->{home}/job.log"));
like(Perfhouse::slurp("$w->{home}/job/gate.xml"), qr/<testcase classname="lulesh, ranks 8/, 'with tests');
system('rm', '-rf', "$w->{home}/job/pages");
mkdir "$w->{home}/temporary" or die $!;
is(run_script(join("\n", @{$workflow->{performance}{after_script}}), %job, CI_JOB_STATUS => 'failed', TMPDIR => "$w->{home}/temporary"), 0, 'GitLab: pages of both');
Perfhouse::remove_home($_) for glob("$w->{home}/temporary/*");
ok(-s "$w->{home}/job/pages/profile-2.html", 'GitLab: of the change, too');

sub glob_count { my ($pattern) = @_; my @found = glob($pattern); return scalar @found }

done_testing();
