# report and compare: numbers that agree with SQL, verdicts only with repeats.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Perfhouse;
use JSON::PP;
use Test::More;

my $w       = Perfhouse->new;
my $history = "$Perfhouse::data/lulesh-history";
$w->ok_run("load $_", 'load', '--set', 'application=lulesh', '--commit', $_, glob("$history/lulesh-$_-n8-*.cali")) for qw(46c2a1d 3e01c40);
$w->ok_run('load other sizes', 'load', '--set', 'application=lulesh', '--commit', '3e01c40', glob("$history/lulesh-3e01c40-n27-*.cali"));

# ---- report
my $r = $w->ok_run('report', 'report', 4);
like($r->{out}, qr/^Hot path.*\n.*\n(?:.*\n)*? +100\.0 % +.*main/m, 'hot path from main');
like($r->{out}, qr/imbalance_ratio/,          'names the imbalance');
like($r->{out}, qr/\d core-s/,                'lost core-seconds');
like($r->{out}, qr/[\d.]+ % of the total.*most in MPI_/, 'MPI share');
like($r->{out}, qr/How far to trust it/,      'trust');
like($r->{out}, qr/5 other runs of this experiment \(ranks 8, threads 1\), 2 of them of this commit/, 'repeats');
ok(($r->{out} =~ tr/\n//) <= 60, 'one page');
my $j = decode_json($w->ok_run('report --json', 'report', '--json', 4)->{out});
my $total = $w->sql('SELECT sum(s.inclusive_sum) / 8 FROM perfhouse.profile_summary s JOIN perfhouse.callpath USING (callpath_id) WHERE run_id = 4 AND parent_id IS NULL');
ok(abs($j->{total} - $total) < 1e-9 * $total, 'total') or diag("$j->{total} $total");
my $mpi = $w->sql("SELECT sum(s.exclusive_sum) / 8 FROM perfhouse.profile_summary s JOIN perfhouse.callpath USING (callpath_id) JOIN perfhouse.region USING (region_id) WHERE run_id = 4 AND name LIKE 'MPI\\_%'");
ok(abs($j->{mpi} - $mpi) < 1e-9 * $mpi, 'MPI');
my $worst = $j->{imbalance}[0];
my $lost  = $w->sql("SELECT max(exclusive_max * 8 - exclusive_sum) FROM perfhouse.profile_summary s JOIN perfhouse.callpath USING (callpath_id) JOIN perfhouse.region USING (region_id) WHERE run_id = 4 AND name NOT LIKE 'MPI\\_%'");
ok(abs($worst->{lost} - $lost) < 1e-9 * $lost, 'the most imbalanced path') or diag("$worst->{lost} $lost");
ok($worst->{lost_core_hours} > 0, 'in core-hours');
is($w->run('report', 99)->{code}, 13, 'no such run');
like($r->{out}, qr/^Explanation\n  Measured by 5 other runs of its experiment/m, 'begins with what explains the run');
is($j->{explanation}[0]{step}, 'comparable', 'also as JSON');
for my $command ([report => 4], [compare => '1,2,3', '4,5,6'])
{
	my $window = $w->run(@$command, '--from', '1s', '--to', '2s');
	is($window->{code}, 13, "@$command: a profile has no window");
	like($window->{err}, qr/run \d+ has no trace, and of a profile nobody knows what was when/, 'and says so');
}

# a part of it: the same as SQL has of that part
my $part = "perfhouse.subtree(perfhouse.profile(4, 'time', '{0,1,2}'), 'LagrangeNodal')";
$j = decode_json($w->ok_run('a part', 'report', '--json', '--ranks', '0-2', '--within', 'LagrangeNodal', 4)->{out});
is($j->{n_columns}, 3, 'three ranks');
my $below = $w->sql("SELECT inclusive FROM perfhouse.nodes($part) WHERE parent IS NULL");
ok(abs($j->{total} - $below) < 1e-9 * $below, 'below a function') or diag("$j->{total} $below");
is($w->run('report', 4, '--within', 'nowhere')->{code}, 13, 'no such function');
is($w->run('report', 4, '--ranks', '99')->{code}, 13, 'no such rank');

# ---- compare two runs: never a verdict
$r = $w->ok_run('compare two runs', 'compare', 1, 4);
like($r->{out}, qr/^verdict: unknown$/m, 'unknown');
like($r->{out}, qr/too few to tell a change from noise: 3 on each side are the least/, 'and why');
like($r->{out}, qr/run 1 .* has 2 more runs under the same conditions: compare commit 46c2a1d/, 'and what to do');
like($r->{out}, qr/^Where and why$/m, 'what explain says of it');
ok(($r->{out} =~ tr/\n//) <= 60, 'one page');

# ---- compare commits
$j = decode_json($w->ok_run('compare commits', 'compare', '--json', '46c2a1d', '3e01c40')->{out});
is(scalar @{$j->{a}{runs}}, 3, 'three repeats of A');
is(scalar @{$j->{b}{runs}}, 3, 'three of B: those on as many ranks');
like($j->{verdict}, qr/^(slower|faster|same|unknown)$/, 'a verdict');
if ($j->{verdict} eq 'unknown')
{
	ok(!defined $j->{repeats_needed} || $j->{repeats_needed} > 3, 'and how many repeats it needs');
}
is_deeply([map { $_->{step} } grep { $_->{step} ne 'changed' } @{$j->{explanation}}], [], 'no finding: these commits do not differ');
my @means = map { $w->sql("SELECT sum(inclusive_sum) / 8 / 3 FROM perfhouse.profile_summary JOIN perfhouse.callpath USING (callpath_id) WHERE parent_id IS NULL AND run_id IN ($_)") } '1,2,3', '4,5,6';
ok(abs($j->{change} - ($means[1] - $means[0])) < 1e-9, 'the change of the means') or diag("$j->{change} @means");

$j = decode_json($w->ok_run('compare a part', 'compare', '--json', '--within', 'LagrangeNodal', '--ranks', '1,3', '1,2,3', '4,5,6')->{out});
my @below = map { $w->sql("SELECT avg(n.inclusive) FROM unnest('{$_}'::int8[]) r, perfhouse.nodes(perfhouse.subtree(perfhouse.profile(r, 'time', '{1,3}'), 'LagrangeNodal')) n WHERE n.parent IS NULL") } '1,2,3', '4,5,6';
ok(abs($j->{change} - ($below[1] - $below[0])) < 1e-9, 'of two ranks below a function') or diag("$j->{change} @below");

# a run against itself, repeated: the same
$j = decode_json($w->ok_run('compare a set with itself', 'compare', '--json', '--margin', 99, '4,5,6', '4,5,6')->{out});
is($j->{verdict}, 'same', 'same within a generous margin');
is($j->{change}, 0, 'no change');

# planted: B takes twice as long in one place
sub literal
{
	my ($name, $kernel, $noise) = @_;
	my $metrics = sub { sprintf('"metrics":{"time":%.6f}', $_[0]) };
	return $w->write_file($name,
		'[{"frame":{"name":"main","type":"function"},' . $metrics->(1 + $noise) . ',"children":['
		. '{"frame":{"name":"kernel","type":"function"},' . $metrics->($kernel) . ',"children":[]},'
		. '{"frame":{"name":"output","type":"function"},' . $metrics->(2) . ',"children":[]}]}]');
}
for my $i (1 .. 4)
{
	$w->ok_run("plant A$i", 'load', '--set', 'application=planted', '--commit', 'aaaa111', literal("a$i.json", 5,  0.01 * $i));
	$w->ok_run("plant B$i", 'load', '--set', 'application=planted', '--commit', 'bbbb222', literal("b$i.json", 10, 0.01 * $i));
}
$j = decode_json($w->ok_run('compare planted', 'compare', '--json', 'aaaa', 'bbbb')->{out});
is($j->{verdict}, 'slower', 'slower');
is($j->{functions}[0]{name}, 'kernel', 'the function that changed most');
my ($finding) = @{$j->{explanation}};
is(join('|', @$finding{qw(step path shape cause confidence)}), 'finding|main/kernel|uniform|unknown|high', 'in the kernel');
is(scalar(split /\n/, $w->sql($finding->{evidence})), 8, 'its evidence: a row a run');
like($w->ok_run('as text', 'compare', 'aaaa', 'bbbb')->{out}, qr{^Where and why\n  main/kernel takes .* \[confidence: high\]\n    SQL: SELECT}m, 'compare says what explain says');
$j = decode_json($w->ok_run('planted, below main/kernel', 'compare', '--json', '--within', 'kernel', 'aaaa', 'bbbb')->{out});
is($j->{explanation}[0]{path}, 'kernel', 'of a part');
is(scalar(split /\n/, $w->sql($j->{explanation}[0]{evidence})), 8, 'whose evidence is of that part');
is(decode_json($w->run('compare', '--json', 'bbbb', 'aaaa')->{out})->{verdict}, 'faster', 'and back');
$w->ok_run('exclude one', 'exclude', $w->sql("SELECT max(run_id) FROM perfhouse.run WHERE commit_id = 'aaaa111'"), 'test');
$w->ok_run('exclude another', 'exclude', $w->sql("SELECT max(run_id) FROM perfhouse.run WHERE commit_id = 'aaaa111' AND excluded_reason IS NULL"), 'test');
$j = decode_json($w->run('compare', '--json', 'aaaa', 'bbbb')->{out});
is($j->{verdict}, 'slower', 'two runs are enough where it is known how far those of the experiment scatter');
is($j->{noise}{n_runs}, 8, 'as the latest runs say');
$w->sql(q{DELETE FROM perfhouse.noise WHERE application = 'planted'});
my ($one, $other) = map { $w->sql("SELECT min(run_id) FROM perfhouse.run WHERE commit_id = '$_'") } 'aaaa111', 'bbbb222';
is(decode_json($w->run('compare', '--json', $one, $other)->{out})->{verdict}, 'unknown', 'where nothing is known, one on each side is too few');
is(scalar @{$j->{a}{runs}}, 2, 'two are left');

# runs of no commit have noise, too
$w->ok_run('without commits', 'load', '--set', 'application=uncommitted', map { literal("u$_.json", 5, 0.05 + 0.001 * $_) } 1 .. 3);
is($w->sql(q{SELECT count(*) FROM perfhouse.noise WHERE application = 'uncommitted' AND callpath_id = 0 AND n_runs = 3}), 1, 'loads keep the noise');

# ---- errors
is($w->run('compare', 1, 99)->{code}, 13, 'no such run');
is($w->run('compare', 'ffff', '3e01')->{code}, 13, 'no such commit');
is($w->run('compare', '46c2a1d', 'aaaa')->{code}, 18, 'nothing in common');
$w->ok_run('more sizes of A', 'load', '--if-exists', 'append', '--set', 'application=lulesh', '--commit', '46c2a1d', "$history/lulesh-3e01c40-n27-1.cali");
$r = $w->run('compare', '46c2a1d', '3e01c40');
is($r->{code}, 2, 'two conditions: choose');
like($r->{err}, qr/lulesh: ranks 8, threads 1\n.*lulesh: ranks 27, threads 1/, 'lists them');
$w->ok_run('chosen', 'compare', '46c2a1d', '3e01c40', '--n-ranks', 8);

# one rank of two is in the file: that is a missing rank, not a sum over ranks
my $alone = $w->write_file('alone.json', '{"data": [[1.0, 0, 0]], "columns": ["time", "mpi.rank", "path"], '
	. '"column_metadata": [{"is_value": true}, {"is_value": true}, {"is_value": false}], '
	. '"nodes": [{"label": "main", "column": "path"}], "mpi.world.size": "2"}');
$w->ok_run('one rank of two', 'load', $alone);
my $of_one = $w->run('report', $w->sql('SELECT max(run_id) FROM perfhouse.run_overview'));
like($of_one->{out}, qr/, 1 rank missing/, 'the other rank is missing');
unlike($of_one->{out}, qr/sums over ranks/, 'and nothing is a sum');

# ---- runs that cannot be compared: it says in what, and does not judge
$r = $w->run('compare', '4,5,6', '7,8,9');
is($r->{code}, 18, 'another number of ranks: an exit code of its own');
like($r->{out}, qr/^verdict: none, these runs cannot be compared$/m, 'no verdict');
like($r->{out}, qr/^ +n_ranks +8 +27$/m, 'but the key and both values');
unlike($r->{out}, qr/slower|faster|Where and why/, 'and nothing that judges');
$j = decode_json($w->run('compare', '4,5,6', '7,8,9', '--json')->{out});
ok(!$j->{comparable} && !defined $j->{verdict}, 'as JSON');
is_deeply([map { $_->{key} } grep { $_->{status} eq 'differs' } @{$j->{experiment}}], ['n_ranks'], 'with the keys');
$r = $w->ok_run('forced', 'compare', '4,5,6', '7,8,9', '--force');
like($r->{out}, qr/^verdict: \w+ \(forced: these runs cannot be compared\)$/m, 'a verdict with a label');
$j = decode_json($w->ok_run('forced', 'compare', '4,5,6', '7,8,9', '--force', '--json')->{out});
ok($j->{forced} && !$j->{comparable} && $j->{verdict}, 'as JSON');
$j = decode_json($w->ok_run('alike', 'compare', 1, 4, '--json')->{out});
ok(!$j->{forced} && $j->{comparable}, 'runs of one experiment need no force');

# null is equal to nothing, null neither
my @unknown = map { $w->ok_run("no application $_", 'load', literal("u$_.json", 3, $_)); $w->sql('SELECT max(run_id) FROM perfhouse.run_overview') } 1, 2;
$r = $w->run('compare', @unknown);
is($r->{code}, 18, 'two runs of unknown applications are not of one');
like($r->{out}, qr/^ +application +\(not known\) +\(not known\)$/m, 'it says why');
like($w->ok_run('report', 'report', $unknown[0])->{out}, qr/of unknown application: it can be compared with no other run/, 'and so does the report');
like($w->ok_run('compare', 'compare', 1, 4)->{out}, qr/not recorded, so not known to be the same: .*cluster/, 'what neither run says is told');

# ---- arguments that are none: an empty one, as of a variable that is not set, begins every commit
for my $command (['compare', '', 4], ['compare', 1, ''], ['explain', '', 4], ['gate', '', '--baseline', '3e01c40'], ['gate', 1, '--baseline', ''])
{
	$r = $w->run(@$command);
	is($r->{code}, 2, join ' ', map { $_ eq '' ? "''" : $_ } @$command) or diag($r->{out}, $r->{err});
	like($r->{err}, qr/is empty: name|--baseline is needed/, 'is said to lack something');
}
for my $command (['compare', '1,,4', 5], ['compare', '99999999999999999999', 5], ['compare', ',', 5], ['explain', '1,0', 5], ['gate', '1,,4', '--baseline', '3e01c40'])
{
	$r = $w->run(@$command);
	is($r->{code}, 2, "@$command");
	like($r->{err}, qr/"\d*" is not a run id/, 'says what is none');
}
$w->sql(q{INSERT INTO perfhouse.run (fingerprint, format, state, commit_id) VALUES ('several 1', 'x', 'ready', 'abcd1'), ('several 2', 'x', 'ready', 'abcd2')});
$r = $w->run('gate', 'abcd', '--baseline', '3e01c40');
is($r->{code}, 2, 'the beginning of two commits');
like($r->{err}, qr/abcd begins more than one commit: abcd1, abcd2/, 'is of neither');
$w->sql(q{DELETE FROM perfhouse.run WHERE fingerprint LIKE 'several%'});

# one side says where it ran, the other does not
$w->ok_run('a cluster', 'load', '--if-exists', 'append', '--set', 'application=lulesh', '--set', 'cluster=oak', '--commit', '3e01c40', "$history/lulesh-3e01c40-n8-1.cali");
my $oak = $w->sql('SELECT max(run_id) FROM perfhouse.run_overview');
is($w->run('compare', 4, $oak)->{code}, 18, 'a known cluster is not an unknown one');

# ---- keys of an application
like($w->ok_run('list', 'application')->{out}, qr/^lulesh +default/m, 'the default keys');
$r = $w->ok_run('set', 'application', 'set', 'lulesh', '--keys', 'threads');
like($r->{out}, qr/^lulesh +n_threads/m, 'shows what is set');
like($r->{out}, qr/^threads 1 +11 /m, 'and the experiments');
$w->ok_run('ranks do not count', 'compare', '4,5,6', "7,8,9,$oak");
$w->ok_run('set another', 'application', 'set', 'lulesh', '--keys', 'ranks,deck');
$r = $w->run('compare', 1, 4);
is($r->{code}, 18, 'a key that was set and that no run has');
like($r->{out}, qr/^ +deck +\(not known\) +\(not known\)$/m, 'is named');
is(decode_json((split /\n/, $w->ok_run('show', 'application', 'show', 'lulesh', '--json')->{out})[0])->{n_experiments}, 11, 'each run is like no other');
$w->ok_run('reset', 'application', 'reset', 'lulesh');
$w->ok_run('as before', 'compare', 1, 4);
is($w->run('application', 'reset', 'lulesh')->{code}, 13, 'nothing to reset');
is($w->run('application', 'show', 'nope')->{code}, 13, 'no such application');
is($w->run('application', 'set', 'lulesh')->{code}, 2, 'nothing to set');
like($w->run('application', 'set', 'lulesh', '--keys', 'run_id')->{err}, qr/cannot be run_id/, 'what cannot be a key');
$w->ok_run('filter', 'compare', '46c2a1d', '3e01c40', '--filter', 'n_ranks = 27');

done_testing();
