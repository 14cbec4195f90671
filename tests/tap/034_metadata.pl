# Metadata: what wins, what is given in names, beside files and in lists, what a batch job says, and mending it later.
use strict;
use warnings;
use File::Copy qw(copy);
use FindBin;
use JSON::PP;
use lib "$FindBin::Bin/../lib";
use Perfhouse;
use Test::More;

my $w       = Perfhouse->new;
my $history = "$Perfhouse::data/lulesh-history";
my $folder  = "$w->{home}/runs";
mkdir $folder or die "$folder: $!";
my @names = qw(lulesh-13ef21b-n8-1.cali lulesh-13ef21b-n8-2.cali lulesh-7d07dc4-n8-1.cali);
copy("$history/$_", "$folder/$_") or die "$_: $!" for @names;
copy("$history/lulesh-7d07dc4-n8-2.cali", "$folder/other.cali") or die $!;
$w->write_file('runs/lulesh-13ef21b-n8-1.cali.meta.json', '{"compiler": "gcc", "size": 30, "debug": true, "nothing": null, "flags": ["-O2"]}');
$w->write_file('runs/lulesh-7d07dc4-n8-1.meta.json',      '{"compiler": "clang"}');
my $list = $w->write_file('runs/list.csv', "file,size,\"compiler\"\r\nlulesh-13ef21b-n8-1.cali,40,\r\nlulesh-13ef21b-n8-2.cali,50,\"a, \"\"b\"\"\"\r\ngone.cali,1,x\r\n");

# ---- the order: environment, file, name, sidecar, manifest, --set
my $r;
{
	local $ENV{SLURM_JOB_NAME}     = 'nightly';
	local $ENV{SLURM_CLUSTER_NAME} = 'quartz';
	local $ENV{SLURM_JOB_PARTITION} = 'batch';
	local $ENV{SLURM_NTASKS}       = 64;
	local $ENV{SLURM_JOB_NODELIST} = 'quartz[1-3]';
	$r = $w->ok_run('load a folder', 'load', $folder, '--set-from-name', '{app}-{commit}-n{size}-{repeat}.cali', '--manifest', $list, '--set', 'repeat=7');
	is($w->sql(q{SELECT string_agg(concat_ws(' ', title, application, commit_id, meta->>'size', meta->>'compiler', meta->>'repeat'), E'\n' ORDER BY run_id) FROM run_overview}),
		"lulesh-13ef21b-n8-1.cali lulesh 13ef21b 40 gcc 7\nlulesh-13ef21b-n8-2.cali lulesh 13ef21b 50 a, \"b\" 7\n"
		. "lulesh-7d07dc4-n8-1.cali lulesh 7d07dc4 8 clang 7\nother.cali nightly 7", 'each source wins over those before it');
	is($w->sql(q{SELECT meta->'size', meta->'debug', meta->'flags', meta ? 'nothing' FROM run_overview WHERE run_id = 1}), '40|true|"[ \"-O2\" ]"|f', 'values of a sidecar');
	is($w->sql(q{SELECT DISTINCT cluster, meta->>'SLURM_JOB_PARTITION', meta->>'SLURM_JOB_NODELIST' FROM run_overview}), 'quartz|batch|quartz[1-3]', 'the batch job');
	like($r->{err}, qr/n8-1\.cali: the batch job asked for 64 tasks \(SLURM_NTASKS\), the file has 8 ranks/, 'other tasks than ranks');
	like($r->{err}, qr/other\.cali: the name does not have the form of --set-from-name/, 'a name that does not fit');
	like($r->{err}, qr/7d07dc4-n8-1\.cali: the manifest does not name it/, 'a file that is not in the list');
	like($r->{err}, qr/the manifest names 1 file that is not loaded, such as gone\.cali/, 'a line without a file');
	unlike($r->{err}, qr/no format that is read|no known format/, 'list and sidecars are no inputs');
	my $verbose = $w->ok_run('what is not read', 'load', '-n', '-v', $folder, '--manifest', $list);
	unlike($verbose->{err}, qr/not read/, 'list and sidecars are not named as unread');
	$w->write_file('runs/lost.cali.meta.json', '{"compiler": "gcc"}');
	like($w->run('load', '-n', '-v', $folder)->{err}, qr/lost\.cali\.meta\.json: not read: a sidecar, but what it describes is not beside it/, 'a sidecar without its run');
	unlink "$folder/lost.cali.meta.json";
	like($w->run('load', '-n', '-v', $folder)->{err}, qr/list\.csv: not read: of no known format/, 'a list that nobody gave is');
	local $ENV{SLURM_NTASKS} = 8;
	my $trace = $w->ok_run('load a trace', 'load', "$Perfhouse::data/traces/lulesh-8");
	unlike($trace->{err}, qr/SLURM_NTASKS/, 'as many tasks as ranks');
	my $named = $w->write_file('named.json', '[{"frame": {"name": "main"}, "metrics": {"time": 1}}]');
	$w->write_file('named.json.meta.json', '{"partition": "debug"}');
	local $ENV{SLURM_JOB_NAME} = 'bash';
	$w->ok_run('a job without a name', 'load', $named);
	is($w->sql('SELECT count(*) FROM run_overview WHERE application = \'bash\''), '0', 'gives none to the application');
}
for my $case ([qr/has no \{key\}/, '--set-from-name', 'x'], [qr/a \{ without its \}/, '--set-from-name', '{x'])
{
	$r = $w->run('load', '-n', $folder, @$case[1, 2]);
	is($r->{code}, 2, "$case->[1] $case->[2]");
	like($r->{err}, $case->[0], 'why');
}
is($w->run('load', '-n', $folder, '--manifest', "$folder/none.csv")->{code}, 13, 'no such list');
my $long = $w->write_file('long.csv', "file,build\n" . join('', map { "elsewhere/$_.cali,x\n" } 1 .. 60000) . "runs/other.cali,last\n");
cmp_ok(-s $long, '>', 1024 * 1024, 'a list of more than a megabyte');
unlike($w->ok_run('is read', 'load', '-n', "$folder/other.cali", '--manifest', $long)->{err}, qr/does not name it/, 'to its end');
$w->write_file('runs/other.cali.meta.json', '{"a": "' . 'x' x (1024 * 1024) . '"}');
like($w->run('load', '-n', "$folder/other.cali")->{err}, qr/other\.cali\.meta\.json: File too large/, 'a sidecar of more is refused as what it is');
is($w->run('load', '-n', $folder, '--manifest', $w->write_file('bad.csv', "a,b\n"))->{code}, 3, 'a list without files');
$w->write_file('runs/other.cali.meta.json', '{"a": ');
$r = $w->run('load', '-n', "$folder/other.cali");
is($r->{code}, 3, 'a broken sidecar');
like($r->{err}, qr/other\.cali\.meta\.json: byte/, 'is named');

# ---- sidecars and lists in a spool
my ($spool, $done) = ("$w->{home}/spool", "$w->{home}/done");
mkdir $_ or die "$_: $!" for $spool, $done;
my $n = 0;
for my $name (qw(x.json y.json both.json both.cali))
{
	$n++;
	copy("$Perfhouse::data/lulesh-history/lulesh-7d07dc4-n8-3.cali", "$spool/both.cali") or die $! if $name eq 'both.cali';
	$w->write_file("spool/$name", qq([{"frame": {"name": "main"}, "metrics": {"time": 1$n}}])) if $name ne 'both.cali';
}
$w->write_file("spool/$_", '{"from": "sidecar"}') for qw(x.json.meta.json y.meta.json both.meta.json);
my $listed = $w->write_file('spool/list.csv', "file,from\nx.json,list\n");
my ($pid, $base_of_watch) = $w->start('load', '--watch', $spool, '--settle', 0, '--done', $done, '--failed', $done, '--manifest', $listed);
Perfhouse::await(sub { !grep { !-e "$done/$_" || !-e "$done/$_.meta.json" } qw(x.json y.json both.json both.cali) });
kill 'TERM', $pid;
$w->finish($pid, $base_of_watch);
ok(-e "$done/$_.meta.json", "the sidecar of $_ goes with it") for qw(x.json y.json both.json both.cali);
is(join(' ', sort map { s{.*/}{}r } glob "$spool/*"), 'list.csv', 'the list stays, nothing else');
is($w->sql(q{SELECT string_agg(title || ' ' || (meta->>'from'), ', ' ORDER BY title COLLATE "C") FROM run_overview WHERE meta ? 'from'}),
	'both.cali sidecar, both.json sidecar, x.json list, y.json sidecar', 'and was read');

# ---- mending
$r = $w->ok_run('set', 'set', 1, 2, 'application=amg', 'size=64', 'text=a "b"', 'started_at=2026-11-21 04:00', 'on=true');
like($r->{out}, qr/run 1 \(lulesh-13ef21b-n8-1\.cali\): application = amg, was "lulesh"\n/, 'says what it was');
is($w->sql(q{SELECT DISTINCT application, started_at, meta->>'application', meta->'size', meta->>'text', meta->'on' FROM run_overview WHERE run_id IN (1, 2)}),
	'amg|2026-11-21 04:00:00+00|amg|64|a "b"|true', 'columns and metadata, with their types');
is($w->sql(q{SELECT string_agg(concat_ws(' ', run_id, key, coalesce(old_value::text, '-'), new_value, changed_by), ', ' ORDER BY change_id) FROM run_change WHERE key = 'size'}),
	'1 size 40 64 perfhouse, 2 size 50 64 perfhouse', 'the log');
is($w->sql(q{SELECT count(*) FROM regression_watch WHERE application = 'amg'}), '1', 'the new application was searched');
$w->ok_run('once more', 'set', 1, 'size=64');
is($w->sql('SELECT count(*) FROM run_change WHERE run_id = 1'), '5', 'what changes nothing is not logged');
$w->ok_run('as text', 'set', '--text', 1, 'size=64', 'commit=1234567');
is($w->sql(q{SELECT meta->'size', commit_id, meta->'commit' FROM run_overview WHERE run_id = 1}), '"64"|1234567|"1234567"', '--text');
$w->ok_run('take away', 'set', 1, 'text=', 'commit=');
is($w->sql(q{SELECT meta ? 'text', commit_id IS NULL, meta ? 'commit' FROM run_overview WHERE run_id = 1}), 'f|t|f', 'is gone');
for my $case (['n_ranks=x', qr/must be a number/], ['started_at=soon', qr/must be a time/], ['n_nodes=3', qr/cannot be set/], ['tags=x', qr/cannot be set/], ['=x', qr/key=value/])
{
	$r = $w->run('set', 1, 'size=1', $case->[0]);
	isnt($r->{code}, 0, "not $case->[0]");
	like($r->{err}, $case->[1], 'why');
}
is($w->run('set', 1, 99, 'size=1')->{code}, 13, 'a run that is not there');
is($w->run('set', 'size=1')->{code}, 2, 'no run');
is($w->run('set', 1, 2)->{code}, 2, 'nothing to set');
is($w->sql(q{SELECT meta->'size' FROM run_overview WHERE run_id = 1}), '"64"', 'and nothing was changed');
$w->ok_run('load again', 'load', '--if-exists', 'replace', '--no-environment', "$folder/lulesh-13ef21b-n8-2.cali");
is($w->sql(q{SELECT application, meta->>'size' FROM run_overview WHERE run_id = 2}), 'amg|64', 'what was mended stays');
$w->ok_run("set $_", 'set', 2, $_) for 'commit_id=1111111', 'commit=2222222', 'user=ann', 'user_name=bea';
$w->ok_run('load again', 'load', '--if-exists', 'replace', '--no-environment', "$folder/lulesh-13ef21b-n8-2.cali");
is($w->sql(q{SELECT commit_id, meta->>'commit', user_name, meta->>'user' FROM run_overview WHERE run_id = 2}), '2222222|2222222|bea|bea',
	'what was said last, under whichever of two names');

# ---- histories wake
is($w->sql(q{BEGIN; SELECT update_regressions('lulesh'); SELECT set_metadata(3, 'cluster', '"other"'); SELECT count(*) FROM regression_watch WHERE application = 'lulesh'; ROLLBACK}) =~ /(\d+)\z/ && $1,
	'0', 'what was searched before does not count');
like($w->run('psql', '--', '-XAtq', '-c', 'LISTEN perfhouse_run', '-c', q{SELECT set_metadata(3, 'cluster', '"other"')})->{out}, qr/"state" : "changed"/, 'who listens hears');
for my $command ('tag add seen 3', 'tag remove seen 3', 'exclude 3 rain', 'exclude --undo 3')
{
	like($w->run('psql', '--', '-XAtq', '-c', 'LISTEN perfhouse_run', '-c', "\\! '$Perfhouse::program' $command > /dev/null", '-c', 'SELECT 1')->{out},
		qr/"run_id" : 3, .*"state" : "changed"/, "also of $command");
}
$w->sql('CREATE ROLE ann LOGIN IN ROLE perfhouse_reader');
my ($base) = $w->run('up')->{out} =~ /(host='[^']*' port=\d+)/;
is($w->run('set', '--db', "$base dbname=perfhouse user=ann", 1, 'x=1')->{code}, 7, 'a reader may not');

done_testing();
