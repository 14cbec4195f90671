# serve: pages, data and pictures over HTTP; what is refused, and that the server lives on.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use IO::Select;
use IO::Socket::INET;
use Perfhouse;
use Serve;
use Test::More;
use Time::HiRes qw(sleep time);

my $w       = Perfhouse->new;
my $history = "$Perfhouse::data/lulesh-history";
$w->ok_run('load A', 'load', '--set', 'application=lulesh', "$history/lulesh-3e01c40-n8-1.cali");
$w->ok_run('load B', 'load', '--set', 'application=lulesh', "$history/lulesh-46c2a1d-n8-1.cali");
$w->ok_run('load a trace', 'load', "$Perfhouse::data/traces/lulesh-8");

# names that would be markup, script or SQL if they were taken for it
my @attacks = ('<script>alert(1)</script>', '"><img src=x onerror=alert(1)>', "'; DROP TABLE perfhouse.run; --", '</title><svg onload=alert(1)>',
	']]>&lt;&#60;', "\${jndi}{{7*7}}", "javascript:alert(1)", "tab\tnew\nline\x01\x7f\xe2\x80\xae\xe2\x80\xa8end");
my %escape  = ("\n" => '\n', "\t" => '\t', '"' => '\"', '\\' => '\\\\', "\x01" => '\u0001', "\x7f" => '\u007f');
my $json    = sub { my ($t) = @_; $t =~ s/(["\\\n\t\x01\x7f])/$escape{$1}/g; return "\"$t\"" };
my $nodes   = join(",\n", map { "{\"label\": " . $json->($attacks[$_]) . ", \"column\": \"path\"" . ($_ ? ", \"parent\": 0" : '') . '}' } 0 .. $#attacks);
my $values  = join(",\n", map { my $rank = $_; map { sprintf('[%.3f,%d,%d]', 1 + $_ / 7 + $rank / 3, $rank, $_) } 0 .. $#attacks } 0 .. 1);
my $evil    = $w->write_file('evil.json', "{\"data\": [\n$values\n],\n\"columns\": [\"time\", \"mpi.rank\", \"path\"],\n"
	. "\"column_metadata\": [{\"is_value\": true}, {\"is_value\": true}, {\"is_value\": false}],\n\"nodes\": [\n$nodes\n],\n"
	. "\"cluster\": " . $json->($attacks[1]) . ", \"mpi.world.size\": \"2\", \"launchdate\": " . $json->($attacks[0]) . "}\n");
$w->ok_run('load evil names', 'load', '--set', "application=$attacks[0]", '--set', "title=$attacks[3]", $evil);

my $s = Serve->new($w, '--client-timeout', '2', '--workers', '2', '--timeout', '60', '--access-log', "$w->{home}/access.log");

# ---- what works
like($s->get('/api/runs')->{body}, qr/\A\{"rows":\[\n\{"run_id":4,.*\n\{"run_id":3,.*\n\],"total":\[\n\{"runs":4,"more":false\}\n\],"pages":\[\n\{"newer":null,"older":null\}\n\]\}\n\z/s, 'a run a line');
like($s->get('/view/sankey.svg?run=1&group_by=module')->{body}, qr/\A<\?xml.*<\/svg>\n\z/s, 'a picture');
is($s->get('/view/sankey.svg?run=1')->{body}, $w->ok_run('render', 'render', 'sankey', '--run', '1', '--type', 'svg', '-o', '-')->{out}, 'the same bytes as render');
like($s->get('/view/flame.png?run=1')->{body}, qr/\A\x89PNG/, 'PNG');
like($s->get('/view/flame.pdf?run=1')->{body}, qr/\A%PDF/, 'PDF');
like($s->get('/view/histogram.json?run=1')->{body}, qr/\A\{"run":\[\n\{/, 'the rows of a picture');
like($s->get('/api/diff?a=1&b=2&limit=1')->{body}, qr/"metric":\[\n\{"name" ?: ?"[^"]+", ?"unit" ?: ?"s", ?"kind" ?: ?"flow", ?"combining" ?: ?"sum"\}\n\]/, 'what a difference is in');
like($s->get('/api/tree?run=1')->{body}, qr/"kind":"flow".*"metrics":\[\{"name" ?: ?"[^"]+", ?"unit" ?: ?"s", ?"kind" ?: ?"flow"\}/s, 'which metrics of a tree add up');
# what viewers ask for: bytes, packed for who takes that, and kept for ever under the version
my $raster = '/api/raster?run=3&level=22&x=0&each=2';
my $bytes  = $s->get($raster);
is($bytes->{header}{'content-type'}, 'application/octet-stream', 'a raster is bytes');
is(join(',', unpack('v4', $bytes->{body})), '1,4,256,' . unpack('x6v', $bytes->{body}), 'of eight ranks by two');
is(length $bytes->{body}, 8 + 4 * unpack('x6v', $bytes->{body}) + 17 * 4 * 256, 'whole');
my $version = $w->sql("SELECT perfhouse.run_version('{3}')");
like($s->get("$raster&version=$version")->{header}{'cache-control'}, qr/immutable/, 'for ever under its version');
unlike($s->get("$raster&version=old")->{header}{'cache-control'}, qr/immutable/, 'and only there');
cmp_ok(length $s->get($raster, 'Accept-Encoding' => 'gzip')->{body}, '<', length($bytes->{body}) / 4, 'packed');
like($s->get('/api/viewer?run=3')->{body}, qr/"version":"$version".*"regions":\[\n\{"local_id":\[.*"locations":\[\n\{"rank":\[0,1,2,3,4,5,6,7\]/s, 'what a viewer begins with');
is($s->get('/api/viewer?run=1')->{status}, 404, 'a run without a trace has none');
is($s->get('/api/raster?run=3&level=22&x=0&each=3')->{status}, 422, 'a row of three');
like($s->get('/api/raster?run=3&level=0&x=9000000000')->{body}, qr/has no tile 9000000000 of level 0/, 'bins of a nanosecond are counted in long traces, too');
like($s->get('/api/call?run=3&location=0&at=650ms')->{body}, qr/"depth":0,"region":"main".*"depth":1,/s, 'the calls that are open');
like($s->get('/api/stacks?run=3&location=0&from=640ms&to=650ms')->{body}, qr/"depth":\[0,.*"region":\["main"/s, 'call stacks of a window');
like($s->get('/api/window?run=3&from=640ms&to=650ms&first_location=0&last_location=3')->{body}, qr/"region":"MPI_\w+","exclusive":\d+/, 'what functions took');
like($s->get('/api/messages?run=3&from=640ms&to=650ms')->{body}, qr/"sender_location":\[\d/, 'messages');
like($s->get('/api/hits?run=3&from=640ms&to=650ms&name=MPI_Waitall')->{body}, qr/"location":\[\d/, 'calls of a name');
like($s->get('/api/window_efficiency?run=3&from=640ms&to=650ms')->{body}, qr/"parallel":.*"waits":.*"kind":"/s, 'how efficient a window is');
like($s->get('/api/call_waits?run=3&location=3&from=0s&to=743ms')->{body}, qr/"kind":"\w.*"awaited":\d/, 'for whom a location waited');
like($s->get('/api/waited_for?run=3')->{body}, qr/\{"rows":\[\n\{"ranks":\[\d.*"amount":[\d.]+,"total":[\d.]+\}/, 'the ranks that others wait for');
like($s->get('/api/run/1')->{body}, qr/"run_id":1,"application":"lulesh".*"events_dropped_at":null/, 'one run');
like($s->get('/api/run/1')->{body}, qr/"experiment":"ranks 8, threads 1","n_comparable":1\b/, 'what it is an experiment of, and how many others are');
like($s->get('/api/diff?a=1&b=2')->{body}, qr/"experiment":\[\n\{"key":"application","status":"same"/, 'what runs agree in');
like($s->get('/api/explain?run=1')->{body}, qr/"step":"comparable","sentence":"Measured by 1 other run of its (?:commit|experiment)\./, 'what explains a run');
like($s->get('/api/explain_runs?a=1&b=4')->{body}, qr/"sentence":"The runs cannot be compared: application [^\n]*\n\]/, 'two runs, if they can be compared');
like($s->get('/api/explain_newest?application=lulesh')->{body}, qr/"sentence":"The newest run \(\d\), by the run before\. All runs/, 'the newest of an application');
like($s->get('/api/explain_newest?application=nothing')->{body}, qr/\A\{"rows":\[\n\]\}\n\z/, 'of which there may be none');
is($s->get('/api/explain?run=99')->{status}, 404, 'no such run');
like($s->get('/api/diff?a=1&b=2')->{body}, qr/"noise":null,"is_clear":null/, 'of changes by how much runs vary there, where that is known');
like($s->get('/api/diff?a=1&b=4')->{body}, qr/\{"key":"application","status":"differs"/, 'and differ in, so that they cannot be compared');
for my $page ('/', '/run/1', '/trace/3', '/compare?a=1&b=2', '/history')
{
	my $r = $s->get($page);
	is($r->{status}, 200, "page $page");
	is($r->{header}{'content-type'}, 'text/html; charset=utf-8', "$page is HTML");
	like($r->{header}{'content-security-policy'}, qr/^default-src 'self'(?!.*unsafe)/, "$page has a policy");
	unlike($r->{body}, qr/<script(?![^>]*src=)|\son\w+=|style=/i, "$page has no inline script or style");
	for my $part ($r->{body} =~ m{"(/static/[^"]+)"}g)
	{
		my $p = $s->get($part);
		is($p->{status}, 200, "$part is there");
		is($s->get($part, 'If-None-Match' => $p->{header}{etag})->{status}, 304, "$part need not be sent again");
	}
}
my $head = $s->request('HEAD', '/api/runs');
is($head->{status}, 200, 'HEAD');
is($head->{body}, '', 'has no body');
my $etag = $s->get('/view/flame.svg?run=1')->{header}{etag};
is($s->get('/view/flame.svg?run=1', 'If-None-Match' => $etag)->{status}, 304, 'a picture that the client has');
is($s->get('/view/flame.svg?run=1')->{header}{'cross-origin-resource-policy'}, 'cross-origin', 'pictures may be shown elsewhere');
is($s->get('/api/runs')->{header}{'cross-origin-resource-policy'}, 'same-origin', 'data may not');
is($s->get('/api/runs')->{header}{'x-content-type-options'}, 'nosniff', 'types are not guessed');
like($s->get('/api/runs?application=lulesh&order=run_id&limit=1&after=1')->{body}, qr/\n\{"run_id":2,.*\n\],"total":\[\n\{"runs":2,"more":false\}\n\],"pages":\[\n\{"newer":2,"older":null\}/, 'a page of the list');
like($s->get('/api/runs?filter=n_ranks%20%3D%208%20AND%20format%20%3D%20%27otf2%27')->{body}, qr/"run_id":3,[^\n]*\n\],"total":\[\n\{"runs":1,"more":false\}/, 'a run filter');
is($s->get('/api/runs?search=nothing%20like%20this')->{body}, "{\"rows\":[\n],\"total\":[\n{\"runs\":0,\"more\":false}\n],\"pages\":[\n{\"newer\":null,\"older\":null}\n]}\n", 'nothing found');

# ---- what the pages offer is what requests may ask for
my $parameters = $s->get('/api/parameters');
is($parameters->{status}, 200, 'parameters');
my ($groups) = $parameters->{body} =~ /"sankey":\{.*?"name":"group_by".*?"choices":\[(.*?)\]/s;
my @groups = ($groups // '') =~ /"(\w+)"/g;
is(scalar @groups, 7, 'words to group by');
is($s->get("/view/sankey.json?run=1&group_by=$_")->{status}, 200, "group_by=$_") for @groups;

# ---- mistakes: status, type of the answer, message
my @mistakes = (
	[404, 'text/html',        qr/no such page/,                 '/nope'],
	[404, 'text/html',        qr/no such run/,                  '/run/99'],
	[400, 'text/html',        qr/parameter run/,                '/run/x'],
	[404, 'application/json', qr/no such run/,                  '/api/run/99'],
	[404, 'application/json', qr/there is no run 99/,           '/api/runs?after=99'],
	[422, 'application/json', qr/after a run or before/,        '/api/runs?after=1&before=2'],
	[404, 'application/json', qr/no such query.*runs/,          '/api/nope'],
	[400, 'application/json', qr/unknown parameter \\"limt\\".*limit/, '/api/runs?limt=1'],
	[400, 'application/json', qr/parameter limit.*from 1 to.*"parameter":"limit"/, '/api/runs?limit=0'],
	[400, 'application/json', qr/parameter after/,              '/api/runs?after=1e3'],
	[400, 'application/json', qr/parameter order/,              '/api/runs?order=run_id;drop'],
	[422, 'application/json', qr/run filter/,                   '/api/runs?filter=1=1;--'],
	[400, 'application/json', qr/parameter run is missing/,     '/api/run'],
	[404, 'image/svg+xml',    qr/<text[^>]*>there is no run 99</, '/view/sankey.svg?run=99'],
	[404, 'text/plain',       qr/there is no run 99\nRuns in this warehouse: 1, 2, 3, 4\./, '/view/sankey.png?run=99'],
	[404, 'image/svg+xml',    qr/no such view/,                 '/view/nope.svg?run=1'],
	[404, 'text/html',        qr/no such view.*sankey/s,         '/view/sankey.gif?run=1'],
	[400, 'image/svg+xml',    qr/parameter group_by.*Use one of/s, '/view/sankey.svg?run=1&group_by=nope'],
	[400, 'image/svg+xml',    qr/parameter run/,                '/view/sankey.svg?run=x'],
	[400, 'image/svg+xml',    qr/parameter run is missing/,     '/view/sankey.svg'],
	[400, 'image/svg+xml',    qr/unknown parameter/,            '/view/sankey.svg?run=1&nope=1'],
	[404, 'image/svg+xml',    qr/no supernode.*main/s,          '/view/histogram.svg?run=1&group_by=function&node=nope'],
	[404, 'text/plain',       qr/metric "nope"/,                '/view/flame.png?run=1&metric=nope'],
	[413, 'text/plain',       qr/too large for PNG/,            '/view/flame.png?run=1&width=20000&height=20000&scale=20'],
	[400, 'text/html',        qr/percent code/,                 '/%00'],
	[400, 'application/json', qr/UTF-8/,                        '/api/runs?search=%ff'],
	[414, 'text/html',        qr/too long/,                     '/' . 'a' x 10000],
	[400, 'application/json', qr/too many parameters/,          '/api/runs?' . join('&', map { "a=$_" } 1 .. 1000)],
	[414, 'text/html',        qr/too long/,           '/api/runs?' . join('&', map { "a=$_" } 1 .. 2000)],
	map { [400, 'text/plain', qr/unknown parameter "$_->[0]"/, "/view/sankey.png?run=1&$_->[0]=$_->[1]"] }
		[rows => '/etc/passwd'], [save_rows => '/tmp/x'], [module_map => '/etc/passwd'], [output => '/tmp/x'], [db => 'host=x'], [type => 'svg'],
		['save-rows' => '/tmp/x'], ['help' => '1']);
for my $mistake (@mistakes)
{
	my ($status, $type, $message, $target) = @$mistake;
	my $r    = $s->get($target);
	my $name = substr($target, 0, 60);
	is($r->{status}, $status, "status of $name") or diag($r->{body});
	like($r->{header}{'content-type'}, qr/^\Q$type\E/, "type of $name");
	like($r->{body}, $message, "message of $name");
}
like($s->get('/view/flame.svg?run=99', 'Sec-Fetch-Dest' => 'empty')->{body}, qr/^\{"error":/, 'scripts are told of errors as data');
for my $method (qw(POST PUT DELETE OPTIONS PATCH))
{
	my $r = $s->request($method, '/api/runs');
	is($r->{status}, 405, "no $method");
	is($r->{header}{allow}, 'GET, HEAD', 'but others');
}

# ---- where a request ends is beyond doubt, whatever is in front of the server
my $host  = "Host: 127.0.0.1:$s->{port}\r\n";
my $after = "GET /api/status HTTP/1.1\r\n$host\r\n";
for my $case (['two lengths', "Content-Length: 0\r\nContent-Length: 44\r\n", 400], ['a body', "Content-Length: 5\r\n", 400], ['chunks', "Transfer-Encoding: chunked\r\n", 400],
	['length and chunks', "Content-Length: 4\r\nTransfer-Encoding: chunked\r\n", 400], ['two hosts', "Host: other.example\r\n", 400],
	['two tokens', "Authorization: Bearer a\r\nAuthorization: Bearer b\r\n", 400], ['no body in so many words', "Content-Length: 0\r\nConnection: close\r\n", 200])
{
	my ($name, $lines, $status) = @$case;
	my $text    = $s->raw("GET /api/runs HTTP/1.1\r\n$host$lines\r\n0\r\n\r\n$after");
	my @answers = $text =~ m{^HTTP/1\.1 (\d+)}mg;
	is("@answers", $status, "$name: answered once");
	like($text, qr/^Connection: close\r$/mi, "$name: and the connection ends");
}
# ---- nor what was asked for
for my $path ("/\0", "/api/runs\0", "/\0api/runs?limit=1", "/api/runs?limit=1\0&limit=2", "/ \0x", "/\0HTTP/1.1")
{
	my $text = $s->raw("GET $path HTTP/1.1\r\n$host\r\n$after");
	like($text, qr{^HTTP/1\.1 400 .*NUL in the address}s, 'a NUL in ' . $path =~ s/\0/NUL/r);
	is(scalar(() = $text =~ m{^HTTP/1\.1 }mg), 1, 'and the connection ends');
}
like($s->raw("GET /api/status HTTP/1.0\r\n${host}Connection: close\r\n\r\n"), qr{^HTTP/1\.[01] 200 }, 'an older HTTP');
like($s->raw("POST /api/runs HTTP/1.1\r\n${host}Content-Length: 2\r\n\r\n{}"), qr{^HTTP/1\.1 405 .*^Allow: GET, HEAD\r$}ms, 'a POST with a body is none of ours');

# ---- no way to files
for my $path ('/static/../../../etc/passwd', '/static/..%2f..%2fetc%2fpasswd', '/static/%2e%2e/%2e%2e/etc/passwd', '/static//etc/passwd', '/static/',
	'/view/../../etc/passwd', '/view/../static/x.svg', '/api/../run/1', '/..%5c..%5cetc', '/static/runs.html%00.png')
{
	my $r = $s->get($path);
	like($r->{status}, qr/^40[04]$/, "nothing at $path");
	unlike($r->{body}, qr/root:/, 'and no file');
}

# ---- other sites, other names
for my $case ([421, Host => 'evil.example'], [421, Host => 'localhost.evil.example:80'], [421, Host => ''], [403, Origin => 'http://evil.example'],
	[403, Origin => 'null'], [403, 'Sec-Fetch-Site' => 'cross-site'], [403, 'Sec-Fetch-Site' => 'same-site'])
{
	my ($status, @headers) = @$case;
	is($s->get('/api/runs', @headers)->{status}, $status, "refused: @headers");
}
my @image = ('Sec-Fetch-Site' => 'cross-site', 'Sec-Fetch-Mode' => 'no-cors', 'Sec-Fetch-Dest' => 'image');
is($s->get('/view/flame.svg?run=1', @image)->{status},       200, 'a picture for another site');
is($s->get('/view/histogram.json?run=1', @image)->{status},  403, 'but not its rows');
is($s->get('/run/1', 'Sec-Fetch-Site' => 'cross-site', 'Sec-Fetch-Mode' => 'navigate', 'Sec-Fetch-Dest' => 'document')->{status}, 200, 'a link from another site');
is($s->get('/api/runs', Origin => "http://localhost:$s->{port}", Host => "localhost:$s->{port}", 'Sec-Fetch-Site' => 'same-origin')->{status}, 200, 'our own page');

# ---- names that were made to do harm come out as text
for my $view (qw(sankey flame histogram scatter box))
{
	for my $by ($view eq 'flame' ? ('') : ('&group_by=function', '&group_by=node'))
	{
		my $r = $s->get("/view/$view.svg?run=4$by");
		is($r->{status}, 200, "$view$by of evil names") or diag($r->{body});
		unlike($r->{body}, qr/<(script|img|svg onload|foreignObject)|<[\w:]+(\s+[\w:-]+="[^"]*")*\s+(on\w+|\w*:?href)\s*=|\x01/i, 'no markup of theirs');
		is(Serve::xml_fault($r->{body}), '', 'well-formed');
	}
}
for my $target ('/api/runs', '/api/run/4', '/view/histogram.json?run=4')
{
	my $r = $s->get($target);
	ok(defined Serve::json($r->{body}), "$target is JSON");
	like($r->{header}{'content-security-policy'}, qr/sandbox/, 'nothing in it would run');
}
unlike($s->get('/api/runs')->{body}, qr/[<>]/, 'no angle brackets in data');
is($s->get('/api/runs?search=' . Serve::encode($attacks[2]))->{status}, 200, 'SQL in a search');
is($s->get("/view/histogram.svg?run=4&group_by=function&node=" . Serve::encode($attacks[2]))->{status}, 200, 'SQL as the name of a node');
like($s->get('/' . Serve::encode($attacks[0]))->{body}, qr/no such page/, 'markup in an address');
unlike($s->get('/api/' . Serve::encode($attacks[0]))->{body}, qr/<script/, 'is not repeated as such');
is($w->sql('SELECT count(*) FROM perfhouse.run'), 4, 'all runs are still there');
like($w->sql("SELECT string_agg(DISTINCT usename || ' ' || coalesce(application_name, ''), ',') FROM pg_stat_activity WHERE application_name = 'perfhouse serve'"), qr/serve/, 'sessions have a name');

# ---- pictures drawn at the same time are the same as those drawn alone
my @views = map { my $v = $_; map { "/view/$v.$_" } qw(svg png) } 'flame', 'sankey', 'histogram', 'box';
my %alone = map { ($_ => $s->get("$_?run=1")->{body}) } @views;
for my $round (1 .. 4)
{
	my @asked = map { [$_, $s->send_get("$_?run=1")] } @views[0 .. 3];
	is(scalar(grep { my $r = $s->receive($_->[1]); $r->{status} == 200 && $r->{body} eq $alone{$_->[0]} } @asked), 4, 'four at once');
	@views = (@views[3 .. $#views], @views[0 .. 2]);
}

# ---- many clients, slow clients
my @idle = map { IO::Socket::INET->new(PeerAddr => "127.0.0.1:$s->{port}") } 1 .. 900;
is(scalar(grep { defined } @idle), 900, '900 connections that ask nothing');
is($s->get('/api/runs')->{status}, 200, 'others are served');
push @idle, map { IO::Socket::INET->new(PeerAddr => "127.0.0.1:$s->{port}", Timeout => 2) } 1 .. 200;
my $slow = IO::Socket::INET->new(PeerAddr => "127.0.0.1:$s->{port}");
ok($s->await(sub { $s->get('/api/runs')->{status} == 200 }), 'after a while there is room again');
undef @idle;
$slow  = IO::Socket::INET->new(PeerAddr => "127.0.0.1:$s->{port}");
my $began = time;
$slow->blocking(0);
my $alive = 1;
{
	local $SIG{PIPE} = 'IGNORE';
	syswrite($slow, "GET /api/runs HTTP/1.1\r\nHost: localhost\r\nX-Slow: ");
	while ($alive && time - $began < 60)
	{
		sleep(0.2);
		$alive = defined syswrite($slow, 'a');
		my $n = sysread($slow, my $bytes, 100);
		$alive = 0 if defined $n && $n == 0;
	}
}
ok(!$alive, 'a client that sends byte by byte is cut off');
is($s->get('/api/runs')->{status}, 200, 'the server lives');
my $long = $s->raw('GET /' . 'a' x 1_000_000 . " HTTP/1.1\r\nHost: localhost\r\n\r\n");
like($long, qr/^HTTP\/1.1 414/, 'an address of a million characters');
like($s->raw("GET / HTTP/1.1\r\nHost: localhost\r\n" . join('', map { "X-$_: " . 'b' x 1000 . "\r\n" } 1 .. 200) . "\r\n"), qr/^HTTP\/1.1 4\d\d/, 'too many headers');
like($s->raw("\x16\x03\x01\x02\x00garbage\r\n\r\n"), qr/^(HTTP\/1.1 4\d\d|)/, 'what is no HTTP');
is($s->get('/api/runs')->{status}, 200, 'the server lives on');

# ---- the database: slow, full of work, away
my $hasty = Serve->new($w, '--workers', '2', '--queue', '4', '--timeout', '3');
my @locks = $w->start('psql', '--', '-qc', 'BEGIN; LOCK TABLE perfhouse.run; SELECT pg_sleep(600)');
ok($s->await(sub { $w->sql("SELECT count(*) FROM pg_locks WHERE mode = 'AccessExclusiveLock' AND relation = 'perfhouse.run'::regclass AND granted") eq '1' }), 'a table is locked');
my @waiting = map { $hasty->send_get($_ < 13 ? "/view/histogram.svg?run=1&bins=$_" : '/api/runs') } 1 .. 13;
my @answers = map { $hasty->receive($_) } @waiting;
my %statuses;
$statuses{$_->{status}}++ for @answers;
cmp_ok($statuses{504} // 0, '>=', 2, 'queries over the timeout');
cmp_ok($statuses{503} // 0, '>=', 2, 'requests beyond the queue') or diag(join(' ', %statuses));
my ($full) = grep { $_->{status} == 503 } @answers;
ok($full && $full->{header}{'retry-after'}, 'are told when to come back');
$w->sql("SELECT pg_terminate_backend(pid, 60000) FROM pg_stat_activity WHERE query LIKE '%LOCK TABLE%pg_sleep(600)' AND pid <> pg_backend_pid()");
$w->finish(@locks);
ok($hasty->await(sub { $hasty->get('/api/runs')->{status} == 200 }), 'works again');
$hasty->stop;

my $events = $s->send_get('/api/events');
like($s->read_some($events), qr/^HTTP\/1.1 200.*text\/event-stream/s, 'a stream of events');
$w->sql(q(NOTIFY perfhouse_run, '{"run_id":1}'));
like($s->read_until($events, qr/event: run\ndata: \{"run_id":1\}\n\n/), qr/event: run/, 'a load is an event');
$w->ok_run('a load while clients follow', 'load', '--set', 'application=followed', "$history/lulesh-46c2a1d-n8-2.cali");
like($s->read_until($events, qr/event: run\ndata: \{[^\n]*followed[^\n]*\}\n\n/), qr/"application" ?: ?"followed"/, 'is heard of');
$w->sql(q(NOTIFY perfhouse_regression, '{"regression":7}'));
like($s->read_until($events, qr/event: regression\n/), qr/"regression":7/, 'so is a regression');
my @many = map { $s->send_get('/api/events') } 1 .. 100;
$s->read_until($_, qr/retry:/) for @many;
$w->sql(q(NOTIFY perfhouse_run, '{"run_id":2}'));
is(scalar(grep { $s->read_until($_, qr/"run_id":2/) =~ /"run_id":2/ } @many), 100, 'a hundred clients hear of it');
my ($id) = $s->read_until($many[0], qr/nothing/, 0.1) =~ /id: (\S+)/;
undef @many;
$w->sql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name LIKE 'perfhouse serve%'");
is($s->get('/api/runs')->{status}, 200, 'after lost connections');
like($s->read_until($events, qr/event: reset/), qr/event: reset/, 'followers are told that they may have missed something');
$w->ok_run('stop the database', 'down');
my $away = $s->get('/api/runs');
is($away->{status}, 503, 'the database is away');
ok($away->{header}{'retry-after'}, 'come back later');
is($s->get('/view/flame.png?run=1')->{status}, 503, 'so are pictures');
is($s->get('/run/1')->{status}, 503, 'and the pages of runs');
is($s->get('/')->{status}, 200, 'the start page is there');
$w->ok_run('start the database', 'up');
ok($s->await(sub { $s->get('/api/runs')->{status} == 200 }), 'and back');

# ---- the log and the end
my $log = Perfhouse::slurp("$w->{home}/access.log");
like($log, qr/^\d{4}-\d\d-\d\dT\S+Z 127\.0\.0\.1 "GET \/api\/runs" 200 \d+ [\d.]+$/m, 'the log has a line a request');
unlike($log, qr/[\x00-\x09\x0b-\x1f\x7f-\xff]/, 'and nothing but text');
is($s->stop, 0, 'SIGTERM ends it');
like($s->{err_text}, qr/stopping/, 'and it says so');
unlike($s->{err_text}, qr/Sanitizer|leak/i, 'nothing leaked');

# ---- starting: ports, addresses, tokens
sub secret
{
	my ($name, $text) = @_;
	my $path = $w->write_file($name, $text);
	chmod 0600, $path;
	return $path;
}
my $first = Serve->new($w);
my $r = $w->run('serve', '--port', $first->{port});
isnt($r->{code}, 0, 'a port in use');
like($r->{err}, qr/port $first->{port}.*hint: .*--port/s, 'is named, with what to do');
$first->stop;
for my $case ([qr/--tls-cert, --tls-key and --token-file/, '--bind', '0.0.0.0'], [qr/--tls-cert, --tls-key and --token-file/, '--bind', '127.0.0.1', '--bind', '::'],
	[qr/belong together/, '--tls-cert', $evil], [qr/not an IP address/, '--bind', 'perf.example'], [qr/--port must be/, '--port', '65536'],
	[qr/no such|No such/, '--token-file', '/nonexistent'], [qr/no token/, '--token-file', secret('short', "abc\n")],
	[qr/others may read or change it.*chmod 600/s, '--token-file', $w->write_file('open', "abcdefghijklmnop0123\n")],
	[qr/others may read or change it/, '--tls-key', "$w->{home}/open", '--tls-cert', "$w->{home}/open"],
	[qr/--timeout must be/, '--timeout', '0'])
{
	my ($message, @arguments) = @$case;
	my $refused = $w->run('serve', '--port', '0', @arguments);
	isnt($refused->{code}, 0, "refused: @arguments");
	like($refused->{err}, $message, 'with the reason');
}
is($w->run('--db', 'host=/nonexistent', 'serve', '--port', '0')->{code}, 5, 'no database');

my $token = 'abcdefghijklmnop0123';
my $t     = Serve->new($w, '--token-file', secret('token', "$token\n"), '--access-log', "$w->{home}/token.log");
is($t->get('/api/runs')->{status}, 401, 'no token');
like($t->get('/')->{body}, qr/<form/, 'pages ask for it');
is($t->get('/static/base.css')->{status}, 401, 'nothing is there without it');
is($t->get('/api/runs', Authorization => "Bearer $token")->{status},  200, 'as a header');
is($t->get('/api/runs', Authorization => "Bearer ${token}x")->{status}, 401, 'a wrong one');
is_deeply(Serve::json($t->get('/api/openapi.json', Authorization => "Bearer $token")->{body})->{security}, [{token => []}], 'the description says that one is needed');
$r = $t->get("/run/1?x=1&token=$token");
is($r->{status}, 303, 'in the address');
is($r->{header}{location}, '/run/1?x=1', 'goes on without it');
like($r->{header}{'set-cookie'}, qr/^perfhouse_token=\Q$token\E; Path=\/; HttpOnly; SameSite=Lax$/, 'becomes a cookie');
is($t->get('/api/runs', Cookie => "perfhouse_token=$token")->{status}, 200, 'that opens everything');
for my $path ("//evil.example/login?token=x", "//evil.example/login?token=$token", "/\\evil.example/?token=$token", "/run/1?token=x")
{
	$r = $t->get($path, Cookie => "perfhouse_token=$token");
	is($r->{header}{location}, undef, "$path leads nowhere");
	isnt($r->{status}, 303, 'and is no redirection');
}
is($t->get("/view/flame.svg?run=1&token=$token", @image)->{status}, 200, 'pictures of other sites carry it');
$t->stop;
unlike(Perfhouse::slurp("$w->{home}/token.log"), qr/$token/, 'the log does not have it');

SKIP:
{
	skip 'no openssl', 3 if system('openssl version > /dev/null 2>&1') != 0;
	skip 'no curl',    3 if system('curl --version > /dev/null 2>&1') != 0;
	my ($cert, $key) = ("$w->{home}/cert.pem", "$w->{home}/key.pem");
	system("openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -keyout $key -out $cert -days 2 -subj /CN=localhost > /dev/null 2>&1");
	my $tls = Serve->new($w, '--bind', '0.0.0.0', '--tls-cert', $cert, '--tls-key', $key, '--token-file', "$w->{home}/token");
	like($tls->{address}, qr/^https:/, 'says https');
	my $out = `curl -s -k -H 'Authorization: Bearer $token' https://127.0.0.1:$tls->{port}/api/run/1 2>&1`;
	like($out, qr/"run_id":1/, 'answers over TLS');
	like(`curl -s -k -i 'https://127.0.0.1:$tls->{port}/?token=$token'`, qr/set-cookie:[^\n]*; Secure/i, 'the cookie is for TLS only');
	$tls->stop;
}

# ---- the manual names every option
my $manual = Perfhouse::slurp("$FindBin::Bin/../../docs/man/perfhouse-serve.1");
for my $option ($w->ok_run('help', 'serve', '--help')->{out} =~ /^ +(?:-\w, )?(--[a-z-]+)/mg)
{
	(my $escaped = $option) =~ s/-/\\-/g;
	ok(index($manual, $escaped) >= 0, "manual has $option");
}
done_testing();
