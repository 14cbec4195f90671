# Eight loaders at once: the same file gives one run; different files with shared names all arrive.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Perfhouse;
use JSON::PP;
use Test::More;

my $LOADERS = 8;
my $w       = Perfhouse->new;
$w->ok_run('init', 'init');

sub together
{
	my @commands = @_;
	my @started  = map { [$w->start(@$_)] } @commands;
	return map { $w->finish(@$_) } @started;
}

# ---- the same file
for my $round (1 .. 3)
{
	my $file    = $w->write_caliper_json("same$round.json", 500, 8, $round);
	my @results = together(map { ['load', '--json', $file] } 1 .. $LOADERS);
	is(scalar(grep { $_->{code} == 0 } @results), $LOADERS, "round $round: all succeed")
	  or diag(map { $_->{err} } @results);
	my @objects = map { decode_json($_->{out}) } @results;
	is(scalar(grep { !$_->{already_loaded} } @objects), 1, "round $round: one of them loaded it");
	my %runs = map { $_->{run_id} => 1 } @objects;
	is(scalar(keys %runs), 1, "round $round: all name the same run");
	is($w->sql('SELECT count(*) FROM perfhouse.run_overview'), $round, "round $round: one more run");
}

# ---- the same file, appended
{
	my $file    = $w->write_caliper_json('append.json', 300, 4, 77);
	my @results = together(map { ['load', '--json', '--if-exists', 'append', $file] } 1 .. $LOADERS);
	is(scalar(grep { $_->{code} == 0 } @results), $LOADERS, 'append: all succeed') or diag(map { $_->{err} } @results);
	my $fingerprint = decode_json($results[0]->{out})->{fingerprint};
	is($w->sql("SELECT array_agg(repeat ORDER BY repeat) FROM perfhouse.run WHERE fingerprint = '$fingerprint'"),
		'{' . join(',', 0 .. $LOADERS - 1) . '}', 'append: every repeat once');
	@results = together(map { ['load', '--json', '--if-exists', 'replace', $file] } 1 .. $LOADERS);
	is(scalar(grep { $_->{code} == 0 } @results), $LOADERS, 'replace: all succeed') or diag(map { $_->{err} } @results);
	is($w->sql("SELECT count(*) FROM perfhouse.profile_tree t JOIN perfhouse.run r USING (run_id) WHERE fingerprint = '$fingerprint'"),
		$LOADERS, 'replace: no run lost its tree');
}

# ---- different files that share half of their names, each folder by its own loader, and all by all
my @folders;
for my $loader (0 .. $LOADERS - 1)
{
	my $folder = "$w->{home}/folder$loader";
	mkdir $folder;
	push @folders, $folder;
	$w->write_caliper_json("folder$loader/$_.json", 150 + $loader, 4, 1000 * ($loader + 1) + $_) for 1 .. 12;
}
my $before  = $w->sql('SELECT count(*) FROM perfhouse.run');
my @results = together(map { ['load', '--jobs', 2, @folders[$_ .. $#folders], @folders[0 .. $_ - 1]] } 0 .. $LOADERS - 1);
is(scalar(grep { $_->{code} == 0 } @results), $LOADERS, 'overlapping folders: all succeed') or diag(map { $_->{err} } @results);
is($w->sql('SELECT count(*) FROM perfhouse.run') - $before, 12 * $LOADERS, 'every file once');
is($w->sql("SELECT count(*) FROM perfhouse.run r WHERE n_nodes <> (SELECT count(*) FROM perfhouse.profile_summary s WHERE s.run_id = r.run_id)"),
	0, 'every run is complete');
is($w->sql("SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()"), 0, 'no deadlock');

# ---- loading while others remove
my ($pid, $base) = $w->start('load', '--if-exists', 'replace', @folders);
my @contended = split /\n/, $w->sql('SELECT run_id FROM perfhouse.run ORDER BY run_id LIMIT 40');
my @removing  = map { [$w->start('rm', '-f', $_ % 2 ? @contended : reverse @contended)] } 1 .. 4;
$w->run('rm', '-f', $_) for reverse @contended[0 .. 15];
for (map { $w->finish(@$_) } @removing)
{
	is($_->{code}, 0, 'removing the same runs in another order') or diag($_->{err});
}
my $r = $w->finish($pid, $base);
is($r->{code}, 0, 'replacing while others remove') or diag($r->{err});
is($w->sql('SELECT count(*) FROM perfhouse.rows_without_run()'), 0, 'nothing is left of removed runs');
is($w->sql("SELECT count(*) FROM perfhouse.run r WHERE n_nodes <> (SELECT count(*) FROM perfhouse.profile_summary s WHERE s.run_id = r.run_id)"),
	0, 'and every other run is complete');
is($w->sql("SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()"), 0, 'no deadlock');
$w->ok_run('doctor finds every run sound', 'doctor', '--all');

done_testing();
