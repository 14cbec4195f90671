# Analyses through programs and SQL against recorded answers on real profiles.
#
# The answers lie beside the repository; without them everything skips. They keep equal siblings
# apart and give statements the file of another procedure, so numbers of members are not compared,
# and of the graphs by file only what statements cannot change.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Perfhouse;
use JSON::PP;
use Test::More;

my $source = $ENV{PERFHOUSE_SOURCE} // "$FindBin::Bin/../..";
my $shared = "$source/../shared";
my $oracle = "$shared/oracle";
plan skip_all => "no recorded answers in $shared" unless -d "$oracle/supergraph/refsg";

my $w = Perfhouse->new;

sub json_file { return decode_json(Perfhouse::slurp($_[0])) }

# Rows of a query as a list of hashes.
sub rows
{
	my ($query) = @_;
	my $r = $w->run('psql', '--', '-XAtqv', 'ON_ERROR_STOP=1', '-c', "SELECT coalesce(json_agg(q), '[]') FROM ($query) q");
	diag("$query\n$r->{err}") if $r->{code} != 0;
	return $r->{code} == 0 ? decode_json($r->{out}) : [];
}

sub by { my ($key, $list) = @_; return {map { ($_->{$key} => $_) } @$list} }

sub near
{
	my ($x, $y, $room) = @_;
	return 0 unless defined $x && defined $y;
	my $scale = abs($x) > abs($y) ? abs($x) : abs($y);
	return abs($x - $y) <= ($room // 1e-9) * ($scale > 1 ? $scale : 1);
}

# One test: what differs between two hashes of numbers.
sub same_numbers
{
	my ($name, $ours, $theirs, $room) = @_;
	my %all = (%$ours, %$theirs);
	my @wrong = grep { !near($ours->{$_}, $theirs->{$_}, $room) } sort keys %all;
	ok(keys %$theirs && !@wrong, $name)
		or diag(map { "$_: " . ($ours->{$_} // 'nothing') . ', expected ' . ($theirs->{$_} // 'nothing') . "\n" } @wrong);
}

# A run's profile in the microseconds of the oracles; numbers without a unit stay as they are.
sub in_us { my ($run) = @_; return "(SELECT with_unit(p, (SELECT metric FROM metrics(p) LIMIT 1), 'us') FROM profile($run) p)" }

sub unnumbered { return $_[0] =~ s/^\d+://r }

# ---- inputs
my %runs;

sub load_run
{
	my ($name, @arguments) = @_;
	my $r = $w->ok_run("load $name", 'load', '--json', @arguments);
	my @lines = map { decode_json($_) } split(/\n/, $r->{out});
	$runs{$name} = $lines[0]{run_id};
	return @lines;
}
my $peers = "$shared/data/peers";
load_run('hpctoolkit-allgather', "$peers/hatchet/hpctoolkit-allgather-database");
load_run('hpctoolkit-cpi',       "$peers/hatchet/hpctoolkit-cpi-database");
load_run('caliper-lulesh-json',  "$peers/hatchet/caliper-lulesh-json");
load_run('caliper-lulesh-cali',  "$peers/hatchet/caliper-lulesh-cali");
load_run('json-literal',         "$peers/hatchet/json");
my @scaling = load_run('scaling', "$peers/thicket/mpi_scaling_cali", '--set', 'application=lulesh');

# ---- super graphs
sub compare_graph
{
	my ($name, $graph, $answer, $part_name) = @_;
	$part_name //= sub { $_[0] };
	my $nodes = rows("SELECT n.*, v.inc, v.own FROM supernodes($graph) n, LATERAL (SELECT"
			. ' json_agg(inclusive ORDER BY location) inc, json_agg(exclusive + absorbed ORDER BY location) own'
			. " FROM supernode_values($graph, n.node)) v");
	my (%ours, %theirs);
	for my $node (@$nodes)
	{
		$ours{"$node->{node} $_"} = $node->{$_} for qw(level inclusive source);
		$ours{"$node->{node} own"} = $node->{exclusive} + $node->{absorbed} + $node->{residual};
		$ours{"$node->{node} inclusive of $_"} = $node->{inc}[$_] for 0 .. $#{$node->{inc}};
		$ours{"$node->{node} own of $_"} = $node->{own}[$_] for 0 .. $#{$node->{own}};
	}
	for my $node (@{$answer->{nodes}})
	{
		my $id = $part_name->($node->{id});
		$theirs{"$id level"}        = $node->{level};
		$theirs{"$id inclusive"}    = $node->{inc_mean};
		$theirs{"$id own"}          = $node->{exc_mean};
		$theirs{"$id source"}       = $node->{source_mean};
		$theirs{"$id inclusive of $_"} = $node->{inc}[$_] for 0 .. $#{$node->{inc}};
		$theirs{"$id own of $_"}       = $node->{exc}[$_] for 0 .. $#{$node->{exc}};
	}
	same_numbers("$name: supernodes, also by rank", \%ours, \%theirs);
	%ours   = map { ("$_->{source} -> $_->{target}" => $_->{inclusive}) } @{rows("SELECT * FROM superedges($graph)")};
	%theirs = map { ($part_name->($_->{src}) . ' -> ' . $part_name->($_->{dst}) => $_->{weight_mean}) } @{$answer->{edges}};
	same_numbers("$name: superedges", \%ours, \%theirs);
	%ours = map { ("$_->{node}: $_->{function}" => $_->{inclusive}) } @{rows("SELECT * FROM entry_functions($graph)")};
	%theirs = ();
	for my $node (@{$answer->{nodes}})
	{
		$theirs{$part_name->($node->{id}) . ': ' . unnumbered($_)} += $node->{entry}{$_} for keys %{$node->{entry}};
	}
	same_numbers("$name: entry functions", \%ours, \%theirs);
}

# The invariants of a drawing, on its rows.
sub check_layout
{
	my ($name, $graph) = @_;
	my $drawn = rows("SELECT * FROM sankey_layout($graph)");
	my ($canvas) = grep { $_->{element} eq 'canvas' } @$drawn;
	my @boxes    = grep { $_->{element} =~ /bar|dummy/ } @$drawn;
	my @bands    = grep { $_->{element} eq 'band' } @$drawn;
	my $scale    = $canvas->{value};
	my $room     = 0.01;
	my (%layers, %of);
	for my $box (@boxes)
	{
		push @{$layers{$box->{level}}}, $box;
		$of{$box->{element} eq 'bar' ? $box->{node} : "$box->{node} -> $box->{target} $box->{level}"} = $box;
	}
	my @levels = sort { $a <=> $b } keys %layers;
	my $close  = grep { $layers{$levels[$_]}[0]{x} < $layers{$levels[$_ - 1]}[0]{x} + $layers{$levels[$_ - 1]}[0]{width} + 40 - $room } 1 .. $#levels;
	is($close, 0, "$name: L1 layers rise in x");
	my $overlap = 0;
	for my $layer (values %layers)
	{
		my @column = sort { $a->{position} <=> $b->{position} } @$layer;
		$overlap += grep {
			my $gap = $column[$_]{element} eq 'bar' ? 36 : 4;
			$column[$_]{y} < $column[$_ - 1]{y} + $column[$_ - 1]{height} + $gap - $room
		} 1 .. $#column;
	}
	is($overlap, 0, "$name: L2 gaps are kept");
	is(scalar(grep { $_->{element} eq 'bar' && abs($_->{height} - $scale * $_->{value}) > $room } @boxes), 0, "$name: L3 heights");
	my (%out, $outside, $thick);
	$outside = $thick = 0;
	for my $band (@bands)
	{
		my $edge = "$band->{node} -> $band->{target}";
		my $from = $of{"$edge $band->{level}"} // $of{$band->{node}};
		my $to   = $of{"$edge " . ($band->{level} + 1)} // $of{$band->{target}};
		$thick++ if abs($band->{thickness} - $scale * $band->{value}) > $room;
		$outside++ if $band->{y} < $from->{y} - $room || $band->{y} + $band->{thickness} > $from->{y} + $from->{height} + $room;
		$outside++ if $band->{y1} < $to->{y} - $room || $band->{y1} + $band->{thickness} > $to->{y} + $to->{height} + $room;
		$outside++ if abs($band->{x} - $from->{x} - $from->{width}) > $room || abs($band->{x1} - $to->{x}) > $room;
		$out{$edge}{$band->{position}} = $band;
	}
	is($thick,   0, "$name: L4 thickness of bands");
	is($outside, 0, "$name: L4 bands end within their bars");
	my $broken = 0;
	for my $edge (values %out)
	{
		my @pieces = sort { $a <=> $b } keys %$edge;
		$broken += grep { abs($edge->{$_}{y} - $edge->{$_ - 1}{y1}) > $room || abs($edge->{$_}{thickness} - $edge->{$_ - 1}{thickness}) > $room } @pieces[1 .. $#pieces];
	}
	is($broken, 0, "$name: L5 bands run on through dummies");
	is(scalar(grep { $_->{x} < -$room || $_->{y} < -$room || $_->{x} + $_->{width} > $canvas->{width} + $room || $_->{y} + $_->{height} > $canvas->{height} + $room } @boxes), 0, "$name: L6 inside the canvas");
	is_deeply(rows("SELECT * FROM sankey_layout($graph)"), $drawn, "$name: L8 the same again");
}

# Answers of split_entry name parts by numbered entries; ours have no line numbers.
my $plain_part = sub { return $_[0] =~ s/-\d+:/-/r };

my $refsg = "$oracle/supergraph/refsg";
for my $case (['allgather', '0'], ['allgather', '0.001'], ['cpi', '0'])
{
	my ($profile, $share) = @$case;
	my $graph = "supergraph(filter(@{[in_us($runs{'hpctoolkit-' . $profile})]}, $share), 'module')";
	compare_graph("$profile $share", $graph, json_file("$refsg/hpctoolkit-$profile-module-$share.json"));
	check_layout("$profile $share", $graph);
}
for my $kind (['split_entry', 'split_by_entry'], ['split_callers', 'split_by_caller'])
{
	my $answer = json_file("$refsg/hpctoolkit-allgather-module-0.001-$kind->[0].json");
	my $whole  = "supergraph(filter(@{[in_us($runs{'hpctoolkit-allgather'})]}, 0.001), 'module')";
	my $graph  = "$kind->[1]($whole, '$answer->{node}')";
	compare_graph("allgather $kind->[0]", $graph, $answer, $plain_part);
	check_layout("allgather $kind->[0]", $graph);
}

# L9: bars that a split leaves alone keep their order within the layer.
{
	my $whole  = "supergraph(filter(@{[in_us($runs{'hpctoolkit-allgather'})]}, 0.001), 'module')";
	my $order  = rows("SELECT node, level, position FROM sankey_layout($whole) WHERE element = 'bar' ORDER BY level, position");
	my $given  = encode_json({map { ($_->{node} => $_->{position}) } @$order});
	my $parts  = rows("SELECT node, level, position FROM sankey_layout(split_by_caller($whole, 'libmpi.so.12.1.1'), previous => '$given') WHERE element = 'bar' ORDER BY level, position");
	my %after  = map { ($_->{node} => $_) } @$parts;
	my @common = grep { exists $after{$_->{node}} && $after{$_->{node}}{level} == $_->{level} } @$order;
	my $moved  = grep {
		$common[$_]{level} == $common[$_ - 1]{level} && $after{$common[$_]{node}}{position} < $after{$common[$_ - 1]{node}}{position}
	} 1 .. $#common;
	is($moved, 0, 'L9 a split leaves the order of the others');
	cmp_ok(scalar(@common), '>', 5, 'of which there are some');
}

# By file: statements change places, so only the names and what procedures alone decide.
{
	my $graph  = "supergraph(filter(@{[in_us($runs{'hpctoolkit-allgather'})]}, 0.001), 'file')";
	my $answer = json_file("$refsg/hpctoolkit-allgather-file-0.001.json");
	my $ours   = by('node', rows("SELECT * FROM supernodes($graph)"));
	my $theirs = by('id', $answer->{nodes});
	is_deeply([grep { !$ours->{$_} } sort keys %$theirs], [], 'allgather by file: every supernode');
	cmp_ok(scalar(keys %$ours), '<=', 1 + keys %$theirs, 'and at most one more, of statements');
	my $total = 0;
	$total += $_->{exclusive} + $_->{absorbed} + $_->{residual} for values %$ours;
	my $expected = 0;
	$expected += $_->{exc_mean} for values %$theirs;
	ok(near($total, $expected), 'and the same total');
	my @same = grep { $ours->{$_} && near($ours->{$_}{inclusive}, $theirs->{$_}{inc_mean}) } keys %$theirs;
	cmp_ok(scalar(@same), '>=', scalar(keys %$theirs) - 5, 'and inclusive times but where statements enter a file')
		or diag(map { "$_: $ours->{$_}{inclusive}, expected $theirs->{$_}{inc_mean}\n" } grep { !near($ours->{$_}{inclusive}, $theirs->{$_}{inc_mean}) } sort keys %$theirs);
}

# ---- literals: two ranks, the second half as dear again
sub literal
{
	my ($node, $values) = @_;
	my $metrics = $node->{metrics};
	my %frame   = %{$node->{frame}};
	$frame{module} = $metrics->{module} if defined $metrics->{module};
	return {frame => \%frame, metrics => {time => $values->($metrics)}, children => [map { literal($_, $values) } @{$node->{children} // []}]};
}

sub literal_sql
{
	my ($roots, $values) = @_;
	my $text = JSON::PP->new->canonical->encode([map { literal($_, $values) } @$roots]);
	return "hatchet_literal(\$json\$$text\$json\$)";
}
my $callflow = json_file("$oracle/supergraph/callflow_literals.json");
for my $name (qw(table1 cyc diamond rec))
{
	my $profile = literal_sql($callflow->{$name}, sub { my $t = $_[0]{time}; return [$t + 0, 1.5 * $t] });
	my $answer  = json_file("$refsg/lit-$name.json");
	compare_graph("literal $name", "supergraph($profile, 'module')", $answer);
	same_numbers("literal $name: members",
		{map { ($_->{node} => $_->{n_members}) } @{rows("SELECT node, n_members FROM supernodes(supergraph($profile, 'module'))")}},
		{map { ($_->{id} => $_->{members}) } @{$answer->{nodes}}});
	check_layout("literal $name", "supergraph($profile, 'module')");
}

# ---- differences and ensembles
my $literals = json_file("$oracle/supergraph/literals.json");
my $once     = sub { return $_[0]{time} + 0 };
my %pairs    = (
	'litA-litB'          => [literal_sql($literals->{A}, $once), literal_sql($literals->{B}, $once), 'function'],
	'table1-libbar-x1.5' => [literal_sql($callflow->{table1}, $once),
		literal_sql($callflow->{table1}, sub { return $_[0]{time} * ($_[0]{module} eq 'libbar' ? 1.5 : 1) }), 'module']);
for my $pair (sort keys %pairs)
{
	my ($before, $after, $group) = @{$pairs{$pair}};
	my $answer = json_file("$oracle/supergraph/refens/$pair-diff.json");
	my (%path, %theirs, %status);
	for my $i (0 .. $#{$answer->{cct}})
	{
		my $node = $answer->{cct}[$i];
		$path{$i} = $node->{parent} < 0 ? $node->{name} : "$path{$node->{parent}}/$node->{name}";
		$theirs{"$path{$i} inclusive"} = $node->{d_inc};
		$theirs{"$path{$i} exclusive"} = $node->{d_exc};
		$status{$path{$i}} = {'only A' => 'only before', 'only B' => 'only after'}->{$node->{status}} // $node->{status};
	}
	my $diff = rows("SELECT * FROM nodes_diff(diff($before, $after))");
	same_numbers("$pair: nodes_diff",
		{map { ("$_->{path} inclusive" => $_->{delta_inclusive}, "$_->{path} exclusive" => $_->{delta_exclusive}) } @$diff}, \%theirs);
	is_deeply({map { ($_->{path} => $_->{status}) } @$diff}, \%status, "$pair: what is in which");
	my $graph = rows("SELECT * FROM supernodes(supergraph(diff($before, $after), '$group'))");
	same_numbers("$pair: super graph of the difference",
		{map { ("$_->{node} inclusive" => $_->{inclusive}, "$_->{node} exclusive" => $_->{exclusive}) } @$graph},
		{map { ("$_->{id} inclusive" => $_->{d_inc}, "$_->{id} exclusive" => $_->{d_exc}) } @{$answer->{nodes}}});
	same_numbers("$pair: its edges",
		{map { ("$_->{source} $_->{target}" => $_->{inclusive}) } @{rows("SELECT * FROM superedges(supergraph(diff($before, $after), '$group'))")}},
		{map { ("$_->{src} $_->{dst}" => $_->{d}) } @{$answer->{edges}}});
	my $ensemble = json_file("$oracle/supergraph/refens/$pair-ensemble.json");
	my $values = rows("SELECT n.node, n.level, n.inclusive AS height, v.inc FROM (SELECT supergraph(ensemble(p, l), '$group') AS sg"
			. " FROM (VALUES ($before, 'A'), ($after, 'B')) q(p, l)) e, supernodes(e.sg) n,"
			. ' LATERAL (SELECT json_agg(inclusive ORDER BY location) AS inc FROM supernode_values(e.sg, n.node)) v');
	my $flat = sub
	{
		my ($list, $id) = @_;
		return {map {
				my $n = $_;
				("$n->{$id} height" => $n->{height}, "$n->{$id} level" => $n->{level}, map { ("$n->{$id} $_" => $n->{inc}[$_] // 0) } 0, 1)
		} @$list};
	};
	same_numbers("$pair: ensemble", $flat->($values, 'node'), $flat->($ensemble->{nodes}, 'id'));
	my $sides = "(SELECT ensemble(p, l) FROM (VALUES ($before, 'A'), ($after, 'B')) q(p, l))";
	my $columns = rows("SELECT * FROM supernodes_by_column(supergraph($sides, '$group'))");
	is_deeply({map { ($_->{node} => [map { defined $_ ? $_ + 0 : undef } @{$_->{run_values}}, @{$_->{exclusive_values}}]) } @$columns},
		{map { ($_->{id} => [map { defined $_ ? $_ + 0 : undef } @{$_->{inc}}, @{$_->{exc}}]) } @{$ensemble->{nodes}}}, "$pair: supernodes by run, null where absent");
	my $against = json_file("$oracle/supergraph/refens/$pair-against.json");
	for my $k (0, 1)
	{
		my $ours = rows("SELECT * FROM against_ensemble(supergraph($sides, '$group'), '" . ('A', 'B')[$k] . "')");
		same_numbers("$pair: run $k against the other",
			{map { ("$_->{node} difference" => $_->{difference}, "$_->{node} mean" => $_->{mean}) } @$ours},
			{map { ("$_->{id} difference" => $_->{d}, "$_->{id} mean" => $_->{mean_of_others}) } @{$against->[$k]}});
	}
	for my $node (@{$ensemble->{nodes}})
	{
		my $bins = rows("SELECT g.count FROM (SELECT supergraph(ensemble(p, l), '$group') AS sg FROM (VALUES ($before, 'A'), ($after, 'B')) q(p, l)) e,"
				. " ensemble_gradient(e.sg, '$node->{id}', $node->{gradient_inc}{bins}) g ORDER BY bin");
		is_deeply([sort { $a <=> $b } grep { $_ } map { $_->{count} } @$bins], [sort { $a <=> $b } grep { $_ } @{$node->{gradient_inc}{counts}}], "$pair: gradient of $node->{id}");
	}
}

# three runs: z against the deviation of the two others
{
	my $against = json_file("$oracle/supergraph/refens/table1-cyc-diamond-against.json");
	my $sides   = '(SELECT ensemble(p, l) FROM (VALUES ' . join(', ', map { '(' . literal_sql($callflow->{$_}, $once) . ", '$_')" } qw(table1 cyc diamond)) . ') q(p, l))';
	my @names   = qw(table1 cyc diamond);
	for my $k (0 .. 2)
	{
		my $ours = rows("SELECT * FROM against_ensemble(supergraph($sides, 'module'), '$names[$k]')");
		same_numbers("$names[$k] against two others",
			{map { ("$_->{node} difference" => $_->{difference}, "$_->{node} mean" => $_->{mean}, "$_->{node} z" => $_->{z} // 1e99) } @$ours},
			{map { ("$_->{id} difference" => $_->{d}, "$_->{id} mean" => $_->{mean_of_others}, "$_->{id} z" => $_->{z} // 1e99) } @{$against->[$k]}});
	}
}

# ---- tables of Hatchet and Thicket
sub csv_rows
{
	my ($path) = @_;
	my ($head, @lines) = split(/\r?\n/, Perfhouse::slurp($path));
	my $cells = sub
	{
		my ($line) = @_;
		my @cells;
		while ($line =~ /\G(?:"((?:[^"]|"")*)"|([^,]*))(,|$)/g)
		{
			my ($quoted, $plain, $end) = ($1, $2, $3);
			push @cells, defined $quoted ? $quoted =~ s/""/"/gr : $plain;
			last if $end eq '';
		}
		return @cells;
	};
	my @names = $cells->($head);
	return [map { my %row; @row{@names} = $cells->($_); \%row } @lines];
}

for my $name (qw(hpctoolkit-allgather hpctoolkit-cpi caliper-lulesh-json json-literal))
{
	my $values = csv_rows("$oracle/hatchet/$name/metrics.csv");
	my $nodes  = by('id', csv_rows("$oracle/hatchet/$name/nodes.csv"));
	my $profile = in_us($runs{$name});
	my (%theirs, %ours);
	for my $row (@$values)
	{
		next if $nodes->{$row->{id}}{parents} ne '';
		$theirs{'rank ' . ($row->{rank} // 0)} += $row->{'time (inc)'};
	}
	for my $row (@{rows("SELECT v.rank, sum(v.inclusive) AS inclusive FROM $profile p (p), nodes(p) n, column_values(p, n.node) v WHERE n.parent IS NULL GROUP BY v.rank")})
	{
		$ours{'rank ' . ($row->{rank} // 0)} = $row->{inclusive};
	}
	same_numbers("$name: totals by rank", \%ours, \%theirs);
}
{
	my $values = csv_rows("$oracle/hatchet/caliper-lulesh-cali/metrics.csv");
	my ($ours) = map { $_->{total} } @{rows("SELECT sum(inclusive) AS total FROM nodes(profile($runs{'caliper-lulesh-cali'})) WHERE parent IS NULL")};
	my $total  = 0;
	$total += $_->{time} for @$values;
	ok(near($ours, $total), 'caliper-lulesh-cali: total');
}
{
	my $nodes    = by('id', csv_rows("$oracle/thicket/mpi_scaling_cali/nodes.csv"));
	my %size_of  = map { ($_->{profile} => $_->{'mpi.world.size'}) } @{csv_rows("$oracle/thicket/mpi_scaling_cali/metadata.csv")};
	my $values   = csv_rows("$oracle/thicket/mpi_scaling_cali/perfdata.csv");
	my $path_of  = sub { return join('/', @{decode_json($_[0])}) };
	my (%theirs, %ours);
	for my $row (@$values)
	{
		next if ($row->{'Total time'} // '') eq '';
		my $key = $size_of{$row->{profile}} . ' ' . $path_of->($nodes->{$row->{id}}{path});
		$theirs{"$key $_"} = $row->{$_} for 'Total time', 'Max time/rank', 'Min time/rank', 'Avg time/rank';
	}
	for my $metric ('Total time', 'Max time/rank', 'Min time/rank', 'Avg time/rank')
	{
		my $scale = $metric eq 'Total time' ? 'r.n_ranks' : '1';
		$ours{"$_->{n_ranks} $_->{path} $metric"} = $_->{value} for @{rows(
				"SELECT r.n_ranks, n.path, n.inclusive * $scale AS value FROM run_overview r,"
					. " LATERAL nodes(profile(r.run_id, '$metric')) n WHERE r.run_id BETWEEN $scaling[0]{run_id} AND $scaling[-1]{run_id} AND n.n_present > 0")};
	}
	is(scalar(@scaling), 5, 'thicket: five runs');
	same_numbers('thicket: every path, metric and run', \%ours, \%theirs);
	# statistics of the runs by path; the run of 343 ranks against the other four
	my $stats    = csv_rows("$oracle/thicket/mpi_scaling_cali/statsframe.csv");
	my $scaling  = "(SELECT ensemble(profile(run_id, 'Avg time/rank'), n_ranks::text ORDER BY n_ranks) FROM run_overview WHERE run_id BETWEEN $scaling[0]{run_id} AND $scaling[-1]{run_id})";
	my %names    = (mean => 'mean', sd => 'std', min => 'min', max => 'max', median => 'median', lower_quartile => 'percentiles_25', upper_quartile => 'percentiles_75');
	my (%statistics, %theirs_by_path);
	for my $row (@$stats)
	{
		my $path = $path_of->($nodes->{$row->{id}}{path});
		for my $name (grep { ($row->{"Avg time/rank_$names{$_}"} // '') ne '' } keys %names)
		{
			$theirs_by_path{"$path $name"} = $row->{"Avg time/rank_$names{$name}"};
		}
	}
	for my $row (@{rows("SELECT * FROM node_statistics($scaling)")})
	{
		$statistics{"$row->{path} $_"} = $row->{$_} for grep { defined $row->{$_} && exists $theirs_by_path{"$row->{path} $_"} } keys %names;
	}
	same_numbers('thicket: statistics over the runs by path', \%statistics, \%theirs_by_path);
	my %values_of = map { ($size_of{$_->{profile}} . ' ' . $path_of->($nodes->{$_->{id}}{path}) => $_->{'Avg time/rank'}) } grep { ($_->{'Avg time/rank'} // '') ne '' } @$values;
	my (%against, %by_hand);
	for my $row (@{rows("SELECT * FROM against_ensemble($scaling, '343')")})
	{
		my @others = map { $values_of{"$_ $row->{path}"} // 0 } 27, 64, 125, 216;
		my $mean   = ($others[0] + $others[1] + $others[2] + $others[3]) / 4;
		my $own    = $values_of{"343 $row->{path}"} // 0;
		my $square = 0;
		$square += ($_ - $mean)**2 for @others;
		@against{"$row->{path} mean", "$row->{path} difference", "$row->{path} sd"} = @$row{qw(mean difference sd)};
		@by_hand{"$row->{path} mean", "$row->{path} difference", "$row->{path} sd"} = ($mean, $own - $mean, sqrt($square / 3));
	}
	same_numbers('thicket: the largest run against the others', \%against, \%by_hand);
	# the super graph of the scaling ensemble: by function and number of ranks, what Thicket's paths add up to
	my (%by_function, %totals, %present);
	for my $row (@$values)
	{
		next if ($row->{'Total time'} // '') eq '';
		my $size = $size_of{$row->{profile}};
		$totals{(split(m{/}, $path_of->($nodes->{$row->{id}}{path})))[-1] . " $size"} += $row->{'Total time'} / $size;
	}
	my $ensemble = rows('SELECT node, label, run_values, inclusive, columns FROM perfhouse.supernodes_by_column(perfhouse.supergraph('
			. '(SELECT perfhouse.ensemble(perfhouse.profile(run_id), n_ranks::text ORDER BY n_ranks)'
			. " FROM perfhouse.run_overview WHERE application = 'lulesh'), 'function'))");
	is_deeply($ensemble->[0]{columns}, [qw(27 64 125 216 343)], 'thicket: a column per run, in order');
	for my $node (@$ensemble)
	{
		my $sum = 0;
		for my $k (grep { defined $node->{run_values}[$_] } 0 .. 4)
		{
			$by_function{"$node->{label} $node->{columns}[$k]"} += $node->{run_values}[$k];
			$sum += $node->{run_values}[$k];
		}
		$present{$node->{node}} = [$node->{inclusive}, $sum / 5];
	}
	same_numbers('thicket: supernodes of the ensemble by run', \%by_function, \%totals, 1e-6);
	same_numbers('thicket: their means', {map { ($_ => $present{$_}[0]) } keys %present}, {map { ($_ => $present{$_}[1]) } keys %present});
}

# ---- flame graphs: means over ranks there, sums here
for my $case (['cpi', 'hpctoolkit-cpi', 4], ['lulesh', 'caliper-lulesh-json', 8])
{
	my ($file, $run, $n_ranks) = @$case;
	my (%ours, %theirs, %lines);
	my $statement = sub { return $_[0] =~ s/[^;]*:\d+$/<statement>/r };
	for my $line (split(/\n/, Perfhouse::slurp("$oracle/flamegraph/$file.folded")))
	{
		my ($stack, $value) = $line =~ /^(.*) (\S+)$/;
		my $key = $statement->(join(';', map { unnumbered($_) } split(/; /, $stack)));
		$theirs{$key} += $value * $n_ranks;
		$lines{$key}++;
	}
	my $folded = $w->ok_run("$file: export", 'export', $runs{$run}, '--format', 'folded')->{out};
	while ($folded =~ /^(.*) (\S+)$/mg)
	{
		my ($stack, $value) = ($1, $2);
		$ours{$statement->($stack)} += $value;
	}
	my %either = (%ours, %theirs);
	my @wrong  = grep { abs(($ours{$_} // 0) - ($theirs{$_} // 0)) > $n_ranks * (1 + ($lines{$_} // 0)) } sort keys %either;
	is(scalar(@wrong), 0, "$file: folded stacks") or diag(map { "$_: " . ($ours{$_} // 'nothing') . ', expected ' . ($theirs{$_} // 'nothing') . "\n" } @wrong);
}

done_testing();
