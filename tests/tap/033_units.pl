# Units: what people read, what algebra converts and refuses, and metrics made of others.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Perfhouse;
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

# One total in seconds, whatever the unit of the file.
my ($us) = $w->sql("SELECT seconds * 1e6 FROM run_cost WHERE run_id = $tau");
my $total = "SELECT total FROM (SELECT split_part(value, ' ', 1)::float8 AS total FROM provenance(%s) WHERE item = 'total') t";
is($w->sql("SELECT abs($us - (" . sprintf($total, "with_unit(profile($tau), 'time', 'us')") . ")) < 1e-6 * $us"), 't', 'microseconds');
is($w->sql("SELECT abs($us - 1e6 * (" . sprintf($total, "with_unit(profile($tau), 'time', 's')") . ")) < 1e-6 * $us"), 't', 'seconds');

# Two tools, two units, one difference.
is($w->sql("SELECT abs(sum(d.after_inclusive * f) - (SELECT seconds FROM run_cost WHERE run_id = $caliper)) < 1e-6
	FROM diff(profile($tau), profile($caliper)) p, nodes_diff(p) d,
		(SELECT CASE unit WHEN 'us' THEN 1e-6 ELSE 1 END AS f FROM metrics(diff(profile($tau), profile($caliper))) LIMIT 1) u
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

# One that is defined for the whole warehouse is taken by name, of runs that were there before it.
like($w->ok_run('define', 'metric', 'define', 'twice', '2 * time')->{out}, qr/^metric twice is 2 \* time$/m, 'a derived metric');
$w->ok_run('define a ratio', 'metric', 'define', 'per call', 'time / calls', '--unit', 'us');
like($w->run('metric', 'define', 'ipc', 'PAPI_TOT_INS / PAPI_TOT_CYC')->{err}, qr/no run has "PAPI_TOT_INS", "PAPI_TOT_CYC"/, 'of metrics that are still to come');
like($w->ok_run('list', 'metric')->{out}, qr{^per call +time / calls +us .*^twice +2 \* time .*\(3 derived metrics\)}ms, 'are listed');
like($w->ok_run('list as JSON', 'metric', 'list', '--json')->{out}, qr/"name":"twice","formula":"2 \* time","unit":null/, 'as JSON');
like($w->ok_run('report', 'report', $tau, '--metric', 'twice')->{out}, qr/^  twice: .* mean over/m, 'report takes the name');
like($w->ok_run('compare', 'compare', $tau, $tau, '--metric', 'twice', '--json')->{out}, qr/"metric":"twice"/, 'compare');
like($w->ok_run('export', 'export', $tau, '--metric', 'twice', '--format', 'json', '-o', '-')->{out}, qr/"twice"/, 'export');
$w->ok_run("render $_", 'render', $_, '--run', $tau, '--metric', 'twice', '-o', "$w->{home}/$_.svg") for qw(flame sankey histogram);
$w->ok_run('a picture of a ratio', 'render', 'cct', '--run', $tau, '--metric', 'per call', '--filter', '0', '-o', "$w->{home}/cct.svg");
like($w->run('report', $tau, '--metric', 'per call')->{err}, qr/does not add up over a call tree, so it has no report/, 'shares of a ratio are none');
is($w->sql("SELECT bool_and(abs(a.inclusive - 2 * b.inclusive) <= 1e-9 * a.inclusive) FROM nodes(profile($tau, 'twice')) a JOIN nodes(profile($tau)) b USING (path)"), 't', 'profile() as well');
my $lacks = $w->run('report', $tau, '--metric', 'ipc');
is($lacks->{code}, 13, 'a run without the operands');
like($lacks->{err}, qr/run $tau has no metric "PAPI_TOT_INS", of which "ipc" is made/, 'says what it lacks');
is($w->run('metric', 'define', 'x', 'time * time')->{code}, 1, 'a formula that cannot be evaluated');
is($w->run('metric', 'define', 'x')->{code}, 2, 'no formula');
is($w->run('metric', 'drop', 'x')->{code}, 13, 'nothing to drop');
$w->ok_run('drop', 'metric', 'drop', 'twice');
is($w->run('report', $tau, '--metric', 'twice')->{code}, 13, 'and it is gone');

done_testing();
