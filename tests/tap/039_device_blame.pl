# Waits for devices among delay costs: found while traces load and by the server, to the byte the same; a slow device has a name.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Perfhouse;
use Test::More;

my $w    = Perfhouse->new;
my $cc   = $ENV{CC} // 'cc';
my $root = "$FindBin::Bin/../..";
my ($ranks, $slow) = (8, 5);
is(system("$cc -std=c11 -O1 -D_GNU_SOURCE -o $w->{home}/gen_devices $root/bench/devices/*.c -lsqlite3"), 0, 'a generator of databases');
is(system("$cc -std=c11 -O1 -D_GNU_SOURCE -o $w->{home}/gen_kineto $root/bench/gen_kineto.c"), 0, 'and one of traces of PyTorch');
is(system("$w->{home}/gen_devices nsight $w->{home}/nsight --ranks=$ranks --steps=6 --slow-rank=$slow"), 0, 'a slow rank');
is(system("$w->{home}/gen_devices nsight $w->{home}/even --ranks=$ranks --steps=6"), 0, 'none');
mkdir "$w->{home}/kineto";
is(system("for r in 0 1 2 3; do $w->{home}/gen_kineto 5 \$r 4 > $w->{home}/kineto/rank-\$r.json; done"), 0, 'the last of four is slow');

my $stored = q{SELECT md5(string_agg(concat_ws(' ', m.name, b.stripe, b.block, md5(b.bytes), md5(s.bytes)), E'\\n' ORDER BY m.name, b.stripe, b.block)), count(*)
	FROM perfhouse.value_block b JOIN perfhouse.metric m USING (metric_id) LEFT JOIN perfhouse.summary_block s USING (run_id, metric_id, block)
	WHERE run_id = %d AND m.name IN ('wait', 'wait caused', 'on critical path')};

# ---- found by loads, with any number of threads, and by the server

my $run = 0;
for my $name (qw(nsight kineto even))
{
	$run++;
	$w->ok_run($name, 'load', '-q', '--jobs', 2, "$w->{home}/$name");
	my $expected = $w->sql(sprintf $stored, $run);
	like($expected, qr/\|3$/, "$name: three metrics");
	for my $jobs (1, 3)
	{
		$w->ok_run("$name with $jobs threads", 'load', '-q', '--jobs', $jobs, '--if-exists', 'replace', "$w->{home}/$name");
		is($w->sql(sprintf $stored, $run), $expected, 'the same');
	}
	$w->sql("SELECT perfhouse.assign_blame($run)");
	is($w->sql(sprintf $stored, $run), $expected, 'and by the server');
	is($w->sql("SELECT string_agg(check_name, ', ') FROM perfhouse.check_run($run) WHERE NOT ok"), '', 'sound');
}

# ---- every wait has a call and a cause; the slow device is told apart

is($w->sql('SELECT count(*) FROM perfhouse.wait_states(1) WHERE path IS NULL OR seq IS NULL OR origin_path IS NULL'), 0, 'calls and causes of waits');
for my $id (1, 3)
{
	is( $w->sql("SELECT (SELECT sum(ns) FROM perfhouse.wait_states($id)) - (SELECT sum(ns) FROM perfhouse.blame($id))"),
		0, "run $id: blame is all waiting");
	cmp_ok($w->sql("SELECT round(100 * (SELECT sum(short_term + long_term) FROM perfhouse.delay_costs($id)) / (SELECT sum(ns) FROM perfhouse.wait_states($id)))"),
		'>', 97, 'all of it has a cause');
	is( $w->sql("SELECT round(8 * 1e6 * sum(exclusive)) = (SELECT round(sum(ns) / 1e3) FROM perfhouse.wait_states($id)) FROM perfhouse.nodes(perfhouse.profile($id, 'wait'))"),
		't', 'and stands in the profile');
}
my $caused = q{SELECT rank, round(100 * sum(short_term + long_term) / sum(sum(short_term + long_term)) OVER ()) FROM perfhouse.delay_costs(%d) GROUP BY rank ORDER BY 2 DESC LIMIT 1};
my ($rank, $share) = split /\|/, $w->sql(sprintf $caused, 1);
is($rank, $slow, 'the slow rank caused most');
cmp_ok($share, '>', 35, 'for all ranks');
($rank, $share) = split /\|/, $w->sql(sprintf $caused, 3);
cmp_ok($share, '<', 16, 'where all are equal nobody did');
like($w->sql("SELECT path FROM perfhouse.nodes(perfhouse.profile(1, 'wait caused')) ORDER BY exclusive DESC NULLS LAST LIMIT 1"),
	qr{^step/cudaLaunchKernel/void }, 'a kernel, below the call that launched it, in the profile');
is( $w->sql(q{SELECT rank FROM perfhouse.column_statistics(perfhouse.profile(1, 'wait caused'), 'exclusive', 'wait caused') ORDER BY total DESC LIMIT 1}),
	$slow, 'of the slow rank');
$w->ok_run('a picture', 'render', 'blame', '--run', 1, '-o', "$w->{home}/blame.svg");
like(Perfhouse::slurp("$w->{home}/blame.svg"), qr/>rank $slow · cudaLaunchKernel|rank $slow · void/, 'has the slow rank by itself');

# ---- of one rank nobody but its devices can be waited for

is(system("$w->{home}/gen_devices nsight $w->{home}/alone --ranks=1 --steps=6"), 0, 'a run of one rank');
$w->ok_run('one rank', 'load', '-q', "$w->{home}/alone");
my $alone = $w->ok_run('explained', 'explain', 4)->{out};
like($alone, qr{The host waited \S+ ms for its devices, for step/cudaLaunchKernel; the largest part of that, [\d.]+ %, for step/cudaLaunchKernel/void}, 'the host waited for its devices');
unlike($alone, qr/each other|all waiting, /, 'not ranks for each other');

$w->stop;
done_testing();
