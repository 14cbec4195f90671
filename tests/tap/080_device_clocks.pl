# Clocks of ranks that are ahead of each other and drift, in profiles of three profilers: brought together by the collectives of
# their devices, and what remains said. Process groups of collectives.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Perfhouse;
use IO::Compress::Gzip qw(gzip);
use IO::Uncompress::Gunzip qw(gunzip);
use JSON::PP;
use Test::More;

my $w         = Perfhouse->new;
my $cc        = $ENV{CC} // 'cc';
my $root      = "$FindBin::Bin/../..";
my $generator = "$w->{home}/gen_devices";
is(system("$cc -std=c11 -O1 -D_GNU_SOURCE -o $generator $root/bench/devices/*.c -lsqlite3"), 0, 'build the generator');

sub load
{
	my $r = $w->ok_run("load $_[0]", 'load', '--json', @_);
	return (decode_json($r->{out})->{run_id}, $r->{err});
}

# Ranks that have come late, and what devices did, by rank: the same whatever clocks show.
my $answers = <<'SQL';
SELECT string_agg(concat_ws(' ', rank, last_rank, n), ', ' ORDER BY rank, last_rank)
	|| (SELECT string_agg(concat_ws(' ', device, wall / 1000000, compute / 1000000, exposed / 1000000), ', ' ORDER BY device) FROM perfhouse.gpu_activity(%1$d))
FROM (SELECT rank, last_rank, count(*) AS n FROM perfhouse.device_collectives(%1$d) GROUP BY 1, 2) c
SQL
my $clock = 'SELECT clock FROM perfhouse.trace WHERE run_id = %d';

for my $format (qw(nsight rocpd))
{
	my %right;
	for my $skew ('--skew=0', '--skew=5000000', '--skew=-12000000', '--skew=3000000 --drift=20000', '--skew=-9000000 --drift=-30000')
	{
		my $name   = "$format $skew";
		my $folder = "$w->{home}/" . ($name =~ s/[^a-z0-9-]/_/gr);
		is(system("$generator $format $folder --ranks=4 --steps=60 --slow-rank=2 $skew"), 0, "$name: made");
		my ($run, $err) = load($folder);
		my $answer = $w->sql(sprintf $answers, $run);
		$right{answer} //= $answer;
		is($answer, $right{answer}, "$name: who came last, and what devices did");
		my $is_skewed = $skew ne '--skew=0';
		is($w->sql(sprintf $clock, $run), $is_skewed ? 'logical' : 'uncorrected', "$name: clocks are moved where they must be");
		my ($said) = $err =~ /Clocks of 3 ranks were moved by up to ([\d.]+) us and ([\d.]+) us a second, because (\d+) collectives/;
		ok($is_skewed ? $said : !$said, "$name: which is said") or diag($err);
		is($w->sql("SELECT count(*), sum(early), bool_and(abs(ahead) < 1000), bool_and(abs(drift) < 0.5), bool_and(error < 1000) FROM perfhouse.gpu_clocks($run)"),
			'4|0|t|t|t', "$name: what remains is less than a microsecond");
		is($w->sql("SELECT min(t_start) >= 0, min(t_start) < 10000000 FROM perfhouse.launches($run)"), 't|t', "$name: time 0 is where the trace begins");
	}
}

# ---- PyTorch's profiler: the clock of each rank is ahead; three collectives tell no drift
my $train = "$Perfhouse::data/gpu/train-4";
my ($plain) = load($train);
my $folder = "$w->{home}/train";
mkdir $folder;
for my $rank (0 .. 3)
{
	gunzip("$train/rank-$rank.pt.trace.json.gz", \my $text) or die;
	my $base = 1712195495519000;
	my $move = sub { my $ns = int(($_[0] - $base) * 1000 + 0.5); $ns += $rank * 7000000; return sprintf('%d.%03d', $base + int($ns / 1000), $ns % 1000) };
	$text =~ s/("ts": )(\d+)(\.\d+)?/$1 . $move->($2 . ($3 \/\/ ''))/ge;
	gzip(\$text, "$folder/rank-$rank.pt.trace.json.gz") or die;
}
my ($moved, $err) = load($folder, '--one-run');
like($err, qr/Clocks of 3 ranks were moved/, 'PyTorch: clocks are moved');
my $late = 'SELECT string_agg(concat_ws(\' \', rank, last_rank, round(wait / 1000.0)), \', \' ORDER BY collective, rank) FROM perfhouse.device_collectives(%d)';
is($w->sql(sprintf($late =~ s/, round.*?\)\)/)/r, $moved)), $w->sql(sprintf($late =~ s/, round.*?\)\)/)/r, $plain)), 'PyTorch: who came last is what it was');
is($w->sql("SELECT sum(early), bool_and(error < 100000) FROM perfhouse.gpu_clocks($moved)"), '0|t', 'PyTorch: what remains');

# ---- process groups: pairs of ranks reduce at the same time, by kernels of one name
my $pairs = "$w->{home}/pairs";
mkdir $pairs;
for my $rank (0 .. 3)
{
	gunzip("$train/rank-$rank.pt.trace.json.gz", \my $text) or die;
	my $ranks = $rank < 2 ? '[0, 1]' : '[2, 3, ...]';
	my $first = $rank < 2 ? 0 : 2;
	my $group = qq("Process Group Name": "$first", "Process Group Ranks": "$ranks", "Global rank start": $first, "Global rank stride": 1, "Group size": 2);
	$text =~ s/("cat": "kernel", "name": "nccl[^{]*?"args": \{)/$1 $group,/g;
	gzip(\$text, "$pairs/rank-$rank.pt.trace.json.gz") or die;
}
my ($grouped) = load($pairs);
is($w->sql("SELECT string_agg(concat_ws(' ', name, is_mpi, members), ', ' ORDER BY local_id) FROM perfhouse.trace_communicator WHERE run_id = $grouped"),
	'process group 0 f {0,1}, process group 2 f {2,3}', 'groups are communicators');
is($w->sql("SELECT count(DISTINCT collective), count(*), bool_and(n_members = 2 AND rank / 2 = last_rank / 2 AND communicator = rank / 2) FROM perfhouse.device_collectives($grouped)"),
	'6|12|t', 'each operation is of the ranks of its group');
is($w->sql("SELECT count(DISTINCT collective), bool_and(n_members = 4 AND communicator IS NULL) FROM perfhouse.device_collectives($plain)"), '3|t', 'without groups they are one');
$w->ok_run('export', 'export', $grouped, '--format', 'otf2', '-o', "$w->{home}/pairs.otf2");
my ($again) = load("$w->{home}/pairs.otf2");
is($w->sql("SELECT count(*) FROM (SELECT * FROM perfhouse.device_collectives($grouped) EXCEPT ALL SELECT * FROM perfhouse.device_collectives($again)) d"), 0, 'and are so again from OTF2');

done_testing();
