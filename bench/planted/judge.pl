#!/usr/bin/perl
# judge.pl - the score sheet: what is true of planted cases against the answers of a tool.
#
#   judge.pl TRUTH ANSWERS              shares of right, other, unknown and wrong first sentences
#   judge.pl --list TRUTH ANSWERS       every first sentence that is not right, too
#
# Both are lines of JSON (README.md); of cases without an answer nothing was found.
# Output: name, tab, value; names end in the variation of the runs in percent.
use strict;
use warnings;
use JSON::PP;

my $list = @ARGV && $ARGV[0] eq '--list' ? shift : 0;
die "use: judge.pl [--list] TRUTH ANSWERS\n" if @ARGV != 2;

sub read_lines
{
	my ($file) = @_;
	open my $handle, '<', $file or die "$file: $!\n";
	my @lines = map { decode_json($_) } <$handle>;
	close $handle or die "$file: $!\n";
	return @lines;
}

sub same_units
{
	my ($a, $b) = map { defined $_ ? join(',', sort @$_) : '' } @_;
	return $a eq $b;
}

# Which of shape, cause, path and units an answer has wrong.
sub mistakes
{
	my ($true, $answer) = @_;
	my @wrong;
	push @wrong, 'shape' if $answer->{shape} ne $true->{shape};
	push @wrong, $answer->{cause} eq 'unknown' ? 'unknown' : 'cause' if $answer->{cause} ne $true->{cause};
	push @wrong, 'path' if !grep { $_ eq $answer->{path} } @{ $true->{paths} };
	push @wrong, 'units' if !same_units($true->{units}, $answer->{units});
	return @wrong;
}

# right: the largest cause; other: a smaller one that is true; unknown: nothing, or only the cause is not told; wrong.
sub grade
{
	my ($planted, $first) = @_;
	return 'unknown' if !defined $first;
	my @wrong = mistakes($planted->[0], $first);
	return 'right' if !@wrong;
	return 'other' if grep { !mistakes($_, $first) } @$planted;
	return 'unknown' if "@wrong" eq 'unknown';
	return 'wrong';
}

sub say_case
{
	my ($true, $grade, $first) = @_;
	my $json = JSON::PP->new->canonical;
	return print "# case $true->{case} $true->{program} $true->{variation} % $grade\n#   true "
	  . join("\n#   and  ", map { $json->encode($_) } @{ $true->{planted} })
	  . "\n#   said " . (defined $first ? $json->encode($first) : 'nothing') . "\n";
}

my %answers = map { $_->{case} => $_->{findings} } read_lines($ARGV[1]);
my (%cases, %of, %found);
for my $true (read_lines($ARGV[0]))
{
	my ($variation, $findings) = ($true->{variation}, $answers{ $true->{case} } // []);
	if (!@{ $true->{planted} })
	{
		$cases{unchanged}{$variation}++;
		$found{$variation}++ if @$findings;
		say_case($true, 'unchanged', $findings->[0]) if $list && @$findings;
		next;
	}
	my $grade = grade($true->{planted}, $findings->[0]);
	$cases{planted}{$variation}++;
	$of{$grade}{$variation}++;
	$of{"$grade, $true->{planted}[0]{planted}"}{$variation}++;
	if ($grade eq 'wrong')
	{
		$of{"wrong $_"}{$variation}++ for mistakes($true->{planted}[0], $findings->[0]);
	}
	say_case($true, $grade, $findings->[0]) if $list && $grade ne 'right';
}
for my $variation (sort { $a <=> $b } keys %{ $cases{planted} })
{
	my $n = $cases{planted}{$variation};
	print "cases $variation\t$n\n";
	printf "%s %s\t%.2f\n", $_, $variation, 100 * ($of{$_}{$variation} // 0) / $n for qw(right other unknown wrong);
	printf "%s %s\t%d\n", $_, $variation, $of{$_}{$variation} // 0 for map { "wrong $_" } qw(shape cause path units);
	printf "%s %s\t%d\n", $_, $variation, $of{$_}{$variation} for grep { /,/ && $of{$_}{$variation} } sort keys %of;
}
for my $variation (sort { $a <=> $b } keys %{ $cases{unchanged} })
{
	printf "found in unchanged pairs %s\t%.2f\n", $variation, 100 * ($found{$variation} // 0) / $cases{unchanged}{$variation};
}
