# Simulated codes in a repository with branches and merges: regressions that were put in are found at their call path and
# commit, noise is not, and a function that was renamed on the way is one function once people say so.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Perfhouse;
use Simulation;
use Test::More;

plan skip_all => 'git is not installed' if system('git --version > /dev/null 2>&1') != 0;

my $w = Perfhouse->new;

# ---- nothing is there to be found
my $quiet = Simulation->new($w, application => 'quiet', seed => 3, paths => 40, noise => 'ar1');
$quiet->load_until(30);
is_deeply([$quiet->found], [], 'nothing is found in autocorrelated noise');
cmp_ok(scalar($quiet->found_by_otava), '>', 0, 'where Otava finds something');

# ---- a step of ten standard deviations
my $step = Simulation->new($w, application => 'step', seed => 5, paths => 40, size => 10, at => 18);
$step->load_until(18);
is($w->run('regressions', '--application', 'step', '--fail-on', 'new')->{code}, 0, 'before it happens nothing is found');
$step->load_until(20);
is($w->run('regressions', '--application', 'step', '--fail-on', 'new')->{code}, 17, 'two commits later it is');
is_deeply([$step->found], [[$step->{culprit}, 18]], 'with its call path and commit, and nothing else');
is($w->sql("SELECT commit_id FROM perfhouse.regression WHERE application = 'step'"), $step->{shas}[18], 'the commit by its hash');
is($w->sql("SELECT r.path = '$step->{culprit}' AND abs(p.total / (r.mean_after - r.mean_before) - 1) < 1e-6"
		. " FROM perfhouse.regression r, LATERAL (SELECT sum(change) AS total FROM perfhouse.regression_parts(r.regression_id)) p WHERE application = 'step'"),
	't', 'its parts add up to the change');
$step->load_until(30);
$w->ok_run('ten commits later', 'regressions', '--application', 'step');
is($w->sql("SELECT count(*), min(n_after) FROM perfhouse.regression WHERE application = 'step'"), '1|24', 'it is still one');
is($w->sql("SELECT count(*) FROM perfhouse.regression WHERE application = 'step' AND commit_id IN (SELECT unnest(parents[2:]) FROM perfhouse.commit)"),
	0, 'and not on a side branch');
is($w->sql("SELECT perfhouse.merge_base('$step->{shas}[5]', c.parents[2]) FROM perfhouse.commit c WHERE c.commit_id = '$step->{shas}[8]'"),
	$step->{shas}[5], 'a side branch that was merged later begins on the main line');

# ---- a function is renamed, with all that it calls
my $renamed = Simulation->new($w, application => 'renamed', seed => 8, paths => 40, at => 30, repeats => 3);
my ($node) = grep { @{$renamed->{children}[$_] // []} >= 2 } 1 .. 39;
$renamed->{name_of} = sub { my ($i, $commit) = @_; return $i == $node && $commit >= 15 ? "f${i}_elements" : "f$i" };
$renamed->load_until(30);
my ($old, $new) = ("f$node", "f${node}_elements");
my $path = $renamed->{path}[$node] =~ s/\Q$old\E$/$new/r;
my @apart = $renamed->found;
cmp_ok(scalar(@apart), '>', 0, 'without an alias it is one that begins and one that ends');
my ($first, $last) = split /\|/, $w->sql("SELECT min(run_id), max(run_id) FROM perfhouse.run WHERE application = 'renamed'");
is($w->sql("SELECT name || ' ' || candidate_name FROM perfhouse.match_candidates(perfhouse.profile($first), perfhouse.profile($last), most => 1) WHERE is_top"),
	"$old $new", 'the candidate');
is($w->sql("SELECT count(*) FROM perfhouse.match_candidates(perfhouse.profile($first), perfhouse.profile($last), most => 1) WHERE name <> candidate_name"),
	1, 'its callees go along');
$w->ok_run('find', 'regressions', '--application', 'renamed');
is($w->sql("SELECT perfhouse.add_alias(name, candidate_name, 'renamed', reason => array_to_string(reasons, ', '))"
		. " FROM perfhouse.match_candidates(perfhouse.profile($first), perfhouse.profile($last), most => 1) WHERE is_top AND name <> candidate_name"),
	1, 'an alias');
is_deeply([$renamed->found], [], 'with it nothing changed');
is($w->sql("SELECT count(*) FROM perfhouse.change_points('renamed', by => 'function')"), 0, 'by function neither');
is($w->sql("SELECT count(DISTINCT key), count(*) FROM perfhouse.history_series('renamed', by => 'path')"), '40|40', 'forty paths, as before');
is($w->sql("SELECT count(*) FILTER (WHERE value > 0), count(*) FROM perfhouse.history('renamed', '$_')"), '90|90', "the history of $_ has no hole")
	for $old, $new;
for my $name ($old, $new)
{
	$w->ok_run("the picture of $name", 'render', 'history', '--application', 'renamed', '--path', $name, '--by', 'function', '-o', "$w->{home}/$name.svg");
	unlike(Perfhouse::slurp("$w->{home}/$name.svg"), qr/class="change"/, 'has no change');
}
is($w->sql("SELECT sum(inclusive) = (SELECT sum(inclusive) FROM perfhouse.nodes(perfhouse.profile($first))) FROM perfhouse.nodes(perfhouse.apply_aliases(perfhouse.profile($first)))"),
	't', 'a profile under new names has the same costs');
is($w->sql("SELECT count(*) FROM perfhouse.nodes_diff(perfhouse.diff(perfhouse.apply_aliases(perfhouse.profile($first)), perfhouse.apply_aliases(perfhouse.profile($last)))) WHERE status <> 'both'"),
	0, 'and the tree of the newer run');
like($w->ok_run('compare', 'compare', $first, $last)->{out}, qr/call paths in A only: 0, in B only: 0\n  aliases: \Q$old as $new\E$/m, 'compare says so');
is(() = $w->run('compare', $last, $last)->{out} =~ /aliases:/g, 0, 'where it matters');
$w->ok_run('find again', 'regressions', '--application', 'renamed');
is($w->sql("SELECT count(*) FROM perfhouse.regression WHERE application = 'renamed' AND state = 'new'"), 0, 'the false ones are gone');

# ---- renamed and slower: found under its alias, named with its other names
my $both = Simulation->new($w, application => 'both', seed => 12, paths => 12, size => 20, at => 20, repeats => 3);
my $slow = $both->{culprit_node};
my $above = $both->{parent}[$slow] || $slow;
$both->{name_of} = sub { my ($i, $commit) = @_; return $i == $above && $commit >= 10 ? "g$i" : "f$i" };
$both->load_until(30);
$w->sql("SELECT perfhouse.add_alias('f$above', 'g$above', 'both')");
my @found = $both->found;
my $expected = join '/', map { $_ eq "f$above" ? "g$above" : $_ } split m{/}, $both->{culprit};
is_deeply(\@found, [[$expected, 20]], 'a renamed one that got slower is found under its new name');
is($w->sql("SELECT DISTINCT also FROM perfhouse.change_points('both', by => 'path') WHERE path = '$expected'"), "{$both->{culprit}}", 'with its other name');
$w->ok_run('find it', 'regressions', '--application', 'both');
is($w->sql("SELECT abs(p.total / (r.mean_after - r.mean_before) - 1) < 1e-6 FROM perfhouse.regression r, LATERAL (SELECT sum(change) AS total FROM perfhouse.regression_parts(r.regression_id)) p WHERE application = 'both' AND path = '$expected'"),
	't', 'its parts add up, from runs of both names');

done_testing();
