# up, down, status, psql: the embedded server starts by itself, once, and survives what happens to it.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Perfhouse;
use JSON::PP;
use File::Path qw(make_path remove_tree);
use Sys::Hostname;
use Test::More;
use Time::HiRes qw(sleep);

my $w    = Perfhouse->empty;
my $home = "$w->{home}/home";

sub write_text
{
	my ($path, $text) = @_;
	open(my $out, '>', $path) or die "$path: $!";
	print $out $text;
	close $out;
}

sub server_pid
{
	return (split /\n/, Perfhouse::slurp("$home/cluster/data/postmaster.pid"))[0] // 0;
}

# ---- nothing there yet
my $r = $w->ok_run('down without a server', 'down');
like($r->{out}, qr/no embedded server runs/, 'says so');
ok(!-e "$home/cluster", 'and makes nothing');

# ---- eight starts at once
my @started = map { [$w->start('psql', '--', '-Atqc', 'SELECT count(*) FROM run_overview')] } 1 .. 8;
my @results = map { $w->finish(@$_) } @started;
is(join(' ', map { $_->{code} } @results), join(' ', (0) x 8), 'eight first uses at once') or diag(map { $_->{err} } @results);
is(join('', map { $_->{out} } @results), "0\n" x 8, 'all see one empty warehouse');
is(scalar(grep { $_->{err} =~ /starting the embedded server/ } @results), 1, 'one of them started it');

# ---- who can get in
my @info = stat("$home/cluster/data");
is($info[2] & 0777, 0700, 'data is private');
is((stat("$home/cluster/socket"))[2] & 0777, 0700, 'so is the socket\'s folder');
is($w->sql("SHOW listen_addresses"), '', 'no network');
is($w->sql("SHOW data_checksums"), 'on', 'data checksums');
if ($> == 0)
{
	isnt($info[4], 0, 'the server is not root\'s');
}

# ---- up, status, psql
$r = $w->ok_run('up when it runs', 'up');
like($r->{out}, qr/host='.*' port=5432 dbname=perfhouse/, 'a conninfo for other programs');
my ($conninfo) = $r->{out} =~ /(host=.*)/;
$r = $w->ok_run('its conninfo works with --db', 'runs', '--json', '--db', $conninfo);
$r = $w->ok_run('status', 'status');
like($r->{out}, qr/embedded, process \d+/, 'process');
my $json = decode_json($w->ok_run('status --json', 'status', '--json')->{out});
is($json->{ready}, 0, 'no runs');
is($w->run('psql', '--', '-c', 'SELECT 1/0')->{code}, 1, 'psql\'s exit code comes through');
is($w->run('psql', '-Atc', 'SELECT count(*) FROM run_overview')->{out}, "0\n", 'options of psql need no --');
is($w->run('psql', '-X', '--tuples-only', '--no-align', '--command=SELECT 2')->{out}, "2\n", 'nor long ones behind them');
is($w->run('psql', 'SELECT 1')->{code}, 2, 'a word does');
is($w->run('psql', '--', '-v', 'ON_ERROR_STOP=1', '-f', '/nonexistent')->{code}, 1, 'also for files');
is($w->sql('SHOW search_path'), 'perfhouse,public', 'search_path');

# ---- killed server
$w->sql('CREATE TABLE public.kept AS SELECT 42 AS answer');
my $pid = server_pid();
ok(kill('KILL', $pid), 'server killed');
is($w->sql('SELECT answer FROM public.kept'), '42', 'recovers, committed data is there');
isnt(server_pid(), $pid, 'as another process');

# ---- a stale lock whose process number belongs to somebody else
$w->ok_run('down', 'down');
ok(!-e "$home/cluster/data/postmaster.pid", 'stopped');
my $text = join("\n", $$, "$home/cluster/data", time, 5432, "$home/cluster/socket", '', '  1234 0', 'ready', '');
write_text("$home/cluster/data/postmaster.pid", $text);
is($w->run('down')->{code}, 0, 'down does not mistake another process for the server');
ok(kill(0, $$), 'which lives on');
is($w->sql('SELECT answer FROM public.kept'), '42', 'starts over a stale lock');

# ---- a second machine
my $lock = Perfhouse::slurp("$home/host");
like($lock, qr/^\Q@{[hostname()]}\E/, 'the machine is noted');
write_text("$home/host", 'elsewhere');
$r = $w->run('runs');
is($r->{code}, 15, 'refused while another machine uses the home');
like($r->{err}, qr/used by the embedded server on host elsewhere/, 'named');
like($r->{err}, qr/hint: .*perfhouse down.*there/, 'with a remedy');
is($w->run('down')->{code}, 15, 'nor is it stopped from here');
write_text("$home/host", $lock);

# ---- another major version
$w->ok_run('down again', 'down');
my $version_file = "$home/cluster/data/PG_VERSION";
my $version      = Perfhouse::slurp($version_file);
write_text($version_file, "9\n");
$r = $w->run('runs');
is($r->{code}, 15, 'data of another major version');
like($r->{err}, qr/was made by PostgreSQL 9, but the server here is version \d+/, 'which');
like($r->{err}, qr/postgresql-9.*pg_dump.*pg_restore/s, 'what to do');
write_text($version_file, $version);
is($w->sql('SELECT answer FROM public.kept'), '42', 'and back');

# ---- commands killed at any moment of making and starting the server
for my $milliseconds (Perfhouse::some(2, 20, 60, 120, 200, 300, 450))
{
	my $killed = Perfhouse->empty;
	my ($process, $files) = $killed->start('up');
	sleep($milliseconds / 1000);
	kill('KILL', $process);
	$killed->finish($process, $files);
	is($killed->sql('SELECT 1'), '1', "up killed after $milliseconds ms");
	$killed->stop;
}
{
	my $interrupted = Perfhouse->empty;
	my ($process, $files) = $interrupted->start('up');
	sleep(0.15);
	kill('INT', $process);
	my $result = $interrupted->finish($process, $files);
	ok($result->{code} == 0 || $result->{code} == 130, 'up interrupted') or diag("$result->{code} $result->{err}");
	is($interrupted->sql('SELECT 1'), '1', 'and then works');
	$interrupted->stop;
}

# ---- a home whose path is too long for a socket
{
	my $long  = Perfhouse->empty;
	my $outer = "$long->{home}/" . join('/', ('a' x 40) x 4);
	make_path($outer);
	rename($long->{home} . '/home', "$outer/home");
	local $long->{home} = $outer;
	is($long->sql('SELECT 1'), '1', 'a long home');
	$long->run('down');
}

# ---- a home whose path configuration files, conninfos and shells have to quote
{
	my $odd   = Perfhouse->empty;
	my $outer = "$odd->{home}/it's a, \xC3\xBC";
	make_path($outer);
	chmod 0711, $outer;
	local $odd->{home} = $outer;
	is($odd->sql('SELECT 1'), '1', 'an odd home');
	my $exports = $odd->run('up', '--export')->{out};
	open(my $shell, '-|', 'sh', '-c', $exports . 'printf %s "$PGHOST"') or die $!;
	like(join('', <$shell>), qr{^/tmp/perfhouse-}, 'a comma in the path: the socket is elsewhere');
	$odd->run('down');
	my $moved = $outer =~ s/ a, .*//r;
	rename($outer, $moved) or die $!;
	$odd->{home} = $moved;
	is($odd->sql('SELECT 1'), '1', 'a home that moved');
	$exports = $odd->run('up', '--export')->{out};
	open($shell, '-|', 'sh', '-c', $exports . 'printf %s "$PGHOST"') or die $!;
	is(join('', <$shell>), "$moved/home/cluster/socket", 'up --export quotes for the shell');
	$odd->run('down');
}

# ---- a home that is moved while its server runs, and whose place another one takes
{
	my $one   = Perfhouse->empty;
	my $other = Perfhouse->empty;
	$one->sql('CREATE TABLE public.mine AS SELECT 1 AS one');
	rename("$one->{home}/home", "$one->{home}/moved") or die $!;
	$other->run('init');
	$other->run('down');
	rename("$other->{home}/home", "$one->{home}/home") or die $!;
	is($one->run('up')->{code}, 0, 'another home is where it was');
	my $ask = sub { return scalar(qx(PERFHOUSE_HOME=$one->{home}/$_[0] $Perfhouse::program psql -- -Atc "SELECT to_regclass('public.mine')" 2>&1)) };
	like($ask->('moved'), qr/the home or its socket has moved.*^mine$/ms, 'a home that moved below its server has its own data');
	like($ask->('home'), qr/^\n\z/m, 'and the other its own, though the end of the first server removed its socket');
	is($ask->($_->[0]), $_->[1], 'both are reached as ever then') for ['moved', "mine\n"], ['home', "\n"];
	system("PERFHOUSE_HOME=$one->{home}/moved $Perfhouse::program down > /dev/null");
}

# ---- a home whose name a shell would run
{
	my $hostile = Perfhouse->empty;
	my $ran     = "$hostile->{home}/ran";
	my $command = "touch \$(echo $ran | tr : /)" =~ s{/}{:}gr;
	my $outer   = "$hostile->{home}/\$($command)`$command`;\"";
	make_path($outer);
	chmod 0711, $outer;
	local $hostile->{home} = $outer;
	is($hostile->sql('SELECT 1'), '1', 'a home with a command in its name starts');
	ok(!-e $ran, 'and nothing of it is run');
	$hostile->run('down');
	local $ENV{PERFHOUSE_HOME} = "$w->{home}/two\nlines";
	like(qx($Perfhouse::program status 2>&1), qr/line ends.*PERFHOUSE_HOME/s, 'line ends are refused before anything is made');
}

# ---- a server that cannot be told where the extension is
SKIP:
{
	skip 'the extension is installed', 3 unless -d $Perfhouse::program =~ s{[^/]*/[^/]*$}{stage}r;
	my $tree = Perfhouse->empty;
	local $ENV{PERFHOUSE_SERVER_TREE} = '1';
	is($tree->sql('SELECT perfhouse_version() IS NOT NULL'), 't', 'a private tree of the server\'s files');
	unlike(Perfhouse::slurp("$tree->{home}/home/cluster/data/perfhouse.conf"), qr/extension_destdir/, 'without the setting');
	my $pid = (split /\n/, Perfhouse::slurp("$tree->{home}/home/cluster/data/postmaster.pid"))[0];
	like(readlink("/proc/$pid/exe"), qr{/cluster/server/}, 'its program runs');
	$tree->run('down');
}

# ---- homes that cannot be used
{
	my $file = $w->write_file('not-a-folder', '');
	local $w->{home} = $file;
	my $result = do
	{
		local $ENV{PERFHOUSE_HOME} = "$file/home";
		my $out = qx($Perfhouse::program runs 2>&1);
		{code => $? >> 8, err => $out};
	};
	is($result->{code}, 4, 'a home below a file');
	like($result->{err}, qr/Set PERFHOUSE_HOME/, 'with a remedy');
}

# ---- as root: a home that the server's user cannot reach
SKIP:
{
	skip 'not root', 4 if $> != 0;
	my $closed = Perfhouse->empty;
	chmod 0700, $closed->{home};
	is($closed->sql('SELECT 1'), '1', 'a closed home');
	my $target = readlink("$closed->{home}/home/cluster");
	like($target, qr{^/var/lib/perfhouse/\w+$}, 'the data is elsewhere');
	is((stat($target))[2] & 0777, 0700, 'and private');
	$closed->run('down');
	is((stat($closed->{home}))[2] & 0777, 0700, 'the home stays closed');
	remove_tree($target);
	unlink "$target.home";
}

# ---- as root: files of the server's user, who must not be given others by links
SKIP:
{
	skip 'not root', 8 if $> != 0;
	my $own = "$w->{home}/own";
	my $log = (readlink("$home/cluster") // "$home/cluster") . '/server.log';
	write_text($own, "root's\n");
	local $ENV{PERFHOUSE_HOME} = $home;
	$w->ok_run('down before', 'down');
	for my $way (qw(symlink link))
	{
		unlink $log;
		$way eq 'symlink' ? symlink($own, $log) : link($own, $log) or die "$log: $!";
		my $result = $w->run('up');
		isnt($result->{code}, 0, "a server's log that is a $way elsewhere");
		like($result->{err}, qr/server\.log is (a symbolic link|not a plain file)/, 'is not written');
		is(join(' ', (stat $own)[4], -s $own), '0 7', 'nor given away');
	}
	unlink $log;
	$w->ok_run('up without it', 'up');
}

# ---- a home that may not be written
SKIP:
{
	skip 'root may write everywhere', 2 if $> == 0;
	my $locked = Perfhouse->empty;
	chmod 0500, $locked->{home};
	my $out = qx(PERFHOUSE_HOME='$locked->{home}/x' $Perfhouse::program runs 2>&1);
	is($? >> 8, 4, 'a read-only home');
	like($out, qr/Permission denied.*PERFHOUSE_HOME/s, 'why, and what to do');
	chmod 0700, $locked->{home};
}

# ---- a full disk
SKIP:
{
	skip 'needs root for a small file system', 3 if $> != 0;
	my $small = "$w->{home}/small";
	mkdir $small;
	skip 'cannot mount', 3 if system("mount -t tmpfs -o size=16m,mode=755 tmpfs $small 2>/dev/null") != 0;
	my $out = do
	{
		local $ENV{PERFHOUSE_HOME} = "$small/home";
		qx($Perfhouse::program runs 2>&1);
	};
	my $code = $? >> 8;
	is($code, 10, 'a full disk has its own exit code') or diag($out);
	like($out, qr/No space left on device/, 'says so');
	ok(!-d "$small/home/cluster/data", 'leaves no half-made data');
	system("umount $small");
	skip 'cannot mount', 5 if system("mount -t tmpfs -o size=160m,mode=755 tmpfs $small 2>/dev/null") != 0;
	my $filled = sub {
		local $ENV{PERFHOUSE_HOME} = "$small/home";
		my $text = qx($Perfhouse::program @_ 2>&1);
		return ($? >> 8, $text);
	};
	is(($filled->("load $Perfhouse::data/lulesh-history/lulesh-3e01c40-n8-1.cali"))[0], 0, 'a run on a small disk');
	$filled->('down');
	system("head -c 200000000 /dev/zero > $small/rest 2>/dev/null");
	truncate("$small/rest", (-s "$small/rest") - (18 << 20)) or die $!;    # a segment of WAL, which a server needs to start
	is(($filled->('runs'))[0], 0, 'on a disk almost full the server starts');
	is(($filled->('rm 1'))[0], 0, 'and runs can be removed');
	unlink("$small/rest");
	is(($filled->("load $Perfhouse::data/lulesh-history/lulesh-46c2a1d-n8-1.cali"))[0], 0, 'until there is');
	$filled->('down');
	system("umount $small");
}

done_testing();
