# Waits of threads in traces of MPI with OpenMP: whose fault they are, the same numbers by loads and by the server.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Perfhouse;
use Test::More;

my $w         = Perfhouse->new;
my $generator = "$w->{home}/gen_threads";
my $root      = "$FindBin::Bin/../..";
my $cc        = $ENV{CC} // 'cc';
$w->ok_run('init', 'init');
is(system("$cc -std=c11 -O1 -D_GNU_SOURCE -o $generator $root/bench/gen_threads.c \$(pkg-config --cflags --libs otf2)"), 0, 'build the generator');

my $n_runs = 0;
sub generate
{
	my ($name, @options) = @_;
	system($generator, "$w->{home}/$name", @options) == 0 or die 'gen_threads';
	$w->ok_run($name, 'load', '-q', "$w->{home}/$name");
	return ++$n_runs;
}
sub share
{
	my ($run, $where) = @_;
	return $w->sql("SELECT round(100.0 * sum(ns) FILTER (WHERE $where) / sum(ns)) FROM perfhouse.wait_states($run)");
}

# ---- whose fault it is: of a thread, of a serial part, of a whole process
my @size = ('--ranks', 4, '--threads', 4, '--iterations', 20);
my $slow = generate('slow', @size, '--slow-rank', 2, '--slow-thread', 3);
is($w->sql("SELECT string_agg(DISTINCT kind, ', ' ORDER BY kind) FROM perfhouse.wait_states($slow)"), 'N to N, idle thread, team barrier, thread join', 'kinds');
cmp_ok(share($slow, q{origin_rank = 2 AND origin_thread = 3 AND origin_path = 'main/!$omp parallel @step.c:20/work'}), '>=', 80, 'of a slow thread');
is($w->sql("SELECT DISTINCT awaited_thread FROM perfhouse.wait_states($slow) WHERE kind = 'team barrier' AND victim_rank = 2"), '3', 'at each barrier of its team');
is($w->sql("SELECT count(*) FROM perfhouse.wait_states($slow) WHERE kind = 'idle thread' AND (awaited_thread <> 0 OR victim_rank <> awaited_rank OR region IS NOT NULL)"), '0', 'who is idle waits for the master');
my $serial = generate('serial', @size, '--serial', 40_000);
cmp_ok(share($serial, q{kind = 'idle thread' AND origin_thread = 0 AND origin_path = 'main/serial'}), '>=', 80, 'of a serial part');
my $rank = generate('rank', @size, '--slow-rank', 1);
cmp_ok(share($rank, q{origin_rank = 1}), '>=', 80, 'of a slow process');

my $locked = generate('locked', @size, '--locked', 10_000);
cmp_ok(share($locked, q{origin_path LIKE '%/!$omp critical sblock @step.c:30'}), '>=', 80, 'of a critical section');
is($w->sql("SELECT count(*) FROM perfhouse.wait_states($locked) WHERE kind = 'lock' AND (awaited_rank <> victim_rank OR region NOT LIKE '%critical %' OR ns > 40000)"), '0', 'for who has the lock');
is($w->sql("SELECT count(*) BETWEEN 200 AND 240 FROM perfhouse.wait_states($locked) WHERE kind = 'lock'"), 't', 'three of four each time');

# ---- sums, and what is stored
for my $run ($slow, $serial, $rank, $locked)
{
	is($w->sql("SELECT (SELECT sum(ns) FROM perfhouse.wait_states($run)) = (SELECT sum(ns) FROM perfhouse.blame($run))"), 't', 'edges are all waits');
	is($w->sql("SELECT count(*) FROM (SELECT t_from < lag(t_to) OVER (PARTITION BY victim ORDER BY t_from) AS twice FROM perfhouse.wait_states($run)) q WHERE twice"), '0', 'no ns counts twice');
	my $stored = qq{SELECT md5(string_agg(concat_ws(' ', m.name, b.stripe, b.block, md5(b.bytes)), ',' ORDER BY m.name, b.stripe, b.block)), count(*)
		FROM perfhouse.value_block b JOIN perfhouse.metric m USING (metric_id) WHERE run_id = $run AND m.name IN ('wait', 'wait caused', 'on critical path')};
	my $expected = $w->sql($stored);
	like($expected, qr/\|3$/, 'three metrics');
	is($w->sql("SELECT abs(sum(c.total) * 1e9 - (SELECT sum(ns) FROM perfhouse.wait_states($run))) < 1 FROM perfhouse.column_statistics(perfhouse.profile($run, 'wait'), 'exclusive', 'wait') c"), 't', 'of all waits');
	$w->sql("SELECT perfhouse.assign_blame($run)");
	is($w->sql($stored), $expected, 'the same of the stored trace');
}

# ---- efficiencies: a slow thread is bad balance of threads, a serial part bad serialisation; parallel is the product
my $factors = q{SELECT round((100 * thread_load_balance)::numeric) < 65, round((100 * thread_serialisation)::numeric) < 65 FROM perfhouse.run_overview WHERE run_id = };
is($w->sql($factors . generate('unbalanced', '--ranks', 1, '--slow-thread', 2)), 't|f', 'balance of threads');
is($w->sql($factors . $serial), 'f|t', 'serialisation of threads');
is($w->sql("SELECT bool_and(abs(parallel - mpi * threads) < 1e-12 AND abs(threads - thread_load_balance * thread_serialisation) < 1e-12), count(*) > 15
	FROM perfhouse.efficiency($slow, by => 'phase')"), 't|t', 'of each phase');
is($w->sql("SELECT bool_and(e.thread_serialisation = r.thread_serialisation) FROM perfhouse.efficiency($slow) e, perfhouse.run_overview r WHERE r.run_id = $slow"), 't', 'stored');
like($w->ok_run('explain', 'explain', $serial)->{out}, qr/Most is lost by thread serialisation/, 'and explained');

# ---- a trace of one process: threads alone communicate
my $one = generate('one', '--ranks', 1, '--threads', 3, '--iterations', 10, '--slow-thread', 1);
cmp_ok(share($one, q{origin_thread = 1}), '>=', 80, 'threads of one process');
is($w->sql("SELECT array_to_string(metrics[cardinality(metrics) - 2:], ',') FROM perfhouse.run WHERE run_id = $one"), 'wait,wait caused,on critical path', 'have the metrics');

# ---- of a real program
SKIP:
{
	my $own = "$root/../shared/data/own/otf2/lulesh-8x2-openmp";
	skip 'no LULESH with OpenMP', 3 unless -d $own;
	$w->ok_run('LULESH with OpenMP', 'load', '-q', $own);
	is($w->sql("SELECT count(DISTINCT kind) FROM perfhouse.wait_states($n_runs + 1) WHERE kind IN ('idle thread', 'team barrier', 'thread join')"), '3', 'has all kinds');
	is($w->sql("SELECT count(*) FROM (SELECT t_from < lag(t_to) OVER (PARTITION BY victim ORDER BY t_from) AS twice FROM perfhouse.wait_states($n_runs + 1)) q WHERE twice"), '0', 'and no ns twice');
}

$w->stop;
done_testing();
