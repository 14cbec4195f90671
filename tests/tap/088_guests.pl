# Guests: what runs cost, under pseudonyms for users, hosts and private folders; and nothing that tells these, whatever is asked.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Perfhouse;
use Test::More;

my $w      = Perfhouse->new;
my ($base) = $w->ok_run('a server', 'up')->{out} =~ /(host='[^']*' port=\d+)/;
my $data   = $Perfhouse::data;

sub db { return "$base dbname=perfhouse user=$_[0]" }

sub as { my ($user, $query) = @_; return $w->outcome(db($user), $query) }

is($w->run('psql', '--', '-Xqv', 'ON_ERROR_STOP=1', '-f', "$FindBin::Bin/../lib/outcomes.sql")->{code}, 0, 'what asks everything');
$w->sql(q{CREATE ROLE readers_of_alpha; CREATE ROLE ann LOGIN IN ROLE perfhouse_loader; CREATE ROLE eve LOGIN IN ROLE perfhouse_reader;
	CREATE ROLE gus LOGIN IN ROLE perfhouse_guest; CREATE ROLE gil LOGIN IN ROLE perfhouse_guest});
$w->sql('ALTER SEQUENCE perfhouse.run_run_id_seq RESTART 880001');
{
	local @ENV{qw(SLURM_JOB_ID SLURM_JOB_USER SLURM_JOB_NODELIST)} = (77, 'qzxuser', 'qzxnode17');
	$w->ok_run('runs', 'load', '--db', db('ann'), '--set', 'project=alpha', map { "$data/$_" } qw(profiles/tau-callpath profiles/tau-flat profiles/small.pstats
		profiles/hpctoolkit4 profiles/scorep-halo2d profiles/small.nsys.sqlite traces/lulesh-8));
}
$w->sql(q{INSERT INTO perfhouse.job (cluster, job, application, user_name, project, state, node_list, owner)
	VALUES ('quartz', '77', 'halo', 'qzxuser', 'alpha', 'COMPLETED', 'qzxnode[17-18]', 'ann')});
$w->sql(q{INSERT INTO perfhouse.location (run_id, location_id, kind, host) SELECT 880001, 10000 + i, 0, 'qzxhost' || i FROM generate_series(1, 150) i;
	UPDATE perfhouse.run SET meta = meta || '{"note": "qzxhost99 was slow", "build": {"cmdline": "./qzxprogram", "flags": ["-I/scratch/qzxteam/inc"]},
	"from": "file:///scratch/qzxteam/x"}' WHERE run_id = 880001});

# ---- what a guest may read, and what it says
my $names = 'qzx|hpcuser|(?<!\w)ann(?!\w)|' . $data =~ s/([^\w\/])/\\$1/gr;
my $views = 'guest_call_path guest_function guest_job guest_location guest_run';
is($w->sql(q{SELECT string_agg(relname, ' ' ORDER BY relname) FROM pg_class WHERE relnamespace IN ('perfhouse'::regnamespace,
	'perfhouse_internal'::regnamespace) AND relkind IN ('r', 'p', 'v', 'm', 'f') AND has_any_column_privilege('perfhouse_guest', oid, 'select')}), $views, 'five views');
is($w->sql(q{SELECT count(*) FROM pg_class WHERE relnamespace IN ('perfhouse'::regnamespace, 'perfhouse_internal'::regnamespace)
	AND relkind IN ('r', 'p', 'v') AND has_any_column_privilege('perfhouse_guest', oid, 'insert, update, references')}), '0', 'for reading');
cmp_ok(as('gus', "SELECT count(*) FROM $_"), '>', 0, "$_ has rows") for split(/ /, $views);
is(as('gus', "SELECT public.relations_with('$names')"), '', 'none tells of users, hosts and folders');
$w->sql(q{DELETE FROM perfhouse.location WHERE run_id = 880001 AND location_id >= 10000; UPDATE perfhouse.run SET meta = meta - 'note' WHERE run_id = 880001});
like(as('eve', "SELECT string_agg(r, ' ') FROM public.relations_with('$names') r"), qr/region.*\brun\b/, 'which tables do');
is(as('gus', q{SELECT string_agg(DISTINCT regexp_replace(x, '\w{12}', '_'), ' ') FROM (SELECT user_name x FROM guest_run UNION ALL SELECT meta ->> 'SLURM_JOB_NODELIST'
	FROM guest_run UNION ALL SELECT host FROM guest_location UNION ALL SELECT node_list FROM guest_job
	UNION ALL SELECT regexp_replace(file, '/[^/]*$', '') FROM guest_function WHERE file ~ '^path-') u}), 'host-_ path-_ user-_', 'but pseudonyms');
is(as('gus', 'SELECT count(DISTINCT r.user_name) FROM guest_run r JOIN guest_job j USING (user_name)'), '1', 'the same everywhere');
is(as('gus', q{SELECT count(*) FROM guest_run, jsonb_object_keys(meta) k WHERE k ~* 'cmdline|command'}), '0', 'no command lines');

# ---- the values are the warehouse's
is(as('gus', $_->[0]), as('eve', $_->[1]), $_->[2]) for
	['SELECT run_id, sum(inclusive::numeric), sum(exclusive::numeric), count(*), max(depth) FROM guest_call_path GROUP BY 1 ORDER BY 1',
	 'SELECT run_id, sum(inclusive::numeric), sum(exclusive::numeric), count(*), max(depth) FROM profile_row GROUP BY 1 ORDER BY 1', 'of call paths'],
	['SELECT run_id, metric, unit, sum(inclusive::numeric), max(max), count(*) FROM guest_function GROUP BY 1, 2, 3 ORDER BY 1, 2, 3',
	 'SELECT run_id, m.name, m.unit, sum((inclusive * m.factor)::numeric), max(max * m.factor), count(*) FROM region_summary JOIN metric_overview m USING (metric_id)
		GROUP BY 1, 2, 3 ORDER BY 1, 2, 3', 'of functions'],
	['SELECT run_id, n_ranks, metrics, total, has_trace FROM guest_run ORDER BY 1', 'SELECT run_id, n_ranks, metrics, total, has_trace FROM run_overview ORDER BY 1', 'of runs'];
is(as('gus', 'SELECT count(*) FROM guest_call_path p WHERE caller IS NOT NULL AND NOT EXISTS (SELECT FROM guest_call_path q WHERE q.run_id = p.run_id AND q.call = p.caller)'),
	'0', 'call paths have their callers');

# ---- nothing else answers, and nobody finds out what is behind a pseudonym
is(as('gus', "SELECT * FROM public.tell_apart(880001, 'halo2d.tau', 990002, 'wvkwvkwvk')
	WHERE function NOT IN ('perfhouse_internal.callpath_hash(bigint,bigint)', 'add_alias(text,text,text,text,text,text,text,boolean,text)')"), '',
	'no function tells a guest of a run');
like(as('gus', $_), qr/^error: .*permission denied/, $_) for 'SELECT salt FROM pseudonym_salt', 'SELECT salt FROM guest_seen', 'SELECT profile(880001)', 'SELECT * FROM events(880007)',
	'TABLE region';
unlike(as('gus', q{EXPLAIN (ANALYZE, VERBOSE) SELECT * FROM guest_run}), qr/@{[$w->sql('SELECT salt FROM perfhouse.pseudonym_salt')]}/, 'nor does a plan tell the salt');
$w->sql(q{CREATE SCHEMA gus AUTHORIZATION gus});
as('gus', q{CREATE FUNCTION gus.peep(text) RETURNS boolean LANGUAGE plpgsql COST 0.0000001 AS 'BEGIN RAISE NOTICE ''%'', $1; RETURN true; END'});
my $peeped = $w->run('psql', '--db', db('gus'), '--', '-XAtqc', 'SELECT count(*) FROM guest_run WHERE gus.peep(user_name || source || meta::text)')->{err};
like($peeped, qr/user-\w{12}/, 'a function in a condition');
unlike($peeped, qr/$names/, 'sees what is shown');
like($w->run('runs', '--db', db('gus'))->{err}, qr/may not read more than the views guest_/, 'commands say what a guest may');

# ---- in a database that could be spread over nodes, which work with the rights of who asks
sub with_nodes { return $w->run('psql', '--', '-XAtq', '-c', "BEGIN; UPDATE pg_extension SET extname = 'citus' WHERE extname = 'pg_trgm'", '-c', $_[0], '-c', 'ROLLBACK') }
like(with_nodes("SET LOCAL ROLE gus; SELECT count(*) FROM perfhouse.$_")->{err}, qr/a warehouse on several nodes has no views for guests/, "$_ refuses") for split(/ /, $views);
is($w->sql('SELECT perfhouse_internal.reading_role()'), 'perfhouse_reader', 'pages are served as a role that reads');
is(as('gus', 'SELECT perfhouse_internal.reading_role()') =~ /^error: .*permission denied/, 1, 'not to guests');
is(with_nodes('SET LOCAL ROLE eve; SELECT perfhouse_internal.reading_role()')->{out}, "none\n", 'nodes know nobody but their logins');
like(with_nodes('SELECT perfhouse_internal.reading_role()')->{err}, qr/not for a superuser.*IN ROLE perfhouse_reader/s, 'so a superuser serves no pages');

# ---- with projects
$w->ok_run('enable', 'projects', 'enable');
is(as('gus', "SELECT count(*) FROM $_"), '0', "nothing in $_ of projects that are not his") for split(/ /, $views);
$w->sql('GRANT readers_of_alpha TO gus');
$w->ok_run('grant', 'projects', 'grant', 'alpha', 'readers_of_alpha');
is(as('gus', 'SELECT count(*), (SELECT count(*) FROM guest_job) FROM guest_run'), '7|1', 'all of the project that was granted to a role of his');
is(as('gil', 'SELECT count(*) FROM guest_run'), '0', 'another guest does not see it');
is(as('gus', 'SELECT count(*) FROM run'), as('gil', 'SELECT count(*) FROM run'), 'and nobody more than the views');

# ---- another version of the definitions, and a role that comes later
$w->sql(q{UPDATE perfhouse.schema_version SET checksum = '' WHERE version = 10});
my $salt = $w->sql('SELECT salt FROM perfhouse.pseudonym_salt');
$w->ok_run('init again', 'init');
is($w->sql('SELECT salt FROM perfhouse.pseudonym_salt'), $salt, 'pseudonyms stay');
is(as('gus', 'SELECT count(*) FROM guest_run'), '7', 'as do rights');
done_testing();
