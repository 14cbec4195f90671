# Serve.pm - a running `perfhouse serve` for a TAP test, and a small HTTP client that can misbehave.
#
# my $s = Serve->new($w, '--workers', '2');    on a free port; ended with the test
# my $r = $s->get('/api/runs', Header => 'x'); {status, header => {lower case}, body}
#
# SPDX-License-Identifier: PostgreSQL
package Serve;

use strict;
use warnings;
use IO::Select;
use IO::Socket::INET;
use Test::More ();
use Time::HiRes qw(time);

my @running;

sub new
{
	my ($class, $w, @arguments) = @_;
	my ($pid, $base) = $w->start('serve', '--port', '0', @arguments);
	my $self = bless {w => $w, pid => $pid, base => $base, owner => $$}, $class;
	push @running, $self;
	my $ready = $self->await(sub { Perfhouse::slurp("$base.out") =~ m{serves (\S+:(\d+)/)} });
	Test::More::ok($ready, 'serve starts') or Test::More::BAIL_OUT(Perfhouse::slurp("$base.err"));
	($self->{address}, $self->{port}) = Perfhouse::slurp("$base.out") =~ m{serves (\S+:(\d+)/)};
	return $self;
}

sub await
{
	my ($self, $condition, $seconds) = @_;
	return Perfhouse::await($condition, $seconds);
}

sub connection
{
	my ($self) = @_;
	return IO::Socket::INET->new(PeerAddr => "127.0.0.1:$self->{port}", Timeout => 60);
}

# Everything the server sends until it closes, or for some seconds.
sub read_all
{
	my ($self, $socket, $seconds) = @_;
	my $text   = '';
	my $select = IO::Select->new($socket);
	my $end    = time + ($seconds // 120);
	while ((my $left = $end - time) > 0)
	{
		last unless $select->can_read($left);
		my $n = sysread($socket, $text, 65536, length $text);
		last unless $n;
	}
	return $text;
}

sub raw
{
	my ($self, $bytes) = @_;
	local $SIG{PIPE} = 'IGNORE';
	my $socket = $self->connection or return '';
	my $sent   = 0;
	while ($sent < length $bytes)
	{
		my $n = syswrite($socket, $bytes, 65536, $sent);
		last unless $n;
		$sent += $n;
	}
	return $self->read_all($socket, 10);
}

sub parse
{
	my ($text) = @_;
	my ($head, $body) = split(/\r\n\r\n/, $text, 2);
	my ($first, @lines) = split(/\r\n/, $head // '');
	my %header = map { my ($name, $value) = split(/:\s*/, $_, 2); (lc $name, $value) } @lines;
	my ($status) = ($first // '') =~ m{^HTTP/1\.1 (\d+)};
	return {status => $status // 0, header => \%header, body => $body // ''};
}

sub send_request
{
	my ($self, $method, $target, @headers) = @_;
	my $socket = $self->connection or return;
	my %given  = @headers;
	my $text   = "$method $target HTTP/1.1\r\n" . (exists $given{Host} ? '' : "Host: localhost:$self->{port}\r\n") . "Connection: close\r\n";
	while (@headers and my ($name, $value) = splice(@headers, 0, 2))
	{
		$text .= "$name: $value\r\n";
	}
	local $SIG{PIPE} = 'IGNORE';
	syswrite($socket, "$text\r\n");
	return $socket;
}

sub send_get { my ($self, @rest) = @_; return $self->send_request('GET', @rest) }

sub receive
{
	my ($self, $socket) = @_;
	return parse($socket ? $self->read_all($socket) : '');
}

sub request
{
	my ($self, @rest) = @_;
	return $self->receive($self->send_request(@rest));
}

sub get { my ($self, @rest) = @_; return $self->request('GET', @rest) }

# For streams: what has come so far, up to a pattern.
sub read_until
{
	my ($self, $socket, $pattern, $seconds) = @_;
	my $end = time + ($seconds // 120);
	my $key = fileno($socket);
	my $select = IO::Select->new($socket);
	while (($self->{text}{$key} // '') !~ $pattern && (my $left = $end - time) > 0)
	{
		next unless $select->can_read($left);
		last unless sysread($socket, $self->{text}{$key}, 65536, length($self->{text}{$key} // ''));
	}
	return $self->{text}{$key} // '';
}

sub read_some { my ($self, $socket) = @_; return $self->read_until($socket, qr/\r\n\r\n/) }

sub stop
{
	my ($self) = @_;
	return if $self->{ended} || $self->{owner} != $$;
	$self->{ended} = 1;
	kill 'TERM', $self->{pid};
	my $r = $self->{w}->finish($self->{pid}, $self->{base});
	$self->{err_text} = $r->{err};
	return $r->{code};
}

sub encode
{
	my ($text) = @_;
	$text =~ s/([^A-Za-z0-9_.-])/sprintf('%%%02X', ord $1)/ge;
	return $text;
}

# '' for a well-formed document: tags balance, attributes are quoted, entities are known.
sub xml_fault
{
	my ($text) = @_;
	my @open;
	$text =~ s/\A<\?xml[^?]*\?>//;
	while ($text =~ /\G(?:<(\/?)([A-Za-z][\w:-]*)((?:\s+[\w:-]+="[^"<]*")*)\s*(\/?)>|([^<]+))/gc)
	{
		my ($close, $name, $attributes, $empty, $content) = ($1, $2, $3, $4, $5);
		my $written = defined $content ? $content : $attributes;
		return "bad entity near $written" if $written =~ /&(?!(?:amp|lt|gt|quot|apos|#\d+|#x[0-9a-f]+);)/i;
		next if defined $content || $empty;
		if (!$close) { push @open, $name; next }
		my $expected = pop @open // '';
		return "</$name> instead of </$expected>" if $name ne $expected;
	}
	my $rest = substr($text, pos($text) // 0, 60);
	return $rest eq '' ? (@open ? "open: @open" : '') : "stops at $rest";
}

# A parsed JSON text, undef when it is none; only as much as the tests need.
sub json
{
	my ($text) = @_;
	require JSON::PP;
	return eval { JSON::PP->new->utf8->decode($text) };
}

END
{
	my $code = $?;
	$_->stop for @running;
	$? = $code;
}

1;
