# load: malformed bytes of every format with file, place and remedy; servers that refuse, change or die.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Perfhouse;
use File::Copy qw(copy);
use Test::More;

my $w    = Perfhouse->new;
my $good = "$Perfhouse::data/lulesh-history/lulesh-3e01c40-n8-1.cali";
my $text = Perfhouse::slurp($good);
$w->ok_run('a first run', 'load', $good);
my $seen = 'SELECT (SELECT count(*) FROM perfhouse.run_overview), (SELECT count(*) FROM perfhouse.profile_row), (SELECT count(*) FROM perfhouse.measurement)';
my $before = $w->sql($seen);

# A command that fails: its exit code, message and hint; the views show what they showed.
sub fails
{
	my ($name, $code, $pattern, @command) = @_;
	my $r = $w->run(@command);
	is($r->{code}, $code, "$name: exit code") or diag("$r->{out}$r->{err}");
	like($r->{err}, $pattern, "$name: message");
	like($r->{err}, qr/^perfhouse([ -]render)?: hint: \S/m, "$name: remedy");
	is($w->sql($seen), $before, "$name: views as before");
}

# ---- malformed files: what is said names the file and the place in it
sub changed
{
	my ($from, $to) = @_;
	my $copy = $text;
	$copy =~ s/\Q$from\E/$to/ or die "no $from";
	return $copy;
}
my $nodes = '{"label": "main", "column": "path"}, {"label": "f", "column": "path", "parent": 0}';
sub split_json
{
	my ($row, $tree) = @_;
	return qq({"data": [$row], "columns": ["time", "mpi.rank", "path"],
"column_metadata": [{"is_value": true}, {"is_value": true}, {"is_value": false}],
"nodes": [@{[$tree // $nodes]}], "mpi.world.size": "2"}\n);
}
sub literal
{
	my ($name, $time) = @_;
	return qq([{"frame": {"name": "$name", "type": "function"}, "metrics": {"time": $time}, "children": []}]\n);
}
my @malformed = (
	['utf8.cali',     changed('LagrangeLeapFrog', "Lagrange\xff\xfe"), qr/utf8\.cali:\d+:\d+: .*UTF-8/],
	['nul.cali',      changed('LagrangeLeapFrog', "Lagrange\0Leap"), qr/nul\.cali:\d+:\d+: .*UTF-8/],
	['twice.cali',    changed('__rec=node,id=', '__rec=node,id=1'), qr/twice\.cali:\d+:\d+: /],
	['half.cali',     substr($text, 0, length($text) / 2), qr/half\.cali: incomplete: it ends within line \d+; /],
	['range.json',    split_json('[1.0, 0, 7]'), qr/range\.json:1:\d+: row refers to node 7/],
	['negative.json', split_json('[-1.0, 0, 0]'), qr/negative\.json:1:\d+: .*negative/],
	['nan.json',      split_json('[NaN, 0, 0]'), qr/nan\.json:1:\d+: /],
	['infinity.json', literal('a', '1e999'), qr/infinity\.json:1:\d+: .*finite/],
	['huge.json',     split_json('[1.0, 0, 99999999999999999999]'), qr/huge\.json:1:\d+: /],
	['rank.json',     split_json('[1.0, 1000000000000, 0]'), qr/rank\.json:1:\d+: rank/],
	['short.json',    split_json('[1.0]'), qr/short\.json:1:\d+: .*fewer/],
	['cycle.json',    split_json('[1.0, 0, 0]', '{"label": "a", "column": "path", "parent": 1}, {"label": "b", "column": "path", "parent": 0}'), qr/cycle\.json:\d+:\d+: .*own ancestor/],
	['count.json',    split_json('[1.0, 0, 0]', '{"label": "a", "column": "path", "parent": 1000000000}'), qr/count\.json:\d+:\d+: .*parent 1000000000/],
	['zero.json',     literal('a\\u0000b', '1'), qr/zero\.json:1:\d+: /],
	['minus.json',    literal('a', '-1'), qr/minus\.json:1:\d+: .*negative/]);
fails($_->[0], 3, $_->[2], 'load', $w->write_file(@$_[0, 1])) for @malformed;

my ($database) = glob("$Perfhouse::data/profiles/hpctoolkit");
sub broken_database
{
	my ($name, $file, $change) = @_;
	my $folder = "$w->{home}/$name";
	mkdir $folder;
	copy($_, $folder) for glob("$database/*");
	my ($path) = $file eq 'metric-db' ? sort glob("$folder/*.metric-db") : "$folder/$file";
	my $bytes = Perfhouse::slurp($path);
	$change->($bytes) for $bytes;
	$w->write_file(substr($path, length($w->{home}) + 1), $bytes);
	return $folder;
}
sub put
{
	my ($offset, $new) = @_;
	return sub { substr($_[0], $offset, length $new) = $new };
}
SKIP:
{
	skip 'no database with metric-db files', 28 unless defined $database && glob("$database/*.metric-db");
	my @databases = (
		['cut',    'metric-db', sub { substr($_[0], -11) = '' }, qr/metric-db: offset 24: .*truncated/],
		['endian', 'metric-db', sub { substr($_[0], 24, 8) = pack('V2', unpack('N2', substr($_[0], 24, 8))) }, qr/metric-db: offset 24: .*endian/],
		['counts', 'metric-db', put(24, "\xff" x 8), qr/metric-db: offset 24: /],
		['tag',    'metric-db', put(0,  'garbage '), qr/metric-db: offset 0: not a metric-db/],
		['nans',   'metric-db', sub { substr($_[0], 32) = pack('d>', 'nan') x ((length($_[0]) - 32) / 8) }, qr/metric-db: offset \d+: .*not finite/],
		['minus',  'metric-db', sub { substr($_[0], 32) = pack('d>', -1) x ((length($_[0]) - 32) / 8) }, qr/metric-db: offset \d+: .*negative/],
		['xml',    'experiment.xml', sub { substr($_[0], length($_[0]) / 2) = '' }, qr/experiment\.xml:\d+:\d+: invalid XML/]);
	fails("database $_->[0]", 3, $_->[3], 'load', broken_database(@$_[0 .. 2])) for @databases;
}

# ---- files that an ordinary user may not read
SKIP:
{
	my $locked = $w->write_file('locked.cali', $text);
	chmod 0, $locked;
	my @as = ();
	if ($> == 0)
	{
		my $nobody = getpwnam('nobody');
		skip 'no user to be', 2 unless defined $nobody && -x '/usr/bin/setpriv';
		@as = ('setpriv', "--reuid=$nobody", "--regid=$nobody", '--clear-groups', 'env', 'PERFHOUSE_HOME=/nonexistent');
		chmod 0755, $w->{home};
		skip 'the program is where others may not look', 2 if system(@as, $Perfhouse::program, '--version') != 0;
	}
	my $said = join '', `@as $Perfhouse::program load --dry-run $locked 2>&1`;
	is($? >> 8, 4, 'unreadable file: exit code') or diag($said);
	like($said, qr/locked\.cali: .*Permission denied\n.*hint: /, 'unreadable file: named, with a remedy');
}

# ---- output that cannot be written
SKIP:
{
	skip 'no /dev/full', 4 unless -c '/dev/full';
	for my $command ('runs', 'export 1 --format json')
	{
		my $said = `PERFHOUSE_HOME=$w->{home}/home $Perfhouse::program $command 2>&1 > /dev/full`;
		is($? >> 8, 10, "$command on a full disk: exit code");
		like($said, qr/standard output:? .*No space left/, "$command on a full disk: message");
	}
}

# ---- tables of another version
my $conninfo = $w->sql("SELECT format('host=%s port=%s dbname=%s user=%s', trim(BOTH chr(34) FROM split_part(current_setting('unix_socket_directories'), ',', 1)), current_setting('port'), current_database(), current_user)");
sub directly
{
	my ($query) = @_;
	my $value = `psql "$conninfo" -XAtqc "$query"`;
	chomp $value;
	return $value;
}
sub other_version
{
	my ($name, $version, $pattern, @command) = @_;
	my $newest = directly('SELECT max(version) FROM perfhouse.schema_version');
	directly("UPDATE perfhouse.schema_version SET version = $version WHERE version = $newest");
	my $r = $w->run(@command);
	directly("UPDATE perfhouse.schema_version SET version = $newest WHERE version = $version");
	is($r->{code}, 8, "$name: exit code") or diag("$r->{out}$r->{err}");
	like($r->{err}, $pattern, "$name: message and remedy");
	is($w->sql($seen), $before, "$name: views as before");
}
SKIP:
{
	skip 'no psql', 12 if directly('SELECT 1') ne '1';
	other_version('old tables, load',    0, qr/version \d+, this program needs \d+\n.*hint: Run perfhouse init/, 'load', $good);
	other_version('old tables, render',  0, qr/version \d+, this program needs \d+\n.*hint: Run perfhouse init/, 'render', 'sankey', '--run', 1, '-o', "$w->{home}/x.svg");
	other_version('newer tables, load',  9999, qr/newer than this program.*\n.*hint: Use the newer/, 'load', $good);
	other_version('newer tables, init',  9999, qr/newer than this program.*\n.*hint: Use the newer/, 'init');
}

# ---- logins
my $count = 0;
sub fresh
{
	my $t = $text;
	$count++;
	$t =~ s/data=1795232416/'data=' . (1700000000 + $count)/e or die 'no start time';
	return $w->write_file("fresh$count.cali", $t);
}
my $hba   = $w->sql('SHOW hba_file');
my $rules = Perfhouse::slurp($hba);
sub set_hba
{
	my @lines = @_;
	open(my $out, '>', $hba) or die "$hba: $!";
	print $out @lines;
	close $out;
	my $loaded = $w->sql('SELECT pg_conf_load_time()');
	$w->sql('SELECT pg_reload_conf()');
	ok($w->becomes_true("SELECT pg_conf_load_time() > '$loaded'"), 'new sessions begin with other rules');
}
$w->sql(q{CREATE ROLE tap_password LOGIN PASSWORD 'right'; GRANT perfhouse_loader TO tap_password});
set_hba("local all tap_password scram-sha-256\n", $rules);
my @shared = ('--db', "$conninfo user=tap_password");
{
	local $ENV{PGPASSWORD} = 'wrong';
	fails('wrong password', 6, qr/password authentication failed/, @shared, 'load', fresh());
	fails('wrong password, picture', 6, qr/password authentication failed/, @shared, 'render', 'flame', '--run', 1, '-o', "$w->{home}/x.svg");
	delete $ENV{PGPASSWORD};
	fails('no password', 6, qr/no password supplied/, 'load', @shared, fresh());
	$ENV{PGPASSWORD} = 'right';
	is($w->run('load', @shared, $good)->{code}, 0, 'right password');
}
set_hba($rules);
$w->sql('CREATE ROLE tap_reader LOGIN; GRANT perfhouse_reader TO tap_reader; CREATE ROLE tap_nobody LOGIN');
my @reader = ('--db', "$conninfo user=tap_reader");
fails('reader loads',    7, qr/permission denied/, 'load', @reader, fresh());
fails('reader excludes', 7, qr/permission denied/, 'exclude', @reader, 1, 'because');
fails('no rights at all', 7, qr/permission denied/, 'runs', '--db', "$conninfo user=tap_nobody");
is($w->run('runs', @reader)->{code}, 0, 'a reader reads');

# ---- odd names of files load; what is stored is UTF-8
for my $name ("bytes\xff.cali", "two\nlines.cali", q(it's "q" \\x.cali))
{
	my $t = $text;
	$count++;
	$t =~ s/data=1795232416/'data=' . (1700000000 + $count)/e;
	$w->ok_run('an odd name', 'load', $w->write_file($name, $t));
}
is($w->sql("SELECT count(*) FROM perfhouse.run_overview WHERE title LIKE E'bytes\\uFFFD%'"), '1', 'bad bytes of a name are replaced');
$before = $w->sql($seen);

# ---- the server is killed while a load waits in it
$w->sql(q{CREATE FUNCTION public.slow() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM pg_sleep(600); RETURN NEW; END'; CREATE TRIGGER slow BEFORE INSERT ON perfhouse.region_summary FOR EACH ROW EXECUTE FUNCTION public.slow()});
my $sleeps = q{SELECT count(*) = 1 FROM pg_stat_activity WHERE wait_event = 'PgSleep'};
my ($server) = split /\n/, Perfhouse::slurp($w->sql('SHOW data_directory') . '/postmaster.pid');
{
	my ($pid, $base) = $w->start('load', fresh());
	ok($w->becomes_true($sleeps), 'killed server: the load waits in it');
	kill 'QUIT', $server;
	my $r = $w->finish($pid, $base);
	is($r->{code}, 5, 'killed server: exit code') or diag("$r->{out}$r->{err}");
	like($r->{err}, qr/fresh\d+\.cali: .*\n.*hint: .*try again/, 'killed server: file and remedy');
}
is($w->sql($seen), $before, 'killed server: started again, views as before');
{
	my ($pid, $base) = $w->start('load', fresh());
	ok($w->becomes_true($sleeps), 'SIGTERM: the load waits');
	kill 'TERM', $pid;
	my $r = $w->finish($pid, $base);
	is($r->{code}, 130, 'SIGTERM: exit code');
	is($w->sql($seen), $before, 'SIGTERM: views as before');
}
$w->sql('DROP TRIGGER slow ON perfhouse.region_summary');
$w->ok_run('all is well afterwards', 'load', fresh());
$w->ok_run('and sound', 'doctor', '--all');

done_testing();
