# Small runs share transactions: what is wrong with one of them, or has been stored by somebody else meanwhile, is no other
# one's business, and of what is killed in between nothing is left.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Perfhouse;
use JSON::PP;
use Test::More;
use Time::HiRes qw(sleep);

my $FILES = 40;
my $w     = Perfhouse->new;
$w->ok_run('init', 'init');
my $folder = "$w->{home}/runs";
mkdir $folder;
$w->write_caliper_json("runs/$_.json", 20, 3, $_) for 1 .. $FILES;

sub ready    { return $w->sql(q{SELECT count(*) FROM perfhouse.run WHERE state = 'ready'}) }
sub fraction { return $w->sql(q{SELECT count(*) FROM perfhouse.run r WHERE n_nodes IS NULL AND format <> 'none' OR n_nodes <> (SELECT count(*) FROM perfhouse.profile_summary s WHERE s.run_id = r.run_id)}) }
sub forget   { $w->sql('SELECT count(perfhouse.drop_run(run_id)) FROM perfhouse.run'); return }

# ---- what the server refuses: a name that no index takes
my $random = 1;
my $long   = join '', map { $random = ($random * 1103515245 + 12345) % 2147483648; sprintf '%04x', $random >> 12 & 0xffff } 1 .. 3000;
$w->write_file('runs/7.meta.json', encode_json({application => $long}));
my $r = $w->run('load', '--jobs', 1, '--json', $folder);
isnt($r->{code}, 0, 'a run that cannot be stored');
like($r->{err}, qr{runs/7\.json: index row}, 'is named');
is(ready(), $FILES - 1, 'all others are there');
is(fraction(), 0, 'whole');
my %of = map { $_->{fingerprint} => $_->{run_id} } grep { $_->{run_id} } map { decode_json($_) } split /\n/, $r->{out};
unlink "$folder/7.meta.json";
$w->ok_run('without it', 'load', $folder);
is(ready(), $FILES, 'it is stored, too');

# ---- somebody else stores one of them at the same time: his transaction ends when a loader waits for it
my ($contested) = sort { $of{$b} <=> $of{$a} } keys %of;

sub hold
{
	my ($end) = @_;
	my $script = $w->write_file('hold.sql', <<~"SQL");
		BEGIN;
		INSERT INTO perfhouse.run (fingerprint, format, state) VALUES ('$contested', 'none', 'ready');
		SELECT pg_advisory_xact_lock(4711);
		DO \$\$ BEGIN
			FOR i IN 1 .. 6000 LOOP
				EXIT WHEN EXISTS (SELECT FROM pg_locks WHERE locktype = 'transactionid' AND NOT granted);
				PERFORM pg_sleep(0.01);
			END LOOP;
		END \$\$;
		$end;
		SQL
	my @session = $w->start('psql', '--', '-Xq', '-f', $script);
	for (1 .. 600)
	{
		return @session if $w->sql(q{SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND objid = 4711}) > 0;
		sleep 0.1;
	}
	die 'the other session did not begin';
}

for my $if_exists (qw(skip append replace))
{
	forget();
	my @session = hold('COMMIT');
	$r = $w->ok_run("load, $if_exists", 'load', '--jobs', 1, '--json', '--if-exists', $if_exists, $folder);
	$w->finish(@session);
	is(ready(), $if_exists eq 'append' ? $FILES + 1 : $FILES, "$if_exists: every file once");
	is(fraction(), 0, "$if_exists: whole");
	is($w->sql("SELECT string_agg(format, ' ' ORDER BY repeat) FROM perfhouse.run WHERE fingerprint = '$contested'"),
		{skip => 'none', append => 'none caliper-json', replace => 'caliper-json'}->{$if_exists}, "$if_exists: what is done with the one");
	is(scalar(grep { decode_json($_)->{already_loaded} } split /\n/, $r->{out}), $if_exists eq 'skip' ? 1 : 0, "$if_exists: said");
}
is($w->sql('SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()'), 0, 'no deadlock');

# ---- killed while it waits in the middle of a batch
forget();
my @session = hold('SELECT pg_sleep(600)');
my ($pid, $base) = $w->start('load', '--jobs', 1, $folder);
for (1 .. 600)
{
	last if $w->sql(q{SELECT count(*) FROM pg_locks WHERE locktype = 'transactionid' AND NOT granted}) > 0;
	sleep 0.1;
}
kill 'KILL', $pid;
is($w->finish($pid, $base)->{code}, 137, 'killed');
$w->sql(q{SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE query ~ 'pg_sleep.600' AND pid <> pg_backend_pid()});
$w->finish(@session);
for (1 .. 600)
{
	last if $w->sql(q{SELECT count(*) FROM pg_stat_activity WHERE query LIKE '%INSERT INTO perfhouse.run%' AND pid <> pg_backend_pid()}) == 0;
	sleep 0.1;
}
cmp_ok(ready(), '<', $FILES, 'the batch is not there');
is(fraction(), 0, 'earlier ones are whole');
is($w->sql('SELECT count(*) FROM perfhouse.rows_without_run()'), 0, 'nothing is left over');
$w->ok_run('again', 'load', $folder);
is(ready(), $FILES, 'all are there');
$w->ok_run('doctor', 'doctor', '--all');

done_testing();
