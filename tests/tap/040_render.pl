# render: every view as SVG, PNG and PDF, its options, its errors, the same bytes every time.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Perfhouse;
use Test::More;

my $w       = Perfhouse->new;
my $history = "$Perfhouse::data/lulesh-history";
my $out     = $w->{home};
like($w->run('render', 'flame', '--run', 'latest', '-o', "$out/none.svg")->{err}, qr/there is no run\n.*perfhouse load/s, 'an empty warehouse');
$w->ok_run('load A', 'load', '--set', 'application=lulesh', '--commit', '3e01c40b3281', "$history/lulesh-3e01c40-n8-1.cali");
$w->ok_run('load B', 'load', '--set', 'application=lulesh', "$history/lulesh-46c2a1d-n8-1.cali");
$w->ok_run('load 27 ranks', 'load', "$history/lulesh-3e01c40-n27-1.cali");

sub picture
{
	my ($file) = @_;
	return Perfhouse::slurp("$out/$file");
}

# How often a pattern is in a text.
sub count_of
{
	my ($text, $pattern) = @_;
	return scalar(() = $text =~ /$pattern/g);
}

# ---- the command of the issue, in all formats
for my $type (['svg', qr/^<\?xml.*<\/svg>\s*\z/s], ['png', qr/^\x89PNG/], ['pdf', qr/^%PDF/])
{
	$w->ok_run("sankey as $type->[0]", 'render', 'sankey', '--run', '1', '--group-by', 'module', '--filter', '0.001', '-o', "$out/a.$type->[0]");
	like(picture("a.$type->[0]"), $type->[1], "looks like $type->[0]");
}

# ---- the latest run
$w->ok_run('the latest run', 'render', 'flame', '--run', 'latest', '-o', "$out/latest.svg");
$w->ok_run('by its number', 'render', 'flame', '--run', '3', '-o', "$out/third.svg");
is(picture('latest.svg'), picture('third.svg'), 'is the same picture');
$w->ok_run('the latest ones of filters', 'render', 'flame-diff', '--run', 'lulesh@3e01c40', '--vs', 'latest:n_ranks=8',
	'-o', "$out/latest.sql");
like(picture('latest.sql'), qr/profile\(1\).*profile\(2\)/s, 'are two runs, also where SQL is written');
is($w->run('render', 'flame', '--run', 'latest:nothing', '-o', "$out/none.svg")->{code}, 13, 'a filter that selects none');
is($w->run('render', 'flame', '--run', 'latest:n_rank=3', '-o', "$out/none.svg")->{code}, 2, 'and what is no filter');

# ---- a graph of many functions is filtered until it can be read, and all panes of a supernode alike
$w->ok_run('a run of many functions', 'load', '--json', $w->write_caliper_json('many.json', 3000, 4, 1));
my $many = $w->sql('SELECT max(run_id) FROM perfhouse.run');
$w->ok_run('its super graph', 'render', 'sankey', '--run', $many, '--group-by', 'function', '-o', "$out/many.svg");
my $n_bars = count_of(picture('many.svg'), 'class="bar"');
cmp_ok($n_bars, '>', 5,  'has supernodes');
cmp_ok($n_bars, '<', 61, 'no more than can be read');
like(picture('many.svg'), qr/filter chosen to leave 60 supernodes or fewer/, 'and says so');
my ($share) = picture('many.svg') =~ /filter ([0-9.]+) %/;
$w->ok_run('with that filter', 'render', 'sankey', '--run', $many, '--group-by', 'function', '--filter', $share / 100, '-o', "$out/given.svg");
is(count_of(picture('given.svg'), 'class="bar"'), $n_bars, 'it is the same graph');
unlike(picture('given.svg'), qr/filter chosen/, 'which nobody chose');
$w->ok_run('all of it', 'render', 'sankey', '--run', $many, '--group-by', 'function', '--filter', '0', '-o', "$out/all.svg");
cmp_ok(count_of(picture('all.svg'), 'class="bar"'), '>', $n_bars, 'has more');
my ($legend) = picture('all.svg') =~ /<g class="legend">(.*?)<\/g>/s;
like($legend, qr/\+ [0-9]+ more/, 'the legend of hundreds of functions ends');
is(count_of($legend, '<rect'), count_of($legend, '<text') - 2, 'each function there with its colour');
my ($root) = picture('many.svg') =~ /data-node="([^"]*)"/;
for my $pane ('histogram', 'box')
{
	my @pane = ('render', $pane, '--run', $many, '--group-by', 'function', $pane eq 'box' ? () : ('--node', $root));
	$w->ok_run("$pane", @pane, '-o', "$out/pane.svg");
	$w->ok_run("$pane with that filter", @pane, '--filter', $share / 100, '-o', "$out/pane2.svg");
	is(picture('pane2.svg') =~ s/<g class="caption">.*//sr, picture('pane.svg') =~ s/<g class="caption">.*//sr, "$pane is of the same graph");
}

# ---- a picture is no wider than was asked for, unless everything was
sub width_of { return picture($_[0]) =~ /<svg[^>]* width="([0-9.]+)"/ ? $1 : 'none' }
my ($narrow, $wide) = (0, 0);
for my $width (700, 1200, 2600)
{
	$w->ok_run("$width wide", 'render', 'sankey', '--run', $many, '--group-by', 'function', '--width', $width, '-o', "$out/w.svg");
	is(width_of('w.svg'), $width, "a graph of many levels fits a width of $width");
	my $levels = 1 + (sort { $b <=> $a } picture('w.svg') =~ /class="bar"[^>]*data-level="([0-9]+)"/g)[0];
	cmp_ok($levels, '<=', 1 + ($width - 192) / 80, "$levels levels, as many as have room");
	($narrow, $wide) = ($narrow || $levels, $levels);
}
cmp_ok($narrow, '<', $wide, 'more on a wall than in a column');
$w->ok_run('few levels', 'render', 'sankey', '--run', $many, '--group-by', 'function', '--levels', '3', '-o', "$out/w.svg");
unlike(picture('w.svg'), qr/class="bar"[^>]*data-level="[3-9]"/, 'no more levels than asked for');
like(picture('w.svg'), qr/ keep under .* in 3 levels /, 'and what is left out is said');
$w->ok_run('all levels', 'render', 'sankey', '--run', $many, '--group-by', 'function', '--levels', '0', '--width', '700', '-o', "$out/w.svg");
cmp_ok(width_of('w.svg'), '>', 700, 'as wide as they take');
$w->ok_run('remove it', 'rm', '-f', $many);

# ---- every view
my %views = (
	'sankey'         => [qw(--run 1 --group-by function)],
	'sankey-compare' => [qw(--run 1 --vs 2 --group-by function)],
	'flame'          => [qw(--run 1)],
	'flame-diff'     => [qw(--run 1 --vs 2)],
	'histogram'      => [qw(--run 3 --group-by function --node MPI_Waitall)],
	'scatter'        => [qw(--run 3 --group-by function --node MPI_Waitall)],
	'box'            => [qw(--run 3 --group-by function)],
	'sankey-ensemble' => [qw(--application lulesh --group-by function --guides detailed)],
	'sankey-diff'     => [qw(--run 1 --vs 2 --group-by function)],
	'cct'             => [qw(--run 3 --highlight /^MPI_/)],
	'processes'       => [qw(--run 3)],
	'metric'          => [qw(--run 3 --node MPI_Allreduce)]);
for my $view (sort keys %views)
{
	my @command = ('render', $view, @{$views{$view}});
	my $rows    = "$out/$view.rows";
	$w->ok_run($view, @command, '-o', "$out/1.svg", '--save-rows', $rows);
	$w->ok_run("$view again", @command, '-o', "$out/2.svg");
	is(picture('1.svg'), picture('2.svg'), "$view gives the same bytes");
	$w->ok_run("$view from saved rows", 'render', $view, grep({ !/^--run$|^--vs$|^[0-9]$|^--application$|^lulesh$/ } @{$views{$view}}), '--rows', $rows, '-o', "$out/3.svg");
	is(picture('3.svg'), picture('1.svg'), "$view from saved rows gives the same bytes");
	$w->ok_run("$view as png", @command, '-o', "$out/1.png");
	$w->ok_run("$view as pdf", @command, '-o', "$out/1.pdf");
	like(picture('1.svg'), qr/class="caption"/, "$view has a caption");
	like(picture('1.svg'), qr/ranks/,           "$view says what it rests on");
	my $help = $w->ok_run("help of $view", 'render', $view, '--help')->{out};
	like($help, qr/--output/, "$view lists its options");
}

# ---- the numbers in a picture are the server's
$w->ok_run('sankey', 'render', 'sankey', '--run', '1', '--group-by', 'function', '--filter', '0', '-o', "$out/s.svg");
my $svg = picture('s.svg');
is(count_of($svg, 'class="bar"'), $w->sql("SELECT count(*) FROM perfhouse.supernodes(perfhouse.supergraph(perfhouse.profile(1), 'function'))"), 'a bar for every supernode');
is(count_of($svg, 'class="band"'), $w->sql("SELECT count(*) FROM perfhouse.superedges(perfhouse.supergraph(perfhouse.profile(1), 'function'))"), 'a band for every edge');
my ($value) = $svg =~ /class="bar"[^>]*data-node="main"[^>]*data-value="([^"]+)"/;
cmp_ok(abs($value - $w->sql("SELECT inclusive FROM perfhouse.supernodes(perfhouse.supergraph(perfhouse.profile(1), 'function')) WHERE node = 'main'")), '<', 1e-8 * $value, 'the value of a bar');

# what is left out is a bar or box of its own, so that everything adds up
is($w->sql(<<'SQL'), 't|t|t', 'bars and bands with others are sums, and others what a filter absorbed');
WITH g AS MATERIALIZED (SELECT perfhouse.supergraph(perfhouse_internal.shown_profile(1, ARRAY[NULL], NULL, 0.03, NULL, true, 'function'), 'function') AS g),
l AS MATERIALIZED (SELECT l.* FROM g, perfhouse_internal.sankey_layout_others(g, 1200, 700, NULL) l),
leaves AS (SELECT node, target, max(value) AS value FROM l WHERE element = 'band' AND node IS NOT NULL GROUP BY 1, 2)
SELECT count(*) FILTER (WHERE others > 0) > 1,
	max(abs(value - own - coalesce((SELECT sum(v.value) FROM leaves v WHERE v.node = l.node), 0))) < 1e-9 * max(value),
	abs(sum(value) FILTER (WHERE others > 0) + sum(absorbed) - (SELECT sum(s.absorbed) FROM g, perfhouse.supernodes(g) s)) < 1e-9 * max(value)
FROM l WHERE element = 'bar'
SQL
$w->ok_run('a filtered graph', 'render', 'sankey', '--run', '1', '--group-by', 'function', '--filter', '0.03', '-o', "$w->{home}/others.svg");
cmp_ok(count_of(picture('others.svg'), 'class="others"'), '>', 1, 'draws them');
$w->ok_run('a difference', 'render', 'sankey-diff', '--run', '1', '--vs', '2', '--group-by', 'function', '--filter', '0.03', '-o', "$out/others.svg");
my $sums = picture('others.svg');
my ($more, $less) = (0, 0);
($more, $less) = ($more + $2, $less + $1) while $sums =~ /class="others"[^>]*data-less="([^"]+)"[^>]*data-more="([^"]+)"/g;
my ($rise, $fall) = split(/\|/, $w->sql(<<'SQL'));
WITH d AS (SELECT coalesce(b.self, 0) - coalesce(a.self, 0) AS change, coalesce(b.name, a.name) AS name FROM
	(SELECT n.path, n.name, n.exclusive + n.residual AS self FROM perfhouse.nodes(perfhouse.profile(1)) n) a FULL JOIN
	(SELECT n.path, n.name, n.exclusive + n.residual AS self FROM perfhouse.nodes(perfhouse.profile(2)) n) b USING (path))
SELECT sum(greatest(change, 0)), sum(greatest(-change, 0)) FROM d
SQL
cmp_ok($more, '>', 0, 'a difference adds up what became slower among others');
cmp_ok($less, '>', 0, 'and apart from it what became faster');
ok($more <= $rise * (1 + 1e-9) && $less <= $fall * (1 + 1e-9), 'no more than there is');
like($sums, qr/in those that are slower, [^<]* in those that are faster/, 'says both');
for my $view (['sankey-ensemble', '--application', 'lulesh'], ['sankey-compare', '--run', '1', '--vs', '2'])
{
	$w->ok_run($view->[0], 'render', @$view, '--group-by', 'function', '--filter', '0.03', '-o', "$out/others.svg");
	cmp_ok(count_of(picture('others.svg'), 'class="others"'), '>', 1, "others of $view->[0]");
	unlike(picture('others.svg'), qr/class="others"[^>]*data-(?:difference|runs)/, 'which claim no difference of their sums');
}
is($w->sql('SELECT sum(coalesce(others, 1)) = (SELECT count(*) FROM perfhouse.flame_diff(perfhouse.profile(1), perfhouse.profile(2))) AND abs(sum(self_right) - max(value_right)) < 1e-9 * max(value_right)'
	. ' AND count(others) > 1 FROM perfhouse_internal.flame_diff_boxes(perfhouse.profile(1), perfhouse.profile(2), NULL, 0.01)'), 't', 'differential flame graphs lose nothing either');
is($w->sql('SELECT abs(sum(self) - max(value)) < 1e-9 * max(value) AND sum(coalesce(others, 1)) = (SELECT count(*) FROM perfhouse.nodes(perfhouse.profile(1)))'
	. ' FROM perfhouse_internal.flame_boxes(perfhouse.profile(1), NULL, 0.01)'), 't', 'flame graphs lose nothing of what is too narrow');
my ($fit) = picture('1.svg') ? $w->sql("SELECT count(*) FROM perfhouse.columns(perfhouse.profile(3))") : ();
$w->ok_run('scatter', 'render', 'scatter', '--run', '3', '--group-by', 'function', '-o', "$out/s.svg");
is(count_of(picture('s.svg'), 'class="point"'), $fit, 'a point for every column');

# ---- splits, drill-down, ranks, colours
$w->ok_run('split by caller', 'render', 'sankey', '--run', '1', '--group-by', 'function', '--split-caller', 'MPI_Waitall', '-o', "$out/p.svg");
like(picture('p.svg'), qr/data-node="MPI_Waitall-/, 'the parts have names of their own');
$w->ok_run('split by entry', 'render', 'sankey', '--run', '1', '--group-by', 'kind', '--split-entry', 'region=main', '-o', "$out/p.svg")
	if $w->sql("SELECT count(*) FROM perfhouse.supernodes(perfhouse.supergraph(perfhouse.profile(1), 'kind')) WHERE node = 'region'") eq '1';
$w->ok_run('ranks against the others', 'render', 'sankey-compare', '--run', '3', '--ranks', '0-2', '--group-by', 'function', '-o', "$out/p.svg");
like(picture('p.svg'), qr/chosen ranks/, 'says which is which');
for my $color (qw(module inclusive exclusive imbalance))
{
	$w->ok_run("coloured by $color", 'render', 'sankey', '--run', '1', '--group-by', 'function', '--color', $color, '--palette', 'colour-blind', '-o', "$out/p.svg");
}
$w->ok_run('ordered by host', 'render', 'histogram', '--run', '3', '--order', 'host', '-o', "$out/p.svg");
my $plain = $w->write_file('plain.json', '[{"frame":{"name":"main","type":"function"},"metrics":{"time":1.0,"time (inc)":3.0},"children":'
	. '[{"frame":{"name":"solve","type":"function"},"metrics":{"time":2.0,"time (inc)":2.0},"children":[]}]}]');
$w->ok_run('a profile without modules', 'load', $plain);
for my $case (['module', 1], ['function', 0])
{
	$w->ok_run("by $case->[0]", 'render', 'sankey', '--run', 'latest', '--group-by', $case->[0], '-o', "$out/plain.svg");
	is(count_of(picture('plain.svg'), qr/no call path says its module: group by function, or give a module map/), $case->[1], 'tells what would help, if');
}
$w->ok_run('and goes again', 'rm', $w->sql('SELECT max(run_id) FROM perfhouse.run'));
my $map = $w->write_file('modules.map', "^MPI_=mpi\n^(Calc|Lagrange)=physics\n");
$w->ok_run('module map', 'render', 'sankey', '--run', '1', '--module-map', $map, '-o', "$out/p.svg");
like(picture('p.svg'), qr/data-node="mpi"/, 'groups come from the map');
my $stdout = $w->ok_run('to stdout', 'render', 'flame', '--run', '1', '-o', '-', '--type', 'svg')->{out};
like($stdout, qr/<\/svg>\s*\z/, 'SVG on stdout');
$w->ok_run('size', 'render', 'sankey', '--run', '1', '--width', '900', '--height', '500', '--scale', '2', '-o', "$out/p.png");
is(join('x', unpack('N2', substr(picture('p.png'), 16, 8))), '1800x1000', 'PNG has the size asked for');

# ---- many runs, call trees, processes
# ---- runs that cannot be compared are drawn as asked for, and the picture says so
for my $view (['sankey-diff'], ['sankey-compare'], ['flame-diff'])
{
	$w->ok_run("@$view of two experiments", 'render', @$view, '--run', 1, '--vs', 3, '-o', "$out/p.svg");
	like(Perfhouse::slurp("$out/p.svg"), qr/runs of different experiments: application lulesh and not known/, "@$view says so");
	$w->ok_run("@$view of one", 'render', @$view, '--run', 1, '--vs', 2, '-o', "$out/p.svg");
	unlike(Perfhouse::slurp("$out/p.svg"), qr/different experiments/, "@$view of one does not");
}
$w->ok_run('many runs', 'render', 'sankey-ensemble', '--runs', '1-3', '--group-by', 'function', '-o', "$out/p.svg");
like(Perfhouse::slurp("$out/p.svg"), qr/runs of different experiments: application lulesh, not known; n_ranks 8, 27/, 'an ensemble says so');
$w->ok_run('commands of the issue', 'render', 'sankey-diff', '--run', '2', '--vs', '3', '-o', "$out/diff.png");
$w->ok_run('ensemble by condition', 'render', 'sankey-ensemble', '--filter', 'n_ranks >= 8', '--filter', '0.01', '--run', '3', '--group-by', 'function', '-o', "$out/p.svg");
like(picture('p.svg'), qr/3 runs where n_ranks &gt;= 8/, 'says which runs');
like(picture('p.svg'), qr/class="target"/,               'marks the target run');
my $bars = $w->sql("SELECT count(*) FROM perfhouse.supernodes(perfhouse.supergraph(perfhouse.filter((SELECT perfhouse.ensemble(perfhouse.profile(run_id), run_id::text) FROM perfhouse.run_overview), 0.01), 'function'))");
is(count_of(picture('p.svg'), 'class="bar"'), $bars, 'a bar for every supernode of the ensemble');
$w->ok_run('ensemble of runs by number', 'render', 'sankey-ensemble', '--runs', '1-2', '--cost', 'exclusive', '--palette', 'colour-blind', '-o', "$out/p.svg");
like(picture('p.svg'), qr/of 2 runs/, 'two runs');
$w->ok_run('against the others', 'render', 'sankey-diff', '--run', '1', '--vs', 'ensemble', '--runs', '1-3', '--group-by', 'function', '--filter', '0', '-o', "$out/p.svg");
like(picture('p.svg'), qr/A: mean of 2 other runs/, 'says what A is');
my ($difference) = picture('p.svg') =~ /class="bar"[^>]*data-difference="([^"]+)"[^>]*data-node="MPI_Allreduce"/;
my $expected = $w->sql(<<'SQL');
SELECT a.difference FROM perfhouse.against_ensemble(perfhouse.supergraph((SELECT perfhouse.ensemble(perfhouse.profile(run_id), run_id::text)
	FROM perfhouse.run_overview), 'function'), '1', 'exclusive') a WHERE a.node = 'MPI_Allreduce'
SQL
cmp_ok(abs($difference - $expected), '<', 1e-6 * abs($expected), 'the difference is that of against_ensemble');
my @against_all = ('--vs', 'ensemble', '--filter', 'n_ranks >= 8', '--group-by', 'function', '-o', "$out/p.svg");
$w->ok_run('against its experiment', 'render', 'sankey-diff', '--run', 1, @against_all);
like(picture('p.svg'), qr/A: mean of 1 other run /, 'which runs of other sizes are not of');
$w->ok_run('of no experiment', 'render', 'sankey-diff', '--run', 3, @against_all);
like(picture('p.svg'), qr/A: mean of 2 other runs /, 'against all');
$w->ok_run('radial tree', 'render', 'cct', '--run', '3', '--layout', 'radial', '--color', 'imbalance', '--color-range', '1:3', '-o', "$out/p.svg");
$w->ok_run('tree', 'render', 'cct', '--run', '3', '--filter', '0', '--highlight', '"MPI_Waitall"', '-o', "$out/p.svg");
is(count_of(picture('p.svg'), 'class="node"'), $w->sql('SELECT count(*) FROM perfhouse.nodes(perfhouse.profile(3))'), 'a box for every node');
is(count_of(picture('p.svg'), 'data-match="true"'), $w->sql(q{SELECT count(*) FROM perfhouse.nodes(perfhouse.profile(3)) WHERE name = 'MPI_Waitall'}), 'matches are marked');
$w->ok_run('processes', 'render', 'processes', '--run', '3', '--order', 'host', '-o', "$out/p.svg");
is(count_of(picture('p.svg'), 'class="process"'), 27, 'a box for every process');
$w->ok_run('few of them', 'render', 'metric', '--run', '3', '--ranks', '4-6', '--cost', 'inclusive', '-o', "$out/p.svg");
is(count_of(picture('p.svg'), 'class="process"'), 3, 'the ranks asked for');

# ---- what help and menus offer is taken: every word to group by
my ($groups) = $w->run('render', 'sankey', '--help')->{out} =~ /--group-by.*?one of ([^;]*);/s;
is(join(' ', sort split /,\s+/, $groups // ''), 'file function kind library module node paradigm', 'words to group by');
for my $by (split /,\s+/, $groups // '')
{
	$w->ok_run("by $by", 'render', 'sankey', '--run', '1', '--group-by', $by, '-o', "$out/by.svg");
	like(picture('by.svg'), qr/Super graph by $by/, "a super graph by $by");
}

# ---- mistakes
my @mistakes = (
	[13, qr/no run 99.*Runs in this warehouse: 1, 2, 3\./s, qw(sankey --run 99)],
	[13, qr/no run 99.*Runs in this warehouse: 1, 2, 3\./s, qw(flame-diff --run 1 --vs 99)],
	[13, qr/no supernode "nope".*Supernodes of run 1 by function: .*main/s, qw(histogram --run 1 --group-by function --node nope)],
	[13, qr/no supernode "nope".*hint/s, qw(sankey --run 1 --split-caller nope)],
	[13, qr/metric "nope".*hint/s, qw(flame --run 1 --metric nope)],
	[2,  qr/unknown view "sankee".*Did you mean "sankey"\?/s, qw(sankee --run 1)],
	[2,  qr/invalid value "x" of option --run/, qw(sankey --run x)],
	[2,  qr/invalid value "3" of option --filter/, qw(sankey --run 1 --filter 3)],
	[2,  qr/unknown option or argument "--nope"/, qw(sankey --run 1 --nope)],
	[2,  qr/two runs are needed.*--vs/s, qw(flame-diff --run 1)],
	[2,  qr/nothing to compare with.*--vs/s, qw(sankey-compare --run 1)],
	[2,  qr/no run to draw.*--run/s, qw(sankey)],
	[13, qr/no run 99 \(A, of --run\).*hint/s, qw(sankey-diff --run 99 --vs 1)],
	[13, qr/no run 99 \(B, of --vs\).*hint/s, qw(sankey-diff --run 1 --vs 99)],
	[13, qr/no run 99 \(of --runs\)/, 'sankey-ensemble', '--runs', '1,99'],
	[13, qr/no run matches application nope.*Applications in this warehouse: lulesh/s, qw(sankey-ensemble --application nope)],
	[13, qr/no other run matches/, qw(sankey-diff --run 1 --vs ensemble --runs 1)],
	[2,  qr/no runs to draw.*--application/s, qw(sankey-ensemble)],
	[2,  qr/nothing to compare with.*--vs/s, qw(sankey-diff --run 1)],
	[2,  qr/which runs are the ensemble/, qw(sankey-diff --run 1 --vs ensemble)],
	[2,  qr/invalid value "ensemble" of option --vs/, qw(flame-diff --run 1 --vs ensemble)],
	[2,  qr/invalid value "5:1" of option --color-range/, qw(cct --run 1 --color-range 5:1)],
	[2,  qr/cannot be coloured by bytes/, qw(cct --run 1 --color bytes)],
	[13, qr/no node "nope"/, qw(metric --run 1 --node nope)],
	[13, qr/no node 999/, qw(metric --run 1 --node 999)],
	[2,  qr/one graph has no difference/, qw(sankey --run 1 --color difference)]);
for my $mistake (@mistakes)
{
	my ($code, $message, @arguments) = @$mistake;
	my $r = $w->run('render', @arguments, '-o', "$out/none.svg");
	is($r->{code}, $code, "exit code of @arguments") or diag($r->{err});
	like($r->{err}, $message, "message of @arguments");
	ok(!-e "$out/none.svg", 'no picture is left');
}
my $r = $w->run('render', 'sankey', '--run', '1', '-o', "$out/picture.gif");
is($r->{code}, 2, 'unknown type of picture');
$r = $w->run('render', 'sankey', '--run', '1', '-o', "$out/no/such/folder/a.svg");
is($r->{code}, 13, 'a folder that does not exist');
SKIP:
{
	skip 'no /dev/full', 2 unless -c '/dev/full';
	$r = $w->run('render', 'sankey', '--run', '1', '--type', 'svg', '-o', '/dev/full');
	is($r->{code}, 10, 'a full disk');
	ok(-c '/dev/full', 'devices are left alone');
}
$r = $w->run('render', 'sankey', '--rows', $map, '-o', "$out/none.svg");
is($r->{code}, 3, 'a file that holds no rows');
like($r->{err}, qr/modules\.map: line 1/, 'names file and line');

# ---- the manual names every option
my $manual = Perfhouse::slurp("$FindBin::Bin/../../docs/man/perfhouse-render.1");
my %options;
$options{$_} = 1 for map { $w->run('render', $_, '--help')->{out} =~ /^ +(?:-\w, )?(--[a-z-]+)/mg } keys %views;
cmp_ok(scalar keys %options, '>', 20, 'help lists options');
for my $option (sort keys %options)
{
	(my $escaped = $option) =~ s/-/\\-/g;
	ok(index($manual, $escaped) >= 0, "manual has $option");
}
ok(index($manual, $_) >= 0, "manual has the view $_") for map { s/-/\\-/gr } keys %views;
done_testing();
