# Darshan's own logs, which its package of PyPI brings along: sums of what was done with files equal those of Darshan's library.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use JSON::PP;
use Perfhouse;
use Test::More;

my $python = $ENV{PERFHOUSE_DARSHAN_PYTHON} // 'python3';
plan(skip_all => "$python has no package darshan (PyPI); PERFHOUSE_DARSHAN_PYTHON names another one")
	if system("$python -c 'import darshan' >/dev/null 2>&1") != 0;

# "log PATH", then for each counter that is not 0 "sum MODULE COUNTER VALUE".
my $program = <<'END';
import glob, os, darshan
folder = os.path.dirname(darshan.__file__)
names = ('READS', 'WRITES', 'BYTES_READ', 'BYTES_WRITTEN', 'F_READ_TIME', 'F_WRITE_TIME', 'F_META_TIME', 'OPENS', 'SEEKS',
         'FSYNCS', 'COLL_OPENS', 'COLL_WRITES', 'INDEP_READS', 'INDEP_WRITES')
for path in {os.path.basename(p): p for p in sorted(glob.glob(folder + '/**/*.darshan', recursive=True))}.values():
    print('log', path)
    report = darshan.DarshanReport(path, read_all=False)
    for module in sorted({'POSIX', 'MPI-IO', 'STDIO'} & set(report.modules)):
        report.mod_read_all_records(module)
        frames = report.records[module].to_df()
        for name in names:
            for frame in frames['counters'], frames['fcounters']:
                column = module.replace('-', '') + '_' + name
                if column in frame and (frame[column] > 0).any():
                    print('sum', module, name, repr(float(frame[column][frame[column] > 0].sum())))
END

my %place = (
	READS         => 'read calls',
	WRITES        => 'write calls',
	BYTES_READ    => 'read bytes',
	BYTES_WRITTEN => 'write bytes',
	F_READ_TIME   => 'read time',
	F_WRITE_TIME  => 'write time',
	F_META_TIME   => 'metadata time',
	OPENS         => 'open calls',
	SEEKS         => 'seek calls',
	FSYNCS        => 'fsync calls',
	COLL_OPENS    => 'collective open calls',
	COLL_WRITES   => 'collective write calls',
	INDEP_READS   => 'independent read calls',
	INDEP_WRITES  => 'independent write calls');

my $w = Perfhouse->new;
my %known;    # by run; some logs are copies of others

# "MODULE NODE METRIC" => sum over files and ranks; pictures of a run are means over its columns.
sub load_log
{
	my ($path) = @_;
	my $result = $w->ok_run("$path loads", 'load', '--json', $path);
	my $loaded = JSON::PP->new->decode((split /\n/, $result->{out})[0]);
	return $known{ $loaded->{run_id} } if $loaded->{already_loaded};
	is($loaded->{completeness}, 'complete', 'and proves that it is whole');
	my %sums;
	for my $row (split /\n/, $w->sql("SELECT split_part(path, '/', 1), name, metric, sum(exclusive) * $loaded->{n_columns}"
		. " FROM unnest('{time,calls,bytes}'::text[]) AS metric, perfhouse.nodes(perfhouse.profile($loaded->{run_id}, metric)) GROUP BY 1, 2, 3"))
	{
		my ($module, $node, $metric, $sum) = split /\|/, $row;
		$sums{"$module $node $metric"} = $sum;
	}
	return $known{ $loaded->{run_id} } = \%sums;
}

my $script = $w->write_file('sums.py', $program);
my ($sums, $n_logs, $n_sums, @wrong) = (undef, 0, 0);
for my $line (split /\n/, `$python -W ignore $script 2>$w->{home}/sums.err`)
{
	my ($what, $module, $name, $expected) = split ' ', $line;
	if ($what eq 'log')
	{
		$sums = load_log($module);
		$n_logs++;
		next;
	}
	my $sum = $sums->{"$module $place{$name}"} // 0;
	push @wrong, "$module $name: $sum, not $expected" if abs($sum - $expected) > 1e-9 * $expected;
	$n_sums++;
}
cmp_ok($n_logs, '>=', 10, "$n_logs logs");
cmp_ok($n_sums, '>=', 100, "$n_sums sums of counters");
is_deeply(\@wrong, [], 'equal those of Darshan');
$w->stop;
done_testing();
