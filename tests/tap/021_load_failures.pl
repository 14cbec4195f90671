# load: bad input and failing servers; each with a clear message, its exit code and a database as before.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Perfhouse;
use JSON::PP;
use Test::More;

my $w    = Perfhouse->new;
my $good = "$Perfhouse::data/lulesh-history/lulesh-3e01c40-n8-1.cali";
my $text = Perfhouse::slurp($good);
$w->ok_run('a first run', 'load', $good);

sub contents
{
	return $w->sql('SELECT (SELECT count(*) FROM perfhouse.run), (SELECT count(*) FROM perfhouse.value_block), (SELECT count(*) FROM perfhouse.location)');
}
my $before = contents();

# A failing load: its exit code and message; nothing changed.
sub fails
{
	my ($name, $code, $pattern, @arguments) = @_;
	my $r = $w->run('load', @arguments);
	is($r->{code}, $code, "$name: exit code") or diag("$r->{out}$r->{err}");
	like($r->{err}, $pattern, "$name: message");
	unlike($r->{err}, qr/Sanitizer|Segmentation/, "$name: no crash");
	is(contents(), $before, "$name: database as before");
}

# ---- input
{
	my $r = $w->run('load', '/nowhere.cali');
	ok($r->{code} == 4 || $r->{code} == 13, 'missing file: exit code') or diag($r->{code});
	like($r->{err}, qr{/nowhere\.cali}, 'missing file: named');
}
my $bad = $w->write_file('truncated.cali', substr($text, 0, 3000));
{
	my $r = $w->run('load', $bad);
	isnt($r->{code}, 0, 'truncated file fails') or diag($r->{out});
	like($r->{err}, qr/truncated\.cali/, 'truncated file: named');
	is(contents(), $before, 'truncated file: database as before');
}
for my $case (
	['empty.cali',   ''],
	['junk.cali',    join('', map { chr(($_ * 7919) % 256) } 0 .. 5000)],
	['nul.cali',     "__rec=node,id=1\0,attr=8"],
	['text.txt',     "hello\n"],
	['cycle.json',   '[{"frame":{"name":"a"},"metrics":{"time":"NaN"}}]'],
	['neg.json',     '[{"frame":{"name":"a","type":"function"},"metrics":{"time":-1.0,"time (inc)":-1.0},"children":[]}]'])
{
	my ($name, $bytes) = @$case;
	my $path = $w->write_file($name, $bytes);
	my $r    = $w->run('load', $path);
	isnt($r->{code}, 0, "$name fails");
	like($r->{err}, qr/\Q$name\E/, "$name: file named");
	is(contents(), $before, "$name: database as before");
}
fails('unknown format',   13, qr/unknown format "xml"/, '--format', 'xml', $good);
fails('bad --set',        2,  qr/not of the form key=value/, '--set', 'x', $good);
fails('missing map',      4,  qr/module map/, '--module-map', '/nowhere', $good);
fails('too many jobs',    2,  qr/--jobs/, '--jobs', 0, $good);
SKIP:
{
	skip 'root reads everything', 3 if $> == 0;
	my $locked = $w->write_file('locked.cali', $text);
	chmod 0, $locked;
	my $r = $w->run('load', $locked);
	is($r->{code}, 4, 'unreadable file: exit code');
	like($r->{err}, qr/locked\.cali/, 'unreadable file: named');
	is(contents(), $before, 'unreadable file: database as before');
}

# ---- a folder of good and bad
my $folder = "$w->{home}/mixed";
mkdir $folder;
my $changed = $text;
$changed =~ s/data=1795232416/data=1795000000/;
for my $file (['1-good.cali', $text], ['2-bad.cali', substr($text, 0, 3000)], ['3-good.cali', $changed], ['4.txt', "x\n"])
{
	open(my $out, '>', "$folder/$file->[0]") or die $!;
	print $out $file->[1];
	close $out;
}
my $r = $w->run('load', '--json', $folder);
is($r->{code}, 1, 'mixed folder: partial failure');
my @lines = map { decode_json($_) } split /\n/, $r->{out};
is(scalar @lines, 4, 'an object for every file');
is($lines[3]->{state}, 'unread', 'the unknown one is not read');
is($lines[1]->{state}, 'failed', 'the bad one failed');
like($lines[1]->{error}, qr/2-bad\.cali/, 'and says where');
like($r->{err}, qr/1 file of no format that is read/, 'the unknown file is reported');
is($w->sql("SELECT count(*) FROM perfhouse.load_log WHERE outcome = 'failed' AND source LIKE '%2-bad%'") > 0, 1, 'failures are logged');
$before = contents();

# ---- the database refuses
my $conninfo = $w->sql("SELECT format('host=%s port=%s dbname=%s user=%s', trim(BOTH chr(34) FROM split_part(current_setting('unix_socket_directories'), ',', 1)), current_setting('port'), current_database(), current_user)");
sub fresh
{
	our $n;
	my $t = $text;
	$n++;
	$t =~ s/data=1795232416/'data=' . (1790000000 + $n)/e or die 'no start time';
	return $w->write_file("fresh$n.cali", $t);
}
fails('unreachable server', 5, qr/connect|connection/i, '--db', 'host=/nowhere', fresh());
fails('unknown database',   6, qr/does not exist/, '--db', "$conninfo dbname=nothing", fresh());
fails('unknown role',       6, qr/does not exist/, '--db', "$conninfo user=nobody_here", fresh());

$w->sql('CREATE ROLE tap_reader LOGIN; GRANT perfhouse_reader TO tap_reader');
fails('read-only role', 7, qr/permission denied/, '--db', "$conninfo user=tap_reader", fresh());
$w->sql('CREATE ROLE tap_loader LOGIN; GRANT perfhouse_loader TO tap_loader');
$r = $w->run('load', '--db', "$conninfo user=tap_loader", fresh());
is($r->{code}, 0, 'the loader role may load') or diag($r->{err});
$before = contents();

$w->sql('CREATE DATABASE bare');
fails('no extension', 9, qr/extension/, '--db', "$conninfo dbname=bare", fresh());

# a run that the schema refuses in the middle of the COPY
$w->sql('ALTER TABLE perfhouse.region_summary ADD CONSTRAINT tap_refuse CHECK (n_nodes < 0) NOT VALID');
{
	my $r = $w->run('load', fresh(), fresh());
	isnt($r->{code}, 0, 'refused rows: fails');
	like($r->{err}, qr/tap_refuse/, 'refused rows: why');
	is(contents(), $before, 'refused rows: database as before');
}
$w->sql('ALTER TABLE perfhouse.region_summary DROP CONSTRAINT tap_refuse');

# a dictionary id that stands for something else
my $id = $w->sql("SELECT region_id FROM perfhouse.region WHERE name = 'main'");
$w->sql("UPDATE perfhouse.region SET name = 'other' WHERE region_id = $id");
fails('hash collision', 12, qr/would stand for both 'main' and 'other'/, fresh());
$w->sql("UPDATE perfhouse.region SET name = 'main' WHERE region_id = $id");
$r = $w->run('load', fresh());
is($r->{code}, 0, 'and then it loads') or diag($r->{err});
$before = contents();

# the server goes away in the middle: a trigger that ends its own backend
$w->sql(q{CREATE FUNCTION public.die() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM pg_terminate_backend(pg_backend_pid()); RETURN NEW; END'; CREATE TRIGGER die BEFORE INSERT ON perfhouse.region_summary FOR EACH ROW EXECUTE FUNCTION public.die()});
fails('lost connection', 5, qr/terminat|connection/i, fresh());
$w->sql('DROP TRIGGER die ON perfhouse.region_summary');

# a full disk, as the server would report it
$w->sql(q{CREATE FUNCTION public.full() RETURNS trigger LANGUAGE plpgsql AS $f$BEGIN RAISE EXCEPTION USING ERRCODE = 'disk_full', MESSAGE = 'could not extend file: No space left on device'; END$f$; CREATE TRIGGER full_disk BEFORE INSERT ON perfhouse.value_block FOR EACH ROW EXECUTE FUNCTION public.full()});
fails('full disk', 10, qr/No space left/, fresh());
$w->sql('DROP TRIGGER full_disk ON perfhouse.value_block');

# SIGINT while the server works
$w->sql(q{CREATE FUNCTION public.slow() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM pg_sleep(600); RETURN NEW; END'; CREATE TRIGGER slow BEFORE INSERT ON perfhouse.region_summary FOR EACH ROW EXECUTE FUNCTION public.slow()});
{
	my ($pid, $base) = $w->start('load', fresh());
	ok($w->becomes_true(q{SELECT count(*) = 1 FROM pg_stat_activity WHERE wait_event = 'PgSleep'}), 'SIGINT: the server works');
	my $t = time;
	kill 'INT', $pid;
	my $r = $w->finish($pid, $base);
	is($r->{code}, 130, 'SIGINT: exit code') or diag($r->{err});
	ok(time - $t < 60, 'SIGINT: not after ten minutes');
	is(contents(), $before, 'SIGINT: database as before');
	ok($w->becomes_true(q{SELECT count(*) = 0 FROM pg_stat_activity WHERE query LIKE '%region_summary%' AND pid <> pg_backend_pid() AND state = 'active'}), 'SIGINT: cancelled on the server');
}
$w->sql('DROP TRIGGER slow ON perfhouse.region_summary');
$w->ok_run('all is well afterwards', 'load', fresh());

# a log that cannot be written
$w->sql(q{CREATE FUNCTION public.no_log() RETURNS trigger LANGUAGE plpgsql AS $f$BEGIN RAISE EXCEPTION 'no log today'; END$f$; CREATE TRIGGER no_log BEFORE INSERT ON perfhouse.load_log FOR EACH ROW WHEN (NEW.outcome <> 'loaded') EXECUTE FUNCTION public.no_log()});
$r = $w->ok_run('is no failure of the load', 'load', '--set', 'problem=1', $good);
like($r->{err}, qr/warning: what was skipped or failed is not in load_log: no log today/, 'but told');
like($r->{err}, qr/problem is not set to "1" in run 1/, 'and hides no other warning');
$w->sql('DROP TRIGGER no_log ON perfhouse.load_log');

# what one bad path ends with, and several
is($w->run('load', 'nofile')->{code}, 13, 'a path that is not there');
is($w->run('load', 'nofile', 'nofile2')->{code}, 13, 'two of them');
is($w->run('load', 'nofile', $w->write_file('words', "words\n"))->{code}, 1, 'one that is not there, and one of no format');

done_testing();
