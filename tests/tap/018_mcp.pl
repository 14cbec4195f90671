# mcp: the protocol, the tools and their limits.
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
$w->ok_run("load $_", 'load', '--set', 'application=lulesh', "$history/lulesh-$_.cali") for '3e01c40-n8-1', '46c2a1d-n8-1';
$w->ok_run('load a trace', 'load', '--set', 'application=lulesh', "$Perfhouse::data/traces/lulesh-8");

# What the server answers to lines, one after the other.
sub answers
{
	my (@lines) = @_;
	my $in = $w->write_file('mcp.in', join('', map { "$_\n" } @lines));
	local $ENV{PERFHOUSE_HOME} = "$w->{home}/home";
	open(my $input, '<', $in) or die $!;
	my $pid = open3('<&' . fileno($input), my $out, undef, $Perfhouse::program, 'mcp');
	my @answers = map { decode_json($_) } grep { /^\{/ } <$out>;
	waitpid($pid, 0);
	is($? >> 8, 0, 'the server ends well with its input');
	return @answers;
}

sub call { return encode_json({jsonrpc => '2.0', id => 7, method => 'tools/call', params => {name => $_[0], arguments => $_[1]}}) }

# The text of a tool's answer, which is never longer than it may be.
sub text_of
{
	my ($answer) = @_;
	my $text = $answer->{result}{content}[0]{text};
	utf8::encode(my $bytes = $text);
	cmp_ok(length $bytes, '<=', 8000, 'no more than 8 kB');
	return $text;
}

# ---- the protocol
my @got = answers(
	'{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2024-11-05"}}',
	'{"jsonrpc":"2.0","method":"notifications/initialized"}',
	'', '{"jsonrpc":"2.0","id":"two","method":"ping"}', '{"jsonrpc":"2.0","id":3,"method":"tools/list"}',
	'{"jsonrpc":"2.0","id":4,"method":"resources/list"}', '{broken', '[1,2]', '{"id":{},"method":"ping"}', '[' x 2000,
	'{"jsonrpc":"2.0","id":5,"method":"tools/call"}', '{"jsonrpc":"2.0","id":6,"method":"tools/call","params":{"name":"nothing"}}', 'x' x 1_100_000);
is(scalar @got, 11, 'an answer to every request, none to a notification');
is($got[0]{result}{protocolVersion}, '2024-11-05', 'the version that was asked for');
is($got[0]{result}{serverInfo}{name}, 'perfhouse', 'who it is');
is_deeply($got[1], {jsonrpc => '2.0', id => 'two', result => {}}, 'ping');
my %tools = map { $_->{name} => $_ } @{$got[2]{result}{tools}};
is(join(' ', sort keys %tools), 'compare explain picture profile query runs waits', 'the tools');
ok($_->{annotations}{readOnlyHint} && $_->{inputSchema}{type} eq 'object' && length $_->{description}, "$_->{name} says what it is") for values %tools;
is_deeply([map { $_->{error}{code} } @got[3 .. 10]], [-32601, -32700, -32600, -32600, -32700, -32602, -32602, -32600], 'what is wrong has its number');

# ---- the tools
@got = answers(
	call('runs', {application => 'lulesh', limit => 2}), call('explain', {run => 1}), call('explain', {run => 2, vs => 1}),
	call('compare', {a => 1, b => 2}), call('profile', {run => 1, by => 'function', limit => 3}), call('waits', {run => 3}),
	call('query', {sql => "SELECT count(*) AS n FROM run_overview"}), call('runs', {filter => "title = 'it''s \\ all'"}));
like(text_of($got[0]), qr/^run_id \| application .*\n3 \| lulesh .*\n2 \| lulesh .*\nSQL: SELECT .* LIMIT 2::int4$/, 'runs, the newest first, with their SQL');
like(text_of($got[1]), qr/^step \| sentence.*\nefficiency \| .*explain_run/s, 'explain');
like(text_of($got[2]), qr/\nlevel \| .*explain_runs/s, 'explain two');
like(text_of($got[3]), qr/ \| unit\n(?:.*\n)*MPI_Waitall \| [0-9.]+ \| [0-9.]+ \| -?[0-9.e-]+ \| [^|\n]+ \| s\n/, 'compare, with the unit');
my $top = $w->sql('SELECT name FROM perfhouse.flat(perfhouse.profile(1)) ORDER BY exclusive DESC, name LIMIT 1');
like(text_of($got[4]), qr/^name \| .*\n\Q$top\E \| [0-9.]+ \| [0-9.]+ \| s \| /, 'profile begins with the dearest function, and has the unit');
is(() = text_of($got[4]) =~ /\n/g, 4, 'and has as many rows as were asked for');
like(text_of($got[5]), qr/^kind \| region \| seconds.*\n.*\| MPI_/, 'waits');
is(text_of($got[6]), "n\n3\nSQL: SELECT count(*) AS n FROM run_overview", 'a query');
like(text_of($got[7]), qr/\(no rows\)\nSQL: .*title = ''it''''s \\\\ all''/, 'text in SQL is quoted');

# the SQL of an answer gives that answer
for my $i (0, 3, 4)
{
	my ($figures, $sql) = text_of($got[$i]) =~ /\A[^\n]*\n(.*)\nSQL: (.*)\z/s;
	my @rows = split(/\n/, $w->sql($sql));
	is(scalar @rows, scalar(() = $figures =~ /^/mg), "the SQL of answer $i has its rows");
	is((split(/\|/, $rows[0]))[0], (split(/ \| /, $figures))[0], 'and its first figure');
}

# ---- limits
@got = answers(
	call('query', {sql => "SELECT x, repeat('\x{00e9}', 300) AS y FROM generate_series(1, 100000) x"}), call('query', {sql => "SELECT repeat('z', 100000)"}),
	call('query', {sql => 'DELETE FROM run'}), call('query', {sql => 'SELECT drop_run(1)'}), call('query', {sql => 'SELECT 1; SELECT 2'}),
	call('query', {sql => 'SELECT x FROM nowhere'}), call('query', {}), call('profile', {run => 'one'}), call('profile', {run => 1, more => 1}),
	call('profile', {run => 99}), call('query', {sql => "SELECT '" . 'q' x 20000 . "'"}),
	call('query', {sql => q{SELECT E'a\nb' AS x, 7 AS y}}), call('query', {sql => q{SELECT E'a\nb' AS x}}),
	'{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"profile","arguments":{"run":1180591620717411303424}}}');
like(text_of($got[0]), qr/\n\(the first [0-9]+ rows; ask for fewer, or for sums\)\nSQL: /, 'what does not fit is said to be missing');
like(text_of($got[1]), qr/^repeat\nz{400}\x{2026}\nSQL/, 'long values are cut');
for my $case ([2, qr/gives no rows/], [3, qr/read-only|permission denied/], [4, qr/multiple commands/], [5, qr/"nowhere" does not exist/], [6, qr/argument "sql" of query/],
	[7, qr/argument "run" of profile must be given as an integer/], [8, qr/has no argument "more"/], [9, qr/there is no run 99.*Hint: /s])
{
	my ($i, $why) = @$case;
	like(text_of($got[$i]), $why, "refusal $i says why");
	ok($got[$i]{result}{isError}, 'and is an error');
}
like(text_of($got[10]), qr/\nSQL: SELECT 'q/, 'long SQL is cut');
like(text_of($got[11]), qr/^x \| y\na b \| 7\nSQL: /, 'a row is a line, whatever its names are');
like(text_of($got[12]), qr/^x\na\nb\nSQL: /, 'but a text alone keeps its lines');
like(text_of($got[13]), qr/must be given as an integer/, 'a number that no run can have');
is($w->sql('SELECT count(*) FROM perfhouse.run'), 3, 'nothing is lost');

# ---- what nobody will see is not made, and texts are no numbers
@got = answers(call('query', {sql => q{SELECT repeat('w', 300) AS w, 1 / (5000 - x) AS y FROM generate_series(1, 100000) x}}),
	call('query', {sql => q{SELECT '1234567e12' AS commit, '1.10' AS title, 1.23456789::float8 AS x, 1.10::numeric AS y}}),
	call('query', {sql => 'SELECT 1 AS x;  '}), call('query', {sql => q{SELECT 1 AS x -- not all}}));
like(text_of($got[0]), qr/^w \| y\nw{300} \| 0\n(?:.*\n)*\(the first [0-9]+ rows/, 'rows behind those that fit are not fetched: one of them cannot be made');
is(text_of($got[1]) =~ s/\nSQL: .*//sr, "commit | title | x | y\n1234567e12 | 1.10 | 1.23457 | 1.1", 'numbers have six digits, texts that look alike all of theirs');
like(text_of($got[$_]), qr/^x\n1\nSQL: /, 'what ends a query') for 2, 3;

# ---- runs that measure different things are not subtracted
sub measured
{
	my (@metrics) = @_;
	return encode_json({dataframe => [{node => 0, rank => 0, name => 'main', map { $_ => 7 } @metrics}], graph => [{0 => {data => {name => 'main', type => 'function'}, children => []}}],
		exclusive_metrics => [@metrics]});
}
$w->ok_run('load seconds', 'load', $w->write_file('seconds.json', measured('time', 'bytes')));
$w->ok_run('load bytes', 'load', $w->write_file('bytes.json', measured('bytes')));
@got = answers(call('compare', {a => 4, b => 5}), call('compare', {a => 5, b => 4}));
ok($got[0]{result}{isError}, 'seconds are not compared with bytes');
like(text_of($got[0]), qr/time/, 'and why');
like(text_of($got[1]), qr/\nmain \| 7 \| 7 \| 0 \| bytes \| /, 'bytes are with bytes');

# ---- the rights of a reader, which SQL cannot leave
@got = answers(
	call('query', {sql => 'SELECT current_user'}), call('query', {sql => q{SELECT pg_read_file('PG_VERSION')}}),
	call('query', {sql => q{SELECT set_config('role', 'none', true), pg_read_file('PG_VERSION')}}),
	call('picture', {view => 'line', query => q{SELECT 1 AS x, length(pg_read_file('PG_VERSION')) AS y}}),
	call('picture', {view => 'line', query => q{SELECT 1 AS x, length(set_config('role', 'none', true) || pg_read_file('PG_VERSION')) AS y}}),
	call('picture', {view => 'line', query => q{SELECT 1 AS x, 1 / (current_setting('statement_timeout') = '30s')::int AS y}}));
like(text_of($got[0]), qr/^current_user\nperfhouse_reader\n/, 'SQL runs as a reader, whoever started the server');
like(text_of($got[$_]), qr/permission denied|cannot set parameter "role"/, "files of the database's machine are not read ($_)") for 1 .. 4;
is($got[5]{result}{content}[1]{mimeType}, 'image/png', 'queries of pictures end after as long as others');

# ---- what documents for agents give as SQL works, with runs that are there
for my $document ('llms.txt', 'agent-skill.md')
{
	for my $sql (Perfhouse::slurp("$FindBin::Bin/../../docs/$document") =~ /[`"](SELECT [^`"\x{2026}]*[^`"\s\x{2026}])[`"]/g)
	{
		next if $sql =~ /[^\x00-\x7f]/;
		my $with = $sql =~ s/\b7\b/2/gr =~ s/\b4\b/1/gr;
		ok(!(answers(call('query', {sql => $with})))[0]{result}{isError}, "$document: $sql");
	}
}

# ---- pictures
@got = answers(call('picture', {view => 'flame', run => 1}), call('picture', {view => 'line', query => "SELECT 1 AS x, 2 AS \"it's\""}), call('picture', {view => '--help'}),
	call('picture', {view => 'sankey', query => 'SELECT 1'}));
for my $i (0, 1)
{
	is($got[$i]{result}{content}[1]{mimeType}, 'image/png', 'a picture');
	like($got[$i]{result}{content}[1]{data}, qr/^iVBORw0KGgo[A-Za-z0-9+\/]+=*$/, 'in base64');
}
is(text_of($got[0]), 'perfhouse render flame --run 1 -o picture.png', 'with the command that draws it');
like(text_of($got[2]), qr/"--help" is no view/, 'options are no views');
like(text_of($got[3]), qr/cannot draw this query.*It draws: supergraph/s, 'what the renderer said');
{
	local $ENV{TMPDIR} = "$w->{home}/none";
	@got = answers(call('picture', {view => 'flame', run => 1}));
	like(text_of($got[0]), qr/no room for a picture below \Q$ENV{TMPDIR}\E/, 'the folder for it is made in TMPDIR');
}
done_testing();
