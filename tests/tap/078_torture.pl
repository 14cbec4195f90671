# kill -9 of loaders, backends and the whole server, and connections cut, at random moments of loads that run beside each
# other, many times: a run that was reported as loaded is there afterwards, whole; nothing half loaded is seen; doctor removes
# what is left. KILLS (12) moments and about as many cuts; make torture: 1,000.
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
my @inputs  = ((sort glob("$history/lulesh-*-n8-*.cali"))[0 .. 4], "$Perfhouse::data/traces/lulesh-8");
srand($seed);
diag("SEED=$seed KILLS=$kills");
$w->without_sync;
my $began = time;
$w->ok_run('how long a load takes', 'load', '--if-exists', 'append', @inputs);
my $lasts = time - $began;

my (%acknowledged, %hits, %misses);
my ($n, $cuts, $odd, $reported) = (0, 0, '', 0);
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

# How far it came: at the end, or when somebody ends it.
sub summary
{
	my $count = sub { join(', ', map { "$_ " . ($_[0]{$_} // 0) } qw(loader backend postmaster connection)) };
	return "$n moments and $cuts cuts in " . int(time - $began) . ' s; hit: ' . $count->(\%hits) . '; nobody was there: ' . $count->(\%misses) . "; $reported runs were reported";
}
local @SIG{qw(TERM INT HUP)} = (sub { BAIL_OUT('ended early: ' . summary()) }) x 3;

sub check_all
{
	my ($when) = @_;
	my %there = map { $_ => 1 } split(/\n/, $w->sql("SELECT run_id FROM perfhouse.run_overview"));
	my @lost  = grep { !$there{$_} } sort keys %acknowledged;
	is("@lost", '', "$when: what was reported is there");
	is($w->sql('SELECT count(*) FROM perfhouse.run_overview r, perfhouse.check_run(r.run_id) c WHERE NOT c.ok'), 0, "$when: and whole, as all that is seen");
	return scalar keys %there;
}

# One that has a load of this round, still.
sub victim
{
	my ($kind, @loaders) = @_;
	my @targets = $kind eq 'loader' ? grep { Perfhouse::slurp("/proc/$_/stat") =~ /\) [^ZX] / } @loaders : $kind eq 'postmaster' ? (postmaster() // ()) : backends();
	return @targets ? $targets[rand @targets] : undef;
}

# Four loads; three kills and two cuts, each at a moment of its own, that of the server late: it ends all loads. Those that
# hit count. Loads that fail say why, in a sentence.
my $checked = 0;
while ($n < $kills)
{
	$w->run('up'); # what a kill ended
	my @loads  = map { [$w->start('load', '--if-exists', 'append', '-j', 1 + $_ % 3, @inputs)] } 1 .. 4;
	my $server = $n % 2 ? 'backend' : 'postmaster';
	my @events = sort { $a->[0] <=> $b->[0] } [$lasts * (0.3 + rand(0.5)), $server], map { [$lasts * rand, $_] } qw(loader loader connection connection connection);
	my $start  = time;
	for my $event (@events)
	{
		my ($at, $kind) = @$event;
		sleep($start + $at - time) if $start + $at > time;
		my $target = victim($kind, map { $_->[0] } @loads);
		if (!defined $target) { $misses{$kind}++; next }
		$kind eq 'connection' ? $cuts++ : $n++;
		kill($kind eq 'connection' ? 'TERM' : 'KILL', $target);
		$hits{$kind}++;
	}
	for my $load (@loads)
	{
		my $r = $w->finish(@$load);
		$note->($r->{out});
		$lasts = 0.9 * $lasts + 0.1 * (time - $start) if $r->{code} == 0;
		$odd .= "code $r->{code}: $r->{err}\n" if $r->{code} > 100 && $r->{code} != 137 || $r->{code} != 0 && $r->{code} != 137 && $r->{err} !~ /^perfhouse: /m;
	}
	next if $n < $checked + 60;
	$checked = $n;
	check_all("moment $n");
	diag(summary());
	if (keys %acknowledged > 1000) # so that checking stays quick
	{
		$w->sql('SELECT count(perfhouse.drop_run(run_id)) FROM perfhouse.run_overview');
		%acknowledged = ();
	}
}
is($odd, '', 'loads that failed say why');
my $runs = check_all('at the end');
cmp_ok($runs, '>', 0, 'some were loaded');
cmp_ok($reported,                                '>', 0, 'and reported');
cmp_ok($hits{loader},                            '>', 0, 'some loaders were killed');
cmp_ok(($hits{backend} // 0) + ($hits{postmaster} // 0), '>', 0, 'and some servers');
cmp_ok($hits{connection}, '>', 0, 'and connections cut');
my $r = $w->ok_run('what is left goes', 'doctor', '--repair');
is($w->sql(q{SELECT count(*) FROM perfhouse.run WHERE state <> 'ready'}),     0, 'no load is left');
is($w->sql('SELECT count(*) FROM perfhouse.rows_without_run()'), 0, 'and no row without a run');
check_all('after the repair');
diag(summary());
done_testing();
