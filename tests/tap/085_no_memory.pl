# Loading, drawing and reporting while one allocation fails, at one place of the code after another: each ends well or with a
# sentence, none by a signal, and no run is half there. PLACES (100, of ten commands; make torture-memory: every place that the small
# corpus and the views reach).
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Perfhouse;
use Test::More;

my $most = $ENV{PLACES} // 100;
my $seed = $ENV{SEED}   // 1;
srand($seed);
my $w       = Perfhouse->new;
my $data    = $Perfhouse::data;
my $library = "$w->{home}/starve.so";
my $plan    = "$w->{home}/starve";
my $cc      = $ENV{CC} // 'cc';
plan skip_all => 'an instrumented program has an allocator of its own' if ($ENV{PERFHOUSE} // '') =~ m{/asan};
plan skip_all => "no C compiler ($cc)" if system("$cc -O1 -shared -fPIC -o $library $FindBin::Bin/../lib/starve.c -ldl 2>/dev/null") != 0;

# What is done: of every format a file, every view, and what reads.
my @inputs = grep { !/literal-b|lulesh-8\.region/ } glob("$data/profiles/*");
push @inputs, map { "$data/$_" } qw(traces/lulesh-8/traces.otf2 traces/colls-6/traces.otf2 chrome/kineto.json devices/small.rocpd.db devices/cuda-trace.cali tasks/wavefront.jsonl projections/tiny gpu/train-4);
my ($profile, $trace) = ("$data/lulesh-history/lulesh-3e01c40-n8-1.cali", "$data/traces/lulesh-8");
$w->ok_run('runs to draw', 'load', '--set', 'application=lulesh', $profile, $trace);
my @cases = map { ['load', '--if-exists', 'append', '--allow-incomplete', $_] } @inputs;
push @cases, map { ['render', $_, '--run', 1, '-o', "$w->{home}/x.svg"] } qw(flame sankey histogram);
push @cases, map { ['render', $_, '--run', 2, '-o', "$w->{home}/x.png"] } qw(timeline logical comm-matrix);
push @cases, ['report', 1], ['runs'], ['status'];

# Run with a plan; how many allocations failed, how many places there were, and the first allocation of each.
sub starved
{
	my ($after, $has_places, @command) = @_;
	my $size = 8 * 3 + 8 * 65536;
	$w->write_file('starve', pack('q<2', $after, 0) . ($has_places ? "\0" x ($size - 16) : ''));
	local $ENV{LD_PRELOAD} = $library;
	local $ENV{STARVE}     = $plan;
	my $r = $w->run(@command);
	my (undef, $failed, $n, @first) = unpack('q<*', Perfhouse::slurp($plan));
	return ($r, $failed, $has_places ? @first[0 .. $n - 1] : ());
}

@cases = map { splice @cases, rand @cases, 1 } 1 .. 10 if $most < 1000;
my (@jobs, @odd);
for my $case (@cases)
{
	my ($r, undef, @first) = starved(1 << 60, 1, @$case);
	if ($r->{code} != 0) { diag("left out: @$case: $r->{err}"); next }
	push @jobs, map { [$_, @$case] } @first;
}
my $all = @jobs;
@jobs = map { splice @jobs, rand @jobs, 1 } 1 .. ($most < $all ? $most : $all);
my ($n, $ended_well, $refused) = (0, 0, 0);
for my $job (@jobs)
{
	my ($after, @command) = @$job;
	my ($r, $failed) = starved($after, 0, @command);
	$n += $failed;
	$ended_well += $failed && $r->{code} == 0;
	$refused    += $r->{code} != 0;
	push @odd, "allocation $after of @command: code $r->{code}: $r->{err}"
	  if $r->{code} > 100 || ($r->{code} != 0 && $r->{err} !~ /^perfhouse: /m);
}
is(join("\n", @odd[0 .. ($#odd > 15 ? 15 : $#odd)]), '', 'each ends well or with a sentence (' . @odd . ' do not)');
cmp_ok($all,     '>', 500,    'places');
cmp_ok($refused, '>', $n / 4, 'many are needed');
my $r = $w->ok_run('what is left goes', 'doctor', '--repair');
is($w->sql(q{SELECT count(*) FROM perfhouse.run WHERE state <> 'ready'}), 0, 'no load is left');
is($w->sql('SELECT count(*) FROM perfhouse.rows_without_run()'), 0, 'and no row without a run');
is($w->sql('SELECT count(*) FROM perfhouse.run_overview r, perfhouse.check_run(r.run_id) c WHERE NOT c.ok'), 0, 'every run that is seen is whole');
diag("$n allocations failed, at as many of $all places: $refused commands refused, $ended_well went on");
done_testing();
