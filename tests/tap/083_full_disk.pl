# A full disk: of a tablespace, of the data, of the WAL. Loads fail with a sentence, what was reported before is there and
# whole, and with room again loads go on. On small file systems in memory, so root only.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Perfhouse;
use Test::More;

plan skip_all => 'mounting wants root' if $> != 0;
my $w     = Perfhouse->new;
my $mount = "$w->{home}/small";
mkdir $mount;
plan skip_all => 'no file system in memory can be mounted' if system("mount -t tmpfs -o size=64m small $mount 2>/dev/null") != 0;
my $is_mounted = 1;
END { system("umount -l $mount") if $is_mounted }
my $cluster = "$w->{home}/home/cluster";
my $serial  = 0;
my %reported;

# A profile of about 1 MB in the warehouse that nobody has loaded yet.
sub fresh
{
	return $w->write_caliper_json('fresh' . ++$serial . '.json', 300, 300, $serial);
}

sub note_runs
{
	my ($r) = @_;
	$reported{$_} = 1 for $r->{out} =~ /: run (\d+)\b/g;
	return;
}

# Leave so many MB on the file system.
sub leave
{
	my ($left) = @_;
	unlink "$mount/ballast";
	return if !defined $left;
	my ($free) = `df -m --output=avail $mount` =~ /(\d+)\s*\z/;
	return if $free <= $left;
	system('fallocate', '-l', ($free - $left) . 'M', "$mount/ballast") == 0 or die 'no ballast';
	return;
}

# Move a part of the cluster to the small file system, by a symbolic link; back: to where it was.
sub move
{
	my ($part, $back) = @_;
	my $old = readlink "$cluster/data" // "$cluster/data";
	$w->run('down');
	my ($from, $to) = $back ? ("$mount/part", "$old/$part") : ("$old/$part", "$mount/part");
	unlink $to if $back;
	die "$from cannot be moved" if system("cp -a '$from' '$to' && rm -rf '$from'") != 0;
	die $! if !$back && !symlink $to, $from;
	return $w->ok_run("the server with its $part " . ($back ? 'back' : 'there'), 'up');
}

sub loads_until_full
{
	my ($what) = @_;
	my $r;
	for (1 .. 40)
	{
		$w->run('psql', '--', '-XAtqc', 'SELECT pg_switch_wal()') if $what eq 'pg_wal'; # another 16 MB
		$r = $w->run('load', fresh());
		note_runs($r);
		last if $r->{code} != 0;
	}
	cmp_ok($r->{code}, '>', 0, "$what: a load fails in the end");
	like($r->{err}, qr/perfhouse: (?:error: )?.*(?:No space left|server closed|cannot connect|connection to server|could not|starting up|recovery)/i, "$what: with a sentence") or diag($r->{err});
	unlike($r->{err}, qr/Segmentation|assert|core dumped/, "$what: and no crash");
	return;
}

sub all_is_well
{
	my ($what) = @_;
	leave(undef);
	my $r = $w->run('up'); # the server may have ended
	is($r->{code}, 0, "$what: with room the server starts") or diag($r->{err});
	my %there = map { $_ => 1 } split(/\n/, $w->sql('SELECT run_id FROM perfhouse.run_overview'));
	my @lost  = grep { !$there{$_} } sort keys %reported;
	is("@lost", '', "$what: what was reported is there (" . keys(%reported) . ')');
	is($w->sql('SELECT count(*) FROM perfhouse.run_overview r, perfhouse.check_run(r.run_id) c WHERE NOT c.ok'), 0, "$what: and whole");
	$r = $w->ok_run("$what: loads go on", 'load', fresh());
	note_runs($r);
	$w->ok_run("$what: what is left goes", 'doctor', '--repair');
	is($w->sql(q{SELECT count(*) FROM perfhouse.run WHERE state <> 'ready'}), 0, "$what: no load is left");
	return;
}

$w->ok_run('a server', 'up');
note_runs($w->ok_run('a run before', 'load', fresh()));

# ---- a tablespace
my ($uid, $gid) = (stat "$cluster/data/PG_VERSION")[4, 5];
mkdir "$mount/space";
chown $uid, $gid, $mount, "$mount/space";
chmod 0700, "$mount/space";
$w->sql("CREATE TABLESPACE small LOCATION '$mount/space'");
$w->sql("ALTER TABLE perfhouse.$_ SET TABLESPACE small") for qw(value_block summary_block);
leave(3);
loads_until_full('tablespace');
all_is_well('tablespace');
$w->sql("ALTER TABLE perfhouse.$_ SET TABLESPACE pg_default") for qw(value_block summary_block);
$w->sql('DROP TABLESPACE small');

# ---- data, then WAL
system("mount -o remount,size=400m $mount") == 0 or die 'remount';
for my $part ('base', 'pg_wal')
{
	move($part);
	$w->sql('CHECKPOINT');
	leave(3);
	loads_until_full($part);
	all_is_well($part);
	move($part, 1);
}
diag(keys(%reported) . ' runs were reported, all are there');
done_testing();
