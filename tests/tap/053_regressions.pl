# perfhouse regressions: a simulated code that gets slower, from its repository and its runs to a failed CI job.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Perfhouse;
use JSON::PP;
use Test::More;

plan skip_all => 'git is not installed' if system('git --version > /dev/null 2>&1') != 0;

my $w    = Perfhouse->new;
my $repo = "$w->{home}/sim";
my $seed = 42;
mkdir $repo;

sub git
{
	my @arguments = @_;
	local %ENV = (%ENV, GIT_CONFIG_GLOBAL => '/dev/null', GIT_CONFIG_SYSTEM => '/dev/null',
		map { ("GIT_${_}_NAME" => 'A', "GIT_${_}_EMAIL" => 'a@b') } qw(AUTHOR COMMITTER));
	open(my $out, '-|', 'git', '-C', $repo, @arguments) or die "git: $!";
	my $text = do { local $/; <$out> } // '';
	chomp $text;
	return $text;
}

# Sum of uniforms: near enough to normal.
sub noise
{
	my $sum = -6;
	for (1 .. 12) { $seed = ($seed * 1103515245 + 12345) % 2147483648; $sum += $seed / 2147483648 }
	return $sum;
}

# main calls solve and io, solve calls kernel and exchange.
my @names    = qw(main solve kernel exchange io);
my %children = (main => [1, 4], solve => [2, 3]);

# Runs of a commit, in a folder of their own.
my $file = 0;
sub runs
{
	my ($commit, $slow, $count) = @_;
	my @files;
	for (1 .. $count)
	{
		my (%graph, @cells);
		for my $i (0 .. $#names)
		{
			$graph{$i} = {data => {name => $names[$i], type => 'function'}, children => $children{$names[$i]} // []};
			push @cells, {node => $i, rank => $_, name => $names[$i], time => (1 + 0.01 * noise()) * ($names[$i] eq 'kernel' ? $slow : 1)} for 0, 1;
		}
		push @files, "$w->{home}/run" . ++$file . '.json';
		open(my $out, '>', $files[-1]) or die $!;
		print {$out} JSON::PP->new->canonical->encode({dataframe => \@cells, graph => [\%graph]});
		close $out;
	}
	$w->ok_run("load $commit", 'load', '--no-regressions', '--set', 'application=sim', '--set', 'compiler=' . ($slow > 1 ? 'new' : 'old'), '--commit', $commit, @files);
}

git('init', '-q', '-b', 'main');
my @commits;
for my $i (0 .. 11)
{
	my $tree = git('hash-object', '-t', 'tree', '-w', '/dev/null');
	$ENV{GIT_COMMITTER_DATE} = $ENV{GIT_AUTHOR_DATE} = (1767225600 + 86400 * $i) . ' +0000';
	push @commits, git('commit-tree', '-m', "change $i", ($i ? ('-p', $commits[-1]) : ()), $tree);
}
git('update-ref', 'refs/heads/main', $commits[-1]);
$w->ok_run('commits', 'commits', $repo);

runs($commits[$_], 1, 3) for 0 .. 6;
my $r = $w->ok_run('nothing yet', 'regressions', '--fail-on', 'new');
like($r->{out}, qr/^\(0 regressions\)$/m, 'nothing is found in noise');
runs($commits[$_], 1.15, 3) for 8 .. 9;
like($w->ok_run('--no-search', 'regressions', '--no-search', '--fail-on', 'open')->{out}, qr/^\(0 /m, 'not without a search');
my $heard = $w->ok_run('NOTIFY', 'psql', '--', '-Atc', "BEGIN; LISTEN perfhouse_regression", '-c', 'COMMIT', '-c', 'SELECT event, path FROM perfhouse.update_regressions()')->{out};
like($heard, qr{^new\|main/solve/kernel$}m, 'the search finds the subtree');
like($heard, qr{notification "perfhouse_regression" with payload ".*"path" : "main/solve/kernel"}, 'and tells other sessions');

$r = $w->run('regressions', '--fail-on', 'new');
is($r->{code}, 17, 'a CI job fails') or diag($r->{err});
like($r->{out}, qr{ 1  new +sim +main/solve/kernel +\Q@{[substr($commits[8], 0, 9)]}\E}, 'and sees why');
my $j = decode_json((split /\n/, $w->ok_run('--json', 'regressions', '--json')->{out})[0]);
is($j->{commit_id}, $commits[8], 'the first measured commit of the new level');
is($j->{previous_commit_id}, $commits[6], 'the last one of the old level');
ok(abs($j->{relative} - 0.15) < 0.02, 'its size') or diag($j->{relative});
ok(abs($j->{total_change} - ($j->{mean_after} - $j->{mean_before})) < 0.05, 'and the whole program changed as much');
$r = $w->ok_run('--explain', 'regressions', '--explain', 1);
like($r->{out}, qr/^key +compiler +old 100 % +new 100 % +0\.[3-9]/m, 'the compiler explains it') or diag($r->{out});
like($r->{out}, qr/^part +\(own\)/m, 'what it consists of');
like($w->sql('SELECT key, before_values, after_values, bits FROM perfhouse.explain_change(1)'), qr/^compiler\|old 100 %\|new 100 %\|0\.[3-9]/m, 'the same in SQL');
is($w->run('regressions', '--explain', 99)->{code}, 13, 'no such regression');
is($w->sql('SELECT commit_id FROM perfhouse.next_commit(\'sim\')'), $commits[7], 'the commit to measure');
is($w->sql(qq{SELECT verdict FROM perfhouse.compare_commits('sim', 'main~5', 'main~2')}), 'different', 'compare_commits');

# ---- and in a picture
sub picture
{
	my ($name, @arguments) = @_;
	$w->ok_run($name, 'render', 'history', @arguments, '-o', "$w->{home}/h.svg");
	return Perfhouse::slurp("$w->{home}/h.svg");
}
my $svg = picture('history', '--application', 'sim', '--path', 'solve/kernel');
like($svg, qr/data-change="0\.1\d+" class="change" data-commit="$commits[8]"/, 'the picture marks the commit and the size');
like($svg, qr/data-regression="1"[^>]*data-run="\d+"[^>]*data-state="new"/, 'and the regression with its state');
is(scalar(() = $svg =~ /class="point"/g), 27, 'a point per run');
like($svg, qr/data-commit="$commits[6]"[^>]*data-subject="change 6"/, 'commits have their subjects');
is($svg, picture('again', '--application', 'sim', '--path', 'main/solve/kernel'), 'the same bytes for the whole path');
$svg = picture('small multiples', '--application', 'sim', '--top', 3);
is(scalar(() = $svg =~ /class="panel"/g), 3, 'a panel per call path');
like($svg, qr/class="panel"[^>]*data-node="main\/solve\/kernel".*class="panel"/s, 'open regressions come first');
like($svg, qr/3 of 5 call paths/, 'and what is not drawn is counted');
picture("by $_", '--application', 'sim', '--by', $_, '--filter', 'n_ranks = 2', '--mode', 'otava') for qw(function path module total);
for my $mistake (
	[13, qr/no call path or function "kernl".*Did you mean kernel\?/s, '--application', 'sim', '--path', 'kernl'],
	[13, qr/no application "simm" in the warehouse.*Closest: "sim"/s, '--application', 'simm'],
	[2, qr/no application.*--application/s, '--filter', 'n_ranks = 2'],
	[2, qr/the whole program has one history/, '--application', 'sim', '--by', 'total', '--path', 'kernel'])
{
	my ($code, $message, @arguments) = @$mistake;
	my $result = $w->run('render', 'history', @arguments, '-o', "$w->{home}/none.svg");
	is($result->{code}, $code, "exit code of @arguments") or diag($result->{err});
	like($result->{err}, $message, "message of @arguments");
}

# ---- people decide
$w->ok_run('active', 'regressions', '--set', 1, '--state', 'active', '--reason', 'known');
$w->ok_run('an active one is not new', 'regressions', '--fail-on', 'new');
is($w->run('regressions', '--fail-on', 'open')->{code}, 17, 'but open');
$w->ok_run('ignored', 'regressions', '--set', 1, '--state', 'ignored', '--reason', q{it's wanted});
$w->ok_run('no longer', 'regressions', '--fail-on', 'open');
like($w->ok_run('--all', 'regressions', '--all')->{out}, qr/ignored .*it's wanted/, '--all shows it with the reason');
$r = $w->run('regressions', '--application', 'simm', '--fail-on', 'new');
is($r->{code}, 13, 'a misspelt application passes no job');
like($r->{err}, qr/no run matches application simm.*Applications in this warehouse: sim\./s, 'and the message says which there are');
is($w->sql(q{SELECT count(*), max(length(before_values)) < 200 FROM perfhouse.explain_change(1) WHERE key = 'commit' AND before_values ~ '[0-9a-f]{10}'}), '0|', 'a commit is one value, not two spellings');
is($w->run('regressions', '--set', 1)->{code}, 2, '--set alone');
is($w->run('regressions', '--set', 1, '--state', 'open')->{code}, 2, 'no such state');
is($w->run('regressions', '--set', 7, '--state', 'fixed')->{code}, 13, 'no such regression');
runs($commits[$_], 1.15, 3) for 10 .. 11;
$w->ok_run('more runs of the new level', 'regressions', '--fail-on', 'new');
is($w->sql('SELECT count(*), min(state), min(n_after) FROM perfhouse.regression'), '1|ignored|12', 'the decision stays');
my $first = 'SELECT run_id FROM perfhouse.regression';
my $excluded = $w->sql($first);
$w->ok_run('its first run is excluded', 'exclude', $excluded, 'broken');
$w->ok_run('nothing new', 'regressions', '--fail-on', 'new');
my $removed = $w->sql($first);
isnt($removed, $excluded, 'it begins with the next run');
$w->ok_run('which is removed', 'rm', '-f', $removed);
isnt($w->sql($first), $removed, 'it begins with the one after that');
$w->ok_run('nothing new', 'regressions', '--fail-on', 'new');
is($w->sql('SELECT count(*), min(state), min(reason) FROM perfhouse.regression'), q{1|ignored|it's wanted}, 'what was decided stays');

# ---- real runs of real commits
my $history = "$Perfhouse::data/lulesh-history";
open(my $list, '<', "$history/commits.tsv") or die $!;
my @rows = map { chomp; [split /\t/] } <$list>;
for my $row (@rows)
{
	my @files = glob("$history/lulesh-" . substr($row->[0], 0, 7) . '-*.cali');
	$w->ok_run("load $row->[0]", 'load', '--set', 'application=lulesh', '--commit', $row->[0], @files) if @files;
}
my $quoted = join ', ', map { sprintf "('%s', '%s', '%s')", $_->[0], $_->[3], $_->[1] =~ s/ /,/gr } @rows;
$w->sql(qq{INSERT INTO perfhouse.commit (commit_id, committed_at, parents, repository, "position") SELECT h, t::timestamptz, string_to_array(p, ','), 'lulesh', 100 + row_number() OVER (ORDER BY t::timestamptz) FROM (VALUES $quoted) v (h, t, p)});
like($w->ok_run('lulesh', 'regressions', '--application', 'lulesh', '--fail-on', 'open')->{out}, qr/^\(0 regressions\)$/m, 'no false regression in the real history');
is($w->sql(q{SELECT count(*) FROM perfhouse.change_points('lulesh', metric => 'time', by => 'function', filter => 'n_ranks = 8')}), 0, 'nor by function');
cmp_ok($w->sql(q{SELECT count(*) FROM perfhouse.change_points('lulesh', mode => 'otava')}), '>', 3, 'where Otava finds some');

# numbers do not depend on plans, not even in their last digits
for my $by (qw(function module path total))
{
	my %told;
	for my $options ('', map { join ' ', map { "-c enable_$_=off" } split } 'hashagg hashjoin', 'nestloop mergejoin', 'seqscan hashjoin mergejoin', 'indexscan bitmapscan indexonlyscan sort')
	{
		local $ENV{PGOPTIONS} = "-c search_path=perfhouse,public $options";
		$told{$w->sql(qq{SELECT (SELECT md5(string_agg(c::text, ' ' ORDER BY c::text)) FROM perfhouse.history_costs('lulesh', by => '$by') c),
			md5(string_agg(s::text, ' ' ORDER BY s::text)) FROM perfhouse.history_series('lulesh', by => '$by') s})} = $options;
	}
	is(scalar(keys %told), 1, "$by: whatever the plan, the numbers are the same");
}

done_testing();
