# Derived metrics along a history: the same as in the profile of each run, changes of their own, pictures, totals of runs.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Perfhouse;
use Test::More;

my $w = Perfhouse->new;

# Twelve runs; in kernel the instructions of a cycle fall with the seventh, the time does not change. The third run does
# not count instructions; in the fifth, setup has no cycles. renamed is what kernel was called in the first four.
sub frame
{
	my ($name, $time, $instructions, $cycles, @children) = @_;
	my $counts = (defined $instructions ? qq(, "instructions": $instructions) : '') . (defined $cycles ? qq(, "cycles": $cycles) : '');
	return qq({"frame": {"name": "$name"}, "metrics": {"time": $time$counts}, "children": [) . join(', ', @children) . ']}';
}

my @runs;
for my $i (1 .. 12)
{
	my $noise  = (7 * $i) % 13;
	my $kernel = ($i > 6 ? 1200 : 2000) + $noise;
	my $tree   = frame('main', 1, 100 + $noise, 100,
		frame('setup', 1, 150, $i == 5 ? 0 : 100),
		frame($i <= 4 ? 'renamed' : 'kernel', 8, $kernel, 1000, frame('inner', 1, 90, 100 + $noise)));
	$tree =~ s/, "instructions": [0-9]+//g if $i == 3;
	push @runs, $w->ok_run("run $i", 'load', '--set', 'application=counted', '--set', sprintf('started_at=2026-01-%02dT00:00:00Z', $i),
		$w->write_file("run$i.json", "[$tree]"))->{out} =~ /run (\d+)/;
}
$w->ok_run('ipc', 'metric', 'define', 'ipc', 'instructions / cycles');
$w->ok_run('a sum', 'metric', 'define', 'work', 'instructions + 2 * cycles');
my $with = join(',', grep { $_ != $runs[2] } @runs);

# ---- values are those of the profiles, at every level; runs without an operand take no part
for my $metric (qw(ipc work))
{
	for my $cost (qw(exclusive inclusive))
	{
		is($w->sql("SELECT count(*), count(*) FILTER (WHERE h.value IS DISTINCT FROM f.$cost) FROM unnest(ARRAY[$with]) r (run), LATERAL flat(profile(r.run, '$metric'), 'function', '$metric') f
			CROSS JOIN LATERAL history('counted', f.name, '$metric', cost => '$cost') h WHERE h.run_id = r.run"), '44|0', "$metric: $cost of every function in every run");
	}
	is($w->sql("SELECT count(*), count(*) FILTER (WHERE u.value IS DISTINCT FROM n.inclusive) FROM history_series('counted', '$metric', 'path') s, unnest(s.runs, s.values) u (run, value),
		LATERAL nodes(profile(u.run, '$metric'), '$metric') n WHERE n.path = call_path_text(s.key::bigint)"), '44|0', "$metric: of every path");
	is($w->sql("SELECT count(*), count(*) FILTER (WHERE u.value IS DISTINCT FROM n.inclusive) FROM history_series('counted', '$metric', 'total') s, unnest(s.runs, s.values) u (run, value),
		LATERAL nodes(profile(u.run, '$metric'), '$metric') n WHERE n.path = 'main'"), '11|0', "$metric: of the whole");
}
is($w->sql("SELECT count(*), count(DISTINCT series), string_agg(DISTINCT metric_id::text, ' ') IS NULL FROM history_runs('counted', 'ipc')"), '11|1|t', 'eleven runs');
is($w->sql("SELECT string_agg(place::text || ' ' || commit_no, ',' ORDER BY place), min(length) FROM history_runs('counted', 'ipc') WHERE place < 3"), '0 1,1 2,2 3|11', 'without a hole');
is($w->sql("SELECT value IS NULL FROM history('counted', 'setup', 'ipc') WHERE run_id = $runs[4]"), 't', 'nothing by nothing is no ratio');
is($w->sql("SELECT value FROM history('counted', 'setup', 'work') WHERE run_id = $runs[4]"), '150', 'but a sum');
is($w->sql("SELECT count(*) FROM history('counted', 'main', 'time')"), '12', 'ordinary metrics have all runs');

# ---- a change that only the quotient has, under the name that the function has today
$w->ok_run('an alias', 'alias', 'add', 'renamed', 'kernel', '--application', 'counted');
is($w->sql("SELECT path, run_id, round(mean_before::numeric, 1), round(mean_after::numeric, 1), coalesce(metric_id::text, 'none') FROM change_points('counted', 'ipc')"),
	"kernel|$runs[6]|2.0|1.2|none", 'kernel changes');
is($w->sql("SELECT count(*) FROM change_points('counted', 'time')"), '0', 'its time does not');
is($w->sql("SELECT count(*) FROM change_points('counted', 'ipc', 'path') WHERE path LIKE 'main/%'"), '1', 'nor do other paths');
my $one = $w->sql("SELECT string_agg(round(value::numeric, 6)::text, ' ' ORDER BY place) FROM history('counted', 'kernel', 'ipc')");
is($one, $w->sql("SELECT string_agg(round(value::numeric, 6)::text, ' ' ORDER BY no) FROM history_series('counted', 'ipc') s, unnest(s.values) WITH ORDINALITY u (value, no) WHERE key = 'kernel'"), 'under one name');

# ---- units, and what is refused
$w->ok_run('a unit', 'metric', 'define', 'pace', 'time / cycles', '--unit', 'us');
my $mistakes = sub { $w->run('psql', '--', '-XAtqc', "SELECT * FROM perfhouse.$_[0]")->{err} };
like($mistakes->("history_series('counted', 'ipc', cost => 'max')"), qr/no cost "max" of the derived metric "ipc".*HINT: +It is evaluated after aggregation/s, 'no maximum over ranks');
like($mistakes->("find_regressions('counted', 'ipc')"), qr/regressions are of metrics that runs have stored; "ipc" is derived.*HINT: +change_points/s, 'no regressions');
like($mistakes->("history('counted', 'main', 'ipx')"), qr/no metric "ipx" in the warehouse.*Closest: "ipc"/s, 'a slip of the pen');

# ---- the picture
sub picture
{
	my ($name, @arguments) = @_;
	$w->ok_run($name, 'render', 'history', '--application', 'counted', @arguments, '-o', "$w->{home}/h.svg");
	return Perfhouse::slurp("$w->{home}/h.svg");
}
my $svg = picture('of ipc', '--metric', 'ipc', '--path', 'kernel', '--by', 'function');
is(scalar(() = $svg =~ /class="point"/g), 11, 'a point per run');
like($svg, qr/class="change"[^>]*data-run="$runs[6]"|data-run="$runs[6]"[^>]*class="change"|data-change="-0\.[34]/, 'with the change');
unlike($svg, qr/for the worse/, 'of which nobody said whether it is for the worse');
$svg = picture('with a gap', '--metric', 'ipc', '--path', 'setup', '--by', 'function');
is(scalar(() = $svg =~ /class="point"/g), 10, 'no point where there is no value');
unlike($svg, qr/nan/i, 'and no number that is none');
picture("by $_", '--metric', 'ipc', '--by', $_) for qw(function path module total);
like(picture('of a sum', '--metric', 'work', '--top', 2), qr/2 of 5 call paths|2 of \d+ call paths/, 'the dearest of a sum');
like($w->run('render', 'history', '--application', 'counted', '--metric', 'ipx', '-o', "$w->{home}/none.svg")->{err}, qr/no metric "ipx".*"ipc"/s, 'and of a slip of the pen');

# ---- totals of runs
my $table = $w->ok_run('runs', 'runs', '--metric', 'ipc')->{out};
my $total = $w->sql("SELECT round(inclusive::numeric, 2) FROM nodes(profile($runs[0], 'ipc'), 'ipc') WHERE path = 'main'");
like($table, qr/^ *$runs[0] .* $total\d* +ipc /m, 'the total of a run') or diag($table);
unlike($table, qr/^ *$runs[2] .* ipc /m, 'none where it cannot be made');
for my $metric (qw(ipc work time cycles))
{
	my $json = $w->ok_run("runs as JSON, $metric", 'runs', '--metric', $metric, '--json', '--limit', 1)->{out};
	my ($value) = $json =~ /"total" ?: ?([0-9.e+-]+)/;
	is($w->sql("SELECT abs(inclusive - $value) <= 1e-12 * inclusive FROM nodes(profile($runs[11], '$metric'), '$metric') WHERE path = 'main'"), 't', "is that of the profile, $metric");
	like($json, qr/"metric" ?: ?"$metric"/, 'with its name');
}
like($w->ok_run('converted', 'runs', '--metric', 'pace', '--json', '--limit', 1)->{out}, qr/"unit" ?: ?"us"/, 'in the unit of the definition');
my $unknown = $w->run('runs', '--metric', 'ipx');
is($unknown->{code}, 13, 'a metric that nothing has');
like($unknown->{err}, qr/no metric "ipx".*Closest: "ipc"/s, 'and the closest');
like($w->ok_run('as before', 'runs')->{out}, qr/^ *$runs[2] .* time /m, 'without it the primary one');
done_testing;
