# --help, --version, the man page, suggestions: what the command tables print.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use JSON::PP;
use Perfhouse;
use Test::More;

my $w    = Perfhouse->empty;
my $help = $w->ok_run('--help', '--help')->{out};
my @commands = $help =~ /^  (\w+)  +\S/mg;
cmp_ok(scalar(@commands), '>=', 16, 'commands are listed');
for my $command (@commands)
{
	my $r = $w->ok_run("$command --help", $command, '--help');
	like($r->{out}, qr/Usage: perfhouse $command\b/, 'usage') or diag($r->{out});
	is($r->{err}, '', 'nothing on stderr');
	$r = $w->run($command, '--no-such-option');
	is($r->{code}, 2, "$command with an unknown option") or diag($r->{err});
	like($r->{err}, qr/hint: |Usage: /, 'says what there is');
}
like($w->ok_run('--version', '--version')->{out}, qr/^perfhouse \d+\.\d+\.\d+$/, 'version');
is($w->run('help', 'load')->{out}, $w->run('load', '--help')->{out}, 'help COMMAND');
is($w->run('help', 'render', 'flame')->{out}, $w->run('render', 'flame', '--help')->{out}, 'help of a view');
is($w->run('help', 'formats')->{out}, $w->run('load', '--formats')->{out}, 'help formats');
like($w->ok_run('help filters', 'help', 'filters')->{out}, qr/^A run filter .*meta\.KEY .*perfhouse runs/s, 'tells what filters are');
like($w->ok_run('help paths', 'help', 'paths')->{out}, qr/^A call path .*--within .*\[exclusive > 0\.1\]/s, 'tells how call paths are written');
like($w->run('help', 'filter')->{err}, qr/Did you mean "filters"/, 'a topic that is nearly called so');
is($w->run()->{code}, 2, 'no command');
my $r = $w->run('lod');
is($r->{code}, 2, 'a typing error');
like($r->{err}, qr/hint: Did you mean "load"\?/, 'is understood');
like($w->run('load', 'x', '--frmat', 'y')->{err}, qr/hint: Did you mean "--format"\?/, 'also in options');
is($w->run('down', 'x')->{code}, 2, 'a superfluous argument');

# ---- formats: those of the help and of the documentation, each with how it is told
my @formats = map { decode_json($_) } split /\n/, $w->ok_run('load --formats --json', 'load', '--formats', '--json')->{out};
my ($listed) = $w->run('load', '--help')->{out} =~ /^Formats .*?:\n((?:  [\w-]+ +\S[^\n]*\n)+)/ms;
my $names = join ' ', sort map { $_->{format} } @formats;
is(join(' ', sort $listed =~ /^  ([\w-]+) /mg), $names, 'the help lists the formats');
my ($table) = Perfhouse::slurp("$FindBin::Bin/../../docs/FORMATS.md") =~ /^(\| `--format` \| what \|.*?)\n\n/ms;
is(join(' ', sort map { /`([\w-]+)`/g } map { /^\| (`[^|]*) \|/ } grep { !/--format/ } split /\n/, $table), $names, 'so do the docs');
is(scalar(grep { length($_->{told_by} // '') > 10 && length($_->{description}) > 5 } @formats), scalar @formats, 'each says how it is told');
my $text = $w->ok_run('load --formats', 'load', '--formats')->{out};
like($text, qr/^caliper-cali +Caliper.*\n +told by: the first line begins with __rec=\n +whole when: every line ends/m, 'for people');
is($w->run('load')->{code}, 2, 'load without an argument');
is($w->run('show')->{code}, 2, 'a missing argument');
is($w->run('--db', 'host=/nonexistent', 'runs')->{code}, 5, '--db before the command');
unlike($r->{err}, qr/\033/, 'no colours in files');
ok(!-e "$w->{home}/home", 'nothing was created');

# ---- help is as wide as the terminal
for my $width (50, 100)
{
	local $ENV{COLUMNS} = $width;
	for my $command ('load', 'retention')
	{
		my @long = grep { length > $width && !/^  perfhouse|^Usage/ } split /\n/, $w->run($command, '--help')->{out};
		is("@long", '', "help of $command in $width columns");
	}
}

# ---- the manual
my $man     = "$FindBin::Bin/../../docs/man";
my %printed = ('perfhouse' => ['--man'], 'perfhouse-render' => ['render', '--man'], 'perfhouse-serve' => ['serve', '--man'],
	'perfhouse-bundle' => ['bundle', '--man']);
for my $name (sort keys %printed)
{
	my $page = $w->ok_run("manual of $name", @{ $printed{$name} })->{out};
	ok($page eq Perfhouse::slurp("$man/$name.1"), "docs/man/$name.1 is what the declarations say (make docs)");
	SKIP:
	{
		skip 'no man', 1 unless `man --version 2>/dev/null`;
		is(`LC_ALL=C.UTF-8 man --warnings -E UTF-8 -l -Tutf8 -Z $man/$name.1 2>&1 > /dev/null`, '', 'man has no warnings');
	}
	SKIP:
	{
		skip 'no mandoc', 1 unless grep { -x "$_/mandoc" } split /:/, $ENV{PATH};
		# a generated page has no date, or it would differ every day
		is(`mandoc -Tlint -Wwarning $man/$name.1 | grep -v 'missing date'`, '', 'mandoc neither');
	}
}

SKIP:
{
	skip 'no /dev/full', 1 unless -e '/dev/full';
	is(system("$Perfhouse::program --help > /dev/full 2> /dev/null") >> 8, 10, 'a full disk behind standard output');
}

is(scalar qx(bash -c '(sleep 0.2; $Perfhouse::program --help) | true' 2>&1), '', 'a reader that went away is no complaint');

done_testing();
