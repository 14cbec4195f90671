# A run of the fuzzer: what came of it is told as it was, it ends when nothing new is found, and every target has its words.
use strict;
use warnings;
use File::Temp qw(tempdir);
use FindBin;
use Test::More;

my $lib = "$FindBin::Bin/../lib";
my $dir = tempdir(CLEANUP => 1);

# A program that writes as libFuzzer does, and goes on until it is told to end.
sub program
{
	my ($name, $script) = @_;
	open my $out, '>', "$dir/$name" or die "$dir/$name: $!\n";
	print {$out} "#!/usr/bin/perl\nuse strict;\n\$| = 1;\n$script";
	close $out or die "$dir/$name: $!\n";
	chmod 0755, "$dir/$name";
	return "$dir/$name";
}

sub watch
{
	my ($seconds, $quiet, $program) = @_;
	my $told = qx("$lib/fuzz-watch" $seconds $quiet "$program" "$program" 2>&1);
	return ($told, $? >> 8);
}

my $lines = <<'EOL';
print "INFO: seed corpus: files: 7\n#7\tINITED cov: 40 ft: 90 corp: 7/1Kb\n";
print STDERR "#20\tNEW    cov: 40 ft: 92 corp: 8/1Kb\n#64\tREDUCE cov: 43 ft: 95 corp: 8/1Kb\n";
EOL
my $ends = q{$SIG{USR1} = sub { print "stat::number_of_executed_units: 99\n"; exit 0 };} . "\n";
my $patient = program('patient', $ends . $lines . '1 while 1;');
my ($told, $code) = watch(0, 1, $patient);
is($code, 0, 'a run without a finding ends well');
like($told, qr/^no finding in \d+ s of the processor, 99 runs, 40 edges with the seeds, 43 at the end, new ones; quiet for \d+ s$/, 'inputs and edges');
($told, $code) = watch(1, 0, $patient);
like($told, qr/ 99 runs, 40 edges with the seeds, 43 at the end/, 'it ends after its seconds, too');
($told, $code) = watch(0, 0, program('finding', "$lines exit 77;"));
is($code, 1, 'a finding fails');
is($told, '', 'and is not told as a run without one');
open my $log, '<', "$dir/finding.log" or die "$dir/finding.log: $!\n";
is(scalar(my @kept = <$log>), 4, 'what the program said is in the log, errors too');

# What earlier runs came to counts: the program alone would go on for 99 s.
sub record
{
	my ($program, $line) = @_;
	open my $file, defined $line ? '>' : '<', "$program.state" or die "$program.state: $!\n";
	print {$file} "$line\n" if defined $line;
	my @fields = defined $line ? () : split ' ', <$file>;
	close $file or die "$program.state: $!\n";
	return @fields;
}

my $settled = program('settled', $ends . 'print "#7\tINITED cov: 43 ft: 90 corp: 7/1Kb\n"; 1 while 1;');
record($settled, '43 1000 500 98 2');
like((watch(0, 99, $settled))[0], qr/none new; quiet for (?:99|\d{3,}) s$/, 'it goes on where the last run ended');
my ($edges, $runs, $seconds, $quiet, $findings) = record($settled);
is("$edges $runs $findings", '43 1099 2', 'edges, inputs and findings of all runs');
ok($seconds >= 501 && $quiet >= 99, 'and their seconds') or diag("$seconds, $quiet");
record($settled, '42 1000 500 98 2');
like((watch(0, 1, $settled))[0], qr/quiet for [1-9] s$/, 'more edges with the seeds than before are new ones');

for my $target (glob "$FindBin::Bin/../fuzz/fuzz_*.c") {
	my ($name) = $target =~ /fuzz_(\w+)[.]c$/;
	my @words = split /\n/, qx("$lib/fuzz-words" $name);
	my @bad = grep { !/^"(?:[ !#-\[\]-~]|\\\\|\\"|\\x[0-9A-F]{2})+"$/ } @words[1 .. $#words];
	ok($? == 0 && !@bad, "words of $name") or diag(@bad);
}
like(qx("$lib/fuzz-words" cube), qr/^"UINT32"$/m, q{the folder of a header is looked at});
like(qx("$lib/fuzz-words" talp), qr/^"numMpiRanks"$/m, q{and that of a reader that is only named});
done_testing;
