# perfhouse retention, the rights that upkeep needs, what doctor and report say about it.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Perfhouse;
use JSON::PP;
use Test::More;

my $w = Perfhouse->new;
my $r;
$w->ok_run('load', 'load', '--set', 'application=lulesh', glob("$Perfhouse::data/lulesh-history/*48a767c-n8-*.cali"), "$Perfhouse::data/traces/lulesh-8");
my $wide = $w->write_caliper_json('wide.json', 40, 100, 7);
$w->ok_run('100 ranks', 'load', $wide);
$w->ok_run('tag', 'tag', 'add', 'keep', 2);
is($w->run('retention', 'set', 'x', '--action', 'roll-up')->{code}, 2, 'set needs an age');
is($w->run('retention', 'wipe')->{code}, 2, 'no such verb');
is($w->run('retention', 'set', 'x', '--action', 'roll-up', '--older-than', '1 day', '--filter', 'n_ranks >')->{code}, 1, 'no filter');
is($w->run('retention', 'remove', 'x')->{code}, 13, 'no such policy');
$w->ok_run('set', 'retention', 'set', 'old', '--action', 'roll-up', '--older-than', '0 days');
$w->ok_run('set', 'retention', 'set', 'traces', '--action', 'drop-trace', '--older-than', '30 days', '--filter', q{application = 'lulesh'});
like($w->ok_run('list', 'retention')->{out}, qr/^old +roll up +00:00:00 +4 +keep baseline/m, 'what is due');
my $before = $w->sql(q{SELECT string_agg(run_id || ' ' || round(inclusive::numeric, 12), ',' ORDER BY run_id, node) FROM perfhouse.run_overview r, perfhouse.nodes(perfhouse.profile(run_id))});
my $median = $w->sql('SELECT median FROM perfhouse.run_distribution(5) LIMIT 1');
like($w->ok_run('dry run', 'retention', 'apply', '--dry-run')->{out}, qr/^roll up run 5 \(.*?\).*^\(4 to do\)/ms, 'it says what it would do');
is($w->sql('SELECT count(*) FROM perfhouse.run_overview WHERE rolled_up_at IS NOT NULL'), 0, 'and does nothing');
$w->sql(q{UPDATE perfhouse.run SET loaded_at = now() - interval '31 days' WHERE run_id = 4});
my @done = map { decode_json($_) } split /\n/, $w->ok_run('apply', 'retention', 'apply', '--json')->{out};
is(join(',', map { "$_->{policy} $_->{run_id}" } @done), 'old 1,old 3,old 4,traces 4,old 5', 'what it did');
is($done[-1]{removed}, 40, 'vectors');
like($w->ok_run('again', 'retention', 'apply')->{out}, qr/^\(0 asked for\)$/m, 'nothing is left to do');

# a run that cannot be done keeps none of the rest from being done
$w->ok_run('one more', 'load', '--set', 'application=lulesh', "$Perfhouse::data/lulesh-history/lulesh-3e01c40-n8-1.cali");
$w->ok_run('and one that an older release stored', 'load', '--set', 'application=lulesh', "$Perfhouse::data/lulesh-history/lulesh-46c2a1d-n8-1.cali");
$w->ok_run('which stays whole', 'tag', 'add', 'keep', 7);
$w->as_old_release(7);
$w->sql(q{CREATE FUNCTION public.stays() RETURNS trigger LANGUAGE plpgsql AS $f$BEGIN RAISE EXCEPTION 'it stays'; END$f$;
	CREATE TRIGGER stays BEFORE DELETE ON perfhouse.value_block FOR EACH ROW WHEN (OLD.run_id = 6) EXECUTE FUNCTION public.stays()});
$r = $w->run('retention', 'apply');
is($r->{code}, 1, 'a run that cannot be rolled up');
like($r->{err}, qr/it stays/, 'why');
is($w->sql('SELECT storage FROM perfhouse.run WHERE run_id = 7'), 2, 'the older run is converted');
$w->sql(q{DROP TRIGGER stays ON perfhouse.value_block});
$w->as_old_release(7);
$w->sql(q{CREATE TRIGGER stays BEFORE INSERT ON perfhouse.value_block FOR EACH ROW WHEN (NEW.run_id = 7) EXECUTE FUNCTION public.stays()});
$r = $w->run('retention', 'apply');
is($r->{code}, 1, 'a run that cannot be converted is a failure');
like($r->{err}, qr/converting run 7: it stays/, 'which is named');
$w->sql('DROP TRIGGER stays ON perfhouse.value_block; SELECT perfhouse.drop_run(6), perfhouse.drop_run(7)');

# a run that is tagged while apply waits for it is kept, though it was due when the list was made
$w->ok_run('untag', 'tag', 'remove', 'keep', 2);
my ($tagger, $tagged) = $w->spawn($w->psql(q{BEGIN; UPDATE perfhouse.run SET tags = '{keep}' WHERE run_id = 2;
	DO $$ BEGIN FOR i IN 1 .. 1200 LOOP
		EXIT WHEN EXISTS (SELECT FROM pg_locks l WHERE NOT l.granted AND pg_backend_pid() = ANY (pg_blocking_pids(l.pid)));
		PERFORM pg_sleep(0.1);
	END LOOP; END $$; COMMIT}));
ok($w->becomes_true(q{SELECT count(*) > 0 FROM pg_stat_activity WHERE wait_event = 'PgSleep' AND query ~ 'UPDATE perfhouse.run SET tags'}), 'somebody tags');
$r = $w->ok_run('apply meanwhile', 'retention', 'apply', 'old', '--json');
is($r->{out}, '', 'does nothing');
like($r->{err}, qr/run 2 stays: policy "old" does not concern it any more/, 'and says why');
is($w->finish($tagger, $tagged)->{code}, 0, 'the tag is there');
is($w->sql('SELECT rolled_up_at IS NULL FROM perfhouse.run WHERE run_id = 2'), 't', 'the run is whole');

# pictures of means stay, those of single ranks say why they cannot be drawn
$w->ok_run("$_->[0] of means", 'render', @$_, '-o', "$w->{home}/means.svg") for ['sankey', '--run', 1], ['sankey-compare', '--run', 1, '--vs', 2], ['flame', '--run', 1];
for my $view (['cct'], ['processes'], ['metric', '--node', 'main'], ['histogram'], ['scatter'], ['box'])
{
	$r = $w->run('render', @$view, '--run', 1, '-o', "$w->{home}/ranks.svg");
	is($r->{code}, 14, "@$view of a run that is rolled up");
	like($r->{err}, qr/values of single ranks were rolled up/, 'and why');
}
is($w->sql(q{SELECT string_agg(run_id || ' ' || round(inclusive::numeric, 12), ',' ORDER BY run_id, node) FROM perfhouse.run_overview r, perfhouse.nodes(perfhouse.profile(run_id))}), $before, 'means stay');
is($w->sql('SELECT median FROM perfhouse.run_distribution(5) LIMIT 1'), $median, 'the median, too');
like($w->ok_run('doctor', 'doctor', '--all')->{out}, qr/^ok +stored data +sound, all 5 runs checked$/m, 'check_run is clean');
like($w->ok_run('report', 'report', 5)->{out}, qr/the run was rolled up/, 'report says so');
like($w->run('psql', '--', '-Atc', 'SELECT perfhouse.events(4)')->{err}, qr/events of run 4's trace were dropped/, 'no events');
$w->ok_run('a report all the same', 'report', 4);
$w->ok_run('replace brings it back', 'load', '--if-exists', 'replace', $wide);
is($w->sql('SELECT count(*) FROM perfhouse.measurement WHERE run_id = 5'), 4000, 'single ranks are there again');
is($w->sql('SELECT count(*) FROM perfhouse.profile_sketch WHERE run_id = 5'), 0, 'and no distributions');
$w->ok_run('roll-up', 'retention', 'roll-up', 5);
is($w->run('retention', 'roll-up', 99)->{code}, 13, 'no such run');
$w->ok_run('remove', 'retention', 'remove', 'old');

# a reader is told which role he lacks
$w->sql('CREATE ROLE tap_reader LOGIN; GRANT perfhouse_reader TO tap_reader');
my $socket = $w->sql(q{SELECT trim('"' FROM split_part(current_setting('unix_socket_directories'), ',', 1))});
my $db = "host=$socket user=tap_reader dbname=" . $w->sql('SELECT current_database()') . ' port=' . $w->sql(q{SELECT current_setting('port')});
for my $case (['rm', '-f', 1], ['retention', 'roll-up', 1], ['regressions'])
{
	$r = $w->run('--db', $db, @$case);
	is($r->{code}, 7, "@$case by a reader") or diag($r->{out}, $r->{err});
	my $said = $case->[0] eq 'rm' ? 'error: user' : 'user';
	like($r->{err}, qr/$said "tap_reader" may not .*hint: The role perfhouse_loader may; .*GRANT perfhouse_loader TO "tap_reader"/s, 'and who may');
}
$w->ok_run('list by a reader', '--db', $db, 'retention');
$w->sql('SELECT perfhouse.drop_run(1)');

# only the newest runs are checked unless all are
$w->sql(q{INSERT INTO perfhouse.run (fingerprint, format, state) SELECT 'x' || i, 'x', 'ready' FROM generate_series(1, 30) i});
$r = $w->run('doctor');
like($r->{out}, qr/^ok +stored data +only the newest 20 of 34 runs checked \(--all: every run\)$/m, 'doctor says what it looked at');
done_testing();
