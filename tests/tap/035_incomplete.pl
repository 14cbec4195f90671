# load: inputs that are not whole are refused, or loaded marked; what is not read is named.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Perfhouse;
use File::Copy qw(copy);
use File::Path qw(make_path);
use JSON::PP;
use Test::More;
use Time::HiRes qw(sleep);

my $w     = Perfhouse->new;
my $data  = $Perfhouse::data;
my $whole = "$data/lulesh-history/lulesh-3e01c40-n8-1.cali";
my $text  = Perfhouse::slurp($whole);

sub state_of
{
	my ($run) = @_;
	return $w->sql("SELECT completeness, incomplete, cardinality(missing), excluded_reason IS NOT NULL FROM perfhouse.run_overview WHERE run_id = $run");
}

sub lines { return map { decode_json($_) } split /\n/, $_[0]->{out} }

# ---- a file that was cut off
$w->ok_run('two whole runs', 'load', '--no-regressions', $whole, "$data/lulesh-history/lulesh-3e01c40-n8-2.cali");
is(state_of(1), 'complete|f|0|f', 'a whole file is complete');
my $cut = $w->write_file('cut.cali', substr($text, 0, 12000));
my $r   = $w->run('load', $cut);
is($r->{code}, 3, 'a file that was cut off is refused');
like($r->{err}, qr/cut\.cali: incomplete: it ends within line \d+; it does not end with the record of its globals/, 'with what is missing');
like($r->{err}, qr/--allow-incomplete/, 'and how to load it anyway');
is($w->sql('SELECT count(*) FROM perfhouse.run'), 2, 'nothing is stored');
my ($j) = lines($w->run('load', '--json', $cut));
is_deeply([@$j{qw(state completeness outcome)}, scalar @{ $j->{missing} }], ['failed', 'incomplete', 'failed', 2], 'its JSON line');

$r = $w->ok_run('load it anyway', 'load', '--no-regressions', '--allow-incomplete', $cut);
like($r->{out}, qr/cut\.cali: run \d+ \(incomplete\), /, 'which is said');
like($r->{err}, qr/warning: .*cut\.cali: incomplete: /, 'with a warning');
my ($run) = $r->{out} =~ /run (\d+)/;
is(state_of($run), 'incomplete|t|2|t', 'it is marked');
is($w->sql("SELECT value FROM provenance(profile($run)) WHERE item = 'completeness'"), 'incomplete', 'provenance');
is($w->sql("SELECT value FROM provenance(profile(1)) WHERE item = 'completeness'"), 'complete', 'of a whole one');
is($w->sql("SELECT value FROM provenance(profile(1) - profile($run)) WHERE item = 'completeness'"), 'incomplete', 'of what is made of both');
like($w->sql("SELECT caption(profile($run))"), qr/incomplete input/, 'caption');
like($w->sql("SELECT caption(supergraph(profile(1) + profile($run)))"), qr/incomplete input/, 'caption of a sum');
for my $view ('flame', 'sankey')
{
	is($w->run('render', $view, '--run', $run, '-o', "$w->{home}/$view.svg")->{code}, 0, "render $view");
	like(Perfhouse::slurp("$w->{home}/$view.svg"), qr/incomplete input/, 'a picture says so');
}
is($w->run('render', 'flame', '--run', 1, '-o', "$w->{home}/whole.svg")->{code}, 0, 'render a whole one');
unlike(Perfhouse::slurp("$w->{home}/whole.svg"), qr/incomplete/, 'which is not');

# ---- out of histories and comparisons
my @same = ('--no-regressions', '--set', 'application=a', '--commit', 'c1');
my $gap = Perfhouse::slurp("$data/profiles/small.cali") =~ s/,data=1=(?=\d+=)/,data=5=/gr;
like($w->run('load', $w->write_file('gap.cali', $gap))->{err}, qr/gap\.cali: incomplete: it has rows of 2 of at least 6 ranks/, 'ranks before the last that have no rows');
$w->ok_run('runs of one commit', 'load', '--if-exists', 'append', '--allow-incomplete', @same, $whole, "$data/lulesh-history/lulesh-3e01c40-n8-2.cali", $cut);
is($w->sql("SELECT count(*), count(*) FILTER (WHERE incomplete) FROM perfhouse.run_overview WHERE application = 'a'"), '3|1', 'three runs, one cut off');
is($w->sql("SELECT count(*), count(*) FILTER (WHERE h.excluded_reason IS NULL) FROM perfhouse.run_history h WHERE application = 'a'"), '3|2', 'histories count two');
my $in = $w->sql("SELECT run_id FROM perfhouse.run WHERE application = 'a' AND completeness = 'incomplete'");
$w->ok_run('take it in', 'exclude', '--undo', $in);
is(state_of($in), 'incomplete|t|2|f', 'it stays marked');
my @others = split /\n/, $w->sql("SELECT run_id FROM perfhouse.run WHERE application = 'a' AND completeness <> 'incomplete' ORDER BY 1");
$r = $w->run('compare', $in, $others[0]);
is($r->{code}, 18, 'a named one is not judged, either');
like($r->{out}, qr/^ *completeness +incomplete +complete$/m, 'and compare says why');
is($w->sql("SELECT count(*) FROM experiment_differences(ARRAY[$others[0]], ARRAY[$others[1]]) WHERE key = 'completeness'"), '0', 'of whole ones nothing is said');

# ---- the whole file in its place
$r = $w->ok_run('replace the cut one', 'load', '--no-regressions', '--allow-incomplete', '--if-exists', 'replace', $cut);
is(state_of($run), 'incomplete|t|2|t', 'replaced, cut off as before');

# ---- formats without a proof
$w->ok_run('TAU', 'load', '--no-regressions', "$data/profiles/tau-flat");
is($w->sql(q{SELECT completeness, incomplete, excluded_reason IS NULL FROM perfhouse.run_overview WHERE format = 'tau'}), 'unknown|f|t', 'unknown, not left out');
is($w->sql(q{SELECT p.value FROM perfhouse.run r, provenance(profile(r.run_id)) p WHERE r.format = 'tau' AND p.item = 'completeness'}), 'unknown', 'provenance');
unlike($w->sql(q{SELECT caption(profile(run_id)) FROM perfhouse.run WHERE format = 'tau'}), qr/complete/, 'captions do not speak of it');

# ---- files of experiments
my $logs = "$w->{home}/logs";
system('cp', '-r', "$data/projections/jacobi3d-4p", $logs) == 0 or die;
chmod 0644, glob("$logs/*");
truncate("$logs/jacobi3d.prj.2.log.gz", 1000) or die $!;
$r = $w->run('load', '--no-regressions', $logs);
is($r->{code}, 3, 'a log that was cut off');
like($r->{err}, qr/incomplete: 1 of 4 logs do not end with the end of the computation \(the first: \S+2\.log\.gz\)/, 'is named');
$w->ok_run('load what is there', 'load', '--no-regressions', '--allow-incomplete', $logs);
my $trace = $w->sql(q{SELECT run_id FROM perfhouse.run WHERE format = 'projections' AND completeness = 'incomplete'});
is($w->run('render', 'timeline', '--run', $trace, '-o', "$w->{home}/timeline.svg")->{code}, 0, 'a picture of its trace');
like(Perfhouse::slurp("$w->{home}/timeline.svg"), qr/incomplete input/, 'says so');
my $hpc = "$w->{home}/hpctoolkit";
system('cp', '-r', "$data/profiles/hpctoolkit", $hpc) == 0 or die;
chmod 0755, $hpc;
$w->ok_run('both ranks of HPCToolkit', 'load', '--dry-run', $hpc);
rename("$hpc/1.small-000001-000-c0a80001-77-0.metric-db", "$hpc/1.small-000003-000-c0a80001-77-0.metric-db") or die $!;
$r = $w->run('load', '--no-regressions', $hpc);
is($r->{code}, 3, 'ranks without a metric-db between others');
like($r->{err}, qr/incomplete: 2 of 4 ranks have no metric-db/, 'are counted');
unlink("$logs/jacobi3d.prj.2.log.gz");
is($w->run('load', $logs)->{code}, 3, 'a log that is missing');

my $tau = "$w->{home}/tau";
make_path($tau);
copy("$data/profiles/tau-flat/profile.$_->[0].0.0", "$tau/profile.$_->[1].0.0") for [0, 0], [1, 2];
$r = $w->run('load', $tau);
is($r->{code}, 3, 'a rank between others is missing');
like($r->{err}, qr/incomplete: 1 of 3 ranks have no profile/, 'which is said');

# ---- lines of tasks
my $tasks = Perfhouse::slurp("$data/tasks/wavefront.jsonl");
my $n     = () = $tasks =~ /\n/g;
(my $announced = $tasks) =~ s/"version"/"end_record": true, "version"/;
for my $case (
	['plain',     $tasks,                                                              'read',   'unknown'],
	['ended',     qq($tasks\{"type": "end"}\n),                                        'read',   'complete'],
	['counted',   qq($tasks\{"type": "end", "lines": ) . ($n + 1) . "}\n",             'read',   'complete'],
	['short',     qq($tasks\{"type": "end", "lines": ) . ($n + 9) . "}\n",             'failed', 'incomplete'],
	['announced', $announced,                                                          'failed', 'incomplete'],
	['kept',      qq($announced\{"type": "end"}\n),                                    'read',   'complete'],
	['half',      substr($tasks, 0, length($tasks) - 20),                              'failed', 'incomplete'],
	['more',      qq($tasks\{"type": "end"}\n{"type": "processor", "id": 77}\n),       'failed', undef],
	['wrong',     qq($tasks\{"type": "end", "lines": 2}\n),                            'failed', undef])
{
	my ($name, $lines, $state, $completeness) = @$case;
	($j) = lines($w->run('load', '--dry-run', '--json', $w->write_file("$name.jsonl", $lines)));
	is_deeply([@$j{qw(state completeness)}], [$state, $completeness], "tasks, $name");
}

# ---- what is not read
my $folder = "$w->{home}/folder";
make_path("$folder/sub", "$w->{home}/elsewhere");
copy("$data/profiles/small.json", "$folder/small.json");
my %files = (
	'notes.txt'    => "hello\n",
	'perf.data'    => "PERFILE2" . "\0" x 100,
	'sub/cct.db'   => "HPCTOOLKITctxt\4\0",
	'sub/more.db'  => "HPCTOOLKITctxt\4\0",
	'empty.cali'   => '',
	'.hidden'      => 'x',
	'README.md'    => 'x',
	'COPYING'      => 'x');
$w->write_file("folder/$_", $files{$_}) for keys %files;
symlink("$w->{home}/elsewhere", "$folder/link") or die $!;
$r = $w->run('load', '--dry-run', $folder);
is($r->{code}, 1, 'files of a folder that are not read');
my $table = $w->run('load', $w->write_file('table.parquet', "PAR1\x15\x04PAR1"));
like($table->{err}, qr{Parquet table: known, but not read.*perfhouse\.connect\(\)\.load}s, 'and who reads them');
like($r->{err}, qr{perf\.data: Linux perf data \(perf\.data\): known, but not read}, 'formats that are known are named');
like($r->{err}, qr{sub/cct\.db \(and 1 more\): file of an HPCToolkit 4 database}, 'once, with their number');
like($r->{err}, qr/5 files of no format that is read left out/, 'all are counted');
unlike($r->{err}, qr/notes\.txt/, 'but not named');
$r = $w->run('load', '--dry-run', '-v', $folder);
for (['notes.txt', 'of no known format'], ['empty.cali', 'empty'], ['.hidden', 'hidden'], ['README.md', 'says of the data, holds none'], ['COPYING', 'says of the data, holds none'], ['link', 'a link to a folder'], ['sub/more.db', 'file of an HPCToolkit 4 database.*'])
{
	like($r->{err}, qr{\Q$folder/$_->[0]\E: not read: $_->[1]}, "-v names $_->[0]");
}
my %unread = map { $_->{source} => $_ } lines($w->run('load', '--dry-run', '--json', $folder, "$w->{home}/nofile", $cut));
is_deeply([map { $unread{"$folder/$_"}{state} } 'small.json', 'notes.txt', 'perf.data', 'sub/cct.db', 'empty.cali'],
	['read', ('unread') x 4], 'JSON has a line for each');
is($unread{"$folder/perf.data"}{format}, 'Linux perf data (perf.data)', 'with its format');
is_deeply([map { $unread{$_}{state} } "$w->{home}/nofile", $cut], ['failed', 'failed'], 'and for what failed');
$r = $w->run('load', '--dry-run', "$folder/perf.data");
is($r->{code}, 14, 'a format that is known but not read');
like($r->{err}, qr/Linux perf data/, 'is named');
like($w->run('load', '--dry-run', "$folder/sub")->{err}, qr{no file below it is in a format that is read \(2 looked at; 2 are known, as cct\.db: file of an HPCToolkit 4}, 'also of a folder with nothing else');
is($w->run('load', '-q', '--if-exists', 'replace', '--no-regressions', "$folder/small.json")->{out}, '', '-q prints nothing');

# ---- help lists the formats
my $help = $w->run('load', '--help')->{out};
my ($list) = $w->run('load', '--dry-run', '-f', 'none', $cut)->{err} =~ /Known formats: (.*)\./;
like($help, qr/^ +\Q$_\E +\S/m, "help lists $_") for split /, /, $list;

# ---- a spool folder: what is not whole waits
my $spool = "$w->{home}/spool";
make_path($spool);
my ($pid, $base) = $w->start('load', '--watch', $spool, '--settle', 1, '--give-up', 15, '--no-regressions', '--failed', "$w->{home}/failed");
make_path("$w->{home}/failed");
my $text27 = Perfhouse::slurp("$data/lulesh-history/lulesh-3e01c40-n27-1.cali");
$w->write_file('spool/pauses.cali', substr($text27, 0, 30000));
$w->write_file('spool/never.cali',  substr($text27, 0, 20000));
sleep 3; # longer than --settle, and much shorter than --give-up
is($w->sql(q{SELECT count(*) FROM perfhouse.run WHERE source LIKE '%spool%'}), 0, 'half a file is not loaded');
ok(-e "$spool/pauses.cali", 'and not failed');
open my $rest, '>>', "$spool/pauses.cali" or die $!;
print $rest substr($text27, 30000);
close $rest;
ok(Perfhouse::await(sub { Perfhouse::slurp("$base.out") =~ /pauses\.cali: run \d+, / }), 'the rest comes: it is loaded');
ok(Perfhouse::await(sub { -e "$w->{home}/failed/never.cali" }), 'what never comes has failed');
like(Perfhouse::slurp("$base.err"), qr/never\.cali: incomplete/, 'which is said');
kill 'INT', $pid;
is($w->finish($pid, $base)->{code}, 1, 'the watcher ends');

done_testing;
