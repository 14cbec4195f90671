# view: files in a browser without a warehouse; what is left afterwards: nothing.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Perfhouse;
use Serve;
use Test::More;
use Time::HiRes qw(sleep);

my $w      = Perfhouse->new;
my $before = $w->sql('SELECT count(*) FROM perfhouse.run');
my $place  = "$w->{home}/temporary";
mkdir $place or die;
local $ENV{TMPDIR} = $place;

# Folders of views, and data of them that lies elsewhere, where root's server reaches it.
sub homes
{
	my @elsewhere = grep { index(Perfhouse::slurp($_), $place) == 0 } glob('/var/lib/perfhouse/*.home');
	return scalar(() = glob("$place/perfhouse-view-*")) + grep { -d s/[.]home$//r } @elsewhere;
}

# ---- a trace and a profile, until somebody ends it
for my $signal ('TERM', 'INT')
{
	my ($pid, $base) = $w->start('view', '--no-open', "$Perfhouse::data/traces/lulesh-8", "$Perfhouse::data/lulesh-history/lulesh-3e01c40-n8-1.cali");
	my $port;
	for (1 .. 600)
	{
		($port) = Perfhouse::slurp("$base.out") =~ m{serves \S+:(\d+)/};
		last if $port;
		sleep 0.1;
	}
	ok($port, 'the address is printed') or diag(Perfhouse::slurp("$base.err"));
	my $s = bless {w => $w, port => $port}, 'Serve';
	is($s->get('/viewer/1')->{status}, 200, 'the viewer of the trace');
	like($s->get('/api/runs')->{body}, qr/"runs":2,/, 'both files are there');
	is(homes(), $> == 0 ? 2 : 1, 'in a home of their own');
	kill $signal, $pid;
	is(waitpid($pid, 0), $pid, "ended by SIG$signal");
	is($?,      0, 'which is no failure');
	is(homes(), 0, 'and leaves nothing');
}
is($w->sql('SELECT count(*) FROM perfhouse.run'), $before, 'the warehouse of this home is as it was');

# ---- what cannot be shown
my $missing = $w->run('view', '--no-open', "$w->{home}/nothing");
is($missing->{code}, 13, 'no such file');
like($missing->{err}, qr/No such file/, 'says so');
is($w->run('view')->{code}, 2, 'no file');
is(homes(), 0, 'nothing is left');

done_testing();
