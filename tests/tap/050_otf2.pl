# load: OTF2 traces. Counts against otf2-print, serial and parallel loads, kills, damaged archives.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Perfhouse;
use Cwd qw(abs_path);
use File::Path qw(make_path remove_tree);
use JSON::PP;
use Test::More;
use Time::HiRes qw(sleep time);

my $w      = Perfhouse->new;
my $root   = abs_path("$FindBin::Bin/../..");
my $otf2   = "$Perfhouse::data/traces";
my $print  = grep { -x "$_/otf2-print" } split /:/, $ENV{PATH};
my @tables = qw(trace trace_region trace_communicator trace_metric trace_text trace_chunk message_chunk location
	profile_tree profile_values profile_summary region_summary run_region);

# Of metric and the same one of the profile beside the trace: nodes, total, sum of differences.
sub compared
{
	my ($run, $metric) = @_;
	return $w->sql(qq{SELECT count(*), sum(a.exclusive_sum), sum(abs(a.exclusive_sum - b.exclusive_sum)) FROM perfhouse.profile_summary a JOIN perfhouse.profile_summary b USING (run_id, callpath_id) JOIN perfhouse.metric x ON x.metric_id = a.metric_id JOIN perfhouse.metric y ON y.metric_id = b.metric_id WHERE run_id = $run AND x.name = '$metric' AND y.name = 'cube $metric'});
}

# All rows of a run in a table, as one checksum.
sub checksum
{
	my ($table, $run) = @_;
	return $w->sql("SELECT count(*), md5(string_agg(r, '|' ORDER BY r)) FROM (SELECT (to_jsonb(t) - 'run_id')::text AS r FROM perfhouse.$table t WHERE run_id = $run) x");
}

# "KIND count" of every kind of event, as otf2-print has them.
sub printed
{
	my ($anchor) = @_;
	my %n;
	open(my $in, '-|', 'otf2-print', $anchor) or return '';
	while (<$in>)
	{
		$n{$1}++ if /^([A-Z_]+) +[0-9]+ +[0-9]+ /;
	}
	return join("\n", map { "$_ $n{$_}" } sort keys %n);
}

sub kinds
{
	my ($run) = @_;
	return $w->sql(qq{SELECT kind || ' ' || count(*) FROM perfhouse.events($run) GROUP BY kind ORDER BY kind COLLATE "C"});
}

# ---- a Score-P experiment by its anchor, by its folder, and elsewhere
my $r = $w->ok_run('load an archive', 'load', '--json', "$otf2/colls-6/traces.otf2");
my $j = decode_json($r->{out});
is($j->{format},    'otf2', 'format');
is($j->{n_events},    1968,   'events');
is($j->{n_locations}, 6,      'locations');
is($j->{n_messages},  0,      'messages');
is($j->{n_columns},   6,      'columns');
is($w->sql('SELECT application, title, n_ranks, n_threads, state FROM perfhouse.run'), 'colls.scorep|colls-6|6|1|ready', 'what the run is called');
is($w->sql('SELECT n_locations, n_events, n_collectives, open_calls, unknown_records, clock FROM perfhouse.trace'), '6|1968|90|0|0|offsets', 'the trace');
is($w->sql(q{SELECT meta->>'otf2.creator', meta->>'otf2.ticks_per_second', meta->>'SCOREP_TOTAL_MEMORY' FROM perfhouse.run}), 'Score-P 8.4|2000011049|24M', 'metadata');
is($w->sql('SELECT count(*) FROM perfhouse.check_run(1) WHERE NOT ok'), 0, 'the stored data agrees with itself');
is($w->sql('SELECT string_agg(members::text, $$ $$ ORDER BY local_id) FROM perfhouse.trace_communicator'), '{0,1,2,3,4,5} {0,1,2,3,4,5} {0,2,4} {} {1,3,5} {0,1,2,3,4,5}', 'communicators by world ranks, the window last');
is(kinds(1), join("\n", 'COMM_CREATE 18', 'COMM_DESTROY 18', 'ENTER 540', 'LEAVE 540', 'MPI_COLLECTIVE_BEGIN 312', 'MPI_COLLECTIVE_END 312', 'NON_BLOCKING_COLLECTIVE_COMPLETE 72', 'NON_BLOCKING_COLLECTIVE_REQUEST 72', 'PROGRAM_BEGIN 6', 'PROGRAM_END 6', 'RMA_COLLECTIVE_BEGIN 24', 'RMA_COLLECTIVE_END 24', 'RMA_OP_COMPLETE_NON_BLOCKING 6', 'RMA_PUT 6', 'RMA_WIN_CREATE 6', 'RMA_WIN_DESTROY 6'), 'events by kind')
  or diag(kinds(1));
is($w->sql('SELECT min(time), min(depth) FROM perfhouse.events(1)'), '0|0', 'time counts from the first event');
$r = $w->ok_run('the folder is the same run', 'load', '--json', "$otf2/colls-6");
is(decode_json($r->{out})->{run_id}, 1, 'already loaded');
system('cp', '-r', "$otf2/colls-6", "$w->{home}/moved");
$r = $w->ok_run('and so is a copy of it', 'load', '--json', "$w->{home}/moved/traces.otf2");
is(decode_json($r->{out})->{already_loaded}, JSON::PP::true, 'wherever it lies');

# ---- the profile of a trace: call paths of main, visits exactly
is($w->sql(q{SELECT sum(exclusive * 6) FROM perfhouse.nodes(perfhouse.profile(1, 'visits'))}), '540', 'visits are calls');
is($w->sql(q{SELECT string_agg(DISTINCT label, ' ' ORDER BY label) FROM perfhouse.supernodes(perfhouse.supergraph(perfhouse.profile(1), 'paradigm'))}), 'compiler mpi', 'paradigms');
is($w->sql(q{SELECT abs(sum(exclusive) - (SELECT sum(exclusive) / 6 / 1e9 FROM perfhouse.calls(1))) < 1e-9 FROM perfhouse.nodes(perfhouse.profile(1))}), 't', 'time is that of the calls');

# ---- the profile beside it: the same call paths, the same visits
is($w->sql('SELECT array_to_string(metrics, $$,$$) FROM perfhouse.run WHERE run_id = 1'), 'time,visits,cube time,cube visits,cube bytes_put,cube bytes_sent,cube bytes_received,wait,wait caused,on critical path', 'its metrics are attached');
is(compared(1, 'visits'), '32|540|0', 'each call path has as many visits in the profile');
my (undef, $total, $difference) = split /\|/, compared(1, 'time');
ok($difference < 1e-4 * $total, "and the same time: $difference of $total s differ");
remove_tree("$w->{home}/moved");
system('cp', '-r', "$otf2/colls-6", "$w->{home}/moved");
truncate("$w->{home}/moved/profile.cubex", 4000);
is($w->run('load', "$w->{home}/moved")->{code}, 3, 'a damaged profile beside it is refused');
$r = $w->ok_run('or left out', 'load', '--json', '--allow-incomplete', "$w->{home}/moved");
like($r->{err}, qr/warning: .*incomplete: the profile beside the trace cannot be read \(.*profile\.cubex/, 'which is said');
is($w->sql('SELECT array_to_string(metrics, $$,$$) FROM perfhouse.run WHERE run_id = ' . decode_json($r->{out})->{run_id}), 'time,visits,wait,wait caused,on critical path', 'the trace is loaded');

# ---- TAU: sparse location ids, metrics, an epoch
$r = $w->ok_run('load a TAU archive', 'load', '--json', "$otf2/tau-halo2d-nb-9");
my $tau = decode_json($r->{out})->{run_id};
is($w->sql("SELECT n_messages, unmatched_sends, unmatched_receives, clock, epoch_ns FROM perfhouse.trace WHERE run_id = $tau"), '96|0|0|uncorrected|1795230167930698000', 'messages and epoch');
is($w->sql("SELECT started_at AT TIME ZONE 'UTC' FROM perfhouse.run WHERE run_id = $tau") =~ /^2026-11-21 03:02:47/, 1, 'when it began');
is($w->sql("SELECT min(sender), max(sender), sum(messages) FROM perfhouse.comm_matrix($tau)"), '0|8|96', 'ranks, not location ids');

# ---- dry run
$r = $w->ok_run('dry run', 'load', '--dry-run', '--json', "$otf2/tau-halo2d-nb-9");
$j = decode_json($r->{out});
is_deeply([@$j{qw(n_events n_locations n_ranks n_regions n_messages duration_ns)}], [2187, 9, 9, 23, 96, 477653000], 'what the archive holds');
is_deeply($j->{events_by_kind}, {ENTER => 765, LEAVE => 765, MPI_SEND => 96, MPI_RECV => 96, METRIC => 465}, 'by kind');
$r = $w->ok_run('for people', 'load', '--dry-run', "$otf2/tau-halo2d-nb-9");
like($r->{out}, qr/2187 events in 9 locations, 96 messages.*765 ENTER\n/s, 'as text');

# ---- clock offsets
for my $mode (qw(on off))
{
	$r = $w->ok_run("clock offsets $mode", 'load', '--json', '--if-exists', 'append', '--clock-offsets', $mode, "$otf2/colls-6");
	is($w->sql('SELECT clock FROM perfhouse.trace WHERE run_id = ' . decode_json($r->{out})->{run_id}), $mode eq 'on' ? 'offsets' : 'uncorrected', 'as told');
}
is($w->run('load', '--clock-offsets', 'perhaps', "$otf2/colls-6")->{code}, 2, 'another word is refused');

# ---- every archive there is
SKIP:
{
	my $shared = "$root/../shared/data/own/otf2";
	skip 'no ../shared/data/own/otf2', 1 unless -d $shared;
	skip 'no otf2-print (package otf2-tools)', 1 unless $print;
	$r = $w->run('load', '--json', $shared);
	is($r->{code}, 0, 'all archives load') or diag($r->{err});
	for my $line (split /\n/, $r->{out})
	{
		my $run = decode_json($line);
		is(kinds($run->{run_id}), printed((glob("$run->{source}/*.otf2"))[0]), "$run->{source}: events as otf2-print counts them");
		next unless -e "$run->{source}/profile.cubex";
		my ($nodes, $visits, $different) = split /\|/, compared($run->{run_id}, 'visits');
		is($different, 0, "visits of $nodes call paths as the profile beside it has them");
		my (undef, $time, $off) = split /\|/, compared($run->{run_id}, 'time');
		ok($off < 5e-3 * $time, "time, too, but for $off of $time s"); # reading rusage takes time, too
		is($w->sql("SELECT unmatched_sends + unmatched_receives + open_calls FROM perfhouse.trace WHERE run_id = $run->{run_id}"), 0, 'nothing is left over');
	}
}

# ---- a generated trace, large enough for several connections
my $cc        = $ENV{CC} // 'cc';
my $generator = "$w->{home}/gen_trace";
is(system("$cc -std=c11 -O1 -D_GNU_SOURCE -o $generator $root/bench/gen_trace.c \$(pkg-config --cflags --libs otf2)"), 0, 'build the generator');
is(system($generator, 'halo', "$w->{home}/halo", '--ranks', 12, '--iterations', 1100), 0, 'generate a trace');
my $halo = "$w->{home}/halo";
$r = $w->ok_run('load it serially', 'load', '--json', '--jobs', 1, $halo);
my $serial = decode_json($r->{out});
$r = $w->ok_run('and in parallel', 'load', '--json', '--jobs', 3, '--if-exists', 'append', $halo);
my $parallel = decode_json($r->{out});
is($parallel->{n_events}, $serial->{n_events}, 'as many events');
is($w->sql("SELECT n_messages, unmatched_sends, reversed_messages FROM perfhouse.trace WHERE run_id = $serial->{run_id}"), "$serial->{n_messages}|0|0", 'messages are matched');
is($w->sql("SELECT count(*), count(receive_time) FROM perfhouse.messages($parallel->{run_id})"), "$serial->{n_messages}|$serial->{n_messages}", 'and linked');
is(checksum($_, $serial->{run_id}), checksum($_, $parallel->{run_id}), "the same rows in $_") for @tables;
$r = $w->ok_run('replace it', 'load', '--json', '--jobs', 3, '--if-exists', 'replace', $halo);
is(decode_json($r->{out})->{run_id}, $serial->{run_id}, 'it keeps its number');
is(checksum('trace_chunk', $serial->{run_id}), checksum('trace_chunk', $parallel->{run_id}), 'and its events');
$w->ok_run('remove both', 'rm', '-f', $serial->{run_id}, $parallel->{run_id});
is($w->sql("SELECT count(*) FROM perfhouse.trace_chunk WHERE run_id IN ($serial->{run_id}, $parallel->{run_id})"), 0, 'no chunk stays');

# ---- two loaders of one content at once
{
	my @both    = map { [$w->start('load', '--json', '--jobs', 2, $halo)] } 1 .. 2;
	my @results = map { $w->finish(@$_) } @both;
	is($results[$_]{code}, 0, "loader $_ of two") or diag($results[$_]{err}) for 0, 1;
	my @outcomes = sort map { decode_json($_->{out})->{outcome} } @results;
	is("@outcomes", 'loaded skipped', 'one loads, the other waits and finds it');
	is(decode_json($results[0]{out})->{run_id}, decode_json($results[1]{out})->{run_id}, 'both name the run');
	$w->run('rm', '-f', decode_json($results[0]{out})->{run_id});
}

# ---- kill -9 and SIGINT while several connections load
my $before = $w->sql('SELECT count(*) FROM perfhouse.run_overview');
my $start  = time;
$r = $w->ok_run('an undisturbed load', 'load', '--json', '--jobs', 3, $halo);
my $whole = time - $start;
$w->run('rm', '-f', decode_json($r->{out})->{run_id});
my ($killed, $left) = (0, 0);
my @moments = Perfhouse::some(5, 1 .. 14);
while (defined(my $moment = shift @moments))
{
	my $signal = $moment % 4 == 0 ? 'INT' : 'KILL';
	my ($pid, $base) = $w->start('load', '--jobs', 3, $halo);
	sleep($whole * $moment / 15);
	kill $signal, $pid;
	my $result = $w->finish($pid, $base);
	if ($result->{code} == 0)
	{
		$w->run('rm', '-f', $w->sql("SELECT max(run_id) FROM perfhouse.run"));
		push @moments, $moment if $whole > 0.01; # it was faster than the one that was timed: again, sooner
		$whole /= 2;
		next;
	}
	$killed++;
	is($result->{code}, $signal eq 'INT' ? 130 : 137, "moment $moment: SIG$signal");
	my $visible = $w->sql('SELECT count(*) FROM perfhouse.run_overview');
	if ($visible == $before + 1) # killed after the commit
	{
		is($w->sql('SELECT sum(n_events) FROM perfhouse.trace_chunk WHERE run_id = (SELECT max(run_id) FROM perfhouse.run)'), $serial->{n_events}, 'everything is visible');
		$w->run('rm', '-f', $w->sql('SELECT max(run_id) FROM perfhouse.run'));
	}
	else
	{
		is($visible, $before, 'nothing is visible');
	}
	$left += $w->sql(q{SELECT count(*) FROM perfhouse.run WHERE state = 'loading'}) if $signal eq 'KILL';
}
ok($killed >= 2, "$killed loads were killed") or diag($whole);
note("$left looks found a row in state loading");
$w->ok_run('doctor --repair', 'doctor', '--repair');
ok($w->alone, 'no server process is left of killed loads');
$w->ok_run('doctor --repair, when the last server process has seen it', 'doctor', '--repair');
is($w->sql(q{SELECT count(*) FROM perfhouse.run WHERE state <> 'ready'}), 0, 'no run is left half loaded');
is($w->sql("SELECT count(*) FROM perfhouse.$_ t WHERE NOT EXISTS (SELECT FROM perfhouse.run r WHERE r.run_id = t.run_id)"), 0, "no rows of such runs in $_") for @tables;
$w->ok_run('and it loads', 'load', '--jobs', 3, $halo);

# ---- damaged archives
my $damaged = "$w->{home}/damaged";

sub damage
{
	my ($name, $change, $code, $message) = @_;
	remove_tree($damaged);
	system('cp', '-r', "$otf2/colls-6", $damaged);
	$change->();
	my $result = $w->run('load', '--json', $damaged);
	is($result->{code}, $code, "$name: exit code") or diag("$result->{out}$result->{err}");
	like($result->{err}, $message, "$name: message");
	unlike($result->{err}, qr/\[OTF2\]/, "$name: libotf2 does not print itself");
}

sub cut { my ($file, $size) = @_; return sub { truncate("$damaged/$file", $size) or die "$file: $!" } }

sub patch
{
	my ($file, $offset, $bytes) = @_;
	return sub {
		open(my $out, '+<:raw', "$damaged/$file") or die "$file: $!";
		seek($out, $offset, 0);
		print $out $bytes;
		close $out;
	};
}

my $runs = $w->sql('SELECT count(*) FROM perfhouse.run');
damage('events cut off',      cut('traces/3.evt', 2000), 3, qr{damaged/traces/3\.evt: location 3, record 176: });
damage('no events at all',    cut('traces/3.evt', 0),    3, qr{damaged/traces/3\.evt: .*location 3});
damage('definitions cut off', cut('traces.def', 5000),   3, qr{damaged/traces\.otf2: cannot read global definition 235});
damage('local definitions cut off', cut('traces/2.def', 60), 3, qr{damaged/traces/2\.def: location 2, definition 2});
damage('anchor cut off',      cut('traces.otf2', 20),    3, qr{damaged/traces\.otf2: cannot open the archive});
damage('wrong magic', patch('traces.otf2', 0, 'XXXXXXXX'), 3, qr{damaged/traces\.otf2: cannot open the archive});
damage('another version', patch('traces.otf2', 8, "\x63"), 3, qr{damaged/traces\.otf2: .*version});
damage('a million locations', patch('traces.otf2', 30, pack('Q<', 1000000)), 3, qr{says that there are 1000000 locations, but 6 are defined});
damage('endless locations', patch('traces.otf2', 30, pack('Q<', 2**62)), 11, qr{says that there are 4611686018427387904 locations});
damage('an event file is missing', sub { unlink "$damaged/traces/2.evt" }, 3, qr{traces/2\.evt: cannot read the 328 events of location 2.*hint: Copy the whole archive}s);
damage('a definition file is missing', sub { unlink "$damaged/traces/2.def" }, 3, qr{traces/2\.def: cannot read the definitions of location 2});
damage('the folder is missing', sub { remove_tree("$damaged/traces") }, 3, qr{traces/0\.evt: cannot read});
damage('the global definitions are missing', sub { unlink "$damaged/traces.def" }, 13, qr{traces\.def: });
is($w->sql('SELECT count(*) FROM perfhouse.run'), $runs, 'nothing of them is stored');
is($w->sql(q{SELECT count(*) FILTER (WHERE source LIKE '%/damaged%') > 5, count(run_id) FROM perfhouse.load_log WHERE outcome = 'failed'}), 't|0', 'the log tells no run of what failed');

# ---- what no record tells: TAU records no collectives
my $told = "SELECT item, value, trusted FROM perfhouse.trace_summary($tau) WHERE item LIKE '%without records%' OR item LIKE '%inferred%'";
is($w->sql($told), "calls of sends without records|0|t\ncalls of receives without records|0|t\nof these inferred from calls|8|t\ncalls of collectives without records, not inferred|0|t",
	'equal counts on all ranks: all collectives are inferred');
my @inferred = (
	[['logical'], qr/72 members of collectives inferred from their calls/], [['logical'], qr/inferred collective/],
	[['step-overview'], qr/72 members of collectives inferred/],            [['timeline', '--color', 'lateness'], qr/72 members of collectives inferred/],
	[['logical-clusters', '--phase', 1], qr/inferred collective/],          [['trace-diff', '--vs', $tau], qr/collectives in B inferred from their calls/],
);
for my $case (@inferred)
{
	my ($view, $words) = @$case;
	my $svg = $w->ok_run("render @$view", 'render', @$view, '--run', $tau, '--type', 'svg', '-o', '-')->{out};
	like($svg =~ s/<[^>]*>/ /gr =~ s/\s+/ /gr, $words, "@$view says what is inferred");
}
unlike($w->ok_run('render timeline', 'render', 'timeline', '--run', $tau, '--type', 'svg', '-o', '-')->{out}, qr/inferred/, 'a timeline without steps rests on none of it');
$w->sql("UPDATE perfhouse.trace_region SET name = 'MPI_Ssend()' WHERE run_id = $tau AND name LIKE 'pack_faces%'; DELETE FROM perfhouse.trace_chunk WHERE run_id = $tau AND location_id = 8");
my $n_packed = $w->sql("SELECT count(*) FROM perfhouse.calls($tau) WHERE region = 'MPI_Ssend()'");
cmp_ok($n_packed, '>', 0, 'a function that sends, without records');
is($w->sql($told), "calls of sends without records|$n_packed|f\ncalls of receives without records|0|t\nof these inferred from calls|0|t\ncalls of collectives without records, not inferred|64|f",
	'a rank without them: none is, and the summary is not trusted');
is($w->sql("SELECT count(*) FROM perfhouse.collectives($tau)"), 0, 'no collective is made up');
like($w->ok_run('show', 'show', $tau)->{out}, qr/calls of sends without records\s+$n_packed \(not to be trusted\)/, 'show says how many');

done_testing();
