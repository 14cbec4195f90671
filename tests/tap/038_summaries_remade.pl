# Summaries of stored runs are results that can be made again: of the values, bit by bit as the load made them. What is lost,
# stale or damaged is told, and remade by remake_derived() and doctor --repair.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Perfhouse;
use Test::More;

my $w = Perfhouse->new;
$w->ok_run('init', 'init');
srand(38);

# Columns that are iterations, several metrics, paths that only some ranks have, recursion.
sub write_iterations
{
	my ($name, $n_nodes, $n_ranks) = @_;
	my (@rows, @parent);
	for my $node (0 .. $n_nodes - 1)
	{
		$parent[$node] = $node == 0 ? undef : int(rand($node));
		for my $rank (0 .. $n_ranks - 1)
		{
			next if $node > 0 && rand() < 0.4;
			push @rows, sprintf('[%.6f,%d,%d,%d,%d]', rand(10), int(rand(1e6)), $rank, $_, $node) for 0 .. int(rand(3));
		}
	}
	my @nodes = map { sprintf('{"label":"f%d","column":"path"%s}', $_ % 7, defined $parent[$_] ? ",\"parent\":$parent[$_]" : '') }
		0 .. $n_nodes - 1;
	local $" = ",\n";
	return $w->write_file($name, qq({"data":[@rows],"columns":["sum#time.duration","sum#papi.PAPI_TOT_INS","mpi.rank","iteration#main","path"],
"column_metadata":[{"is_value":true},{"is_value":true},{"is_value":true},{"is_value":true},{"is_value":false}],"nodes":[@nodes]}));
}

$w->ok_run('load', 'load', '--ignore-unknown', "$Perfhouse::data/profiles", "$Perfhouse::data/lulesh-history", write_iterations('some.json', 40, 5),
	write_iterations('blocks.json', 700, 3));
my $n_runs = $w->sql('SELECT count(*) FROM perfhouse.run');
cmp_ok($n_runs, '>', 40, 'runs');
is($w->sql("SELECT count(*) FROM perfhouse.run_derived WHERE kind = 'summaries' AND NOT is_stale AND NOT is_lost"), $n_runs, 'each is registered');
is($w->sql('SELECT bool_or(get_byte(bytes, 4) = 1) AND bool_or(get_byte(bytes, 4) = 2) FROM perfhouse.summary_block'), 't', 'sums of both kinds');

# Everything but when it was made.
my $state = q{SELECT md5(string_agg(told, E'\n' ORDER BY told)), count(*) FROM (SELECT s::text AS told FROM perfhouse.summary_block s
	UNION ALL SELECT s::text FROM perfhouse.region_summary s UNION ALL SELECT concat_ws(' ', run_id, kind, version) FROM perfhouse.derived) t};
my $loaded = $w->sql($state);
is($w->sql("SELECT bool_and(perfhouse.remake_summaries(run_id) > 0) FROM perfhouse.run"), 't', 'all are made anew');
is($w->sql($state), $loaded, 'with the same bytes');

# ---- lost, stale, damaged
my %harm = (
	'blocks are lost' => ['summary_block WHERE run_id = 3', 'is_lost', 1],
	'one block is lost' => ["summary_block WHERE block = 1 AND run_id = $n_runs", 'is_lost', 1],
	'functions are lost' => ['region_summary WHERE run_id = 5', 'is_lost', 1],
);
my $told = sub { return $w->sql("SELECT string_agg(run_id || ' ' || kind, ', ') FROM perfhouse.run_derived WHERE $_[0]") };
for my $what (sort keys %harm)
{
	my ($rows, $column) = @{$harm{$what}};
	my ($run) = $w->sql("DELETE FROM perfhouse.$rows RETURNING run_id") =~ /^(\d+)/;
	is($told->($column), "$run summaries", "$what: is told");
	my $r = $w->run('doctor');
	like($r->{out}, qr/PROBLEM +stale results +1 with results that are lost/, "$what: doctor tells it");
	is($w->sql("SELECT perfhouse.remake_derived($run)"), '{summaries}', "$what: is made anew");
	is($w->sql($state), $loaded, "$what: the same bytes");
}

$w->sql('UPDATE perfhouse.derived SET version = 0 WHERE run_id = 7; DELETE FROM perfhouse.region_summary WHERE run_id = 8;
	DELETE FROM perfhouse.derived WHERE run_id = 8');
is($told->('is_stale'), '7 summaries', 'summaries of a method that is not valid are stale');
my $r = $w->ok_run('doctor --repair', 'doctor', '--repair');
like($r->{out}, qr/ok +stale results +2, done/, 'what is stale and what is lost without a note');
is($w->sql($state), $loaded, 'the same bytes');

my $flip = 'bytes = set_byte(bytes, length(bytes) - 1, 255 - get_byte(bytes, length(bytes) - 1))';
my %damage = (
	'a damaged block' => ["summary_block SET $flip WHERE run_id = 9", qr/checksum is wrong/],
	'a function with another sum' => ['region_summary SET exclusive = exclusive + 1 WHERE run_id = 10', qr/\d+ of them, of functions, disagree/],
	'a function of another run' => ['region_summary SET region_id = -7 WHERE run_id = 11 AND region_id = (SELECT min(region_id)
		FROM perfhouse.region_summary WHERE run_id = 11)', qr/\d+ of them, of functions, disagree/],
);
for my $what (sort keys %damage)
{
	my ($change, $finding) = @{$damage{$what}};
	my ($run) = $w->sql("UPDATE perfhouse.$change RETURNING run_id") =~ /^(\d+)/;
	like($w->sql("SELECT string_agg(detail, '') FROM perfhouse.check_run($run) WHERE check_name = 'summaries' AND NOT ok"), $finding, "$what: is found");
	is($w->sql("SELECT string_agg(check_name, '') FROM perfhouse.check_run($run) WHERE NOT ok"), 'summaries', "$what: and nothing else");
	$r = $w->run('doctor', '--all');
	is($r->{code}, 16, "$what: doctor tells");
	like($r->{out}, qr/PROBLEM +stored data +run $run, summaries: .*; --repair computes them anew/, "$what: and what to do");
	unlike($r->{err}, qr/Load such runs again/, "$what: which is not to load it again");
	$r = $w->ok_run("$what: repair", 'doctor', '--all', '--repair');
	like($r->{out}, qr/ok +stored data +run $run, summaries: .*; computed anew/, "$what: is repaired");
	is($w->sql($state), $loaded, "$what: the same bytes");
}
is($w->sql('SELECT perfhouse.remake_derived(12)'), '{}', 'what is sound is left alone');

# ---- summaries of an older method are valid
$w->sql('UPDATE perfhouse.derived SET version = 1 WHERE kind = \'summaries\'');
is($told->('is_stale OR is_lost'), '', 'version 1 is not stale');

# ---- what cannot be made again
my $refused = sub { return $w->run('psql', '--', '-XAtq', '-c', "SELECT perfhouse.remake_summaries($_[0])")->{err} };
like($refused->(0), qr/there is no run 0/, 'no run');
$w->sql("UPDATE perfhouse.value_block SET $flip WHERE run_id = 13");
like($refused->(13), qr/block of stored values is damaged: its checksum is wrong/, 'of damaged values nothing is made');
$w->sql('DELETE FROM perfhouse.summary_block WHERE run_id = 14; SELECT perfhouse.roll_up_run(14)');
is($w->sql("SELECT count(*) FROM perfhouse.check_run(14) WHERE NOT ok"), 0, 'what is rolled up gets its summaries first');
like($refused->(14), qr/values of single ranks and iterations of run 14 were rolled up/, 'and not behind');
is($w->sql("SELECT count(*) FROM perfhouse.derived WHERE run_id = 14 AND kind = 'summaries'"), 0, 'so they are not registered any more');
is($told->('is_lost'), '', 'nor lost');
done_testing();
