# perfhouse query and serve: saved queries with parameters, SQL of who has the token, and what neither may do.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use JSON::PP;
use Perfhouse;
use Serve;
use Test::More;

my $w = Perfhouse->new;
my $out = $w->{home};
$w->ok_run('load', 'load', '--set', 'application=lulesh', glob("$Perfhouse::data/lulesh-history/lulesh-3e01c40-n8-*.cali"));
$w->ok_run('load a trace', 'load', "$Perfhouse::data/traces/lulesh-8");

sub fails
{
	my ($what, $code, $pattern, @words) = @_;
	my $result = $w->run(@words);
	is($result->{code}, $code, "$what: exit code");
	like($result->{err}, $pattern, $what);
	return;
}

# ---- the command
my $hot = 'SELECT name, exclusive FROM flat(profile(:run)) ORDER BY exclusive DESC LIMIT :most';
like($w->ok_run('save', 'query', 'add', 'hot', '--query', $hot, '--view', 'bar', '--variable', 'run=1', '--variable', 'most=5', '--title', 'Hot <b>')->{out},
	qr{/q/hot, parameters run bigint = 1, most bigint = 5}, 'types are deduced');
$w->ok_run('save by the other word', 'view', 'add', 'of-application', '--query', q{SELECT run_id, title FROM run_overview WHERE application = :'app'});
like($w->ok_run('list', 'query', 'list')->{out}, qr/hot +Hot <b> +bar +run=1 most=5/, 'the list');
is($w->ok_run('show', 'view', 'show', 'hot')->{out}, "$hot\n", 'as it was written');
fails('a name twice', 12, qr/saved as "hot" already.*--replace/s, 'query', 'add', 'hot', '--query', 'SELECT 1');
fails('a bad name', 2, qr/cannot be called "$_".*a-z, 0-9/s, 'query', 'add', $_, '--query', 'SELECT 1') for '..x', 'Hot', "it's", '_x', '', 'a' x 64;
like($w->ok_run('as JSON', 'query', 'list', '--json')->{out}, qr/^\{.*"name": "hot".*\}$/m, 'the list as JSON');
fails('a mistake', 8, qr/nothere/, 'query', 'add', 'wrong', '--query', 'SELECT nothere');
fails('no rows', 2, qr/gives no rows/, 'query', 'add', 'wrong', '--query', 'DELETE FROM run');
fails('two statements', 1, qr/multiple commands/, 'query', 'add', 'wrong', '--query', 'SELECT 1; DELETE FROM run');
fails('a reserved name', 2, qr/cannot be called width/, 'query', 'add', 'wrong', '--query', 'SELECT :width::int');
fails('a name as a variable', 2, qr/stands for a name/, 'query', 'add', 'wrong', '--query', 'SELECT * FROM :"t"');
fails('none of that name', 13, qr/no query is saved as "nope"/, 'query', 'remove', 'nope');

# ---- variables of render and export
$w->ok_run('export', 'export', '--query', $hot, '--variable', 'run=1', '--variable', 'most=2', '--format', 'csv', '-o', "$out/hot.csv");
is(scalar(split(/\n/, Perfhouse::slurp("$out/hot.csv"))), 3, 'with values');
my $file = $w->write_file('hot.sql', "-- :no variable\n$hot;\n");
$w->ok_run('render -f NAME.sql', 'render', 'bar', '-f', $file, '--variable', 'run=1', '--variable', 'most=3', '-o', "$out/hot.svg");
like(Perfhouse::slurp("$out/hot.svg"), qr/3 rows of a query/, 'three bars');
fails('a value that is missing', 2, qr/the variable most has no value.*The query has: run, most/s, 'render', 'bar', '-f', $file, '--variable', 'run=1', '-o', "$out/x.svg");
fails('a variable that is none', 2, qr/has no variable mots/, 'render', 'bar', '-f', $file, '--variable', 'run=1', '--variable', 'mots=1', '-o', "$out/x.svg");
fails('no value at all', 2, qr/name=value/, 'export', '--query', $hot, '--variable', 'run');

# ---- served: as data, as pictures, described
fails('SQL without a token', 2, qr/--allow-sql needs --token-file/, 'serve', '--port', '0', '--allow-sql');
my $closed = Serve->new($w, '--workers', '1', '--timeout', '60', '--row-limit', '4');

sub rows_of { my ($r) = @_; return JSON::PP->new->decode($r->{body})->{rows} }
my $r = $closed->get('/api/q/hot?run=1&most=3');
is($r->{status}, 200, 'data');
is(scalar @{rows_of($r)}, 3, 'with values');
is(JSON::PP->new->decode($r->{body})->{columns}[1]{type}, 'double precision', 'and types');
$r = $closed->get('/api/q/hot');
is(scalar @{rows_of($r)}, 4, 'the row limit');
ok(JSON::PP->new->decode($r->{body})->{more}[0]{more}, 'which is told');
is(scalar @{rows_of($closed->get('/api/q/hot?limit=1'))}, 1, 'fewer');
like($closed->get('/q/hot.svg?run=1')->{body}, qr/<svg.*exclusive by name/s, 'a picture');
is($closed->get('/q/of-application.svg?app=lulesh')->{status}, 404, 'none without a view');
my $json = JSON::PP->new->decode($closed->get('/api/openapi.json')->{body});
is($json->{paths}{'/api/q/hot'}{get}{parameters}[0]{schema}{type}, 'integer', 'described');
ok($json->{paths}{'/api/q/of-application'}{get}{parameters}[0]{required}, 'what must be given');
ok($json->{paths}{'/q/hot.svg'}, 'the picture, too');
is($closed->get('/q/hot')->{status}, 200, 'a page');
like($closed->get('/q/hot')->{header}{'content-security-policy'}, qr/default-src 'self'/, 'with the policy of pages');
is($closed->get('/q/nope')->{status}, 404, 'no page of another name');
is($closed->get($_)->{status}, 403, "$_: this server takes no SQL") for '/sql', '/api/sql?query=SELECT+1', '/sql/bar.svg?query=SELECT+1,2';

# ---- values never become SQL
for my $value ("x'", "'; DROP TABLE perfhouse.run; --", q{' OR 1=1 --}, 'lulesh" --', '$$', "\\'", '%', ':app', "1) UNION SELECT 1, usename FROM pg_user --")
{
	is(join(',', map { $_->{title} } @{rows_of($closed->get('/api/q/of-application?app=' . Serve::encode($value)))}), '', "no run of application $value");
	is($closed->get('/api/q/hot?run=' . Serve::encode($value))->{status}, 422, "no run $value");
}
is(scalar @{rows_of($closed->get('/api/q/of-application?app=lulesh'))}, 3, 'while what is there is found');
is($closed->get('/api/q/hot?runs=1')->{status}, 400, 'a parameter that it has not');
is($closed->get('/api/q/' . Serve::encode($_))->{status}, 404, "no query $_") for "hot'", '../hot', 'x' x 200, 'hot; SELECT 1';
$closed->stop;

# ---- SQL of who has the token: what it may not do
(my $token = '0123456789abcdef' x 2);
my $secret = $w->write_file('token', "$token\n");
chmod 0600, $secret;
my $open = Serve->new($w, '--workers', '1', '--quick-workers', '1', '--timeout', '60', '--allow-sql', '--token-file', $secret);
my @auth = (Authorization => "Bearer $token");
sub sql { my ($text, $more) = @_; return $open->get('/api/sql?query=' . Serve::encode($text) . ($more // ''), @auth) }
is($open->get('/api/sql?query=SELECT+1')->{status}, 401, 'nothing without the token');
is($open->get('/api/sql?query=SELECT+1', @auth, 'Sec-Fetch-Site' => 'cross-site', 'Sec-Fetch-Mode' => 'cors')->{status}, 403, 'nor from pages of others');
is($open->request('POST', '/api/sql?query=SELECT+1', @auth)->{status}, 405, 'nor by POST');
is($open->get('/sql', @auth)->{status}, 200, 'the page');
is_deeply(rows_of(sql('SELECT 1 AS a, 2 AS a, NULL AS b')), [{a => 1, 'a (2)' => 2, b => undef}], 'rows, each column once');
is_deeply(rows_of(sql('SELECT :x::int + 1 AS y', '&x=41')), [{y => 42}], 'with variables');
is(rows_of(sql('SELECT current_user'))->[0]{current_user}, 'perfhouse_reader', 'as the role that reads');
like($open->get('/sql/bar.svg?query=' . Serve::encode("SELECT 'a', 1"), @auth)->{body}, qr/<svg/, 'pictures');
like(rows_of(sql('SELECT profile(1)'))->[0]{profile}, qr/^run 1/, 'values are told in words');

my %hostile = (
	'writes'              => 'INSERT INTO perfhouse.run DEFAULT VALUES RETURNING *',
	'writes within'       => 'WITH gone AS (DELETE FROM perfhouse.run RETURNING *) SELECT * FROM gone',
	'several statements'  => 'SELECT 1; DROP TABLE perfhouse.run',
	'ends the wrapper'    => 'SELECT 1) , x AS (DELETE FROM perfhouse.run RETURNING 1',
	'commits'             => 'COMMIT',
	'takes another role'  => "SELECT set_config('role', 'none', true), query_to_xml('SELECT * FROM pg_authid', true, false, '')",
	'becomes another'     => "SELECT set_config('session_authorization', 'postgres', true)",
	'reads a file'        => "SELECT pg_read_file('/etc/passwd')",
	'writes a file'       => "SELECT lo_export(lo_from_bytea(0, '\\x00'), '/tmp/perfhouse-was-here')",
	'writes by a query'   => "SELECT set_config('transaction_read_only', 'off', true), query_to_xml('DELETE FROM perfhouse.run', true, false, '')",
	'runs a program'      => "COPY (SELECT 1) TO PROGRAM 'id'",
	'makes a table'       => 'CREATE TEMP TABLE t (i int)',
	'makes one of a query' => 'SELECT 1 INTO TEMP t',
	'drops a run'         => 'SELECT perfhouse.drop_run(1)',
	'moves a sequence'    => "SELECT nextval('perfhouse.run_run_id_seq')",
	'locks a table'       => 'LOCK TABLE perfhouse.run',
	'calls a block'       => 'DO $$ BEGIN NULL; END $$',
	'a parameter by number' => 'SELECT $1',
	'is empty'            => ' ; ',
	'has a column too many' => 'SELECT ' . join(',', (1) x 201),
);
for my $what (sort keys %hostile)
{
	my $answer = sql($hostile{$what});
	is($answer->{status}, 422, "what $what is refused");
	like($answer->{body}, qr/"error":\{"message":"[^"]/, 'with a reason');
}
ok(!-e '/tmp/perfhouse-was-here', 'no file was written');
is($w->sql('SELECT count(*) FROM perfhouse.run'), 4, 'all runs are there');

# ---- what does not end, or is too much, and what a query leaves behind
my $hasty = Serve->new($w, '--workers', '1', '--timeout', '2', '--allow-sql', '--token-file', $secret);
is($hasty->get('/api/sql?query=' . Serve::encode($_), @auth)->{status}, 504, "$_: cancelled") for 'SELECT pg_sleep(60)', "SELECT set_config('statement_timeout', '0', true), count(*) FROM generate_series(1, 1000000000000)",
  'WITH RECURSIVE r AS (SELECT 1 AS i UNION ALL SELECT i + 1 FROM r) SELECT count(*) FROM r';
$hasty->stop;
is(sql("SELECT repeat('x', 50000000)")->{status}, 413, 'a row of 50 MB');
like(sql("SELECT repeat('x', 900000) FROM generate_series(1, 80)")->{status}, qr/413|504/, 'rows of 72 MB, or the time that they take');
sql("SELECT set_config('statement_timeout', '1', false), set_config('search_path', 'pg_temp', false), pg_advisory_lock(4711)");
is(rows_of(sql("SELECT count(*) AS locks FROM pg_locks WHERE locktype = 'advisory' AND objid = 4711"))->[0]{locks}, 0, 'no lock stays');
is(rows_of(sql('SELECT current_setting(\'statement_timeout\') AS t'))->[0]{t}, '1min', 'nor a setting');
is(rows_of(sql('SELECT current_user AS u'))->[0]{u}, 'perfhouse_reader', 'nor the role');
is(sql('SELECT x', '&limit=0')->{status}, 400, 'no limit is none');
is($open->get('/api/status', @auth)->{status}, 200, 'the server is well');

# ---- what pages show, as SQL: it is valid, and what it gives draws the same picture
sub source { my ($path) = @_; my $answer = $open->get($path, @auth); is($answer->{status}, 200, $path); return $answer->{body} =~ s/;\s*\z//r }
for my $name (map { s{^/view/|\.svg$}{}gr } grep { m{^/view/.*\.svg$} } sort keys %{$json->{paths}})
{
	my $of = $name =~ /history|scaling|ensemble/ ? 'application=lulesh' : $name =~ /diff|compare/ ? 'run=1&vs=1' : $name =~ /^(?:timeline|comm|message|time-|blame|logical|step|gpu|kernels|window)/ ? 'run=4' : 'run=1';
	$of .= '&phase=0' if $name eq 'logical-clusters';
	$of = 'run=4&vs=4' if $name eq 'trace-diff';
	my $text = source("/view/$name.sql?$of");
	my $psql = $w->run('psql', '-c', $text);
	is($psql->{code}, 0, "$name: works in psql") or diag("$psql->{err}\n$text");
}
for my $case ('flame?run=1', 'flame?run=1&inverted=true', 'sankey?run=1&group_by=function', 'sankey?run=1&group_by=function&split_caller=MPI_Waitall', 'processes?run=1', 'histogram?run=1&group_by=function', 'box?run=1', 'metric?run=1&ranks=0-3', 'flame-diff?run=1&vs=1')
{
	my ($view, $query) = $case =~ /^([\w-]+)\?(.*)/;
	my $text = source("/view/$view.sql?$query");
	my $run = $open->get("/view/$view.svg?$query", @auth)->{body};
	my $again = $open->get("/sql/$view.svg?query=" . Serve::encode($text), @auth)->{body};
	is(() = $again =~ /data-node=|data-label=/g, () = $run =~ /data-node=|data-label=/g, "$case: as many marks of its SQL");
}
for my $path ('runs.sql?limit=3', 'run.sql?run=1', 'functions.sql?application=lulesh', 'members.sql?run=1&group_by=function&node=main', 'diff.sql?a=1&b=1', 'phases.sql?run=4', 'regressions.sql', 'saved.sql', 'changes.sql?application=lulesh')
{
	my $psql = $w->run('psql', '-c', source("/api/$path"));
	is($psql->{code}, 0, "/api/$path works in psql") or diag($psql->{err});
}
is($open->get('/api/runs.sql?nothing=1', @auth)->{status}, 400, 'a parameter that there is none of');

# ---- Grafana, and the end
my $board = JSON::PP->new->decode($w->ok_run('a dashboard', 'query', 'dashboard')->{out});
is(join(' ', map { $_->{name} } @{$board->{templating}{list}}), 'run most app pages', 'a variable for each name');
my %type = map { $_->{name} => $_->{type} } map { @{$_->{parameters}} } map { JSON::PP->new->decode($_) } split /\n/, $w->ok_run('the list', 'query', 'list', '--json')->{out};
is($board->{panels}[0]{targets}[0]{rawSql}, $hot =~ s/(?<!:):(\w+)/\${$1:sqlstring}::$type{$1}/gr, 'which Grafana quotes, with its type');
for my $panel (grep { $_->{targets} } @{$board->{panels}})
{
	my %value = map { $_->{name} => "'" . ($_->{current}{value} =~ s/'/''/gr) . "'" } grep { $_->{current} } @{$board->{templating}{list}};
	my $sql = $panel->{targets}[0]{rawSql} =~ s/\$\{(\w+):sqlstring\}/$value{$1}/gr;
	is($w->run('psql', '-c', $sql)->{code}, 0, "panel $panel->{title}: what Grafana sends works") or diag($sql);
}
like($board->{panels}[1]{options}{content}, qr{/q/hot\.svg\?run=\$\{run:percentencode\}&amp;most=}, 'beside the picture');
$w->ok_run('replace', 'query', 'add', 'hot', '--replace', '--query', 'SELECT 1 AS one');
is_deeply(rows_of($open->get('/api/q/hot', @auth)), [{one => 1}], 'another at once');
$w->ok_run('remove', 'view', 'remove', 'hot');
is($open->get('/api/q/hot', @auth)->{status}, 404, 'gone');

# ---- the tree of the pages has the numbers of SQL, also where children cost more than their parent
my $unequal = $w->write_file('unequal.csv', "callpath,rank,time (inc) [s]\nmain,0,1\nmain;a,0,5\nmain,1,3\nmain;b,1,2\n");
my ($run) = $w->ok_run('load', 'load', $unequal)->{out} =~ /run (\d+)/;
my $tree = JSON::PP->new->decode($open->get("/api/tree?run=$run", @auth)->{body})->{nodes}[0];
is(join("\n", map { "$tree->{name}[$_]|$tree->{inclusive}[$_]|$tree->{exclusive}[$_]" } 0 .. $#{$tree->{name}}),
	$w->sql("SELECT name, inclusive, exclusive FROM perfhouse.nodes(perfhouse.profile($run)) ORDER BY node"), 'the same costs');
$open->stop;
done_testing;
