# load: no input that was cut off, lacks a file or has two of them swapped is taken for a whole one.
#
# Every file of the corpus is cut at boundaries of its records (lines, blocks of archives) and at random bytes. The cuts of
# a file are read by one command, as neighbours in a folder. By default a sample of them; PERFHOUSE_CUTS=all, as make
# check-cuts has it, takes all boundaries and 50 random bytes. PERFHOUSE_CORPUS: further folders of inputs.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Perfhouse;
use File::Basename qw(basename dirname);
use File::Copy qw(copy);
use File::Find;
use File::Path qw(make_path remove_tree);
use IO::Compress::Gzip;
use JSON::PP;
use Test::More;

my $all      = ($ENV{PERFHOUSE_CUTS} // '') eq 'all';
my $n_random = $all ? 50 : 8;
my $n_marks  = $all ? 1e9 : 8;
my @corpus   = split /:/, $ENV{PERFHOUSE_CORPUS} // ''; # before the environment is cleared
my $w        = Perfhouse->new;
my $data     = $Perfhouse::data;
my $scratch  = "$w->{home}/cuts";
srand 14;

# Files beside the measurement that only add metadata and have no end mark: docs/FORMATS.md. Cut between lines they are as
# good as whole, and stay so: nothing in scorep.cfg says how many settings there are, and all that it can lose are keys of the
# metadata, not values of the measurement; what is cut within a line is refused. A .projrc is not read at all.
my $companion = qr{(^|/)(scorep\.cfg|[^/]*\.projrc)$};

make_path("$w->{home}/chrome");
my $compressed = "$w->{home}/chrome/kineto.json.gz";
IO::Compress::Gzip::gzip("$data/chrome/kineto.json", $compressed) or die;

my @inputs = (
	(map { "$data/profiles/$_" } qw(hpctoolkit hpctoolkit4 literal-a.json literal-b.json lulesh-8.json-split.json
		lulesh-8.region-profile.cali lulesh-8.spot.cali scorep-halo2d small.cali small.json tau-callpath tau-flat
		small.perf-script.txt small.folded small.pb.gz small.pstats small.nsys.sqlite
		small.gprof.txt small.speedscope.json small.csv)),
	(map { "$data/tools/$_" } qw(small.dot small.pyinstrument.json small.timemory.json small.talp.json
		small.darshan small.darshan.txt small.otlp.pb)),
	"$data/chrome/threads.json", "$data/chrome/kineto.json", $compressed,
	"$data/projections/tiny", "$data/projections/jacobi3d-4p", "$data/tasks/wavefront.jsonl",
	"$data/traces/colls-6", "$data/traces/tau-halo2d-nb-9",
	glob("$data/lulesh-history/*" . ($all ? '' : '3e01c40-n*-1') . '.cali'),
	$all ? "$data/traces/lulesh-8" : (), @corpus);

sub slurp
{
	my ($path) = @_;
	open my $file, '<:raw', $path or die "$path: $!";
	local $/;
	return scalar <$file>;
}

sub spew
{
	my ($path, $bytes) = @_;
	open my $file, '>:raw', $path or die "$path: $!";
	print $file $bytes;
	close $file;
	return;
}

# What dry runs of everything below folders say: JSON lines.
sub read_all
{
	my @paths = @_;
	my @lines = split /\n/, $w->run('load', '--dry-run', '--json', '--ignore-unknown', @paths)->{out};
	return map { decode_json($_) } @lines;
}

sub files_of
{
	my ($input) = @_;
	my @files;
	return ('') unless -d $input;
	find({ no_chdir => 1, wanted => sub { push @files, substr($_, length $input) if -f $_ } }, $input);
	@files = sort @files;
	return @files;
}

# Some of a list, all when it is short.
sub some
{
	my ($n, @list) = @_;
	while (@list > $n) { splice @list, int rand @list, 1 }
	return @list;
}

# Lengths to cut to: after lines, at blocks of an archive, at random, and before the last few bytes, which may say little.
sub cuts_of
{
	my ($bytes) = @_;
	my ($size, @marks) = (length $bytes);
	if ($size > 512 && substr($bytes, 257, 5) eq 'ustar') { @marks = map { $_ * 512 } 1 .. int(($size - 1) / 512) }
	elsif ($bytes !~ /\0/) { push @marks, pos $bytes while $bytes =~ /\n/g }
	my %is_cut = map { $_ => 1 } grep { $_ < $size } some($n_marks, @marks), (map { 1 + int rand($size - 1) } 1 .. $n_random), grep { $_ > 0 } map { $size - $_ } 1, 2, 3, 512;
	my @cuts = sort { $a <=> $b } keys %is_cut;
	return @cuts;
}

# A copy of the input by links, apart from one file.
sub copy_but
{
	my ($input, $to, $but, $bytes) = @_;
	for my $file (files_of($input))
	{
		my $path = $to . ($file eq '' ? '/' . basename($input) : $file);
		make_path(dirname($path));
		if ($file ne $but) { link("$input$file", $path) or copy("$input$file", $path) or die "$path: $!" }
		elsif (defined $bytes) { spew($path, $bytes) }
	}
	return;
}

sub check_cuts
{
	my ($input, $file) = @_;
	my $bytes = slurp("$input$file");
	return 0 if length $bytes < 2;
	(my $whole = $bytes) =~ s/\s+\z// if $file eq '' && $input =~ /json$/;
	my (@cuts, %taken) = grep { !defined $whole || $_ < length $whole } cuts_of($bytes);
	@cuts = grep { substr($bytes, $_ - 1, 1) ne "\n" } @cuts if $file =~ $companion;
	remove_tree($scratch);
	copy_but($input, "$scratch/$_", $file, substr($bytes, 0, $_)) for @cuts;
	for my $r (@cuts ? read_all($scratch) : ())
	{
		my ($cut) = $r->{source} =~ m{^\Q$scratch\E/(\d+)};
		$taken{$cut} = "$r->{state} as $r->{completeness}" if ($r->{completeness} // '') eq 'complete' && $r->{state} eq 'read';
	}
	is_deeply(\%taken, {}, basename($input) . "$file: none of " . @cuts . ' cuts is taken for a whole input');
	return scalar @cuts;
}

my $n_cuts = 0;
for my $input (@inputs)
{
	# traces of binary logs have no settings that are read: see FORMATS
	for my $file (files_of($input))
	{
		next if $file =~ m{\.(md|txt|filter|projrc)$};
		$n_cuts += check_cuts($input, $file);
	}
}
diag("$n_cuts cuts") if $all;

# ---- what is whole is taken for it, or its format cannot tell
my %unproven = map { $_ => 1 } qw(darshan-text otlp tau hpctoolkit tasks perf-script folded csv);
for my $r (read_all(@inputs))
{
	is($r->{completeness}, $unproven{ $r->{format} } ? 'unknown' : 'complete', "$r->{source} as it is");
}

# ---- a file that is not there
for my $input (grep { -d $_ } @inputs)
{
	for my $file (some($all ? 1e9 : 4, grep { !m{\.(md|txt|filter|cfg|projrc|cubex)$} } files_of($input)))
	{
		remove_tree($scratch);
		copy_but($input, "$scratch/x", $file);
		my @taken = grep { $_->{state} eq 'read' && $_->{completeness} eq 'complete' } -d "$scratch/x" ? read_all($scratch) : ();
		# where the profile beside a trace is left over, it is that: a profile
		is_deeply([grep { $_->{format} ne 'cube' } @taken], [], basename($input) . " without $file is not whole");
	}
}

# ---- two files of locations, one in the place of the other
for my $pair ([0, 1], [1, 2])
{
	my ($a, $b) = @$pair;
	remove_tree($scratch);
	copy_but("$data/traces/lulesh-8", "$scratch/x", "/traces/$a.evt", slurp("$data/traces/lulesh-8/traces/$b.evt"));
	unlink("$scratch/x/traces/$b.evt") or die;
	spew("$scratch/x/traces/$b.evt", slurp("$data/traces/lulesh-8/traces/$a.evt"));
	my ($r) = read_all($scratch);
	is($r->{state}, 'failed', "events of locations $a and $b swapped");
}

done_testing;
