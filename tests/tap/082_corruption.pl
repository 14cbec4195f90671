# Stored values damaged one at a time: a bit turned, the end cut off, bytes too many, two rows exchanged, a row lost, another
# number, another name. check_run finds every one. CORRUPTIONS (280) in all, as many of each kind of value; make torture-values:
# 10,000.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Perfhouse;
use Test::More;

my $wanted = $ENV{CORRUPTIONS} // 280;
my $seed   = $ENV{SEED}        // 1;
my $w      = Perfhouse->new;
my $data   = $Perfhouse::data;
diag("SEED=$seed CORRUPTIONS=$wanted");
$w->ok_run('a server', 'up');
$w->ok_run('runs of a history', 'load', '--module-map', "$data/lulesh-history/modules.map", (sort glob("$data/lulesh-history/lulesh-*.cali"))[0 .. 7]);
$w->run('load', '--allow-incomplete', "$data/profiles", glob("$data/traces/*"), map { "$data/$_" } qw(chrome devices gpu tasks projections));

# Stored as releases stored them, rolled up, with tiles: kinds of values that fresh runs do not have.
$w->as_old_release(1, 2);
$w->sql(q{UPDATE perfhouse.run SET tags = '{sums}', loaded_at = 'epoch', started_at = 'epoch' WHERE run_id IN (3, 4, 5, 6)});
$w->sql(q{SELECT perfhouse.set_retention('sums', 'roll up', '1 day', 'tag = sums'); SELECT count(*) FROM perfhouse.apply_retention()});
cmp_ok($w->sql('SELECT count(*) FROM perfhouse.run WHERE rolled_up_at IS NOT NULL'), '>', 0, 'runs are rolled up');
$w->sql('SELECT count(perfhouse.store_tiles(run_id)) FROM perfhouse.run_overview WHERE has_trace');

$w->sql(Perfhouse::slurp("$FindBin::Bin/../lib/corrupt.sql"));
my @lines = split /\n/, $w->sql("SELECT kind, how, n, found, example FROM public.corruptions($wanted, $seed / 1000.0)");
my ($n, $found, %kinds) = (0, 0);
for (@lines)
{
	my ($kind, $how, $tried, $known, $example) = split /\|/;
	$n     += $tried;
	$found += $known;
	$kinds{$kind} = 1;
	is($known, $tried, "$kind: $how") or diag($example);
}
is($n, $wanted, 'values were damaged');
for my $kind (qw(call_tree.tree label_data.labels value_block.bytes summary_block.bytes profile_sketch.inclusive trace_chunk.dt trace_chunk.extra message_chunk.links launch_chunk.links
	logical_chunk.places logical_chunk.tasks phase_block.packed trace_tile.bytes profile_values_1.inclusive location.host
	trace_region.name trace_stream.name))
{
	ok($kinds{"perfhouse.$kind"}, "$kind among them") if $wanted >= 280;
}
diag("$n stored values of " . keys(%kinds) . " kinds were damaged, $found found");
is($w->sql('SELECT count(*) FROM perfhouse.run_overview r, perfhouse.check_run(r.run_id) c WHERE NOT c.ok'), 0, 'without damage nothing is found');

# Checksums are made together: of a run with a trace each that is lost is missed.
my ($traced) = split /\n/, $w->sql('SELECT run_id FROM perfhouse.trace ORDER BY run_id');
my @relations = split /\n/, $w->sql("SELECT relation FROM perfhouse.row_sum WHERE run_id = $traced ORDER BY relation");
cmp_ok(scalar @relations, '>', 5, 'tables with a checksum');
for my $relation (@relations)
{
	my $said = $w->sql("BEGIN; DELETE FROM perfhouse.row_sum WHERE run_id = $traced AND relation = '$relation';"
			. "SELECT detail FROM perfhouse.check_run($traced) WHERE NOT ok; ROLLBACK");
	is($said, "the checksum of $relation is missing", "$relation: its checksum is missed");
}
done_testing();
