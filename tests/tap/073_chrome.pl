# Chrome traces: loaded as event traces with the calls and activities of devices that they name, an exported trace read again, and PyTorch's profiles
# against recorded answers.
#
# The answers lie beside the repository; without them their part skips.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Perfhouse;
use File::Basename qw(dirname);
use File::Path qw(make_path);
use IO::Compress::Gzip;
use JSON::PP;
use Test::More;

my $source = $ENV{PERFHOUSE_SOURCE} // "$FindBin::Bin/../..";
my $shared = "$source/../shared";
my $data   = "$Perfhouse::data/chrome";
my $w      = Perfhouse->new;

sub load_run
{
	my ($name, @arguments) = @_;
	my $r = $w->ok_run("load $name", 'load', '--json', @arguments);
	return decode_json($r->{out})->{run_id};
}

# ---- what a file names
my $threads = load_run('threads', "$data/threads.json");
is($w->sql("SELECT string_agg(format('%s %s', rank, thread), ', ' ORDER BY location_id) FROM perfhouse.location WHERE run_id = $threads"),
	'0 0, 1 0, 1 1, 1 2', 'processes are ranks, threads locations');
is($w->sql("SELECT string_agg(format('%s %s %s', region, inclusive, exclusive), ', ' ORDER BY call) FROM perfhouse.calls($threads) WHERE location = 1"),
	'run 50000 34750, solve 10000 7000, multiply 2000 2000, multiply 1000 1000, write 5250 5250', 'calls nest by their times');
is($w->sql("SELECT meta ->> 'chrome.left_out' FROM perfhouse.run WHERE run_id = $threads"), '2 flows, 1 instants, 1 counters', 'what is left out is said');

my $kineto = load_run('kineto', "$data/kineto.json");
is($w->sql("SELECT extract(epoch FROM started_at)::int8 FROM perfhouse.run WHERE run_id = $kineto"), '1712195495', 'times since 1970');
is($w->sql("SELECT string_agg(DISTINCT rank::text, ',') FROM perfhouse.location WHERE run_id = $kineto"), '2', 'the rank of the file');
is($w->sql("SELECT n_ranks FROM perfhouse.run WHERE run_id = $kineto"), '1', 'of which it is the only one');
is($w->sql("SELECT string_agg(format('%s %s %s %s', rank, device, stream, name), ',') FROM perfhouse.trace_stream WHERE run_id = $kineto"), '2 0 7 GPU 0 stream 7', 'a stream is a location');
is($w->sql("SELECT path, round(exclusive * 1e9) FROM perfhouse.nodes(perfhouse.profile($kineto, 'gpu time')) WHERE exclusive > 0"),
	'ProfilerStep#101/forward/aten::mul/cudaLaunchKernel/void mul_kernel<float>(int, float*)|3100', 'a kernel is below the path that launched it');

my $compressed = "$w->{home}/kineto.bin";
IO::Compress::Gzip::gzip("$data/kineto.json", $compressed) or die;
my $same = load_run('the same, compressed, by another name', $compressed);
is($w->sql("SELECT count(*) FROM (SELECT location, region, enter, leave FROM perfhouse.calls($kineto) EXCEPT SELECT location, region, enter, leave FROM perfhouse.calls($same)) d"),
	'0', 'has the same calls');

# ---- a run is a job
sub runs_of
{
	my @paths = @_;
	my @lines = map { decode_json($_) } split /\n/, $w->run('load', '--dry-run', '--json', @paths)->{out};
	return join ', ', map { my $s = $_->{source} =~ s{^\Q$w->{home}\E/}{}r; "$s $_->{state} " . ($_->{n_ranks} // '') } @lines;
}

sub write_rank
{
	my ($file, $rank, $seconds, $world) = @_;
	my $text = Perfhouse::slurp("$data/job/step-rank$rank.json");
	$text =~ s/1700000000000(\d+)\}/(1700000000 + $seconds) . "000$1}"/e;
	$text =~ s/"world_size": 3/"world_size": $world/ if $world;
	make_path(dirname("$w->{home}/$file"));
	$w->write_file($file, $text);
	return;
}

my $job = load_run('a job', "$data/job");
is($w->sql("SELECT string_agg(format('%s %s %s', rank, enter, leave), ', ' ORDER BY rank) FROM perfhouse.calls($job) WHERE region = 'forward'"),
	'0 0 100000, 1 5000 105000', 'files of two ranks are one run, by one clock');
is($w->sql("SELECT string_agg(format('%s %s', rank, name), ', ' ORDER BY rank) FROM perfhouse.trace_stream WHERE run_id = $job"),
	'0 GPU 0 stream 7, 1 GPU 0 stream 7', 'each with its device');
like($w->run('load', '--dry-run', "$data/job")->{err}, qr/The job has 3 ranks; files of 2 are here/, 'ranks that are not here are said');
is(scalar(split /\n/, $w->run('load', '--dry-run', '--json', '--each-file', "$data/job")->{out}), 2, '--each-file makes two runs of them');
is(scalar(split /\n/, $w->run('load', '--dry-run', '--json', "$data/job/step-rank0.json", "$data/job/step-rank1.json")->{out}), 1, 'files that are named are joined, too');

write_rank("cycles/t$_->[1]-rank$_->[0].json", @$_) for [0, 1], [1, 1], [0, 2], [1, 2];
is(runs_of("$w->{home}/cycles"), 'cycles/t1-rank0.json read 2, cycles/t2-rank0.json read 2', 'what does not overlap in time are runs of their own');
write_rank("jobs/t-rank$_->[0].json", @$_) for [0, 1, 2], [1, 1, 4];
is(runs_of("$w->{home}/jobs"), 'jobs/t-rank0.json read 1, jobs/t-rank1.json read 2', 'and so are other jobs');
is( scalar(split /\n/, $w->run('load', '--dry-run', '--json', '--one-run', "$w->{home}/jobs")->{out}),
	1, '--one-run makes one run of files of two jobs');
make_path("$w->{home}/unknown");
$w->write_file("unknown/$_.json", Perfhouse::slurp("$data/job/step-rank0.json") =~ s/"rank": 0/"$_": 0/r) for qw(a b);
my $unknown = load_run('files of unknown ranks', '--one-run', "$w->{home}/unknown");
is($w->sql("SELECT n_ranks FROM perfhouse.run WHERE run_id = $unknown"), 2, 'are ranks one after the other');
is($w->run('load', '--one-run', '--each-file', "$data/job")->{code}, 2, '--one-run and --each-file exclude each other');
write_rank('twice/a1.json', 0, 1);
write_rank('twice/a2.json', 0, 1);
write_rank('twice/other.json', 1, 1);
my $twice = $w->run('load', '--dry-run', "$w->{home}/twice");
like($twice->{err}, qr{twice/a1.json and \S+/twice/a2.json are both of rank 0 of one job}, 'one rank twice is refused, and both files named');
like($twice->{out}, qr{other.json: chrome}, 'what else is there is read');
write_rank('cut/t-rank0.json', 0, 1);
$w->write_file('cut/t-rank1.json', '{"traceEvents":[{"ph":7}]}');
is(runs_of("$w->{home}/cut"), 'cut/t-rank0.json read 1, cut/t-rank1.json failed ', 'a file that cannot be read fails alone');

# ---- there and back. Of calls without length at one time nothing says which of them is within another.
my $otf2 = load_run('an OTF2 trace', '--no-regressions', "$Perfhouse::data/traces/tau-halo2d-nb-9");
$w->ok_run('export', 'export', $otf2, '--format', 'chrome', '-o', "$w->{home}/back.json");
my $back = load_run('what was exported', "$w->{home}/back.json");
sub calls_of { return "SELECT rank, region, depth, enter, leave FROM perfhouse.calls($_[0]) WHERE leave > enter" }
my ($there, $here) = map { calls_of($_) } $otf2, $back;
is($w->sql("SELECT count(*) FROM (($there EXCEPT ALL $here) UNION ALL ($here EXCEPT ALL $there)) d"), '0', 'an exported trace has the same calls when it is read');

# ---- real profiles: what is shown of names, from rows [name, numbers...]
sub numbers_of
{
	my ($run, $streams, @numbers) = @_;
	my %found;
	for my $row (split /\n/, $w->sql("SELECT json_build_array(region, " . join(', ', @numbers) . ") FROM perfhouse.calls($run)
		WHERE " . ($streams ? '' : 'NOT ') . "location IN (SELECT location_id FROM perfhouse.trace_stream WHERE run_id = $run) GROUP BY region"))
	{
		my ($name, @values) = @{ decode_json($row) };
		$found{$name} = \@values;
	}
	return \%found;
}

sub check_host
{
	my ($run, $folder, $shown) = @_;
	my $found = numbers_of($run, 0, qw{count(*) sum(exclusive) min(exclusive) max(exclusive)});
	is_deeply({map { ($_ => $found->{$_}) } keys %$shown}, {map { ($_ => [@{ $shown->{$_} }{qw(count sum min max)}]) } keys %$shown}, "$folder: exclusive times of all names");
	return;
}

sub check_kernels
{
	my ($run, $folder, $shown) = @_;
	my $found = numbers_of($run, 1, qw{count(*) sum(inclusive) min(inclusive) max(inclusive)});
	is_deeply({map { ($_ => $found->{$_}) } keys %$shown}, {map { ($_ => [@{ $shown->{$_} }{qw(count sum min max)}]) } keys %$shown}, "$folder: kernels");
	return;
}

# The answers tell kinds of memory apart.
sub check_copies
{
	my ($run, $folder, $answers) = @_;
	my $found = numbers_of($run, 1, qw{count(*) sum(inclusive)});
	my %expected;
	for my $name (keys %$answers)
	{
		my $short = $name =~ /^Memset/ ? 'memset' : $name =~ s/^Memcpy (\w+).*/memcpy $1/r;
		$expected{$short}[0] += $answers->{$name}{count};
		$expected{$short}[1] += $answers->{$name}{ns};
	}
	is_deeply({map { ($_ => $found->{$_}) } grep { /^mem(cpy|set)/ } keys %$found}, \%expected, "$folder: copies and memsets");
	return;
}

sub check_totals
{
	my ($run, $folder, $answer) = @_;
	my ($ns, $kernels, $bytes, $rows) = (0, 0, 0, $answer->{copies});
	$ns      += $_->{sum} for values %{ $answer->{kernels}{shown} };
	$kernels += $_->{count} for values %{ $answer->{kernels}{shown} };
	$ns      += $_->{ns} for values %$rows;
	$bytes   += $_->{bytes} for values %$rows;
	is(sum_of($run, 'gpu time',    1e9), $ns,      "$folder: gpu time of all call paths");
	is(sum_of($run, 'gpu kernels', 1),   $kernels, "$folder: gpu kernels");
	my $complete = !grep { $_->{without_bytes} } values %$rows;
	is(sum_of($run, 'gpu copy bytes', 1), $bytes, "$folder: gpu copy bytes") if $complete;
	return;
}

# Nodes have means over threads.
sub sum_of
{
	my ($run, $metric, $scale) = @_;
	return $w->sql("SELECT round(sum(exclusive) * $scale * (SELECT n_columns FROM perfhouse.run WHERE run_id = $run)) FROM perfhouse.nodes(perfhouse.profile($run, '$metric'))");
}

SKIP:
{
	my @answers = glob("$shared/oracle/gpu/kineto-*.json");
	skip "no recorded answers in $shared", 1 if !@answers;
	for my $path (@answers)
	{
		my $answer = decode_json(Perfhouse::slurp($path));
		my ($file) = glob("$shared/data/peers/kineto/{*,*/*}/$answer->{file}");
		my ($folder) = $path =~ m{kineto-(.*?)\.json$};
		(my $at = $folder) =~ s{^(critical_path|trace_diff)-}{$1/};
		($file) = glob("$shared/data/peers/kineto/$at/$answer->{file}") if -d "$shared/data/peers/kineto/$at";
		my $run = load_run($folder, '--no-regressions', $file);
		check_host($run, $folder, $answer->{host_self}{shown});
		check_kernels($run, $folder, $answer->{kernels}{shown}) if $answer->{kernels}{names};
		check_copies($run, $folder, $answer->{copies});
		check_totals($run, $folder, $answer) if $answer->{launches}{activities};
	}
}

done_testing;
