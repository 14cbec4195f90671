# perfhouse alias: list, add, remove, suggest; differences of renamed functions.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Perfhouse;
use JSON::PP;
use Test::More;

my $w      = Perfhouse->new;
my $source = "$Perfhouse::data/lulesh-history/lulesh-48a767c-n8-1.cali";
my $renamed = $w->write_file('renamed.cali', Perfhouse::slurp($source) =~ s/CalcHourglassControlForElems/CalcHourglassCtrlForElems/gr);
$w->ok_run('load', 'load', '--set', 'application=lulesh', $_) for $source, $renamed;

like($w->ok_run('none', 'alias')->{out}, qr/^\(0 aliases\)$/m, 'none yet');
my $r = $w->ok_run('suggest', 'alias', 'suggest', 1, 2);
like($r->{out}, qr/^0\.\d+ +CalcHourglassControlForElems +CalcHourglassCtrlForElems +name 0\.\d+, .*same caller/m, 'what became of what, and why');
my @found = map { decode_json($_) } split /\n/, $w->ok_run('suggest', 'alias', 'suggest', 1, 2, '--json')->{out};
is("@{[map { $_->{candidate_name} } @found]}", 'CalcHourglassCtrlForElems', 'as JSON');
like($w->ok_run('suggest', 'alias', 'suggest', 1, 2, '--min-score', '0.99')->{out}, qr/^\(0 candidates/m, 'a high score');

sub picture { my ($view, @more) = @_; $w->ok_run("$view @more", 'render', $view, '--run', 1, '--vs', 2, '--filter', 0, @more, '-o', "$w->{home}/x.svg"); return Perfhouse::slurp("$w->{home}/x.svg") }
my $before = picture('flame-diff', '--aliases');
like($before, qr/CalcHourglassCtrlForElems/, 'two functions');
unlike($before, qr/aliases:/, 'no alias, no word of it');

$r = $w->ok_run('add', 'alias', 'add', 'CalcHourglassControlForElems', 'CalcHourglassCtrlForElems', '-a', 'lulesh', '--reason', 'a shorter name');
is($r->{out}, "alias 1: 1 region of the warehouse\n", 'what it is about');
is($r->{err}, '', 'nothing to complain about');
like($w->ok_run('list', 'alias', 'list', '-a', 'lulesh')->{out}, qr/^ *1 +lulesh +CalcHourglassControlForElems +CalcHourglassCtrlForElems .*a shorter name$/m, 'kept with who and why');
like($w->ok_run('of another application', 'alias', 'list', '-a', 'hpcg')->{out}, qr/^\(0 aliases\)$/m, 'is not listed');
is(decode_json($w->ok_run('list', 'alias', '--json')->{out})->{to_name}, 'CalcHourglassCtrlForElems', 'as JSON');
like($w->ok_run('nothing is left', 'alias', 'suggest', 1, 2)->{out}, qr/^\(0 candidates/m, 'to suggest');

for my $view ('flame-diff', 'sankey-diff')
{
	my @group = $view eq 'sankey-diff' ? ('--group-by', 'function') : ();
	like(picture($view, @group), $view eq 'flame-diff' ? qr/3 call paths only in A/ : qr/CalcHourglassControlForElems/, "$view: measured names unless asked");
	my $svg = picture($view, @group, '--aliases');
	like($svg, qr/aliases: CalcHourglassControlForElems as CalcHourglassCtrlForElems/, "$view: the caption says it");
	unlike($svg =~ s/aliases: [^<]*//gr, qr/CalcHourglassControlForElems/, "$view: one function");
	unlike($svg, qr/call paths? only in A/, "$view: in both");
}
$w->ok_run('against an ensemble', 'render', 'sankey-diff', '--run', 2, '--vs', 'ensemble', '--application', 'lulesh', '--group-by', 'function', '--aliases', '-o', "$w->{home}/x.svg");
unlike(Perfhouse::slurp("$w->{home}/x.svg") =~ s/aliases: [^<]*//gr, qr/CalcHourglassControlForElems/, 'too');

$r = $w->ok_run('a pattern', 'alias', 'add', '--pattern', '--library', '^/opt/mpi-', '--to-library', 'libmpi.so');
like($r->{err}, qr/warning: no region of the warehouse is meant by alias 2 now/, 'that fits nothing');
for my $mistake ([2, qr/add takes NAME and TO-NAME/, 'add', 'x'], [2, qr/say list, add, remove or suggest, not "wipe"/, 'wipe'], [2, qr/"x" is not the number of an alias/, 'remove', 1, 'x'],
	[13, qr/no alias 9/, 'remove', 1, 9], [13, qr/no run 99/, 'suggest', 1, 99], [1, qr/needs what it is about/, 'add'], [1, qr/circle/, 'add', 'CalcHourglassCtrlForElems', 'CalcHourglassControlForElems', '-a', 'lulesh'])
{
	my ($code, $message, @arguments) = @$mistake;
	$r = $w->run('alias', @arguments);
	is($r->{code}, $code, "exit code of alias @arguments") or diag($r->{err});
	like($r->{err}, $message, "message of alias @arguments");
}
is($w->sql('SELECT count(*) FROM perfhouse.region_alias'), 2, 'failures change nothing');
is($w->ok_run('remove', 'alias', 'remove', 1, 2)->{out}, "2 aliases removed\n", 'says so');
done_testing();
