# render --query: pictures of values and rows that a query gives.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Perfhouse;
use Test::More;

my $w       = Perfhouse->new;
my $history = "$Perfhouse::data/lulesh-history";
my $out     = $w->{home};
$w->ok_run("load $_", 'load', '--set', 'application=lulesh', "$history/lulesh-$_.cali") for '3e01c40-n8-1', '46c2a1d-n8-1', '3e01c40-n27-1';

sub drawn
{
	my ($what, $view, $query, @options) = @_;
	$w->ok_run($what, 'render', $view, '--query', $query, @options, '-o', "$out/q.svg");
	return Perfhouse::slurp("$out/q.svg");
}

# ---- a value of the query is drawn as that of a run is
my %same = (
	'flame'     => ['profile(1)'],
	'processes' => ['profile(3)'],
	'metric'    => ['profile(3)', '--node', 'main'],
	'cct'       => ['profile(3)'],
	'histogram' => ["supergraph(profile(3), 'function')", '--node', 'MPI_Allreduce'],
	'box'       => ["supergraph(profile(3), 'function')"]);
for my $view (sort keys %same)
{
	my ($value, @options) = @{$same{$view}};
	my ($run)   = $value =~ /profile\(([0-9])/;
	my @group   = $value =~ /supergraph/ ? ('--group-by', 'function') : ();
	my $picture = drawn("$view of a query", $view, "SELECT $value", @options);
	my @filter  = $view eq 'metric' ? () : ('--filter', '0');
	$w->ok_run("$view of the run", 'render', $view, '--run', $run, @group, @filter, @options, '-o', "$out/r.svg");
	is(() = $picture =~ /<rect/g, () = Perfhouse::slurp("$out/r.svg") =~ /<rect/g, "$view has as many marks");
	ok(index($picture =~ s/&(?:apos|#39);/'/gr, "SELECT $value") >= 0, "$view says what it is of");
}

# ---- and what a picture of a run shows, as SQL, is drawn as the same picture: every view that draws values, with its own filter
sub shapes
{
	my ($svg) = @_;
	my %n;
	$n{$_}++ for $svg =~ /<(rect|path|line|circle|polygon|image)\b/g;
	$n{$1}++ while $svg =~ /<g class="([\w-]+)"/g;
	delete @n{qw(caption title)};
	return join(', ', map { "$_ $n{$_}" } sort keys %n);
}
my %drawn_by = ('flame-diff' => ['--run', 1, '--vs', 2], histogram => ['--node', 'MPI_Allreduce', '--group-by', 'function'], metric => ['--node', 'main']);
$w->ok_run('a grid', 'set', '3', 'grid=3x3x3');
my @valued = map { /^([\w-]+) +(?:a run|two runs), or of a query: .*\((?:profile|supergraph)\)|^([\w-]+) +a run, or of a query: (?:profile|supergraph)$/ ? $1 // $2 : () }
	split /\n/, $w->ok_run('the views', 'render', '--list')->{out};
is("@valued", 'sankey flame-diff flame cct function-graph function-neighbourhood function-arcs processes metric histogram box grid iterations', 'views that draw values of a run');
for my $view (@valued)
{
	next if $view eq 'iterations'; # these runs have none; below
	my @options = @{$drawn_by{$view} // []};
	my @run     = $view eq 'flame-diff' ? () : ('--run', 3);
	my @kept    = grep { my $n = $_; grep { $options[$n] eq $_ || ($n && $options[$n - 1] eq $_) } '--node' } 0 .. $#options;
	$w->ok_run("$view of a run", 'render', $view, @run, @options, '-o', "$out/r.svg");
	$w->ok_run("$view as SQL",   'render', $view, @run, @options, '-o', "$out/r.sql");
	$w->ok_run("$view of it",    'render', $view, '-f', "$out/r.sql", @options[@kept], '-o', "$out/q.svg");
	is(shapes(Perfhouse::slurp("$out/q.svg")), shapes(Perfhouse::slurp("$out/r.svg")), "$view: the same marks");
}
my @several = ('--application', 'lulesh', '--filter', 'n_ranks = 8', '--group-by', 'function', '--split-caller', 'MPI_Waitall');
$w->ok_run('many runs',        'render', 'sankey-ensemble', @several, '-o', "$out/r.svg");
$w->ok_run('many runs as SQL', 'render', 'sankey-ensemble', @several, '-o', "$out/r.sql");
$w->ok_run('and of it',        'render', 'sankey-ensemble', '-f', "$out/r.sql", '-o', "$out/q.svg");
is(shapes(Perfhouse::slurp("$out/q.svg")), shapes(Perfhouse::slurp("$out/r.svg")), 'sankey-ensemble: the same marks');
like($w->ok_run('to standard output', 'render', 'cct', '--run', 3, '--type', 'sql', '-o', '-')->{out}, qr/^SELECT perfhouse\.legible\(3, share => 0\.005\);$/, 'what is left out is said');
is($w->run('render', 'cct', '--query', 'SELECT profile(3)', '-o', "$out/no.sql")->{code}, 2, 'of a query there is no other SQL');

# ---- the difference of two runs, as high as it is whatever its sign
my $difference = "SELECT supergraph(filter(profile(2) - profile(1), 0.001), 'module')";
like(drawn('a difference by module', 'sankey', $difference), qr/class="bar"/, 'has bars');
my $bars = drawn('by function', 'sankey', "SELECT supergraph(profile(2) - profile(1), 'function')");
like($bars, qr/faster/, 'colours tell which way');
my ($net) = $bars =~ /class="bar" data-difference="([^"]+)"[^>]*data-node="MPI_Waitall"/;
my $truth = $w->sql("SELECT exclusive FROM perfhouse.supernodes(perfhouse.supergraph(perfhouse.profile_subtract(perfhouse.profile(2), perfhouse.profile(1)), 'function')) WHERE node = 'MPI_Waitall'");
cmp_ok(abs($net - $truth), '<', 1e-6 * abs($truth), 'the difference of a supernode');
like($bars, qr/whatever their signs/, 'and what heights are');

# ---- two values, many runs
like(drawn('two profiles', 'flame-diff', 'SELECT profile(1), profile(2)'), qr/Differential/, 'a differential flame graph');
like(drawn('an ensemble', 'sankey-ensemble', "SELECT supergraph(ensemble(profile(run_id), run_id::text ORDER BY run_id), 'function') FROM run"),
	qr/Super graph of 3 runs/, 'an ensemble');
like(drawn('with refinement', 'sankey', "SELECT supergraph(profile(1), 'function')", '--split-caller', 'MPI_Waitall'), qr/data-node="MPI_Waitall-/, 'refined as that of a run');

# ---- from a file, from saved rows
my $file = $w->write_file('q.sql', "-- both\nSELECT (profile(1) + profile(2)) / 2.0;\n");
$w->ok_run('a query from a file', 'render', 'flame', '--query-file', $file, '-o', "$out/a.svg", '--save-rows', "$out/a.rows");
$w->ok_run('its saved rows',      'render', 'flame', '--rows',       "$out/a.rows", '-o', "$out/b.svg");
is(Perfhouse::slurp("$out/b.svg"), Perfhouse::slurp("$out/a.svg"), 'the same picture of saved rows');

# ---- plain rows
my $lines = drawn('lines', 'line', "SELECT x, x * x AS \"y [s]\", 'squares' AS what FROM generate_series(0, 9) x UNION ALL SELECT x, NULLIF(x, 5), 'itself' FROM generate_series(0, 9) x");
is(() = $lines =~ /class="line"/g, 2, 'a line a series');
is(() = $lines =~ /class="point"/g, 19, 'a point a row, but for null');
like($lines, qr/>y \[s\]</, 'the unit of a name is that of its axis');
like($lines, qr/y 81 s/, 'and of tooltips');
my ($itself) = $lines =~ /<title>itself<\/title>\s*<path [^>]*d="([^"]*)"/;
is(() = $itself =~ /M/g, 2, 'a null interrupts its line');
like(drawn('times', 'line', "SELECT '2024-05-01'::timestamptz + x * interval '1 day', x FROM generate_series(0, 9) x"), qr/>2024-05-0[1-9]</, 'times have dates as ticks');
my $most = drawn('thousands of bars', 'bar', 'SELECT r, CASE r WHEN 7777 THEN 5 ELSE 1 END AS y FROM generate_series(0, 16383) r');
like($most, qr/data-value="5"/, 'the one high bar among 16,384 is there');
cmp_ok(length $most, '<', 1_000_000, 'in a picture that browsers can bear');
my $bars_by_text = drawn('bars of text', 'bar', "SELECT name, exclusive, run::text FROM generate_series(1, 2) run, nodes(profile(run)) WHERE exclusive > 0.02");
is(() = $bars_by_text =~ /class="bar"/g, $w->sql('SELECT count(*) FROM generate_series(1, 2) run, perfhouse.nodes(perfhouse.profile(run)) WHERE exclusive > 0.02'), 'a bar a row');
my $cells = drawn('cells', 'heatmap', 'SELECT v.rank, n.name, sum(v.exclusive) AS "exclusive [s]" FROM nodes(profile(3)) n JOIN column_values(profile(3)) v USING (node) GROUP BY 1, 2');
is(() = $cells =~ /class="cell"/g, $w->sql('SELECT count(*) FROM (SELECT FROM perfhouse.nodes(perfhouse.profile(3)) n JOIN perfhouse.column_values(perfhouse.profile(3)) v USING (node) GROUP BY v.rank, n.name HAVING sum(v.exclusive) IS NOT NULL) c'), 'a cell a row with a value');
like(drawn('cells of both signs', 'heatmap', 'SELECT x, x, x FROM generate_series(-3, 3) x'), qr/class="cell"/, 'have colours');
like(drawn('points', 'scatter', 'SELECT n_ranks, total, application, title FROM run_overview'), qr/title lulesh-3e01c40-n27-1/, 'points have labels');
my $spans = drawn('events', 'timeline', "SELECT 'job ' || i, 100 * i AS \"begin [ns]\", 100 * i + 50, 'kind ' || i % 2, 'x' FROM generate_series(1, 5) i");
is(join(' ', $spans =~ /class="span" data-from="(\d+)" data-to="(\d+)"/g), '100 150 200 250 300 350 400 450 500 550', 'a bar a row, from and to');
like($spans, qr/begin \[ns\].*>job 1</s, 'in lanes of text');
my ($first, $second) = $spans =~ /class="span"[^>]*><title>.*?<rect fill="(#\w+)"/gs;
isnt($first, $second, 'coloured by what it is');
is(() = drawn('of times, the other way round', 'timeline', "SELECT 1, timestamptz '2024-05-02', timestamptz '2024-05-01'") =~ /class="span"/g, 1, 'has its bar');
my $pairs = drawn('pairs', 'comm-matrix', 'SELECT * FROM (VALUES (0, 1, 2, 800), (3, 0, 1, 5), (1, 1, 0, 0), (-1, 2, 1, 1), (1, 2, 1.5, NULL)) v');
like($pairs, qr/point-to-point only: 4 messages, 805 B sent by 4 pairs/, 'are counted');
like($pairs, qr/no rank: 1/, 'what is no pair of ranks is said');
like(drawn('a difference of pairs', 'comm-matrix', 'SELECT 0, 1, 2, -800'), qr/negative amounts, taken as 0 \(heatmap draws them\): 1 rows/, 'what is not drawn is said');
like(drawn('short names', 'timeline', "SELECT 'a', 1, 2"), qr/>a<\/text>/, 'of lanes are there');
like(drawn('no numbers', 'line', "SELECT x, CASE WHEN x > 7 THEN 'NaN'::float8 ELSE x END FROM generate_series(1, 9) x"), qr/9 rows of a query.*without a finite number, not drawn: 2/s, 'are counted');
my $long = drawn('a long line', 'line', 'SELECT x, sin(x * 7.3), x % 7 FROM generate_series(1, 100000) x');
cmp_ok(length $long, '<', 1_000_000, 'has the points that are seen');
my ($path) = sort { length $b <=> length $a } drawn('a peak among many', 'line', 'SELECT x, CASE x WHEN 50001 THEN 9 ELSE 0 END FROM generate_series(1, 100000) x') =~ / d="([^"]+)"/g;
my %heights = map { $_ => 1 } $path =~ /[ML][0-9.]+ ([0-9.]+)/g;
is(scalar keys %heights, 2, 'is drawn');
like(drawn('no rows of it', 'comm-matrix', 'SELECT 1, 2, 3, 4 WHERE false'), qr/the query gave no pairs/, 'none are said');
like(drawn('no rows', 'line', 'SELECT 1, 2 WHERE false'), qr/the query gave no rows/, 'no rows are said');
like(drawn('hostile text', 'bar', "SELECT '<script>' || chr(1) || repeat('x', 3000), 'NaN'::float8 UNION ALL SELECT '\"''&', 'Infinity' UNION ALL SELECT 'a', 1"), qr/&lt;script>|&lt;script&gt;/, 'text of any kind');

# ---- mistakes are told with what is drawn
for my $case (
	['another type',     2, 'sankey', 'SELECT profile(1)',                      qr/column 1, "profile", is of type profile\b.*It draws: supergraph\. supergraph\(p, 'module'\) makes one/s],
	['too many columns', 2, 'flame',  'SELECT profile(1), profile(2)',          qr/it has 2 columns/],
	['far too many columns', 2, 'sankey', 'SELECT * FROM nodes(profile(1))',    qr/it has 1\d columns.*It draws: supergraph\. Rows are drawn by line/s],
	['no value at all',  2, 'flame',  'SELECT true',                            qr/is of type boolean.*Rows are drawn by line/s],
	['one of two',       2, 'flame-diff', 'SELECT profile(1)',                  qr/it has no column 2, b.*a \(profile\), b \(profile\)/s],
	['text for a number', 2, 'line',  "SELECT 1 AS a, 'x' AS b",                qr/column 2, "b", is of type text.*y \(number\), series \(text, may be left out\)/s],
	['a time as height', 2, 'bar',    'SELECT 1, now()',                        qr/column 2, "now", is of type timestamp/],
	['an empty view',    2, 'heatmap', 'SELECT 1',                              qr/it has no column 2, y/],
	['no row',           2, 'flame',  'SELECT profile(1) WHERE false',          qr/it gives no row/],
	['many rows',        2, 'flame',  'SELECT profile(1) FROM run',             qr/more than one row/],
	['null',             2, 'flame',  'SELECT NULL::profile',                   qr/it gives null/],
	['a parameter',      2, 'flame',  'SELECT profile($1::int8)',               qr/parameter/],
	['two statements',   1, 'flame',  'SELECT profile(1); SELECT profile(2)',   qr/multiple commands/],
	['nothing',          2, 'flame',  ' ; ',                                    qr/the query is empty/],
	['no such run',     13, 'flame',  'SELECT profile(99)',                     qr/there is no run 99/],
	['not a query of values', 2, 'step-overview', 'SELECT 1',                   qr/step-overview draws runs, and no query/],
	['not a query of two', 2, 'sankey-diff', 'SELECT 1',                      qr/sankey-diff draws runs, and no query/],
	['a lane alone',       2, 'timeline', 'SELECT 1',                         qr/it has no column 2, from.*lane \(number, time or text\), from \(/s])
{
	my ($what, $code, $view, $query, $message) = @$case;
	my $r = $w->run('render', $view, '--query', $query, '-o', "$out/no.svg");
	is($r->{code}, $code, "$what is refused");
	like($r->{err}, $message, "$what: why");
}
ok(!-e "$out/no.svg", 'nothing is written then');
my $r = $w->run('render', 'flame', '--query', 'SELECT profile(1)', '--run', '1', '-o', "$out/no.svg");
like($r->{err}, qr/option --run does not go with a query/, 'a run beside the query is refused');

# ---- a computed profile that is kept is a run
is($w->sql("SELECT store_profile(profile(1) - profile(2), 'what run 1 has more', 'lulesh')"), 4, 'a difference is kept');
like($w->ok_run('it is listed', 'runs')->{out}, qr/^ *4 +lulesh +what run 1 has more .*excluded: derived profile$/m, 'as not measured');
like($w->ok_run('shown', 'show', '4')->{out}, qr/computed of +run 1 \(lulesh\), run 2 \(lulesh\), subtract: a - b/, 'with what it was computed of');
$w->ok_run('drawn', 'render', 'sankey', '--run', '4', '-o', "$out/kept.svg");
like(Perfhouse::slurp("$out/kept.svg"), qr/computed of run 1/, 'also below pictures');
$w->ok_run('exported', 'export', '4', '--format', 'csv', '-o', "$out/kept.csv");
like($w->ok_run('sound', 'doctor')->{out}, qr/stored data +sound, all 4 runs/, 'for doctor, too');
$w->ok_run('removed', 'rm', '--force', '4');

# ---- iterations, grids of ranks, bottom-up
my @cells = map { my $rank = $_; map { [1 + ($rank >= 6) / 2 + ($_ >= 12) / 4 + ($rank * 20 + $_) * 37 % 11 / 1000, $rank, $_, 1] } 0 .. 19 } 0 .. 8;
$file = $w->write_file('steps.json', '{"data": [' . join(', ', map { '[' . join(', ', @$_) . ']' } @cells) . '], "columns": ["time", "mpi.rank", "iteration#main", "path"], '
	. '"column_metadata": [{"is_value": true}, {"is_value": true}, {"is_value": true}, {"is_value": false}], '
	. '"nodes": [{"label": "main", "column": "path"}, {"label": "solve", "column": "path", "parent": 0}], "mpi.world.size": "9"}');
$w->ok_run('a run by iteration', 'load', '--set', 'grid=3x3', $file);
my $run = $w->sql('SELECT max(run_id) FROM run_overview');
$w->ok_run('iterations', 'render', 'iterations', '--run', $run, '-o', "$out/i.svg");
my $svg = Perfhouse::slurp("$out/i.svg");
is(() = $svg =~ /class="cell"/g, 20, 'a cell a call path with cost of its own and iteration');
is(() = $svg =~ /class="change"/g, 1, 'its change');
like($svg, qr/changes at iteration 12/, 'where it is');
unlike($svg, qr/class="outlier"|marks below/, 'no rank is apart');
$w->ok_run('as SQL', 'render', 'iterations', '--run', $run, '-o', "$out/i.sql");
$w->ok_run('of it',  'render', 'iterations', '-f', "$out/i.sql", '-o', "$out/q.svg");
is(shapes(Perfhouse::slurp("$out/q.svg")), shapes(Perfhouse::slurp("$out/i.svg")), 'iterations: the same marks');
like(drawn('the same of a query', 'iterations', "SELECT profile($run, 'time', iterations => true)"), qr/changes at iteration 12/, 'has the same');
unlike(drawn('of ranks alone', 'iterations', "SELECT profile($run, 'time', ranks => '{1}', iterations => true)", '--color', 'change'), qr/class="nothing"/, 'against the mean');
$w->ok_run('along them', 'render', 'history', '--run', $run, '-o', "$out/h.svg");
$svg = Perfhouse::slurp("$out/h.svg");
is(() = $svg =~ /class="panel"/g, 2, 'a panel a call path');
is(() = $svg =~ /class="point"/g, 40, 'a point an iteration');
like($svg, qr/\+\d+ % at iteration 12/, 'where they change');
like($svg, qr/iteration 19: 1[.]\d+ µs.*to 1[.]\d+ µs on rank [678]/s, 'with the ranks behind the mean');
$w->ok_run('narrow', 'render', 'history', '--run', $run, '--width', 500, '-o', "$out/narrow.svg");
my ($legend, $panels) = Perfhouse::slurp("$out/narrow.svg") =~ m{(<g class="legend".*?)(<g class="history".*)}s;
my ($lowest)  = sort { $b <=> $a } $legend =~ m{<text [^>]*\by="([\d.]+)"}g;
my ($highest) = sort { $a <=> $b } grep { $_ > 60 } $panels =~ m{<text [^>]*\by="([\d.]+)"}g; # below the title of the page
cmp_ok($lowest, '>', 100, 'a legend of three lines');
cmp_ok($highest - $lowest, '>=', 12, 'is above the panels');
$w->ok_run('as SQL', 'render', 'history', '--run', $run, '-o', "$out/h.sql");
$w->ok_run('of it',  'render', 'history', '-f', "$out/h.sql", '-o', "$out/q.svg");
is(shapes(Perfhouse::slurp("$out/q.svg")), shapes($svg), 'history: the same marks');
is(() = drawn('of one', 'history', "SELECT profile($run, 'time', iterations => true)", '--path', 'solve', '--mode', 'otava') =~ /class="panel"/g, 1, 'a function');
like(drawn('of the whole', 'history', "SELECT profile($run, 'time', iterations => true)", '--by', 'total'), qr/Iterations of whole program/, 'the total');
for my $case ([['--application', 'x'], qr/a run and runs to choose from/], [['--path', 'nix'], qr/no call path or function "nix".*Those that cost most are solve/s],
	[['--by', 'total', '--cost', 'exclusive'], qr/one history/])
{
	my $none = $w->run('render', 'history', '--run', $run, @{$case->[0]}, '-o', "$out/no.svg");
	isnt($none->{code}, 0, "not with @{$case->[0]}");
	like($none->{err}, $case->[1], 'and why');
}
$w->ok_run('a node along them', 'render', 'metric', '--run', $run, '--node', 'main/solve', '--order', 'iteration', '-o', "$out/m.svg");
$svg = Perfhouse::slurp("$out/m.svg");
is(() = $svg =~ /class="process"/g, 20, 'a bar an iteration');
like($svg, qr/solve along iterations.*iteration 19&#10;greatest 1[.]\d+ µs \(rank \d iteration 19\)/s, 'with its greatest rank');
$w->ok_run('as SQL', 'render', 'metric', '--run', $run, '--node', 'main/solve', '--order', 'iteration', '-o', "$out/m.sql");
$w->ok_run('of it',  'render', 'metric', '-f', "$out/m.sql", '--node', 'main/solve', '--order', 'iteration', '-o', "$out/q.svg");
is(shapes(Perfhouse::slurp("$out/q.svg")), shapes($svg), 'metric: the same marks');
$w->ok_run('a grid', 'render', 'grid', '--run', $run, '--node', 'main/solve', '-o', "$out/g.svg");
$svg = Perfhouse::slurp("$out/g.svg");
is(() = $svg =~ /class="cell"/g, 9, 'a cell a rank');
unlike($svg, qr/beyond/, 'none beyond the others');
like($svg, qr/plane of x explains \d+ % of the variance over ranks \(x = 2:/, 'and what explains how they differ');
$w->ok_run('a grid of others', 'set', $run, 'grid=5x5');
like($w->run('render', 'grid', '--run', $run, '-o', "$out/no.svg")->{err}, qr/no known grid.*It says "grid = 5x5" of 9 ranks/s, 'is compared with the ranks');
$w->ok_run('bottom-up', 'render', 'flame', '--run', '1', '--inverted', '-o', "$out/b.svg");
like(Perfhouse::slurp("$out/b.svg"), qr/Flame graph, bottom-up.*callers below functions/s, 'functions below, callers above');
for my $case (['iterations', qr/no columns by iteration.*iterations => true/s], ['history', qr/no columns by iteration/], ['grid', qr/stand in no known grid.*grid=8x8x8/s])
{
	my $none = $w->run('render', $case->[0], '--run', '1', '-o', "$out/no.svg");
	is($none->{code}, 13, "$case->[0] of a run without");
	like($none->{err}, $case->[1], 'says what to do');
}
$w->ok_run('removed', 'rm', '--force', $run);
(my $apart = Perfhouse::slurp($file)) =~ s{\[([\d.]+), 4, ([67]), 1\]}{'[' . 3 * $1 . ", 4, $2, 1]"}ge;
$w->ok_run('a rank that takes longer in two iterations', 'load', $w->write_file('apart.json', $apart));
$run = $w->sql('SELECT max(run_id) FROM run_overview');
$w->ok_run('iterations', 'render', 'iterations', '--run', $run, '-o', "$out/i.svg");
$svg = Perfhouse::slurp("$out/i.svg");
is(() = $svg =~ /class="outlier"/g, 1, 'has a mark below both cells');
like($svg, qr/class="outlier" data-rank="4".*marks below: one rank took twice the mean or more; in solve rank 4 took 3[.]\d+ µs in iteration [67], the mean is 1[.]\d+ µs/s, 'and names it');
$w->ok_run('removed', 'rm', '--force', $run);

# ---- it may only read
for my $query ('DELETE FROM perfhouse.run RETURNING profile(1)', 'SELECT profile(1) FROM (SELECT perfhouse.drop_run(2)) d')
{
	$r = $w->run('render', 'flame', '--query', $query, '-o', "$out/no.svg");
	isnt($r->{code}, 0, 'a query that writes is refused');
	like($r->{err}, qr/read-only transaction/, 'because it may only read');
}
is($w->sql('SELECT count(*) FROM perfhouse.run'), 3, 'and nothing is lost');

# ---- --list says what views draw
my $list = $w->ok_run('the list', 'render', '--list')->{out};
like($list, qr/^sankey +a run, or of a query: supergraph$/m, 'tells the value');
like($list, qr/^line +x \(number, time or text\), y \(number\), series \(text, may be left out\)$/m, 'and columns');
$r = $w->run('render', 'bar', '-o', "$out/no.svg");
like($r->{err}, qr/no query to draw.*--query.*y \(number\)/s, 'bars of nothing');
like($list, qr/^blame +a run$/m,                             'and who draws none');
# ---- ranks in the order of a grid that they stand in
for my $case (['plane-1', 'x = 0', 'x = 1', 'x = 2'], ['plane-3', 'z = 0', 'z = 2'], ['boundary', 'at 1 boundary', 'at 2 boundaries', 'at 3 boundaries', 'inside'])
{
	my ($order, @labels) = @{$case};
	$w->ok_run("histogram by $order", 'render', 'histogram', '--run', '3', '--group-by', 'function', '--node', 'main', '--order', $order, '-o', "$out/h.svg");
	my $axis = join(' | ', Perfhouse::slurp("$out/h.svg") =~ m{<text[^>]*>([^<]*(?: = \d+|boundar[^<]*|inside))</text>}g);
	like($axis, qr/\Q$_\E/, "brackets $_") for $labels[0], $labels[-1];
	$w->ok_run("$_ by $order", 'render', $_, '--run', '3', '--order', $order, '-o', "$out/g.svg", '--save-rows', "$out/g.rows") for 'processes', 'metric';
	like(Perfhouse::slurp("$out/g.rows"), qr/\Q$labels[0]\E.*\Q$labels[-1]\E/s, 'in this order');
}
# Who sends to whom, and the rows of logical time: the same ranks, in the order of the grid.
my $with_trace = $w->ok_run('a trace in a grid', 'load', '--json', '--set', 'grid=2x2x2', "$FindBin::Bin/../data/traces/lulesh-8")->{out} =~ /"run_id": ?(\d+)/ ? $1 : 0;
for my $view (['comm-matrix', 'cell'], ['logical', 'event'])
{
	my ($name, $class) = @{$view};
	my %marks;
	for my $order ('rank', 'plane-2', 'boundary', 'host')
	{
		$w->ok_run("$name by $order", 'render', $name, '--run', $with_trace, '--order', $order, '-o', "$out/o.svg", '--save-rows', "$out/o.rows");
		my $svg = Perfhouse::slurp("$out/o.svg");
		$marks{$order} = join("\n", sort $svg =~ m{<g class="$class"((?: data-[^>]*)?)>}g);
		ok(length($marks{$order}) > 0, "$name by $order has marks");
		is($marks{$order}, $marks{rank}, "the same as by rank");
		next if $order ne 'plane-2';
		my @rows = $name eq 'logical' ? Perfhouse::slurp("$out/o.rows") =~ /^rows\t.*?"rank": (\d+)/mg : Perfhouse::slurp("$out/o.rows") =~ /"ranks": \[([\d, ]+)\]/;
		is(join(', ', @rows), '0, 1, 4, 5, 2, 3, 6, 7', 'plane after plane');
		like($svg, qr{>y = 0</text>.*>y = 1</text>}s, 'which have brackets');
	}
}
is($w->run('render', 'processes', '--run', '1', '--order', 'plane-1', '-o', "$out/x.svg")->{code}, 13, 'a run without a grid');
is($w->run('render', 'processes', '--run', '3', '--order', 'plane-4', '-o', "$out/x.svg")->{code}, 2, 'a plane that no grid has');

# ---- two costs of a supernode, as points of a query
my $with_calls = $w->ok_run('a run with calls', 'load', '--json', "$FindBin::Bin/../data/profiles/tau-callpath")->{out} =~ /"run_id": ?(\d+)/ ? $1 : 0;
for my $what ([], ['--metric-y', 'calls'], ['--metric-y', 'calls', '--cost', 'exclusive', '--filter', '0'])
{
	my @options = ('--run', $with_calls, '--group-by', 'function', @{$what});
	$w->ok_run("scatter @{$what}",        'render', 'scatter', @options, '-o', "$out/r.svg");
	$w->ok_run("scatter @{$what} as SQL", 'render', 'scatter', @options, '-o', "$out/r.sql");
	$w->ok_run('of it',                   'render', 'scatter', '-f', "$out/r.sql", '-o', "$out/q.svg");
	my ($of_run, $of_query) = map { join(', ', sort map { m{ data-x="([^"]+)" data-y="([^"]+)"} ? "$1 $2" : () } Perfhouse::slurp("$out/$_.svg") =~ /class="point"([^>]*)/g) } 'r', 'q';
	like($of_run, qr/\d, \d/, 'has points');
	is($of_query, $of_run, 'which the query gives, too');
}

# ---- who sends to whom, as rows of a query
my $traced = $w->ok_run('a trace', 'load', '--json', "$FindBin::Bin/../data/traces/lulesh-8")->{out} =~ /"run_id": ?(\d+)/ ? $1 : 0;
for my $what ([], ['--ranks', '0-3'], ['--from', '600ms', '--to', '650ms', '--color', 'messages'])
{
	$w->ok_run("comm-matrix @{$what}",        'render', 'comm-matrix', '--run', $traced, @{$what}, '-o', "$out/r.svg");
	$w->ok_run("comm-matrix @{$what} as SQL", 'render', 'comm-matrix', '--run', $traced, @{$what}, '-o', "$out/r.sql");
	my @color = grep { /color|messages/ } @{$what};
	$w->ok_run('of it', 'render', 'comm-matrix', '-f', "$out/r.sql", @color, '-o', "$out/q.svg");
	my ($of_run, $of_query) = map { join("\n", sort(Perfhouse::slurp("$out/$_.svg") =~ /<title>(rank \d.*?)<\/title>/gs)) } 'r', 'q';
	cmp_ok(length $of_run, '>', 100, 'has cells');
	is($of_query, $of_run, 'which the query gives, too');
}

done_testing();
