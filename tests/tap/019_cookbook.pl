# The answers of docs/COOKBOOK.md are what its questions give. PERFHOUSE_COOKBOOK=write writes them anew.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::More;

my $write;
BEGIN { $write = ($ENV{PERFHOUSE_COOKBOOK} // '') eq 'write' }
use Perfhouse;

my $w       = Perfhouse->new;
my $history = "$Perfhouse::data/lulesh-history";
my @runs    = ((map { "3e01c40-n8-$_" } 1 .. 3), (map { "46c2a1d-n8-$_" } 1 .. 3), '3e01c40-n1-1', '3e01c40-n27-1');
$w->ok_run("load $_", 'load', '--set', 'application=lulesh', "$history/lulesh-$_.cali") for @runs;
$w->ok_run('load a trace', 'load', '--set', 'application=lulesh', "$Perfhouse::data/traces/lulesh-8");

my $file = "$FindBin::Bin/../../docs/COOKBOOK.md";
my $text = Perfhouse::slurp($file);
my ($n, $new) = (0, $text);
while ($text =~ /^### ([0-9]+)\. (.*?)\n\n```sql\n(.*?)```\n\n```\n(.*?)```\n/gms)
{
	my ($number, $question, $sql, $answer) = ($1, $2, $3, $4);
	my $r   = $w->run('psql', '--', '-X', '-P', 'footer=off', '-P', 'null=-', '-c', $sql);
	my $got = $r->{out} =~ s/[ ]+$//mgr =~ s/\n+\z/\n/r;
	is($number, ++$n, "question $number comes next");
	is($r->{code}, 0, "question $number is understood") or diag($r->{err});
	unlike($got, qr/^\(0 rows\)|\A[^\n]*\n[^\n]*\n\z/, "question $number has an answer: $question");
	is($got, $answer, "question $number: the answer") unless $write;
	$new =~ s/(^### $number\. .*?```sql\n.*?```\n\n```\n).*?(```\n)/$1$got$2/ms;
}
cmp_ok($n, '>=', 40, 'forty questions');
is(() = $text =~ /^### /mg, $n, 'none is left out');
if ($write)
{
	open(my $out, '>', $file) or die $!;
	print $out $new;
	close($out) or die $!;
}
done_testing();
