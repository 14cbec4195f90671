# What numbers rest on: tables, functions, report, compare and pictures say the same about it.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Perfhouse;
use Test::More;

my $w = Perfhouse->new;

# A rank that the file does not have: of four ranks, three are there.
my $text = Perfhouse::slurp($w->write_caliper_json('whole.json', 40, 3, 7));
my $part = $w->write_file('part.json', $text =~ s/"mpi.world.size": "3"/"mpi.world.size": "4"/r);
$w->ok_run('load a part', 'load', $part);
is($w->sql('SELECT missing_columns FROM run_overview WHERE run_id = 1'), '1', 'the run row counts the missing rank');
is($w->sql(q{SELECT value FROM provenance(profile(1)) WHERE item = 'missing ranks'}), '1', 'provenance');
like($w->sql('SELECT caption(profile(1))'), qr/1 .*missing/, 'caption');
like($w->ok_run('report', 'report', 1)->{out}, qr/\b1 ranks? missing/, 'report');
like($w->ok_run('compare', 'compare', 1, 1)->{out}, qr/ranks missing in the files: 1 and 1/, 'compare');

# Cells whose numbers disagree: in b, the children's inclusive exceeds its own.
my $literal = $w->write_file('residual.json', q([{"frame": {"name": "a"}, "metrics": {"time": 1, "time (inc)": 10}, "children": [
	{"frame": {"name": "b"}, "metrics": {"time": 1, "time (inc)": 4}, "children": [
		{"frame": {"name": "c"}, "metrics": {"time": 6, "time (inc)": 6}}]}]}]));
$w->ok_run('load numbers that disagree', 'load', $literal);
my $cells = $w->sql('SELECT residual_cells FROM run_overview WHERE run_id = 2');
is($cells, '2', 'the run row counts the cells');
is($w->sql(q{SELECT value FROM provenance(profile(2)) WHERE item = 'residual cells'}), $cells, 'provenance');
like($w->sql('SELECT caption(profile(2))'), qr/$cells residual cells/, 'caption');
like($w->sql(q{SELECT caption(supergraph(profile(2), 'function'))}), qr/$cells residual cells/, 'caption of a super graph');
like($w->sql('SELECT caption(filter(profile(2), 0.5))'), qr/$cells residual cells/, 'a filter keeps it');
like($w->ok_run('report', 'report', 2)->{out}, qr/\b$cells cells whose inclusive and exclusive disagreed/, 'report');
like($w->ok_run('compare', 'compare', 2, 2)->{out}, qr/disagreed: $cells and $cells/, 'compare');
is($w->sql('SELECT count(*) FROM check_run(2) WHERE NOT ok'), '0', 'check_run explains the residual');
is($w->sql(q{SELECT residual FROM nodes(profile(2)) WHERE name = 'b'}), '-2', 'kept apart');
is($w->sql(q{SELECT bool_and(abs(inclusive - exclusive - absorbed - residual - coalesce(o, 0)) < 1e-9) FROM supernodes(supergraph(profile(2), 'function')) n
	LEFT JOIN (SELECT source, sum(inclusive) o FROM superedges(supergraph(profile(2), 'function')) GROUP BY source) e ON e.source = n.node}), 't', 'and flow is conserved');

# Pictures print the caption of their data.
my $run = 3;
$w->ok_run('load eight ranks', 'load', (glob("$Perfhouse::data/lulesh-history/lulesh-3e01c40-n8-*.cali"))[0]);
for my $case (['sankey', "supergraph(filter(profile($run), 0.01), 'function')", '--group-by', 'function', '--filter', '0.01'],
	['flame', "profile($run)"])
{
	my ($view, $value, @options) = @$case;
	my $svg = "$w->{home}/$view.svg";
	$w->ok_run("render $view", 'render', $view, '--run', $run, @options, '-o', $svg);
	my $drawn   = join(' ', map { s/<[^>]*>//gr } split(/(?=<text)/, Perfhouse::slurp($svg)));
	my $caption = $w->sql("SELECT caption($value)");
	for my $part (split(/ \x{c2}\x{b7} /, $caption))
	{
		like($drawn, qr/\Q$part\E/, "$view says: $part");
	}
}

# Every step adds to the caption what it did.
my %captions = (
	"filter(profile($run), 0.01)"                              => qr/filter 1 % \(absorbed [0-9.]+ %\)/,
	"subset_ranks(profile($run), '{0,1,2,3}')"                 => qr/4 ranks.*subset: 4 of 8 columns/,
	"roll_up(profile($run), 'host')"                           => qr/roll up: by host, 8 columns to 1/,
	"diff(profile(1), profile(1))"                             => qr/run 1.*diff: after - before.*missing/,
	"filter(subset_ranks(profile($run), '{0,1}'), 0.01)"       => qr/2 ranks.*subset.*filter 1 %/);
for my $value (sort keys %captions)
{
	like($w->sql("SELECT caption($value)"), $captions{$value}, $value);
}
is($w->sql("SELECT round((100 * sum(absorbed) / (SELECT sum(inclusive) FROM nodes(profile($run)) WHERE parent IS NULL))::numeric, 2) FROM nodes(filter(profile($run), 0.01))"),
	($w->sql("SELECT caption(filter(profile($run), 0.01))") =~ /absorbed ([0-9.]+) %/)[0] + 0, 'the absorbed share is that of the rows');

done_testing();
