# load: traces of task-based programs. Counts against the logs, kinds of logs, what is wrong with them.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Perfhouse;
use Cwd qw(abs_path);
use Compress::Zlib;
use File::Copy qw(copy);
use File::Path qw(make_path remove_tree);
use JSON::PP;
use Test::More;

my $w      = Perfhouse->new;
my $root   = abs_path("$FindBin::Bin/../..");
my $data   = "$root/tests/data/projections";
my $shared = "$root/../shared/data/own/projections";
my $n      = 0;

# The lines of a log, whatever it is packed in.
sub lines
{
	my ($file) = @_;
	my $gz = gzopen($file, 'rb') or die "$file: $!";
	my ($text, $part) = ('', '');
	$text .= $part while $gz->gzread($part, 1 << 16) > 0;
	return split /\n/, $text;
}

# Types of the records of a binary log; those that the runs here have.
sub binary_types
{
	my ($file, $sts) = @_;
	my %dimensions = map { /^CHARE (\d+) .* (-?\d+)$/ ? ($1 => $2) : () } lines($sts);
	my %indices    = map { /^ENTRY CHARE (\d+) .* (\d+) -?\d+$/ ? ($1 => $dimensions{$2} < 1 ? 4 : $dimensions{$2}) : () } lines($sts);
	my %size       = (1 => 34, 20 => 38, 3 => 34, 6 => 10, 7 => 10, map { $_ => 14 } 14 .. 19);
	my $bytes      = Perfhouse::slurp($file);
	my ($at, @types) = (4);
	while ($at < length $bytes)
	{
		my ($type, undef, $entry) = unpack 'Cvv', substr($bytes, $at, 5) . "\0\0\0\0";
		push @types, $type;
		$at += $type == 2 ? 42 + 4 * $indices{$entry} : $size{$type} // die "type $type at $at of $file";
		die "no newline before $at of $file" if substr($bytes, $at - 1, 1) ne "\n";
	}
	return @types;
}

# Records of each type in the logs, by processor.
sub counted
{
	my ($folder) = @_;
	my @n;
	my ($sts) = glob "$folder/*.sts";
	for my $file (sort glob("$folder/*.log $folder/*.log.gz"))
	{
		my ($pe) = $file =~ /\.(\d+)\.log/;
		my @lines = lines($file);
		@lines = (undef, binary_types($file, $sts)) unless $lines[0] =~ /^PROJECTIONS-RECORD/;
		shift @lines;
		$n[$pe]{ (split ' ')[0] }++ for @lines;
	}
	return @n;
}

# What a folder's logs say about a loaded run: blocks, receipts that may be, sends, idle intervals.
sub agrees
{
	my ($run, $folder, $name) = @_;
	my @n      = counted($folder);
	my $blocks = join "\n", map { "$_ " . ($n[$_]{2} // 0) } 0 .. $#n;
	is($w->sql("SELECT location || ' ' || n_blocks FROM perfhouse.processors($run) ORDER BY location"), $blocks, "$name: blocks by processor");
	my $sends = join "\n", map { "$_ " . (($n[$_]{1} // 0) + ($n[$_]{20} // 0) + ($n[$_]{21} // 0)) } 0 .. $#n;
	is($w->sql("SELECT location || ' ' || messages_sent FROM perfhouse.processors($run) ORDER BY location"), $sends, "$name: messages sent by processor");
	my $idle = join "\n", map { "$_ " . ($n[$_]{14} // 0) } 0 .. $#n;
	is($w->sql("SELECT l.location_id || ' ' || count(c.call) FROM perfhouse.location l LEFT JOIN perfhouse.calls($run) c ON c.location = l.location_id AND c.region = 'Idle' WHERE l.run_id = $run GROUP BY l.location_id ORDER BY 1"), $idle, "$name: idle intervals by processor");
	is($w->sql("SELECT count(*) FROM perfhouse.check_run($run) WHERE NOT ok"), 0, "$name: what is stored agrees with itself");
	return;
}

sub load
{
	my ($name, @what) = @_;
	my $r = $w->ok_run($name, 'load', '--json', @what);
	return decode_json($r->{out});
}

# ---- a real run
my $j = load('load a folder of logs', "$data/jacobi3d-4p");
is($j->{format},  'projections', 'format');
is($j->{n_columns}, 4,             'processors are columns');
is($w->sql("SELECT application, title, n_ranks, state FROM perfhouse.run WHERE run_id = $j->{run_id}"), 'jacobi3d|jacobi3d-4p|4|ready', 'what the run is called');
is($w->sql("SELECT meta->>'projections.version', meta->>'projections.early_receives', meta->>'charm.version' FROM perfhouse.run WHERE run_id = $j->{run_id}"), '11.0|3|v8.0.1-devel-31-g2ff9e1559', 'metadata');
is($w->sql("SELECT kind, count(*) FROM perfhouse.location WHERE run_id = $j->{run_id} GROUP BY kind"), '3|4', 'of kind processor');
agrees($j->{run_id}, "$data/jacobi3d-4p", 'jacobi3d');
is($w->sql("SELECT count(*), count(*) FILTER (WHERE index IS NOT NULL), count(*) FILTER (WHERE is_runtime) FROM perfhouse.chares($j->{run_id})"), '19|8|10', 'chares');
is($w->sql("SELECT sum(n_received) FROM perfhouse.serial_blocks($j->{run_id})"), $w->sql("SELECT count(*) FROM perfhouse.events($j->{run_id}) WHERE kind = 'MPI_RECV'"), 'receives are in blocks');
is($w->sql("SELECT count(*) FROM perfhouse.messages($j->{run_id}) WHERE receive_time < send_time"), 0, 'nothing is received before it is sent');
is($w->sql("SELECT sum(messages) FROM perfhouse.comm_matrix($j->{run_id}) WHERE receiver IS NOT NULL"), $w->sql("SELECT n_messages FROM perfhouse.trace WHERE run_id = $j->{run_id}"), 'the communication matrix has all messages');
like($w->sql("SELECT name FROM perfhouse.flat(perfhouse.profile($j->{run_id}), 'module') WHERE name = 'Jacobi'"), qr/Jacobi/, 'entry methods by chare type');
is($w->sql("SELECT count(*) > 0 FROM perfhouse.time_profile($j->{run_id}, 10) WHERE region = 'Idle'"), 't', 'time profile');
is($w->sql("SELECT bool_and(idle > 0) FROM perfhouse.idle($j->{run_id})"), 't', 'idle time');
is($w->sql("SELECT count(*) > 0 FROM perfhouse.critical_path($j->{run_id})"), 't', 'critical path');

# ---- what is written by hand: nested blocks, user events, statistics, broadcasts
$j = load('load text logs', "$data/tiny/tiny.sts");
my $tiny = $j->{run_id};
is($w->sql("SELECT string_agg(chare_name || ' ' || entry || coalesce(' after ' || continues, ''), ', ' ORDER BY location, block) FROM perfhouse.serial_blocks($tiny)"),
	'Main@0 Main::Main(CkArgMsg* msg), Worker[0,0] Worker::work(int n), Worker[1,0] Worker::Worker(int n), Worker[0,0] Worker::work(int n) after 1, Main@0 Main::done(int n), Worker[0,1] Worker::work(int n), Worker[0,1] Worker::work(int n)',
	'a block that calls another one goes on after it');
is($w->sql("SELECT sender, receiver, send_time, receive_time, tag, bytes FROM perfhouse.messages($tiny) WHERE send_time IS NOT NULL AND receive_time IS NOT NULL ORDER BY 3, 2"),
	"0|0|15000|22000|1|96\n0|1|15000|24000|1|96\n0|1|30000|36000|3|112\n1|0|50000|61000|1|88", 'a broadcast has two receivers');
is($w->sql("SELECT count(*) FROM perfhouse.messages($tiny) WHERE send_time IS NULL"), 2, 'stale and foreign senders are not believed');
is($w->sql("SELECT region, enter, leave FROM perfhouse.calls($tiny) WHERE region = 'solve'"), 'solve|24000|32000', 'a user event ends with its block');
is($w->sql("SELECT name, values FROM perfhouse.events($tiny), perfhouse.trace_metric m WHERE kind = 'METRIC' AND m.run_id = $tiny AND m.name = 'residual'"), 'residual|{0.5}', 'a statistic');

# ---- the same run, packed in other ways
sub folder
{
	my $folder = $w->{home} . '/tasks' . ++$n;
	make_path($folder);
	copy($_, $folder) for glob("$data/tiny/*");
	return $folder;
}

sub put
{
	my ($path, $text) = @_;
	open(my $out, '>', $path) or die "$path: $!";
	binmode $out;
	print $out $text;
	close $out;
	return $path;
}

sub rewrite
{
	my ($file, $change) = @_;
	my $text = Perfhouse::slurp($file);
	local $_ = $text;
	$change->();
	put($file, $_);
	return;
}

my $rows = "SELECT md5(string_agg(e::text, '|' ORDER BY location, seq)) FROM perfhouse.events(%d) e";
my $folder = folder();
for my $pe (0, 1)
{
	my $packed = Compress::Zlib::memGzip(Perfhouse::slurp("$folder/tiny.$pe.log"));
	put("$folder/tiny.$pe.log.gz", $packed);
	unlink "$folder/tiny.$pe.log";
}
$j = load('load compressed logs', $folder);
is($w->sql(sprintf $rows, $j->{run_id}), $w->sql(sprintf $rows, $tiny), 'compressed logs say the same');
$folder = folder();
for my $pe (0, 1)
{
	make_path("$folder/tiny.projdir.$pe");
	rename "$folder/tiny.$pe.log", "$folder/tiny.projdir.$pe/tiny.$pe.log";
}
$j = load('load logs in folders', '--if-exists', 'append', $folder);
is($w->sql(sprintf $rows, $j->{run_id}), $w->sql(sprintf $rows, $tiny), 'logs in folders say the same');
$folder = folder();
rewrite("$folder/tiny.sts", sub { s/VERSION 11.0/VERSION 7.0/; s/^(CHARE .*) -?\d+$/$1/mg; tr/"//d; });
rewrite("$folder/tiny.$_.log", sub { s/^(2 4 4|2 24 4|2 4 3)( \d+ \d+ \d \d+ 0 \d \d)/$1$2 0 0/mg; }) for 0, 1;
$j = load('load version 7', $folder);
is($w->sql("SELECT string_agg(name, ' ' ORDER BY chare) FROM perfhouse.chares($j->{run_id})"), 'Main@0 Worker[0,0] Worker[0,1] Worker[1,0]', 'version 7: arrays are told by their indices');

# any negative number is that of no message, as old dialects write it
my @none;
for my $number (-1, -5)
{
	my $other = folder();
	rewrite("$other/tiny.1.log", sub { s/^(2 4 \d+ \d+) \d+/$1 $number/m });
	my $run = load("load message $number", '--if-exists', 'append', $other)->{run_id};
	push @none, $w->sql(sprintf $rows, $run);
}
is($none[1], $none[0], 'message -5 is none, as -1');

# ---- dependencies and idle time as JSON lines
my $lines = "$root/tests/data/tasks/wavefront.jsonl";
$j = load('load JSON lines', $lines);
is($j->{format}, 'tasks', 'format of JSON lines');
is($w->sql("SELECT string_agg(name, ' ' ORDER BY chare) FROM perfhouse.chares($j->{run_id})"), 'main Tile[0,0] Tile[0,1] Tile[1,0] Tile[1,1] scheduler', 'entities');
is($w->sql("SELECT name, n_blocks, messages_sent, busy, idle FROM perfhouse.processors($j->{run_id})"), "worker 0|4|2|50000|0\nworker 1|4|0|35000|33000", 'processors');
is($w->sql("SELECT location, block, continues, is_runtime FROM perfhouse.serial_blocks($j->{run_id}) WHERE continues IS NOT NULL OR is_runtime"), "1|1||t\n1|2|0|f", 'a block that continues, and one of the run time');
is($w->sql("SELECT location, time, values FROM perfhouse.events($j->{run_id}) WHERE kind = 'TASK_AFTER' ORDER BY time, seq"), "1|53000|{0,2,0}\n1|53000|{1,2,0}\n0|72000|{1,3,0}", 'dependencies');
is($w->sql("SELECT count(*) FROM perfhouse.check_run($j->{run_id}) WHERE NOT ok"), 0, 'JSON lines: what is stored agrees with itself');

# ---- what is wrong with logs: an error that says where
sub refused
{
	my ($name, $pattern, $change) = @_;
	my $folder = folder();
	$change->($folder);
	my $r = $w->run('load', $folder);
	isnt($r->{code}, 0, "$name: refused");
	like($r->{err}, $pattern, "$name: why");
	return;
}

my $before = $w->sql('SELECT count(*) FROM perfhouse.run');
refused('a log is missing', qr/tiny\.sts: the run has 2 processors, but there is no log of processor 1/, sub { unlink "$_[0]/tiny.1.log" });
refused('a log too many', qr/tiny\.2\.log: is of processor 2, but .*tiny\.sts has 2 processors/, sub { copy("$_[0]/tiny.1.log", "$_[0]/tiny.2.log") });
refused('a log twice', qr/tiny\.1\.log and .*tiny\.1\.log\.gz are both the log of processor 1/, sub { copy("$_[0]/tiny.1.log", "$_[0]/tiny.1.log.gz") });
refused('version 6', qr/tiny\.sts:2:1: logs of version 6\.0, but 7\.0 to 11\.0 can be read/, sub { rewrite("$_[0]/tiny.sts", sub { s/VERSION 11/VERSION 6/ }) });
refused('version 12', qr/logs of version 12\.0/, sub { rewrite("$_[0]/tiny.sts", sub { s/VERSION 11/VERSION 12/ }) });
refused('cut definitions', qr/tiny\.sts:\d+:1: the definitions were cut off: there is no END/, sub { rewrite("$_[0]/tiny.sts", sub { s/^END\n//m }) });
refused('an entry method without its chare', qr/tiny\.sts:19:1: the entry method is of a chare that is not defined/, sub { rewrite("$_[0]/tiny.sts", sub { s/1 0$/7 0/m }) });
refused('an entry method that is not defined', qr/tiny\.1\.log:5: record 2: entry method 9 is not defined/, sub { rewrite("$_[0]/tiny.1.log", sub { s/^2 24 4/2 24 9/m }) });
refused('an impossible index', qr/tiny\.1\.log:5: record 2: index 5000000000 is impossible/, sub { rewrite("$_[0]/tiny.1.log", sub { s/0 0 1 90/0 0 5000000000 90/ }) });
refused('a field too few', qr/tiny\.1\.log:5: record 2: a field is missing or is not a number, at column \d+/, sub { rewrite("$_[0]/tiny.1.log", sub { s/0 0 1 90/0 0/ }) });
refused('fields too many', qr/tiny\.1\.log:5: record 2: there are too many fields, from column \d+/, sub { rewrite("$_[0]/tiny.1.log", sub { s/0 0 1 90/0 0 1 90 5 6/ }) });
refused('a statistic that is not defined', qr/tiny\.0\.log:14: record 32: statistic 8 is not defined/, sub { rewrite("$_[0]/tiny.0.log", sub { s/0\.5 0 0/0.5 0 8/ }) });
refused('a time beyond all', qr/tiny\.1\.log:4: record 15: time 999999999999999999 is impossible/, sub { rewrite("$_[0]/tiny.1.log", sub { s/^15 1023/15 999999999999999999/m }) });
refused('no log', qr/tiny\.1\.log: is neither a text nor a binary log of Projections/, sub { put("$_[0]/tiny.1.log", "hello, world\n") });
refused('damaged compression', qr/tiny\.1\.log\.gz: byte \d+, line \d+: the compressed data are damaged/, sub {
	my $packed = Compress::Zlib::memGzip(Perfhouse::slurp("$_[0]/tiny.1.log"));
	substr($packed, 30, 4) = "\xff\xff\xff\xff";
	put("$_[0]/tiny.1.log.gz", $packed);
	unlink "$_[0]/tiny.1.log";
});
is($w->sql('SELECT count(*) FROM perfhouse.run'), $before, 'nothing of what was refused is stored');

# ---- what can be repaired is, and is told
sub repaired
{
	my ($name, $key, $pattern, $change) = @_;
	my $folder = folder();
	$change->($folder);
	my $r = $w->run('load', '--json', '--allow-incomplete', $folder);
	is($r->{code}, 0, "$name: loaded") or diag($r->{err});
	like($r->{err}, $pattern, "$name: told");
	my $run = decode_json($r->{out})->{run_id};
	is($w->sql("SELECT meta->>'projections.$key' FROM perfhouse.run WHERE run_id = $run"), 1, "$name: in the metadata");
	is($w->sql("SELECT count(*) FROM perfhouse.check_run($run) WHERE NOT ok"), 0, "$name: sound");
	return $run;
}

repaired('begin without end', 'unended', qr/1 blocks or calls have no end.*tiny\.1\.log, line 6/, sub { rewrite("$_[0]/tiny.1.log", sub { s/^3 0 4 1029.*\n//m }) });
repaired('end without begin', 'unbegun', qr/1 ends of what did not begin.*tiny\.1\.log, line 5/, sub { rewrite("$_[0]/tiny.1.log", sub { s/^2 24 4.*\n//m }) });
repaired('time runs backwards', 'backwards', qr/1 times run backwards.*by up to 3\.0 us .*tiny\.1\.log, line 5/, sub { rewrite("$_[0]/tiny.1.log", sub { s/^2 24 4 1024/2 24 4 1020/m }) });
repaired('an end of another entry method', 'other_ends', qr/1 blocks end as another entry method.*tiny\.1\.log, line 6/, sub { rewrite("$_[0]/tiny.1.log", sub { s/^3 0 4 1029/3 0 3 1029/m }) });
repaired('a log cut in a line', 'cut_logs', qr/incomplete: 1 of 2 logs do not end .*tiny\.1\.log/, sub { rewrite("$_[0]/tiny.1.log", sub { s/^3 0 4 1052.*/3 0 4 10/ms }) });
my $run = repaired('a compressed log cut off', 'cut_logs', qr/incomplete: 1 of 2 logs do not end/, sub {
	my $packed = Compress::Zlib::memGzip(Perfhouse::slurp("$_[0]/tiny.1.log"));
	put("$_[0]/tiny.1.log.gz", substr($packed, 0, length($packed) - 20));
	unlink "$_[0]/tiny.1.log";
});
repaired('a user event without a name', 'unnamed_events', qr/1 user events have no name/, sub { rewrite("$_[0]/tiny.0.log", sub { s/^98 5/98 6/m; s/^99 5/99 6/m }) });
repaired('a message received again', 'repeated_receives', qr/1 messages are received again by the same object/, sub { rewrite("$_[0]/tiny.1.log", sub { s/^(2 4 4 1036 3.*\n)/2 4 4 1034 3 0 112 0 0 1 95\n3 0 4 1035 3 0 0 96\n14 1035 1\n15 1036 1\n$1/m }) });
repaired('a message from the future', 'early_receives', qr/1 received messages are dropped that one clock puts before/, sub { rewrite("$_[0]/tiny.0.log", sub { s/^(20 24 4) 1015/$1 1023/m; s/^3 0 1 1020/3 0 1 1023/m; s/^2 24 4 1022/2 24 4 1023/m }); rewrite("$_[0]/tiny.1.log", sub { s/^15 1023/15 1020/m; s/^2 24 4 1024/2 24 4 1021/m }) });

# ---- what is wrong with JSON lines
sub bad_lines
{
	my ($name, $pattern, $change) = @_;
	my $file = $w->{home} . '/bad' . ++$n . '.jsonl';
	local $_ = Perfhouse::slurp($lines);
	$change->();
	put($file, $_);
	my $r = $w->run('load', '--format', 'tasks', $file);
	isnt($r->{code}, 0, "$name: refused");
	like($r->{err}, $pattern, "$name: why");
	return;
}
bad_lines('a new version', qr/:1:1: version 2 of the format, but 1 is known/, sub { s/"version": 1/"version": 2/ });
bad_lines('another unit', qr/:1:1: time_unit is not ns, us, ms or s/, sub { s/"us"/"days"/ });
bad_lines('an unknown processor', qr/:10:1: the processor is not defined before/, sub { s/"processor": 10/"processor": 99/ });
bad_lines('an unknown entity', qr/:10:1: the entity is not defined before/, sub { s/"entity": "main"/"entity": "nobody"/ });
bad_lines('an unknown block', qr/:17:1: refers to a block that does not exist/, sub { s/\[3, 6\]/[3, 60]/ });
bad_lines('itself', qr/:17:1: refers to itself/, sub { s/\[3, 6\]/[3, 7]/ });
bad_lines('overlap', qr/:12:1: begins before the end of what its processor did before/, sub { s/"begin": 31/"begin": 29/ });
bad_lines('end before begin', qr/:12:1: the end is before the begin/, sub { s/"end": 50/"end": 30/ });
bad_lines('a message sent twice', qr/:11:1: a message is sent that was sent before/, sub { s/"edge 0 0", "time"/"go", "time"/ });
bad_lines('a message outside', qr/:11:1: a message's time is outside of its block/, sub { s/"time": 29/"time": 31/ });
bad_lines('a cut line', qr/incomplete: it ends within line 18/, sub { s/"end": 75.*//s });
bad_lines('no header', qr/:1:1: the first line is not of type tasks/, sub { s/^.*\n// });

# ---- all real runs
SKIP:
{
	skip '../shared is not there', 35 unless -d $shared;
	for my $folder (sort glob "$shared/*")
	{
		my ($name) = $folder =~ m{([^/]+)$};
		my $r = $w->run('load', '--json', $folder);
		is($r->{code}, 0, "$name: loaded") or diag($r->{err});
		my $run = decode_json($r->{out})->{run_id};
		agrees($run, $folder, $name);
	}
}

$w->stop;
done_testing;
