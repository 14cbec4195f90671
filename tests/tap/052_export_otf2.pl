# export --format otf2: archives with logical time as attributes, there and back again.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Perfhouse;
use JSON::PP;
use Test::More;

my $w     = Perfhouse->new;
my $print = grep { -x "$_/otf2-print" } split /:/, $ENV{PATH};

sub load { return decode_json($w->ok_run("load $_[0]", 'load', '--json', $_[0])->{out})->{run_id} }

my $columns = 'seq, region, kind, n_messages, leave - enter, phase, step, lateness, differential_lateness, aggregate_differential_lateness';
for my $name (qw(lulesh-8 colls-6 tau-halo2d-nb-9))
{
	my $run    = load("$Perfhouse::data/traces/$name");
	my $folder = "$w->{home}/$name.otf2";
	$w->ok_run("export $name", 'export', $run, '--format', 'otf2', '-o', $folder);
	ok(!-e "$folder.part", 'nothing else is left');
	my $again = load($folder);
	is($w->sql("SELECT count(*) FROM ((SELECT $columns FROM perfhouse.logical_steps($run) EXCEPT ALL SELECT $columns FROM perfhouse.logical_steps($again)) UNION ALL (SELECT $columns FROM perfhouse.logical_steps($again) EXCEPT ALL SELECT $columns FROM perfhouse.logical_steps($run))) q"),
		0, "$name: the same logical time comes back");
	is($w->sql("SELECT count(*) FROM ((SELECT location, region, inclusive FROM perfhouse.calls($run) EXCEPT ALL SELECT location, region, inclusive FROM perfhouse.calls($again))) q"), 0, "$name: the same calls")
	  if $name ne 'lulesh-8';
	SKIP:
	{
		skip('otf2-print is not installed', 3) unless $print;
		my $text = `otf2-print $folder/traces.otf2`;
		is($?, 0, "$name: otf2-print reads it");
		my $n = () = $text =~ /^ENTER.*\n +ADDITIONAL ATTRIBUTES: \("phase" <0>; UINT64; \d+\), \("step" <1>; UINT64; \d+\), \("lateness" <2>; INT64; \d+\), \("differential lateness" <3>; INT64; \d+\)$/mg;
		is($n, $w->sql("SELECT count(*) FROM perfhouse.calls($run) c WHERE EXISTS (SELECT FROM perfhouse.logical_steps($run) s WHERE (s.location, s.region) = (c.location, c.region) AND c.enter BETWEEN s.enter AND s.leave)"), "$name: every call that communicates has its logical time");
		my ($location, $time, $step) = split /\|/, $w->sql("SELECT location, enter, step FROM perfhouse.logical_steps($run) ORDER BY step DESC, location LIMIT 1");
		like($text, qr/^ENTER +$location +$time .*\n.*"step" <1>; UINT64; $step\)/m, "$name: the last step is where it was");
	}
}

# ---- mistakes
my $r = $w->run('export', 1, '--format', 'otf2');
is($r->{code}, 2, 'without a folder');
like($r->{err}, qr/needs --output FOLDER/, 'it says so');
is($w->run('export', 1, '--format', 'otf2', '-o', "$w->{home}/cut", '--from', '1ms')->{code}, 2, 'a part');
$r = $w->run('export', 1, '--format', 'otf2', '-o', "$w->{home}/lulesh-8.otf2");
is($r->{code}, 2, 'a folder that is there');
like($r->{err}, qr/lulesh-8\.otf2: there is something already/, 'it says so');
is($w->run('export', 99, '--format', 'otf2', '-o', "$w->{home}/none")->{code}, 13, 'no such run');
$w->sql('DELETE FROM perfhouse.logical WHERE run_id = 1');
$r = $w->run('export', 1, '--format', 'otf2', '-o', "$w->{home}/none");
is($r->{code}, 13, 'no logical time');
like($r->{err}, qr/assign_logical_steps\(1\)/, 'what to do');
is($w->run('export', 2, '--format', 'otf2', '-o', '/dev/null/else')->{code}, 4, 'a folder that cannot be made');
ok(!-e "$w->{home}/none" && !-e "$w->{home}/none.part", 'nothing is left of failures');

done_testing();
