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
	my $told = qx("$lib/fuzz-watch" $seconds $quiet "$dir/log" "$program" 2>&1);
	return ($told, $? >> 8);
}

my $lines = <<'EOL';
print "INFO: seed corpus: files: 7\n#7\tINITED cov: 40 ft: 90 corp: 7/1Kb\n";
print STDERR "#20\tNEW    cov: 40 ft: 92 corp: 8/1Kb\n#64\tREDUCE cov: 43 ft: 95 corp: 8/1Kb\n";
EOL
my $patient = program('patient', qq{\$SIG{USR1} = sub { print "stat::number_of_executed_units: 99\\n"; exit 0 };\n$lines} . 'sleep 1 while 1;');
my ($told, $code) = watch(0, 2, $patient);
is($code, 0, 'a run without a finding ends well');
like($told, qr/^no finding in \d+ s, 99 runs, 40 edges with the seeds, 43 at the end, the last new one \d+ s before it$/, 'inputs, edges and when the last was found');
($told, $code) = watch(1, 0, $patient);
like($told, qr/ 99 runs, 40 edges with the seeds, 43 at the end/, 'it ends after its seconds, too');
($told, $code) = watch(0, 0, program('finding', "$lines exit 77;"));
is($code, 1, 'a finding fails');
is($told, '', 'and is not told as a run without one');
open my $log, '<', "$dir/log" or die "$dir/log: $!\n";
is(scalar(my @kept = <$log>), 4, 'what the program said is in the log, errors too');

for my $target (glob "$FindBin::Bin/../fuzz/fuzz_*.c") {
	my ($name) = $target =~ /fuzz_(\w+)[.]c$/;
	my @words = split /\n/, qx("$lib/fuzz-words" $name);
	my @bad = grep { !/^"(?:[ !#-\[\]-~]|\\\\|\\"|\\x[0-9A-F]{2})+"$/ } @words[1 .. $#words];
	ok($? == 0 && !@bad, "words of $name") or diag(@bad);
}
like(qx("$lib/fuzz-words" cube), qr/^"UINT32"$/m, q{the folder of a header is looked at});
like(qx("$lib/fuzz-words" talp), qr/^"numMpiRanks"$/m, q{and that of a reader that is only named});
done_testing;
