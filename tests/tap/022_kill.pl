# kill -9 during a load at many moments: nothing visible, the next load works, doctor finds nothing left.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Perfhouse;
use JSON::PP;
use Test::More;
use Time::HiRes qw(sleep time);

my $MOMENTS = 24;
my $w       = Perfhouse->new;
my $file    = $w->write_caliper_json('first.json', 4000, 32, 1);

# the same profile with other names is another content with a dictionary of its own
my $text = Perfhouse::slurp($file);
sub variant
{
	my ($seed) = @_;
	(my $changed = $text) =~ s/"label": "f/"label": "s${seed}f/g or die;
	return $w->write_file('next.json', $changed);
}

# how long does a load take? (the least of three)
$w->ok_run('init', 'init');
my ($whole, $nodes);
for my $seed (2 .. 4)
{
	my $next  = variant($seed);
	my $start = time;
	my $r     = $w->ok_run('an undisturbed load', 'load', '--json', $next);
	my $took  = time - $start;
	$whole = $took if !defined $whole || $took < $whole;
	$nodes = decode_json($r->{out})->{n_nodes};
	$w->ok_run('remove it', 'rm', '-f', decode_json($r->{out})->{run_id});
}
$whole *= 0.95;

my ($killed, $too_late, $moment) = (0, 0, 0);
my $random = 42;
while ($killed < $MOMENTS && $moment < 3 * $MOMENTS)
{
	my $next = variant(100 + ++$moment);
	my ($pid, $base) = $w->start('load', '--json', $next);
	$random = ($random * 1103515245 + 12345) % 2147483648;
	sleep($whole * $random / 2147483648);
	kill 'KILL', $pid;
	my $result = $w->finish($pid, $base);
	if ($result->{code} == 137)
	{
		$killed++;
	}
	else
	{
		$too_late++;
		$whole *= 0.9;
	}

	# half a run must not be visible: all of it, or nothing
	my $visible = $w->sql(q{SELECT count(*) FROM perfhouse.run_overview});
	if ($result->{code} == 137)
	{
		# the commit may have been under way when the loader died
		my $complete = $w->sql("SELECT coalesce(bool_and((SELECT count(*) FROM perfhouse.profile_values v WHERE v.run_id = r.run_id) = $nodes AND (SELECT count(*) FROM perfhouse.profile_summary s WHERE s.run_id = r.run_id) = $nodes), true) FROM perfhouse.run r");
		ok($visible == 0 || $complete eq 't', "moment $moment: nothing or everything is visible");
	}
	else
	{
		is($visible, 1, "moment $moment: the load was faster");
	}
	# the same file again
	my $again = $w->run('load', '--json', $next);
	is($again->{code}, 0, "moment $moment: the next load of the same file works") or diag($again->{err});
	is($w->sql('SELECT count(*) FROM perfhouse.run_overview'), 1, "moment $moment: one run");
	$w->run('rm', '-f', decode_json($again->{out})->{run_id});
}
note("$killed killed, $too_late were faster");
ok($killed >= 20, 'at least 20 loads were killed while they ran') or diag("$killed");

# no rows without a run
for my $table (qw(location run_region value_block summary_block region_summary))
{
	is($w->sql("SELECT count(*) FROM perfhouse.$table"), 0, "$table holds nothing");
}
cmp_ok($w->sql('SELECT count(*) FROM perfhouse.call_tree'), '>', 0, 'trees that loads of today had are kept');
$w->sql("UPDATE perfhouse.call_tree SET used_at = now() - interval '25 hours'; UPDATE perfhouse.label_set SET used_at = now() - interval '25 hours'");
$w->alone; # names are swept when no load is at work
$w->ok_run('doctor --repair', 'doctor', '--repair');
is($w->sql('SELECT (SELECT count(*) FROM perfhouse.call_tree) + (SELECT count(*) FROM perfhouse.label_set) + (SELECT count(*) FROM perfhouse.label_data)'), 0, 'trees and labels of yesterday are gone');
is($w->sql('SELECT count(*) FROM perfhouse.region'), 0, 'orphan dictionary rows are gone');
$w->ok_run('and a load afterwards', 'load', $file);

done_testing();
