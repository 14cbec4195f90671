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

# "log PATH", then for each counter that is not 0 "sum MODULE COUNTER VALUE". Of each log that and the same one compressed by bzip2.
my $program = <<'END';
import bz2, glob, os, struct, sys, zlib, darshan
folder = os.path.dirname(darshan.__file__)
names = ('READS', 'WRITES', 'BYTES_READ', 'BYTES_WRITTEN', 'F_READ_TIME', 'F_WRITE_TIME', 'F_META_TIME', 'OPENS', 'SEEKS',
         'FSYNCS', 'COLL_OPENS', 'COLL_WRITES', 'INDEP_READS', 'INDEP_WRITES')
def inflate(data):
    text = b''
    while data:
        one = zlib.decompressobj()
        text += one.decompress(data)
        data = one.unused_data
    return text

def as_bzip2(path):
    log = open(path, 'rb').read()
    head, maps = bytearray(log[:360]), range(24, 24 + 16 * 17, 16)
    begins = [struct.unpack_from('<QQ', log, at) for at in maps]
    head[16] = 1
    body = bz2.compress(inflate(log[360:min(begin for begin, size in begins if size)]))
    for at, (begin, size) in zip(maps, begins):
        data = bz2.compress(inflate(log[begin:begin + size])) if size else b''
        struct.pack_into('<QQ', head, at, 360 + len(body) if size else 0, len(data))
        body += data
    copy = sys.argv[1] + '/' + os.path.basename(path) + '.bz2.darshan'
    open(copy, 'wb').write(head + body)
    return copy

for path in {os.path.basename(p): p for p in sorted(glob.glob(folder + '/**/*.darshan', recursive=True))}.values():
    lines = []
    report = darshan.DarshanReport(path, read_all=False)
    for module in sorted({'POSIX', 'MPI-IO', 'STDIO', 'H5F', 'H5D'} & set(report.modules)):
        report.mod_read_all_records(module)
        frames = report.records[module].to_df()
        for name in names:
            for frame in frames['counters'], frames['fcounters']:
                column = module.replace('-', '') + '_' + name
                if column in frame and (frame[column] > 0).any():
                    lines.append(f'sum {module} {name} {float(frame[column][frame[column] > 0].sum())!r}')
    for copy in path, as_bzip2(path):
        print('log', copy, *lines, sep='\n')
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
for my $line (split /\n/, `$python -W ignore $script $w->{home} 2>$w->{home}/sums.err`)
{
	my ($what, $module, $name, $expected) = split ' ', $line;
	next if $what eq 'log';
	if ($line =~ m{^/})
	{
		$sums = load_log($line);
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
