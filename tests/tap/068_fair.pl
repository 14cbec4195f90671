#!/usr/bin/perl
# 068_fair.pl - clients and tabs are served in turn: who asks for little does not wait for who asks for much.
#
# Not by the clock, but by who is answered first.
#
# SPDX-License-Identifier: PostgreSQL
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use IO::Select;
use Perfhouse;
use Serve;
use Test::More;

my $w = Perfhouse->new;
$w->ok_run('a trace', 'load', '--no-regressions', "$Perfhouse::data/traces/lulesh-8");
my $s = Serve->new($w, '--workers', '2', '--cache-size', '0', '--timeout', '600');

# A request that is sent and not waited for.
sub ask
{
	my ($tab, $address) = @_;
	my $socket = $s->connection or die "no connection\n";
	$socket->autoflush(1);
	print $socket "GET $address HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nX-Perfhouse-Tab: $tab\r\n\r\n";
	return $socket;
}

my @flood = map { ask('much', "/view/logical.png?run=1&width=2400&title=$_") } 1 .. 24;
$s->await(sub { $s->get('/api/status')->{body} =~ /"waiting": ?[1-9]\d/ }, 20);
my $little = ask('little', '/view/logical.png?run=1&width=2400&title=little');
my $already = () = IO::Select->new(@flood)->can_read(0); # this program may have waited for a processor
ok(IO::Select->new($little)->can_read(60), 'who asks for little is answered');
my $before = (() = IO::Select->new(@flood)->can_read(0)) - $already;
cmp_ok($before, '<', 8, "while $before of 24 others are, and $already were before") or diag $s->get('/api/status')->{body};
my $text = $s->read_all($little, 60);
like($text, qr{\AHTTP/1\.1 200 }, 'with the picture');
is(scalar(grep { $s->read_all($_, 120) =~ m{\AHTTP/1\.1 200 } } @flood), 24, 'and nobody is left out');
$s->stop;
done_testing();
