# Waits for files: calls that read or write, whose fault what others wait meanwhile is, and what is stored of both.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Perfhouse;
use Test::More;

my $w         = Perfhouse->new;
my $generator = "$w->{home}/gen_trace";
my $root      = "$FindBin::Bin/../..";
my $cc        = $ENV{CC} // 'cc';
$w->ok_run('init', 'init');
is(system("$cc -std=c11 -O1 -D_GNU_SOURCE -o $generator $root/bench/gen_trace.c \$(pkg-config --cflags --libs otf2)"), 0, 'build the generator');

sub generate
{
	my ($name, @options) = @_;
	system($generator, 'halo', "$w->{home}/$name", '--ranks', 9, '--iterations', 40, @options) == 0 or die 'gen_trace';
	$w->ok_run($name, 'load', '-q', "$w->{home}/$name");
	return;
}
generate('plain');
generate('files', '--io-rank', 4);

is($w->sql(q{SELECT count(*) FROM perfhouse.wait_states(1) WHERE kind = 'I/O'}), '0', 'a program without files waits for none');

# ---- the waits
my $io = q{FROM perfhouse.wait_states(2) WHERE kind = 'I/O'};
is($w->sql("SELECT count(*), min(ns) > 250000, max(ns) < 310000 $io"), '4|t|t', 'four writes');
is($w->sql("SELECT DISTINCT victim_rank, awaited, awaited_rank, region, path, origin_rank, origin_region, origin_path, origin_share $io"),
	'4|||write|main/step/write|4|write|main/step/write|1', 'nobody is awaited, and the call itself is the cause');
is($w->sql(q{SELECT count(*) FROM perfhouse.wait_states(2) a JOIN perfhouse.wait_states(2) b ON a.victim = b.victim AND a.t_from < b.t_from AND b.t_from < a.t_to}),
	'0', 'no ns counts twice');

# ---- whose fault it is that others wait
cmp_ok($w->sql(q{SELECT 100.0 * sum(ns) FILTER (WHERE origin_path = 'main/step/write' AND origin_rank = 4) / sum(ns)
	FROM perfhouse.wait_states(2) WHERE kind <> 'I/O' AND ns > 100000}), '>=', 95, 'long waits for messages are the fault of who writes');
is($w->sql(q{SELECT sum(short_term + long_term) <= (SELECT sum(ns) FROM perfhouse.wait_states(2)) FROM perfhouse.delay_costs(2)}), 't', 'costs are no more than waits');
is($w->sql(q{SELECT rank, path FROM perfhouse.delay_costs(2) ORDER BY short_term + long_term DESC LIMIT 1}), '4|main/step/write', 'the dearest call path');
is($w->sql(q{SELECT d.n, d.ns < w.ns - w.own, d.ns > 0.9 * (w.ns - w.own) FROM (SELECT count(*) FILTER (WHERE rank = 4) AS n, sum(short_term + long_term) AS ns
	FROM perfhouse.delay_costs(2) WHERE path = 'main/step/write') d,
	(SELECT sum(ns) AS ns, sum(ns) FILTER (WHERE kind = 'I/O') AS own FROM perfhouse.wait_states(2)) w}), '1|t|t', 'which is what others waited: what he waited for files nobody caused');
is($w->sql(q{SELECT sum(ns) FROM perfhouse.blame_flows(2) WHERE origin_ranks = 0}), $w->sql("SELECT sum(ns) $io"), 'that is each his own');
is($w->sql(q{SELECT sum(ns) FROM perfhouse.blame(2)}), $w->sql(q{SELECT sum(ns) FROM perfhouse.wait_states(2)}), 'edges have all waits');

# ---- the critical path stays where files are written
cmp_ok($w->sql(q{SELECT sum(t_to - t_from) FROM perfhouse.critical_path(2) WHERE region = 'write' AND rank = 4}), '>', 900_000, 'on the critical path');

# ---- stored with the run, and found anew with the same values
my $bytes = q{SELECT md5(string_agg(concat_ws(' ', m.name, b.stripe, b.block, md5(b.bytes)), ',' ORDER BY m.name, b.stripe, b.block)), count(*)
	FROM perfhouse.value_block b JOIN perfhouse.metric m USING (metric_id) WHERE run_id = 2 AND m.name IN ('wait', 'wait caused', 'on critical path')};
my $stored = $w->sql($bytes);
like($stored, qr/\|3$/, 'three metrics');
is($w->sql(q{SELECT round(sum(n.exclusive) * 9 * 1e9) FROM perfhouse.nodes(perfhouse.profile(2, 'wait')) n WHERE n.name = 'write'}),
	$w->sql("SELECT sum(ns) $io"), 'the metric of the call path (the mean over nine ranks) is its waits');
$w->sql('SELECT perfhouse.assign_blame(2)');
is($w->sql($bytes), $stored, 'the same when it is found anew');

$w->ok_run('blame picture', 'render', 'blame', '--run', 2, '-o', "$w->{home}/blame.svg");
my $svg = do { local $/ = undef; open my $file, '<', "$w->{home}/blame.svg" or die $!; <$file> };
like($svg, qr/write/, 'the picture names the cause');

done_testing;
