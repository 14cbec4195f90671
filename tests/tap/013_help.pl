# --help, --version, the man page, suggestions: what the command tables print.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Perfhouse;
use Test::More;

my $w    = Perfhouse->new;
my $help = $w->ok_run('--help', '--help')->{out};
my @commands = $help =~ /^  (\w+) +\S/mg;
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
is($w->run()->{code}, 2, 'no command');
my $r = $w->run('lod');
is($r->{code}, 2, 'a typing error');
like($r->{err}, qr/hint: Did you mean "load"\?/, 'is understood');
like($w->run('load', 'x', '--frmat', 'y')->{err}, qr/hint: Did you mean "--format"\?/, 'also in options');
is($w->run('down', 'x')->{code}, 2, 'a superfluous argument');
is($w->run('show')->{code}, 2, 'a missing argument');
is($w->run('--db', 'host=/nonexistent', 'runs')->{code}, 5, '--db before the command');
unlike($r->{err}, qr/\033/, 'no colours in files');
ok(!-e "$w->{home}/home", 'nothing was created');

my $page = Perfhouse::slurp("$FindBin::Bin/../../docs/man/perfhouse.1");
is($w->ok_run('--man', '--man')->{out}, $page, 'the man page is up to date (perfhouse --man > docs/man/perfhouse.1)');

SKIP:
{
	skip 'no /dev/full', 1 unless -e '/dev/full';
	is(system("$Perfhouse::program --help > /dev/full 2> /dev/null") >> 8, 10, 'a full disk behind standard output');
}

is(scalar qx(bash -c '(sleep 0.2; $Perfhouse::program --help) | true' 2>&1), '', 'a reader that went away is no complaint');

done_testing();
