# load on a terminal: the bar says what is done with a trace whose bytes are read.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Perfhouse;
use Test::More;

plan skip_all => 'no script (util-linux), which gives a command a terminal' if system('script --version > /dev/null 2>&1');
my $w     = Perfhouse->new;
my $trace = "$FindBin::Bin/../data/traces/lulesh-8";

# held where the trace is read and its call paths are to be stored, for as long as it takes
my @lock = $w->start('psql', '--', '-qc', 'BEGIN; LOCK TABLE perfhouse.callpath; SELECT pg_sleep(600)');
ok($w->becomes_true("SELECT EXISTS (SELECT FROM pg_locks WHERE mode = 'AccessExclusiveLock' AND relation = 'perfhouse.callpath'::regclass AND granted)"),
	'a table is locked');
my $typed = "$w->{home}/typed";
my @load  = $w->spawn('script', '-qfec', "'$Perfhouse::program' load '$trace'", $typed);
ok(Perfhouse::await(sub { -e $typed && Perfhouse::slurp($typed) =~ /loading \[#+\.*\] +\d+ %  storing/ }), 'the bar says that the trace is being stored')
	or diag(Perfhouse::slurp($typed));
$w->sql("SELECT pg_terminate_backend(pid, 60000) FROM pg_stat_activity WHERE query LIKE '%LOCK TABLE%pg_sleep(600)' AND pid <> pg_backend_pid()");
$w->finish(@lock);
is($w->finish(@load)->{code}, 0, 'it is loaded then');
like(Perfhouse::slurp($typed), qr/\r\e\[K[^\r\e]*run 1, .*1 run loaded/s, 'the bar is gone');
done_testing();
