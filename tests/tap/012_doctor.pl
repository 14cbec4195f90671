# doctor: a healthy warehouse, leftovers of killed loaders, unused dictionary rows, rights, bad data.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use JSON::PP;
use Perfhouse;
use Test::More;

my $w = Perfhouse->empty;
$w->ok_run('load', 'load', glob("$Perfhouse::data/lulesh-history/lulesh-3e01c40-n8-*.cali"));
my $runs = $w->sql('SELECT count(*) FROM perfhouse.run_overview');

my $r = $w->ok_run('a healthy warehouse', 'doctor', '--all');
unlike($r->{out}, qr/PROBLEM/, 'no problem');
like($r->{out}, qr/disk/, 'looks at the disk');
my @lines = split /\n/, $r->{out};
my @found = map { decode_json($_) } split /\n/, $w->ok_run('as JSON', 'doctor', '--all', '--json')->{out};
is_deeply([map { sprintf '%-8s %-14s %s', @$_{qw(status what finding)} } grep { $_->{what} ne 'disk' } @found], [grep { !/^ok +disk/ } @lines], 'says the same as JSON');

# ---- a killed loader's leftover: its backend is gone
$w->sql(q{INSERT INTO perfhouse.run (run_id, fingerprint, format, state, loader_pid) VALUES (1000, 'f', 'x', 'loading', 1);
	INSERT INTO perfhouse.location (run_id, location_id) VALUES (1000, 0)});
is($w->sql('SELECT count(*) FROM perfhouse.run_overview'), $runs, 'invisible');
$r = $w->run('doctor');
is($r->{code}, 16, 'found');
like($r->{out}, qr/PROBLEM +loads +1 that killed loaders left/, 'named');
$r = $w->run('doctor', '--json');
is($r->{code}, 16, 'found');
my ($problem) = grep { $_->{status} eq 'problem' } map { decode_json($_) } split /\n/, $r->{out};
is($problem->{what}, 'loads', 'named in JSON');
is($w->sql('SELECT count(*) FROM perfhouse.run'), $runs + 1, 'but not touched');
$r = $w->ok_run('repaired', 'doctor', '--repair');
is($w->sql('SELECT count(*) FROM perfhouse.run'), $runs, 'gone');
is($w->sql('SELECT count(*) FROM perfhouse.location WHERE run_id = 1000'), '0', 'with its rows');

# ---- what cannot be removed stays a problem, and what a later check removed is gone all the same
$w->sql(q{INSERT INTO perfhouse.run (run_id, fingerprint, format, state, loader_pid) SELECT i, 'f' || i, 'x', 'loading', 1 FROM generate_series(1000, 1002) i;
	INSERT INTO perfhouse.region (region_id, kind, name) VALUES (1, 0, 'unused');
	CREATE FUNCTION public.stays() RETURNS trigger LANGUAGE plpgsql AS $f$BEGIN RAISE EXCEPTION 'it stays'; END$f$;
	CREATE TRIGGER stays BEFORE DELETE ON perfhouse.run FOR EACH ROW WHEN (OLD.run_id = 1001) EXECUTE FUNCTION public.stays()});
$w->alone; # names are swept when no load is at work
$r = $w->run('doctor', '--repair');
is($r->{code}, 1, 'a run that cannot be removed');
like($r->{err}, qr/unfinished loads: it stays/, 'why');
like($r->{out}, qr/^PROBLEM +loads +removed 1 of 3 that killed loaders left behind$/m, 'is not told to be gone');
like($r->{out}, qr/^ok +dictionary +0 call paths and 1 regions that no run uses, removed$/m, 'the check after it');
is($w->sql('SELECT count(*) FROM perfhouse.region WHERE region_id = 1'), '0', 'says what is true');
$w->sql('DROP TRIGGER stays ON perfhouse.run');
like($w->ok_run('then it goes', 'doctor', '--repair')->{out}, qr/removed 2 that killed/, 'with the other one');
$w->sql('ALTER TABLE perfhouse.run RENAME COLUMN storage TO stored');
$r = $w->run('doctor');
is($r->{code}, 8, 'a check that cannot look');
unlike($r->{out}, qr/older runs/, 'has found nothing');
$w->sql('ALTER TABLE perfhouse.run RENAME COLUMN stored TO storage');

# ---- a loader that lives is left alone
my ($pid, $base) = $w->start('psql', '--', '-Atqc', q{INSERT INTO perfhouse.run (run_id, fingerprint, format, state, loader_pid) VALUES (1001, 'g', 'x', 'loading', pg_backend_pid())},
	'-c', q{SELECT pg_sleep(600)});
$w->becomes_true('SELECT count(*) = 1 FROM perfhouse.run WHERE run_id = 1001');
$w->ok_run('while a load is running', 'doctor', '--repair');
is($w->sql('SELECT count(*) FROM perfhouse.run WHERE run_id = 1001'), '1', 'it stays');
$w->sql(q{SELECT pg_terminate_backend(loader_pid, 60000) FROM perfhouse.run WHERE run_id = 1001});
$w->finish($pid, $base);
$w->ok_run('and then goes', 'doctor', '--repair');
is($w->sql('SELECT count(*) FROM perfhouse.run WHERE run_id = 1001'), '0', 'gone');

# ---- a run deleted by hand: its other rows stay behind
$w->ok_run('a run to delete', 'load', "$Perfhouse::data/lulesh-history/lulesh-13ef21b-n8-1.cali");
my $deleted = $w->sql('DELETE FROM perfhouse.run WHERE run_id = (SELECT max(run_id) FROM perfhouse.run) RETURNING run_id');
my $kept    = $w->sql("SELECT count(*) FROM perfhouse.value_block WHERE run_id <> $deleted");
$r = $w->run('doctor');
is($r->{code}, 16, 'found');
like($r->{out}, qr/PROBLEM +deleted runs +there are rows of run $deleted, which is gone, in .*value_block.*--repair/, 'named');
cmp_ok($w->sql("SELECT count(*) FROM perfhouse.value_block WHERE run_id = $deleted"), '>', 0, 'but not touched');
$r = $w->ok_run('repaired', 'doctor', '--repair');
like($r->{out}, qr/removed rows of run $deleted, which is gone, from .*location/, 'says so');
is($w->sql("SELECT count(*) FROM perfhouse.rows_without_run()"), '0', 'none is left');
is($w->sql("SELECT count(*) FROM perfhouse.value_block"), $kept, 'nothing else is gone');
like($w->ok_run('and then', 'doctor')->{out}, qr/ok +deleted runs +none/, 'it is fine');

# ---- unused dictionary rows
my $used = $w->sql('SELECT (SELECT count(*) FROM perfhouse.region), (SELECT count(*) FROM perfhouse.callpath)');
$w->sql(q{INSERT INTO perfhouse.region (region_id, kind, name) VALUES (1, 0, 'unused'); INSERT INTO perfhouse.callpath VALUES (1, NULL, 1, 0), (2, 1, 1, 1)});
$r = $w->ok_run('harmless', 'doctor');
like($r->{out}, qr/2 call paths and 1 regions that no run uses/, 'counted');
$w->ok_run('swept', 'doctor', '--repair');
is($w->sql('SELECT (SELECT count(*) FROM perfhouse.region), (SELECT count(*) FROM perfhouse.callpath)'), $used, 'what is used stays');

# ---- but not below a loader at work, which may have just interned them
$w->sql(q{INSERT INTO perfhouse.region (region_id, kind, name) VALUES (1, 0, 'unused')});
($pid, $base) = $w->start('psql', '--', '-Atqc', 'SELECT pg_advisory_lock_shared(8097114102), pg_sleep(600)');
$w->becomes_true(q{SELECT count(*) > 0 FROM pg_locks WHERE locktype = 'advisory'});
$r = $w->ok_run('repair during a load', 'doctor', '--repair');
like($r->{out}, qr/loaders are at work/, 'the dictionary has to wait');
is($w->sql(q{SELECT count(*) FROM perfhouse.region WHERE region_id = 1}), '1', 'the row is still there');
$w->sql(q{SELECT pg_terminate_backend(pid, 60000) FROM pg_locks WHERE locktype = 'advisory'});
$w->finish($pid, $base);
$w->ok_run('afterwards', 'doctor', '--repair');
is($w->sql(q{SELECT count(*) FROM perfhouse.region WHERE region_id = 1}), '0', 'it goes');

# ---- rights
$w->sql('GRANT USAGE ON SCHEMA perfhouse TO PUBLIC');
$r = $w->run('doctor');
is($r->{code}, 16, 'rights of PUBLIC');
like($r->{out}, qr/PROBLEM +rights/, 'named');
$w->ok_run('taken back', 'doctor', '--repair');

# ---- damaged data
$w->as_old_release(1);
$w->sql('DELETE FROM perfhouse.profile_values_1 WHERE run_id = 1 AND callpath_id = (SELECT min(callpath_id) FROM perfhouse.profile_values_1 WHERE run_id = 1)');
$r = $w->run('doctor', '--all');
is($r->{code}, 16, 'damaged data');
like($r->{out}, qr/PROBLEM +stored data +run 1, /, 'the run is named');
like($r->{err}, qr/--if-exists replace/, 'with a remedy');

# ---- damage in any block and strip of a wide run is found, and only that; a small memory limit makes many strips
$w->ok_run('a wide run', 'load', $w->write_caliper_json('wide.json', 20, 5000, 1));
my $wide = $w->sql('SELECT max(run_id) FROM perfhouse.run');
is($w->sql("SELECT count(*) FROM perfhouse.check_run($wide) WHERE NOT ok"), '0', 'is sound in blocks');
$w->as_old_release($wide);
sub wrong_checks
{
	my ($damage) = @_;
	return $w->sql("SET perfhouse.memory_limit = '1MB'; BEGIN; $damage; SELECT string_agg(check_name || ': ' || regexp_replace(detail, ' *-?\\d{9,}', '', 'g'), '; ') FROM perfhouse.check_run($wide) WHERE NOT ok; ROLLBACK");
}
my $some = "run_id = $wide AND callpath_id = (SELECT callpath_id FROM perfhouse.callpath JOIN perfhouse.profile_values_1 USING (callpath_id) WHERE run_id = $wide AND parent_id IS NULL LIMIT 1)";
is($w->sql("SELECT max(block) FROM perfhouse.profile_values_1 WHERE run_id = $wide"), '1', 'two blocks');
is(wrong_checks('SELECT'), '', 'it is sound');
for my $place ([0, 1], [0, 2500], [0, 4096], [1, 1], [1, 904])
{
	my ($block, $column) = @$place;
	is(wrong_checks("UPDATE perfhouse.profile_values_1 SET exclusive[$column] = exclusive[$column] + 1e9 WHERE block = $block AND $some"),
		'summaries: 1 of them disagree with the vectors; additivity: 1 cells are not exclusive + children, the first in call path', "block $block, column $column");
}
like(wrong_checks("UPDATE perfhouse.profile_values_1 SET inclusive[904] = NULL WHERE block = 1 AND $some"), qr/vectors: call path, metric \d+, block 1 has nulls in only one/, 'a null');
like(wrong_checks("UPDATE perfhouse.profile_values_1 SET block = 7 WHERE block = 1 AND $some"), qr/vectors: call path, metric \d+, block 7 has a block beyond the locations/, 'a block');

done_testing();
