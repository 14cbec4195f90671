# perfhouse copy: the same answers under other numbers, once, whatever interrupts it, with the rights of a reader here and of
# a loader there; and what --redact hides.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Perfhouse;
use Test::More;

my $w    = Perfhouse->new;
my $data = $Perfhouse::data;
my ($base) = $w->ok_run('a server', 'up')->{out} =~ /(host='[^']*' port=\d+)/;

sub place { return "$base dbname=$_[0] user=" . ($_[1] // 'perfhouse') }

# A warehouse beside the first, which is called perfhouse.
sub make
{
	my ($name) = @_;
	is($w->run('psql', '--db', place('postgres'), '--', '-Xqc', "CREATE DATABASE $name")->{code}, 0, "a database $name");
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

# ---- a warehouse with a bit of everything
$ENV{SLURM_JOB_ID}   = 77;
$ENV{SLURM_JOB_USER} = 'ann';
$w->ok_run('profiles', 'load', '--no-regressions', '--ignore-unknown', "$data/profiles");
delete @ENV{qw(SLURM_JOB_ID SLURM_JOB_USER)};
$w->ok_run('traces', 'load', "$data/traces", "$data/tasks/wavefront.jsonl", "$data/projections/tiny");
$w->ok_run('a history', 'load', '--set', 'project=climate', '--set-from-name', 'lulesh-{commit}-n{ranks}-{repeat}.cali', '--set', 'application=lulesh',
	glob("$data/lulesh-history/*.cali"));
$w->ok_run('a repeat', 'load', '--if-exists', 'append', "$data/profiles/small.cali");
$w->sql(q{SELECT store_profile(mean(profile(run_id)), 'kept', 'lulesh') FROM run_overview WHERE application = 'lulesh' AND run_id % 7 = 0});
$w->sql(q{SELECT roll_up_run(max(run_id)) FROM run_overview WHERE application = 'lulesh' AND format = 'caliper-cali'});
$w->sql(q{SELECT add_alias(application := 'lulesh', name := 'CalcForceForNodes', to_name := 'Forces', reason := 'renamed')});
$w->sql(q{SELECT set_application('lulesh', ARRAY['n_ranks'])});
$w->sql(q{SELECT define_metric('half', 'time / 2')});
$w->sql(q{INSERT INTO perfhouse.job (cluster, job, state, user_name) VALUES ('', '77', 'COMPLETED', 'ann')});
$w->sql(q{INSERT INTO perfhouse.regression (application, metric_id, callpath_id, path, run_id, mean_before, mean_after, own_change, total_change,
	p_value, q_value, n_before, n_after, state, reason) SELECT 'lulesh', metric_ids[1], (SELECT min(callpath_id) FROM callpath), 'main', run_id, 1, 2, 1, 1, 0, 0,
	5, 5, 'ignored', 'known' FROM perfhouse.run WHERE application = 'lulesh' ORDER BY run_id LIMIT 1});
$w->ok_run('metadata mended', 'set', $w->sql('SELECT min(run_id) FROM run_overview'), 'note=mended');
$w->sql(q{UPDATE perfhouse.run SET missing = ARRAY['/home/hpcuser/out/profile.3.0.0', 'of ann'] WHERE title = 'tau-flat'});
my $n = $w->sql('SELECT count(*) FROM run_overview');
my $n_climate = $w->sql(q{SELECT count(*) FROM run WHERE project = 'climate' AND format = 'caliper-cali'});

# by content, which is the same under every number
my %answer = (
	rows => q{SELECT md5(string_agg((to_jsonb(r) - '{run_id,loaded_at,owner,metric_ids,primary_metric_id,derived_from,loader_pid}'::text[])::text, E'\n'
		ORDER BY fingerprint, repeat)) FROM perfhouse.run r},
	profiles => q{SELECT md5(string_agg(r.fingerprint || (to_jsonb(n) - 'node')::text, E'\n' ORDER BY r.fingerprint, r.repeat, n.node))
		FROM run_overview r, nodes(profile(r.run_id)) n},
	values => q{SELECT count(*) || md5(string_agg(r.fingerprint || concat_ws(' ', v.callpath_id, m.name, v.block, v.inclusive, v.exclusive), E'\n'
		ORDER BY r.fingerprint, r.repeat, m.name, v.callpath_id, v.block)) FROM run_overview r JOIN profile_values v USING (run_id) JOIN metric m USING (metric_id)},
	events => q{SELECT count(*) || md5(string_agg(r.fingerprint || (to_jsonb(e) - 'run_id')::text, E'\n' ORDER BY r.fingerprint, to_jsonb(e)::text))
		FROM run_overview r JOIN event e USING (run_id)},
	messages => q{SELECT count(*) || md5(string_agg(r.fingerprint || (to_jsonb(m) - 'run_id')::text, E'\n' ORDER BY r.fingerprint, to_jsonb(m)::text))
		FROM run_overview r JOIN message m USING (run_id)},
	phases => q{SELECT count(*) || md5(string_agg(r.fingerprint || to_jsonb(p)::text, E'\n' ORDER BY r.fingerprint, p.phase))
		FROM perfhouse.logical l JOIN run_overview r USING (run_id), LATERAL phases(l.run_id) p},
	summaries => q{SELECT md5(string_agg(r.fingerprint || (to_jsonb(s) - '{run_id,metric_id}'::text[])::text, E'\n'
		ORDER BY r.fingerprint, r.repeat, m.name, s.region_id)) FROM run_overview r JOIN region_summary s USING (run_id) JOIN metric m USING (metric_id)},
	labels => q{SELECT md5(string_agg(r.fingerprint || (to_jsonb(g) - 'run_id')::text, E'\n' ORDER BY r.fingerprint, r.repeat, g.region_id))
		FROM run_overview r JOIN run_region g USING (run_id)},
	waits => q{SELECT md5(string_agg(r.fingerprint || to_jsonb(b)::text, E'\n' ORDER BY r.fingerprint, to_jsonb(b)::text))
		FROM run_overview r, LATERAL late_senders(r.run_id) b WHERE r.run_id IN (SELECT run_id FROM perfhouse.trace)},
	settings => q{SELECT (SELECT string_agg(concat_ws(' ', name, to_name, reason), ',') FROM region_alias) || (SELECT keys::text FROM perfhouse.application)
		|| (SELECT formula FROM perfhouse.derived_metric) || (SELECT string_agg(job || user_name, '') FROM perfhouse.job)
		|| (SELECT string_agg(concat_ws(' ', g.state, g.reason, m.name, r.fingerprint), ',') FROM perfhouse.regression g JOIN metric m USING (metric_id)
		JOIN perfhouse.run r USING (run_id)) || (SELECT string_agg(key || new_value, ',') FROM perfhouse.run_change)},
	kept => q{SELECT string_agg(o.fingerprint, ' ' ORDER BY o.fingerprint) FROM perfhouse.run r, unnest(r.derived_from) d JOIN perfhouse.run o ON o.run_id = d});
my %here = map { ($_ => ask('perfhouse', $answer{$_})) } keys %answer;
isnt($here{$_}, '', "$_ say something") for sort keys %here;

# ---- a copy into a warehouse that has other runs already: other numbers of runs and metrics
make('there');
$w->ok_run('a run of its own', 'load', '--db', place('there'), "$data/darshan/small.darshan.txt") if -e "$data/darshan/small.darshan.txt";
ask('there', q{INSERT INTO metric (name, unit) VALUES ('of its own', 's')});
ask('there', q{SELECT setval(pg_get_serial_sequence('perfhouse.run', 'run_id'), 5000)});
like($w->ok_run('a count', 'copy', '--to', place('there'), '--dry-run')->{out}, qr/^$n runs to copy$/, 'of all');
is(ask('there', 'SELECT count(*) FROM run'), '0', 'is not yet a copy');
like($w->ok_run('two by number and filter', 'copy', '--to', place('there'), '1', '2', 'n_nodes > 0')->{out}, qr/^run 1 is run 5\d\d\d there: .*\n.*\n2 runs copied, 0 were there already$/m,
	'are two');
my $r = $w->ok_run('all', 'copy', '--to', place('there'), '--json');
is(() = $r->{out} =~ /^\{"from": \d+, "run_id": \d+\}$/mg, $n - 2, 'the others');
is(ask('there', $answer{$_}), $here{$_}, "$_ as here") for sort keys %answer;
is($w->ok_run('sound', 'doctor', '--all', '--db', place('there'))->{out} =~ s/^ok .*\n//gmr, '', 'nothing is wrong there');
like(ask('there', q{SELECT message FROM load_log WHERE run_id = (SELECT min(run_id) FROM run) ORDER BY load_id DESC LIMIT 1}),
	qr/^copied from run 1 of database "perfhouse"/, 'where it came from is known');
cmp_ok(ask('there', 'SELECT count(*) FROM noise'), '>', 0, 'levels and noise are known');

# ---- once
like($w->ok_run('again', 'copy', '--to', place('there'))->{out}, qr/^0 runs copied, $n were there already$/m, 'nothing is copied twice');
is(ask('there', $answer{$_}), $here{$_}, "$_ as before") for qw(rows settings events);
like($w->ok_run('back', 'copy', '--db', place('there'), '--to', 'embedded')->{out}, qr/^0 runs copied, $n were there/m, 'where they come from they are known');
my $file = $w->run('load', '--db', place('there'), "$data/profiles/small.json");
like($file->{out}, qr/already/, 'a file of a copied run is known');

# ---- whatever interrupts it: killed while it waits for a table, in the middle of a batch
make('cut');
{
	my ($holder, $held) = $w->start('psql', '--db', place('cut'), '--', '-Xqc', 'BEGIN; LOCK TABLE perfhouse.value_block; SELECT pg_sleep(600)');
	my $wait = sub { my ($query) = @_; return Perfhouse::await(sub { ask('cut', $query) eq 't' }) };
	ok($wait->(q{SELECT count(*) > 0 FROM pg_locks WHERE relation = 'perfhouse.value_block'::regclass AND mode = 'AccessExclusiveLock' AND granted}), 'a table is held');
	my ($copier, $copy) = $w->start('copy', '--to', place('cut'));
	ok($wait->(q{SELECT count(*) > 0 FROM pg_locks WHERE relation = 'perfhouse.value_block'::regclass AND NOT granted}), 'the copy waits for it');
	kill 'KILL', $copier;
	is($w->finish($copier, $copy)->{code}, 137, 'and is killed');
	ask('cut', q{SELECT pg_terminate_backend(pid, 60000) FROM pg_stat_activity WHERE datname = 'cut' AND pid <> pg_backend_pid()});
	$w->finish($holder, $held);
}
is(ask('cut', 'SELECT count(*) FROM run'), '0', 'nothing of it is there');
like($w->ok_run('the rest', 'copy', '--to', place('cut'))->{out}, qr/^$n runs copied, 0/m, 'goes on');
is(ask('cut', $answer{$_}), $here{$_}, "$_ as here") for qw(rows values events);

# ---- mistakes
is($w->run('copy')->{code}, 2, 'nowhere to');
is($w->run('copy', '--to', place('there'), '--redact', 'user')->{code}, 2, 'something that nothing hides');
$r = $w->run('copy', '--to', place('there'), '99999');
is($r->{code}, 13, 'no such run');
like($r->{err}, qr/there is no run 99999/, 'which is said');
is($w->run('copy', '--to', place('nowhere'))->{code}, 6, 'no such database');
is($w->run('copy', '--to', place('postgres'))->{code}, 9, 'one that is no warehouse');

# ---- rights: a reader here, a loader there, and projects
make('shared');
$w->sql(q{CREATE ROLE ann LOGIN IN ROLE perfhouse_loader; CREATE ROLE rita LOGIN IN ROLE perfhouse_reader; CREATE ROLE team; CREATE ROLE tom LOGIN IN ROLE perfhouse_loader, team});
$r = $w->run('copy', '--db', place('perfhouse', 'rita'), '--to', place('shared', 'rita'));
is($r->{code}, 7, 'who is of the roles for another warehouse is not let in');
like($r->{err}, qr/permission denied for database "shared".*hint: .*GRANT CONNECT/s, 'which is said') or diag $r->{err};
ask('shared', 'GRANT CONNECT ON DATABASE shared TO perfhouse_reader, perfhouse_loader');
$r = $w->run('copy', '--db', place('perfhouse', 'rita'), '--to', place('shared', 'rita'));
is($r->{code}, 7, 'a reader there may not');
like($r->{err}, qr/"rita" may not .*perfhouse_loader may/s, 'which is said') or diag $r->{err};
ask('shared', 'REVOKE INSERT ON perfhouse.value_block FROM perfhouse_loader');
$r = $w->run('copy', '1', '--to', place('shared', 'ann'));
is($r->{code}, 7, 'a table that takes no rows');
like($r->{err}, qr/value_block/, 'is named');
ask('shared', 'GRANT INSERT ON perfhouse.value_block TO perfhouse_loader');
like($w->ok_run('a loader', 'copy', '1', '--db', place('perfhouse', 'rita'), '--to', place('shared', 'ann'))->{out}, qr/^1 run copied/m, 'may');
is(ask('shared', 'SELECT owner FROM run'), 'ann', 'and owns it');
$w->ok_run('a project', 'projects', 'grant', 'climate', 'team', '--db', place('shared'));
$w->ok_run('projects', 'projects', 'enable', '--db', place('shared'));
$r = $w->run('copy', '--to', place('shared', 'ann'), 'application = lulesh');
is($r->{code}, 7, 'into a project of others') or diag $r->{err};
like($w->ok_run('into his', 'copy', '--to', place('shared', 'tom'), 'meta.project = climate', 'format = caliper-cali')->{out}, qr/^$n_climate runs copied/m, 'rows go by INSERT');
my $n_others = $n - $n_climate;
like($w->ok_run('all others', 'copy', '--to', place('shared', 'tom'))->{out}, qr/^$n_others runs copied, $n_climate were/m, 'traces, too: his projects are his');
ask('shared', q{SELECT drop_run(run_id) FROM run WHERE owner = 'ann'});
is(ask('shared', $answer{events}), $here{events}, 'events as here');
like($w->ok_run('again', 'copy', '--to', place('shared', 'tom'), 'meta.project = climate', 'format = caliper-cali')->{out}, qr/^0 runs copied, $n_climate were/m, 'once');

# ---- what is hidden
make('red');
like($w->ok_run('hidden', 'copy', '--to', place('red'), '--redact', 'users,hosts,paths,commands', '--salt', 's')->{out}, qr/^$n runs copied/m, 'all of them');
is($w->ok_run('sound', 'doctor', '--all', '--db', place('red'))->{out} =~ s/^ok .*\n//gmr, '', 'nothing is wrong there');
for my $name (qw(perfhouse red))
{
	my $tables = ask($name, q{SELECT string_agg(format('SELECT %L AS t, %I::text COLLATE "C" AS v FROM perfhouse.%I', relname, attname, relname), ' UNION ALL ')
		FROM pg_class c JOIN pg_attribute a ON attrelid = c.oid AND attnum > 0 AND NOT attisdropped WHERE relnamespace = 'perfhouse'::regnamespace
		AND relkind = 'r' AND atttypid IN ('text'::regtype, 'text[]'::regtype, 'jsonb'::regtype) AND relname <> 'schema_version'});
	my $found = ask($name, "SELECT string_agg(DISTINCT t, ' ') FROM ($tables) x WHERE v ~ '/home/hpcuser|hpcuser|\\mnode17\\M|\\mann\\M'");
	$name eq 'red' ? is($found, '', 'no table tells of users, hosts and folders') : like($found, qr/region.*run/, 'which the other does');
	my $packed = ask($name, q{SELECT count(*) FROM perfhouse.call_tree WHERE position('hpcuser'::bytea IN tree) > 0});
	$name eq 'red' ? is($packed, '0', 'nor do packed trees') : cmp_ok($packed, '>', 0, 'which the other does');
	$packed = ask($name, q{SELECT count(*) FROM perfhouse.label_data WHERE position('hpcuser'::bytea IN labels) > 0});
	is($packed, '0', 'nor do labels') if $name eq 'red';
}
is(ask('red', q{SELECT count(*) FROM run, jsonb_object_keys(meta) k WHERE k ~* 'cmdline|command'}), '0', 'no command lines');
is(ask('red', $answer{$_}), $here{$_}, "$_ as here") for qw(kept);
my $costs = q{SELECT count(*) || md5(string_agg(v, E'\n' ORDER BY v)) FROM (SELECT r.fingerprint || concat_ws(' ', r.repeat, m.name, c.depth,
	regexp_replace(g.name, '\[.*', ''), v.block, v.inclusive, v.exclusive) AS v FROM run_overview r JOIN profile_values v USING (run_id)
	JOIN metric m USING (metric_id) JOIN callpath c USING (callpath_id) JOIN region g USING (region_id)) x};
is(ask('red', $costs), ask('perfhouse', $costs), 'every value of every function as here');
is(ask('red', q{SELECT count(*) FROM callpath c LEFT JOIN region g USING (region_id) WHERE g.region_id IS NULL}), '0', 'every call path is of a function');
like($w->ok_run('again', 'copy', '--to', place('red'), '--redact', 'all,users', '--salt', 's')->{out}, qr/^0 runs copied/m, 'once');
like($w->ok_run('without salt', 'copy', '--to', place('red'), '--redact', 'hosts')->{err}, qr/warning: without --salt/, 'pseudonyms that can be guessed are told');
is(ask('red', 'SELECT (SELECT count(*) FROM region_alias) + (SELECT count(*) FROM regression) + (SELECT count(*) FROM run_change)'), '0', 'what people said stays');
my $run = ask('red', q{SELECT run_id FROM run WHERE title = 'tau-halo2d-nb-9'});
is(ask('red', "SELECT count(*) FROM logical WHERE run_id = $run"), '0', 'logical time of functions that name files is left out');
ask('red', "SELECT assign_logical_steps($run)");
cmp_ok(ask('red', "SELECT count(*) FROM phases($run)"), '>', 0, 'and can be made');

# pages of a redacted warehouse tell nothing either
my $pages = "$w->{home}/pages";
$w->ok_run('pages', 'bundle', '--db', place('red'), $run, '-o', $pages);
is(qx(grep -rlE 'hpcuser|node17' '$pages'), '', 'pages made of it tell nothing');
$r = $w->ok_run('export', 'export', '--db', place('red'), $run, '--format', 'json');
unlike($r->{out}, qr/hpcuser/, 'nor do exports');
done_testing();
