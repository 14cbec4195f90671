# What an attacker tried: rights that PUBLIC and readers have beside the tables, runs that are not whole yet, a peer that
# falls silent, and long work that must end when it is cancelled.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use IO::Socket::INET;
use Perfhouse;
use Test::More;

my $w = Perfhouse->new;
my ($base) = $w->ok_run('a server', 'up')->{out} =~ /(host='[^']*' port=\d+)/;
$w->ok_run('a run', 'load', "$Perfhouse::data/profiles/small.json");
$w->sql('CREATE ROLE eve LOGIN IN ROLE perfhouse_reader; CREATE ROLE ann LOGIN IN ROLE perfhouse_loader; CREATE ROLE stranger LOGIN');

sub as
{
	my ($user, $query, $name) = @_;
	my $r = $w->run('psql', '--db', "$base dbname=" . ($name // 'perfhouse') . " user=$user", '--', '-XAtqc', $query);
	return $r->{code} == 0 ? $r->{out} : $r->{err};
}

# ---- rights of everybody
like(as('stranger', 'SELECT 1'), qr/permission denied for database/, 'who has none of the roles may not even connect');
is(as('eve', 'SELECT 1'), "1\n", 'a reader may');
like(as('eve', 'CREATE TEMPORARY TABLE t (a int)'), qr/permission denied to create temporary tables/, 'but make no tables');
like(as('ann', 'CREATE TABLE perfhouse.t (a int)'), qr/permission denied for schema/, 'nor may a loader');
like(as('ann', 'CREATE TABLE public.t (a int)'), qr/permission denied for schema/, 'anywhere');
for my $call ('lo_create(0)', 'lo_creat(0)', q{lo_from_bytea(0, '\x00')})
{
	like(as('eve', "SELECT $call"), qr/permission denied for function/, "$call: nor large objects");
}
is($w->sql('SELECT count(*) FROM pg_largeobject_metadata'), '0', 'there is none');

# a database that others live in keeps their rights
$w->run('psql', '--db', "$base dbname=postgres user=perfhouse", '--', '-Xqc', 'CREATE DATABASE common');
$w->run('psql', '--db', "$base dbname=common user=perfhouse", '--', '-Xqc', 'CREATE TABLE theirs (a int)');
$w->ok_run('a warehouse beside others', 'init', '--db', "$base dbname=common user=perfhouse");
is(as('stranger', 'SELECT 1', 'common'), "1\n", 'lets others in');
like(as('stranger', 'SELECT count(*) FROM perfhouse.run', 'common'), qr/permission denied for schema/, 'but not into the warehouse');

# ---- runs that are not whole yet
$w->sql(q{UPDATE perfhouse.run SET state = 'loading', n_hosts = 7});
is($w->sql('SELECT nodes_of(1)'), '1', 'nothing is told of a run that is being loaded');
is($w->sql('SELECT count(*) FROM run_overview'), '0', 'nor is it listed');
like($w->run('show', '1')->{err}, qr/there is no run 1/, 'or shown');
is($w->sql(q{SELECT string_agg(detail, ',') FROM check_run(1) WHERE NOT ok}), 'state is loading', 'who checks is told why');
$w->sql(q{UPDATE perfhouse.run SET state = 'ready'});

# ---- long work ends when it is cancelled
for my $long ('sketch(array_fill(1.5::float8, ARRAY[8000000]))',
	q{refine(supergraph(profile(1), 'module'), (SELECT jsonb_agg(jsonb_build_object('node', 1, 'level', 'function')) FROM generate_series(1, 50000)))},
	q{name_likeness(repeat('a', 30000000), repeat('b', 30000000))})
{
	my ($name) = $long =~ /^(\w+)/;
	my $said = $w->sql(qq{SET statement_timeout = '100ms'; DO \$\$ DECLARE began timestamptz := clock_timestamp(); BEGIN
		BEGIN PERFORM $long; EXCEPTION WHEN query_canceled OR others THEN NULL; END;
		PERFORM set_config('my.took', extract(epoch FROM clock_timestamp() - began)::text, false); END \$\$; SELECT current_setting('my.took')});
	cmp_ok($said, '<', 10, "$name of much input ends soon: $said s");
}

# ---- a peer that falls silent: the kernel asks whether it is there
SKIP:
{
	my $listener = IO::Socket::INET->new(Listen => 1, LocalAddr => '127.0.0.1') or skip 'no socket', 2;
	my $port     = $listener->sockport;
	my ($pid, $out) = $w->start('status', '--db', "host=127.0.0.1 port=$port dbname=x user=x");
	my $peer = $listener->accept;
	# remote port, state established; timer 2 is the one of keepalives, with hundredths of seconds left
	my $hex = sprintf '%04X', $port;
	my ($timer, $left);
	my $is_asked = sub { ($timer, $left) = Perfhouse::slurp('/proc/net/tcp') =~ /^\s*\d+: \S+ [0-9A-F]{8}:$hex 01 \S+ (\d\d):([0-9A-F]+)/m; return ($timer // '') eq '02' };
	Perfhouse::await($is_asked, 30); # what was sent is acknowledged first
	is($timer, '02', 'connections ask whether their peer is alive');
	cmp_ok(hex($left // 'FFFFFF') / 100, '<=', 120, 'within two minutes');
	kill 'KILL', $pid;
	$w->finish($pid, $out);
	close $peer;
}
done_testing();
