# runs, show, rm, tag, exclude, export: lists, filters, annotations and the way out and back in.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Perfhouse;
use JSON::PP;
use Test::More;

my $w       = Perfhouse->new;
my $history = "$Perfhouse::data/lulesh-history";
$w->ok_run('load A', 'load', '--set', 'application=lulesh', '--commit', '3e01c40b3281', '--tag', 'new', glob("$history/lulesh-3e01c40-n8-*.cali"));
$w->ok_run('load B', 'load', '--set', 'application=other', '--commit', '13ef21b00000', "$history/lulesh-13ef21b-n8-1.cali");

# ---- runs
sub ids
{
	my @filters = @_;
	my $r       = $w->run('runs', '--json', @filters);
	is($r->{code}, 0, "runs @filters") or diag($r->{err});
	return join(',', map { decode_json($_)->{run_id} } split /\n/, $r->{out});
}
is(ids(),                              '1,2,3,4', 'all');
is(ids('application=lulesh'),          '1,2,3',   'by application');
is(ids('commit_id=13ef'),                 '4',       'by the beginning of a commit');
is(ids('tag=new'),                     '1,2,3',   'by tag');
is(ids('n8-2'),                        '2',       'by text');
is(ids('n_ranks=8', 'application=other'), '4',      'filters add up');
is(ids('since=2026-01-01'),            '1,2,3,4', 'since a date');
is(ids('since=2099-01-01'),            '',        'since the future');
is(ids('n_ranks >= 8 AND NOT tag = new OR run_id = 1'), '1,4', 'the language of all filters');
is(ids('(title LIKE %n8% OR run_id = 4)', 'run_id > 1'), '2,3,4', 'each in parentheses');
is(ids('--limit', 2),                  '3,4',     'the newest');

# ---- in another order; without a value they come first
$w->sql(q{UPDATE perfhouse.run SET total = 5 - run_id, cluster = CASE run_id WHEN 2 THEN 'b' WHEN 3 THEN 'a' END, n_nodes = 7});
is(ids('--sort', 'total'),                         '4,3,2,1', 'the largest last');
is(ids('--sort', 'total', '--limit', 2),           '2,1',     'of which the last ones are kept');
is(ids('--sort', 'total', '--reverse', '-l', 2),   '3,4',     'or the smallest');
is(ids('--sort', 'cluster'),                       '1,4,3,2', 'texts');
is(ids('--sort', 'cluster', '-r'),                 '4,1,2,3', 'backwards');
is(ids('--sort', 'n_nodes', 'tag=new'),            '1,2,3',   'what is equal by number');
is(ids('-r', '-l', 2),                             '2,1',     'the first ones');
is(ids('--sort', 'title', '--metric', 'time')      =~ tr/,//, 3, 'with another metric');
is($w->run('runs', '--sort', 'colour')->{code}, 2, 'no column to sort by');

my $r = $w->run('runs', 'colour=red');
is($r->{code}, 2, 'unknown filter');
like($r->{err}, qr/"colour=red": run filter: a name that is not a column of run_overview/, 'says which and why');
like($w->run('runs', 'ranks=8')->{err}, qr/hint: Did you mean "n_ranks"\?/, 'what it may have been');
$r = $w->run('runs', 'since=yesterdayish');
isnt($r->{code}, 0, 'a date that is none');
$r = $w->ok_run('as a table', 'runs');
like($r->{out}, qr/^run +application +title/m, 'header');
like($r->{out}, qr/\(4 runs\)/,                'count');

# ---- show
$r = $w->ok_run('show', 'show', 2);
like($r->{out}, qr/lulesh-3e01c40-n8-2\.cali/, 'title');
like($r->{out}, qr/fingerprint +[0-9a-f]{64}/, 'provenance');
like($r->{out}, qr/mpi\.world\.size +8/,       'metadata');
my $j = decode_json($w->ok_run('show --json', 'show', '--json', 2)->{out});
is($j->{commit_id}, '3e01c40b3281', 'commit');
is($j->{meta}{'mpi.world.size'}, 8, 'meta');
is($w->run('show', 99)->{code}, 13, 'no such run');
is($w->run('show', 'abc')->{code}, 2, 'no run id');

# ---- the latest
sub shown { my @words = @_; return decode_json($w->ok_run("show @words", 'show', '--json', @words)->{out})->{run_id} }
is(shown('latest'),                                4, 'loaded last');
is(shown('latest:tag=new'),                        3, 'of those that a filter selects');
is(shown('latest:n8-2'),                           2, 'or a word');
is(shown('latest:application=lulesh AND run_id<2'), 1, 'or both');
is(shown('lulesh@3E01c40'),                          3, 'of an application and what a commit begins with');
like($w->ok_run('report', 'report', 'latest:n8-2')->{out}, qr/^run 2: /, 'in reports');
like($w->ok_run('explain', 'explain', 'latest')->{out}, qr/^explain: run 4$/m, 'in explanations');
is($w->ok_run('export', 'export', 'latest:n8-2', '-f', 'csv')->{out}, $w->ok_run('export', 'export', 2, '-f', 'csv')->{out}, 'in exports');
is($w->run('trace', 'latest', 'waits')->{code}, 13, 'of traces, too: this one is none');
for my $case ([13, 'latest:nobody'], [2, 'latest:colour=red'], [2, 'latests'], [13, 'latest:tag=nobody'],
	[13, 'lulesh@zzz'], [13, 'nobody@3e01c40'], [2, '@3e01c40'], [2, 'lulesh@'])
{
	$r = $w->run('report', $case->[1]);
	is($r->{code}, $case->[0], $case->[1]) or diag($r->{err});
}

# ---- tags and exclusion
$w->ok_run('tag add', 'tag', 'add', 'baseline', 1, 4);
is(ids('tag=baseline'), '1,4', 'tagged');
$w->ok_run('tag remove', 'tag', 'remove', 'baseline', 4);
is(ids('tag=baseline'), '1', 'untagged');
is($w->run('tag', 'add', 'x', 1, 99)->{code}, 13, 'one run is not there');
is(ids('tag=x'), '', 'and nothing was changed');
is($w->run('tag', 'paint', 'x', 1)->{code}, 2, 'unknown verb');
is($w->run('tag', 'add', 'x')->{code}, 2, 'no run');
is($w->run('tag', 'add', 'x', 'y')->{code}, 2, 'what is no run');
is($w->ok_run('tags', 'tag')->{out}, $w->ok_run('tag list', 'tag', 'list')->{out}, 'tags are listed');
is_deeply([map { decode_json($_) } split /\n/, $w->ok_run('as JSON', 'tag', 'list', '--json')->{out}],
	[{tag => 'baseline', n_runs => 1, newest => 1, applications => ['lulesh']}, {tag => 'new', n_runs => 3, newest => 3, applications => ['lulesh']}], 'with their runs');
$w->ok_run('exclude', 'exclude', 3, 'node had a broken fan');
is(decode_json($w->run('show', '--json', 3)->{out})->{excluded_reason}, 'node had a broken fan', 'with its reason');
is($w->run('exclude', 3)->{code}, 2, 'a reason is needed');
$w->ok_run('include', 'exclude', '--undo', 3);
is(decode_json($w->run('show', '--json', 3)->{out})->{excluded_reason}, undef, 'back in');

# ---- export
my $literal = "$w->{home}/out.json";
$w->ok_run('export json', 'export', 2, '--format', 'json', '-o', $literal);
$r = $w->ok_run('load it back', 'load', '--json', $literal);
my $back = decode_json($r->{out});
is($back->{n_nodes},   57, 'nodes survive');
is($back->{n_columns}, 8,  'ranks survive');
is($w->sql("SELECT count(*) FROM perfhouse.profile_summary a FULL JOIN perfhouse.profile_summary b USING (callpath_id) WHERE a.run_id = 2 AND b.run_id = $back->{run_id} AND abs(a.inclusive_sum - b.inclusive_sum) <= 1e-9 * abs(a.inclusive_sum) AND a.n = b.n"),
	57, 'the same call paths with the same values');
$r = $w->ok_run('export folded', 'export', 2, '--format', 'folded');
like($r->{out}, qr/^main;LagrangeLeapFrog;LagrangeNodal \d+$/m, 'stacks');
my $total = 0;
$total += $_ for $r->{out} =~ / ([\d.]+)$/mg;
my $want = $w->sql('SELECT 1e6 * sum(inclusive_sum) FROM perfhouse.profile_summary JOIN perfhouse.callpath USING (callpath_id) WHERE run_id = 2 AND parent_id IS NULL');
ok(abs($total - $want) < 1e-4 * $want, 'stacks add up to the total') or diag("$total $want");
$r = $w->ok_run('export csv', 'export', 2, '--format', 'csv');
like($r->{out}, qr/^node,parent,depth,callpath_id,name.*,time \(inc\),time$/m, 'header');
my $counter = 'a counter with a long name, ' x 12;
$w->ok_run('a metric of 334 bytes', 'load', '--no-regressions', $w->write_file('long.csv', qq{callpath,"${counter}it"\nmain,1\n}));
like($w->ok_run('export it', 'export', 'latest', '--format', 'csv')->{out}, qr/,"\Q${counter}it\E \(inc\)","\Q${counter}it\E"$/m, 'with its whole name');
$w->ok_run('removed', 'rm', $w->sql('SELECT max(run_id) FROM run_overview'));
$r = $w->ok_run('export dot', 'export', 2, '--format', 'dot');
like($r->{out}, qr/^digraph/, 'a graph');
$r = $w->ok_run('export tree', 'export', 2);
like($r->{out}, qr/main/, 'a tree');
is($w->run('export', 2, '--format', 'pdf')->{code}, 2, 'unknown format');
is($w->run('export', 2, '-f', 'csv', '-o', '/nowhere/x.csv')->{code}, 13, 'cannot write');
is($w->run('export', 99)->{code}, 13, 'no such run');
is($w->run('export', 2, '-m', 'nonsense')->{code}, 13, 'no such metric');

# ---- who changes several runs takes them in the order of loaders that replace them (here 9002 first): nobody is in a deadlock
$w->sql(q{INSERT INTO perfhouse.run (run_id, fingerprint, format, state) VALUES (9001, 'order b', 'x', 'ready'), (9002, 'order a', 'x', 'ready')});
for my $change (['tag', 'add', 'both', 9001, 9002], ['tag', 'remove', 'both', 9001, 9002], ['exclude', 9001, 9002, 'noise'], ['set', '--no-regressions', 9001, 9002, 'key=1'])
{
	my ($loader, $base) = $w->spawn($w->psql(q{BEGIN; UPDATE perfhouse.run SET source = 'x' WHERE run_id = 9002;
		DO $$ BEGIN FOR i IN 1 .. 1200 LOOP
			EXIT WHEN EXISTS (SELECT FROM pg_locks l WHERE NOT l.granted AND pg_backend_pid() = ANY (pg_blocking_pids(l.pid)));
			PERFORM pg_sleep(0.1);
		END LOOP; END $$; UPDATE perfhouse.run SET source = 'x' WHERE run_id = 9001; COMMIT}));
	ok($w->becomes_true(q{SELECT count(*) > 0 FROM pg_stat_activity WHERE wait_event = 'PgSleep' AND query ~ 'order|source'}), 'a loader has the first');
	$w->ok_run("@$change[0, 1]", @$change);
	is($w->finish($loader, $base)->{code}, 0, 'and gets the other one');
}
$w->ok_run('away with them', 'rm', 9001, 9002);

# ---- rm
is($w->run('rm', 1, 99)->{code}, 13, 'one run is not there');
is(ids('tag=baseline'), '1', 'nothing was removed');
$r = $w->ok_run('rm', 'rm', 1, 2);
like($r->{out}, qr/removed run 1 \(lulesh-3e01c40-n8-1\.cali\)/, 'names what it removed');
$w->ok_run('rm -f of nothing', 'rm', '-f', 1);
my @tables = split /\n/, $w->sql('SELECT perfhouse.tables_by_run()');
cmp_ok(scalar(@tables), '>=', 6, 'tables by run');
for my $table (@tables)
{
	is($w->sql("SELECT count(*) FROM $table WHERE run_id IN (1, 2)"), 0, "$table is cleaned");
}
$w->ok_run('the same content can come back', 'load', "$history/lulesh-3e01c40-n8-1.cali");

done_testing();
