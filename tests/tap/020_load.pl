# load: what becomes of files; metadata; the same content again; replace and append; dry runs.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Perfhouse;
use IO::Compress::Gzip qw(gzip $GzipError);
use JSON::PP;
use Test::More;

my $w       = Perfhouse->empty;
my $history = "$Perfhouse::data/lulesh-history";
my @files   = sort glob("$history/lulesh-3e01c40-n8-*.cali");

# ---- one file
my $r = $w->ok_run('load one file', 'load', '--json', $files[0], '--set', 'application=lulesh');
my $j = decode_json($r->{out});
is($j->{run_id},            1,         'first run id');
is($j->{state},          'ready',   'state');
is($j->{n_nodes},          57,        'nodes');
is($j->{n_columns},        8,         'columns');
is($j->{n_metrics},        1,         'metrics are counted');
is($j->{source},           $files[0], 'file');
is($j->{already_loaded}, JSON::PP::false, 'not there before');
like($j->{fingerprint}, qr/^[0-9a-f]{64}$/, 'fingerprint');
is($w->sql('SELECT application, n_ranks, state FROM perfhouse.run WHERE run_id = 1'), 'lulesh|8|ready', 'promoted columns');
is($w->sql("SELECT jsonb_typeof(meta->'mpi.world.size') FROM perfhouse.run"), 'number', 'numbers stay numbers');
like($w->sql('SELECT started_at FROM perfhouse.run'), qr/^2026-/, 'start time from the file');
is($w->sql('SELECT count(*) FROM perfhouse.profile_values'),  '57', 'a row of values a node');
is($w->sql('SELECT count(*) FROM perfhouse.profile_summary'), '57', 'a summary a node');
is($w->sql('SELECT abs(sum(s.inclusive_sum) - (SELECT sum(x) FROM perfhouse.profile_values v JOIN perfhouse.callpath USING (callpath_id), unnest(v.inclusive) x WHERE parent_id IS NULL)) < 1e-9 FROM perfhouse.profile_summary s JOIN perfhouse.callpath USING (callpath_id) WHERE parent_id IS NULL'),
	't', 'summaries agree with the values');
is($w->sql('SELECT abs(sum(v.s) - (SELECT sum(inclusive_sum) FROM perfhouse.profile_summary JOIN perfhouse.callpath USING (callpath_id) WHERE parent_id IS NULL)) < 1e-9 FROM perfhouse.profile_values, LATERAL (SELECT sum(x) AS s FROM unnest(exclusive) x) v'),
	't', 'exclusives add up to the inclusive of the roots');

# ---- the same content again
$r = $w->ok_run('load it again', 'load', '--json', $files[0]);
$j = decode_json($r->{out});
is($j->{run_id},            1,              'names the run');
is($j->{already_loaded}, JSON::PP::true, 'says so');
my $copy = $w->write_file('copy.cali', Perfhouse::slurp($files[0]));
$r = $w->ok_run('load a copy', 'load', $copy);
like($r->{out}, qr/copy\.cali: already loaded as run 1$/m, 'content counts, not the name');
like($r->{out}, qr/0 runs loaded, 1 already there/, 'summary line');
$r = $w->run('load', '--set', 'season=spring', "$w->{home}/copy.cali");
is($r->{code}, 0, '--set of what is there is no failure');
like($r->{err}, qr/season is not set to "spring" in run 1, loaded before: it keeps no value/, 'but it is said');
like($r->{err}, qr/perfhouse set 1 season=/, 'and how to set it');
is($w->sql(q{SELECT count(*) FROM run WHERE meta ? 'season'}), 0, 'nothing is changed');

# ---- many files, order, repeats
$r = $w->ok_run('load several', 'load', '--jobs', 4, $files[1], $files[2], $files[0], $files[1]);
is($w->sql('SELECT run_id, title FROM perfhouse.run ORDER BY run_id'),
	join("\n", map { my $n = $_ + 1; "$n|lulesh-3e01c40-n8-$n.cali" } 0 .. 2), 'ids in the order of the arguments');
like($r->{out}, qr/2 runs loaded, 1 already there/, 'a file named twice counts once');
$r = $w->ok_run('append', 'load', '--if-exists', 'append', '--json', $files[0]);
$j = decode_json($r->{out});
isnt($j->{run_id}, 1, 'a new run');
is($w->sql("SELECT repeat FROM perfhouse.run WHERE run_id = $j->{run_id}"), '1', 'marked as a repeat');
$r = $w->ok_run('two identical files with append', 'load', '--if-exists', 'append', '--json', $copy, $files[0]);
is($w->sql('SELECT array_agg(repeat ORDER BY repeat) FROM perfhouse.run WHERE title LIKE $$%n8-1%$$ OR title LIKE $$copy%$$'), '{0,1,2,3}', 'each its own repeat');

# ---- replace
$w->ok_run('tag', 'tag', 'add', 'keep', 2);
$r = $w->ok_run('replace', 'load', '--if-exists', 'replace', '--json', '--tag', 'new', '--commit', 'abc123', $files[1]);
$j = decode_json($r->{out});
is($j->{run_id}, 2, 'keeps the run id');
is($w->sql('SELECT commit_id, tags FROM perfhouse.run WHERE run_id = 2'), 'abc123|{keep,new}', 'new metadata, tags add up');
is($w->sql('SELECT count(*) FROM perfhouse.profile_values WHERE run_id = 2'), '57', 'values once');
$w->ok_run('replace two identical files', 'load', '--if-exists', 'replace', $copy, $files[0]);

# ---- metadata
{
	local $ENV{SLURM_JOB_ID}       = 4711;
	local $ENV{SLURM_CLUSTER_NAME} = 'quartz';
	local $ENV{CI_COMMIT_SHA}      = 'feedface';
	my $file = "$history/lulesh-3e01c40-n1-1.cali";
	$r = $w->ok_run('environment', 'load', '--json', $file, '--set', 'size=14', '--set', 'note=a "b"');
	my $id = decode_json($r->{out})->{run_id};
	is($w->sql("SELECT cluster, commit_id, meta->>'SLURM_JOB_ID', meta->'size', meta->>'note' FROM perfhouse.run WHERE run_id = $id"),
		'quartz|feedface|4711|14|a "b"', 'environment and --set');
	$file = "$history/lulesh-3e01c40-n1-2.cali";
	$r  = $w->ok_run('without environment', 'load', '--json', '--no-environment', $file, '--branch', 'main');
	$id = decode_json($r->{out})->{run_id};
	is($w->sql("SELECT coalesce(cluster, '-'), branch FROM perfhouse.run WHERE run_id = $id"), '-|main', '--no-environment');
}

# ---- module map
my $map = $w->write_file('modules.map', "^MPI_ = MPI\n. = lulesh\n");
$r = $w->ok_run('module map', 'load', '--json', '--module-map', $map, "$history/lulesh-3e01c40-n27-1.cali");
my $id = decode_json($r->{out})->{run_id};
is($w->sql("SELECT string_agg(DISTINCT module, ',' ORDER BY module) FROM perfhouse.run_region WHERE run_id = $id"), 'MPI,lulesh', 'modules');
is($w->sql("SELECT n_ranks, n_columns FROM perfhouse.run WHERE run_id = $id"), '27|27', '27 ranks');

# ---- dry run
my $runs = $w->sql('SELECT count(*) FROM perfhouse.run');
$r = $w->ok_run('dry run', 'load', '--dry-run', '--json', "$history/lulesh-13ef21b-n8-1.cali");
is(decode_json($r->{out})->{state}, 'read', 'was read');
is($w->sql('SELECT count(*) FROM perfhouse.run'), $runs, 'nothing was stored');
{
	local $ENV{PGHOST} = '/nowhere';
	$w->ok_run('a dry run needs no database', 'load', '-n', $files[0]);
}

# ---- the log, and a folder
is($w->sql("SELECT count(*) > 0 FROM perfhouse.load_log WHERE outcome = 'skipped'"), 't', 'skips are logged');
is($w->sql("SELECT count(*) FROM perfhouse.load_log WHERE outcome = 'failed'"), '0', 'nothing failed');
$r = $w->ok_run('a folder', 'load', '--ignore-unknown', $history);
is($w->sql("SELECT count(DISTINCT fingerprint) FROM perfhouse.run"), '30', 'every bundled run is there');
is($w->sql("SELECT count(*) FROM perfhouse.run WHERE state <> 'ready'"), '0', 'all ready');

# ---- json-split whose sections come behind unusual globals, as Hatchet reads it, too
my $split = Perfhouse::slurp("$Perfhouse::data/profiles/lulesh-8.json-split.json");
$split =~ s/^\{/{ "my.note": "\\"nodes\\": [", "my.nested": { "data": 1 }, "my.list": [ 1, "x" ],/;
my $unusual = $w->write_file('unusual.json', $split);
like($w->ok_run('an unusual first key', 'load', '-n', '--json', $unusual)->{out}, qr/caliper-json/, 'is found out');
$w->ok_run('and loaded', 'load', '--set', 'title=unusual', $unusual);
$w->ok_run('beside the usual one', 'load', '--set', 'title=usual', "$Perfhouse::data/profiles/lulesh-8.json-split.json");
is($w->sql("SELECT count(*) FROM perfhouse.run a JOIN perfhouse.run b USING (tree_id) WHERE (a.title, b.title) = ('unusual', 'usual')"), '1', 'with the tree that it has');

# ---- texts that an editor or a spreadsheet began with a byte order mark
for my $name (qw(small.json literal-a.json small.speedscope.json small.csv small.folded small.cali lulesh-8.json-split.json))
{
	my $plain  = Perfhouse::slurp("$Perfhouse::data/profiles/$name");
	my $marked = $w->write_file($name, "\xef\xbb\xbf$plain");
	my ($of, $as) = map { decode_json($w->ok_run("read $_", 'load', '-n', '-q', '--json', $_)->{out}) }
		$marked, "$Perfhouse::data/profiles/$name";
	is_deeply([ @$of{qw(format nodes columns)} ], [ @$as{qw(format nodes columns)} ], "$name with a mark is the same");
	gzip(\"\xef\xbb\xbf$plain" => "$marked.gz") or die $GzipError;
	my $r = $w->run('load', '-n', '-q', '--json', "$marked.gz");
	is(decode_json($r->{out})->{nodes}, $as->{nodes}, "and $name.gz") if $name =~ /csv|folded/;
}

# ---- what all ranks did together is no rank's

my $io = Perfhouse->new;
$io->ok_run('a log of Darshan', 'load', '-q', "$Perfhouse::data/tools/small.darshan.txt");
is($io->sql('SELECT string_agg(kind::text, \' \' ORDER BY kind) FROM perfhouse.location'), '0 2', 'a rank, and all of them together');
is( $io->sql(q{SELECT max(n.exclusive) > 0, max(i.max) FROM perfhouse.nodes(perfhouse.profile(1, 'time')) n
	JOIN perfhouse.imbalance(perfhouse.profile(1), 'time') i USING (path) WHERE path LIKE 'MPI-IO%'}), 't|0', 'which imbalance leaves out');
is( $io->sql(q{SELECT mean = max AND max > 0, worst_rank FROM perfhouse.imbalance(perfhouse.profile(1), 'time') WHERE path LIKE 'POSIX%read'}),
	't|0', 'so that a rank is compared with ranks');

done_testing();
