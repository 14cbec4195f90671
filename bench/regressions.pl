#!/usr/bin/perl
# regressions.pl - are injected regressions found, at the right call path and commit, and how soon?
#
# usage: regressions.pl [quick]
# Simulated codes (tests/lib/Simulation.pm; the seed is the row's number) with call paths and noise of several kinds; half
# of them get slower at one call path. Prints a row a simulation, then name <tab> figure for bench/run.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../tests/lib";
use Perfhouse;
use Simulation;

my $quick = @ARGV && $ARGV[0] eq 'quick';
my $w     = Perfhouse->new;
my (%sum, $seed);
$w->run('init');
printf STDERR "%4s %5s %-8s %5s %3s | %5s %6s %5s %5s | %5s %6s %5s\n", qw(seed paths noise size at right caller false delay otava caller false);
for my $paths ($quick ? (12, 48) : (12, 48, 160))
{
	for my $noise (qw(gauss ar1 skewed outliers))
	{
		for my $size ($quick ? (0, 10) : (0, 0, 0, 3, 5, 10, 20))
		{
			$seed++;
			my $at = 12 + $seed * 5 % 12;
			my $s  = Simulation->new($w, application => "sim$seed", seed => $seed, paths => $paths, noise => $noise, size => $size, at => $at);
			my $delay;
			$s->load_until($at + 1);
			for my $after (1 .. 6)
			{
				last if $size == 0;
				my ($right) = $s->judge($s->found);
				$delay = $after if $right;
				last if $right;
				$s->load_until($at + $after + 1);
			}
			$s->load_until($s->{commits});
			my ($right, $callers, $false)    = $s->judge($s->found);
			my ($theirs, $above, $mistaken) = $s->judge($s->found_by_otava);
			printf STDERR "%4d %5d %-8s %5d %3d | %5d %6d %5d %5s | %5d %6d %5d\n", $seed, $paths, $noise, $size, $at,
				$right, $callers, $false, $delay // '-', $theirs, $above, $mistaken;
			$sum{injected} += $size > 0;
			$sum{strong} += $size >= 10;
			$sum{$_->[0]} += $_->[1] for ['right', $right > 0], ['strong right', $size >= 10 && $right > 0], ['callers', $callers], ['false', $false],
				['otava right', $theirs > 0], ['otava callers', $above], ['otava false', $mistaken], ['series', $paths];
			push @{$sum{delays}}, $delay if defined $delay;
		}
	}
}
my @delays = sort { $a <=> $b } @{$sum{delays}};
sub figure { printf "%s\t%s\n", @_; return }
figure('simulations',          $seed);
figure('series',               $sum{series});
figure('injected',             $sum{injected});
figure('recall',               sprintf '%.3f', $sum{right} / $sum{injected});
figure('recall of 10 sd',      sprintf '%.3f', $sum{'strong right'} / $sum{strong});
figure('precision',            sprintf '%.3f', $sum{right} / (($sum{right} + $sum{callers} + $sum{false}) || 1));
figure('false',                $sum{false});
figure('not the smallest',     $sum{callers});
figure('median delay',         @delays ? $delays[$#delays / 2] : '-');
figure('largest delay',        @delays ? $delays[-1] : '-');
figure('otava recall',         sprintf '%.3f', $sum{'otava right'} / $sum{injected});
figure('otava precision',      sprintf '%.3f', $sum{'otava right'} / (($sum{'otava right'} + $sum{'otava callers'} + $sum{'otava false'}) || 1));
figure('otava false',          $sum{'otava false'});
