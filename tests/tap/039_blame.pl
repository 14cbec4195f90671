# Waits and their causes as metrics of a trace's profile: made by loads, later by the server, again by doctor: the same numbers.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Perfhouse;
use Test::More;

my $w     = Perfhouse->new;
my $trace = "$Perfhouse::data/traces/lulesh-8";
$w->ok_run('init', 'init');

my $names = q{('wait', 'wait caused', 'on critical path')};
my $stored = qq{SELECT md5(string_agg(concat_ws(' ', m.name, b.stripe, b.block, md5(b.bytes), md5(s.bytes)), E'\\n' ORDER BY m.name, b.stripe, b.block)), count(*)
	FROM perfhouse.value_block b JOIN perfhouse.metric m USING (metric_id) LEFT JOIN perfhouse.summary_block s USING (run_id, metric_id, block)
	WHERE run_id = 1 AND m.name IN $names};
my $noted = q{SELECT count(*) FROM perfhouse.run_derived WHERE kind = 'blame' AND NOT is_stale};
my $metrics = q{SELECT array_to_string(metrics[cardinality(metrics) - 2:], ',') FROM perfhouse.run WHERE run_id = 1};
my $unsound = q{SELECT string_agg(check_name, ', ') FROM perfhouse.check_run(1) WHERE NOT ok};

# ---- what is stored is what the functions on the trace say, by location and in all
$w->ok_run('a trace', 'load', $trace);
my $expected = $w->sql($stored);
like($expected, qr/\|3$/, 'three metrics');
is($w->sql($metrics), 'wait,wait caused,on critical path', 'behind those that the trace has');
is($w->sql($noted), '1', 'noted');
is($w->sql($unsound), '', 'sound');
is($w->sql(q{SELECT string_agg(part, ', ' ORDER BY t_from), bool_and(abs(parallel - load_balance * communication) < 1e-12 AND t_from < t_to) FROM perfhouse.efficiency(1, by => 'iteration')}),
	'iteration 0, iteration 1, iteration 2, iteration 3|t', 'efficiencies of its iterations');
sub by_location
{
	my ($metric) = @_;
	return qq{SELECT string_agg(concat_ws(' ', location_id, round(ns)), ',' ORDER BY location_id) FROM (
		SELECT v.location_id, sum(v.exclusive) * 1e9 AS ns FROM perfhouse.run_metric_cells v WHERE v.metric = '$metric' GROUP BY 1) q WHERE round(ns) > 0};
}
$w->sql(q{CREATE VIEW perfhouse.run_metric_cells AS SELECT u.name AS metric, i - 1 + v.block * 4096 AS location_id, v.exclusive[i] AS exclusive
	FROM perfhouse.run r CROSS JOIN LATERAL unnest(r.metrics) u (name) CROSS JOIN LATERAL perfhouse_internal.run_values(r.run_id, u.name) v
	CROSS JOIN LATERAL generate_subscripts(v.exclusive, 1) i WHERE r.run_id = 1 AND v.exclusive[i] IS NOT NULL});
is($w->sql(by_location('wait')), $w->sql(q{SELECT string_agg(concat_ws(' ', victim, ns), ',' ORDER BY victim) FROM (SELECT victim, sum(ns) AS ns FROM perfhouse.wait_states(1) GROUP BY 1) q}), 'waits of each location');
is($w->sql(by_location('wait caused')), $w->sql(q{SELECT string_agg(concat_ws(' ', location, ns), ',' ORDER BY location) FROM (SELECT location, sum(short_term + long_term) AS ns FROM perfhouse.delay_costs(1) GROUP BY 1) q}), 'what each location caused');
is($w->sql(q{SELECT max(abs(coalesce(b.ns, 0) - c.ns)) < 0.005 * sum(c.ns)
	FROM (SELECT location, sum(short_term + long_term) AS ns FROM perfhouse.delay_costs(1) GROUP BY 1) c
	LEFT JOIN (SELECT origin, sum(ns) AS ns FROM perfhouse.blame(1) GROUP BY 1) b ON b.origin = c.location}), 't', 'who made whom wait adds up to that');
is($w->sql(by_location('on critical path')), $w->sql(q{SELECT string_agg(concat_ws(' ', location, ns), ',' ORDER BY location) FROM (SELECT location, sum(t_to - t_from) AS ns FROM perfhouse.critical_path(1, true) WHERE coalesce(region, '') <> '' GROUP BY 1) q}), 'where the critical path was in calls');
is($w->sql(q{SELECT bool_and(abs(a.exclusive - b.exclusive) < 1e-12) FROM perfhouse.nodes(perfhouse.profile(1, 'time')) a JOIN perfhouse.nodes(perfhouse_internal.blame_profile(1)) b USING (node)}), 't', 'the profile is that of the run');

like($w->sql(q{SELECT sentence FROM perfhouse.explain_run(1) WHERE step = 'waits' AND sentence LIKE 'Of all%'}),
	qr/^Of all waiting [\d.]+ % is \w.* in MPI_\w+(, [\d.]+ % .*)?\.$/, 'explain says of what kind waits are');
is($w->sql(q{SELECT count(*) FROM (SELECT kind, perfhouse_internal.wait_kind_text(kind) AS text FROM perfhouse.wait_states(1)) k WHERE text = kind}), '0', 'every kind has words');

# ---- later, anew, and by whom
for my $jobs (1, 3)
{
	$w->ok_run("with $jobs threads", 'load', '--jobs', $jobs, '--if-exists', 'replace', $trace);
	is($w->sql($stored), $expected, 'the same');
}
$w->ok_run('without', 'load', '--no-blame', '--if-exists', 'replace', $trace);
is($w->sql($noted), '0', 'none is noted');
unlike($w->sql(q{SELECT array_to_string(metrics, ',') FROM perfhouse.run WHERE run_id = 1}), qr/wait/, 'nor stored');
like($w->run('psql', '--', '-XAtqc', 'SET ROLE perfhouse_reader; SELECT perfhouse.assign_blame(1)')->{err}, qr/permission denied/, 'readers store none');
my $version = $w->sql('SELECT perfhouse.run_version(ARRAY[1]::bigint[])');
is($w->sql('SET ROLE perfhouse_loader; SELECT array_to_string(perfhouse.assign_blame(1), $$,$$)'), 'wait,wait caused,on critical path', 'loaders do');
isnt($w->sql('SELECT perfhouse.run_version(ARRAY[1]::bigint[])'), $version, 'pictures are made anew');
is($w->sql($stored), $expected, 'the same as at a load');
$w->sql('SELECT perfhouse.assign_blame(1)');
is($w->sql($stored), $expected, 'and a second time');
is($w->sql($metrics), 'wait,wait caused,on critical path', 'once');
is($w->sql('SELECT perfhouse.remake_summaries(1) > 0'), 't', 'with the summaries made anew');
is($w->sql($stored), $expected, 'still the same');
is($w->sql($unsound), '', 'sound');

# ---- what an older release loaded has none, which is said and made up for
$w->ok_run('without again', 'load', '--no-blame', '--if-exists', 'replace', $trace);
$w->sql(q{INSERT INTO perfhouse.derived (run_id, kind, version) VALUES (1, 'blame', 0)});
my $asked = $w->ok_run('no damage', 'doctor')->{out};
like($asked, qr/^ok +blame +1 traces whose profiles do not say who waited.*--repair mends it$/m, 'doctor says so');
like($asked, qr/^ok +stale results +none$/m, 'and that nothing is refused');
$w->ok_run('doctor --repair', 'doctor', '--repair');
is($w->sql($stored), $expected, 'the same as ever');
is($w->sql($noted), '1', 'noted');

# ---- without events and values
$w->sql('SELECT perfhouse.drop_trace_events(1)');
is($w->sql($stored), $expected, 'metrics stay when the events go');
like($w->run('psql', '--', '-XAtqc', 'SELECT perfhouse.assign_blame(1)')->{err}, qr/events/, 'but cannot be made');
is($w->sql($stored), $expected, 'and nothing is lost by trying');
$w->sql('SELECT perfhouse.roll_up_run(1)');
like($w->run('psql', '--', '-XAtqc', 'SELECT perfhouse.assign_blame(1)')->{err}, qr/rolled up/, 'nor when the values went');

# ---- the history of traces: which commit made rank 3 delay the others
my $generator = "$w->{home}/gen_trace";
my $root      = "$FindBin::Bin/../..";
my $cc        = $ENV{CC} // 'cc';
is(system("$cc -std=c11 -O1 -D_GNU_SOURCE -o $generator $root/bench/gen_trace.c \$(pkg-config --cflags --libs otf2)"), 0, 'build the generator');
my ($commits, $slow) = (24, 14);
for my $i (1 .. $commits)
{
	system($generator, 'halo', "$w->{home}/halo-$i", '--ranks', 8, '--iterations', 10, '--seed', $i, $i >= $slow ? ('--slow-rank', 3) : ()) == 0 or die 'gen_trace';
	$w->ok_run("commit $i", 'load', '-q', '--no-regressions', '--set', 'application=halo', '--set', sprintf('started_at=2026-01-%02d', $i),
		'--commit', sprintf('%040x', $i), "$w->{home}/halo-$i");
}
my $change = q{SELECT path, ltrim(commit_id, '0') FROM perfhouse.change_points('halo', '%s') ORDER BY mean_after - mean_before DESC LIMIT 1};
is($w->sql(sprintf $change, 'wait caused'), sprintf('compute|%x', $slow), 'what changed most in causing waits, and with which commit');
is($w->sql(sprintf $change, 'wait'), sprintf('MPI_Waitall|%x', $slow), 'and in waiting');
is($w->sql(q{SELECT DISTINCT c.rank FROM perfhouse.run r, LATERAL (SELECT c.rank FROM perfhouse.column_statistics(perfhouse.profile(r.run_id, 'wait caused'), 'exclusive', 'wait caused') c ORDER BY c.total DESC LIMIT 1) c WHERE r.commit_id >= '} . sprintf('%040x', $slow) . q{' AND r.application = 'halo'}),
	'3', 'of all ranks rank 3 caused most, ever since');

# ---- traces so large that several threads read them, and find phases beside blame or what else is made: the same is stored
sub of_run
{
	my ($run) = @_;
	return $w->sql('SELECT ' . join ', ', map { "(SELECT string_agg(md5(t::text), '' ORDER BY t::text) FROM (SELECT (to_jsonb(t) - 'run_id' - 'assigned_at')::text FROM perfhouse.$_ t WHERE run_id = $run) t)" }
			qw(phase_block logical_chunk logical message_chunk));
}
for my $kind (['of a rank', 'ring', 1, 40000], ['of ranks', 'halo', 8, 2400])
{
	my ($name, $pattern, $ranks, $iterations) = @$kind;
	my $large = "$w->{home}/large-$ranks";
	system($generator, $pattern, $large, '--ranks', $ranks, '--iterations', $iterations) == 0 or die 'gen_trace';
	my %seen;
	for my $options (['--jobs', 1], ['--jobs', 2], ['--jobs', 2, '--no-blame'])
	{
		my ($run) = $w->ok_run("$name, @$options", 'load', '--if-exists', 'append', @$options, $large)->{out} =~ /run (\d+)/;
		$seen{of_run($run)}++;
	}
	is_deeply([values %seen], [3], "phases, steps and messages $name do not depend on threads");
}

# ---- the path of a deep call is cut as the profile's is, so that both join
my $deep = "$w->{home}/deep.json";
my @calls = ((map { 'n' x 90 . $_ } 1 .. 60), 'MPI_File_write_all');
open my $out, '>', $deep or die $!;
print $out '{"traceEvents": [', join(', ', map { qq({"ph": "X", "pid": 0, "tid": 0, "ts": $_, "dur": ) . (1000 - 2 * $_) . qq(, "name": "$calls[$_]"}) } 0 .. $#calls), ']}';
close $out or die $!;
my ($run) = $w->ok_run('deep calls', 'load', $deep)->{out} =~ /run (\d+)/;
is($w->sql(qq{SELECT w.kind, octet_length(w.path) - octet_length('…'), w.path = n.path, left(w.path, 1), right(w.path, 22)
	FROM perfhouse.wait_states($run) w, perfhouse.nodes(perfhouse.profile($run)) n WHERE n.name = w.region}),
	'I/O|4096|t|…|n60/MPI_File_write_all', 'the path of a wait in a deep call');

$w->stop;
done_testing();
