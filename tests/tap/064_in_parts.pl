# A warehouse whose tables by run are in parts, as a distributed database has them, gives the same answers; and what is said of
# databases that cannot be distributed.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Perfhouse;
use Test::More;

my $w      = Perfhouse->new;
my $root   = "$FindBin::Bin/../..";
my $build  = $Perfhouse::program =~ s{/bin/[^/]*$}{}r;
my ($base) = $w->ok_run('a server', 'up')->{out} =~ /(host='[^']*' port=\d+)/;
my %db     = map { ($_ => "$base user=perfhouse dbname=$_") } qw(one many);
$w->sql("CREATE DATABASE $_") for qw(one many);

my $files = join ' ', map { "$root/tests/data/$_" } qw(profiles/small.json lulesh-history/lulesh-3e01c40-n8-1.cali
	lulesh-history/lulesh-46c2a1d-n8-1.cali traces/lulesh-8 projections/jacobi3d-4p gpu/train-4);
my $said = `QUICK=1 SHARDS=3 perl $root/bench/distributed.pl $build "$db{one}" "$db{many}" $files 2>&1`;
is($?, 0, 'every answer is the same') or diag $said;
my ($same) = $said =~ /^(\d+) the same, 0 refused as documented, 0 refused, 0 different/m;
cmp_ok($same // 0, '>', 300, 'to hundreds of questions');
my $parts = $w->run('psql', '--db', $db{many}, '--', '-XAtc',
	q{SELECT count(*) FILTER (WHERE c.relkind = 'p') = count(*) FROM perfhouse.tables_by_run() t JOIN pg_class c ON c.oid = t})->{out};
is($parts, "t\n", 'of tables that are in parts');
my $none = $w->run('psql', '--db', $db{many}, '--', '-XAtc', 'SELECT count(*) FROM perfhouse.rows_without_run()')->{out};
is($none, "0\n", 'removed runs leave nothing in them');

# ---- parts of Citus's copies, where they are shown
my $named = $w->run('psql', '--db', $db{one}, '--', '-XAtqc', q{BEGIN; CREATE TABLE perfhouse.run_102013 (LIKE perfhouse.run INCLUDING ALL);
	SELECT count(*) FROM perfhouse.tables_by_run() t WHERE t::text ~ 'run_1020'; ROLLBACK})->{out};
is($named, "0\n", 'are no tables by run');

# ---- what cannot be distributed refuses, and stays as it was
my $refused = $w->run('init', '--distributed', '--db', $db{one});
is($refused->{code}, 9, 'a database without Citus is not distributed');
like($refused->{err}, qr/the extension citus is missing.*CREATE EXTENSION citus/s, 'with what to do');
$w->ok_run('it is as it was', 'runs', '--db', $db{one});
done_testing;
