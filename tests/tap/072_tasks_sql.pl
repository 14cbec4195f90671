# Logical time of task-based programs: what a load stores, functions on both kinds of run, pictures.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Perfhouse;
use JSON::PP;
use Test::More;

my $w   = Perfhouse->new;
my $out = $w->{home};
my $r   = $w->run('load', '--json', "$Perfhouse::data/projections/jacobi3d-4p");
is($r->{code}, 0, 'load a Charm++ run') or diag($r->{err});
my $report = decode_json($r->{out});
cmp_ok($report->{$_}, '>', 0, "the report says how many $_") for qw(n_communication_events n_phases last_step);
$w->ok_run('load a run of processes', 'load', "$Perfhouse::data/traces/colls-6");

sub holds
{
	my ($sql, $name) = @_;
	is($w->sql("SELECT count(*) FROM ($sql) q WHERE NOT coalesce(holds, false)"), '0', $name);
}

# ---- invariants of what is stored
is($w->sql('SELECT count(*), count(DISTINCT phase) FROM perfhouse.task_metrics(1)'),
	"$report->{n_communication_events}|$report->{n_phases}", 'every event has a phase');
holds('SELECT step > lag(step, 1, -1) OVER (PARTITION BY location ORDER BY seq) AS holds FROM perfhouse.task_metrics(1)',
	'steps increase along every chare');
holds('SELECT receive_step > send_step AS holds FROM perfhouse.logical_messages(1) WHERE send_step IS NOT NULL AND receive_step IS NOT NULL',
	'messages go forward');
holds('SELECT a.last_step < b.first_step AS holds FROM perfhouse.phase_dag(1) d JOIN perfhouse.phases(1) a ON a.phase = d.source JOIN perfhouse.phases(1) b ON b.phase = d.target',
	'phases follow each other');
holds('SELECT least(differential_duration, idle_experienced, imbalance, block_share) >= 0 AS holds FROM perfhouse.task_metrics(1)',
	'no metric is negative');
holds('SELECT min(differential_duration) = 0 AND count(*) = max(peers) AS holds FROM perfhouse.task_metrics(1) GROUP BY phase, step',
	'some peer is the shortest');
holds('SELECT sum(m.block_share) = b.leave - b.enter AS holds FROM perfhouse.task_metrics(1) m JOIN perfhouse.serial_blocks(1) b ON b.processor = m.processor AND b.block = m.serial_block GROUP BY b.processor, b.block, b.enter, b.leave',
	'the events of a serial block share its time');
holds('SELECT p.is_runtime = bool_or(m.is_runtime) AND p.max_idle = max(m.idle_experienced) AND p.max_duration = max(m.differential_duration) AND p.imbalance >= max(m.imbalance) AS holds FROM perfhouse.phases(1) p JOIN perfhouse.task_metrics(1) m USING (phase) GROUP BY p.phase, p.is_runtime, p.max_idle, p.max_duration, p.imbalance',
	'phases have the metrics of their events');
is($w->sql('SELECT count(*) FROM perfhouse.task_metrics(1) JOIN perfhouse.logical_locations(1) USING (location)'), $report->{n_communication_events}, 'every event is on a location');
holds('SELECT p.is_runtime AS holds FROM perfhouse.task_metrics(1) m JOIN perfhouse.logical_locations(1) l USING (location) JOIN perfhouse.phases(1) p USING (phase) WHERE l.is_runtime',
	'phases with events of the run time are its');
holds('SELECT ok AS holds FROM perfhouse.check_run(1)', 'the run is sound');

# ---- the functions of logical time, the same on both kinds
is($w->sql('SELECT sum(n_events) FROM perfhouse.step_summary(1, \'idle_experienced\')'), $report->{n_communication_events}, 'step_summary');
is($w->sql('SELECT sum(sum) FROM perfhouse.step_summary(1)'), $w->sql('SELECT sum(differential_duration) FROM perfhouse.task_metrics(1)'),
	'its metric is the differential duration');
is($w->sql('SELECT sum(m.n_events) FROM perfhouse.phases(1) p, LATERAL perfhouse.phase_members(1, p.phase) m'), $report->{n_communication_events}, 'phase_members');
is($w->sql('SELECT count(*) FROM perfhouse.logical_steps(1, 3, 5)'), $w->sql('SELECT count(*) FROM perfhouse.task_metrics(1) WHERE step IN (3, 4)'), 'windows of steps');
is($w->sql('SELECT count(*) FROM perfhouse.task_metrics(1, NULL, NULL, \'{1}\')'), $w->sql('SELECT count(*) FROM perfhouse.task_metrics(1) WHERE location = 1'), 'windows of chares');
is($w->sql('SELECT count(*) FROM perfhouse.logical_event WHERE run_id = 1 AND rank IS NULL'), $report->{n_communication_events}, 'the view, without ranks');
is($w->sql("SELECT string_agg(p::text, '' ORDER BY phase) FROM perfhouse_internal.phases_shown(1, 2, 20, 5) p"),
	$w->sql("SELECT string_agg(p::text, '' ORDER BY phase) FROM (SELECT * FROM perfhouse.phases(1) WHERE last_step >= 2 AND first_step < 20 ORDER BY phase LIMIT 5) p"),
	'phases of a picture');
is($w->sql('SELECT first_step, last_step FROM perfhouse_internal.phase_span(1, 224500000, 225500000)'),
	$w->sql('SELECT min(first_step), max(last_step) FROM perfhouse.phases(1) WHERE t_first < 225500000 AND t_last >= 224500000'), 'steps of a window of time');
is($w->sql("SELECT string_agg((bar, sum, n_events, \"greatest\")::text, '' ORDER BY bar) FROM perfhouse_internal.step_bars(1, 'imbalance', 1, 30, 1, 'sum')"),
	$w->sql("SELECT string_agg((step - 1, sum, n_events, max)::text, '' ORDER BY step) FROM perfhouse.step_summary(1, 'imbalance') WHERE step BETWEEN 1 AND 29"), 'bars of steps');
my $largest = $w->sql('SELECT phase FROM perfhouse.phases(1) ORDER BY n_locations DESC, phase LIMIT 1');
is($w->sql("SELECT sum(n_members) FROM perfhouse.step_clusters(1, $largest, 1, 'idle_experienced') WHERE parent IS NULL"),
	$w->sql("SELECT n_locations FROM perfhouse.phases(1) WHERE phase = $largest"), 'clusters of chares');
cmp_ok($w->sql("SELECT count(*) FROM perfhouse.focus_processes(1, $largest)"), '>', 1, 'focus');
is($w->sql('SELECT count(*) FILTER (WHERE status <> \'both\') FROM perfhouse.trace_diff(1, 1)'), '0', 'a run does not differ from itself');
is($w->sql('SELECT bool_or(is_runtime), count(imbalance), count(max_lateness) > 0 FROM perfhouse.phases(2)'), 'f|0|t', 'phases of processes');
is($w->sql('SELECT count(idle_experienced) FROM perfhouse.logical_steps(2)'), '0', 'processes have no idle experienced');
for my $wrong (
	['task_metrics(2)', 'not of a task-based program'], ['logical_locations(2)', 'not of a task-based program'],
	["step_summary(1, 'lateness')", 'no metric'], ['logical_aggregates(1, 1, 0)', 'is of tasks'],
	["phases(1, '{\"align_sends\": true}')", 'no option'], ['task_metrics(1, 5, 4)', 'before it begins'],
	["task_metrics(1, NULL, NULL, '{9999}')", 'no location 9999'])
{
	my $failed = $w->run('psql', '--', '-Xc', "SELECT * FROM perfhouse.$wrong->[0]");
	like($failed->{err}, qr/ERROR.*$wrong->[1].*(HINT|$)/s, "$wrong->[0] is refused");
}

# ---- options: computed with, then stored
sub digest
{
	my ($options) = @_;
	return $w->sql("SELECT md5(string_agg(m::text, ',' ORDER BY location, seq)) FROM perfhouse.task_metrics(1, options => $options) m");
}
my $stored = digest('NULL');
is(digest("'{}'"), $stored, 'the default options give what is stored');
my $reordered = digest("'{\"reorder\": true}'");
isnt($reordered, $stored, 'other options do not');
is(digest('NULL'), $stored, 'and leave that alone');
is($w->sql("SELECT (perfhouse.assign_logical_steps(1, '{\"reorder\": true}') -> 'options' ->> 'reorder')::boolean"), 't', 'assign anew');
is(digest('NULL'), $reordered, 'then they are stored');
is($w->sql("SELECT md5(string_agg(p::text, ',' ORDER BY phase)) FROM perfhouse.phases(1) p"),
	$w->sql("SELECT md5(string_agg(p::text, ',' ORDER BY phase)) FROM perfhouse.phases(1, '{\"reorder\": true}') p"), 'phases are the same either way');
is($w->sql("SELECT md5(string_agg(p::text, ',' ORDER BY phase)) FROM perfhouse.phases(2) p"),
	$w->sql("SELECT md5(string_agg(p::text, ',' ORDER BY phase)) FROM perfhouse.phases(2, '{}') p"), 'of processes, too');
$w->sql("SELECT perfhouse.assign_logical_steps(1)");
is(digest('NULL'), $stored, 'and back');

# ---- pictures
sub picture
{
	my ($file) = @_;
	return Perfhouse::slurp("$out/$file");
}

sub count_of
{
	my ($text, $pattern) = @_;
	return scalar(() = $text =~ /$pattern/g);
}
$w->ok_run('as documented', 'render', 'logical', '--run', '1', '--color', 'phase', '--reorder', '-o', "$out/logical.png");
for my $color (qw(phase idle_experienced differential_duration imbalance enter))
{
	$w->ok_run("chares by $color", 'render', 'logical', '--run', '1', '--color', $color, '-o', "$out/1.svg");
	is(count_of(picture('1.svg'), 'class="event"'), $report->{n_communication_events}, "a box for every event by $color");
	like(picture('1.svg'), qr/runtime\@0/, 'the run time is below');
	$w->ok_run("processors by $color", 'render', 'timeline', '--run', '1', '--color', $color, '-o', "$out/t.svg");
}
$w->ok_run('without a colour', 'render', 'logical', '--run', '1', '--width', '500', '--height', '300', '-o', "$out/1.svg");
like(picture('1.svg'), qr/colours tell phases apart/, 'it is the phase');
$w->ok_run('some processors', 'render', 'logical', '--run', '1', '--ranks', '1', '-o', "$out/1.svg");
unlike(picture('1.svg'), qr/runtime\@0/, 'are drawn alone');
$w->ok_run('messages of processes in order of causes', 'render', 'logical', '--run', '2', '--reorder', '-o', "$out/1.svg");
$w->ok_run('steps in sums', 'render', 'step-overview', '--run', '1', '-o', "$out/1.svg");
$w->ok_run('clusters of chares', 'render', 'logical-clusters', '--run', '1', '--phase', $largest, '-o', "$out/1.svg");
my $chare = $w->sql("SELECT t.name FROM perfhouse.step_clusters(1, $largest) c JOIN perfhouse.logical_timeline t ON t.run_id = 1 AND t.location_id = c.latest WHERE c.parent IS NULL");
like(picture('1.svg'), qr/>\Q$chare\E<\/text>\s*<text[^>]*>greatest of all</, 'around the one with the greatest value');
like(picture('1.svg'), qr/differential duration/, 'by differential duration');
$w->ok_run('chares against themselves', 'render', 'trace-diff', '--run', '1', '--vs', '1', '-o', "$out/1.svg");
is(count_of(picture('1.svg'), 'class="change"'), 0, 'have not changed');
like(picture('1.svg'), qr/$_/, "with $_") for 'no change of duration', '>chare<', 'Main\@0';
$w->ok_run('chares against processes', 'render', 'trace-diff', '--run', '1', '--vs', '2', '-o', "$out/1.svg");
cmp_ok(count_of(picture('1.svg'), 'class="(?:change|only-[ab])"'), '>', 0, 'and what they have in common');

# ---- check_run compares the timelines with the chunks
for my $damage (['DELETE FROM perfhouse.logical_timeline WHERE location_id = 0', 'not numbered from 0 without gaps'],
	['DELETE FROM perfhouse.logical_timeline WHERE location_id = (SELECT max(location_id) FROM perfhouse.logical_chunk WHERE run_id = 1); UPDATE perfhouse.logical_timeline t SET location_id = d.n FROM (SELECT location_id, row_number() OVER (ORDER BY location_id) - 1 AS n FROM perfhouse.logical_timeline) d WHERE d.location_id = t.location_id AND d.n <> t.location_id', 'chunk 0 of location \d+ is of none of them'],
	['UPDATE perfhouse.logical_timeline SET chare_id = 1 WHERE location_id IN (0, 1)', 'a chare has more than one'],
	['UPDATE perfhouse.logical_timeline SET chare_id = 99999 WHERE location_id = 1', 'location 1 is of a chare that the run has not'],
	['UPDATE perfhouse.logical_timeline SET chare_id = NULL WHERE location_id = 1', 'location 1 has no chare'],
	['UPDATE perfhouse.logical_timeline SET first_location = 4 WHERE location_id = 2', 'location 2 was first seen on a processor that the run has not'],
	['UPDATE perfhouse.logical_chunk SET tasks = NULL WHERE run_id = 1 AND location_id = 1 AND chunk_no = 0', 'chunk 0 of location 1 has no times of tasks'])
{
	my ($change, $expected) = @$damage;
	like($w->sql("BEGIN; ALTER TABLE perfhouse.logical_timeline DROP CONSTRAINT logical_timeline_pkey; $change; SELECT detail FROM perfhouse.check_run(1) WHERE check_name = 'logical timelines' AND NOT ok; ROLLBACK"),
		qr/^$expected$/, "noticed: $expected");
}
is($w->sql('SELECT count(*) FROM perfhouse.check_run(1) WHERE NOT ok'), '0', 'and nothing else');

# ---- nothing is left
$w->sql('SELECT perfhouse.drop_run(1)');
is($w->sql('SELECT count(*) FROM perfhouse.logical_timeline'), '0', 'a dropped run leaves no chares');

# ---- one program, of processes and of chares: nothing has the same name, but the exchanges are mirrored
SKIP:
{
	my $chares = "$FindBin::Bin/../../../shared/data/own/projections/lulesh-charm-8c-4p";
	skip 'no ../shared/data/own/projections/lulesh-charm-8c-4p', 1 unless -d $chares;
	my ($mpi, $charm) = map { (decode_json($w->run('load', '--json', $_)->{out})->{run_id}) } "$Perfhouse::data/traces/lulesh-8", $chares;
	my $diff = "perfhouse.trace_diff($mpi, $charm)";
	my $pairs = "SELECT DISTINCT phase_a, phase_b FROM $diff WHERE phase_a IS NOT NULL AND phase_b IS NOT NULL";
	is($w->sql("SELECT string_agg(phase_a::text, ' ' ORDER BY phase_a) FROM (SELECT DISTINCT phase_a FROM $diff WHERE rank_alignment = 'position') q"),
		'1 3 5 7 9 11 13 15 17', 'the first and third phases of every iteration meet, ranks with chares');
	is($w->sql("SELECT string_agg(DISTINCT phase_a::text, ' ') FROM $diff WHERE phase_a IN (4, 8, 12, 16) AND phase_b IS NULL AND status = 'only a'"),
		'12 16 4 8', 'the second, which sends one way, is in MPI only');
	is($w->sql("SELECT count(*) FROM ($pairs) q WHERE phase_a IN (6, 10, 14)"), '3', 'reductions meet the all-reduces');
	# folded: each exchange has one counterpart in all iterations, and 27 ranks have the same as 8
	my $exchanges = 'string_agg(substring(regions_b FROM \'serial_\\d\'), \' \' ORDER BY phases_a)';
	is($w->sql("SELECT $exchanges, min(aligned_by) FROM perfhouse.trace_diff_classes($mpi, $charm) WHERE n > 2 AND pattern_b = 'SSRR' AND status = 'both'"),
		'serial_1 serial_3|shape', 'both exchanges meet');
	is($w->sql("SELECT count(*) FROM perfhouse.trace_diff_phases($mpi, $charm) WHERE phase_a IN (6, 10, 14) AND regions_b LIKE '%redn_wrapper%'"), '3', 'and the reductions');
	my $larger = "$FindBin::Bin/../../../shared/data/own/otf2/lulesh-27";
	my $mpi27  = decode_json($w->run('load', '--json', $larger)->{out})->{run_id};
	is($w->sql("SELECT $exchanges FROM perfhouse.trace_diff_classes($mpi27, $charm) WHERE n > 2 AND pattern_b = 'SSRR' AND status = 'both'"),
		'serial_1 serial_3', 'of 27 ranks, too');
	is($w->sql("SELECT count(*) FILTER (WHERE status = 'both' AND aligned_by <> 'class'), count(*) FILTER (WHERE status = 'only b') FROM perfhouse.trace_diff_classes($mpi, $mpi27)"),
		'0|0', 'numbers of ranks do not matter');
	my ($scorep, $tau) = map { (decode_json($w->run('load', '--json', $_)->{out})->{run_id}) } "$FindBin::Bin/../../../shared/data/own/otf2/halo2d-nb-9", "$Perfhouse::data/traces/tau-halo2d-nb-9";
	is($w->sql("SELECT aligned_by, count(*) FROM perfhouse.trace_diff_phases($scorep, $tau) WHERE status = 'both' GROUP BY 1"), 'class|10', 'nor which tool traced');
	holds("SELECT phase_b > lag(phase_b, 1, -1) OVER (ORDER BY phase_a) AS holds FROM ($pairs) p", 'in the same order');
	holds("SELECT p.is_runtime AS holds FROM ($pairs) d JOIN perfhouse.phases($charm) p ON p.phase = d.phase_b WHERE d.phase_a IN (6, 10, 14)",
		'they are phases of the run time');
	holds("SELECT location_a IS NULL AND location_b IS NULL AND events_aligned = 0 AS holds FROM $diff WHERE status = 'both' AND rank_alignment = 'none'",
		'which have no location');
	holds("SELECT location_b IN (SELECT location FROM perfhouse.logical_locations($charm) WHERE NOT is_runtime) AND events_aligned > 0 AS holds FROM $diff WHERE status = 'both' AND rank_alignment = 'position'",
		'the others have one');
	is($w->sql("SELECT string_agg(DISTINCT phase_b || '-' || phase_a, ' ') FROM perfhouse.trace_diff($charm, $mpi) WHERE phase_a IS NOT NULL AND phase_b IS NOT NULL"),
		$w->sql("SELECT string_agg(DISTINCT phase_a || '-' || phase_b, ' ') FROM ($pairs) q"), 'the same from the other side');
	is($w->sql("SELECT count(*) FILTER (WHERE status <> 'both' OR delta_duration <> 0) FROM perfhouse.trace_diff($charm, $charm)"), '0', 'chares do not differ from themselves');
}

# ---- logs in Ravel's dialect (version 7, arrays told by a last field), beside Ravel's answers
# by event: processor, time, kind, entry method, messages; then phase, step, duration
sub answers
{
	my ($trace) = @_;
	my %rows;
	my @lines = split /\n/, Perfhouse::slurp("$FindBin::Bin/../../../shared/oracle/ravel/$trace/default.csv");
	shift @lines;
	for my $line (@lines)
	{
		my @c = split /,/, $line;
		(my $entry = $c[1]) =~ s/^.*?\@//;
		$entry =~ tr/;/,/;
		$rows{"$c[16]|$c[4]|$c[2]|$entry|$c[3]"} = "$c[6]|$c[7]|$c[14]";
	}
	return \%rows;
}

SKIP:
{
	my $generated = "$FindBin::Bin/../../../shared/data/generated";
	skip 'no ../shared/data/generated', 1 unless -d "$generated/jac4x4";
	my %without_send = (jac4x4 => 96, jac4x4_nosdag => 0, jac8x8 => 512);
	for my $trace (sort keys %without_send)
	{
		my $run = decode_json($w->run('load', '--json', "$generated/$trace")->{out})->{run_id};
		my $rows = $w->sql("SELECT processor, enter / 1000, CASE kind WHEN 'receive' THEN 'recv' ELSE kind END, entry, n_messages, phase, step, differential_duration / 1000 FROM perfhouse.task_metrics($run, options => '{\"mode\": \"compat\"}') WHERE NOT (kind = 'receive' AND entry LIKE '%\_atomic\_%')");
		my $n_stale = $w->sql("SELECT coalesce((meta->>'projections.stale_receives')::int, 0) FROM perfhouse.run WHERE run_id = $run");
		my %ours = map { /^((?:[^|]*\|){4}[^|]*)\|(.*)$/ ? ($1 => $2) : () } split /\n/, $rows;
		my $ravels = answers($trace);
		is_deeply([sort keys %ours], [sort keys %$ravels], "$trace: the events are Ravel's");
		is_deeply([map { $ours{$_} =~ /^(\d+)/ } sort keys %ours], [map { $ravels->{$_} =~ /^(\d+)/ } sort keys %ours], "$trace: phases of all events");

		# those of serials have no send: they take steps here, and are nothing in Ravel
		is($n_stale, $without_send{$trace}, "$trace: receipts without a send");
		is_deeply(\%ours, $ravels, "$trace: steps and durations") if $n_stale == 0;
	}
}
done_testing;
