# export of rows: of a query and of a trace, as CSV and Arrow; conninfo.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Arrow;
use POSIX qw(mkfifo);
use Perfhouse;
use Test::More;

my $w   = Perfhouse->new;
my $out = $w->{home};
$w->ok_run('load a profile', 'load', "$Perfhouse::data/lulesh-history/lulesh-3e01c40-n8-1.cali");
$w->ok_run('load a trace', 'load', "$Perfhouse::data/traces/lulesh-8");

sub arrow
{
	my ($what, @arguments) = @_;
	$w->ok_run($what, 'export', @arguments, '--format', 'arrow', '-o', "$out/t.arrow");
	return Arrow::read_file("$out/t.arrow");
}

# A column as psql prints it, null as "-".
sub told { return join("\n", map { $_ // '-' } @{$_[0]}) }

# ---- every type, with nulls, in the rows of a query
my $types = <<'SQL';
SELECT x AS "id", (x * 7)::int8 AS wide, x % 2 = 0 AS even, CASE WHEN x <> 3 THEN x / 8.0::float8 END AS eighth, nullif(x, 2)::numeric AS n,
	CASE WHEN x <> 4 THEN repeat('ü,"', x) END AS text, '2024-05-01 10:00:00.25+00'::timestamptz + x * interval '1 day' AS day
FROM generate_series(1, 5) x;
SQL
my $t = arrow('types', '--query', $types);
is_deeply($t->{names}, ['id', 'wide', 'even', 'eighth', 'n', 'text', 'day'], 'columns by name');
is_deeply($t->{types}, [[2, 32, 1], [2, 64, 1], [6], [3], [3], [5], [10]], 'of their types');
is(told($t->{columns}{id}),     join("\n", 1 .. 5),              'integers');
is(told($t->{columns}{wide}),   join("\n", map { 7 * $_ } 1 .. 5), 'wide ones');
is(told($t->{columns}{even}),   "0\n1\n0\n1\n0",                 'booleans');
is(told($t->{columns}{eighth}), "0.125\n0.25\n-\n0.5\n0.625",    'numbers and a null');
is(told($t->{columns}{n}),      "1\n-\n3\n4\n5",                 'numeric');
is($t->{columns}{text}[1], "\xc3\xbc,\"\xc3\xbc,\"", 'text');
is($t->{columns}{text}[3], undef,                    'that is null');
is($t->{columns}{day}[0], 1714644000250000, 'times in microseconds');
$t = arrow('no rows', '--query', 'SELECT 1 AS a, now() AS b WHERE false');
is_deeply([$t->{names}, $t->{batches}], [['a', 'b'], 0], 'no rows have columns, too');
$t = arrow('more rows than a batch has', '--query', "SELECT x, repeat('y', x % 3) AS y FROM generate_series(1, 150000) x");
is($t->{batches}, 3, 'are several batches');
is_deeply([scalar @{$t->{columns}{x}}, $t->{columns}{x}[149_999], $t->{columns}{y}[149_999]], [150_000, 150_000, ''], 'with all rows');

my $csv = $w->ok_run('csv', 'export', '--query', "SELECT 1 AS \"a,b\", 'x\"y' AS c, NULL AS d", '-o', '-')->{out};
is($csv, "\"a,b\",c,d\n1,\"x\"\"y\",\n", 'CSV is the default of a query, and its header is quoted');
my $file = $w->write_file('q.sql', "SELECT count(*) FROM run");
is($w->ok_run('from a file', 'export', '--query-file', $file)->{out}, "count\n2\n", 'a query from a file');

# ---- a pipe is written, not replaced by a file
mkfifo("$out/pipe", 0600) or die "mkfifo: $!";
open(my $pipe, '-|', 'cat', "$out/pipe") or die "cat: $!";
$w->ok_run('into a pipe', 'export', '--query', 'SELECT 1 AS a', '-o', "$out/pipe");
is(join('', <$pipe>), "a\n1\n", 'its reader has the rows');
close($pipe);
ok(-p "$out/pipe", 'and it is a pipe still');
is($w->run('export', '--query', 'SELECT 1 AS a', '--format', 'parquet', '-o', "$out/pipe")->{code}, 2, 'Parquet needs a file');

# ---- a profile, a trace
$t = arrow('a profile', '1');
is(scalar @{$t->{columns}{path}}, $w->sql('SELECT count(*) FROM perfhouse.nodes(perfhouse.profile(1)) n JOIN perfhouse.column_values(perfhouse.profile(1)) v USING (node) WHERE v.present'),
	'a row a call path and rank');
my $sum = 0;
$sum += $_ for @{$t->{columns}{exclusive}};
cmp_ok(abs($sum - $w->sql('SELECT sum(exclusive) FROM perfhouse.column_values(perfhouse.profile(1))')), '<', 1e-9 * $sum, 'with its costs');

sub same_events
{
	my ($what, $table, $where) = @_;
	my @rows = map { my $i = $_; join('|', map { $table->{columns}{$_}[$i] // '' } qw(location rank time kind region peer bytes)) } 0 .. $#{$table->{columns}{time}};
	is(join("\n", @rows), $w->sql("SELECT e.location, e.rank, e.\"time\", e.kind, e.region, e.peer, CASE WHEN e.kind LIKE 'MPI_%' OR e.bytes IS NOT NULL THEN e.bytes END FROM perfhouse.events(2$where) e ORDER BY e.location, e.seq"), $what);
}
same_events('events are those of events()', arrow('events', '2', '--table', 'events'), '');
my $middle = $w->sql('SELECT percentile_disc(0.5) WITHIN GROUP (ORDER BY "time") FROM perfhouse.event WHERE run_id = 2');
my $window = arrow('a window', '2', '--table', 'events', '--from', $middle, '--to', $middle + 200_000);
cmp_ok(scalar @{$window->{columns}{time}}, '>', 5, 'a window has some of them');
same_events('and these', $window, sprintf(', %d, %d', $middle, $middle + 200_000));
$t = arrow('messages', '2', '--table', 'messages');
is(scalar @{$t->{columns}{bytes}}, $w->sql('SELECT count(*) FROM perfhouse.messages(2)'), 'messages');
is($w->sql('SELECT sum(n) FROM perfhouse.event_columns WHERE run_id = 2'), $w->sql('SELECT count(*) FROM perfhouse.event WHERE run_id = 2'), 'the view of columns has them all');
is($w->sql("SELECT count(*) FROM perfhouse.event_kinds()"), $w->sql('SELECT count(DISTINCT kind) FROM perfhouse.event_kinds()'), 'kinds have a code each');

# ---- mistakes
for my $case (
	['nothing to export',     2, ['export'],                                                    qr/nothing to export/],
	['a run and a query',     2, ['export', '1', '--query', 'SELECT 1'],                        qr/a run and a query/],
	['a tree of rows',        2, ['export', '--query', 'SELECT 1', '--format', 'tree'],         qr/cannot be written as tree.*csv/s],
	['a misspelt function',   9, ['export', '--query', 'SELECT * FROM perfhouse.imbalence(1)'], qr/Did you mean "imbalance"\?/],
	['other arguments',       9, ['export', '--query', "SELECT help(1, 2)"],                    qr/takes other arguments: SELECT \* FROM help\('help'\)/],
	['no such column',        8, ['export', '--query', 'SELECT x'],                             qr/column "x" does not exist/],
	['writing',               7, ['export', '--query', 'DELETE FROM run'],                      qr/read-only/],
	['no trace',             13, ['export', '1', '--table', 'events', '--format', 'arrow'],     qr/has no trace/])
{
	my ($what, $code, $command, $message) = @$case;
	my $r = $w->run(@$command);
	is($r->{code}, $code, "$what is refused");
	like($r->{err}, $message, "$what: why");
}

# ---- Parquet is the Python package's, whose tests read it; without it the way there is said before anything is fetched
{
	local $ENV{PERFHOUSE_PYTHON} = '/bin/false';
	my $r = $w->run('export', '1', '--format', 'parquet', '-o', "$out/t.parquet");
	is($r->{code}, 14, 'Parquet without the package is refused');
	like($r->{err}, qr/Python package, which \/bin\/false does not have.*PERFHOUSE_PYTHON.*--format arrow/s, 'and how to come by it');
	ok(!-e "$out/t.parquet" && !-e "$out/t.parquet.arrow", 'nothing is left');
	$r = $w->run('export', '--query', 'SELECT 1', '--format', 'parquet');
	is($r->{code}, 2, 'it is not written to standard output');
	like($r->{err}, qr/needs --output FILE/, 'but to a file');
}

# ---- conninfo
my $conninfo = $w->ok_run('conninfo', 'conninfo')->{out};
like($conninfo, qr/^host='.*' port=[0-9]+ dbname=perfhouse user=perfhouse$/m, 'of the private server');
chomp $conninfo;
is($w->ok_run('given on', 'conninfo', '--db', $conninfo)->{out}, "$conninfo\n", 'what --db says is printed as it is');
is($w->ok_run('used', 'runs', '--db', $conninfo)->{code}, 0, 'and others connect by it');
{
	my ($host, $port) = $conninfo =~ /host='(.*?)' port=([0-9]+)/;
	local @ENV{qw(PGHOST PGPORT PGDATABASE PGUSER)} = ($host, $port, 'perfhouse', 'perfhouse');
	is($w->ok_run('of PG variables', 'conninfo')->{out}, "host='$host' port='$port' dbname='perfhouse' user='perfhouse'\n", 'PG* variables mean a place');
}
done_testing();
