# trace: the command's answers are those of the functions in SQL.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Perfhouse;
use JSON::PP;
use List::Util qw(sum0);
use Test::More;

my $w = Perfhouse->new;
$w->ok_run('load', 'load', "$Perfhouse::data/traces/lulesh-8");

sub rows { my @arguments = @_; return map { decode_json($_) } split /\n/, $w->ok_run("trace @arguments", 'trace', 1, @arguments, '--json', '-n', 100000)->{out} }

# ---- a window in reports and comparisons
my $part = decode_json($w->ok_run('report of a window', 'report', 1, '--from', '0.1s', '--to', '0.2s', '--ranks', '1-3', '--json')->{out});
my $of_window = $w->sql("SELECT sum(n.inclusive) FROM perfhouse.nodes(perfhouse.subset_ranks(perfhouse.trace_profile(1, 100000000, 200000000), '{1,2,3}')) n WHERE n.parent IS NULL");
ok(abs($part->{total} - $of_window) < 1e-9, 'the time of three ranks in it') or diag("$part->{total} $of_window");
is_deeply([$part->{n_columns}, $part->{explanation}], [3, []], 'of a part nobody knows whether it is slow');
$part = decode_json($w->ok_run('a window against itself', 'compare', 1, 1, '--from', '0.1s', '--to', '0.2s', '--json')->{out});
my $whole = $w->sql('SELECT sum(inclusive) FROM perfhouse.nodes(perfhouse.trace_profile(1, 100000000, 200000000)) WHERE parent IS NULL');
ok(abs($part->{a}{mean} - $whole) < 1e-9 && $part->{change} == 0, 'is the same') or diag("$part->{a}{mean} $whole");

# ---- waits
my @rows = rows('waits');
ok(@rows > 5, 'rows');
is(sum0(map { $_->{ns} } @rows),      $w->sql('SELECT sum(ns) FROM perfhouse.wait_states(1)'),   'all waits');
is(sum0(map { $_->{n_waits} } @rows), $w->sql('SELECT count(*) FROM perfhouse.wait_states(1)'),  'as many');
ok(abs(sum0(map { $_->{share} } @rows) - 1) < 1e-9, 'shares');
ok((!grep { $_->{of_rank} <= 0 || $_->{of_rank} > 1 } @rows), 'parts of ranks');
@rows = rows('waits', '--ranks', '0,2-3', '--from', '0.5s', '--to', '700ms');
is(sum0(map { $_->{ns} } @rows), $w->sql("SELECT coalesce(sum(ns), 0) FROM perfhouse.wait_states(1, 500000000, 700000000) WHERE victim_rank IN (0, 2, 3)"), 'of ranks in a window');
@rows = rows('waits', '--within', 'TimeIncrement(Domain&)');
my $within = $w->sql("SELECT sum(ns) FROM perfhouse.wait_states(1) WHERE path LIKE 'main/TimeIncrement(Domain&)/%'");
ok($within > 0, 'there are some');
is(sum0(map { $_->{ns} } @rows), $within, 'within a function');
is(scalar(rows('waits', '--within', 'nowhere')), 0, 'nothing within another');
like($w->run('trace', 1, 'waits', '--within', 'nowhere')->{out}, qr/nobody waited/, 'says so');
my $r = $w->ok_run('as a table', 'trace', 1, 'waits', '-n', 3);
is(($r->{out} =~ tr/\n//), 6, 'three rows below the title');

# ---- path
@rows = rows('path');
my $length = $w->sql('SELECT sum(t_to - t_from) FROM perfhouse.critical_path(1)');
is(sum0(map { $_->{ns} } @rows), $length, 'the whole path');
ok(abs(sum0(map { $_->{compute} + $_->{message} + $_->{collective} + $_->{waiting} } @rows) - $length) < 10, 'by kind');
@rows = rows('path', '--from', '100ms', '--to', '200ms');
is(sum0(map { $_->{ns} } @rows), 100_000_000, 'stays are cut at the window');
@rows = rows('path', '--ranks', '4');
is(join(',', sort keys %{{map { $_->{rank} => 1 } @rows}}), '4', 'of one rank');
like($w->ok_run('as a table', 'trace', 1, 'path')->{out}, qr/^ +on the path/m, 'with a head');

# ---- efficiency and opportunities
@rows = rows('efficiency');
is(scalar(@rows), 1, 'the whole run');
my ($parallel, $balance) = split /\|/, $w->sql('SELECT parallel, load_balance FROM perfhouse.efficiency(1)');
ok(abs($rows[0]{parallel} - $parallel) < 1e-12 && abs($rows[0]{load_balance} - $balance) < 1e-12, 'as in SQL');
is(scalar(rows('efficiency', '--within', 'LagrangeLeapFrog(Domain&)')), $w->sql(q{SELECT count(*) FROM perfhouse.efficiency(1, region => 'LagrangeLeapFrog(Domain&)')}), 'of each call');
is(scalar(rows('efficiency', '--within', 'main/LagrangeLeapFrog')), scalar(rows('efficiency', '--within', 'LagrangeLeapFrog(Domain&)')), 'named without parameters');

# of runs, phases, iterations, calls of a function and windows: each factor by a sum over the calls that overlap the part
my $parts = q{(SELECT 'run' AS axis, e.* FROM perfhouse.efficiency(1) e UNION ALL SELECT 'phase', e.* FROM perfhouse.efficiency(1, by => 'phase') e
	UNION ALL SELECT 'iteration', e.* FROM perfhouse.efficiency(1, by => 'iteration') e
	UNION ALL SELECT 'region', e.* FROM perfhouse.efficiency(1, region => 'LagrangeLeapFrog') e
	UNION ALL SELECT 'window', e.* FROM perfhouse.efficiency(1, 620000000, 660000000) e)};
is($w->sql(qq{WITH mpi AS MATERIALIZED (SELECT c.location, c.enter, c.leave FROM perfhouse.calls(1) c WHERE c.region LIKE 'MPI\\_%'),
	used AS (SELECT e.axis, e.part, m.location, e.t_to - e.t_from - sum(greatest(0, least(m.leave, e.t_to) - greatest(m.enter, e.t_from))) AS ns
		FROM $parts e, mpi m GROUP BY 1, 2, 3, e.t_from, e.t_to),
	plain AS (SELECT u.axis, u.part, avg(u.ns) AS mean, max(u.ns) AS most FROM used u GROUP BY 1, 2)
	SELECT string_agg(DISTINCT e.axis, ' ' ORDER BY e.axis), count(*) > 20, bool_and(abs(e.useful - p.mean) < 1
		AND abs(e.load_balance - p.mean / p.most) < 1e-9 AND abs(e.communication - p.most / (e.t_to - e.t_from)) < 1e-9
		AND abs(e.parallel - e.load_balance * e.communication) < 1e-9 AND abs(e.communication - e.serialisation * e.transfer) < 1e-9)
	FROM $parts e JOIN plain p ON p.axis = e.axis AND p.part IS NOT DISTINCT FROM e.part}),
	'iteration phase region run window|t|t', 'all parts by hand');
like($w->ok_run('as a table', 'trace', 1, 'efficiency')->{out}, qr/^ +run .* %/m, 'in per cent');
my ($said) = grep { $_->{step} eq 'efficiency' } @{decode_json($w->ok_run('explain', 'explain', 1, '--format', 'json')->{out})->{sentences}};
like($said->{sentence}, qr/^Processes work for \d+\.\d % of the time between MPI_Init and MPI_Finalize, which take 8\d\.\d % of the run: load balance .*, serialisation .*, transfer .* %\. Most is lost by serialisation\.$/, 'as explain says');
ok(abs(1 - $said->{share} - $parallel) < 1e-9, 'the same figure');
is((split /\|/, $w->sql($said->{evidence}))[0], $parallel, 'and evidence');
@rows = rows('opportunities');
ok(@rows > 0, 'opportunities');
is($rows[0]{gain_ns}, $w->sql('SELECT max(gain_ns) FROM perfhouse.opportunities(1)'), 'the largest first');
ok((!grep { ref $_->{change} ne 'HASH' } @rows), 'with changes for what_if');
my $changes = $w->ok_run('as a table', 'trace', 1, 'opportunities')->{out};
like($changes, qr/  (?:A network that takes no time|Bringing what rank \d+ computes to the mean of the ranks)$/m, 'in the words of explain');
unlike($changes, qr/[{}]|,$/m, 'and no others');
is($w->run('trace', 1, 'opportunities', '--ranks', 1)->{code}, 2, 'what an answer does not know of is refused');

# ---- errors
is($w->run('trace', 99, 'waits')->{code}, 13, 'no such run');
is($w->run('trace', 1, 'fish')->{code},   2,  'no such question');
is($w->run('trace', 1)->{code},           2,  'no question');
is($w->run('trace', 1, 'waits', '--from', 'noon')->{code}, 2, 'no time');
done_testing();
