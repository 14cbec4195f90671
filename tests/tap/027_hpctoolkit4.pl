# HPCToolkit 4: databases load, and SQL says of every call path what a plain reader of the files says.
#
# The databases of others lie beside the repository; without them only the synthetic one is asked
# (bench/gen_hpctoolkit4 FOLDER --ranks=4 --threads=2 --contexts=60 --costs=16 --gpu --slow-rank=2).
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Perfhouse;
use IO::Uncompress::Gunzip qw(gunzip $GunzipError);
use JSON::PP;
use Test::More;

my $w      = Perfhouse->new;
my $source = $ENV{PERFHOUSE_SOURCE} // "$FindBin::Bin/../..";
my $shared = "$source/../shared";

sub load_one
{
	my ($path, @options) = @_;
	my $r = $w->ok_run("load $path", 'load', '--json', @options, $path);
	return decode_json((split /\n/, $r->{out})[0]);
}

# Sums over columns by path: names parted by "/" => [inclusive, exclusive].
sub sums
{
	my ($run, $metric, $n_columns) = @_;
	my $rows = $w->sql("SELECT json_agg(json_build_array(path, inclusive * $n_columns, exclusive * $n_columns))
		FROM (SELECT path, sum(inclusive) inclusive, sum(exclusive) exclusive FROM perfhouse.nodes(perfhouse.profile($run, '$metric')) GROUP BY path) q");
	return {map { ($_->[0] => [@$_[1, 2]]) } @{decode_json($rows)}};
}

# Rows of a table of the plain reader, without its header.
sub table
{
	my ($file) = @_;
	my $text;
	gunzip($file => \$text) or die "$file: $GunzipError";
	my @rows = map { [map { defined && /^"(.*)"$/s ? $1 =~ s/""/"/gr : $_ } /("(?:[^"]|"")*"|[^,]*)(?:,|$)/g] } split /\n/, $text;
	return @rows[1 .. $#rows];
}

# What the plain reader says: metric => path => [inclusive, exclusive].
sub answers
{
	my ($folder) = @_;
	my %path = map { ($_->[0] => join '/', @{JSON::PP->new->decode($_->[6])}) } table("$folder/mapped_nodes.csv.gz");
	my %sums;
	for my $row (table("$folder/mapped_metrics.csv.gz"))
	{
		my ($node, undef, $metric, @costs) = @$row;
		$sums{$metric}{$path{$node}}[$_] += $costs[$_] for 0, 1;
	}
	return \%sums;
}

sub differ
{
	my ($x, $y) = @_;
	return abs($x - $y) > 1e-9 * (abs($x) > abs($y) ? abs($x) : abs($y));
}

# Paths with other costs than the answer says; what it does not have costs nothing.
sub wrong
{
	my ($ours, $theirs) = @_;
	my %all = (%$ours, %$theirs);
	return grep { my $path = $_; grep { differ(($ours->{$path} // [0, 0])->[$_], ($theirs->{$path} // [0, 0])->[$_]) } 0, 1 } sort keys %all;
}

# ---- the synthetic one
my $path = "$Perfhouse::data/profiles/hpctoolkit4";
my $r    = load_one($path);
is_deeply([@$r{qw(format completeness n_columns n_metrics)}], ['hpctoolkit4', 'complete', 8, 6], 'a database is loaded');
is($w->sql("SELECT n_ranks || ' ' || n_threads || ' ' || application FROM run_overview WHERE run_id = $r->{run_id}"), '4 2 code', 'ranks, threads and title');
like($w->run('explain', $r->{run_id})->{out}, qr/Devices worked 2\.1 s for 3 ranks.* The devices of ranks 1-2 work 92\.2 % of what all do/s, 'explain tells of devices without a trace');
my %totals = ('CPUTIME (sec)' => 81.4189453125, 'gpu time' => 2.103515625, 'GKER (sec)' => 2.103515625, 'gpu kernels' => 4);
for my $metric (sort keys %totals)
{
	my ($sum) = $w->sql("SELECT sum(exclusive) * 8 FROM nodes(profile($r->{run_id}, '$metric'))");
	cmp_ok(abs($sum - $totals{$metric}), '<=', 1e-9 * $totals{$metric}, "all that $metric was measured of");
}

# ---- planted causes: what slowed a device, launches that take longer than kernels, copies that nothing hides

my $generator = "$w->{home}/gen_hpctoolkit4";
my $cc        = $ENV{CC} // 'cc';
is(system("$cc -std=c11 -O1 -D_GNU_SOURCE -I$source/extension/core -I$source/tests/unit -o $generator $source/bench/gen_hpctoolkit4.c"
		  . " $source/tests/unit/support/hpctoolkit4.c"), 0, 'build the generator');
my %planted;
for my $option ('', '--slow-rank=2', '--launch-bound', '--serial-copies')
{
	is(system("$generator $w->{home}/planted$option --ranks=4 --contexts=200 --costs=300 --gpu $option"), 0, "a database with '$option'");
	$planted{$option} = load_one("$w->{home}/planted$option")->{run_id};
}
sub device_time
{
	my ($run, $where) = @_;
	return $w->sql("SELECT coalesce(sum(exclusive), 0) FROM nodes(profile($run, 'gpu time')) WHERE $where");
}
is( $w->sql("SELECT string_agg(a.rank || ' ' || round((b.inclusive / a.inclusive)::numeric, 9)::float8, ', ' ORDER BY a.rank) FROM"
		  . " (SELECT rank, sum(inclusive) AS inclusive FROM column_values(profile($planted{''}, 'gpu time'), 0) GROUP BY 1) a JOIN"
		  . " (SELECT rank, sum(inclusive) AS inclusive FROM column_values(profile($planted{'--slow-rank=2'}, 'gpu time'), 0) GROUP BY 1) b USING (rank)"),
	'0 1, 1 1, 2 2, 3 1', 'kernels take twice as long on the slow rank');
my $launching = $w->sql("SELECT sum(exclusive) FROM nodes(profile($planted{'--launch-bound'}, 'CPUTIME (sec)')) WHERE name = 'cudaLaunchKernel'");
cmp_ok($launching, '>', 10 * device_time($planted{'--launch-bound'}, 'true'), 'launching takes longer than what is launched');
my ($copies, $all) = map { device_time($planted{'--serial-copies'}, $_) } "name = '<gpu copyin>'", 'true';
cmp_ok(abs(2 * $copies - $all), '<', 1e-9 * $all, 'half of the time of devices is copies');
is( $w->sql("SELECT round(4 * (SELECT sum(exclusive) FROM nodes(profile($planted{'--serial-copies'}, 'gpu copy bytes'))))"),
	$w->sql("SELECT round(4 * 1048576 * (SELECT sum(exclusive) FROM nodes(profile($planted{'--serial-copies'}, 'gpu kernels'))))"),
	'of 1 MiB a kernel');
is(device_time($planted{''}, "name = '<gpu copyin>'"), 0, 'and there are none without');

# meta.db stands for its folder; without profile.db there is nothing
like($w->run('load', '--json', "$path/meta.db")->{out}, qr/"already_loaded":true/, 'meta.db is the same run');
is($w->run('load', '--dry-run', "$path/profile.db")->{code}, 14, 'profile.db alone is not read');

# ---- those of others
my $oracle = "$shared/oracle/hpctoolkit4";
my @names  = -d $oracle ? qw(d.foo d.x inline loop-fork-cycles loop-inline multithread quicksilver vectorAdd) : ();
diag("without $oracle") unless @names;
for my $name (Perfhouse::some(4, @names))
{
	my $run     = load_one("$shared/data/peers/hpctoolkit-v4/$name");
	my $answers = answers("$oracle/$name");
	my @wrong   = map { wrong(sums($run->{run_id}, $_, $run->{n_columns}), $answers->{$_}) } sort keys %$answers;
	is_deeply(\@wrong, [], "$name: costs of all call paths, of " . keys(%$answers) . ' metrics');
	next unless $name eq 'quicksilver';
	@wrong = wrong(sums($run->{run_id}, 'gpu time', 1), $answers->{'GKER (sec)'});
	is_deeply(\@wrong, [], 'kernels alone cost time of GPUs');
}

# ---- a trace is a run of its own, made of samples

my $trace = load_one("$Perfhouse::data/tools/hpctoolkit4-trace/trace.db")->{run_id};
is($w->sql("SELECT string_agg(name || ' ' || total, ', ' ORDER BY name) FROM perfhouse.kernels($trace)"), 'stencil 30', 'what a stream did is exact');
is($w->sql("SELECT r.metrics::text || coalesce(r.parallel_efficiency::text, '') FROM perfhouse.run r WHERE run_id = $trace") =~ /wait|critical/, '',
	'nothing is stored of waits and critical path');
for my $refused ("critical_path($trace)", "wait_states($trace)", "delay_costs($trace)", "what_if($trace, '{}')", "opportunities($trace)")
{
	my $r = $w->run('psql', '--', '-XAtqc', "SELECT count(*) FROM perfhouse.$refused");
	like($r->{err}, qr/the calls of run ${trace}'s trace are made of samples/, "$refused refuses");
}
# the same three files are the profile's, too, where the database has no cct.db
my $both = load_one("$Perfhouse::data/tools/hpctoolkit4-trace", '--allow-incomplete')->{run_id};
isnt($both, $trace, 'the profile of the same files is another run');
is(load_one("$Perfhouse::data/tools/hpctoolkit4-trace/trace.db")->{run_id} // $trace, $trace, 'and the trace is loaded already');
$w->ok_run('explain answers', 'explain', $trace);
$w->ok_run('report, too',     'report',  $trace);

done_testing;
