# perfhouse commits: a simulated repository with branches and merges, read in steps, beside git itself.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Perfhouse;
use Test::More;

plan skip_all => 'git is not installed' if system('git --version > /dev/null 2>&1') != 0;

my $w    = Perfhouse->new;
my $repo = "$w->{home}/code";
my $day  = 0;
my $seed = 20260721;
my @made;

sub random_below { $seed = ($seed * 1103515245 + 12345) % 2147483648; return int($seed / 65536) % $_[0] }

sub git
{
	my @arguments = @_;
	local %ENV = (%ENV, GIT_CONFIG_GLOBAL => '/dev/null', GIT_CONFIG_SYSTEM => '/dev/null', HOME => $w->{home},
		map { ("GIT_${_}_NAME" => "J\xf6rg O'Hara", "GIT_${_}_EMAIL" => 'a@b', "GIT_${_}_DATE" => sprintf('%d +0000', 1767225600 + 3600 * $day)) } qw(AUTHOR COMMITTER));
	open(my $out, '-|', 'git', '-C', $repo, '-c', 'i18n.commitEncoding=ISO-8859-1', @arguments) or die "git: $!";
	my $text = do { local $/; <$out> } // '';
	close $out;
	chomp $text;
	return $text;
}

# A commit of the empty tree with these parents: no files, no working tree.
sub commit
{
	my ($subject, @parents) = @_;
	$day++;
	my $hash = git('commit-tree', '-m', $subject, (map { ('-p', $_) } @parents), '4b825dc642cb6eb9a060e54bf8d69288fbee4904');
	push @made, $hash;
	return $hash;
}

mkdir $repo;
git('init', '-q', '-b', 'main');
git('hash-object', '-t', 'tree', '-w', '/dev/null');
is($w->run('commits', $repo)->{code}, 13, 'an empty repository');
is($w->run('commits', $w->{home})->{code}, 13, 'no repository');

# A main line of 30; branches leave it and come back; one never does.
my $main = commit('begin');
my @open;
for my $i (1 .. 40)
{
	my $what = random_below(4);
	if ($what == 0 && @open < 3) { push @open, commit("branch $i; DROP TABLE x --", $made[random_below(scalar @made)]) }
	elsif ($what == 1 && @open) { my $at = random_below(scalar @open); $open[$at] = commit("on a branch $i", $open[$at]) }
	elsif ($what == 2 && @open > 1) { $main = commit("merge $i", $main, splice(@open, random_below(scalar @open), 1)) }
	else { $main = commit("main $i '\"\\ {x,\"y\"}", $main) }
	$day -= 3 if $i == 20; # a clock that went back
}
git('update-ref', 'refs/heads/main', $main);
git('update-ref', "refs/heads/topic-$_", $open[$_]) for 0 .. $#open;
git('tag', '-a', '-m', 'annotated', 'v1', $made[5]);
git('tag', 'plain', $made[7]);
git('tag', 'tree', '4b825dc642cb6eb9a060e54bf8d69288fbee4904');

my $r = $w->ok_run('commits', 'commits', $repo);
my $n = () = git('rev-list', '--all') =~ /^\w+$/mg;
like($r->{out}, qr/^code: $n commits \($n new\), \d+ on the main line, \d+ branches, 2 tags; 0 runs$/, 'says what it read');
is($w->sql('SELECT count(*) FROM perfhouse.commit'), $n, 'all commits');
is($w->sql(q{SELECT count(*) FROM perfhouse.commit c, unnest(c.parents) p LEFT JOIN perfhouse.commit d ON d.commit_id = p WHERE d."position" IS NULL OR d."position" >= c."position"}), 0, 'parents before children');
is($w->sql(q{SELECT count(DISTINCT "position") = count(*) AND min("position") = 0 FROM perfhouse.commit}), 't', 'each has its place');
is($w->sql('SELECT string_agg(commit_id, chr(10) ORDER BY first_parent_position DESC) FROM perfhouse.commit WHERE first_parent_position IS NOT NULL'), git('rev-list', '--first-parent', 'main'), 'the main line as git has it');
is($w->sql(q{SELECT count(*) FROM perfhouse.commit WHERE subject LIKE 'main %''"\\\\ {x,"y"}' AND author LIKE 'J_rg O''Hara'}), scalar(() = git('log', '--all', '--format=%s') =~ /^main /mg), 'subjects and authors are text');
is($w->sql(q{SELECT commit_id FROM perfhouse.commit_ref WHERE name = 'v1' AND kind = 'tag'}), $made[5], 'an annotated tag is its commit');
is($w->sql(q{SELECT count(*) FROM perfhouse.commit_ref WHERE name = 'tree'}), 0, 'a tag of a tree is none');
is($w->sql("SELECT perfhouse.find_commit('HEAD~4')"), git('rev-parse', 'main~4'), 'HEAD~4');

my ($pairs, $wrong) = (0, 0);
for my $i (0 .. 60)
{
	my ($x, $y) = map { $made[random_below(scalar @made)] } 1, 2;
	next if git('branch', '-a', '--contains', $x) eq '' || git('branch', '-a', '--contains', $y) eq '';
	my %best = map { $_ => 1 } split /\n/, git('merge-base', '--all', $x, $y);
	my $mine = $w->sql("SELECT perfhouse.merge_base('$x', '$y')");
	my $between = $w->sql("SELECT count(*) FROM perfhouse.commits_between('$x', '$y')");
	$pairs++;
	$wrong++ if !$best{$mine} || $between != git('rev-list', '--count', "$x..$y");
}
cmp_ok($pairs, '>', 20, 'pairs of commits');
is($wrong, 0, 'merge bases and ranges as git has them');

# ---- again, and on
like($w->ok_run('again', 'commits', $repo)->{out}, qr/\(0 new\)/, 'nothing is read twice');
my $before = $w->sql(q{SELECT md5(string_agg(c::text, '' ORDER BY commit_id)) FROM perfhouse.commit c});
$main = commit("new $_", $main) for 1 .. 3;
git('update-ref', 'refs/heads/main', $main);
git('update-ref', '-d', 'refs/tags/plain');
like($w->ok_run('three more', 'commits', $repo)->{out}, qr/\(3 new\).* 1 tags/, 'only the new ones');
is($w->sql(qq{SELECT md5(string_agg(c::text, '' ORDER BY commit_id)) FROM perfhouse.commit c WHERE subject NOT LIKE 'new %'}), $before, 'the others as they were');
is($w->sql('SELECT string_agg(commit_id, chr(10) ORDER BY first_parent_position DESC) FROM perfhouse.commit WHERE first_parent_position IS NOT NULL'), git('rev-list', '--first-parent', 'main'), 'the main line goes on');

# ---- history is rewritten: the old end is gone from git
my $other = commit('rewritten', $made[3]);
git('update-ref', 'refs/heads/main', $other);
like($w->ok_run('rewritten', 'commits', $repo, '--main', 'main')->{out}, qr/\(1 new\)/, 'a rewritten branch');
is($w->sql("SELECT perfhouse.find_commit('main')"), $other, 'is followed');
is($w->run('commits', $repo, '--main', 'nowhere')->{code}, 13, 'no such branch');
is($w->run('commits', $repo, '--main', '--output=/tmp/x')->{code}, 13, 'an option is no branch');

# ---- runs
my $history = "$Perfhouse::data/lulesh-history";
$w->ok_run('a run', 'load', '--set', 'application=lulesh', '--commit', substr($made[9], 0, 9), glob("$history/lulesh-46c2a1d-n8-1.cali"));
is($w->sql('SELECT commit_id, "position" IS NOT NULL, subject IS NOT NULL FROM perfhouse.run_history'), "$made[9]|t|t", 'the beginning of a hash is enough');
like($w->ok_run('and once more', 'commits', $repo)->{out}, qr/; 1 runs$/m, 'runs are counted');

done_testing();
