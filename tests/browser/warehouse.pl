#!/usr/bin/perl
# warehouse.pl - a throw-away warehouse with something of everything and a server over it, for the browser tests.
#
# Says "ready JSON" with the address and the runs' numbers; "load" on its input loads one more run and says
# "loaded"; the end of its input ends everything.
#
# SPDX-License-Identifier: PostgreSQL
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use JSON::PP;
use Perfhouse;
use Serve;
use Simulation;
use Test::More;

Test::More->builder->output('/dev/null');
Test::More->builder->failure_output(\*STDERR);
$| = 1;

# Stored names that would be markup, script or styles if they were taken for it.
my @attacks = ('<script>window.hit=1</script>', '"><img src=x onerror=window.hit=2>', '</title></svg><svg onload=window.hit=3>',
	"'-window.hit-'", '<a href="javascript:window.hit=4">a</a>', '</style><style>*{display:none}</style>', '&lt;b&gt;<b id=injected>bold</b>',
	'{{7*7}}${7*7}%3Cscript%3E', ']]><iframe srcdoc="<script>parent.hit=5</script>">');

# Call tree of an application: name, module, file, own seconds, children.
my @tree = ('main', 'app', 'main.cc', 0.4, [
	['read_mesh', 'libio.so', 'mesh.cc', 0.9, [['H5Dread', 'libhdf5.so', 'H5D.c', 1.6, []]]],
	['step', 'app', 'step.cc', 0.3, [
		['assemble', 'libfem.so', 'assemble.cc', 2.1, [
			['quadrature', 'libfem.so', 'quadrature.cc', 1.7, []],
			['dgemm', 'libblas.so', 'dgemm.f', 1.2, []]]],
		['cg_solve', 'libsolver.so', 'cg.cc', 1.1, [
			['spmv', 'libsolver.so', 'spmv.cc', 3.2, []],
			['ddot', 'libblas.so', 'ddot.f', 0.8, [['MPI_Allreduce', 'libmpi.so', 'coll.c', 1.3, []]]],
			['exchange_halo', 'libsolver.so', 'halo.cc', 0.3, [['MPI_Isend', 'libmpi.so', 'p2p.c', 0.2, []], ['MPI_Waitall', 'libmpi.so', 'p2p.c', 1.4, []]]]]],
		['std::vector<std::pair<long, fem::ElementMatrix<double, 27, fem::Layout::Column>>>::_M_realloc_insert', 'libfem.so', 'element.cc', 0.5, []]]],
	['write_checkpoint', 'libio.so', 'checkpoint.cc', 0.5, [['H5Dwrite', 'libhdf5.so', 'H5D.c', 1.0, []]]]]);

# Hatchet's JSON: two metrics on some ranks; every fourth rank waits more.
sub hatchet
{
	my ($root, $n_ranks, $factor, $is_blamed) = @_;
	my $id    = 0;
	my $state = 17;
	my @cells;
	my $walk;
	$walk = sub
	{
		my ($name, $module, $file, $own, $children) = @{$_[0]};
		my $node = $id++;
		for my $rank (0 .. $n_ranks - 1)
		{
			$state = ($state * 1103515245 + 12345) % 2147483648;
			my $time = $own * (0.95 + 0.1 * $state / 2147483648) * ($name =~ /Wait|Allreduce/ && $rank % 4 == 3 ? 1.8 : 1) * ($factor->{$name} // 1);
			push @cells, {node => $node, rank => $rank, name => $name, time => $time, bytes => int(1e6 * $time * (1 + $rank / 40)),
				$is_blamed ? (wait => $name =~ /^MPI/ ? $time / 2 : 0, 'wait caused' => $name eq 'spmv' ? $time / 4 : 0) : ()};
		}
		return {data => {name => $name, type => 'function', module => $module, file => $file, line => 10 + $node}, number => $node, children => [map { $walk->($_) } @$children]};
	};
	my $graph = $walk->($root);
	my %nodes;
	my $flatten;
	$flatten = sub
	{
		my ($n) = @_;
		$nodes{$n->{number}} = {data => $n->{data}, children => [map { $_->{number} } @{$n->{children}}]};
		$flatten->($_) for @{$n->{children}};
	};
	$flatten->($graph);
	return JSON::PP->new->canonical->encode({dataframe => \@cells, graph => [\%nodes], exclusive_metrics => ['time', 'bytes', $is_blamed ? ('wait', 'wait caused') : ()]});
}

# A repository with sources of that application, which are not there as files; answers the commit.
sub sources
{
	my ($repository) = @_;
	system('git', 'init', '-q', '--bare', $repository) == 0 or die "no repository\n";
	open(my $in, '|-', 'git', '-C', $repository, 'fast-import', '--quiet') or die "git: $!";
	print $in "commit refs/heads/main\ncommitter A <a\@example.org> 1700000000 +0000\ndata 7\nsources\n";
	for my $file (qw(main.cc mesh.cc step.cc assemble.cc quadrature.cc cg.cc spmv.cc halo.cc element.cc))
	{
		my $text = join '', map { $_ == 12 ? "\tfor (auto &row : rows) /* </script><img src=x onerror=window.hit=6> */\n" : "\tx[$_] = $_ * y[i]; // $file\n" } 1 .. 200;
		printf $in "M 100644 inline src/%s\ndata %d\n%s\n", $file, length $text, $text;
	}
	close($in) or die "no commit\n";
	open(my $out, '-|', 'git', '-C', $repository, 'rev-parse', 'main') or die "git: $!";
	chomp(my $commit = <$out>);
	return $commit;
}

my $w       = Perfhouse->new;
my $commit  = sources("$w->{home}/sources.git");
my $history = "$Perfhouse::data/lulesh-history";
my @lulesh  = ('--set', 'application=lulesh', '--module-map', "$history/modules.map");
my %runs;

sub load
{
	my ($key, @arguments) = @_;
	$w->ok_run("load $key", 'load', '--no-regressions', @arguments);
	$runs{$key} = $w->sql('SELECT max(run_id) FROM perfhouse.run') + 0;
	return;
}

load('before', '--set', 'application=fem', '--set', 'title=fem 32 before', $w->write_file('before.json', hatchet(\@tree, 32, {})));
$tree[4][0] = ['read_mesh_parallel', 'libio.so', 'mesh.cc', 0.6, [['H5Dread', 'libhdf5.so', 'H5D.c', 0.7, []]]];
load('fem', '--set', 'application=fem', '--set', 'title=fem 32 after', '--set', 'grid=4x4x2', '--commit', $commit, $w->write_file('after.json', hatchet(\@tree, 32, {spmv => 1.4, H5Dwrite => 0.5})));
load('blamed', '--set', 'application=blamed', '--commit', $commit, $w->write_file('blamed.json', hatchet(\@tree, 4, {}, 1)));
# Metrics that do not add up: one that says so, and one of which nobody knows.
sub uneven { my ($name, $time, $wait, $max, @children) = @_; return {frame => {name => $name, type => 'function'}, metrics => {time => $time, wait => $wait, 'max time' => $max}, children => \@children}; }
load('uneven', '--set', 'application=uneven', $w->write_file('uneven.json', JSON::PP->new->encode([uneven('main', 10, 1, 12, uneven('solve', 5, 2, 6, uneven('kernel', 3, 5, 4)),
	uneven('io', 2, 3, 3, uneven('kernel', 1, 7, 9), uneven('write', 1, 0.5, 2)))])));
# Clocks that nobody set: one rank's time begins with the epoch, 53 years before that of the other.
load('apart', '--set', 'application=apart', $w->write_file('apart.json', JSON::PP->new->encode({traceEvents => [{name => 'early', ph => 'X', ts => 0, dur => 10, pid => 0, tid => 0},
	{name => 'late', ph => 'X', ts => 1.7e15, dur => 100, pid => 1, tid => 1}, {name => 'at once', ph => 'X', ts => 1.7e15 + 10, dur => 0, pid => 1, tid => 1}]})));
load('caliper', @lulesh, "$history/lulesh-3e01c40-n8-1.cali");
load('plain', "$history/lulesh-46c2a1d-n8-1.cali");
load('trace', '--set', 'application=lulesh', "$Perfhouse::data/traces/lulesh-8");
load('counters', '--set', 'application=halo2d', "$Perfhouse::data/traces/tau-halo2d-nb-9");
my ($generator, $root) = ("$w->{home}/gen_trace", "$FindBin::Bin/../..");
system(($ENV{CC} // 'cc') . " -std=c11 -O1 -D_GNU_SOURCE -o $generator $root/bench/gen_trace.c \$(pkg-config --cflags --libs otf2)") == 0 or die "no generator\n";
system("$generator halo $w->{home}/wide --ranks 2048 --iterations 3 --slow-rank 1711 > /dev/null") == 0 or die "no trace with a slow rank\n";
load('wide', '--set', 'application=halo', "$w->{home}/wide");
system("$generator halo $w->{home}/long --ranks 9 --iterations 2500 > /dev/null") == 0 or die "no long trace\n";
load('long', '--set', 'application=halo', "$w->{home}/long");
my @evil = map { [$attacks[$_], $attacks[($_ + 1) % @attacks], $attacks[($_ + 2) % @attacks], 1 + $_, []] } 1 .. $#attacks;
load('evil', '--set', "application=$attacks[0]", '--set', "title=$attacks[2]", '--set', "cluster=$attacks[1]", '--set', "note=$attacks[4]", '--set', "$attacks[6]=$attacks[3]",
	$w->write_file('evil.json', hatchet([$attacks[0], $attacks[1], $attacks[2], 1, [@evil]], 6, {})));
$w->sql("UPDATE perfhouse.location SET host = format('node%s', 1 + rank / 8) WHERE run_id IN ($runs{before}, $runs{fem})");
# By iteration: the level of one function changes, and one of its iterations takes three times as long.
my @steps = map { my $rank = $_; map { my $i = $_; ([1 + $i % 5 / 50, $rank, $i, 0], [($i >= 40 ? 3 : 2) + ($i == 17 ? 4 : 0) + $rank / 20, $rank, $i, 1], [0.5, $rank, $i, 2]) } 0 .. 59 } 0 .. 8;
load('steps', '--set', 'grid=3x3', '--set', 'application=steps', $w->write_file('steps.json', JSON::PP->new->encode({data => \@steps,
	columns => ['time', 'mpi.rank', 'iteration#main', 'path'], column_metadata => [map { {is_value => $_ < 3 ? JSON::PP::true : JSON::PP::false} } 0 .. 3],
	nodes => [{label => 'main', column => 'path'}, {label => 'solve', column => 'path', parent => 0}, {label => 'MPI_Wait', column => 'path', parent => 0}],
	'mpi.world.size' => '9'})));
my $sim = Simulation->new($w, application => 'sim', paths => 10, commits => 14, repeats => 2, at => 8, size => 9);
$sim->load_until(12);
$w->ok_run('regressions', 'regressions', '--application', 'sim');
$w->ok_run('a saved query', 'query', 'add', 'hot', '--view', 'bar', '--variable', 'run=1', '--variable', 'most=6', '--title', $attacks[0],
	'--about', $attacks[1], '--query', 'SELECT name, exclusive FROM flat(profile(:run)) ORDER BY exclusive DESC LIMIT :most');
$w->ok_run('a query of a run and a window', 'query', 'add', 'depth', '--variable', "run=$runs{trace}", '--variable', 'from=0', '--variable', 'to=1000000000', '--query',
	'SELECT location, enter AS t_from, enter + inclusive AS t_to, depth AS value FROM calls(:run, :from, :to) ORDER BY depth DESC');
my $s = Serve->new($w, '--workers', '3', '--sources', "$w->{home}/sources.git");
print 'ready ' . JSON::PP->new->canonical->encode({url => "http://127.0.0.1:$s->{port}", home => "$w->{home}/home", sources => "$w->{home}/sources.git", runs => \%runs, attacks => \@attacks, culprit => $sim->{culprit}}) . "\n";
while (my $line = <STDIN>)
{
	$sim->load_until($sim->{loaded} + 1) if $line =~ /^load/;
	print "loaded\n";
}
$s->stop;
done_testing();
