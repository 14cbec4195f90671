# load: run numbers follow the order of arguments, and of names inside a folder, whatever the number of connections.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Perfhouse;
use JSON::PP;
use Test::More;

my $w = Perfhouse->new;
$w->ok_run('init', 'init');
my $seed = 1;

# Title and number of the runs above $last, by number.
sub numbered
{
	my ($last) = @_;
	return [split /\n/, $w->sql("SELECT title FROM perfhouse.run WHERE run_id > $last ORDER BY run_id")];
}

sub last_run
{
	return $w->sql('SELECT coalesce(max(run_id), 0) FROM perfhouse.run');
}

# The number that the next run would get, less one: what was reserved counts.
sub last_number
{
	return $w->sql(q{SELECT last_value FROM perfhouse.run_run_id_seq});
}

# Files of very different sizes, large ones first, so that the end of reading does not follow the plan.
sub folder
{
	my ($name, @files) = @_;
	mkdir "$w->{home}/$name" or die "$name: $!";
	my $i = 0;
	$w->write_caliper_json("$name/$_", ($i++ % 3 == 0 ? 4000 : 20), 8, $seed++) for @files;
	return "$w->{home}/$name";
}

# ---- many connections, mixed sizes, folders and files in an order that is not that of their names
for my $round (1 .. 4)
{
	my $z    = folder("z$round", map { sprintf('%s-%02d.json', "z$round", $_) } 1 .. 14);
	my $a    = folder("a$round", map { sprintf('%s-%02d.json', "a$round", $_) } 1 .. 14);
	my @some = map { $w->write_caliper_json("m$round-$_.json", $_ % 2 ? 3000 : 15, 8, $seed++) } reverse 1 .. 6;
	my $from = last_run();
	$w->ok_run("round $round", 'load', '--jobs', 8, $z, @some, $a, $some[0], $z);
	my @expected = ((map { sprintf('z%d-%02d.json', $round, $_) } 1 .. 14),
		(map { "m$round-$_.json" } reverse 1 .. 6), (map { sprintf('a%d-%02d.json', $round, $_) } 1 .. 14));
	is_deeply(numbered($from), \@expected, "round $round: in the order of arguments and names");
	is(last_run() - $from, scalar(@expected), "round $round: without a gap");
}

# ---- what is reported is in that order, too
{
	my @files  = map { $w->write_caliper_json("$_.json", 30, 4, $seed++) } qw(second third first);
	my $r      = $w->ok_run('as JSON', 'load', '--jobs', 8, '--json', @files);
	my @runs   = map { decode_json($_)->{run_id} } grep { /"run_id"/ } split /\n/, $r->{out};
	my @sorted = sort { $a <=> $b } @runs;
	is(scalar(@runs), 3, 'three objects');
	is_deeply(\@runs, \@sorted, 'objects come by number');
}

# ---- what is known, planned twice, or only tried takes no number; what fails leaves its own unused
{
	my $known = $w->write_caliper_json('known.json', 40, 4, $seed++);
	$w->ok_run('load', 'load', $known);
	my @new  = map { $w->write_caliper_json("new$_.json", 40, 4, $seed++) } 1 .. 3;
	my $copy = $w->write_file('copy.json', Perfhouse::slurp($new[0]));
	my $from = last_number();
	$w->ok_run('dry run', 'load', '--dry-run', @new);
	$w->ok_run('known', 'load', $known, "$w->{home}/./known.json");
	is(last_number(), $from, 'a dry run and known content reserve nothing');
	$w->ok_run('known, new, copy', 'load', '--jobs', 8, $new[2], $known, $new[0], $copy);
	is_deeply(numbered($from), ['new3.json', 'new1.json'], 'known content and copies are left out');
	is(last_number(), $from + 2, 'and use no number up');

	my $text = Perfhouse::slurp($new[1]);
	my $bad  = $w->write_file('bad.json', substr($text, 0, length($text) / 2));
	my $r    = $w->run('load', '--jobs', 8, $bad, $new[1]);
	is($r->{code}, 1, 'one file fails');
	is($w->sql("SELECT run_id - $from FROM perfhouse.run WHERE title = 'new2.json'"), 4, 'its number stays unused');

	$from = last_number();
	$w->ok_run('replace', 'load', '--jobs', 8, '--if-exists', 'replace', $new[0], $new[2]);
	is(last_number(), $from, 'replaced runs keep theirs');
	$w->ok_run('append', 'load', '--jobs', 8, '--if-exists', 'append', $new[2], $copy, $new[0], $known);
	is_deeply(numbered($from), ['new3.json', 'copy.json', 'new1.json', 'known.json'], 'repeats are numbered as named');
}

# ---- several loaders at once: each keeps its own order
{
	my @folders = map { folder("loader$_", map { sprintf('l-%02d.json', $_) } 1 .. 10) } 1 .. 4;
	my @started = map { [$w->start('load', '--jobs', 4, $_)] } @folders;
	is($w->finish(@$_)->{code}, 0, 'one of several loaders') for @started;
	for my $folder (@folders)
	{
		my @sources = split /\n/, $w->sql("SELECT source FROM perfhouse.run WHERE source LIKE '$folder/%' ORDER BY run_id");
		is_deeply(\@sources, [map { sprintf('%s/l-%02d.json', $folder, $_) } 1 .. 10], 'its runs in order');
	}
}

# ---- traces, which are stored one by one, between profiles
{
	my $from = last_run();
	my @p    = map { $w->write_caliper_json("beside$_.json", 2000, 8, $seed++) } 1 .. 2;
	$w->ok_run('profile, trace, profile', 'load', '--jobs', 8, $p[1], "$Perfhouse::data/traces/colls-6/traces.otf2", $p[0]);
	is($w->sql("SELECT string_agg(format, ' ' ORDER BY run_id) FROM perfhouse.run WHERE run_id > $from"),
		'caliper-json otf2 caliper-json', 'the trace has its place');
}

done_testing();
