# Projects: nobody sees or changes runs of others, whatever relation or function is asked; loading by INSERT stores the
# same bytes as by COPY.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Perfhouse;
use Test::More;

my $w      = Perfhouse->new;
my ($base) = $w->ok_run('a server', 'up')->{out} =~ /(host='[^']*' port=\d+)/;
my $data   = $Perfhouse::data;
my @inputs = ("$data/lulesh-history/lulesh-3e01c40-n8-1.cali", "$data/traces/lulesh-8", "$data/traces/colls-6",
	"$data/tasks/wavefront.jsonl", "$data/projections/tiny");

sub db { return "$base dbname=perfhouse user=$_[0]" }

sub as { my ($user, $query) = @_; return $w->outcome(db($user), $query) }

is($w->run('psql', '--', '-Xqv', 'ON_ERROR_STOP=1', '-f', "$FindBin::Bin/../lib/outcomes.sql")->{code}, 0, 'what asks everything');
$w->sql(q{CREATE ROLE climate_team; CREATE ROLE ann LOGIN IN ROLE perfhouse_loader, climate_team;
	CREATE ROLE bob LOGIN IN ROLE perfhouse_loader; CREATE ROLE eve LOGIN IN ROLE perfhouse_reader;
	CREATE ROLE gus LOGIN IN ROLE perfhouse_guest; CREATE ROLE boss LOGIN IN ROLE perfhouse_admin; CREATE ROLE nobody_here LOGIN; GRANT CONNECT ON DATABASE perfhouse TO nobody_here});

# ---- every view asks with the rights of who asks
is($w->sql(q{SELECT string_agg(oid::regclass::text, ' ') FROM pg_class WHERE relkind = 'v' AND relnamespace IN ('perfhouse'::regnamespace,
	'perfhouse_internal'::regnamespace) AND NOT coalesce('security_invoker=true' = ANY (reloptions), false)
	AND NOT (relname ~ '^guest_' AND 'security_barrier=true' = ANY (reloptions))}), '', 'every view is security_invoker, but those of guests');
is($w->sql(q{SELECT string_agg(oid::regprocedure::text, ' ') FROM pg_proc WHERE prosecdef AND pronamespace IN ('perfhouse'::regnamespace,
	'perfhouse_internal'::regnamespace)}), 'perfhouse_internal.analyze_loaded(bigint)',
	'no function has more rights than its caller, but one that tells nothing and changes nothing');
like($w->ok_run('projects', 'projects')->{out}, qr/not enabled/, 'off at first');

# ---- a login without a role: nothing at all
is($w->sql(q{SELECT count(*) FROM pg_class WHERE relnamespace IN ('perfhouse'::regnamespace, 'perfhouse_internal'::regnamespace) AND relkind <> 'i'
	AND (relkind <> 'S' AND has_any_column_privilege('nobody_here', oid, 'select, insert, update, references')
		OR relkind <> 'S' AND has_table_privilege('nobody_here', oid, 'select, insert, update, delete, truncate, references, trigger')
		OR relkind = 'S' AND has_sequence_privilege('nobody_here', oid, 'usage, select, update'))}), '0', 'no right on a relation');
is($w->sql(q{SELECT bool_or(has_schema_privilege('nobody_here', s, 'usage, create')) FROM unnest('{perfhouse,perfhouse_internal}'::text[]) s}), 'f',
	'nor on the schemas, so that no function can be called');
like(as('nobody_here', 'SELECT perfhouse.my_projects()'), qr/permission denied/, 'as one sees');

# ---- loading by COPY and by INSERT
$w->sql('ALTER SEQUENCE perfhouse.run_run_id_seq RESTART 770001');
$w->ok_run('load by COPY', 'load', '--db', db('ann'), @inputs);
$w->ok_run('enable', 'projects', 'enable');
is($w->sql(q{SELECT count(*) FROM pg_class WHERE oid = to_regclass('perfhouse.run_seen')}), 1, 'which runs somebody sees is asked of an index');
unlike($w->sql(q{SELECT perfhouse_internal.project_condition('perfhouse.color_of')}), qr/r\.application =/, 'and which applications, of a list');
is($w->sql(q{SELECT count(*) > 10 AND bool_and(p.qual ~ 'sees_every_project') FROM pg_policies p JOIN perfhouse.tables_by_run() t ON
	t = format('%I.%I', p.schemaname, p.tablename)::regclass WHERE p.policyname = 'project'}), 't', 'and not for administrators, who see all');
$w->sql('CREATE ROLE carl LOGIN IN ROLE perfhouse_loader');
like($w->ok_run('what ann has', 'load', '--db', db('carl'), @inputs[0, 2])->{out}, qr/2 runs loaded, in/, 'is no secret that a loader is told, nor in his way');
is(as('carl', 'SELECT count(*) FROM run_overview'), '2', 'and his');
like($w->ok_run('again', 'load', '--db', db('carl'), @inputs[0, 2])->{out}, qr/^0 runs loaded, 2 already there/m, 'once');
unlike($w->ok_run('of no application', 'load', '--db', db('carl'), "$data/profiles/literal-a.json")->{err}, qr/colou?rs were not/, 'its functions get colours');
$w->ok_run('rm', 'rm', '--force', '--db', db('carl'), split(/\n/, as('carl', 'SELECT run_id FROM run_overview')));
$w->ok_run('grant', 'projects', 'grant', 'alpha', 'climate_team', '--db', db('boss'));
$w->ok_run('grant to another', 'projects', 'grant', 'beta', 'bob', '--db', db('boss'));
is($w->run('projects', 'grant', 'beta', 'no_such_role')->{code}, 13, 'to nobody');
is($w->run('projects', 'revoke', 'alpha', 'bob')->{code}, 13, 'what was not granted');
is($w->run('projects', $_->[0], @$_[2 .. $#$_], '--db', db($_->[1]))->{code}, 7, "$_->[0] is not for $_->[1]")
	for ['enable', 'boss'], ['disable', 'ann'], ['grant', 'ann', 'alpha', 'ann'], ['grant', 'bob', 'alpha', 'bob'];
is(as('ann', 'SELECT count(*) FROM run_overview'), '5', 'runs without a project are their owner\'s');
is(as('bob', 'SELECT count(*) FROM run_overview'), '0', 'and nobody else\'s');
$w->sql('ALTER SEQUENCE perfhouse.run_run_id_seq RESTART 880001');
like(as('ann', "COPY perfhouse.load_log (source, outcome) FROM STDIN"), qr/COPY FROM not supported/, 'COPY is refused now');
$w->ok_run('load by INSERT', 'load', '--if-exists', 'append', '--db', db('ann'), '--set', 'application=qzxqzxqzx', '--set', 'user=qzxuser', @inputs);
is(as('ann', 'SELECT DISTINCT project FROM run WHERE run_id > 880000'), 'alpha', 'into the only project of its loader');
for my $table (split(/\n/, $w->sql('SELECT t::text FROM perfhouse.tables_by_run() t')))
{
	my $digest = sub {
		return $w->sql(qq{SELECT count(*), md5(string_agg(x, E'\\n' ORDER BY x)) FROM (
			SELECT ((to_jsonb(t) - '{run_id,assigned_at,made_at}'::text[]) || jsonb_build_object('run_id', t.run_id - $_[0]))::text AS x FROM $table t
			WHERE t.run_id BETWEEN $_[0] AND $_[0] + 100) q});
	};
	is($digest->(880000), $digest->(770000), "$table has the same rows");
}
is(as('ann', 'SELECT count(*) FROM run_overview o, check_run(o.run_id) c WHERE NOT c.ok'), '0', 'and they are sound');

# ---- the other team
$w->sql('ALTER SEQUENCE perfhouse.run_run_id_seq RESTART 890001');
$w->ok_run('the same content in another project', 'load', '--db', db('bob'), $inputs[0]);
my $his = as('bob', 'SELECT string_agg(run_id::text, \',\') FROM run_overview');
like($his, qr/^\d+$/, 'is a run of its own');
my $foreign = $w->run('load', '--db', db('bob'), '--set', 'project=alpha', "$data/lulesh-history/lulesh-7d07dc4-n8-1.cali");
is($foreign->{code}, 7, 'nobody loads into a project that is not his');
like($foreign->{err}, qr/is no member of that project/, 'and is told so');
is(as('bob', "SELECT perfhouse.drop_run(880001)"), 'f', 'nor removes its runs');
is(as('bob', "WITH u AS (UPDATE perfhouse.run SET title = 'x' WHERE run_id = 880001 RETURNING 1) SELECT count(*) FROM u"), '0', 'nor changes them');
like(as('bob', "UPDATE perfhouse.run SET project = 'alpha' WHERE run_id = $his"), qr/row-level security/, 'nor gives his away');
like(as('bob', "INSERT INTO perfhouse.location (run_id, location_id) VALUES (880001, 999)"), qr/row-level security/, 'nor adds rows to them');
$w->ok_run('ann sees hers', 'report', '--db', db('ann'), 880001);
is($w->run('report', '--db', db('bob'), 880001)->{code}, 13, 'bob does not');

# ---- every relation, every function
# The numbers stand by themselves: six digits of a time's microseconds or of a hash may be the same.
my $secrets = 'qzx|(?<![0-9a-f.])[78][78]000[1-9](?![0-9])';
my @hidden  = grep { /./ } split(/\n/, as('ann', "SELECT public.relations_with('$secrets')"));
cmp_ok(scalar(@hidden), '>', 20, 'relations that tell ann of her runs');
for my $user ('bob', 'eve', 'gus')
{
	is(as($user, "SELECT public.relations_with('$secrets')"), '', "no relation tells $user of them");
	# values are computed of the numbers given; ids of aliases come from a sequence
	is(as($user, "SELECT * FROM public.tell_apart(880002, 'qzxqzxqzx', 990002, 'wvkwvkwvk')
		WHERE function NOT IN ('perfhouse_internal.callpath_hash(bigint,bigint)',
			'perfhouse_internal.run_mark(bigint,timestamp with time zone,boolean,integer,integer,integer)',
			'perfhouse_internal.series_position(bigint,integer)', 'add_alias(text,text,text,text,text,text,text,boolean,text)')"),
		'', "no function tells $user of a run or an application that is not his");
}
cmp_ok(as('ann', "SELECT count(DISTINCT function) FROM public.tell_apart(880002, 'qzxqzxqzx', 990002, 'wvkwvkwvk')"), '>', 100,
	'functions that do tell ann');
is($w->sql(q{SELECT string_agg(c.relname, ' ' ORDER BY c.relname) FROM pg_class c WHERE relnamespace = 'perfhouse'::regnamespace AND relkind IN ('r', 'p')
	AND NOT (relrowsecurity AND EXISTS (SELECT FROM pg_policy p WHERE p.polrelid = c.oid))}),
	'call_tree callpath commit commit_ref derived_metric label_set metric pseudonym_salt region retention_policy saved_query schema_version',
	'tables without a policy are those that all share: give a new one to project_condition(), or say here that it tells nothing of runs');

# ---- what was made of all runs of an application is for who sees all
$w->sql(q{INSERT INTO perfhouse.noise (application, experiment, metric_id, callpath_id, n_runs, level, spread, autocorrelation, degrees, latest_run)
	SELECT application, default_experiment, primary_metric_id, 0, 3, 10, 1, 0, 2, run_id FROM perfhouse.run WHERE run_id = 880002});
is(as($_, 'SELECT count(*) FROM noise'), '0', "$_ knows no levels that runs of other projects went into") for 'ann', 'bob';
is(as('ann', 'SELECT count(*) FROM known_noise(880002)'), '0', 'nor is she told by a function');
is(as('boss', 'SELECT count(*) FROM known_noise(880002)'), '1', 'an administrator is');

# ---- who listens hears no names
my $heard = $w->run('psql', '--db', db('nobody_here'), '--', '-XAtq', '-c', 'LISTEN perfhouse_run', '-c', 'SELECT pg_sleep(0)');
is($heard->{code}, 0, 'anybody may listen');
like($w->run('psql', '--', '-XAtq', '-c', 'LISTEN perfhouse_run', '-c', "SELECT perfhouse_internal.notify_run(880001, 'qzxqzxqzx', 'ready')")->{out},
	qr/"application" : null/, 'but hears no application');

# ---- those who see all; and back
for my $user ('boss', 'perfhouse')
{
	is(as($user, 'SELECT count(*) FROM perfhouse.run_overview'), '11', "$user sees all");
}
like($w->ok_run('list', 'projects')->{out}, qr/alpha\s+5\s+climate_team\nbeta\s+1\s+bob\nenabled/, 'projects are listed');
$w->ok_run('ann removes one of hers', 'rm', '--db', db('ann'), 880001);
is($w->sql('SELECT count(*) FROM perfhouse.rows_without_run()'), '0', 'with all its rows');
$w->sql('CREATE TABLE perfhouse.later (run_id int8, x int, PRIMARY KEY (run_id, x)); DROP VIEW perfhouse.measurement;
	UPDATE perfhouse.schema_version SET checksum = \'\' WHERE version = 10');
$w->ok_run('init again', 'init');
is($w->sql(q{SELECT relrowsecurity FROM pg_class WHERE oid = 'perfhouse.later'::regclass}), 't', 'gives the policy to new tables');
is(as('bob', 'SELECT count(DISTINCT run_id) FROM perfhouse.measurement'), '1', 'and views made again leak nothing');
$w->ok_run('disable', 'projects', 'disable');
is($w->sql(q{SELECT count(*) FROM pg_class WHERE relname IN ('run_seen', 'run_of_project', 'run_of_owner')}), '0', 'nothing is left of it');
is(as('bob', 'SELECT count(*) FROM perfhouse.run_overview'), '10', 'all see all again');

done_testing();
