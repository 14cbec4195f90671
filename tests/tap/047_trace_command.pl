# trace: the command's answers are those of the functions in SQL.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Perfhouse;
use JSON::PP;
use List::Util qw(sum0);
use Test::More;

my $w = Perfhouse->new;
$w->ok_run('load', 'load', "$Perfhouse::data/traces/lulesh-8");

sub rows { my @arguments = @_; return map { decode_json($_) } split /\n/, $w->ok_run("trace @arguments", 'trace', 1, @arguments, '--json', '-n', 100000)->{out} }

# ---- waits
my @rows = rows('waits');
ok(@rows > 5, 'rows');
is(sum0(map { $_->{ns} } @rows),      $w->sql('SELECT sum(ns) FROM perfhouse.wait_states(1)'),   'all waits');
is(sum0(map { $_->{n_waits} } @rows), $w->sql('SELECT count(*) FROM perfhouse.wait_states(1)'),  'as many');
ok(abs(sum0(map { $_->{share} } @rows) - 1) < 1e-9, 'shares');
ok((!grep { $_->{of_rank} <= 0 || $_->{of_rank} > 1 } @rows), 'parts of ranks');
@rows = rows('waits', '--ranks', '0,2-3', '--from', '0.5s', '--to', '700ms');
is(sum0(map { $_->{ns} } @rows), $w->sql("SELECT coalesce(sum(ns), 0) FROM perfhouse.wait_states(1, 500000000, 700000000) WHERE victim_rank IN (0, 2, 3)"), 'of ranks in a window');
@rows = rows('waits', '--within', 'TimeIncrement(Domain&)');
my $within = $w->sql("SELECT sum(ns) FROM perfhouse.wait_states(1) WHERE path LIKE 'main/TimeIncrement(Domain&)/%'");
ok($within > 0, 'there are some');
is(sum0(map { $_->{ns} } @rows), $within, 'within a function');
is(scalar(rows('waits', '--within', 'nowhere')), 0, 'nothing within another');
like($w->run('trace', 1, 'waits', '--within', 'nowhere')->{out}, qr/nobody waited/, 'says so');
my $r = $w->ok_run('as a table', 'trace', 1, 'waits', '-n', 3);
is(($r->{out} =~ tr/\n//), 6, 'three rows below the title');

# ---- path
@rows = rows('path');
my $length = $w->sql('SELECT sum(t_to - t_from) FROM perfhouse.critical_path(1)');
is(sum0(map { $_->{ns} } @rows), $length, 'the whole path');
ok(abs(sum0(map { $_->{compute} + $_->{message} + $_->{collective} + $_->{waiting} } @rows) - $length) < 10, 'by kind');
@rows = rows('path', '--from', '100ms', '--to', '200ms');
is(sum0(map { $_->{ns} } @rows), 100_000_000, 'stays are cut at the window');
@rows = rows('path', '--ranks', '4');
is(join(',', sort keys %{{map { $_->{rank} => 1 } @rows}}), '4', 'of one rank');
like($w->ok_run('as a table', 'trace', 1, 'path')->{out}, qr/^ +on the path/m, 'with a head');

# ---- errors
is($w->run('trace', 99, 'waits')->{code}, 13, 'no such run');
is($w->run('trace', 1, 'fish')->{code},   2,  'no such question');
is($w->run('trace', 1)->{code},           2,  'no question');
is($w->run('trace', 1, 'waits', '--from', 'noon')->{code}, 2, 'no time');
done_testing();
