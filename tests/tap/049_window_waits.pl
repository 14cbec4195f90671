# Waits of one-sided communication: fences, epochs and locks of windows, whose fault they are, and what is said where records lack.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Perfhouse;
use Test::More;

my $w         = Perfhouse->new;
my $generator = "$w->{home}/gen_windows";
my $root      = "$FindBin::Bin/../..";
my $cc        = $ENV{CC} // 'cc';
$w->ok_run('init', 'init');
is(system("$cc -std=c11 -O1 -D_GNU_SOURCE -o $generator $root/bench/gen_windows.c \$(pkg-config --cflags --libs otf2)"), 0, 'build the generator');

my $n_runs = 0;
sub generate
{
	my ($pattern, $name, @options) = @_;
	system($generator, $pattern, "$w->{home}/$name", '--ranks', 4, '--iterations', 20, @options) == 0 or die 'gen_windows';
	$w->ok_run($name, 'load', '-q', "$w->{home}/$name");
	return ++$n_runs;
}
sub share
{
	my ($run, $where) = @_;
	return $w->sql("SELECT round(100.0 * sum(ns) FILTER (WHERE $where) / sum(ns)) FROM perfhouse.wait_states($run)");
}
sub kinds
{
	my ($run) = @_;
	return $w->sql("SELECT string_agg(DISTINCT kind, ', ' ORDER BY kind) FROM perfhouse.wait_states($run)");
}
sub item
{
	my ($run, $name) = @_;
	return $w->sql("SELECT value, trusted FROM perfhouse.trace_summary($run) WHERE item = '$name'");
}

# ---- fences
my $fence = generate('fence', 'fence', '--slow-rank', 2);
is(kinds($fence), 'fence', 'kinds of fences');
is($w->sql("SELECT DISTINCT victim_rank <> 2, awaited_rank, origin_rank, region, awaited_region, origin_path, inferred FROM perfhouse.wait_states($fence) WHERE kind = 'fence' AND ns > 1000"),
	't|2|2|MPI_Win_fence|MPI_Win_fence|main/compute|f', 'victims, awaited, origin');
is($w->sql("SELECT count(*) FROM perfhouse.wait_states($fence) WHERE kind = 'fence' AND ns > 1000"), '60', 'three of four each time');
cmp_ok(share($fence, q{origin_rank = 2 AND origin_path = 'main/compute'}), '>=', 95, 'of the slow rank');
is($w->sql("SELECT operation, count(*), min(n_members), min(n_present) FROM perfhouse.collectives($fence) GROUP BY 1 ORDER BY 1"),
	"create_window|1|4|4\nfence|20|4|4\nfree_window|1|4|4", 'they are collectives');
is($w->sql("SELECT count(*), bool_and(operation IN ('fence', 'create_window', 'free_window')) FROM perfhouse.collective_waits($fence)"),
	$w->sql("SELECT count(*), true FROM perfhouse.wait_states($fence)"), 'and their waits those of collectives');
is(item($fence, 'one-sided operations'), '80|t', 'puts are counted');
is(item($fence, 'locks of windows'), '0|t', 'locks, too');

# ---- epochs of starting that waits, and of completing that does
my $epochs = generate('epochs', 'epochs', '--slow-rank', 1);
is(kinds($epochs), 'late complete, late post, window', 'kinds of epochs');
is($w->sql("SELECT DISTINCT victim_rank % 2, awaited_rank, origin_rank, region, awaited_region, origin_region FROM perfhouse.wait_states($epochs) WHERE kind = 'late post' AND ns > 10000"),
	'0|1|1|MPI_Win_start|MPI_Win_post|compute', 'neighbours of the slow rank wait for its post');
cmp_ok(share($epochs, q{origin_rank = 1 AND origin_path = 'main/compute'}), '>=', 95, 'of the slow rank');
is($w->sql("SELECT DISTINCT region, awaited_region FROM perfhouse.wait_states($epochs) WHERE kind = 'late complete'"), 'MPI_Win_wait|MPI_Win_complete', 'those whose memory is used wait for others to complete');
is(item($epochs, 'begins and ends of epochs of windows'), '640|t', 'epochs are counted');
is(item($epochs, 'of these without a counterpart'), '0|t', 'all have a counterpart');
my $lazy = generate('lazy', 'lazy', '--slow-rank', 1);
is($w->sql("SELECT victim_rank % 2, awaited_rank, region, awaited_region FROM perfhouse.wait_states($lazy) WHERE kind = 'late post' GROUP BY 1, 2, 3, 4 ORDER BY sum(ns) DESC LIMIT 1"),
	'0|1|MPI_Win_complete|MPI_Win_post', 'where starting does not wait, completing does');
cmp_ok(share($lazy, q{origin_rank = 1 AND origin_path = 'main/compute'}), '>=', 95, 'of the slow rank, too');

# ---- locks
my $locks = generate('locks', 'locks', '--slow-rank', 3);
is(kinds($locks), 'window, window lock', 'kinds of locks');
is($w->sql("SELECT DISTINCT region, awaited_region, origin_path FROM perfhouse.wait_states($locks) WHERE kind = 'window lock' AND awaited_rank = 3 AND ns > 10000"),
	'MPI_Win_lock|MPI_Win_unlock|main/held', 'for who has it, because of what he does with it');
is(item($locks, 'locks of windows'), '80|t', 'counted');

# ---- the slow rank is named
for my $case ([$fence, 2], [$epochs, 1], [$locks, 3])
{
	my ($run, $rank) = @$case;
	my $explained = $w->ok_run("explain $run", 'explain', $run)->{out};
	like($explained, qr/\brank $rank\b/, 'explain names the late rank');
	is($w->sql("SELECT (SELECT sum(ns) FROM perfhouse.wait_states($run)) = (SELECT sum(ns) FROM perfhouse.blame($run))"), 't', 'edges are all waits');
	is($w->sql("SELECT count(*) FROM (SELECT t_from < lag(t_to) OVER (PARTITION BY victim ORDER BY t_from) AS twice FROM perfhouse.wait_states($run)) q WHERE twice"), '0', 'no ns counts twice');
	is($w->sql("SELECT abs(sum(c.total) * 1e9 - (SELECT sum(ns) FROM perfhouse.wait_states($run))) < 1 FROM perfhouse.column_statistics(perfhouse.profile($run, 'wait'), 'exclusive', 'wait') c"), 't', 'stored with the load');
	is($w->sql("SELECT perfhouse.late_senders($run)"), '', 'no message is late');
}
is($w->sql("SELECT count(DISTINCT location) > 1, sum(t_to - t_from) = (SELECT duration FROM perfhouse.trace WHERE run_id = $epochs) FROM perfhouse.critical_path($epochs)"), 't|t', 'the critical path follows epochs');

# ---- what-if: the slow rank balanced
for my $run ($fence, $epochs)
{
	my ($name, $rank) = $run == $fence ? ('fence', 2) : ('epochs', 1);
	my $even    = generate($name, "even-$name");
	my $changes = sprintf('{"scale": {"region": "compute", "ranks": "%d", "by": 0.1667}}', $rank);
	is($w->sql("SELECT abs(w.predicted_ns::float8 / t.duration - 1) < 0.02 FROM perfhouse.what_if($run, '$changes') w, perfhouse.trace t WHERE t.run_id = $even"), 't', "a balanced $name is predicted");
}


# ---- and who has a lock for long: what others waited for it is gained, too
{
	my $even    = generate('locks', 'even-locks', '--iterations', 1);
	my $uneven  = generate('locks', 'uneven-locks', '--slow-rank', 0, '--iterations', 1);
	my $changes = '{"scale": {"region": "held", "ranks": "0", "by": 0.1667}}';
	is($w->sql("SELECT t.duration < 0.7 * w.recorded_ns, abs(w.predicted_ns::float8 / t.duration - 1) < 0.05, w.calibration FROM perfhouse.what_if($uneven, '$changes') w, perfhouse.trace t WHERE t.run_id = $even"),
		't|t|1', 'locks that are had as long by all are predicted');
	my ($before, $after) = split /\|/, $w->sql("SELECT w.waits -> 'window lock' ->> 'before', w.waits -> 'window lock' ->> 'after' FROM perfhouse.what_if($uneven, '$changes') w");
	cmp_ok($after, '<', $before / 2, 'with less waiting for locks');
}

# ---- phases of fences
is($w->sql("SELECT count(*), bool_and(n_events = 4) FROM perfhouse.phases($fence)"), '22|t', 'each fence is a phase, and creation and end of the window');
is($w->sql("SELECT DISTINCT pattern FROM perfhouse.exchange_patterns($fence)"), 'collective', 'of a collective');
is($w->sql("SELECT (SELECT sum(ns) FROM perfhouse.phase_waits($fence)) = sum(ns) FROM perfhouse.wait_states($fence)"), 't', 'in which all waits are');
is($w->sql("SELECT DISTINCT cause_rank, cause_path FROM perfhouse.phase_waits($fence) WHERE ns > 10000"), '2|main/compute', 'caused by the slow rank');
is($w->sql("SELECT sum(ns) = (SELECT sum(ns) FROM perfhouse.wait_states($fence)), max(cause_rank) FROM perfhouse.phase_wait_history(NULL, 'run_id = $fence')"), 't|2', 'by class, along runs');

# ---- steps of epochs: posting and completing are sends, waiting and starting (or completing, where that waits) receive
for my $case ([$epochs, ''], [$lazy, 'MPI_Win_complete:receive '])
{
	my ($run, $awaits) = @$case;
	my $stored = "SELECT count(*), md5(string_agg(e::text, chr(10) ORDER BY e::text)) FROM perfhouse.logical_event e WHERE run_id = $run";
	my $loaded = $w->sql($stored);
	is($w->sql("SELECT string_agg(DISTINCT region || ':' || kind, ' ' ORDER BY region || ':' || kind) FROM perfhouse.logical_steps($run) WHERE kind <> 'collective'"),
		$awaits . 'MPI_Win_complete:send MPI_Win_post:send MPI_Win_start:receive MPI_Win_wait:receive', 'events of epochs');
	is($w->sql("SELECT rank FROM perfhouse.logical_steps($run) WHERE region = 'MPI_Win_post' GROUP BY 1 ORDER BY sum(lateness) DESC LIMIT 1"), '1', 'the slow rank posts late');
	is($w->sql("SELECT (SELECT sum(ns) FROM perfhouse.phase_waits($run)) = sum(ns) FROM perfhouse.wait_states($run)"), 't', 'all waits are in phases');
	is($w->sql("SELECT count(*) FROM perfhouse.exchange_patterns($run) WHERE pattern = 'SSWA'"), '1', 'all post, then start, complete and wait');
	$w->sql("SELECT perfhouse.assign_logical_steps($run)");
	is($w->sql($stored), $loaded, 'found anew they are those of the load');
}

is($w->sql("SELECT bool_and(NOT efficiency_estimated AND load_balance < 0.5) FROM perfhouse.run_overview WHERE run_id IN ($fence, $epochs)"), 't', 'efficiencies are those of the trace');

# ---- calls alone: fences are inferred, of epochs nobody knows whom they are with
my $shown = generate('fence', 'shown', '--slow-rank', 2, '--records', 0);
is($w->sql("SELECT count(*), sum(inferred) FROM perfhouse.exchange_patterns($shown)"), '22|88', 'which are phases, all members inferred');
is($w->sql("SELECT DISTINCT kind, awaited_rank, origin_rank, inferred FROM perfhouse.wait_states($shown) WHERE kind = 'fence' AND ns > 1000"), 'fence|2|2|t', 'inferred fences');
my $unknown = generate('epochs', 'unknown', '--slow-rank', 2, '--records', 0);
is($w->sql("SELECT count(*) FROM perfhouse.wait_states($unknown) WHERE kind <> 'window'"), '0', 'no epochs');
is(item($unknown, 'calls for epochs of windows without records'), '320|f', 'but that is said');

# ---- a trace that was written out and read again
$w->ok_run('export', 'export', $epochs, '--format', 'otf2', '-o', "$w->{home}/again");
$w->ok_run('load again', 'load', '-q', "$w->{home}/again");
$n_runs++;
is($w->sql("SELECT md5(string_agg(concat_ws(' ', kind, victim, awaited, t_from, ns), ',' ORDER BY victim, t_from)) FROM perfhouse.wait_states($n_runs)"),
	$w->sql("SELECT md5(string_agg(concat_ws(' ', kind, victim, awaited, t_from, ns), ',' ORDER BY victim, t_from)) FROM perfhouse.wait_states($epochs)"), 'has the same waits');

$w->stop;
done_testing();
