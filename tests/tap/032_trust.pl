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
is($w->run('load', '--dry-run', $part)->{code}, 3, 'a part is refused');
$w->ok_run('load a part', 'load', '--allow-incomplete', $part);
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
like($w->sql('SELECT caption(profile(2))'), qr/residual -2 \(-20 %\) in $cells cells/, 'caption');
like($w->sql(q{SELECT caption(supergraph(profile(2), 'function'))}), qr/residual -2 \(-20 %\) in $cells cells/, 'caption of a super graph');
like($w->sql('SELECT caption(filter(profile(2), 0.5))'), qr/residual -2 \(-20 %\) in $cells cells/, 'a filter keeps it');
like($w->ok_run('report', 'report', 2)->{out}, qr/\b$cells cells whose inclusive and exclusive disagreed/, 'report');
like($w->ok_run('compare', 'compare', 2, 2)->{out}, qr/disagreed: $cells and $cells/, 'compare');
is($w->sql('SELECT count(*) FROM check_run(2) WHERE NOT ok'), '0', 'check_run explains the residual');
is($w->sql(q{SELECT residual FROM nodes(profile(2)) WHERE name = 'b'}), '-2', 'kept apart');
is($w->sql(q{SELECT bool_and(abs(inclusive - exclusive - absorbed - residual - coalesce(o, 0)) < 1e-9) FROM supernodes(supergraph(profile(2), 'function')) n
	LEFT JOIN (SELECT source, sum(inclusive) o FROM superedges(supergraph(profile(2), 'function')) GROUP BY source) e ON e.source = n.node}), 't', 'and flow is conserved');

# One total, in every output and when an export is loaded again: samples that cost more than the timer they fell into.
sub tau_profile
{
	my ($rank) = @_;
	my $main = 676_000 + $rank;
	return <<"END";
6 templated_functions_MULTI_TIME
# Name Calls Subrs Excl Incl ProfileCalls #
".TAU application" 1 2 40000 $main 0 GROUP="TAU_DEFAULT"
".TAU application => solve" 10 2 60000 600000 0 GROUP="TAU_CALLPATH"
".TAU application => solve => MPI_Allreduce()" 20 0 565000 565000 0 GROUP="TAU_CALLPATH|MPI"
".TAU application => solve => [CONTEXT] solve" 3 0 71000 71000 0 GROUP="TAU_SAMPLE_CONTEXT"
".TAU application => solve => [CONTEXT] solve => [SAMPLE] kernel [{solve.c} {12}]" 2 0 47000 47000 0 GROUP="TAU_SAMPLE"
".TAU application => solve => [CONTEXT] solve => [SAMPLE] flux [{solve.c} {40}]" 1 0 24000 24000 0 GROUP="TAU_SAMPLE"
0 aggregates
END
}

# The total of every output, as a share of what the roots have; each must be 1.
sub totals
{
	my ($run) = @_;
	my ($unit, $columns, $root) = split /\|/,
		$w->sql("SELECT m.unit, (SELECT count(*) FROM columns(p)), (SELECT sum(inclusive) FROM nodes(p) WHERE parent IS NULL)
			FROM profile($run) p, metrics(p) m LIMIT 1");
	my %total = (
		'run_cost'    => $w->sql("SELECT total FROM run_cost WHERE run_id = $run"),
		'flame'       => $w->sql("SELECT sum(self) FROM flame(profile($run))"),
		'flame root'  => $w->sql("SELECT value FROM flame(profile($run)) WHERE level = 0"),
		'nodes'       => $w->sql("SELECT sum(exclusive + absorbed + residual) FROM nodes(profile($run))"),
		'provenance'  => $w->sql("SELECT split_part(value, ' ', 1) FROM provenance(profile($run)) WHERE item = 'total'"),
		'report'      => $w->ok_run('report', 'report', $run, '--json')->{out} =~ /"total":([0-9.e+-]+)/,
		'filtered'    => $w->sql("SELECT sum(exclusive + absorbed + residual) FROM flat(filter(profile($run), 0.05))"),
	);
	for my $by (qw(function module library file kind paradigm node))
	{
		$total{"flat by $by"} = $w->sql("SELECT sum(exclusive + absorbed + residual) FROM flat(profile($run), '$by')");
		$total{"super graph by $by"} =
			$w->sql("SELECT sum(exclusive + absorbed + residual) FROM supernodes(supergraph(profile($run), '$by'))");
	}
	my $folded = 0;
	$folded += (split)[-1] for split /\n/, $w->ok_run('folded', 'export', $run, '-f', 'folded')->{out};
	$total{folded} = $folded / ($unit eq 's' ? 1e6 : 1) / $columns;
	my @lines = map { [split /,/] } split /\n/, $w->ok_run('csv', 'export', $run, '-f', 'csv')->{out};
	my ($metric) = $w->sql("SELECT metric FROM metrics(profile($run)) LIMIT 1");
	my @own = grep { $lines[0][$_] =~ /^\Q$metric\E( \(residual\))?$/ } 0 .. $#{ $lines[0] };
	for my $row (@lines[1 .. $#lines]) { $total{csv} += $row->[$_] / $columns for @own }
	return ($root, \%total);
}

sub check_totals
{
	my ($what, $run) = @_;
	my ($root, $total) = totals($run);
	my @bad = grep { abs($total->{$_} - $root) > 1e-6 * $root } sort keys %$total;
	is(join(', ', map { "$_ $total->{$_}" } @bad), '', "$what: one total, $root");
	return $root;
}

mkdir "$w->{home}/sampled";
$w->write_file("sampled/profile.$_.0.0", tau_profile($_)) for 0, 1;
my ($sampled) = $w->ok_run('load TAU samples', 'load', "$w->{home}/sampled")->{out} =~ /run (\d+)/;
my @measured = ([$sampled, 'TAU samples']);
for my $path (qw(tau-callpath hpctoolkit scorep-halo2d lulesh-8.spot.cali lulesh-8.region-profile.cali))
{
	my ($run) = $w->ok_run("load $path", 'load', "$Perfhouse::data/profiles/$path")->{out} =~ /run (\d+)/;
	push @measured, [$run, $path] if defined $run;
}
for my $case (@measured)
{
	my ($run, $what) = @$case;
	my $root = check_totals($what, $run);
	my $json = "$w->{home}/again-$run.json";
	$w->ok_run("export $what", 'export', $run, '-f', 'json', '-o', $json);
	my ($again) = $w->ok_run("load $what again", 'load', $json)->{out} =~ /run (\d+)/;
	cmp_ok(abs(check_totals("$what again", $again) - $root), '<=', 1e-9 * $root, "$what: the export has the same total");
	is($w->sql("SELECT unit FROM metrics(profile($again)) LIMIT 1"), $w->sql("SELECT unit FROM metrics(profile($run)) LIMIT 1"), 'and unit');
}
is($w->sql("SELECT round((sum(residual) / (SELECT value FROM flame(profile($sampled)) WHERE level = 0))::numeric, 4) FROM flat(profile($sampled))"),
	'-0.0533', 'what samples have too much is a column');
like($w->sql("SELECT value FROM provenance(profile($sampled)) WHERE item = 'residual'"), qr/^-\S+ u?s \(-5.33 %\)$/, 'and an amount with its share');
like($w->ok_run('report', 'report', $sampled)->{out}, qr/residual -\S+ \S+ \(-5\.3 % of the total\)/, 'also in the report');

# Pictures print the caption of their data.
my ($run) = 3 + 2 * @measured;
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

# A file that was aggregated over ranks has its own extremes over them; one column without them tells nothing.
my ($spot) = map { $_->[0] } grep { $_->[1] eq 'lulesh-8.spot.cali' } @measured;
is($w->sql("SELECT name, basis, worst_rank IS NULL, imbalance_ratio > 5, lost > 0 FROM imbalance(profile($spot)) LIMIT 1"),
	'LagrangeNodal|file|t|t|t', 'imbalance of a file without ranks');
like($w->ok_run('report', 'report', $spot)->{out}, qr/5\.33 .* -\s+main.*from the file's own maxima and averages/s, 'report answers from it');
like($w->ok_run('report', 'report', $spot, '--json')->{out}, qr/"imbalance_basis":"file"/, 'and marks it');
like(Perfhouse::slurp($_->[0]), $_->[1], $_->[2]) for map {
	my $svg = "$w->{home}/cct-$_->[0].svg";
	$w->ok_run("cct of run $_->[0]", 'render', 'cct', '--run', $_->[0], '--color', 'imbalance', '-o', $svg);
	[$svg, $_->[1], $_->[2]];
} [$spot, qr/colours are of the file.s own maxima/, 'a call tree is coloured by it'], [2, qr/grey: one column, of which no/, 'or is grey'];
is($w->sql(q{SELECT count(*), count(imbalance_ratio), count(lost), count(basis) FROM imbalance(profile(2))}), '3|0|0|0', 'one column compares with nothing');
is($w->sql(q{SELECT count(imbalance_ratio) FROM supernodes(supergraph(profile(2), 'function'))}), '0', 'nor do its supernodes');
is($w->sql(q{SELECT count(imbalance_ratio) FROM profile_row WHERE run_id = 2}), '0', 'nor its rows');
for my $case ([2, qr/imbalance_ratio \(max \/ mean\) unknown: one column/, '--group-by', 'function'],
	[$spot, qr/over ranks, as the file has them: min .* max .* imbalance_ratio \(max \/ mean\) [0-9.]+</, '--group-by', 'node'])
{
	my ($of, $text, @options) = @$case;
	$w->ok_run("histogram of $of", 'render', 'histogram', '--run', $of, @options, '-o', "$w->{home}/histogram.svg");
	like(Perfhouse::slurp("$w->{home}/histogram.svg"), $text, 'the histogram says so');
}

# Calls are counted under several names.
my %calls = map { @$_[1, 0] } @measured;
for my $case (['TAU samples', 'calls'], ['tau-callpath', 'calls'], ['scorep-halo2d', 'visits'], ['lulesh-8.spot.cali', 'Calls (total)'])
{
	my ($what, $name) = @$case;
	my $of = $calls{$what};
	is($w->sql("SELECT calls_metric($of)"), $name, "$what: calls are $name");
	is($w->sql("SELECT count(*) > 0 AND bool_and(f.calls IS NOT DISTINCT FROM n.own) FROM flat(profile($of)) f
		JOIN (SELECT name, exclusive AS own FROM flat(profile($of, NULL::text[]), 'function', '$name')) n USING (name)"), 't', 'and flat has them');
	$w->ok_run("neighbourhood of $what", 'render', 'function-neighbourhood', '--run', $of, '-o', "$w->{home}/calls.svg");
	unlike(Perfhouse::slurp("$w->{home}/calls.svg"), qr/does not count calls/, 'so do pictures');
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
