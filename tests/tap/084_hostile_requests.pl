# The page server under clients of every bad kind at once: parameters that mean harm, requests that are none, header lines that
# do not end, clients that are slow or leave. REQUESTS (1,500; make torture-serve: 100,000, under ASan and UBSan): each complete
# request is answered, none by an internal error, and the server and what is stored outlive them.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use IO::Select;
use IO::Socket::INET;
use JSON::PP;
use Perfhouse;
use Serve;
use Test::More;
use Time::HiRes qw(sleep time);

my $most    = $ENV{REQUESTS} // 1500;
my $seed    = $ENV{SEED}     // 1;
my $clients = 24;
srand($seed);
local $SIG{PIPE} = 'IGNORE';
my $w = Perfhouse->new;
$w->ok_run('load', 'load', '--set', 'application=lulesh', (glob("$Perfhouse::data/lulesh-history/lulesh-*-n8-*.cali"))[0 .. 5]);
$w->ok_run('load traces', 'load', "$Perfhouse::data/traces/lulesh-8", "$Perfhouse::data/gpu/train-4", "$Perfhouse::data/tasks");
my $s     = Serve->new($w, '--workers', '2', '--timeout', '10');
my $api   = JSON::PP->new->decode($s->get('/api/openapi.json')->{body});
my @paths = grep { !/events/ } sort keys %{$api->{paths}};
my @query = grep { m{^/api/} } @paths; # pictures cost more: a tenth
diag("SEED=$seed REQUESTS=$most, " . @paths . ' paths');

sub one_of { return $_[rand @_] }

# ---- requests
my @bad = ('', '-1', '1e99', "'; DROP TABLE perfhouse.run; --", "\0", '../../etc/passwd', "\xe9", "\xc3\xa9", '0x10', 'null', '<script>alert(1)</script>', 'x' x 300, 'x' x 5000, '{}', '[' x 200, '9' x 25, 'NaN',
	'inf', '1-', '1-3-5', '-0', "a\r\nSet-Cookie: x=1", '%', '%%%s%n', '1;2', 'true', "\xff\xfe", '(a+)+$', '*' x 50, '9223372036854775807', '-9223372036854775808', '2147483648', '1e-320');

sub value
{
	my ($p) = @_;
	return one_of(@bad) if rand() < 0.2;
	my ($name, $schema) = ($p->{name}, $p->{schema});
	$schema = $schema->{items} if ($schema->{type} // '') eq 'array';
	my $type = $schema->{type} // '';
	return one_of(@{$schema->{enum}})     if $schema->{enum};
	return one_of(1 .. 10)                if $name =~ /^(?:run|vs|a|b|after|before)$/;
	return one_of('true', 'false')        if $type eq 'boolean';
	return one_of(0, 1, 2, 16, 100, 2000) if $type =~ /^(?:integer|number)$/;
	return one_of(@{$schema->{examples} // []}, $schema->{default} // 'main', 'lulesh', 'time', 'main', '1-3', '0.01');
}

sub target
{
	my $path = rand() < 0.1 ? one_of(@paths) : one_of(@query);
	my @given;
	for my $p (@{$api->{paths}{$path}{get}{parameters} // []})
	{
		next if !$p->{required} && $p->{name} ne 'run' && rand() < 0.75;
		push @given, "$p->{name}=" . value($p) =~ s/([^A-Za-z0-9_.,-])/rand() < 0.95 ? sprintf('%%%02X', ord $1) : '%' . $1/ger =~ s/[\s\0]//gr;
	}
	push @given, one_of('nope=1', '=', '&&&', '%', 'run=1&run=2', 'sql=SELECT+1', 'x=' . 'y' x 3000) if rand() < 0.1;
	$path = one_of('/', '/api/', '/run/1', '/run/999999999999999999999', '/view/', '/%2e%2e/%2e%2e/etc/passwd', "/$path", '/api/run/1/2/3', '/app.js', '//', '/compare?a=1&b=2', '/api/runs/' . 'a' x 2000) if rand() < 0.08;
	return $path . (@given ? '?' . join('&', @given) : '');
}

sub headers
{
	my @lines = ("Host: localhost:$s->{port}");
	push @lines, one_of('Accept-Encoding: gzip, zstd;q=0.5', 'Accept-Encoding: ' . 'gzip,' x 200, 'Accept: text/html', 'If-None-Match: "x"', 'If-None-Match: ' . '"a",' x 500, 'Range: bytes=0-1,5-', 'Origin: http://evil.example',
		'Authorization: Bearer ' . 'x' x 1000, 'Cookie: ' . 'a=b; ' x 300, 'X-Long: ' . 'x' x 20000, 'Content-Length: 0', 'Expect: 100-continue', "Last-Event-ID: \x01", 'Connection: upgrade', 'Sec-Fetch-Site: cross-site')
	  for 1 .. rand 3;
	return join("\r\n", @lines);
}

sub request { return one_of(('GET') x 20, 'HEAD', 'OPTIONS') . ' ' . target() . " HTTP/1.1\r\n" . headers() . "\r\n\r\n" }

# No request at all, or nearly one.
sub malformed
{
	my $good  = request();
	my $place = int(rand length $good);
	return one_of(
		sub { return join('', map { chr rand 256 } 1 .. 1 + rand 2000) },
		sub { substr($good, $place, 1) = chr rand 256; return $good },
		sub { return "GET / HTTP/9.9\r\n\r\n" },
		sub { return "GET /\r\n\r\n" },
		sub { return "POST /api/runs HTTP/1.1\r\nHost: x\r\nContent-Length: -5\r\n\r\nabc" },
		sub { return "POST /api/runs HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffffffff\r\nx" },
		sub { return "GET / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\nabcd" },
		sub { return "GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n" },
		sub { return "GET / HTTP/1.1\r\n" . 'X-A: b' . "\r\n" x 1 . ('Y: ' . 'z' x 50 . "\r\n") x 2000 . "\r\n" },
		sub { return 'GET /' . 'a' x 70000 . " HTTP/1.1\r\nHost: localhost\r\n\r\n" },
		sub { return "GET / HTTP/1.1\r\nHost: localhost\r\nX: " . 'y' x 200000 },
		sub { return "\r\n" x 500 . $good },
		sub { return "PUT /view/flame.svg?run=1 HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100000\r\n\r\n" . 'z' x 50000 },
		sub { return $good =~ s/\r\n/\n/gr },
		sub { return "CONNECT evil.example:443 HTTP/1.1\r\n\r\n" . "\x16\x03\x01" },
		sub { return $good x 5 })->();
}

# ---- clients: what they send at once or byte by byte, and whether they wait for the answer
my (%codes, %kinds, @wrong, @open);
my ($begun, $unanswered) = (0, 0);

sub new_client
{
	my ($old) = @_;
	my $x    = rand;
	my $kind = $x < 0.7 ? 'whole' : $x < 0.82 ? 'malformed' : $x < 0.95 ? 'leaving' : 'slow';
	$begun++;
	$kinds{$kind}++;
	my $socket = $kind eq 'whole' && $old ? $old : $s->connection;
	if (!$socket)
	{
		$unanswered++;
		sleep 0.05;
		return;
	}
	$socket->blocking(0);
	my $bytes = $kind eq 'malformed' ? malformed() : request();
	$bytes = substr($bytes, 0, rand length $bytes) if $kind eq 'leaving' && rand() < 0.5;
	return {kind => $kind, socket => $socket, left => $bytes, is_head => scalar($bytes =~ /^HEAD /), got => '', until => time + ($kind eq 'whole' ? 60 : $kind eq 'slow' ? 2 : 0.5)};
}

sub is_complete
{
	my ($c) = @_;
	$c->{got} =~ s{\AHTTP/1\.1 100 Continue\r\n\r\n}{};
	my ($head, $body) = $c->{got} =~ /\A(HTTP.*?\r\n\r\n)(.*)\z/s or return 0;
	return 1 if $c->{is_head} || $head =~ m{^HTTP/1\.1 (?:304|204)};
	return length $body >= $1 if $head =~ /^Content-Length: (\d+)/mi;
	return $body =~ /(?:\A|\r\n)0\r\n(?:[^\r\n]+\r\n)*\r\n\z/ if $head =~ /^Transfer-Encoding: chunked/mi;
	return 0;
}

sub judge
{
	my ($c, $is_closed) = @_;
	my ($code) = $c->{got} =~ m{\AHTTP/1\.[01] (\d+)};
	$codes{$code // 'none'}++;
	return if !defined $code && $c->{kind} ne 'whole';
	push @wrong, ($code // 'no answer') . ": $c->{request}\n" . substr($c->{got}, -300)
	  if !defined $code || $code !~ /^(?:200|204|30[1-48]|40[0-9]|41[0-9]|42[0-9]|431|501|503|504|505)$/;
	return;
}

# One step of a client; false: it has ended.
sub step
{
	my ($c) = @_;
	if (length $c->{left})
	{
		$c->{request} //= substr($c->{left}, 0, 400);
		my $n = syswrite($c->{socket}, $c->{left}, $c->{kind} eq 'slow' ? 1 : 65536);
		substr($c->{left}, 0, $n) = '' if $n;
		return 0 if $c->{kind} eq 'leaving' && !length $c->{left};
	}
	my $n = sysread($c->{socket}, $c->{got}, 262144, length $c->{got});
	my $is_closed = defined $n ? $n == 0 : !$!{EAGAIN};
	return 1 if !$is_closed && !is_complete($c) && time < $c->{until};
	# an answer to half of a header line that was too long may be reset before it is read
	judge($c) if $c->{kind} eq 'whole' ? length $c->{got} || !$is_closed || !$c->{was_reused} : length $c->{got};
	return 0;
}

my $began = time;
while ($begun < $most || @open)
{
	while ($begun < $most && @open < $clients)
	{
		my $c = new_client() or next;
		push @open, $c;
	}
	my @still;
	for my $c (@open)
	{
		if (step($c)) { push @still, $c; next }
		my $may_go_on = $c->{kind} eq 'whole' && is_complete($c) && $c->{got} !~ /^Connection: close/mi && $begun < $most && rand() < 0.9;
		my $next = $may_go_on ? new_client($c->{socket}) : undef;
		if ($next) { $next->{was_reused} = $next->{socket} == $c->{socket}; push @still, $next }
	}
	@open = @still;
	IO::Select->new(map { $_->{socket} } @open)->can_read(0.005);
}
my $took = time - $began;
is(join("\n", @wrong[0 .. ($#wrong > 9 ? 9 : $#wrong)]), '', 'complete requests are answered, none by an internal error (' . @wrong . ')');
cmp_ok($codes{200} // 0, '>', $most / 20, 'many were right');
cmp_ok($codes{400} // 0, '>', $most / 20, 'many were wrong');
is($s->get('/api/run/1')->{status}, 200, 'the server lives');
is($w->sql('SELECT count(*) FROM perfhouse.run'), 9, 'and nothing is lost');
my ($rss) = Perfhouse::slurp("/proc/$s->{pid}/status") =~ /VmRSS:\s+(\d+)/;
diag(sprintf('%d requests in %.0f s (%s); answers: %s; %d connections refused; %d MB at the end',
	$begun, $took, join(', ', map { "$kinds{$_} $_" } sort keys %kinds), join(', ', map { "$_ $codes{$_}" } sort keys %codes), $unanswered, $rss / 1024));
$s->stop;
done_testing();
