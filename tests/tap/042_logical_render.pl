# render in logical time: logical, step-overview, logical-clusters, trace-diff, coloured timelines.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Perfhouse;
use Test::More;

my $w   = Perfhouse->new;
my $out = $w->{home};
$w->ok_run('load a trace', 'load', "$Perfhouse::data/traces/lulesh-8");
$w->ok_run('load another', 'load', "$Perfhouse::data/traces/colls-6");
$w->ok_run('load a trace without steps', 'load', '--no-logical-steps', "$Perfhouse::data/traces/tau-halo2d-nb-9");

sub picture
{
	my ($file) = @_;
	return Perfhouse::slurp("$out/$file");
}

sub count_of
{
	my ($text, $pattern) = @_;
	return scalar(() = $text =~ /$pattern/g);
}

# ---- the commands as documented, and every view in every format
$w->ok_run('coloured by lateness', 'render', 'logical', '--run', '1', '--color', 'lateness', '-o', "$out/logical.svg");
$w->ok_run('clusters', 'render', 'logical-clusters', '--run', '1', '--phase', '3', '-o', "$out/clusters.png");
like(picture('clusters.png'), qr/^\x89PNG/, 'are a PNG');
my %views = (
	'logical'          => [qw(--run 1)],
	'step-overview'    => [qw(--run 1)],
	'logical-clusters' => [qw(--run 1 --phase 4)],
	'trace-diff'       => [qw(--run 1 --vs 1)],
	'timeline'         => [qw(--run 1 --color lateness)]);
for my $view (sort keys %views)
{
	my @command = ('render', $view, @{$views{$view}});
	$w->ok_run($view, @command, '-o', "$out/1.svg", '--save-rows', "$out/$view.rows");
	$w->ok_run("$view again", @command, '-o', "$out/2.svg");
	is(picture('1.svg'), picture('2.svg'), "$view gives the same bytes");
	my @style = $view eq 'timeline' ? ('--color', 'lateness') : ();
	$w->ok_run("$view from saved rows", 'render', $view, @style, '--rows', "$out/$view.rows", '-o', "$out/3.svg");
	is(picture('3.svg'), picture('1.svg'), "$view from saved rows gives the same bytes");
	$w->ok_run("$view as png", @command, '-o', "$out/1.png");
	$w->ok_run("$view as pdf", @command, '-o', "$out/1.pdf");
	like(picture('1.svg'), qr/lateness: how much later/, "$view says what lateness is");
	my $r = $w->run(map({ $_ eq '1' ? '3' : $_ } @command), '-o', "$out/no.svg");
	isnt($r->{code}, 0, "$view of a run without steps fails");
	like($r->{err}, qr/run 3.*hint/s, "$view says so") or diag($r->{err});
	ok(!-e "$out/no.svg", 'and leaves no picture');
}

# ---- numbers in pictures are the server's
my $logical = picture('logical.svg');
is(count_of($logical, 'class="event"'), $w->sql('SELECT count(*) FROM perfhouse.logical_steps(1)'), 'a box for every event');
is(count_of($logical, 'class="message"'), $w->sql('SELECT count(*) FROM perfhouse.logical_messages(1)'), 'a line for every message');
is(count_of($logical, 'class="phase"'), $w->sql('SELECT count(*) FROM perfhouse.phases(1)'), 'the strip has every phase');
my ($latest) = $w->sql('SELECT max(lateness) FROM perfhouse.logical_steps(1)');
like($logical, qr/data-value="$latest"/, 'values are those of the server');
$w->ok_run('a window', 'render', 'logical', '--run', '1', '--steps', '20-34', '--ranks', '0-3', '--aggregates', '-o', "$out/w.svg");
my $in_window = $w->sql("SELECT count(*) FROM perfhouse.logical_steps(1, 20, 35, '{0,1,2,3}')");
is(count_of(picture('w.svg'), 'class="event"'), $in_window, 'only its events');
is(count_of(picture('w.svg'), 'class="aggregate"'), $in_window, 'and the time before each');
unlike(picture('w.svg'), qr/class="event"[^>]*data-rank="4"/, 'no other rank');
for my $color (qw(lateness global_lateness differential global_differential duration phase enter leave))
{
	$w->ok_run("coloured by $color", 'render', 'logical', '--run', '1', '--color', $color, '--range', 'step', '-o', "$out/c.svg");
}
$w->ok_run('fewer pixels than processes', 'render', 'logical', '--run', '1', '--height', '300', '--width', '500', '-o', "$out/small.png");
$w->ok_run('a bar a step', 'render', 'step-overview', '--run', '1', '--summary', 'max', '--metric', 'duration', '-o', "$out/s.svg");
is(count_of(picture('s.svg'), 'class="step"'), $w->sql('SELECT count(*) FROM perfhouse.step_summary(1)'), 'for every step');
$w->ok_run('three clusters', 'render', 'logical-clusters', '--run', '1', '--phase', '3', '--clusters', '3', '--no-aggregates', '--no-inactive', '-o', "$out/k.svg");
is(count_of(picture('k.svg'), 'class="cluster"'), '3', 'three rows');
is(count_of(picture('k.svg'), 'class="join"'), '2', 'two joins');
# ---- branches of the tree, and the process in focus
my ($root) = $w->sql('SELECT max(cluster) FROM perfhouse.step_clusters(1, 3)');
my $under = $w->sql("SELECT cluster FROM perfhouse.step_clusters(1, 3) WHERE parent = $root AND child_left IS NOT NULL ORDER BY cluster DESC LIMIT 1");
my @tree = ('render', 'logical-clusters', '--run', '1', '--phase', '3', '-o', "$out/k.svg", '--clusters');
$w->ok_run('a folded root', @tree, '1');
is(count_of(picture('k.svg'), 'class="cluster"'), '1', 'is one row');
like(picture('k.svg'), qr/class="cluster" data-cluster="$root" data-folded="true"/, 'that can be unfolded');
$w->ok_run('unfolded', @tree, '1', '--unfold', "$root,$under");
is(count_of(picture('k.svg'), 'class="cluster"'), '3', 'it and a child of it are three rows');
$w->ok_run('folded again', @tree, '3', '--fold', $under);
is(count_of(picture('k.svg'), 'class="cluster"'), '2', 'two rows');
for my $focus ('latest', 'centroid')
{
	my $rank = $w->sql("SELECT l.rank FROM perfhouse.step_clusters(1, 3) c JOIN perfhouse.location l ON l.run_id = 1 AND l.location_id = c.$focus WHERE c.cluster = $under");
	$w->ok_run("the $focus of a cluster", @tree, '3', '--cluster', $under, '--focus', $focus, '--radius', '1');
	like(picture('k.svg'), qr/>Focus: rank $rank</, 'is in focus');
}
$w->ok_run('a trace against itself', 'render', 'trace-diff', '--run', '1', '--vs', '1', '-o', "$out/d.svg");
is(count_of(picture('d.svg'), 'class="change"'), '0', 'has no changes');
$w->ok_run('two programs', 'render', 'trace-diff', '--run', '1', '--vs', '2', '-o', "$out/d.svg");
cmp_ok(count_of(picture('d.svg'), 'class="only-[ab]"'), '>', 10, 'have steps of their own');

# ---- errors
my @bad = (
	[2,  qr/no metric "bytes".*Use lateness/s, qw(logical --run 1 --color bytes)],
	[2,  qr/invalid value "9-3" of option --steps/, qw(logical --run 1 --steps 9-3)],
	[2,  qr/invalid value "often" of option --range/, qw(logical --run 1 --range often)],
	[2,  qr/sums of phase/, qw(step-overview --run 1 --metric phase)],
	[2,  qr/not clustered by enter/, qw(logical-clusters --run 1 --phase 1 --color enter)],
	[2,  qr/no phase to draw.*--phase/s, qw(logical-clusters --run 1)],
	[13, qr/phase 99.*hint/s, qw(logical-clusters --run 1 --phase 99)],
	[13, qr/has no cluster 99.*hint/s, qw(logical-clusters --run 1 --phase 3 --cluster 99)],
	[2,  qr/invalid value "worst" of option --focus/, qw(logical-clusters --run 1 --phase 3 --focus worst)],
	[2,  qr/numbers of clusters/, qw(logical-clusters --run 1 --phase 3 --fold x)],
	[2,  qr/two runs are needed.*--vs/s, qw(trace-diff --run 1)],
	[2,  qr/no metric "module"/, qw(timeline --run 1 --color module)]);
for my $bad (@bad)
{
	my ($code, $message, @arguments) = @$bad;
	my $r = $w->run('render', @arguments, '-o', "$out/none.svg");
	is($r->{code}, $code, "exit code of @arguments") or diag($r->{err});
	like($r->{err}, $message, "message of @arguments");
	ok(!-e "$out/none.svg", 'no picture is left');
}
$w->ok_run('steps after the end', 'render', 'logical', '--run', '1', '--steps', '9000-', '-o', "$out/late.svg");
like(picture('late.svg'), qr/no communication in this window/, 'says that nothing is there');

# ---- what is inferred is dashed, and the legend says so; deviation is a colour
$w->ok_run('steps of a trace without records of collectives', 'psql', '--', '-qc', 'SELECT perfhouse.assign_logical_steps(3)');
$w->ok_run('is drawn', 'render', 'logical', '--run', '3', '-o', "$out/inferred.svg");
my $n_inferred = $w->sql('SELECT count(*) FROM perfhouse.logical_steps(3) WHERE inferred');
cmp_ok($n_inferred, '>', 0, 'it has inferred events');
is(count_of(picture('inferred.svg'), 'stroke-dasharray="2.5"'), $n_inferred + 1, 'they are dashed, and so is the legend');
like(picture('inferred.svg'), qr/inferred from its call/, 'which names them');
unlike($logical, qr/stroke-dasharray="2.5"/, 'where all is recorded nothing is dashed');
$w->ok_run('by deviation', 'render', 'logical', '--run', '1', '--color', 'deviation', '-o', "$out/deviation.svg");
like(picture('deviation.svg'), qr/later than by the ideal schedule.*how much later a call was left than in the ideal/s, 'says what it is');
is(count_of(picture('deviation.svg'), 'class="event"'), count_of($logical, 'class="event"'), 'and has all events');
$w->ok_run('a timeline by deviation', 'render', 'timeline', '--run', '1', '--color', 'deviation', '-o', "$out/deviation-timeline.svg");
like(picture('deviation-timeline.svg'), qr/later than by the ideal schedule/, 'says so, too');

# ---- the manual names every option
my $manual = Perfhouse::slurp("$FindBin::Bin/../../docs/man/perfhouse-render.1");
my %options;
$options{$_} = 1 for map { $w->run('render', $_, '--help')->{out} =~ /^ +(?:-\w, )?(--[a-z-]+)/mg } keys %views;
for my $option (sort keys %options)
{
	(my $escaped = $option) =~ s/-/\\-/g;
	ok(index($manual, $escaped) >= 0, "manual has $option");
}
ok(index($manual, $_) >= 0, "manual has the view $_") for map { s/-/\\-/gr } keys %views;

done_testing();
