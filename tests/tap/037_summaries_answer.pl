# Means that come from stored summaries are those of the values, to the bit; and values stay where they are stored until
# they are needed.
#
# Random profiles of call paths that only some ranks have, and of such that all have, against what was drawn.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Perfhouse;
use JSON::PP;
use Test::More;

my $w = Perfhouse->new;
$w->ok_run('init', 'init');
srand(15);

# A random tree whose nodes come behind their parents; who is in which rank, and its exclusive time.
sub draw
{
	my ($n_nodes, $n_ranks, $absent) = @_;
	my @parent = (undef, map { int(rand($_ < 4 ? 1 : $_)) } 1 .. $n_nodes - 1);
	my @value;
	for my $node (0 .. $n_nodes - 1)
	{
		my $scale = rand() < 0.5 ? 1 : 1e-4;
		for my $rank (0 .. $n_ranks - 1)
		{
			next if $node > 0 && (rand() < $absent || !defined $value[$parent[$node]][$rank]);
			$value[$node][$rank] = sprintf('%.6f', rand() < 0.1 ? 0 : $scale * rand(1000)) + 0;
		}
	}
	return {n_nodes => $n_nodes, n_ranks => $n_ranks, parent => \@parent, value => \@value};
}

sub name_of { my ($node) = @_; return "f$node" }

sub write_profile
{
	my ($profile, $name) = @_;
	my @rows;
	for my $node (0 .. $profile->{n_nodes} - 1)
	{
		for my $rank (0 .. $profile->{n_ranks} - 1)
		{
			my $value = $profile->{value}[$node][$rank];
			push @rows, sprintf('[%.6f,%d,%d]', $value, $rank, $node) if defined $value;
		}
	}
	my @nodes = map {
		my $parent = $profile->{parent}[$_];
		sprintf('{"label":"%s","column":"path"%s}', name_of($_), defined $parent ? ",\"parent\":$parent" : '')
	} 0 .. $profile->{n_nodes} - 1;
	local $" = ",\n";
	return $w->write_file($name, qq({"data":[@rows],"columns":["sum#time.duration","mpi.rank","path"],
"column_metadata":[{"is_value":true},{"is_value":true},{"is_value":false}],"nodes":[@nodes]}));
}

# What a run's nodes are not as they were drawn.
sub wrong_means
{
	my ($run, $profile) = @_;
	my @wrong;
	for my $line (split(/\n/, $w->sql("SELECT name, n_present, exclusive FROM perfhouse.nodes(perfhouse.profile($run))")))
	{
		my ($name, $n, $mean) = split(/\|/, $line);
		my @values = grep { defined } @{$profile->{value}[substr($name, 1)] // []};
		my $sum = 0;
		$sum += $_ / 1e6 for @values; # of microseconds, in seconds
		my $wanted = $sum / $profile->{n_ranks};
		push @wrong, $line if $n != @values || abs($mean - $wanted) > 1e-12 * $wanted;
	}
	return "@wrong";
}

my %functions = (
	nodes => 'nodes(%s)', flame => 'flame(%s)', tree => 'tree_text(%s)', ranges => 'node_ranges(%s)', inclusive => q{node_statistics(%s, 'inclusive')},
	statistics => 'node_statistics(%s)', imbalance => 'imbalance(%s)', diff => 'nodes_diff(diff(%1$s, %1$s))',
	supernodes => q{supernodes(supergraph(%s, 'function'))}, superedges => q{superedges(supergraph(%s, 'function'))},
	form => 'md5(flat_form(%s))');

# Which functions answer otherwise when their argument was stored as a value.
sub differ
{
	my ($run) = @_;
	my @parts;
	for my $name (sort keys %functions)
	{
		my ($packed, $stored) = map { sprintf($functions{$name}, $_) } "profile($run)", '(SELECT p FROM unpacked)';
		push @parts, "SELECT '$name' WHERE EXISTS (SELECT to_jsonb(f) FROM $packed f EXCEPT ALL SELECT to_jsonb(f) FROM $stored f)";
	}
	return $w->sql("SET search_path = perfhouse; CREATE TEMP TABLE unpacked AS SELECT profile($run) AS p; " . join(' UNION ALL ', @parts));
}

my %run;
for my $shape ([1, 1, 0], [9, 3, 0], [70, 6, 0], [600, 17, 0], [70, 7, 0.3], [300, 33, 0.1], [520, 5, 0.5])
{
	my ($n_nodes, $n_ranks, $absent) = @$shape;
	my $what = "$n_nodes x $n_ranks, $absent absent";
	my $profile = draw(@$shape);
	my $loaded = $w->ok_run("load $what", 'load', '--json', write_profile($profile, 'profile.json'));
	my $run = $run{$what} = decode_json($loaded->{out})->{run_id};
	is($w->sql("SELECT bool_and(get_byte(bytes, 4) = 2) FROM perfhouse.summary_block WHERE run_id = $run"), 't', "$what: sums are exact");
	is(wrong_means($run, $profile), '', "$what: means");
	is(differ($run), '', "$what: the same from summaries and from values");
}

# Of a run that has all cells nothing but what needs values reads them.
my $run = $run{'600 x 17, 0 absent'};
my $spoil = "UPDATE perfhouse.value_block SET bytes = set_byte(bytes, length(bytes) - 1, 255 - get_byte(bytes, length(bytes) - 1))
	WHERE run_id = $run AND block = 1";
is($w->sql("BEGIN; $spoil; SELECT count(*) FROM perfhouse.nodes(perfhouse.profile($run)); ROLLBACK"), 600, 'nodes do without values');
is($w->sql("BEGIN; $spoil; SELECT count(*) > 0 FROM perfhouse.superedges(perfhouse.supergraph(perfhouse.profile($run), 'function')); ROLLBACK"), 't',
	'edges of a super graph do');
is($w->sql("BEGIN; $spoil; SELECT count(*) FROM perfhouse.nodes_diff(perfhouse.diff(perfhouse.profile($run), perfhouse.profile($run))); ROLLBACK"), 600,
	'and so does a difference');
my $r = $w->run('psql', '--', '-XAtqv', 'ON_ERROR_STOP=1', '-c', "BEGIN; $spoil; SELECT count(*) FROM perfhouse.node_statistics(perfhouse.profile($run))");
like($r->{err}, qr/block of stored values is damaged: its checksum is wrong/, 'who needs them looks at their checksums');

# Summaries that say more than there is are found out; missing ones are not believed.
my $sparse = $run{'70 x 7, 0.3 absent'};
$r = $w->run('psql', '--', '-XAtqv', 'ON_ERROR_STOP=1', '-c', "BEGIN; UPDATE perfhouse.summary_block SET run_id = -1 WHERE run_id = $sparse;
	INSERT INTO perfhouse.summary_block SELECT $sparse, b.metric_id, b.block, b.bytes FROM perfhouse.summary_block b WHERE b.run_id = $run;
	SELECT count(*) FROM perfhouse.nodes(perfhouse.profile($sparse))");
like($r->{err}, qr/is not one of its tree/, 'summaries of another tree are refused');
is($w->sql("BEGIN; DELETE FROM perfhouse.summary_block WHERE run_id = $run; SELECT count(*) FILTER (WHERE exclusive > 0) > 500
	FROM perfhouse.nodes(perfhouse.profile($run)); ROLLBACK"), 't', 'without summaries values are read');
$r = $w->run('psql', '--', '-XAtqv', 'ON_ERROR_STOP=1', '-c', "BEGIN; DELETE FROM perfhouse.value_block WHERE run_id = $run AND block = 2;
	SELECT sum(n) FROM perfhouse.node_statistics(perfhouse.profile($run))");
is($r->{out}, "8704\n", 'nor are they believed where blocks are missing');

# A value outlives its transaction in a variable of a procedure, and what it was read from.
$w->ok_run('a profile is whole after its run is gone', 'psql', '--', '-XAtqv', 'ON_ERROR_STOP=1', '-c', "DO \$\$
DECLARE p perfhouse.profile := perfhouse.profile($run); n bigint; m bigint;
BEGIN
	SELECT count(*) INTO n FROM perfhouse.node_statistics(p) WHERE mean > 0;
	COMMIT;
	TRUNCATE perfhouse.value_block;
	SELECT count(*) INTO m FROM perfhouse.node_statistics(p) WHERE mean > 0;
	ROLLBACK;
	IF m IS DISTINCT FROM n OR n < 500 THEN RAISE EXCEPTION '% nodes after % nodes', m, n; END IF;
END \$\$");

# Rolled back, nothing can be fetched before: what the transaction wrote itself was fetched at once, ...
$w->ok_run('a profile is whole after the transaction that wrote its run was rolled back', 'psql', '--', '-XAtqv', 'ON_ERROR_STOP=1',
	'-c', "CREATE TEMP TABLE kept AS SELECT * FROM perfhouse.value_block WHERE run_id = $run", '-c', "DO \$\$
DECLARE p perfhouse.profile; m bigint;
BEGIN
	DELETE FROM perfhouse.value_block WHERE run_id = $run;
	INSERT INTO perfhouse.value_block SELECT * FROM kept;
	p := perfhouse.profile($run);
	ROLLBACK;
	TRUNCATE perfhouse.value_block;
	SELECT count(*) INTO m FROM perfhouse.node_statistics(p) WHERE mean > 0;
	ROLLBACK;
	IF m < 500 THEN RAISE EXCEPTION '% nodes', m; END IF;
END \$\$");

# ... and of another run the values are there, or are missed by name.
sub after_rollback
{
	my ($statement) = @_;
	return $w->run('psql', '--', '-XAtqv', 'ON_ERROR_STOP=1', '-v', 'VERBOSITY=verbose', '-c', "DO \$\$
DECLARE p perfhouse.profile := perfhouse.profile($run); m bigint;
BEGIN
	ROLLBACK;
	$statement;
	SELECT count(*) INTO m FROM perfhouse.node_statistics(p) WHERE mean > 0;
	ROLLBACK;
	RAISE INFO '% nodes', m;
END \$\$")->{err};
}
like(after_rollback('NULL'), qr/INFO:.* \d{3} nodes/, 'a profile outlives a transaction that was rolled back');
like(after_rollback('TRUNCATE perfhouse.value_block'), qr/PH002: the values of run $run are no longer there.*HINT: .*take it again/s, 'unless its run was removed');

# One node over its ranks.
for my $what ('600 x 17, 0 absent', '70 x 7, 0.3 absent')
{
	my $one = $run{$what};
	is($w->sql("WITH r AS (SELECT metric_ids[1] AS metric FROM perfhouse.run WHERE run_id = $one),
		ours AS (SELECT n.node, c.location_id, c.inclusive, c.exclusive
			FROM r, perfhouse.nodes(perfhouse.profile($one)) n, perfhouse_internal.node_row($one, r.metric, n.node) c),
		theirs AS (SELECT n.node, (v.block * 4096 + i.place - 1)::int AS location_id, i.inclusive, i.exclusive
			FROM r, perfhouse.nodes(perfhouse.profile($one)) n JOIN perfhouse.profile_values v ON v.run_id = $one AND v.callpath_id = n.callpath_id,
			unnest(v.inclusive, v.exclusive) WITH ORDINALITY i (inclusive, exclusive, place) WHERE v.metric_id = r.metric AND i.inclusive IS NOT NULL)
		SELECT (SELECT count(*) FROM (TABLE ours EXCEPT ALL TABLE theirs) d) + (SELECT count(*) FROM (TABLE theirs EXCEPT ALL TABLE ours) d)"), 0,
		"$what: rows of nodes");
}
done_testing();
