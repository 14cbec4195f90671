# load --redact: what is stored is what copying the same runs with the same salt leaves of them, and nothing tells of users, hosts,
# private folders and command lines.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Perfhouse;
use Test::More;

my $w     = Perfhouse->new;
my $data  = $Perfhouse::data;
my @paths = ("$data/profiles/tau-callpath", "$data/profiles/tau-flat", "$data/profiles/hpctoolkit4", "$data/profiles/scorep-halo2d",
	"$data/profiles/small.cali", "$data/profiles/small.pstats", "$data/profiles/small.nsys.sqlite", "$data/traces", "$data/tasks/wavefront.jsonl",
	$w->write_file('flags.json', '[{"frame": {"name": "cc -I/home/hpcuser/inc -I/usr/include @/home/hpcuser/opts //home/hpcuser/y src/z.c"}, "metrics": {"time": 1}}]'));
$w->write_file('flags.json.meta.json', '{"note": "-I/home/hpcuser/inc file:///home/hpcuser/src", "build": {"cmdline": "./qzx", "flags": ["-L/home/hpcuser/lib", {"args": "qzx"}],
	"/home/hpcuser/a": 1}}');
my ($base) = $w->ok_run('a server', 'up')->{out} =~ /(host='[^']*' port=\d+)/;

sub place { return "$base dbname=$_[0] user=perfhouse" }

sub make
{
	my ($name) = @_;
	$w->run('psql', '--db', place('postgres'), '--', '-Xqc', "CREATE DATABASE $name");
	$w->ok_run("a warehouse $name", 'init', '--db', place($name));
	return;
}

sub ask
{
	my ($name, $query) = @_;
	my $r = $w->run('psql', '--db', place($name), '--', '-XAtqv', 'ON_ERROR_STOP=1', '-c', $query);
	die $r->{err} if $r->{code} != 0;
	chomp(my $out = $r->{out});
	return $out;
}

make('copied');
make('loaded');
@ENV{qw(SLURM_JOB_ID SLURM_JOB_USER SLURM_JOB_NODELIST)} = (77, 'ann', 'node17');
$w->ok_run('as they are', 'load', '--no-regressions', @paths);
$w->ok_run('a copy', 'copy', '--to', place('copied'), '--redact', 'all', '--salt', 's');
my $r = $w->ok_run('hidden', 'load', '--db', place('loaded'), '--no-regressions', '--redact', 'all', '--salt', 's', @paths);
like($r->{err}, qr/^(?!.*salt)/s, 'with a salt nothing is warned of');

# ---- one mechanism: the same as a copy. Of waits, nanoseconds that cannot be shared go to whose identity is first.
my %answer = (
	rows => q{SELECT string_agg((to_jsonb(r) - '{run_id,loaded_at,owner,metric_ids,primary_metric_id,loader_pid}'::text[])::text, E'\n'
		ORDER BY fingerprint) FROM perfhouse.run r},
	profiles => q{SELECT md5(string_agg(r.fingerprint || (to_jsonb(n) - 'node')::text, E'\n' ORDER BY r.fingerprint, n.node))
		FROM run_overview r, nodes(profile(r.run_id)) n},
	values => q{SELECT count(*) || md5(string_agg(r.fingerprint || concat_ws(' ', v.callpath_id, m.name, v.block, v.inclusive, v.exclusive), E'\n'
		ORDER BY r.fingerprint, m.name, v.callpath_id, v.block)) FROM run_overview r JOIN profile_values v USING (run_id) JOIN metric m USING (metric_id)
		WHERE m.name NOT LIKE 'wait%'},
	locations => q{SELECT string_agg(r.fingerprint || (to_jsonb(l) - 'run_id')::text, E'\n' ORDER BY r.fingerprint, l.location_id)
		FROM run_overview r JOIN location l USING (run_id)},
	labels => q{SELECT string_agg(r.fingerprint || (to_jsonb(g) - 'run_id')::text, E'\n' ORDER BY r.fingerprint, g.region_id)
		FROM run_overview r JOIN run_region g USING (run_id)},
	events => q{SELECT count(*) || md5(string_agg(r.fingerprint || (to_jsonb(e) - 'run_id')::text, E'\n' ORDER BY r.fingerprint, to_jsonb(e)::text))
		FROM run_overview r JOIN event e USING (run_id)},
	functions => q{SELECT string_agg(r.fingerprint || (to_jsonb(g) - 'run_id')::text, E'\n' ORDER BY r.fingerprint, g.local_id)
		FROM run_overview r JOIN trace_region g USING (run_id)},
	texts => q{SELECT md5(string_agg(r.fingerprint || (to_jsonb(t) - 'run_id')::text, E'\n' ORDER BY r.fingerprint, t.number))
		FROM run_overview r JOIN trace_text t USING (run_id)},
	sources => q{SELECT string_agg(DISTINCT source, ' ' ORDER BY source) FROM run});
is(ask('loaded', $answer{$_}), ask('copied', $answer{$_}), "$_ as in a copy") for sort keys %answer;
like(ask('loaded', 'SELECT string_agg(source, \' \') FROM load_log'), qr/^(path-\w{12}\/\S+ ?)+$/, 'the log tells no folder');
is($w->ok_run('sound', 'doctor', '--all', '--db', place('loaded'))->{out} =~ s/^ok .*\n//gmr, '', 'nothing is wrong there');

# ---- nothing of it is anywhere
my $tables = ask('loaded', q{SELECT string_agg(format('SELECT %L AS t, %I::text COLLATE "C" AS v FROM perfhouse.%I', relname, attname, relname), ' UNION ALL ')
	FROM pg_class c JOIN pg_attribute a ON attrelid = c.oid AND attnum > 0 AND NOT attisdropped WHERE relnamespace = 'perfhouse'::regnamespace
	AND relkind = 'r' AND atttypid IN ('text'::regtype, 'text[]'::regtype, 'jsonb'::regtype) AND relname <> 'schema_version'});
my $folder = $data =~ s/([^\w\/])/\\$1/gr;
for my $name ('perfhouse', 'loaded')
{
	my $found = ask($name, "SELECT coalesce(string_agg(DISTINCT t, ' '), '') FROM ($tables) x WHERE v ~ '/home/hpcuser|hpcuser|\\mnode17\\M|\\mann\\M|$folder'");
	$name eq 'loaded' ? is($found, '', 'no table tells of users, hosts and folders') : like($found, qr/region.*run/, 'which the other does');
	my $packed = ask($name, q{SELECT (SELECT count(*) FROM perfhouse.call_tree WHERE position('hpcuser'::bytea IN tree) > 0)
		+ (SELECT count(*) FROM perfhouse.label_data WHERE position('/home/'::bytea IN labels) > 0)});
	$name eq 'loaded' ? is($packed, '0', 'nor do packed trees and labels') : cmp_ok($packed, '>', 0, 'which the other do');
}
is(ask('loaded', q{SELECT count(*) FROM run, jsonb_object_keys(meta) k WHERE k ~* 'cmdline|command'}), '0', 'no command lines');
is(ask('loaded', q{SELECT count(*) FROM run WHERE meta::text ~ 'qzx'}), '0', 'nor below other metadata');
is(ask('loaded', q{SELECT concat_ws(' ', meta -> 'note', meta ->> 'build') FROM run WHERE title = 'flags.json'}) =~ s/path-\w{12}/P/gr,
	'"-IP/inc file://P/src" { "cmdline": "", "flags": [ "-LP/lib", { "args": "" } ], "P/a": 1 }',
	'paths are found behind options and in addresses');
is(ask('loaded', q{SELECT string_agg(DISTINCT name, '|') FROM region WHERE name ~ '^cc '}) =~ s/path-\w{12}/P/gr,
	'cc -IP/inc -I/usr/include @P/opts /P/y src/z.c', 'also by the program, which hides what functions are known by');
is(ask('loaded', "SELECT perfhouse_internal.hidden_paths('$_', 's')"), $_, "$_ stays")
	for 'src/main.c', 'a // b', 'operator/ -= */', '-I../inc -L./lib', '--prefix=/usr/lib -isystem/opt/x', '/ // ///', 'file:///usr/lib/x';
like(ask('loaded', q{SELECT DISTINCT user_name || ' ' || (meta ->> 'SLURM_JOB_NODELIST') FROM run WHERE format = 'tau'}), qr/^user-\w{12} host-\w{12}$/, 'pseudonyms');

# ---- logical time and waits are there, as nothing has to be left out
cmp_ok(ask('loaded', "SELECT count(*) FROM logical JOIN run USING (run_id) WHERE title = 'tau-halo2d-nb-9'"), '>', 0, 'logical time of functions that name files');

# ---- of a run on many hosts none is told
make('wide');
$w->sql(q{INSERT INTO perfhouse.location (run_id, location_id, kind, host) SELECT 1, 10000 + i, 0, 'qzxhost' || i FROM generate_series(1, 150) i});
$w->sql(q{UPDATE perfhouse.run SET meta = meta || '{"note": "qzxhost99, qzxhost150 and qzxhost151"}' WHERE run_id = 1});
$w->ok_run('a copy', 'copy', 1, '--to', place('wide'), '--redact', 'hosts', '--salt', 's');
like(ask('wide', q{SELECT meta ->> 'note' FROM run}), qr/^host-\w{12}, host-\w{12} and qzxhost151$/, 'all that it ran on are hidden');

# ---- parts of it, once, and mistakes
like($w->ok_run('again', 'load', '--db', place('loaded'), '--redact', 'all', '--salt', 's', "$data/profiles/small.cali")->{out}, qr/already/, 'what is there is not loaded again');
$r = $w->ok_run('hosts only', 'load', '--redact', 'hosts', '--if-exists', 'append', "$data/profiles/tau-flat");
like($r->{err}, qr/warning: without --salt/, 'pseudonyms that can be guessed are told');
is($w->sql(q{SELECT user_name || (source ~ '^/') FROM perfhouse.run ORDER BY run_id DESC LIMIT 1}), 'anntrue', 'users and paths stay then');
is($w->sql(q{SELECT count(*) FROM perfhouse.location WHERE host !~ '^host-' AND run_id = (SELECT max(run_id) FROM perfhouse.run)}), 0, 'hosts do not');
is($w->run('load', '--redact', 'user', "$data/profiles/small.cali")->{code}, 2, 'something that nothing hides');
open(my $bad, '>', "$w->{home}/bad.cali") or die $!;
print {$bad} "__rec=node,id=\n";
close($bad);
local $ENV{PERFHOUSE_REDACT} = 'paths';
$w->run('load', "$w->{home}/bad.cali");
like($w->sql(q{SELECT source || ' ' || coalesce(message, '') FROM load_log ORDER BY load_id DESC LIMIT 1}), qr/^path-\w{12}\/bad.cali (?!.*\/tmp)/, 'what failed tells no folder either');
local $ENV{PERFHOUSE_SALT} = 's';
my $spool = "$w->{home}/spool";
$w->ok_run('kept for later', 'load', '--spool', $spool, '--defer', "$data/profiles/small.csv");
delete $ENV{PERFHOUSE_REDACT};
$w->ok_run('delivered', 'spool', 'flush', $spool);
is($w->sql(q{SELECT source FROM perfhouse.run ORDER BY run_id DESC LIMIT 1}) =~ s/-\w{12}//r, 'path/small.csv', 'the spool hides, too');
done_testing();
