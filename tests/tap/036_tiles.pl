# Pyramids of traces: made while loading, by any number of threads, later by the server, or not at all: the same tiles.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Perfhouse;
use Test::More;

my $w     = Perfhouse->new;
my $trace = "$Perfhouse::data/traces/lulesh-8";
$w->ok_run('init', 'init');

my $tiles = q{SELECT md5(string_agg(concat_ws(' ', tier, level, block, x, md5(bytes), crc), E'\n' ORDER BY tier, level, block, x)), count(*) FROM perfhouse.trace_tile WHERE run_id = 1};
my $noted = q{SELECT count(*) FROM perfhouse.run_derived WHERE kind = 'pyramid' AND NOT is_stale};

$w->ok_run('a small trace', 'load', $trace);
is($w->sql($noted), '0', 'has no pyramid');
my $cells = q{SELECT md5(string_agg(c::text, E'\n')), count(*) > 100 FROM perfhouse.trace_cells(1, 20) c};
my $without = $w->sql($cells);
like($without, qr/\|t$/, 'but cells');
like($w->run('psql', '--', '-XAtqc', 'SET ROLE perfhouse_reader; SELECT perfhouse.store_tiles(1)')->{err}, qr/permission denied/, 'readers make none');
cmp_ok($w->sql('SET ROLE perfhouse_loader; SELECT perfhouse.store_tiles(1)'), '>', 10, 'loaders do');
my $expected = $w->sql($tiles);

for my $jobs (1, 3)
{
	$w->ok_run("with $jobs threads", 'load', '--pyramid', 'always', '--jobs', $jobs, '--if-exists', 'replace', $trace);
	is($w->sql($tiles), $expected, 'the tiles that the server made');
	is($w->sql($noted), '1', 'noted');
}
is($w->sql($cells), $without, 'cells are the same as without');
is($w->sql("SELECT string_agg(check_name, ', ') FROM perfhouse.check_run(1) WHERE NOT ok"), '', 'sound');

# ---- what an older release loaded has none, which is said and made up for
$w->sql(q{DELETE FROM perfhouse.trace_tile; UPDATE perfhouse.derived SET version = 0 WHERE kind = 'pyramid'});
my $asked = $w->ok_run('a pyramid less is no damage', 'doctor')->{out};
like($asked, qr/^ok +pyramids +1 large traces without one of this version .*--repair mends it$/m, 'doctor says so');
like($asked, qr/^ok +stale results +none$/m, 'and that nothing is refused');
is($w->sql($cells), $without, 'cells are the same as ever');
$w->ok_run('doctor --repair', 'doctor', '--repair');
is($w->sql($tiles), $expected, 'and makes it');
$w->ok_run('never', 'load', '--pyramid', 'never', '--if-exists', 'replace', $trace);
is($w->sql($tiles), '|0', 'replaced by a run without');
{
	local $ENV{PERFHOUSE_PYRAMID} = 'always';
	$w->ok_run('by the environment', 'load', '--if-exists', 'replace', $trace);
}
is($w->sql($tiles), $expected, 'with');
is($w->run('load', '--pyramid', 'perhaps', $trace)->{code}, 2, 'what else is refused');
$w->ok_run('rm', 'rm', '1');
is($w->sql('SELECT count(*) FROM perfhouse.trace_tile'), '0', 'tiles go with the run');
$w->sql(q{INSERT INTO perfhouse.trace_tile VALUES (77, 0, 1, 0, 0, '\x00', 1)});
like($w->run('doctor')->{out}, qr/trace_tile|rows without/, 'tiles without a run are found');
$w->ok_run('again', 'doctor', '--repair');
is($w->sql('SELECT count(*) FROM perfhouse.trace_tile'), '0', 'and removed');
done_testing();
