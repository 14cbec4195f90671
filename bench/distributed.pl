#!/usr/bin/perl
# distributed.pl - a warehouse in one piece and one in parts give the same answers: bench/distributed.pl BUILD ONE MANY [FILE...]
#
# ONE and MANY are conninfos of two empty databases. Both become warehouses and load the same files in the same order (FILE:
# default the tests'). MANY is a distributed one where it has the extension citus; elsewhere its tables by run are partitioned by
# run_id, which a distributed database does as well: many of the statements that it would refuse or answer otherwise show there.
# Every example of help(), what pages ask, every view (not with QUICK=1) and what commands print are asked of both and compared, runs
# are removed, and doctor looks at what is left. Prints what differs, a line of counts and how long each took; exit code 1 when
# something differs. SHARDS: parts of a table (32).
# SPDX-License-Identifier: PostgreSQL
use strict;
use warnings;
use Cwd qw(abs_path);
use File::Basename qw(dirname);
use Time::HiRes qw(time);

@ARGV >= 3 or die "usage: $0 BUILD ONE MANY [FILE...]\n";
my $root = dirname(dirname(abs_path($0)));
my ($build, @db) = (abs_path(shift), shift, shift);
my $program = "$build/bin/perfhouse";
my $data    = "$root/tests/data";
my @files   = @ARGV ? @ARGV : (
	"$data/profiles/lulesh-8.region-profile.cali", "$data/profiles/small.json",
	(map { "$data/lulesh-history/lulesh-$_.cali" } qw(3e01c40-n8-1 3e01c40-n8-2 3e01c40-n27-1 46c2a1d-n8-1 46c2a1d-n8-2 48a767c-n8-1)),
	"$data/traces/lulesh-8", "$data/traces/colls-6", "$data/projections/jacobi3d-4p", "$data/tasks/wavefront.jsonl", "$data/gpu/train-4");
my $parts   = $ENV{SHARDS} // 32;
my %seconds = (one => 0, many => 0);
my %count   = (same => 0, refused => 0, different => 0, documented => 0);
# docs/DISTRIBUTED.md says that these are refused
my $documented = qr/\bperfhouse\.(host_residual|lost_node_hours|enable_projects|store_profile)\(|^guest_/;

# Output of a command, what it said wrong behind it; without names of databases and times of this hour.
sub output
{
	my (@command) = @_;
	my $pid = open(my $from, '-|') // die "fork: $!";
	if (!$pid)
	{
		open(STDERR, '>&', \*STDOUT) or die "dup: $!";
		exec('timeout', '120', @command) or die "exec: $!";
	}
	local $/ = undef;
	my $text = <$from> // '';
	close($from);
	my $code = $? >> 8;
	$text =~ s/(database|dbname=)\S*.*//g;
	$text =~ s/, in [0-9.]+ s\b//g;
	$text =~ s/^ok +nodes .*\n//m;
	return ($code, $text);
}

# Two answers, each an exit code and a text.
sub judge
{
	my ($name, $one, $many) = @_;
	if ($one->[1] eq $many->[1])
	{
		$count{same}++;
		return;
	}
	my $kind = $name =~ $documented ? 'documented' : $many->[0] != 0 && $one->[0] == 0 ? 'refused' : 'different';
	$count{$kind}++;
	my ($error) = $many->[1] =~ /((?:ERROR|error)[^\n]*)/;
	printf "%-10s %s: %s\n", $kind, $name, $error // first_difference($one->[1], $many->[1]);
}

# answer(SIDE) of both, with how long each took.
sub both
{
	my ($answer) = @_;
	my @answers;
	for my $side (0, 1)
	{
		my $began = time;
		push @answers, $answer->($side);
		$seconds{ $side ? 'many' : 'one' } += time - $began;
	}
	return @answers;
}

# The same asked of both: command with DB for the conninfo.
sub compare
{
	my ($name, @command) = @_;
	judge($name, both(sub { my ($side) = @_; return [ output(map { $_ eq 'DB' ? $db[$side] : $_ } @command) ] }));
}

# Statements by name, each in a transaction of its own that is rolled back, in one session: answers by name.
sub answers
{
	my ($db, @asked) = @_;
	my $file = "/tmp/perfhouse-distributed.$$.sql";
	open(my $to, '>', $file) or die "$file: $!";
	print $to "\\set VERBOSITY terse\nSET search_path = perfhouse, public;\nSET statement_timeout = '60s';\n";
	for my $at (0 .. $#asked)
	{
		print $to "\\echo \x1e$at\nBEGIN;\n$asked[$at][1];\n";
		print $to "\\if :ERROR\n\\echo ERROR: :LAST_ERROR_MESSAGE\n\\endif\nROLLBACK;\n";
	}
	close $to;
	my $pid = open(my $from, '-|') // die "fork: $!";
	if (!$pid)
	{
		open(STDERR, '>', '/dev/null') or die "/dev/null: $!";
		exec('psql', '-XqAt', '-d', $db, '-f', $file) or die "exec: $!";
	}
	local $/ = undef;
	my $text = <$from> // '';
	close($from);
	unlink $file;
	my %answer;
	for my $part (split /\x1e/, $text)
	{
		my ($at, $said) = $part =~ /\A(\d+)\n(.*)\z/s or next;
		$answer{$at} = [ $said =~ /^ERROR: /m ? 1 : 0, $said ];
	}
	return map { $answer{$_} // [ 1, "ERROR: the session ended\n" ] } 0 .. $#asked;
}

# [NAME, SQL] each; a third element true: rows in any order.
sub ask
{
	my (@asked) = @_;
	my ($one, $many) = both(sub { my ($side) = @_; return [ answers($db[$side], @asked) ] });
	for my $answer (map { $asked[$_][2] ? ($one->[$_], $many->[$_]) : () } 0 .. $#asked)
	{
		$answer->[1] = join("\n", sort split(/\n/, $answer->[1]));
	}
	judge($asked[$_][0], $one->[$_], $many->[$_]) for 0 .. $#asked;
}

sub first_difference
{
	my (@texts) = @_;
	my ($one, $many) = map { [ split /\n/ ] } @texts;
	for my $at (0 .. ($#$one > $#$many ? $#$one : $#$many))
	{
		my ($left, $right) = map { substr($_->[$at] // '(end)', 0, 100) } $one, $many;
		return "line @{[$at + 1]}: '$left', not '$right'" if $left ne $right;
	}
	return 'the ends of lines';
}

# Tables by run in as many partitions, beneath the views that read them: the empty tables give their rows' place away.
sub partition
{
	my $sql = <<"	END";
	DO \$\$
	DECLARE
		t regclass;
		name text;
	BEGIN
		FOR t IN SELECT perfhouse.tables_by_run() LOOP
			name := t::text;
			EXECUTE format('CREATE TABLE perfhouse.in_parts (LIKE %s INCLUDING ALL) PARTITION BY HASH (run_id)', t);
			FOR part IN 0 .. $parts - 1 LOOP
				EXECUTE format('CREATE TABLE perfhouse.%I PARTITION OF perfhouse.in_parts FOR VALUES WITH (MODULUS $parts, REMAINDER %s)',
					name || '_part_' || part, part);
			END LOOP;
			EXECUTE format('DROP TABLE %s CASCADE', t);
			EXECUTE format('ALTER TABLE perfhouse.in_parts RENAME TO %I', name);
		END LOOP;
	END \$\$;
	-- what went with the tables comes back: its texts have changed
	UPDATE perfhouse.schema_version SET checksum = '' WHERE name = '010-views';
	END
	my ($code, $said) = output('psql', '-X', '-q', '-v', 'ON_ERROR_STOP=1', '-d', $db[1], '-c', 'SET client_min_messages = error',
		'-c', 'SET search_path = perfhouse', '-c', $sql);
	$code == 0 or die $said;
	($code, $said) = output($program, 'init', '--db', $db[1]);
	$code == 0 or die $said;
	return;
}

sub list
{
	my ($db, $sql) = @_;
	my ($code, $text) = output('psql', '-X', '-At', '-R', "\x1e", '-d', $db, '-c', 'SET search_path = perfhouse', '-c', $sql);
	$code == 0 or die $text;
	$text =~ s/\ASET\n//;
	chomp $text;
	return split /\x1e/, $text;
}

# What the pages ask of two runs (parts of answers come in any order), without moments of loading and what is known of sessions.
sub questions_of_pages
{
	my ($run, $other) = @_;
	my %value = (run => $run, a => $run, b => $other, x => $run, at => 1000, before => $other, after => $run, from => 0, to => 1e9, location => 1,
		first => 0, last => 50, first_location => 0, last_location => 7, metric => "'time'", name => "'main'", node => "'main'", search => "'MPI'",
		application => "'lulesh'", order => "'run'", group_by => "'function'", limit => 50, each => 10, level => 0, skip => 0, bins => 10, tiles => 4,
		levels => 3, phase => 0, runs => "'{$run,$other}'");
	my @asked;
	for my $file (grep { !m{/(session|listen|identity|version|metrics)\.sql$} } glob("$root/sql/queries/serve/*.sql"))
	{
		open(my $from, '<', $file) or die "$file: $!";
		my $sql = join('', grep { !/^\s*--/ } <$from>);
		close $from;
		$sql =~ s/:(\w+)(?=::)/$value{$1} \/\/ 'NULL'/ge;
		$sql =~ s/\b[or]\.loaded_at\b/'epoch'::timestamptz/g;
		$sql =~ s/perfhouse\.run_version\([^)]*\)/''/g;
		$sql =~ s/;\s*\z//;
		push @asked, [ ($file =~ m{([^/]+)\.sql$})[0] . " $run $other", $sql, 1 ];
	}
	return @asked;
}

my ($has_nodes) = list($db[1], q{SELECT count(*) FROM pg_extension WHERE extname = 'citus'});
for my $side (0, 1)
{
	my ($code, $said) = output($program, 'init', '--db', $db[$side], $side && $has_nodes ? ('--shards', $parts) : ());
	# that this is not the server's first warehouse is nobody's fault here
	my @warnings = grep { !/are not let into this/ } $said =~ /^.*warning.*/mg;
	die $said if $code != 0 || @warnings;
}
my ($is_empty) = list($db[1], 'SELECT count(*) = 0 FROM run');
partition() if !$has_nodes && $is_empty eq 't';
my ($n_runs) = list($db[0], 'SELECT count(*) FROM run_overview');
compare('load', $program, 'load', '-j1', '--db', 'DB', '--no-environment', @files) if $n_runs == 0;
my @runs = list($db[0], 'SELECT run_id FROM run_overview ORDER BY 1');
printf "%d runs, loaded in %.1f s by one server, %.1f s by the cluster\n", scalar @runs, @seconds{qw(one many)} if $n_runs == 0;

ask(grep { $_->[1] !~ /\b(now|current_user|pg_\w+size)\b|loaded_at/ }
	map { [ split /\x1f/ ] } list($db[0], q{SELECT object || E'\x1f' || example FROM perfhouse_internal.examples()}));
ask(map { ([ "check_run $_", "SELECT * FROM check_run($_)" ], [ "profile $_", "SELECT md5(profile($_)::text)" ]) } @runs);
ask(map { questions_of_pages(@$_) } [ 3, 6 ], [ 9, 10 ], [ 13, 12 ]);
for my $run ($ENV{QUICK} ? () : @runs)
{
	compare("show $run --json", 'sh', '-c', '"$0" show "$1" --json --db "$2" 2>&1 | sed "s/.loaded_at.[^,]*,//"', $program, $run, 'DB');
	compare("$_ $run", $program, $_, $run, '--db', 'DB') for qw(report explain);
	compare("show $run", 'sh', '-c', '"$0" show "$1" --db "$2" 2>&1 | sed "/loaded at/d"', $program, $run, 'DB');
	compare("render $_ $run", $program, 'render', $_, '--run', $run, '--db', 'DB', '-o', '-', '--type', 'svg')
		for qw(sankey flame cct function-graph function-arcs processes histogram scatter box);
}
for my $run ($ENV{QUICK} ? () : list($db[0], 'SELECT run_id FROM run_overview WHERE has_trace ORDER BY 1'))
{
	compare("render $_ $run", $program, 'render', $_, '--run', $run, '--db', 'DB', '-o', '-', '--type', 'svg')
		for qw(timeline comm-matrix message-sizes time-profile window-graph gpu-activity kernels blame logical step-overview
		logical-clusters);
	compare("trace $_ $run", $program, 'trace', $run, $_, '--db', 'DB') for qw(waits path opportunities efficiency);
}
compare("render $_->[0]", $program, 'render', @$_, '--db', 'DB', '-o', '-', '--type', 'svg')
	for ((map { [ 'trace-diff', '--run', $_->[0], '--vs', $_->[1] ] } [ 9, 10 ], [ 10, 9 ], [ 9, 13 ], [ 10, 13 ], [ 11, 12 ]), (map { [ $_, qw(--run 3 --vs 6) ] } qw(flame-diff sankey-diff sankey-compare)), (map { [ $_, qw(--application lulesh) ] } qw(scaling history)));
compare("@$_", $program, @$_, '--db', 'DB')
	for ([qw(runs)], [qw(compare 3 6)], [qw(gate 3 --set application=lulesh --baseline 6)], [qw(regressions)], [qw(measure-next)],
	[qw(alias suggest 3 6)], [qw(application list)], [qw(metric list)], [qw(rm -f 2 9)], [qw(runs)]);
compare('traces side by side', $program, qw(load -q -j4 --if-exists append --no-environment --db DB), grep { m{/traces/} } @files);
compare('doctor', $program, qw(doctor --all --db DB));
printf "%d the same, %d refused as documented, %d refused, %d different; one server %.0f s, cluster %.0f s\n",
	@count{qw(same documented refused different)},
	@seconds{qw(one many)};
exit($count{different} + $count{refused} > 0);
