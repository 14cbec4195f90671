# Arrow.pm - reads Arrow files, to test what writes them: FlatBuffers by hand, after Schema.fbs, Message.fbs and File.fbs.
#
# my $table = Arrow::read_file($path);   {names, types, columns: {name => [values]}, batches: number}
#
# SPDX-License-Identifier: PostgreSQL
package Arrow;

use strict;
use warnings;

my $bytes;

sub u16 { return unpack('v',  substr($bytes, $_[0], 2)) }
sub i32 { return unpack('l<', substr($bytes, $_[0], 4)) }
sub i64 { return unpack('q<', substr($bytes, $_[0], 8)) }

# Where a field of a table is; undef: it has its default.
sub field
{
	my ($table, $slot) = @_;
	my $list = $table - i32($table);
	return if 4 + 2 * $slot >= u16($list);
	my $offset = u16($list + 4 + 2 * $slot);
	return $offset ? $table + $offset : undef;
}

sub number
{
	my ($table, $slot, $format, $size) = @_;
	my ($at) = field($table, $slot);
	return defined $at ? unpack($format, substr($bytes, $at, $size)) : 0;
}

sub referred
{
	my ($at) = field(@_);
	return defined $at ? $at + i32($at) : undef;
}

# The items of a vector of structs, or of offsets: their places.
sub items
{
	my ($table, $slot, $width) = @_;
	my $vector = referred($table, $slot) // return ();
	return map { my $at = $vector + 4 + $_ * ($width || 4); $width ? $at : $at + i32($at) } 0 .. i32($vector) - 1;
}

sub text
{
	my $at = referred(@_);
	return substr($bytes, $at + 4, i32($at));
}

# Number of the type (Int 2, FloatingPoint 3, Utf8 5, Bool 6, Timestamp 10), and the bits of an Int.
sub type_of
{
	my ($field) = @_;
	my $type = number($field, 2, 'C', 1);
	return [$type, $type == 2 ? (number(referred($field, 3), 0, 'l<', 4), number(referred($field, 3), 1, 'C', 1)) : ()];
}

sub values_of
{
	my ($type, $n, @buffers) = @_;
	my ($validity, @data) = @buffers;
	my @present = length $validity ? split(//, unpack("b$n", $validity)) : (1) x $n;
	my @values;
	if ($type->[0] == 5)
	{
		my @ends = unpack('l<*', $data[0]);
		@values = map { substr($data[1], $ends[$_], $ends[$_ + 1] - $ends[$_]) } 0 .. $n - 1;
	}
	elsif ($type->[0] == 6) { @values = split(//, unpack("b$n", $data[0])) }
	elsif ($type->[0] == 3) { @values = unpack("d<$n", $data[0]) }
	elsif ($type->[0] == 2 && $type->[1] == 8)  { @values = unpack("C$n",  $data[0]) }
	elsif ($type->[0] == 2 && $type->[1] == 32) { @values = unpack("l<$n", $data[0]) }
	else                                        { @values = unpack("q<$n", $data[0]) }
	return map { $present[$_] ? $values[$_] : undef } 0 .. $n - 1;
}

# The columns of the batch (Message.RecordBatch) at $batch, its buffers from $body on.
sub read_batch
{
	my ($batch, $body, @types) = @_;
	my @nodes   = items($batch, 1, 16);
	my @buffers = map { substr($bytes, $body + i64($_), i64($_ + 8)) } items($batch, 2, 16);
	my @columns;
	for my $i (0 .. $#types)
	{
		my @own = splice(@buffers, 0, $types[$i][0] == 5 ? 3 : 2);
		push @columns, [values_of($types[$i], i64($nodes[$i]), @own)];
		die "null count of column $i" if i64($nodes[$i] + 8) != grep { !defined } @{$columns[-1]};
	}
	die 'buffers are left' if @buffers;
	return @columns;
}

sub message
{
	my ($block, $kind) = @_;
	my $at = i64($block);
	die "no message at $at" if i32($at) != -1;
	my $message = $at + 8 + i32($at + 8);
	die 'another kind of message' if number($message, 1, 'C', 1) != $kind;
	die 'the head has another size' if i32($block + 8) != 8 + i32($at + 4);
	return (referred($message, 2), $at + i32($block + 8));
}

sub read_file
{
	my ($path) = @_;
	open(my $in, '<:raw', $path) or die "$path: $!";
	local $/;
	$bytes = <$in>;
	die "$path is no Arrow file" if substr($bytes, 0, 8) ne "ARROW1\0\0" || substr($bytes, -6) ne 'ARROW1';
	my $start  = length($bytes) - 10 - i32(length($bytes) - 10);
	my $footer = $start + i32($start);
	my @fields = items(referred($footer, 1), 1, 0);
	my %table  = (names => [map { text($_, 0) } @fields], types => [map { type_of($_) } @fields], batches => 0);
	my %words;
	for my $block (items($footer, 2, 24))
	{
		my ($dictionary, $body) = message($block, 2);
		my ($words) = read_batch(referred($dictionary, 1), $body, [5]);
		$words{number($dictionary, 0, 'q<', 8)} = $words;
	}
	my @dictionary = map { my $at = referred($_, 4); defined $at ? $words{number($at, 0, 'q<', 8)} : undef } @fields;
	my @stored = map { $dictionary[$_] ? [2, 32, 1] : $table{types}[$_] } 0 .. $#fields;
	for my $block (items($footer, 3, 24))
	{
		my ($batch, $body) = message($block, 3);
		my @columns = read_batch($batch, $body, @stored);
		$table{batches}++;
		for my $i (0 .. $#fields)
		{
			my $words = $dictionary[$i];
			push @{$table{columns}{$table{names}[$i]}}, map { $words && defined $_ ? $words->[$_] : $_ } @{$columns[$i]};
		}
	}
	return \%table;
}

1;
