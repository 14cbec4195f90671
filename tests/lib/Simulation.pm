# Simulation.pm - simulated codes whose runs get slower at known places, for tests and benchmarks of regressions.
#
# my $s = Simulation->new($warehouse, application => 'sim1', seed => 1, paths => 40, noise => 'ar1', size => 5,
#                         commits => 30, repeats => 2, at => 20);
# $s->load_until(25);          load the runs of the commits before this one that are not loaded yet
# $s->{culprit}                the call path that is slower from commit `at` on, by `size` standard deviations of its noise
#
# Commits are a repository of their own with side branches that are merged; every measured commit is on the main line.
#
# SPDX-License-Identifier: PostgreSQL
package Simulation;

use strict;
use warnings;
use JSON::PP;

use constant NOISE => 0.01; # standard deviation of a call path's own time, of its mean

# The same numbers everywhere.
sub uniform
{
	my ($self) = @_;
	$self->{state} = ($self->{state} * 1103515245 + 12345) % 2147483648;
	return ($self->{state} + 0.5) / 2147483648;
}

sub normal
{
	my ($self) = @_;
	return sqrt(-2 * log($self->uniform)) * cos(6.283185307179586 * $self->uniform);
}

sub git
{
	my ($self, @arguments) = @_;
	local %ENV = (%ENV, GIT_CONFIG_GLOBAL => '/dev/null', GIT_CONFIG_SYSTEM => '/dev/null',
		map { ("GIT_${_}_NAME" => 'A', "GIT_${_}_EMAIL" => 'a@b') } qw(AUTHOR COMMITTER));
	open(my $out, '-|', 'git', '-C', $self->{repository}, @arguments) or die "git: $!";
	my $text = do { local $/; <$out> } // '';
	chomp $text;
	return $text;
}

# A commit a day; every fourth one of the main line merges a branch of one or two commits.
sub make_repository
{
	my ($self) = @_;
	mkdir $self->{repository};
	$self->git('init', '-q', '-b', 'main');
	my $tree = $self->git('hash-object', '-t', 'tree', '-w', '/dev/null');
	my $day  = 0;
	my $make = sub
	{
		my ($subject, @parents) = @_;
		local $ENV{GIT_COMMITTER_DATE} = (1767225600 + 3600 * ++$day) . ' +0000';
		local $ENV{GIT_AUTHOR_DATE}    = $ENV{GIT_COMMITTER_DATE};
		return $self->git('commit-tree', '-m', $subject, (map { ('-p', $_) } @parents), $tree);
	};
	my @main = ($make->("$self->{application} begins"));
	for my $i (1 .. $self->{commits} - 1)
	{
		my @parents = ($main[-1]);
		if ($i % 4 == 0)
		{
			my $side = $make->("branch $i", $main[-2]);
			$side = $make->("more of branch $i", $side) if $i % 8 == 0;
			push @parents, $side;
		}
		push @main, $make->("change $i", @parents);
	}
	$self->git('update-ref', 'refs/heads/main', $main[-1]);
	$self->{shas} = \@main;
	my $r = $self->{warehouse}->run('commits', '--repository', $self->{application}, $self->{repository});
	die $r->{err} if $r->{code} != 0;
	return;
}

# A random tree; own times differ by three orders of magnitude, as they do.
sub make_tree
{
	my ($self) = @_;
	my $n = $self->{paths};
	my (@parent, @own, @path, @children);
	for my $i (0 .. $n - 1)
	{
		$parent[$i] = $i == 0 ? -1 : int($self->uniform * ($i < 4 ? $i : $i * 0.8));
		$own[$i]    = 10**(3 * $self->uniform - 2);
		$path[$i]   = ($i == 0 ? '' : "$path[$parent[$i]]/") . "f$i";
		push @{$children[$parent[$i]]}, $i if $i > 0;
	}
	@{$self}{qw(parent own path children)} = (\@parent, \@own, \@path, \@children);
	my @leaves = grep { !$children[$_] && $own[$_] > 0.1 } 1 .. $n - 1;
	@leaves = ($n - 1) if !@leaves;
	$self->{culprit_node} = $leaves[int($self->uniform * @leaves)];
	$self->{culprit}      = $path[$self->{culprit_node}];
	return;
}

sub new
{
	my ($class, $warehouse, %options) = @_;
	my $self = bless {
		warehouse => $warehouse, application => 'sim', seed => 1, paths => 12, noise => 'gauss', size => 0,
		commits => 30, repeats => 2, at => 20, loaded => 0, drift => 0, %options}, $class;
	$self->{state}      = $self->{seed} * 7919 % 2147483648;
	$self->{repository} = "$warehouse->{home}/$self->{application}.git";
	$self->uniform for 1 .. 8;
	$self->make_tree;
	$self->make_repository;
	return $self;
}

# One run as Hatchet's JSON: own times by rank.
sub write_run
{
	my ($self, $commit, $repeat) = @_;
	$self->{drift} = 0.5 * $self->{drift} + sqrt(0.75) * $self->normal; # the machine's: AR(1)
	my $machine = $self->{noise} eq 'ar1' ? 0.5 * NOISE * $self->{drift} : 0;
	$machine += 0.1 * $self->uniform if $self->{noise} eq 'outliers' && $self->uniform < 0.04;
	my (%graph, @cells);
	for my $i (0 .. $self->{paths} - 1)
	{
		my $noise = $self->{noise} eq 'skewed' ? NOISE * (-log($self->uniform) - 1) : NOISE * $self->normal;
		my $own   = $self->{own}[$i] * (1 + $noise + $machine);
		$own += $self->{own}[$i] * NOISE * $self->{size} if $i == $self->{culprit_node} && $commit >= $self->{at};
		$graph{$i} = {data => {name => $self->{name_of} ? $self->{name_of}->($i, $commit) : "f$i", type => 'function'}, children => $self->{children}[$i] // []};
		push @cells, {node => $i, rank => 0, name => "f$i", time => $own};
	}
	my $file = "$self->{repository}/run-$commit-$repeat.json";
	open(my $out, '>', $file) or die "$file: $!";
	print {$out} JSON::PP->new->canonical->encode({dataframe => \@cells, graph => [\%graph]});
	close $out;
	return $file;
}

sub load_until
{
	my ($self, $end) = @_;
	for (; $self->{loaded} < $end && $self->{loaded} < $self->{commits}; $self->{loaded}++)
	{
		my @files = map { $self->write_run($self->{loaded}, $_) } 1 .. $self->{repeats};
		my $r     = $self->{warehouse}->run('load', '--jobs', '1', '--no-regressions', '--set', "application=$self->{application}", '--commit', $self->{shas}[$self->{loaded}], @files);
		die $r->{err} if $r->{code} != 0;
		unlink @files;
	}
	return;
}

# What a search says that made everything known until now: rows [path, place of its commit].
sub found
{
	my ($self) = @_;
	my $rows = $self->{warehouse}->sql("SELECT f.path, h.commit_no - 1 FROM perfhouse.find_regressions('$self->{application}') f"
			. " JOIN perfhouse.history_runs('$self->{application}') h USING (run_id) ORDER BY 2, 1");
	return map { [split /\|/] } split /\n/, $rows;
}

# The same by Otava's method: all call paths that became slower.
sub found_by_otava
{
	my ($self) = @_;
	my $rows = $self->{warehouse}->sql("SELECT c.path, h.commit_no - 1 FROM perfhouse.change_points('$self->{application}', by => 'path', mode => 'otava') c"
			. " JOIN perfhouse.history_runs('$self->{application}') h USING (run_id) WHERE c.mean_after > c.mean_before ORDER BY 2, 1");
	return map { [split /\|/] } split /\n/, $rows;
}

# Of found rows: which are the injected one (path and place, a commit more or less), which belong to it (a caller at
# the same place), which are false.
sub judge
{
	my ($self, @rows) = @_;
	my ($right, $callers, $false) = (0, 0, 0);
	for my $row (@rows)
	{
		my $near = $self->{size} > 0 && abs($row->[1] - $self->{at}) <= 1;
		if    ($near && $row->[0] eq $self->{culprit})                  { $right++ }
		elsif ($near && index("$self->{culprit}/", "$row->[0]/") == 0) { $callers++ }
		else                                                            { $false++ }
	}
	return ($right, $callers, $false);
}

1;
