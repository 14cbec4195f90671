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

done_testing();
