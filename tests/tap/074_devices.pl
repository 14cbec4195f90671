# 074_devices.pl - traces with devices: an export of Nsight Systems loaded, its profile and its answers, and where other
# readers' answers are at hand, equal numbers.
use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../lib";
use JSON::PP;
use Perfhouse;
use Serve;
use Test::More;

my $w    = Perfhouse->new;
my $data = $Perfhouse::data;

# What is stored has to be told which metrics, what is made of the events has all.
sub profile_of
{
	my ($function, $metric) = @_;
	return $function eq 'stored' ? "perfhouse.profile(1, '$metric')" : $function;
}

sub by_path
{
	my ($function, $metric) = @_;
	my $profile = profile_of($function, $metric);
	return $w->sql(
		qq{SELECT string_agg(path || '=' || exclusive, ';' ORDER BY path) FROM perfhouse.nodes($profile, '$metric')}
		  . q{ WHERE exclusive > 0});
}

$w->ok_run('a small export', 'load', "$data/profiles/small.nsys.sqlite");
is($w->sql('SELECT n_ranks, n_units FROM perfhouse.run WHERE run_id = 1'), '2|4', 'streams are neither ranks nor units');
is($w->sql(q{SELECT string_agg(concat_ws(' ', location_id, rank, name, lane), ', ' ORDER BY location_id) FROM perfhouse.trace_stream}),
	'4 1 GPU 0 stream 13 0, 5 3 GPU 0 stream 7 0, 6 3 GPU 0 stream 7 (2) 1',
	'streams and lanes are locations'
);
for my $profile ('stored', 'perfhouse.trace_profile(1)')
{
	is( by_path($profile, 'gpu kernels'),
		'cudaGraphLaunch/add(float *, int)=0.25;cudaGraphLaunch/scale(float *)=0.25;cudaLaunchKernel/scale(float *)=0.25;'
		  . 'scale(float *)=0.25;step/cudaLaunchKernel/add(float *, int)=0.25',
		"kernels are below what launched them: $profile"
	);
	is(by_path($profile, 'gpu copy bytes'), 'step/cudaMemcpy/memcpy HtoD=1024', "bytes of copies: $profile");
	is($w->sql(qq{SELECT round(sum(exclusive) * 4e9) FROM perfhouse.nodes(${\ profile_of($profile, 'gpu time')}, 'gpu time')}), 2900, "device time: $profile");
	is($w->sql(qq{SELECT round(sum(exclusive) * 4e9) FROM perfhouse.nodes(${\ profile_of($profile, 'time')}, 'time')}), 9800, "the host's time: $profile");
}
is(by_path('perfhouse.trace_profile(1, 0, 1500)', 'gpu kernels'),
	'scale(float *)=0.25;step/cudaLaunchKernel/add(float *, int)=0.25', 'a window has its activities');
$w->ok_run('a timeline', 'render', 'timeline', '--run', 1, '--ranks', '3', '-o', "$w->{home}/gpu.svg");
my $picture = Perfhouse::slurp("$w->{home}/gpu.svg");
like($picture, qr/>3: GPU 0 stream 7</, 'has lanes of streams');
like($picture, qr/>3: GPU 0 stream 7 \(2\)</, 'and of what ran beside');
unlike($picture, qr/stream 13/, 'of the ranks that are wanted');
is(() = $picture =~ /class="launch"/g, 4, 'lines from calls to what they launched');
like($picture, qr/gpu queue/, 'and how much waited');
$w->ok_run('all ranks', 'render', 'timeline', '--run', 1, '--metric', 'gpu queue', '-o', "$w->{home}/gpu.svg");
like(Perfhouse::slurp("$w->{home}/gpu.svg"), qr/>1<.*>1: GPU 0 stream 13<.*>3<.*>3: GPU 0 stream 7</s, 'streams are below their rank');
$w->ok_run('what devices did', 'render', 'gpu-activity', '--run', 1, '--bins', 10, '-o', "$w->{home}/gpu.svg");
$picture = Perfhouse::slurp("$w->{home}/gpu.svg");
like($picture, qr/idle: for the host&#10;device 3\/0&#10;2 \S+s, /, 'why a device was idle');
like($picture, qr/devices, on average/, 'and all over time');
my $explained = $w->ok_run('explain', 'explain', 1)->{out};
like($explained, qr/The host of rank 3 waited 600 ns for its devices, for /, 'nobody else waited');
$w->ok_run('kernels', 'render', 'kernels', '--run', 1, '--ranks', 3, '-o', "$w->{home}/gpu.svg");
$picture = Perfhouse::slurp("$w->{home}/gpu.svg");
like($picture, qr/add\(float \*, int\)&#10;1.5 \S+s, 78.9 % of all kernels&#10;2 calls on 1 rank,/, 'the dearest, of the ranks that are wanted');
for my $view (qw(sankey flame cct processes histogram box function-graph))
{
	$w->ok_run("gpu time as $view", 'render', $view, '--run', 1, '--metric', 'gpu time', '-o', "$w->{home}/gpu.svg");
}
is($w->sql('SELECT count(*) FROM perfhouse.messages(1)'), 0, 'launches are no messages');
is($w->sql('SELECT bool_and(ok) FROM perfhouse.check_run(1)'), 't', 'the run is sound');
$w->sql('UPDATE perfhouse.launch_chunk SET n_links = n_links + 1 WHERE location_id = 5');
is($w->sql('SELECT count(*) FROM perfhouse.check_run(1) WHERE NOT ok'), 4, 'damaged launches are found');
$w->sql('UPDATE perfhouse.launch_chunk SET n_links = n_links - 1 WHERE location_id = 5');
$w->ok_run('a trace without devices', 'load', "$data/traces/colls-6");
is( $w->sql('SELECT count(*) FROM perfhouse.trace_stream s JOIN perfhouse.run r USING (run_id) WHERE run_id = 2'),
	0, 'has nothing of this');
$w->sql('SELECT perfhouse.drop_trace_events(1)');
is($w->sql('SELECT count(*) FROM perfhouse.launch_chunk'), 0, 'launches go with the events');

# ---- what another program finds in a real export

my $shared = "$FindBin::Bin/../../../../shared";
$shared = "$FindBin::Bin/../../../shared" unless -d $shared;

SKIP:
{
	my ($export) = glob "$shared/data/peers/nsight/*.sqlite";
	my $oracle = "$shared/oracle/gpu/nsight-saxpy.json";
	skip 'no real export', 10 unless defined $export && -e $oracle;
	my $truth = decode_json(Perfhouse::slurp($oracle));
	$w->ok_run('a real export', 'load', $export);
	my %ns;
	for my $kind (@{$truth->{host}}{qw(runtime driver nvtx:MPI nvtx:default)})
	{
		$ns{$_ =~ s/_v\d+$//r} += $kind->{shown}{$_}{sum} for keys %{$kind->{shown}};
	}
	is(
		$w->sql(q{SELECT string_agg(name || '=' || round(inclusive * 1e9), ';' ORDER BY name COLLATE "C") FROM}
			  . q{ (SELECT name, sum(inclusive) AS inclusive FROM perfhouse.nodes(perfhouse.profile(3), 'time')}
			  . q{ WHERE inclusive > 0 GROUP BY name) n}),
		join(';', map { "$_=$ns{$_}" } sort keys %ns),
		'calls of the host'
	);
	is( $w->sql(q{SELECT string_agg(name || '=' || round(exclusive * 1e9), ';' ORDER BY name COLLATE "C")}
			  . q{ FROM perfhouse.nodes(perfhouse.profile(3, 'gpu time')) WHERE exclusive > 0}),
		join(';',
			sort((map { "$_=$truth->{copies}{$_}{ns}" } keys %{$truth->{copies}}),
				(map { "$_=$truth->{kernels}{shown}{$_}{sum}" } keys %{$truth->{kernels}{shown}}))),
		'kernels and copies'
	);
	is( $w->sql(q{SELECT sum(exclusive) FROM perfhouse.nodes(perfhouse.profile(3, 'gpu copy bytes'))}),
		$truth->{copies}{'memcpy HtoD'}{bytes} + $truth->{copies}{'memcpy DtoH'}{bytes},
		'bytes'
	);
	my ($device, $stream, $launches) = ($truth->{devices}[0], $truth->{streams}[0], $truth->{launches});
	is( $w->sql('SELECT device, wall, busy, compute, communication, copies, overlap, exposed, idle FROM perfhouse.gpu_activity(3)'),
		join('|', '0/0', @$device{qw(wall busy compute communication copies compute_and_communication exposed_communication idle)}),
		'how busy the device was'
	);
	for my $threshold (30, 30_000)
	{
		is( $w->sql("SELECT busy, host_wait, launch_gap, other FROM perfhouse.gpu_idle(3, threshold => $threshold)"),
			join('|', $stream->{busy}, @{$stream->{"idle_union_${threshold}ns"}}{qw(host_wait kernel_wait other)}),
			"why its stream was idle, by gaps of $threshold ns"
		);
	}
	is( $w->sql('SELECT count(*), count(call), sum(delay), min(delay), max(delay), sum(delay_from_end), max(queue) FROM perfhouse.launches(3)'),
		join('|',
			@$launches{qw(activities matched)},
			@{$launches->{delay_from_call_start}}{qw(sum min max)},
			$launches->{delay_from_call_end}{sum},
			$stream->{queue_max_until_start}),
		'launches, their delays and queues'
	);
	is( $w->sql(q{SELECT string_agg(concat_ws('|', region, n, exclusive, shortest, longest), ';' ORDER BY region COLLATE "C") FROM (SELECT region, count(*) AS n,}
			  . q{ sum(exclusive) AS exclusive, min(exclusive) AS shortest, max(exclusive) AS longest FROM perfhouse.calls(3) WHERE location NOT IN}
			  . q{ (SELECT location_id FROM perfhouse.trace_stream WHERE run_id = 3) GROUP BY 1) c}),
		join(';', sort map { join '|', s/_v\d+$//r, @{$truth->{host_self}{shown}{$_}}{qw(count sum min max)} } keys %{$truth->{host_self}{shown}}),
		'calls of the host without those within them'
	);
	is( $w->sql(q{SELECT string_agg(call || '|' || activities, ';' ORDER BY call) FROM perfhouse.launch_statistics(3)}),
		join(';', sort map { s/_v\d+$//r . "|$launches->{by_call}{$_}" } keys %{$launches->{by_call}}),
		'launches by call'
	);
}

# ---- files of the ranks of a job, of two profilers

my $jobs      = Perfhouse->new;
my $cc        = $ENV{CC} // 'cc';
my $root      = "$FindBin::Bin/../..";
my $generator = "$jobs->{home}/gen_devices";
is(system("$cc -std=c11 -O1 -D_GNU_SOURCE -o $generator $root/bench/devices/*.c -lsqlite3"), 0, 'build the generator');
is(system("$generator $_ $jobs->{home}/$_ --ranks=3 --steps=4 --slow-rank=1"), 0, "profiles of $_") for qw(nsight rocpd kineto);
$jobs->ok_run('files of ranks', 'load', map { "$jobs->{home}/$_" } qw(nsight rocpd kineto));
is( $jobs->sql('SELECT string_agg(concat_ws(\' \', run_id, n_ranks, n_units, meta->>\'slurm_job_id\'), \', \' ORDER BY run_id) FROM perfhouse.run'),
	'1 3 3 4711, 2 3 3 4711, 3 3 3',
	'are one run each'
);
my $kernels = 'SELECT string_agg(concat_ws(\' \', calls, total), \', \' ORDER BY calls, total) FROM perfhouse.kernels(%d)';
is($jobs->sql(sprintf $kernels, $_), $jobs->sql(sprintf $kernels, 1), 'with the same kernels') for 2, 3;
my $late = 'SELECT string_agg(concat_ws(\' \', device, wall, compute, communication, copies, idle), \', \' ORDER BY device) FROM perfhouse.gpu_activity(%d)';
is($jobs->sql(sprintf $late, $_), $jobs->sql(sprintf $late, 1), 'and the same activity') for 2, 3;
is( $jobs->sql('SELECT device FROM perfhouse.gpu_activity(2) ORDER BY compute DESC, communication LIMIT 1'),
	'1/0', 'in which the straggler computes longest');
is($jobs->sql('SELECT count(*) FROM perfhouse.check_run(2) WHERE NOT ok'), 0, 'and the run is sound');
is(system("$generator nsight $jobs->{home}/other --ranks=2 --steps=4 && cp $jobs->{home}/other/rank-0.sqlite $jobs->{home}/other/again-0.sqlite"), 0, 'a rank twice');
my $twice = $jobs->run('load', "$jobs->{home}/other");
like($twice->{err}, qr/are both of rank 0 of one job/, 'is refused');

# ---- more devices than columns: those of a rank have tasks of their own, one rank is slower

my $crowd = Perfhouse->new;
is(system("$generator nsight $crowd->{home}/crowd --ranks=104 --devices=4 --steps=3 --slow-rank=70"), 0, 'ranks of four devices');
$crowd->ok_run('load them', 'load', '-j2', "$crowd->{home}/crowd");
$crowd->ok_run('again', 'load', '-j1', '--if-exists', 'append', "$crowd->{home}/crowd");
my $placed = q{SELECT string_agg(concat_ws(' ', n.path, round(n.exclusive::numeric, 9)), E'\n' ORDER BY n.path)
	FROM perfhouse.nodes(perfhouse.profile(%d, '%s')) n};
for my $metric ('gpu time', 'on critical path', 'wait')
{
	is($crowd->sql(sprintf $placed, 1, $metric), $crowd->sql(sprintf $placed, 2, $metric), "$metric: by two threads below the launches, as by one");
}
$crowd->ok_run('what all of them did', 'render', 'gpu-activity', '--run', 1, '-o', "$crowd->{home}/gpu.svg");
my $columns = Perfhouse::slurp("$crowd->{home}/gpu.svg");
is(join(' ', $columns =~ /class="outlier" data-node="([^"]*)"/g), '70/0', 'the first device of the slow rank alone has a mark');
like($columns, qr{class="outlier".*?>70/0</text>}s, 'with its name');
like($columns, qr/mean of 4 devices from 100\/0 on/, 'a column has the devices of a rank');
like($crowd->ok_run('explained', 'explain', 1)->{out}, qr/The 4 devices of rank 70 compute 1\.5\d times as long as those of the other ranks/, 'the sentence says how many it has');

# ---- streams that wait for each other, and groups of ranks that reduce among themselves, with every source that says so

for my $kind (qw(nsight rocpd kineto))
{
	my $folder = "$jobs->{home}/waits-$kind";
	is(system("$generator $kind $folder --ranks=4 --steps=3 --waits --group=2 --slow-rank=1"), 0, "$kind with waits and groups");
	$jobs->ok_run("load $kind", 'load', '-q', $folder);
	my $run = $jobs->sql('SELECT max(run_id) FROM perfhouse.trace');
	is( $jobs->sql("SELECT rank, stream, awaited_stream, count(*), count(awaited_activity), min(waited) > 0, min(t_start - t_awaited) >= 0"
			  . " FROM perfhouse.stream_waits($run) GROUP BY 1, 2, 3 ORDER BY 1, 2"),
		join("\n", map { ("$_|7|13|3|3|t|t", "$_|20|7|3|3|t|t") } 0 .. 3),
		'kernels wait for copies, reductions for kernels, in each step'
	);
	is( $jobs->sql("SELECT count(*) FROM perfhouse.gpu_idle($run) WHERE stream_wait > 0 AND stream IN (7, 20)"), 8, 'gpu_idle says so');
	is( $jobs->sql("SELECT n_members, members FROM perfhouse.trace_communicator, LATERAL (SELECT count(*) AS n_members FROM unnest(members)) n"
			  . " WHERE run_id = $run ORDER BY members"),
		"2|{0,1}\n2|{2,3}",
		'groups are communicators'
	);
	is( $jobs->sql("SELECT operation, calls, bytes, n_ranks FROM perfhouse.device_operations($run)"),
		'all_reduce|12|49152|4',
		'what they do and how many bytes they move is told by arguments and payloads'
	);
	is( $jobs->sql("SELECT round(sum(exclusive) * 4) FROM perfhouse.nodes(perfhouse.profile($run, 'gpu copy bytes'))"),
		$jobs->sql("SELECT sum(bytes) FROM perfhouse.copies($run)"), 'bytes of messages are not those of copies');
	is( $jobs->sql("SELECT ranks, count(*), min(last_rank) FROM (SELECT collective, array_agg(rank ORDER BY rank) AS ranks, min(last_rank) AS last_rank"
			  . " FROM perfhouse.device_collectives($run) GROUP BY collective) c GROUP BY ranks ORDER BY ranks"),
		"{0,1}|3|1\n{2,3}|3|3",
		'whose operations are matched within them'
	);
	is($jobs->sql("SELECT sum(ns) FROM perfhouse.gpu_critical_path($run) WHERE part IN ('stream idle', 'host waiting')") || 0, 0, 'and nothing on the critical path is unexplained');
	is($jobs->sql("SELECT count(*) FROM perfhouse.check_run($run) WHERE NOT ok"), 0, 'sound');
	$jobs->ok_run("export $kind", 'export', $run, '--format', 'otf2', '-o', "$folder-otf2");
	$jobs->ok_run('load it again', 'load', '-q', "$folder-otf2");
	is( $jobs->sql("SELECT count(*) FROM (SELECT * FROM perfhouse.stream_waits($run) EXCEPT SELECT * FROM perfhouse.stream_waits((SELECT max(run_id) FROM perfhouse.trace))) s"),
		0, 'exports have the waits');
}

# ---- planted causes of lost time, each named, with the rank

my %planted = (
	'--slow-rank=1'             => qr/device of rank 1 computes 1\.50 times as long .* same kernels take 1\.50 times as long there/,
	'--slow-rank=2 --throttles' => qr/rank 2 .* 1\.50 times as long in the second half .* it gets slower/,
	'--launch-bound'            => qr/bound by launches: \d+ of 1000 kernels/,
	'--serial-copies'           => qr/Copies beside which no kernel runs take .* most are memcpy HtoD, 160 MiB/,
);
my @said;
for my $options ('', sort keys %planted)
{
	my $kind   = (qw(nsight rocpd kineto))[@said % 3];
	my $folder = "$jobs->{home}/planted" . scalar @said;
	is(system("$generator $kind $folder --ranks=4 --steps=10 $options"), 0, "a program with '$options', as $kind");
	$jobs->ok_run('load it', 'load', '-q', $folder);
	push @said, $jobs->sql(q{SELECT string_agg(sentence, ' ' ORDER BY ordinality) FROM perfhouse.explain_run((SELECT max(run_id) FROM perfhouse.run))}
		  . q{ WITH ORDINALITY WHERE step IN ('devices', 'balance', 'efficiency')});
	for my $other (sort keys %planted)
	{
		like($said[-1], $planted{$other}, "$options is found") if $other eq $options;
		next if $other eq $options || $options eq '--launch-bound' && $other eq '--serial-copies';    # nothing hides its copies either
		unlike($said[-1], $planted{$other}, "$other is not found of '$options'");
	}
}
like($said[0], qr/^4 devices compute for 9\d\.\d % of the time/, 'a program without causes: how busy devices are');
like($said[3], qr/Rank 1 comes last to 10 of 10 collectives/, 'who made the others wait');
unlike("@said", qr/least balanced|Processes work/, 'and nothing of idle threads of the host');

# ---- what another program finds in profiles of PyTorch

sub rows_of
{
	my ($rows, @columns) = @_;
	return join(';', sort map { my $row = $_; join('|', map { ref $_ ? $_->($row) : $row->{$_} } @columns) } @$rows);
}

# Rows of a query, in order of their text.
sub sorted
{
	my ($query) = @_;
	return join(';', sort split /\n/, $w->sql($query));
}

# By name: kernels, copies, calls of the host by category, and what calls took without those within them. Both sides' text
# has names first; of longer lists the other program shows the dearest.
sub compare_names
{
	my ($name, $run, $truth) = @_;
	my $kernels = $truth->{kernels}{shown};
	is( sorted("SELECT concat_ws('|', name, calls, total, min, max) FROM perfhouse.kernels($run)"),
		join(';', sort map { join '|', $_, @{$kernels->{$_}}{qw(count sum min max)} } keys %$kernels),
		"$name: each kernel"
	);
	my %copies;
	for my $kind (keys %{$truth->{copies}})
	{
		my $sums = $copies{$kind =~ /^Memcpy (\w+)/ ? "memcpy $1" : 'memset'} //= [0, 0, 0];
		my $copy = $truth->{copies}{$kind};
		$sums->[0] += $copy->{count};
		$sums->[1] += $copy->{without_bytes} ? 'NaN' : $copy->{bytes};
		$sums->[2] += $copy->{ns};
	}
	my @copies = map { [split /\|/] } split /\n/, $w->sql("SELECT name, calls, bytes, total FROM perfhouse.copies($run)");
	for my $copy (@copies) { $copy->[2] = 'NaN' if ($copies{$copy->[0]}[1] // '') =~ /nan/i }
	is( join(';', sort map { join '|', @$_ } @copies),
		join(';', sort map { join '|', $_, $copies{$_}[0], $copies{$_}[1] =~ /nan/i ? 'NaN' : $copies{$_}[1], $copies{$_}[2] } keys %copies),
		"$name: copies and memsets"
	);
	my %category = (cpu_op => 'PyTorch', runtime => 'API', driver => 'API');
	my %calls;
	for my $category (keys %{$truth->{host}})
	{
		my $shown = $truth->{host}{$category}{shown};
		$calls{"$_|" . ($category{$category} // '')} = join '|', @{$shown->{$_}}{qw(count sum min max)} for keys %$shown;
	}
	my $host = "SELECT region, count(*), sum(%1\$s), min(%1\$s), max(%1\$s) FROM perfhouse.calls($run) c WHERE location NOT IN"
	  . " (SELECT location_id FROM perfhouse.trace_stream WHERE run_id = $run) GROUP BY region";
	my $library = q{CASE library WHEN 'PyTorch' THEN 'PyTorch' WHEN 'CUDA' THEN 'API' WHEN 'HIP' THEN 'API' ELSE '' END};
	my %ours = map { /^(.*?\|(?:PyTorch|API|))\|(.*)$/ ? ($1 => $2) : () } split /\n/,
	  $w->sql(sprintf($host, 'inclusive') =~ s/region,/region, $library,/r =~ s/c WHERE/c JOIN perfhouse.region USING (region_id) WHERE/r =~ s/$/, 2/r);
	is_deeply({map { ($_ => $ours{$_}) } keys %calls}, \%calls, "$name: calls of the host");
	my %self = map { /^(.*)\|(\d+\|\d+\|\d+\|\d+)$/ ? ($1 => $2) : () } split /\n/, $w->sql(sprintf $host, 'exclusive');
	my $self = $truth->{host_self}{shown};
	is_deeply({map { ($_ => $self{$_}) } keys %$self}, {map { ($_ => join '|', @{$self->{$_}}{qw(count sum min max)}) } keys %$self}, "$name: and without those within them");
	return;
}

# What is left of launches, streams and devices.
sub compare_streams
{
	my ($name, $run, $truth) = @_;
	my $launches = $truth->{launches};
	is( $w->sql("SELECT count(*), count(call), count(*) - count(call), count(*) FILTER (WHERE delay < 0), count(*) FILTER (WHERE kind IN"
			  . " ('compute', 'communication') AND duration < call_duration), max(n) FROM (SELECT *, count(*) OVER (PARTITION BY call_location, call_seq)"
			  . " * (call IS NOT NULL)::int AS n FROM perfhouse.launches($run)) l"),
		join('|', @$launches{qw(activities matched unmatched starts_before_call kernels_shorter_than_call activities_per_call_max)}),
		"$name: launches"
	);
	is( sorted("SELECT call, sum(activities) FROM perfhouse.launch_statistics($run) GROUP BY 1"),
		join(';', sort map { "$_|$launches->{by_call}{$_}" } keys %{$launches->{by_call}}),
		'by the call'
	);
	is( $w->sql("SELECT percentile_disc(0.5) WITHIN GROUP (ORDER BY delay), percentile_disc(0.5) WITHIN GROUP (ORDER BY delay_from_end),"
			  . " max(delay_from_end) FROM perfhouse.launches($run)"),
		join('|', $launches->{delay_from_call_start}{median_low}, @{$launches->{delay_from_call_end}}{qw(median_low max)}),
		'their middle delays'
	);
	is( sorted("SELECT stream, idle FROM perfhouse.gpu_idle($run)"), rows_of($truth->{streams}, qw(stream idle)), 'idle time of streams');
	is( sorted("SELECT busy, host_wait, launch_gap, other FROM perfhouse.gpu_idle($run, threshold => 30)"),
		rows_of($truth->{streams}, 'busy', map { my $cause = $_; sub { shift->{idle_union_30ns}{$cause} } } qw(host_wait kernel_wait other)),
		'and its causes with the threshold of 30 ns'
	);
	is( sorted("SELECT stream, max(t_start + duration) - min(t_start) FROM perfhouse.launches($run) GROUP BY device, stream"),
		rows_of($truth->{streams}, 'stream', sub { $_[0]{last} - $_[0]{first} }),
		'how long streams were in use'
	);
	is( sorted("SELECT sum(copies) FROM perfhouse.gpu_over_time($run, 1) GROUP BY device"), rows_of($truth->{devices}, 'copies_alone'), 'copies beside which nothing ran');
	is( $w->sql("SELECT duration FROM perfhouse.trace WHERE run_id = $run"), $truth->{range}[1] - $truth->{range}[0], 'the time of the whole');
	is( $w->sql("SELECT count(DISTINCT location) FROM perfhouse.calls($run) WHERE location NOT IN (SELECT location_id FROM perfhouse.trace_stream WHERE run_id = $run)"),
		$truth->{host_threads}, 'threads');
	return;
}

my %run_of;
for my $oracle (Perfhouse::some(6, sort glob "$shared/oracle/gpu/kineto-*.json"))
{
	my $truth = decode_json(Perfhouse::slurp($oracle));
	my ($name) = $oracle =~ m{kineto-(.*)\.json$};
	my $folder = $name =~ s{^(critical_path|trace_diff)-}{$1/}r =~ s/-rank1$//r;
	my $file = "$shared/data/peers/kineto/$folder/$truth->{file}";
  SKIP:
	{
		skip "no $name", 5 if !-e $file;
		$w->ok_run($name, 'load', '-q', '--each-file', $file);
		my $run = $w->sql('SELECT max(run_id) FROM perfhouse.trace');
		$run_of{"$folder/$truth->{file}"} = [$run, $truth];
		compare_names($name, $run, $truth);
		skip "$name has no devices", 5 if !@{$truth->{devices} // []};
		is( join(';', sort split /\n/, $w->sql("SELECT wall, busy, compute, communication, copies, overlap, exposed, idle FROM perfhouse.gpu_activity($run)")),
			rows_of($truth->{devices}, qw(wall busy compute communication copies compute_and_communication exposed_communication idle)),
			"$name: how busy devices were"
		);
		is( join(';', sort split /\n/, $w->sql("SELECT busy, host_wait, launch_gap, other FROM perfhouse.gpu_idle($run)")),
			rows_of($truth->{streams}, 'busy', map { my $cause = $_; sub { shift->{idle_union_30000ns}{$cause} } } qw(host_wait kernel_wait other)),
			"$name: why streams were idle"
		);
		is( join(';', sort split /\n/, $w->sql("SELECT stream, count(*), sum(duration), max(queue) FROM perfhouse.launches($run) GROUP BY device, stream")),
			rows_of($truth->{streams}, qw(stream activities sum queue_max_until_start)),
			"$name: what streams had to do, and their queues"
		);
		my ($from_start, $from_end) = @{$truth->{launches}}{qw(delay_from_call_start delay_from_call_end)};
		is( $w->sql("SELECT count(delay), sum(delay), min(delay), max(delay), sum(delay_from_end), min(delay_from_end) FROM perfhouse.launches($run)"),
			join('|', @$from_start{qw(n sum min max)}, @$from_end{qw(sum min)}),
			"$name: how late activities were"
		);
		is( $w->sql("SELECT count(*), sum(total) FROM perfhouse.kernels($run)"),
			join('|', scalar keys %{$truth->{kernels}{shown}}, do { my $sum = 0; $sum += $_->{sum} for values %{$truth->{kernels}{shown}}; $sum }),
			"$name: kernels");
		compare_streams($name, $run, $truth);
		is($w->sql("SELECT calls FROM perfhouse.device_operations($run) WHERE operation = 'all_to_all' AND kernel ~ 'SendRecv'"),
			42, "$name: all_to_all runs kernels of another name") if $name =~ /^trace_diff/;
	}
}

# Holistic Trace Analysis itself. Of several steps it drops the last one: what was launched since that began; its microseconds are
# floating-point, and it cuts fractions off at both ends. Records of synchronisation are busy time to it, so how busy devices were is compared
# where there are none. Only CUDA's own calls launch anything in its statistics.
sub hta_query
{
	my ($run, $origin) = @_;
	return <<"END";
WITH step AS (SELECT max(enter) AS last, count(DISTINCT region) AS n FROM perfhouse.calls($run) WHERE region LIKE 'ProfilerStep%'),
kept AS (SELECT kind, call, ceil(at)::int8 AS s, floor(at + us)::int8 AS e, (floor(call_at + call_us) - ceil(call_at))::int8 AS call_us,
		greatest(ceil(at) - floor(call_at + call_us), 0)::int8 AS delay_us
	FROM (SELECT *, ((t_start + $origin) / 1000.0)::float8 AS at, (duration / 1000.0)::float8 AS us,
			((t_call + $origin) / 1000.0)::float8 AS call_at, (call_duration / 1000.0)::float8 AS call_us FROM perfhouse.launches($run)) l, step
	WHERE step.n < 2 OR t_call < step.last),
ranges AS (SELECT coalesce(range_agg(int8range(s, e)), '{}') AS busy,
		coalesce(range_agg(int8range(s, e)) FILTER (WHERE kind = 'compute'), '{}') AS compute,
		coalesce(range_agg(int8range(s, e)) FILTER (WHERE kind = 'communication'), '{}') AS communication,
		coalesce(range_agg(int8range(s, e)) FILTER (WHERE kind IN ('copy', 'set')), '{}') AS memory FROM kept WHERE e > s),
parts(what, part) AS (SELECT v.* FROM ranges, LATERAL (VALUES
	('BUSY', busy), ('COMPUTE', compute), ('COMMUNICATE', communication), ('BOTH', compute * communication),
	('COMPUTATION', compute - communication - memory), ('COMMUNICATION', communication - compute - memory), ('MEMORY', memory - compute - communication),
	('COMPUTATION overlapping COMMUNICATION', compute * communication - memory), ('COMPUTATION overlapping MEMORY', compute * memory - communication),
	('COMMUNICATION overlapping MEMORY', communication * memory - compute),
	('COMPUTATION overlapping COMMUNICATION overlapping MEMORY', compute * communication * memory)) v)
SELECT what, (SELECT sum(upper(r) - lower(r)) FROM unnest(part) r) FROM parts WHERE part <> '{}'
UNION ALL SELECT 'WALL', max(e) - min(s) FROM kept
UNION ALL SELECT v.* FROM (SELECT count(*) AS n, sum(call_us) AS c, sum(e - s) AS g, sum(delay_us) AS d, count(*) FILTER (WHERE e - s < call_us) AS h
	FROM kept WHERE call IN ('cudaLaunchKernel', 'cudaLaunchKernelExC', 'cudaMemcpyAsync', 'cudaMemsetAsync')) l,
	LATERAL (VALUES ('n', l.n), ('cpu_duration', c), ('gpu_duration', g), ('launch_delay', d), ('shorter', h)) v
END
}

SKIP:
{
	skip 'no answers of Holistic Trace Analysis', 1 if !-e "$shared/oracle/gpu/hta-answers.json";
	my $files = decode_json(Perfhouse::slurp("$shared/oracle/gpu/hta-answers.json"))->{files};
	my %column = (host_wait => 'host_wait', kernel_wait => 'launch_gap', other => 'other');
	for my $file (grep { $run_of{$_} && @{$run_of{$_}[1]{devices} // []} } sort keys %$files)
	{
		my ($run, $truth, $says) = (@{$run_of{$file}}, $files->{$file});
		my %ours = map { split /\|/, $_, 2 } split /\n/, $w->sql(hta_query($run, $truth->{range}[0]));
		is_deeply({map { ($_ => ($ours{$_} || 0) + 0) } keys %{$says->{launch}}}, $says->{launch}, "$file: what launched how fast, as HTA says");
		my %type = map { ($_->{kernel_type} => $_->{sum}) } @{$says->{kernels}{by_type_us}};
		is_deeply({map { ($_ => $ours{$_} // 0) } keys %type}, \%type, 'and what was done at a time');
		my ($overlap, $temporal) = ($says->{overlap}[0]{comp_comm_overlap_pctg}, $says->{temporal}[0]);
		is(sprintf('%.2f', 100 * ($ours{BOTH} // 0) / ($ours{COMMUNICATE} || 1)), sprintf('%.2f', $overlap // 0), 'how much communication was hidden');
		is( join('|', $ours{WALL}, $ours{WALL} - $ours{BUSY}, $ours{COMPUTE}, $ours{BUSY} - $ours{COMPUTE}),
			join('|', map { $temporal->{"${_}_time(us)"} + 0 } qw(kernel idle compute non_compute)),
			'how busy the device was'
		) if !$truth->{synchronisation};
		is( sorted("SELECT stream, max(queue), 2 * count(*) FROM perfhouse.launches($run), (SELECT max(enter) AS last, count(DISTINCT region) AS n"
				  . " FROM perfhouse.calls($run) WHERE region LIKE 'ProfilerStep%') s WHERE call IS NOT NULL AND (n < 2 OR t_call < last) GROUP BY stream"),
			rows_of($says->{queue}, 'stream', sub { $_[0]{max} + 0 }, sub { $_[0]{count} + 0 }),
			'how long queues were'
		) if !grep { /Graph/ } keys %{$truth->{launches}{by_call}};    # whose activities it does not count
		next if $file !~ m{^critical_path/};
		my @idle = grep { $_->{idle_time} > 0 } @{$says->{idle}};
		is( join(';', sort map { join '|', $_->{stream}, $_->{idle_category}, $_->{idle_time} + 0 } @idle),
			join(';', sort map { my $cause = $_; split /\n/, $w->sql("SELECT stream, '$cause', $column{$cause} / 1000 FROM perfhouse.gpu_idle($run)"
					  . " WHERE $column{$cause} > 0") } sort keys %column),
			"$file: why streams were idle, as HTA says"
		);
	}
}

# ---- a generated profile of PyTorch: three ranks wait for the last one in every all-reduce

$w->ok_run('four ranks', 'load', '--set', 'application=train', "$data/gpu/train-4");
my $train = $w->sql(q{SELECT max(run_id) FROM perfhouse.trace_stream});
is( $w->sql("SELECT last_rank, count(DISTINCT collective), count(*), min(step), max(step) FROM perfhouse.device_collectives($train) GROUP BY 1"),
	'3|3|12|0|2', 'who delayed the all-reduce'
);
is( $w->sql("SELECT bool_and(c.wait > 0) FROM perfhouse.device_collectives($train) c WHERE c.rank <> 3"),
	't', 'all others waited');
is( $w->sql("SELECT count(*), sum(a.wall) = sum(a.busy + a.idle), sum(a.communication) = sum(a.overlap + a.exposed) FROM perfhouse.gpu_activity($train) a"),
	'4|t|t', 'busy and idle are the wall');
is( $w->sql("SELECT o.device_efficiency > 0, o.device_efficiency = d.parallel, o.device_orchestration = d.orchestration FROM perfhouse.run_overview o, perfhouse.device_efficiency($train) d WHERE o.run_id = $train"),
	't|t|t', 'the load stores the efficiency of devices');
# The same counted of the events alone: what streams do between their first and last activity, and what the host calls.
sub recounted
{
	my ($parts) = @_;
	return <<"SQL";
WITH part AS MATERIALIZED ($parts), span AS MATERIALIZED (
	SELECT e.location, s.rank, e.depth, e.region, e.time AS t_from, CASE e.kind WHEN 'ENTER' THEN (SELECT min(l.time) FROM perfhouse.event l
		WHERE l.run_id = $train AND l.location = e.location AND l.seq > e.seq AND l.kind = 'LEAVE' AND l.depth = e.depth) END AS t_to
	FROM perfhouse.event e LEFT JOIN perfhouse.trace_stream s ON s.run_id = $train AND s.location_id = e.location
	WHERE e.run_id = $train AND e.kind = 'ENTER'
), activity AS (
	SELECT *, min(t_from) OVER (PARTITION BY rank) AS first, max(t_to) OVER (PARTITION BY rank) AS last FROM span WHERE rank IS NOT NULL
), device AS (
	SELECT p.part, p.t_from, a.rank, least(max(a.last), p.t_to) - greatest(min(a.first), p.t_from) AS wall,
		range_agg(int8range(greatest(a.t_from, p.t_from), least(a.t_to, p.t_to))) AS active,
		range_agg(int8range(greatest(a.t_from, p.t_from), least(a.t_to, p.t_to))) FILTER (WHERE a.region !~ '^nccl') AS useful
	FROM part p JOIN activity a ON a.t_from < p.t_to AND a.t_to > p.t_from GROUP BY p.part, p.t_from, p.t_to, a.rank
), counted AS (
	SELECT d.part, d.t_from, count(*) AS devices, max(d.wall) AS elapsed, avg(u.ns) / max(u.ns) AS load_balance, max(u.ns)::float8 / max(v.ns) AS communication,
		max(v.ns)::float8 / max(d.wall) AS orchestration
	FROM device d, LATERAL (SELECT coalesce(sum(upper(r) - lower(r)), 0) FROM unnest(d.useful) r) u (ns), LATERAL (SELECT sum(upper(r) - lower(r)) FROM unnest(d.active) r) v (ns)
	GROUP BY 1, 2
), host AS (
	SELECT p.part, p.t_from, 1 - coalesce(sum(least(h.t_to, p.t_to) - greatest(h.t_from, p.t_from)) FILTER (WHERE h.region ~ '^cuda'), 0)::float8
		/ sum(least(h.t_to, p.t_to) - greatest(h.t_from, p.t_from)) FILTER (WHERE h.depth = 0) AS offload
	FROM part p JOIN span h ON h.rank IS NULL AND h.t_from < p.t_to AND h.t_to > p.t_from GROUP BY 1, 2)
SELECT count(*), bool_and(p.devices = c.devices AND p.elapsed = c.elapsed AND abs(p.load_balance - c.load_balance) < 1e-9
	AND abs(p.communication - c.communication) < 1e-9 AND abs(p.orchestration - c.orchestration) < 1e-9 AND abs(p.offload - h.offload) < 1e-9
	AND abs(p.parallel - c.load_balance * c.communication * c.orchestration) < 1e-9)
FROM part p JOIN counted c USING (part, t_from) JOIN host h USING (part, t_from)
SQL
}
is($w->sql(recounted("SELECT '' AS part, 0 AS t_from, t.duration AS t_to, e.* FROM perfhouse.trace t, perfhouse.device_efficiency($train) e WHERE t.run_id = $train")), '1|t', 'efficiencies of devices, counted of the events');
is($w->sql(recounted(join ' UNION ALL ', map { "SELECT * FROM perfhouse.device_efficiencies($train, region => 'ProfilerStep#$_')" } 0 .. 2)), '3|t', 'of each step, too');
is($w->sql(recounted(join ' UNION ALL ', map { "SELECT '$_' AS part, * FROM (SELECT $_ * 700000::int8 AS t_from, $_ * 700000::int8 + 500000 AS t_to) t, perfhouse.device_efficiency($train, t.t_from, t.t_to)" } 1 .. 8)), '8|t', 'and of windows that cut kernels');
my $shown = $w->ok_run('trace efficiency', 'trace', $train, 'efficiency')->{out};
like($shown, qr/^How well processes .*^How well devices are used .*^ +devices .* %/ms, 'which is told beside that of processes');
like($w->ok_run('report', 'report', $train)->{out}, qr/Devices compute for [\d.]+ % of the time/, 'and in the report');
is( $w->sql("SELECT (SELECT sum(t_to - t_from) FROM perfhouse.critical_path($train)) = duration FROM perfhouse.trace WHERE run_id = $train"),
	't', 'the critical path tiles the run');
is( $w->sql("SELECT count(*) FILTER (WHERE part = 'kernel' AND share > 0.2), count(*) FILTER (WHERE part = 'communication') FROM perfhouse.gpu_critical_path($train)"),
	'1|1', 'host and stream end at one time: the host waited for the stream');
is( $w->sql("SELECT rank FROM perfhouse.critical_path($train) GROUP BY 1 ORDER BY sum(t_to - t_from) DESC LIMIT 1"), '3', 'through the all-reduce to who was late');

# ---- viewers put lanes into order themselves: locations come by their numbers, streams behind all threads

my $serve = Serve->new($w);
like($serve->get("/api/viewer?run=$train")->{body}, qr/"rank":\[0,0,1,1,2,2,3,3,0,0,1,1,2,2,3,3\],"thread":\[0,1,0,1,0,1,0,1,null/, 'locations by number');

# ---- exports: streams stand as threads of their process; OTF2 refuses rather than leave them out

my $chrome = "$w->{home}/train.json";
$w->ok_run('Chrome', 'export', '--format', 'chrome', $train, '-o', $chrome);
my $slices = decode_json(Perfhouse::slurp($chrome));
my %lane   = map { ("$_->{pid} $_->{tid}" => $_->{args}{name}) } grep { $_->{name} eq 'thread_name' } @{$slices->{traceEvents} // $slices};
my $on     = 0;
($lane{"$_->{pid} $_->{tid}"} // '') =~ /^GPU/ and $on++ for grep { $_->{ph} eq 'X' } @{$slices->{traceEvents} // $slices};
is($on, $w->sql("SELECT count(*) FROM perfhouse.calls($train) c WHERE c.location IN (SELECT location_id FROM perfhouse.trace_stream WHERE run_id = $train)"),
	'activities are slices of their streams');
my (%flow, %slice);
$slice{"$_->{pid} $_->{tid} $_->{ts}"} = 1 for grep { $_->{ph} eq 'X' } @{$slices->{traceEvents}};
push @{$flow{$_->{id}}}, $_ for grep { $_->{ph} eq 's' || $_->{ph} eq 'f' } @{$slices->{traceEvents}};
is(scalar keys %flow, $w->sql("SELECT count(call) FROM perfhouse.launches($train)"), 'and launches arrows to them');
is((grep { join(' ', map { $_->{ph} } @$_) ne 's f' || grep { !$slice{"$_->{pid} $_->{tid} $_->{ts}"} } @$_ } values %flow),
	0, 'from the slice of a call to that of what it started');

# ---- a kernel that begins in one chunk and ends in the next is whole in every window that it touches
my @calls = ({ph => 'X', cat => 'gpu_memcpy', name => 'Memcpy HtoD', ts => 0, dur => 7, pid => 0, tid => 7,
		args => {device => 0, context => 1, stream => 7, correlation => 9999, bytes => 64}});
for my $call (1 .. 8400)
{
	push @calls, {ph => 'X', cat => 'cuda_runtime', name => 'cudaLaunchKernel', ts => 10 * $call, dur => 1, pid => 1, tid => 1, args => {correlation => $call}};
	push @calls, {ph => 'X', cat => 'kernel', name => 'work', ts => 10 * $call + 2, dur => 7, pid => 0, tid => 7,
		args => {device => 0, context => 1, stream => 7, correlation => $call}};
}
open my $file, '>', "$w->{home}/long.pt.trace.json" or die;
print $file encode_json({schemaVersion => 1, traceEvents => \@calls});
close $file;
my $long = decode_json($w->ok_run('a stream of two chunks', 'load', '--json', "$w->{home}/long.pt.trace.json")->{out})->{run_id};
my $edge = "SELECT max(t_last) AS at FROM perfhouse.trace_chunk WHERE run_id = $long AND chunk_no = 0 AND location_id = 1";
is($w->sql("SELECT count(*) FROM perfhouse.launches($long) JOIN ($edge) e ON t_start = at"), 1, 'a chunk ends behind the beginning of a kernel');
is($w->sql(<<~"SQL"), q{}, 'kernels, and how busy devices are, in windows around it');
	SELECT early, late, n, total, busy, expected FROM ($edge) e, (VALUES (-20000), (-9000), (-1), (0), (1), (3000)) f (early), (VALUES (1), (2000), (7000), (9000)) t (late),
		LATERAL (SELECT calls AS n, total FROM perfhouse.kernels($long, at + early, at + late)) k,
		LATERAL (SELECT sum(busy) AS busy FROM perfhouse.gpu_activity($long, at + early, at + late)) a,
		LATERAL (SELECT count(*) AS expected, sum(duration) AS sum FROM perfhouse.launches($long)
			WHERE t_start < at + late AND t_start + duration >= at + early) l
	WHERE early < late AND (n, total, busy) IS DISTINCT FROM (expected, sum, sum)
	SQL

# ---- half of the other ranks' devices compute nothing: the slow one is not compared with their median
mkdir "$w->{home}/idle";
for my $rank (0 .. 3)
{
	my ($cat, $name, $us) = $rank < 2 ? ('gpu_memcpy', 'Memcpy HtoD', 5) : ('kernel', 'work', 3 * $rank);
	my @slices = map { my $i = $_; (
			{ph => 'X', cat => 'cuda_runtime', name => 'cudaLaunchKernel', ts => 20 * $i, dur => 1, pid => 1, tid => 1, args => {correlation => $i}},
			{ph => 'X', cat => $cat, name => $name, ts => 20 * $i + 2, dur => $us, pid => 0, tid => 7,
				args => {device => 0, context => 1, stream => 7, correlation => $i, bytes => 64}}) } 1 .. 50;
	open my $out, '>', "$w->{home}/idle/rank-$rank.pt.trace.json" or die;
	print $out encode_json({schemaVersion => 1, distributedInfo => {rank => $rank, world_size => 4}, traceEvents => \@slices});
	close $out;
}
my $idle = decode_json($w->ok_run('idle devices', 'load', '--json', '--one-run', "$w->{home}/idle")->{out})->{run_id};
is($w->sql("SELECT string_agg(rank || ' ' || compute, ', ' ORDER BY rank) FROM perfhouse.gpu_activity($idle)"), '0 0, 1 0, 2 300000, 3 450000', 'of four ranks');
like($w->ok_run('explain them', 'explain', $idle)->{out}, qr/devices compute for/, 'are explained');

done_testing();
