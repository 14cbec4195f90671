# render: graphs of functions, and scaling with the number of ranks.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Perfhouse;
use Test::More;

my $w       = Perfhouse->new;
my $history = "$Perfhouse::data/lulesh-history";
my $out     = $w->{home};
$w->ok_run('load', 'load', '--set', 'application=lulesh', glob("$history/lulesh-3e01c40-n*-[12].cali"));
my $run = $w->sql('SELECT min(run_id) FROM perfhouse.run_overview WHERE n_ranks = 8');

sub picture
{
	my ($view, @arguments) = @_;
	$w->ok_run("$view @arguments", 'render', $view, @arguments, '-o', "$out/p.svg", '--save-rows', "$out/p.rows");
	my $svg = Perfhouse::slurp("$out/p.svg");
	$w->ok_run("$view again", 'render', $view, @arguments, '-o', "$out/q.svg");
	is(Perfhouse::slurp("$out/q.svg"), $svg, 'gives the same bytes');
	$w->ok_run("$view from saved rows", 'render', $view, '--rows', "$out/p.rows", '-o', "$out/q.svg", grep { /^--palette|colour-blind$/ } @arguments);
	is(Perfhouse::slurp("$out/q.svg"), $svg, 'from saved rows, too');
	return $svg;
}

sub count_of
{
	my ($text, $pattern) = @_;
	return scalar(() = $text =~ /$pattern/g);
}

# ---- functions
my $svg = picture('function-graph', '--run', $run);
is(count_of($svg, 'class="function"'), $w->sql("SELECT count(DISTINCT function) FROM perfhouse.function_nodes(perfhouse.profile($run))"), 'a circle per function');
is(count_of($svg, 'class="call"'), $w->sql("SELECT count(DISTINCT (caller, function)) FROM perfhouse.function_nodes(perfhouse.profile($run)) WHERE caller IS NOT NULL"), 'a line per pair that calls');
my ($nodes) = $svg =~ /class="function"[^>]*data-node="CommSend" data-nodes="(\d+)"/;
is($nodes, $w->sql("SELECT count(*) FROM perfhouse.nodes(perfhouse.profile($run)) WHERE name = 'CommSend'"), 'its size is the number of nodes');
like(picture('function-graph', '--run', $run, '--function', 'CommSend', '--palette', 'colour-blind'), qr/Functions around CommSend/, 'one function highlighted');
like(picture('function-graph', '--run', $run, '--top', 5), qr/more functions with/, 'what is not drawn is counted');
$svg = picture('function-neighbourhood', '--run', $run, '--function', 'CommSend');
like($svg, qr/data-node="MPI_Waitall" data-side="callee"/, 'callees');
like($svg, qr/data-node="main" data-side="caller"/, 'callers');
like($svg, qr/does not count calls/, 'says that calls are not counted');
like(picture('function-neighbourhood', '--run', $run), qr/Callers and callees of main/, 'the one with the highest own cost');
$svg = picture('function-arcs', '--run', $run);
like($svg, qr/data-caller="TimeIncrement" class="slice" data-share="1"/, 'all of MPI_Allreduce is called by one');
my ($own) = $svg =~ /data-exclusive="([^"]+)"[^>]*data-node="MPI_Waitall"/;
cmp_ok(abs($own - $w->sql("SELECT exclusive FROM perfhouse.flat(perfhouse.profile($run)) WHERE name = 'MPI_Waitall'")), '<', 1e-8, 'the circle is the self time');

# ---- scaling
$svg = picture('scaling', '--application', 'lulesh', '--scaling', 'weak', '--top', 4);
is(count_of($svg, 'class="panel"'), 4, 'a panel per call path');
is(count_of($svg, 'class="point"'), 4 * 6, 'a point per run') if count_of($svg, 'data-parameter="1"') == 8;
like($svg, qr/no model from 3 numbers/, 'three numbers make no model');
like(picture('scaling', '--application', 'lulesh', '--path', 'TimeIncrement/MPI_Allreduce', '--cost', 'exclusive', '--filter', 'n_ranks > 1', '--scaling', 'weak'), qr/data-efficiency="[^"]+"[^>]*data-parameter="27"/, 'efficiency');
$svg = picture('scaling', '--application', 'lulesh', '--top', 2);
unlike($svg, qr/data-efficiency|class="ideal"/, 'no size is known: neither strong nor weak, no efficiency');
like($svg, qr/strong or weak scaling is not known, so no efficiency/, 'and it says so');
like($svg, qr/no model: too few sizes: 3, a model needs 4|no model from 3 numbers, it needs 4/, 'nor is there a model of three sizes');
$w->sql(q(UPDATE perfhouse.run SET meta = meta || '{"problem_size": 30}' WHERE application = 'lulesh'));
like(picture('scaling', '--application', 'lulesh', '--top', 1), qr/problem_size stays: strong scaling if/, 'a size that stays may be of either kind');
$w->ok_run('sizes of ranks', 'application', 'set', 'lulesh', '--size-of', 'rank');
$svg = picture('scaling', '--application', 'lulesh', '--top', 1);
like($svg, qr/weak scaling: the problem grows with n_ranks/, 'of ranks: weak');
like($svg, qr/data-efficiency/, 'and judged so');
like(picture('scaling', '--application', 'lulesh', '--top', 1, '--scaling', 'strong'), qr/drawn as strong scaling because --scaling says so, but it is weak/, 'unless somebody knows better');
picture('scaling', '--application', 'lulesh', '--parameter', 'mpi.world.size', '--top', 1) if $w->sql("SELECT count(DISTINCT meta->>'mpi.world.size') > 1 FROM perfhouse.run_overview") eq 't';

# ---- all types, help, manual
my $manual = Perfhouse::slurp("$FindBin::Bin/../../docs/man/perfhouse-render.1");
for my $view (['function-graph', '--run', $run], ['function-neighbourhood', '--run', $run], ['function-arcs', '--run', $run], ['scaling', '--application', 'lulesh'], ['history', '--application', 'lulesh'])
{
	$w->ok_run("$view->[0] as $_", 'render', @$view, '-o', "$out/p.$_") for qw(png pdf);
	my @options = $w->run('render', $view->[0], '--help')->{out} =~ /^ +(?:-\w, )?(--[a-z-]+)/mg;
	(my $name = $view->[0]) =~ s/-/\\-/g;
	ok(index($manual, $name) >= 0, "the manual has $view->[0]");
	for my $option (@options)
	{
		(my $escaped = $option) =~ s/-/\\-/g;
		ok(index($manual, $escaped) >= 0, "and $option");
	}
}

# ---- mistakes
for my $mistake (
	[13, qr/run $run has no function "ComSend".*Did you mean CommSend\?/s, 'function-graph', '--run', $run, '--function', 'ComSend'],
	[13, qr/no run 99.*Runs in this warehouse/s, 'function-arcs', '--run', 99],
	[13, qr/no call path "MPI_Allreduc".*Did you mean one of these: MPI_Allreduce\?/s, 'scaling', '--application', 'lulesh', '--path', 'MPI_Allreduc'],
	[13, qr/have no number "n_rank" above 0.*n_ranks/s, 'scaling', '--application', 'lulesh', '--parameter', 'n_rank'],
	[13, qr/all runs of application lulesh have n_ranks = 8.*A model needs/s, 'scaling', '--application', 'lulesh', '--filter', 'n_ranks = 8'],
	[13, qr/no run matches application nope.*Applications in this warehouse: lulesh/s, 'scaling', '--application', 'nope'],
	[2, qr/no application.*--application/s, 'scaling', '--filter', 'n_ranks = 8'])
{
	my ($code, $message, @arguments) = @$mistake;
	my $result = $w->run('render', @arguments, '-o', "$out/none.svg");
	is($result->{code}, $code, "exit code of @arguments") or diag($result->{err});
	like($result->{err}, $message, "message of @arguments");
}
done_testing();
