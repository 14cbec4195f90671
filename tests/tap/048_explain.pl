# explain: planted causes in loaded runs are named by the command and in SQL; real history without a change has no finding.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Perfhouse;
use JSON::PP;
use Test::More;

my $w = Perfhouse->new;

# ---- a small program on eight ranks, five runs a commit
my %costs = (solve => 30, flux => 25, limit => 18, gather => 12, MPI_Allreduce => 6);

# Time and instructions of a function on a rank; more: factors of both on some ranks.
sub cost
{
	my ($run, $name, $rank, %more) = @_;
	my $is_in = !$more{ranks} || grep { $_ == $rank } @{$more{ranks}};
	my $time  = $costs{$name} * (1 + 0.01 * sin(7 * $run + 3 * length($name) + 5 * $rank)) * ($is_in ? $more{time} // 1 : 1);
	return ($time, 1e9 * $costs{$name} * ($is_in ? $more{work} // 1 : 1));
}

# As Caliper writes it: a row per rank and call path.
sub profile_of
{
	my ($run, $function, %more) = @_;
	my @names = ('main', sort keys %costs);
	my @rows;
	for my $rank (0 .. 7)
	{
		push @rows, [$rank, 1 + $run / 1000, 1e8, 0];
		push @rows, [$rank, cost($run, $names[$_], $rank, $names[$_] eq ($function // '') ? %more : ()), $_] for 1 .. $#names;
	}
	return {
		data            => \@rows,
		columns         => ['mpi.rank', 'sum#time.duration', 'sum#papi.PAPI_TOT_INS', 'path'],
		column_metadata => [map { {is_value => $_ ? JSON::PP::true : JSON::PP::false} } 1, 1, 1, 0],
		nodes           => [map { {label => $names[$_], column => 'path', ($_ ? (parent => 0) : ())} } 0 .. $#names],
		'mpi.world.size' => '8'
	};
}

my $n_runs = 0;

sub load_commit
{
	my ($commit, $function, %more) = @_;
	my @runs;
	for my $run (1 .. 5)
	{
		$n_runs++;
		my $file = $w->write_file("run-$n_runs.json", encode_json(profile_of($n_runs, $function, %more)));
		my $r    = $w->ok_run("load $commit", 'load', '--json', '--no-regressions', '--set', 'application=planted', '--set', "compiler=$commit", '--commit', $commit, $file);
		push @runs, decode_json($r->{out})->{run_id};
	}
	return join ',', @runs;
}

my %runs = map { $_->[0] => load_commit(@$_) } (
	['aaaaaaa0'], ['bbbbbbb0'], ['ccccccc0', 'flux', time => 1.4],
	['ddddddd0', 'limit', time => 1.5, work => 1.5],
	['eeeeeee0', 'solve', time => 1.5, ranks => [3]]);

sub explained
{
	my ($a, $b) = @_;
	my $page = decode_json($w->ok_run("explain $a $b", 'explain', $a, $b, '--format', 'json')->{out});
	return @{$page->{sentences}};
}

sub first_finding { my ($found) = grep { $_->{step} eq 'finding' } explained(@_); return $found }

is(first_finding('aaaaaaa0', 'bbbbbbb0'), undef, 'nothing changed, nothing is found');
is_deeply([grep { defined } map { $_->{picture} } explained('aaaaaaa0', 'bbbbbbb0')], [], 'and no picture colours noise');
my $found = first_finding('aaaaaaa0', 'ccccccc0');
is(join('|', map { $_ // '' } @$found{qw(shape cause path units confidence)}), 'uniform|slower work|main/flux||high', 'a slow region');
cmp_ok(abs($found->{effect} * 1e6 - 10), '<', 0.6, 'its size: Caliper counts in microseconds');
my @rows = split /\n/, $w->sql($found->{evidence});
is(scalar @rows, 10, 'the evidence is a query with a row a run');
like($found->{picture}, qr/^perfhouse render flame-diff --run \d+ --vs \d+ -o explain.svg$/, 'a command that draws it');
my (undef, @words) = split / /, $found->{picture};
$words[-1] = "$w->{home}/explain.svg";
$w->ok_run('draws it', @words);
ok(-s "$w->{home}/explain.svg", 'a picture');
$found = first_finding('aaaaaaa0', 'ddddddd0');
is(join('|', map { $_ // '' } @$found{qw(shape cause path units)}), 'uniform|more work|main/limit|', 'more work');
$found = first_finding('aaaaaaa0', 'eeeeeee0');
is(join('|', map { $_ // '' } @$found{qw(shape cause path units)}), 'some units|slower work|main/solve|rank 3', 'a slow rank');
is(scalar(split /\n/, $w->sql($found->{evidence})), 80, 'its evidence: ten runs of eight ranks');
my ($changed) = grep { $_->{step} eq 'changed' && $_->{sentence} =~ /compiler/ } explained('aaaaaaa0', 'ccccccc0');
like($changed->{sentence}, qr/^With it goes: .*compiler is ccccccc0, and was aaaaaaa0/, 'metadata that goes with it');
is($changed->{confidence}, 'low', 'which is no cause');

# ---- one run
$w->sql('SELECT perfhouse.refresh_noise()');
my ($slow) = split /,/, $runs{eeeeeee0};
my $before = $runs{aaaaaaa0} =~ s/,/, /gr;
is($w->sql("SELECT path, units, cause FROM perfhouse.explain_runs('{$runs{aaaaaaa0}}', '{$slow}') WHERE step = 'finding'"), 'main/solve|rank 3|slower work', 'one run against five');
is($w->sql("SELECT DISTINCT confidence FROM perfhouse.explain_runs('{$runs{aaaaaaa0}}', '{$slow}') WHERE step = 'finding'"), 'medium', 'sure enough, since the noise of the experiment is known');
my ($quiet)  = split /,/, $runs{aaaaaaa0};
my ($longer) = split /,/, $runs{ccccccc0};
my $single   = "SELECT step, confidence, path, sentence FROM perfhouse.explain_runs('{$quiet}', '{$longer}') WHERE step IN ('level', 'finding')";
like($w->sql($single), qr{\Alevel\|\|\|The runs are slower: .*\nfinding\|medium\|main/flux\|[^\n]*\z}s, 'two single runs, by known noise');
my $outliers = "SELECT count(*) > 0 FROM perfhouse.outliers('planted', 'meta.compiler = aaaaaaa0', 4, 0)";
$w->sql('UPDATE perfhouse.noise SET spread = 1e-5 * level, degrees = 100');
is($w->sql($outliers), 't', 'what is known judges outliers among few runs');
$w->sql('UPDATE perfhouse.noise SET spread = 0.2 * level');
is($w->sql($outliers), 'f', 'either way');
like($w->sql($single), qr/\Alevel\|\|\|Whether the runs differ is not known: .* vary by 20.0 %. About \d+ runs on each side would settle it.\z/, 'which hides it where it is large');
$w->sql('DELETE FROM perfhouse.noise');
like($w->sql($single), qr{\Alevel\|\|\|Whether .* 1 and 1 runs are too few [^\n]*\z}, 'and where nothing is known nobody knows');
$w->sql('SELECT perfhouse.refresh_noise()');
my $text = $w->ok_run('explain a run', 'explain', $slow)->{out};
like($text, qr/^explain: run $slow\n\nComparable\?\n  Measured by 4 other runs of its commit\./, 'is measured by its siblings');
like($text, qr/Balance\n  main\/solve itself is the least balanced: rank 3 takes/, 'says what is out of balance');

# ---- formats
like($w->ok_run('markdown', 'explain', 'aaaaaaa0', 'ccccccc0', '--format', 'markdown')->{out}, qr/^## Explanation.*^### Where and why\n\n\* main\/flux takes.*^  ```sql\n/ms, 'Markdown');
my $xml = "$w->{home}/explain.xml";
$text = $w->ok_run('junit', 'explain', 'aaaaaaa0', 'ccccccc0', '--format', 'junit', '--output', $xml)->{out};
like($text, qr/^explain: commit aaaaaaa0/, 'text beside the file');
like(Perfhouse::slurp($xml), qr/<testsuite name="perfhouse explain" tests="1" failures="1" errors="0">.*<testcase [^>]*name="main\/flux"><failure/s, 'a failed test case');
unlike($w->ok_run('junit of faster runs', 'explain', 'ccccccc0', 'aaaaaaa0', '--format', 'junit')->{out}, qr/<failure/, 'faster is no failure');
like($w->run('explain', 'ccccccc0', 'aaaaaaa0')->{out}, qr/main\/flux takes .* less .*faster work/, 'and is said so');

# ---- one page with everything
my $file = "$w->{home}/explain.html";
like($w->ok_run('page', 'explain', 'aaaaaaa0', 'ccccccc0', '--output', $file)->{out}, qr/^explain: commit aaaaaaa0/, 'text beside the page');
my $page = Perfhouse::slurp($file);
like($page, qr/^<!DOCTYPE html>.*<h1>Explanation of commit aaaaaaa0.*<\/html>\n\z/s, 'a page');
is(() = $page =~ /<svg [^>]*aria-label="Differential flame graph/g, 1, 'the picture of both level and finding is there once');
like($page, qr/<a href="#picture-1">The picture above<\/a> draws it/, 'and referred to');
like($page, qr/<p class="bad">main\/flux takes .*<\/p>\n<p class="soft">Confidence: high/, 'with the sentences');
like($page, qr/<details><summary>SQL that shows it<\/summary><pre tabindex="0"><code>SELECT r AS run_id, .*&#39;main\/flux&#39;/, 'and the evidence');
unlike($page, qr/(?:src|href)="(?!#)|<script|url\(|<\?xml/, 'that needs nothing beside it');
my %open;
$open{$2} += $1 ? -1 : 1 while $page =~ m{<(/?)(section|div|p|figure|figcaption|svg|g|details|summary|pre|code|h1|h2|main|header|title|style|text)\b}g;
is_deeply([grep { $open{$_} } sort keys %open], [], 'every element is closed');
cmp_ok(length $page, '<', 1_000_000, 'of a bearable size');
is($w->ok_run('to standard output', 'explain', 'aaaaaaa0', 'ccccccc0', '--format', 'html')->{out}, $page, 'to standard output, too');

# ---- pictures colour what is more than noise
my (undef, @other_slow) = split /,/, $runs{ccccccc0};
$w->sql("UPDATE perfhouse.run SET excluded_reason = 'later' WHERE run_id >= $other_slow[0]; DELETE FROM perfhouse.noise; SELECT perfhouse.refresh_noise()");

# What a view of two runs marks as noise, and what it does not.
sub marked
{
	my ($view, $class, $a, $b, @options) = @_;
	my $svg = "$w->{home}/noise.svg";
	$w->ok_run("$view $a $b", 'render', $view, '--run', (split /,/, $runs{$a})[1], '--vs', (split /,/, $runs{$b})[0], @options, '-o', $svg);
	my @marks = Perfhouse::slurp($svg) =~ /<g ([^>]*class="$class"[^>]*)>/g;
	return map { my $noise = $_; join ',', sort map { /data-label="([^"]+)"/ ? $1 : () } grep { /data-noise="true"/ == $noise } @marks } 1, 0;
}

my @all = ('main', sort keys %costs);
is((marked('flame-diff', 'frame', 'aaaaaaa0', 'bbbbbbb0'))[1], '', 'flame graph of runs that do not differ: no colour');
is_deeply([marked('flame-diff', 'frame', 'aaaaaaa0', 'ccccccc0')], [join(',', sort grep { $_ ne 'flux' } @all), 'flux'], 'of a slow region: it alone');
for my $view (['sankey-diff', 'flux'], ['sankey-compare', 'flux,flux'])
{
	is((marked($view->[0], 'bar', 'aaaaaaa0', 'bbbbbbb0', '--group-by', 'function'))[1], '', "$view->[0] of runs that do not differ");
	is((marked($view->[0], 'bar', 'aaaaaaa0', 'ccccccc0', '--group-by', 'function'))[1], $view->[1], 'of a slow region');
}
$w->sql('UPDATE perfhouse.run SET excluded_reason = NULL');

# ---- what cannot be explained
is($w->run('explain', 4711)->{code}, 13, 'no such run');
is($w->run('explain', 'aaaaaaa0')->{code}, 2, 'one commit alone');
is($w->run('explain', 'aaaaaaa0', 'ccccccc0', '-o', '/nowhere/file')->{code}, 4, 'a file that cannot be written');

# ---- real history, three runs a commit, eight ranks: no commit changed anything
$w->ok_run('load history', 'load', '--set', 'application=lulesh', '--set-from-name', 'lulesh-{commit}-n{ranks}-{repeat}.cali', glob("$Perfhouse::data/lulesh-history/lulesh-*-n8-*.cali"));
is($w->sql(<<'SQL'), '56|0', 'none of 56 pairs of commits has a finding');
WITH c AS (SELECT commit_id, array_agg(run_id ORDER BY run_id) AS runs FROM perfhouse.run WHERE application = 'lulesh' GROUP BY 1)
SELECT count(*) FILTER (WHERE e.step = 'level'), count(*) FILTER (WHERE e.step = 'finding')
FROM c a JOIN c b ON a.commit_id <> b.commit_id, LATERAL perfhouse.explain_runs(a.runs, b.runs) e
SQL
my ($n27) = map { decode_json($_)->{run_id} } split /\n/, $w->ok_run('load another size', 'load', '--json', '--no-regressions', '--set', 'application=lulesh', "$Perfhouse::data/lulesh-history/lulesh-3e01c40-n27-1.cali")->{out};
my $n8 = $w->sql("SELECT min(run_id) FROM perfhouse.run WHERE application = 'lulesh' AND n_ranks = 8");
my $r = $w->run('explain', $n8, $n27);
is($r->{code}, 18, 'runs of other sizes are not judged');
like($r->{out}, qr/The runs cannot be compared: n_ranks 8 against 27\.\n    SQL: \S.*\n\z/, 'it says in what they differ, and that is all');
# ---- names and values for people
is($w->sql(q{SELECT perfhouse.short_name('main/_ZN4Mesh4fluxEi/f(int)')}), 'main/Mesh::flux/f', 'names that were left mangled');
is($w->sql(q{SELECT * FROM perfhouse_internal.elements_that_differ('libraries', '["\/a\/x.so.1", "\/b\/y.so"]', '[/b/y.so,/a/x.so.2]')}), '/a/x.so.1|/a/x.so.2', 'the libraries that differ');
is($w->sql(q{SELECT * FROM perfhouse_internal.elements_that_differ('compiler', 'gcc 12', 'gcc 13')}), '|', 'of what is no list');
is($w->sql(q{SELECT * FROM perfhouse_internal.elements_that_differ('LOADEDMODULES', 'gcc/12:openmpi/4:hdf5', 'hdf5:gcc/13:openmpi/4')}), 'gcc/12|gcc/13',
	'the modules that differ');
is($w->sql(q{SELECT * FROM perfhouse_internal.elements_that_differ('launched', '12:30', '12:40')}), '|', 'a time of day is no list');

done_testing;
