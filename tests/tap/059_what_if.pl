# What-if replays: the trace of a program predicts what the program with other orders of calls takes.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Perfhouse;
use Cwd qw(abs_path);
use JSON::PP;
use Test::More;

my $w         = Perfhouse->new;
my $root      = abs_path("$FindBin::Bin/../..");
my $cc        = $ENV{CC} // 'cc';
my $generator = "$w->{home}/gen_trace";
is(system("$cc -std=c11 -O1 -D_GNU_SOURCE -o $generator $root/bench/gen_trace.c \$(pkg-config --cflags --libs otf2)"), 0, 'build the generator');

# The number of a stored run of a generated program.
sub generate
{
	my ($pattern, $name, @options) = @_;
	my $folder = "$w->{home}/$name";
	system($generator, $pattern, $folder, @options) == 0 or die "gen_trace";
	my $r = $w->run('load', '--json', '--no-logical-steps', $folder);
	is($r->{code}, 0, "load $name") or diag($r->{err});
	return decode_json($r->{out})->{run_id};
}

# ---- the fixed program takes what was predicted from the other one
my %fixes = (
	shift  => '{"order": {"path": "…/exchange", "first": "receive", "ranks": "odd"}}',
	spread => '{"order": {"path": "step", "sends": "descending partner"}}');
for my $pattern (sort keys %fixes)
{
	for my $seed (1 .. 2)
	{
		my @options = ('--ranks', 32, '--iterations', 20, '--seed', $seed);
		my $bad     = generate($pattern, "$pattern-bad-$seed",    @options);
		my $good    = generate($pattern, "$pattern-better-$seed", @options, '--better', 1);
		my ($recorded, $calibration, $predicted) = split /\|/, $w->sql("SELECT recorded_ns, calibration, predicted_ns FROM perfhouse.what_if($bad, '$fixes{$pattern}')");
		my $fixed = $w->sql("SELECT duration FROM perfhouse.trace WHERE run_id = $good");
		is($calibration, 1, "$pattern $seed: without changes as recorded");
		cmp_ok($fixed, '<', 0.95 * $recorded, "$pattern $seed: the fix helps");
		cmp_ok(abs($predicted - $fixed), '<', 0.05 * $fixed, "$pattern $seed: $predicted ns predicted, $fixed ns recorded");
		is($w->sql("SELECT count(*) > 0 FROM perfhouse.opportunities($bad, 30) WHERE change ? 'order' AND predicted_ns <= $predicted"), 't', "$pattern $seed: it is among the opportunities");
	}
}

# ---- a slow rank, given the mean, takes its share; nobody else's time is to be had
my @options = ('--ranks', 16, '--iterations', 20);
my $even    = generate('halo', 'halo-even', @options);
my $slow    = generate('halo', 'halo-slow', @options, '--slow-rank', 5);
is($w->sql("SELECT change FROM perfhouse.opportunities($slow, 40) WHERE change ? 'rank_to_mean' ORDER BY gain_ns DESC LIMIT 1"), '{"rank_to_mean": 5}', 'the slow rank is found');
my ($change, $gain) = split /\|/, $w->sql("SELECT change, gain_ns FROM perfhouse.opportunities($slow, 40) ORDER BY gain_ns DESC LIMIT 1");
my @gains = grep { $_->{step} eq 'gain' } @{decode_json($w->ok_run('explain', 'explain', $slow, '--format', 'json')->{out})->{sentences}};
my %gain  = map { $_->{units} // $_->{path} => $_ } @gains;
like($gains[0]{sentence}, qr/^\S.* would make the run \d+\.\d % shorter: [\d.]+ \S+ instead of [\d.]+ \S+\.$/, 'explain says what it would bring') or diag(encode_json(\@gains));
is(sprintf('%.0f', 1e9 * $gains[0]{effect}), $gain, "as much as $change");
is($w->sql("SELECT gain_ns FROM ($gains[0]{evidence}) q"), $gain, 'its evidence is a replay');
like($gain{'rank 5'}{sentence}, qr/^Bringing what rank 5 computes to the mean/, 'the slow rank');
like($gain{compute}{sentence}, qr/^Balancing compute, /, 'the function that computes, not one that calls it');
is($gains[0]{confidence}, 'high', 'the replay without changes ends as recorded');
my ($with_mean, $balanced) = split /\|/, $w->sql(qq{SELECT a.predicted_ns, b.predicted_ns FROM perfhouse.what_if($slow, '{"rank_to_mean": 5}') a, perfhouse.what_if($slow, '{"scale": {"region": "compute", "ranks": "5", "by": 0.1666667}}') b});
my $without = $w->sql("SELECT duration FROM perfhouse.trace WHERE run_id = $even");
cmp_ok($with_mean, '>', $without, 'the mean is more than the others take');
cmp_ok(abs($balanced - $without), '<', 0.05 * $without, "as fast as the others: $balanced ns predicted, $without ns recorded");
my ($lb_slow, $lb_even) = split /\|/, $w->sql("SELECT a.load_balance, b.load_balance FROM perfhouse.efficiency($slow) a, perfhouse.efficiency($even) b");
cmp_ok($lb_slow, '<', 0.3, 'load balance with the slow rank');
cmp_ok($lb_even, '>', 0.9, 'load balance without');

# ---- real programs: unchanged replays are within 1 %
for my $name (qw(lulesh-8 colls-6 tau-halo2d-nb-9))
{
	my $r = $w->run('load', '--json', '--no-logical-steps', "$Perfhouse::data/traces/$name");
	my $run = decode_json($r->{out})->{run_id};
	my $calibration = $w->sql("SELECT calibration FROM perfhouse.what_if($run, '{}')");
	cmp_ok(abs($calibration - 1), '<', 0.01, "$name: calibration $calibration");
}

done_testing;
