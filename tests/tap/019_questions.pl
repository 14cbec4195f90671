# The bank of questions (tests/questions): each is answered by at most three calls of the MCP server's tools, and the answer
# is what SQL tells by another way. In the files: a question, its calls ("> TOOL ARGUMENTS", of query the SQL as it is), the
# columns of the last answer that are meant (": NAMES", else all), and the truth ("= SQL").
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use IPC::Open3;
use JSON::PP;
use Perfhouse;
use Test::More;

my $w       = Perfhouse->new;
my $history = "$Perfhouse::data/lulesh-history";
my @runs    = ((map { "3e01c40-n8-$_" } 1 .. 3), (map { "46c2a1d-n8-$_" } 1 .. 3), '3e01c40-n1-1', '3e01c40-n27-1');
$w->ok_run("load $_", 'load', '--set', 'application=lulesh', '--commit', substr($_, 0, 7), '--module-map', "$history/modules.map",
	"$history/lulesh-$_.cali") for @runs;
$w->ok_run('load a trace', 'load', '--set', 'application=lulesh', "$Perfhouse::data/traces/lulesh-8");
$w->ok_run('load a trace of devices', 'load', '--set', 'application=pic', "$Perfhouse::data/profiles/small.nsys.sqlite");

# ---- the bank
sub read_questions
{
	my ($file) = @_;
	my @questions;
	for my $part (split(/\n\n+/, Perfhouse::slurp($file)))
	{
		my ($question, @lines) = split(/\n/, $part);
		my %q = (question => $question, calls => [], columns => undef);
		for my $line (@lines)
		{
			my ($mark, $text) = $line =~ /^([>:=]) (.*)/ or die "$file: $line";
			if ($mark eq '>')
			{
				my ($tool, $arguments) = split(/ /, $text, 2);
				push(@{$q{calls}}, {name => $tool, arguments => $tool eq 'query' ? {sql => $arguments} : decode_json($arguments)});
			}
			elsif ($mark eq ':') { $q{columns} = [split(/ /, $text)] }
			else                 { $q{truth} = $text }
		}
		push(@questions, \%q);
	}
	return @questions;
}
my @questions = map { read_questions($_) } sort glob("$FindBin::Bin/../questions/*.txt");

# ---- one session answers all of them
my @calls = map { @{$_->{calls}} } @questions;
my $input = $w->write_file('mcp.in', join('', map { encode_json({jsonrpc => '2.0', id => 1, method => 'tools/call', params => $_}) . "\n" } @calls));
my @texts;
{
	local $ENV{PERFHOUSE_HOME} = "$w->{home}/home";
	open(my $in, '<', $input) or die $!;
	my $pid = open3('<&' . fileno($in), my $out, undef, $Perfhouse::program, 'mcp');
	@texts = map { decode_json($_)->{result}{content}[0]{text} } grep { /^\{/ } <$out>;
	waitpid($pid, 0);
}
is(scalar @texts, scalar @calls, 'every call is answered');

# The rows of an answer, of the columns that are meant.
sub rows_of
{
	my ($text, $columns) = @_;
	my ($head, @lines) = split(/\n/, $text =~ s/\nSQL: .*//sr);
	my @names = split(/ \| /, $head, -1);
	my %place = map { $names[$_] => $_ } 0 .. $#names;
	my @wanted = defined $columns ? map { $place{$_} // die "no column $_ in $head" } @$columns : 0 .. $#names;
	return [map { [(split(/ \| /, $_, -1))[@wanted]] } grep { $_ ne '(no rows)' } @lines];
}

# Numbers to six digits, as answers show them; booleans as either side writes them.
sub same_value
{
	my ($a, $b) = @_;
	my %boolean = (true => 't', false => 'f');
	return 1 if ($boolean{$a} // $a) eq ($boolean{$b} // $b);
	my $number = qr/^-?[0-9.]+(?:e[-+]?[0-9]+)?$/;
	return $a =~ $number && $b =~ $number && abs($a - $b) <= 2e-5 * abs($b) + 1e-12;
}

sub same_rows
{
	my ($mine, $told) = @_;
	return 0 if @$mine != @$told;
	for my $i (0 .. $#$mine)
	{
		return 0 if @{$mine->[$i]} != @{$told->[$i]};
		same_value($mine->[$i][$_], $told->[$i][$_]) or return 0 for 0 .. $#{$mine->[$i]};
	}
	return 1;
}

my %seen;
for my $q (@questions)
{
	my @mine = splice(@texts, 0, scalar @{$q->{calls}});
	my $told = [map { [split(/\x1f/, $_, -1)] } split(/\n/, $w->run('psql', '--', '-X', '-q', '-At', '-F', "\x1f", '-c',
		'SET search_path = perfhouse, public', '-c', $q->{truth})->{out})];
	ok(!$seen{$q->{question}}++ && @{$q->{calls}} && @{$q->{calls}} <= 3, "at most three calls: $q->{question}");
	for my $text (@mine)
	{
		utf8::encode(my $bytes = $text);
		cmp_ok(length $bytes, '<=', 8000, 'an answer of 8 kB');
		like($text, qr/\nSQL: /, 'with the SQL of its figures');
	}
	my $got = rows_of($mine[-1], $q->{columns});
	ok(@$told && same_rows($got, $told), 'the truth') or diag("$q->{question}\n", explain($got, $told));
}
cmp_ok(scalar @questions, '>=', 100, 'a hundred questions');
done_testing();
