# kill -9 of loaders, backends and the whole server at random moments of loads, many times: a run that was reported as loaded
# is there afterwards, whole; nothing half loaded is seen; doctor removes what is left. KILLS (12) moments; make torture: 1,000.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Perfhouse;
use Test::More;
use Time::HiRes qw(sleep time);

my $kills   = $ENV{KILLS} // 12;
my $seed    = $ENV{SEED}  // 1;
my $w       = Perfhouse->new;
my $history = "$Perfhouse::data/lulesh-history";
my @inputs  = ((sort glob("$history/lulesh-*-n8-*.cali"))[0 .. 9], "$Perfhouse::data/traces/lulesh-8");
srand($seed);
diag("SEED=$seed KILLS=$kills");
$w->ok_run('a server', 'init');
my $began = time;
$w->ok_run('how long a load takes', 'load', '--if-exists', 'append', @inputs);
my $lasts = time - $began;

my (%acknowledged, %hits, %misses);
my $reported = 0;
my $note     = sub { $reported += !$acknowledged{$_}++ for $_[0] =~ /: run (\d+)\b/g };

# The postmaster's process, and its backends that loads have.
sub postmaster
{
	my ($pid) = Perfhouse::slurp("$w->{home}/home/cluster/data/postmaster.pid") =~ /\A(\d+)/;
	return $pid;
}

sub backends
{
	my $parent = postmaster() or return;
	my @found;
	for my $cmdline (glob('/proc/[0-9]*/cmdline'))
	{
		my ($pid) = $cmdline =~ /(\d+)/;
		my (undef, $rest) = split(/\) /, Perfhouse::slurp("/proc/$pid/stat"), 2);
		push @found, $pid if defined $rest && (split / /, $rest)[1] == $parent && Perfhouse::slurp($cmdline) =~ /\[local\]/;
	}
	return @found;
}

sub check_all
{
	my ($when) = @_;
	my %there = map { $_ => 1 } split(/\n/, $w->sql("SELECT run_id FROM perfhouse.run_overview"));
	my @lost  = grep { !$there{$_} } sort keys %acknowledged;
	is("@lost", '', "$when: what was reported is there");
	is($w->sql('SELECT count(*) FROM perfhouse.run_overview r, perfhouse.check_run(r.run_id) c WHERE NOT c.ok'), 0, "$when: and whole, as all that is seen");
	return scalar keys %there;
}

for my $n (1 .. $kills)
{
	my $victim = (qw(loader backend loader backend loader postmaster))[$n % 6];
	my ($pid, $base) = $w->start('load', '--if-exists', 'append', '-j', 1 + $n % 3, @inputs);
	sleep(rand(1.1 * $lasts));
	my @targets = $victim eq 'loader' ? ($pid) : $victim eq 'postmaster' ? (postmaster() // ()) : backends();
	my $target  = @targets ? $targets[rand @targets] : undef;
	kill 'KILL', $target if defined $target;
	my $r = $w->finish($pid, $base);
	$note->($r->{out});
	($r->{code} == 0 ? \%misses : \%hits)->{$victim}++;
	check_all("moment $n") if $n % 50 == 0;
	if ($n % 200 == 0) # so that checking stays quick
	{
		$w->sql('SELECT count(perfhouse.drop_run(run_id)) FROM perfhouse.run_overview');
		%acknowledged = ();
	}
}
my $runs = check_all('at the end');
cmp_ok($runs, '>', 0, 'some were loaded');
cmp_ok($reported,                                '>', 0, 'and reported');
cmp_ok($hits{loader},                            '>', 0, 'some loaders were killed in time');
cmp_ok(($hits{backend} // 0) + ($hits{postmaster} // 0), '>', 0, 'and some servers');
my $r = $w->ok_run('what is left goes', 'doctor', '--repair');
is($w->sql(q{SELECT count(*) FROM perfhouse.run WHERE state <> 'ready'}),     0, 'no load is left');
is($w->sql('SELECT count(*) FROM perfhouse.rows_without_run()'), 0, 'and no row without a run');
check_all('after the repair');
my $count = sub { join(', ', map { "$_ " . ($_[0]{$_} // 0) } qw(loader backend postmaster)) };
diag("$kills moments; loads that ended by it: " . $count->(\%hits) . '; that were faster: ' . $count->(\%misses) . '; '
	. "$reported runs were reported");
done_testing();
