# Case studies of the literature, explained without being asked where to look: a number of ranks that is out of line,
# more processes than cores (overdecomposition), sends that wait for each other in a row, a tree that serves the nearest first, and
# sweeps over a grid.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Perfhouse;
use Cwd qw(abs_path);
use JSON::PP;
use Test::More;

my $w = Perfhouse->new;

# Call paths by the names of their parents; costs are own, by rank, in µs as Caliper has them.
sub profile_of
{
	my ($n_ranks, $parents, $cost) = @_;
	my @names = sort { ($parents->{$a} // '') cmp ($parents->{$b} // '') || $a cmp $b } keys %$parents;
	my %index = map { $names[$_] => $_ } 0 .. $#names;
	return {
		data            => [map { my $rank = $_; map { [$rank, $cost->($names[$_], $rank), $_] } 0 .. $#names } 0 .. $n_ranks - 1],
		columns         => ['mpi.rank', 'sum#time.duration', 'path'],
		column_metadata => [map { {is_value => $_ ? JSON::PP::true : JSON::PP::false} } 1, 1, 0],
		nodes           => [map { {label => $_, column => 'path', (defined $parents->{$_} ? (parent => $index{$parents->{$_}}) : ())} } @names],
		'mpi.world.size' => "$n_ranks"
	};
}

my $n_files = 0;

sub load_profile
{
	my ($profile, @options) = @_;
	my $file = $w->write_file(sprintf('case-%03d.json', ++$n_files), JSON::PP->new->canonical->encode($profile));
	return decode_json($w->ok_run('load', 'load', '--json', '--no-regressions', @options, $file)->{out})->{run_id};
}

sub step_of
{
	my ($step, @runs) = @_;
	my $page = decode_json($w->ok_run("explain @runs", 'explain', @runs, '--format', 'json')->{out});
	return grep { $_->{step} eq $step } @{$page->{sentences}};
}

# ---- scaling studies, one run a number of ranks; noise of some per cent in every call path
my %program = (main => undef, cycle => 'main', forces => 'cycle', MPI_Allreduce => 'cycle', MPI_Waitall => 'forces');

sub noise { my ($seed) = @_; return 1 + 0.02 * sin(12.9898 * $seed) }

# weak: costs stay, communication grows a little; strong: work is shared. odd: this number of ranks waits half as long.
sub scaling_study
{
	my ($application, $is_strong, $odd, @sizes) = @_;
	my $size = $application eq 'whole' ? sub { 1000 * $_[0] } : sub { 30 }; # of the problem, or of what a rank has of it
	my %runs;
	for my $p (@sizes)
	{
		my %costs = (
			main          => 1e4,
			cycle         => 2e4,
			forces        => $is_strong ? 64e6 / $p : 1e6,
			MPI_Waitall   => $is_strong ? 4e6 / $p : 1e5 * (1 + 0.1 * log $p),
			MPI_Allreduce => 3e5 * (1 + 0.1 * log $p) * ($p == $odd ? 0.2 : 1));
		my $profile = profile_of($p, \%program, sub { my ($name) = @_; return $costs{$name} * noise($p + 3 * length($name) + length $application) });
		$runs{$p} = load_profile($profile, '--set', "application=$application", '--set', 'problem_size=' . $size->($p));
	}
	return %runs;
}

for my $strong (0, 1)
{
	my %runs = scaling_study("even-$strong", $strong, 0, 8, 16, 32, 64, 128, 256);
	my @said = map { step_of('scaling', $runs{$_}) } sort { $a <=> $b } keys %runs;
	is(scalar @said, 0, ($strong ? 'strong' : 'weak') . ' scaling without a bad number of ranks: nothing is said of any run');
}

my %runs = scaling_study('weak', 0, 64, 8, 16, 32, 64, 128, 256);
my ($found) = step_of('scaling', $runs{64});
like($found->{sentence}, qr{^64 ranks are out of line: 1\.\d+ s, where 32 and 128 ranks let expect 1\.\d+ s \(-2\d\.\d %\); other numbers of ranks are within \d % of their neighbours\.}, 'the bad number of ranks is named unasked');
like($found->{sentence}, qr{Of that: -3\d\d ms in main/cycle/MPI_Allreduce\.$}, 'and where: in one call path alone');
is($found->{path}, 'main/cycle/MPI_Allreduce', 'the path for programs');
is($found->{confidence}, 'low', 'a single run of each is weak evidence');
my @rows = split /\n/, $w->sql($found->{evidence});
is(scalar @rows, 6, 'the evidence: a row a number of ranks');
is(scalar(grep { step_of('scaling', $runs{$_}) } grep { $_ != 64 } keys %runs), 0, 'the others are not blamed for it');
is(scalar(step_of('scaling', {scaling_study('few', 0, 64, 32, 64, 128, 256)}->{64})), 0, 'four numbers of ranks do not tell what is usual');
like($found->{picture}, qr{^perfhouse render scaling --application 'weak' -o explain.svg$}, 'a command that draws it');
$w->ok_run('picture', 'render', 'scaling', '--application', 'weak', '-o', "$w->{home}/scaling.svg");

# Where metadata tell the size of the whole problem, which grows with the ranks, the study is the same; runs of one size are no part of it.
my %whole = scaling_study('whole', 0, 64, 8, 16, 32, 64, 128, 256);
load_profile(profile_of($_, \%program, sub { return 1e6 }), '--set', 'application=whole', '--set', 'problem_size=64000') for 16, 48;
($found) = step_of('scaling', $whole{64});
is($found->{path}, 'main/cycle/MPI_Allreduce', 'sizes of the whole problem: the bad number of ranks is named, too');
is($w->sql("SELECT string_agg(n_ranks::text, ' ' ORDER BY n_ranks) FROM perfhouse.scaling_deviation($whole{64}) WHERE $whole{16} = ANY (runs) OR n_ranks <> 16"), '8 16 32 64 128 256',
	'beside runs whose problem has grown as the ranks have');
$w->sql("SELECT perfhouse.set_application('whole', '{n_ranks,problem_size}', '{problem_size}', 'rank')");
is(scalar step_of('scaling', $whole{64}), 0, 'of sizes that are those of a rank it is another problem');

# ---- overdecomposition: LULESH on AMPI with one process a core, eight a core, and eight that migrate; three runs each
my %ampi = (
	main_ampi => undef, lulesh_main => 'main_ampi', LagrangeLeapFrog => 'lulesh_main', CalcForceForNodes => 'LagrangeLeapFrog',
	CalcQForElems => 'LagrangeLeapFrog', AMPI_Wait => 'CalcQForElems', TimeIncrement => 'lulesh_main', AMPI_Allreduce => 'TimeIncrement');
my %work = (LagrangeLeapFrog => 5, CalcForceForNodes => 60, CalcQForElems => 30, TimeIncrement => 2, lulesh_main => 1, main_ampi => 1);

sub ampi_cost
{
	my ($run, $scale, $is_even, $name, $rank) = @_;
	my $load = $is_even ? 1 : $rank % 8 == 3 ? 1.9 : 0.85;
	my $own  = $name =~ /^AMPI/ ? 30 * ($is_even ? 0.1 : 2.0 - $load) : $work{$name} * $load;
	return 1e4 * $own * $scale * noise(100 * $run + 7 * $rank + length $name);
}

my %variants = (mpi => [1.6, 0], over8 => [0.9, 0], migrating => [0.85, 1]);
my %sides;
for my $variant (sort keys %variants)
{
	my ($scale, $is_even) = @{$variants{$variant}};
	$sides{$variant} = join ',', map { my $run = $_; load_profile(profile_of(64, \%ampi, sub { ampi_cost($run, $scale, $is_even, @_) }), '--set', 'application=lulesh-ampi', '--set', "variant=$variant") } 1 .. 3;
}
my @less = step_of('finding', $sides{mpi}, $sides{over8});
is(join('|', map { $_->{shape} } @less), 'uniform|some units', 'eight processes a core: everything takes less, the ranks with most work most');
is(join('|', map { $_->{path} } @less), join('|', ('main_ampi/lulesh_main/LagrangeLeapFrog') x 2), 'in what does nearly all of the work');
my $share = 0;
$share += $_->{share} for @less;
cmp_ok(abs($share + 0.4375), '<', 0.03, "by as much as was planted, 43.75 %: $share");
my ($changed) = grep { $_->{sentence} =~ /variant/ } step_of('changed', $sides{mpi}, $sides{over8});
like($changed->{sentence}, qr/variant is over8, and was mpi/, 'and what goes with it');

# unasked, of one run of the slowest kind
my ($one) = split /,/, $sides{mpi};
($changed) = step_of('changed', $one);
like($changed->{sentence}, qr/^Runs with variant migrating take \S+ ms \(3 runs\), those with variant mpi, as this one, \S+ s \(3 runs, \+\d+\.\d %\)/, 'of one run: what goes with its time');
is($changed->{confidence}, 'low', 'three runs of each are weak evidence');
is($w->sql("$changed->{evidence} AND is_run"), join('|', 'mpi', 3, split(/\|/, $w->sql("SELECT total, lowest, highest FROM perfhouse.metadata_effects($one) WHERE is_run"))), 'the evidence has its row');
is(scalar step_of('changed', (split /,/, $sides{migrating})[0]), 0, 'nothing of a run of the fastest');

my @findings = step_of('finding', $sides{over8}, $sides{migrating});
is(scalar @findings, 1, 'migration: one cause; the waits of the others in AMPI follow from it');
is($findings[0]{shape}, 'some units', 'which is on some ranks');
like($findings[0]{sentence}, qr/on ranks 3, 11, 19, 27, 35, 43 and 2 more/, 'those with most work');

# ---- sends by rendezvous in a row, each waiting for the next one's receive, and trees that serve the nearest first: what
# the published cures were is among what would help, and by how much is close to what the cured program takes
my $root      = abs_path("$FindBin::Bin/../..");
my $cc        = $ENV{CC} // 'cc';
my $generator = "$w->{home}/gen_trace";
is(system("$cc -std=c11 -O1 -D_GNU_SOURCE -o $generator $root/bench/gen_trace.c \$(pkg-config --cflags --libs otf2)"), 0, 'build the generator');

sub load_trace
{
	my ($pattern, @options) = @_;
	my $folder = sprintf '%s/trace-%03d', $w->{home}, ++$n_files;
	is(system($generator, $pattern, $folder, '--ranks', 32, '--iterations', 20, @options), 0, "generate $pattern");
	return decode_json($w->ok_run('load', 'load', '--json', '--no-logical-steps', $folder)->{out})->{run_id};
}

for my $case (['shift', qr/^Beginning exchange with the receive on odd ranks/], ['spread', qr/^Sending in the order of descending (?:distance|partner) in step/])
{
	my ($pattern, $cure) = @$case;
	my ($bad, $good) = (load_trace($pattern), load_trace($pattern, '--better', 1));
	my ($gain) = grep { $_->{sentence} =~ $cure } step_of('gain', $bad);
	ok($gain, "$pattern: the cure is named unasked") or next;
	my $takes = $w->sql("SELECT (SELECT duration FROM perfhouse.trace WHERE run_id = $bad) - (SELECT duration FROM perfhouse.trace WHERE run_id = $good)") / 1e9;
	cmp_ok(abs($gain->{effect} - $takes), '<', 0.05 * $w->sql("SELECT duration FROM perfhouse.trace WHERE run_id = $good") / 1e9, "$pattern: what it brings");
	is($gain->{confidence}, 'high', "$pattern: the replay is exact without changes");
	my ($who) = step_of('waits', $bad);
	like($who->{sentence}, qr/made (?:each other|others) wait [\d.]+ \S+, \d/, "$pattern: and who makes others wait");
}

# ---- sweeps: what few hand on to few is one phase a sweep, in which all ranks have peers; the slow one is named
my $sweeps = "$w->{home}/sweeps";
is(system($generator, 'sweep', $sweeps, '--ranks', 16, '--iterations', 5, '--slow-rank', 5), 0, 'generate sweeps');
my $swept = decode_json($w->ok_run('load', 'load', '--json', $sweeps)->{out})->{run_id};
is($w->sql("SELECT count(*), min(n_locations), min(n_events), max(n_events) FROM perfhouse.phases($swept) WHERE merge_reason = 'chain'"), '10|16|288|288', 'a phase a sweep, of all ranks and messages');
is($w->sql("SELECT DISTINCT pattern FROM perfhouse.exchange_patterns($swept) e JOIN perfhouse.phases($swept) p USING (phase, pattern) UNION ALL SELECT DISTINCT pattern FROM perfhouse.exchange_patterns($swept) WHERE n_ranks = 16 ORDER BY 1"), "collective\nwavefront", 'whose pattern is a wavefront');
is($w->sql("SELECT rank FROM perfhouse.logical_event WHERE run_id = $swept GROUP BY 1 ORDER BY sum(lateness) DESC LIMIT 1"), '5', 'the slow rank is the latest among its peers');
is($w->sql("SELECT count(DISTINCT phase_class) FROM perfhouse.phase_classes($swept) c JOIN perfhouse.phases($swept) p USING (phase) WHERE p.merge_reason = 'chain'"), '1', 'which are of one class');
my ($slow) = step_of('waits', $swept);
like($slow->{sentence}, qr{^Rank 5 made others wait .*, in main/compute\.$}, 'and explained');
$w->ok_run('picture', 'render', 'logical', '--run', $swept, '-o', "$w->{home}/sweeps.svg");

done_testing();
