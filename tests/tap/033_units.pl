# Units: what people read, what algebra converts and refuses, and metrics made of others.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use JSON::PP;
use Perfhouse;
use Serve;
use Test::More;

my $w = Perfhouse->new;

sub load_run
{
	my ($path) = @_;
	my ($run) = $w->ok_run("load $path", 'load', $path)->{out} =~ /run (\d+)/;
	return $run;
}

my $tau     = load_run("$Perfhouse::data/profiles/tau-callpath");
my $caliper = load_run((glob("$Perfhouse::data/lulesh-history/lulesh-3e01c40-n8-*.cali"))[0]);

# Totals as people read them.
my $runs = $w->ok_run('runs', 'runs')->{out};
like($runs, qr/^ *$_ .* [0-9.]{1,6} (?:s|ms|\x{c2}\x{b5}s)  time/m, "runs prints a unit for run $_") for $tau, $caliper;
unlike($runs, qr/[0-9]{5}/, 'and no long number');
unlike($w->ok_run('report', 'report', $tau)->{out}, qr/[0-9]{4,} us/, 'neither does report');

# Runs are stored in seconds; what the file has is kept.
is($w->sql("SELECT unit, stored_unit FROM metric_overview JOIN run r ON metric_id = metric_ids[1] WHERE run_id = $tau"), 's|s', 'TAU is stored in seconds');
is($w->sql("SELECT value FROM provenance(profile($tau)) WHERE item = 'source unit'"), 'time [us]', 'provenance has the unit of the file');
like($w->ok_run('show', 'show', $tau)->{out}, qr/^ +time +s, additive, primary, us in the input *\n/m, 'show has both');
like($w->ok_run('load it again', 'load', "$Perfhouse::data/profiles/tau-callpath")->{out}, qr/already loaded as run $tau/, 'the same file is the same run');

# One total in seconds, whatever the unit of the file.
my ($us) = $w->sql("SELECT seconds * 1e6 FROM run_cost WHERE run_id = $tau");
my $total = "SELECT total FROM (SELECT split_part(value, ' ', 1)::float8 AS total FROM provenance(%s) WHERE item = 'total') t";
is($w->sql("SELECT abs($us - (" . sprintf($total, "with_unit(profile($tau), 'time', 'us')") . ")) < 1e-6 * $us"), 't', 'microseconds');
is($w->sql("SELECT abs($us - 1e6 * (" . sprintf($total, "with_unit(profile($tau), 'time', 's')") . ")) < 1e-6 * $us"), 't', 'seconds');

# Two tools, two units, one difference.
is($w->sql("SELECT abs(sum(d.after_inclusive * f) - (SELECT seconds FROM run_cost WHERE run_id = $caliper)) < 1e-6
	FROM diff(profile($tau), profile($caliper)) p, nodes_diff(p) d,
		(SELECT CASE unit WHEN 's' THEN 1 END AS f FROM metrics(diff(profile($tau), profile($caliper))) LIMIT 1) u
	WHERE d.parent IS NULL"), 't', 'seconds and microseconds make one difference');
my $refused = $w->run('psql', '--', '-c', "SELECT perfhouse.with_unit(perfhouse.profile($tau), 'time', 'bytes')");
isnt($refused->{code}, 0, 'a time is no number of bytes');
like($refused->{err}, qr/"time" is in "u?s", which is not of the dimension of "bytes"/, 'and the error says so');

# A hint that works: the unit of a metric that has none is named.
my $plain = load_run($w->write_file('plain.json', '[{"frame": {"name": "main"}, "metrics": {"time": 2}}]'));
$refused = $w->run('psql', '--', '-c', "SELECT perfhouse.diff(perfhouse.profile($plain), perfhouse.profile($caliper))");
like($refused->{err}, qr/with_unit\(profile, metric, 's'\)/, 'units that are not known are refused with a hint');
is($w->sql("SELECT count(*) > 0 FROM nodes_diff(diff(with_unit(profile($plain), 'time', 's'), profile($caliper)))"), 't', 'which works');

# A derived metric is evaluated after aggregation.
is($w->sql("SELECT bool_and(f.exclusive IS NOT DISTINCT FROM t.exclusive / nullif(t.calls, 0)) FROM profile($tau) p,
	flat(derive(p, 'per call', 'time / calls'), 'module', 'per call') f JOIN LATERAL flat(p, 'module', 'time') t USING (name)"),
	't', 'a quotient of sums');
is($w->sql("SELECT kind FROM metrics(derive(profile($tau), 'twice', '2 * time')) WHERE metric = 'twice'"), 'flow', 'a sum adds up');

# Hardware counters add up, so that ratios of them are metrics; a time in whatever unit is the primary metric.
my $counted = load_run($w->write_file('papi.json', '{"graph":[{"0":{"data":{"name":"main"},"children":[1]},"1":{"data":{"name":"f"},"children":[]}}],"dataframe_indices":["node","rank"],'
	. '"dataframe":[{"node":0,"rank":0,"duration":1,"calls":1,"PAPI_TOT_INS":10,"PAPI_TOT_CYC":10},{"node":1,"rank":0,"duration":2,"calls":1,"PAPI_TOT_INS":60,"PAPI_TOT_CYC":20}],'
	. '"exclusive_metrics":["duration","calls","PAPI_TOT_INS","PAPI_TOT_CYC"],"metric_units":{"duration":"min"}}'));
is($w->sql("SELECT name, inclusive, exclusive FROM nodes(derive(profile($counted, NULL::text[]), 'ipc', 'PAPI_TOT_INS / PAPI_TOT_CYC'), 'ipc') ORDER BY node"),
	"main|2.3333333333333335|1\nf|3|3", 'instructions per cycle');
is($w->sql("SELECT total, unit FROM run_cost WHERE run_id = $counted"), '180|s', 'minutes are a time, not less than a count');

# More of a ratio is not slower, and its change is no sum over call paths; nor does a run of no known application have others.
sub counted_run
{
	my ($name, $instructions) = @_;
	return load_run($w->write_file($name, '[{"frame":{"name":"main"},"metrics":{"time":1,"calls":' . $instructions . ',"PAPI_TOT_INS":' . $instructions . ',"PAPI_TOT_CYC":10},"children":[]}]'));
}
my @slow = map { counted_run("slow$_.json", 10 + $_ / 100) } 1 .. 3;
my @fast = map { counted_run("fast$_.json", 20 + $_ / 100) } 1 .. 3;
$w->ok_run('define', 'metric', 'define', 'per cycle', 'PAPI_TOT_INS / PAPI_TOT_CYC');
my $higher = $w->ok_run('compare a ratio', 'compare', '--force', join(',', @slow), join(',', @fast), '--metric', 'per cycle')->{out};
like($higher, qr/^verdict: higher /m, 'more instructions per cycle are not slower');
unlike($higher, qr/subtree that explains|Functions whose own cost/, 'nor explained by sums');
like($w->ok_run('and back', 'compare', '--force', '--json', join(',', @fast), join(',', @slow), '--metric', 'per cycle')->{out}, qr/"verdict":"lower"/, 'lower');
like($w->ok_run('show', 'show', $slow[0])->{out}, qr/other runs to compare with +0 of its experiment/, 'nothing is known to be like a run of no application');
$w->ok_run('drop', 'metric', 'drop', 'per cycle');

# One that is defined for the whole warehouse is taken by name, of runs that were there before it.
like($w->ok_run('define', 'metric', 'define', 'twice', '2 * time')->{out}, qr/^metric twice is 2 \* time$/m, 'a derived metric');
$w->ok_run('define a ratio', 'metric', 'define', 'per call', 'time / calls', '--unit', 'us');
like($w->run('metric', 'define', 'ipc', 'PAPI_TOT_LNS / PAPI_TOT_CYC')->{err}, qr/no run has "PAPI_TOT_LNS"/, 'of metrics that are still to come');
like($w->ok_run('list', 'metric')->{out}, qr{^per call +time / calls +us .*^twice +2 \* time .*\(3 derived metrics\)}ms, 'are listed');
like($w->ok_run('list as JSON', 'metric', 'list', '--json')->{out}, qr/"name":"twice","formula":"2 \* time","unit":null/, 'as JSON');
like($w->ok_run('report', 'report', $tau, '--metric', 'twice')->{out}, qr/^  twice: .* mean over/m, 'report takes the name');
like($w->ok_run('compare', 'compare', $tau, $tau, '--metric', 'twice', '--json')->{out}, qr/"metric":"twice"/, 'compare');
like($w->ok_run('export', 'export', $tau, '--metric', 'twice', '--format', 'json', '-o', '-')->{out}, qr/"twice"/, 'export');
$w->ok_run("render $_", 'render', $_, '--run', $tau, '--metric', 'twice', '-o', "$w->{home}/$_.svg") for qw(flame sankey histogram);
$w->ok_run('a picture of a ratio', 'render', $_, '--run', $tau, '--metric', 'per call', '-o', "$w->{home}/$_.svg") for qw(cct histogram box);
like($w->run('render', $_, '--run', $tau, '--metric', 'per call', '-o', "$w->{home}/$_.svg")->{err}, qr/hint: .*histograms and box plots show ratios/, "$_ says what shows a ratio") for qw(flame sankey);
my $ratio = $w->ok_run('compare a ratio', 'compare', $tau, $tau, '--metric', 'per call')->{out};
unlike($ratio, qr/^MPI$/m, 'has no share of MPI');
like($ratio, qr/^  A .*: 4\.9\d* ms$/m, 'and is converted to the unit of its definition');
is($w->sql("SELECT bool_and(abs(a.inclusive - 1e6 * b.inclusive) <= 1e-9 * a.inclusive) FROM nodes(profile($tau, 'per call')) a JOIN nodes(derive(profile($tau), 'per call', 'time / calls'), 'per call') b USING (path)"), 't', 'in SQL, too');
like($w->run('report', $tau, '--metric', 'per call')->{err}, qr/does not add up over a call tree, so it has no report/, 'shares of a ratio are none');
is($w->sql("SELECT bool_and(abs(a.inclusive - 2 * b.inclusive) <= 1e-9 * a.inclusive) FROM nodes(profile($tau, 'twice')) a JOIN nodes(profile($tau)) b USING (path)"), 't', 'profile() as well');
my $lacks = $w->run('report', $tau, '--metric', 'ipc');
is($lacks->{code}, 13, 'a run without the operands');
like($lacks->{err}, qr/run $tau has no metric "PAPI_TOT_LNS", of which "ipc" is made/, 'says what it lacks');
is($w->run('metric', 'define', 'x', 'time * time')->{code}, 1, 'a formula that cannot be evaluated');
is($w->run('metric', 'define', 'x')->{code}, 2, 'no formula');
is($w->run('metric', 'drop', 'x')->{code}, 13, 'nothing to drop');
$w->ok_run('drop', 'metric', 'drop', 'twice');
is($w->run('report', $tau, '--metric', 'twice')->{code}, 13, 'and it is gone');

# ---- metrics that do not add up, by their name or since nobody knows: pictures that need no sums show them, and what several call paths of a
# function have is their mean, least or greatest, everywhere alike
sub region { my ($name, $time, $wait, $max, @children) = @_; return {frame => {name => $name, type => 'function'}, metrics => {time => $time, wait => $wait, 'max time' => $max}, children => \@children} }
sub uneven { my ($name, $wait) = @_; return load_run($w->write_file($name, encode_json([region('main', 10, 1, 12, region('solve', 5, 2, 6, region('kernel', 3, $wait, 4)), region('io', 2, 3, 3, region('kernel', 1, 7, 9), region('tiny', 1e-6, 50, 2)))]))) }
my ($uneven, $other) = (uneven('uneven.json', 5), uneven('other.json', 3));
my %kernel = ('wait' => 6, 'max time' => 9);
for my $metric (sort keys %kernel)
{
	$w->ok_run("$_ of $metric", 'render', $_, '--run', $uneven, '--metric', $metric, '-o', "$w->{home}/$_.svg") for qw(cct histogram box processes function-graph function-neighbourhood);
	is($w->sql("SELECT inclusive, exclusive FROM flat(profile($uneven, '$metric'), 'function', '$metric') WHERE name = 'kernel'"), "$kernel{$metric}|$kernel{$metric}", "flat: $metric");
	is($w->sql("SELECT inclusive, exclusive FROM function_graph(profile($uneven, '$metric'), '$metric') WHERE element IN ('selected', 'function') AND function = 'kernel'"),
		"$kernel{$metric}|$kernel{$metric}", "graphs of functions: $metric");
}
is($w->sql("SELECT string_agg(name, ' ' ORDER BY name) FROM nodes(legible($uneven, 0.01, 'wait'), 'wait')"), 'io kernel kernel main solve', 'what is left out is chosen by the primary metric');
my $s   = Serve->new($w);
my $api = sub { return decode_json($s->get('/api/' . join '&', @_)->{body}) };
my ($kernel) = grep { $_->{name} eq 'kernel' } @{$api->("members?run=$uneven", 'metric=wait', 'filter=0', 'group_by=function', 'node=kernel')->{rows}};
is_deeply([@$kernel{qw(instances exclusive)}], [2, 6], 'functions of a supernode');
is_deeply($api->("rank_values?run=$uneven", 'name=kernel', 'metric=max%20time')->{rows}[0]{value}, [9], 'a function in every rank');
my $diff = $api->("diff?a=$uneven&b=$other", 'metric=wait');
is_deeply([map { "@$_{qw(name before after change)}" } grep { $_->{change} } @{$diff->{rows}}], ['kernel 6 5 -1'], 'a comparison');
is_deeply($diff->{metric}, [{name => 'wait', unit => '', kind => 'value', combining => 'mean'}], 'which says so');
is($api->("tree?run=$uneven", 'metric=max%20time')->{rows}[0]{combining}, 'greatest', 'as a tree does');
is($api->("tree?run=$tau", 'metric=per%20call')->{rows}[0]{combining}, undef, 'of ratios there is nothing to combine');
$s->stop;

# ---- the same program in random units of time: the same seconds everywhere, also where a run is stored as older
# releases did, in the unit of its file
my $state = 20261123;
sub random_number { $state = ($state * 1103515245 + 12345) % 2147483648; return 1 + $state % $_[0] }

# A random tree of calls over two ranks; costs are whole numbers of nanoseconds.
sub random_program
{
	my $n = 3 + random_number(12);
	return [map { {parent => $_ == 0 ? -1 : random_number($_) - 1, name => $_ == 0 ? 'main' : 'f' . random_number(6), cost => [map { 1000 * random_number(1_000_000) } 0, 1]} } 0 .. $n - 1];
}

# Hatchet's JSON of the program in a unit that is so many nanoseconds; scale: of a run whose costs are a little other.
sub program_json
{
	my ($program, $unit, $ns, $scale) = @_;
	my %children;
	push @{$children{$program->[$_]{parent}}}, $_ for 1 .. $#$program;
	my @nodes = map { sprintf('"%d":{"data":{"name":"%s"},"children":[%s]}', $_, $program->[$_]{name}, join(',', @{$children{$_} // []})) } 0 .. $#$program;
	my @rows;
	for my $node (0 .. $#$program)
	{
		push @rows, sprintf('{"node":%d,"rank":%d,"time":%.17g,"bytes sent":%d}', $node, $_, $program->[$node]{cost}[$_] * $scale / $ns, 1024 * ($node + 1)) for 0, 1;
	}
	return sprintf('{"graph":[{%s}],"dataframe_indices":["node","rank"],"dataframe":[%s],"exclusive_metrics":["time","bytes sent"],"metric_units":{"time":"%s","bytes sent":"KiB"}}',
		join(',', @nodes), join(',', @rows), $unit);
}

my %ns = (s => 1e9, us => 1e3, nsec => 1, min => 60e9);

# Runs as 0.1.0 stored them, in the unit of their files: there is no such loader any more.
sub store_as_before
{
	my ($unit, @runs) = @_;
	my $runs = join(',', @runs);
	$w->sql("INSERT INTO perfhouse.metric (name, unit, kind, combine) SELECT name, '$unit', kind, combine FROM perfhouse.metric WHERE metric_id = (SELECT metric_ids[1] FROM perfhouse.run WHERE run_id = $runs[0]) ON CONFLICT DO NOTHING");
	my ($old, $new, $f) = split /\|/, $w->sql("SELECT o.metric_id, n.metric_id, 1 / o.factor FROM perfhouse.metric n JOIN perfhouse.metric o USING (name, kind, combine) WHERE o.unit = '$unit' AND n.metric_id = (SELECT metric_ids[1] FROM perfhouse.run WHERE run_id = $runs[0])");
	my $set = join(', ', "metric_id = $old", map { ("${_}_sum = ${_}_sum * $f", "${_}_sumsq = ${_}_sumsq * $f * $f", "${_}_min = ${_}_min * $f", "${_}_max = ${_}_max * $f") } qw(inclusive exclusive));
	my $here = "run_id IN ($runs) AND metric_id = $new";
	$w->sql("UPDATE perfhouse.region_summary SET metric_id = $old, inclusive = inclusive * $f, exclusive = exclusive * $f, min = min * $f, max = max * $f WHERE $here");
	$w->as_old_release(@runs);
	$w->sql("UPDATE perfhouse.profile_summary_1 SET $set WHERE $here");
	$w->sql("UPDATE perfhouse.profile_values_1 SET metric_id = $old, inclusive = ARRAY(SELECT x * $f FROM unnest(inclusive) WITH ORDINALITY u (x, n) ORDER BY n), exclusive = ARRAY(SELECT x * $f FROM unnest(exclusive) WITH ORDINALITY u (x, n) ORDER BY n) WHERE $here");
	$w->sql("UPDATE perfhouse.run SET metric_ids[1] = $old, meta = meta - 'source_unit.time' WHERE run_id IN ($runs)");
	return;
}

# What functions and views say of a run, numbers in rows of text.
my @outputs = (
	'SELECT n.path, n.inclusive, n.exclusive FROM nodes(profile($run)) n ORDER BY node',
	'SELECT unit FROM metrics(profile($run)) ORDER BY 1',
	'SELECT name, inclusive, exclusive, share FROM flat(profile($run)) ORDER BY name',
	'SELECT name, depth, unit, inclusive, exclusive, inclusive_sum, inclusive_min, exclusive_max, inclusive_sd, imbalance_range FROM profile_row WHERE run_id = $run AND metric = \'time\' ORDER BY callpath_id',
	'SELECT unit, sum(inclusive), sum(exclusive), max(exclusive) FROM measurement WHERE run_id = $run AND metric = \'time\' GROUP BY unit',
	'SELECT total, unit, seconds, node_hours, unit_hours FROM run_cost WHERE run_id = $run',
	'SELECT name, exclusive, inclusive, unit, unit_hours FROM function_cost WHERE run_id = $run ORDER BY name, region_id',
	'SELECT callpath_id, mean, sd, min, p05, median, max FROM run_distribution($run) ORDER BY callpath_id',
	'SELECT h.* FROM nodes(profile($run)) n, run_histogram($run, n.callpath_id, 3) h WHERE n.parent IS NULL',
	'SELECT name, lost, mean, max FROM imbalance(profile($run)) ORDER BY node',
	'SELECT node, inclusive, exclusive FROM supernodes(supergraph(profile($run))) ORDER BY node',
	'SELECT level, label, value, self FROM flame(profile($run)) ORDER BY node NULLS FIRST',
	'SELECT item, value FROM provenance(profile($run)) WHERE item IN (\'metric\', \'total\', \'residual\')',
	'SELECT bool_and(ok) FROM check_run($run)',
	'SELECT name, inclusive FROM nodes(derive(profile($run, NULL::text[]), \'rate\', \'"bytes sent" / time\'), \'rate\') ORDER BY node');

sub same_numbers
{
	my ($x, $y) = @_;
	my @x = split /[|,\n ]+/, $x;
	my @y = split /[|,\n ]+/, $y;
	return 0 if @x != @y || !@x;
	for my $i (0 .. $#x)
	{
		next if $x[$i] eq $y[$i];
		return 0 if grep { !/^-?[0-9.]+(?:e[+-]?[0-9]+)?$/ } $x[$i], $y[$i];
		return 0 if abs($x[$i] - $y[$i]) > 1e-9 * abs($x[$i]);
	}
	return 1;
}

sub outputs_of
{
	my ($run) = @_;
	my $script = "SET search_path = perfhouse;\n" . join('', map { "$_;\n" } @outputs);
	return $w->run('psql', '--', '-XAtqf', $w->write_file('outputs.sql', $script =~ s/\$run/$run/gr))->{out};
}

for my $unit (qw(us nsec min))
{
	my $program = random_program();
	my @runs = map { load_run($w->write_file("program-$_.json", program_json($program, $_, $ns{$_}, 1))) } 's', $unit;
	is($w->sql("SELECT abs(total - " . eval { my $sum = 0; $sum += $_->{cost}[0] + $_->{cost}[1] for @$program; $sum / 2e9 } . ") < 1e-9 FROM run_cost WHERE run_id = $runs[1]"), 't', "$unit: the total is the sum in seconds");
	my $expected = outputs_of($runs[0]);
	ok(same_numbers($expected, outputs_of($runs[1])), "$unit: every output is that of seconds") or diag($expected, outputs_of($runs[1]));
	my @exports = map { my $format = $_; [map { $w->ok_run("$format of run $_", 'export', $_, '--format', $format, '-o', '-')->{out} } @runs] } qw(folded csv);
	ok(same_numbers(@$_), "$unit: the same export") or diag(@$_) for @exports;
	like($w->ok_run('JSON', 'export', $runs[1], '--format', 'json', '-o', "$w->{home}/again.json") && Perfhouse::slurp("$w->{home}/again.json"), qr/"metric_units":\{[^}]*"time":"s"/, "$unit: JSON names seconds");
	my $again = load_run("$w->{home}/again.json");
	ok(same_numbers($expected, outputs_of($again)), "$unit: and is the same again when it is loaded") or diag($expected, outputs_of($again));
	store_as_before($unit, $runs[1]);
	is($w->sql("SELECT stored_unit FROM metric_overview JOIN run r ON metric_id = metric_ids[1] WHERE run_id = $runs[1]"), $unit, "$unit: a run as 0.1.0 stored it");
	ok(same_numbers($expected, outputs_of($runs[1])), "$unit: says the same") or diag($expected, outputs_of($runs[1]));
	is($w->sql("SELECT value FROM provenance(profile($runs[1])) WHERE item = 'source unit'"), "time [$unit]", "$unit: and what it is stored in");
	$w->sql("SELECT roll_up_run(r) FROM unnest(ARRAY[$runs[0], $runs[1]]) r");
	my @rolled = map { my $run = $_; $w->sql("SELECT d.callpath_id, mean, sd, min, median, max, inclusive, exclusive FROM run_distribution($run) d JOIN nodes(profile($run)) USING (callpath_id) ORDER BY 1") } @runs;
	ok(same_numbers(@rolled), "$unit: also when it is rolled up");
}

# Ratios have the unit that their parts make.
is($w->sql(q{BEGIN; INSERT INTO perfhouse.metric (metric_id, name, unit, kind, numerator_id, denominator_id) VALUES (9001, 'a', 'us', 0, NULL, NULL), (9002, 'b', 'bytes', 0, NULL, NULL),
	(9003, 'c', 'count', 0, NULL, NULL), (9004, 'rate', 'MB/s', 1, 9002, 9001), (9005, 'each', 'us', 1, 9001, 9003), (9006, 'size', 'bytes', 1, 9002, 9003);
	SELECT string_agg(concat_ws(' ', name, unit, factor), ', ' ORDER BY metric_id) FROM perfhouse.metric_overview WHERE metric_id > 9003; ROLLBACK}), "rate bytes/s 1, each s 1, size bytes 1", 'units of ratios');

# ---- one series of an application whose older runs are stored in microseconds, and no change where none is
my $program = random_program();
my @repeats = map { $w->ok_run("repeat $_", 'load', '--set', 'application=mixed', '--set', "started_at=2026-01-0${_}T00:00:00Z", $w->write_file("repeat$_.json", program_json($program, 'us', 1e3, 1 + $_ / 1000)))->{out} =~ /run (\d+)/ } 1 .. 8;
my $ask = q{SELECT h.* FROM (SELECT 'history', series, place, value, min, max, unit FROM history('mixed', 'main', cost => 'inclusive') UNION ALL
	SELECT 'total', s.series, u.n, u.x, 0, 0, '' FROM history_series('mixed', by => 'total') s, unnest(s.values) WITH ORDINALITY u (x, n) UNION ALL
	SELECT 'path ' || s.key, s.series, u.n, u.x, 0, 0, '' FROM history_series('mixed', by => 'path') s, unnest(s.values) WITH ORDINALITY u (x, n) UNION ALL
	SELECT 'cost ' || c.key, 0, 0, c.cost, 0, 0, '' FROM history_costs('mixed') c) h ORDER BY 1, 2, 3, 4};
my $history = $w->sql($ask);
store_as_before('us', @repeats[0 .. 3]);
ok(same_numbers($history, $w->sql($ask)), 'the history is what it was') or diag($history, $w->sql($ask));
is($w->sql("SELECT count(DISTINCT series), count(*), string_agg(DISTINCT unit, ' ') FROM history('mixed', 'main')"), '1|8|s', 'one series in seconds');
is($w->sql("SELECT count(*) FROM change_points('mixed', by => 'total')"), '0', 'without a change');
is($w->sql("SELECT count(*) FROM find_regressions('mixed')"), '0', 'nor a regression');
like($w->ok_run('compare old and new', 'compare', join(',', @repeats[0 .. 3]), join(',', @repeats[4 .. 7]))->{out}, qr/change .* \(\+0\.[34] %\)/, 'compare');
like($w->ok_run('an ensemble of both', 'psql', '--', '-XAtqc', "SELECT unit FROM perfhouse.metrics((SELECT perfhouse.ensemble(perfhouse.profile(r), r::text) FROM unnest(ARRAY[$repeats[0], $repeats[7]]::bigint[]) r))")->{out}, qr/^s$/m, 'ensembles');
$w->ok_run('a picture of the history', 'render', 'history', '--application', 'mixed', '-o', "$w->{home}/history.svg");

# One name in two dimensions is refused, with a hint that works.
my ($bytes) = map { load_run($w->write_file("$_.json", program_json($program, $_, 1e3, 1))) } 'bytes';
my $two = $w->run('compare', $repeats[0], $bytes, '--metric', 'time', '--force');
isnt($two->{code}, 0, 'a time and a number of bytes');
like($two->{err}, qr/metric "time" is in "s" in run $repeats[0] and in "bytes" in run $bytes, which is another dimension\n.*hint: Compare another metric with --metric/, 'are not compared');
$w->ok_run('but another metric is', 'compare', $repeats[0], $bytes, '--metric', 'bytes sent', '--force');
my $unknown = $w->run('compare', $repeats[0], $plain, '--metric', 'time', '--force');
like($unknown->{err}, qr/metric "time" is in "s" in run $repeats[0] and in "" in run $plain, and not both are known units\n.*hint: SQL can name the unit/, 'nor a unit that is not known');
is($w->sql("SELECT count(*) > 0 FROM nodes_diff(diff(with_unit(profile($repeats[0], 'time'), 'time', 's'), with_unit(profile($plain, 'time'), 'time', 's')))"), 't', 'but in SQL, as the hint says');

done_testing();
