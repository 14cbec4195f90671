# export --format otf2: archives with logical time as attributes, there and back again.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Perfhouse;
use JSON::PP;
use Test::More;

my @others = split /:/, $ENV{PERFHOUSE_TRACES} // ''; # before the environment is cleared
my $w      = Perfhouse->new;
my $print  = grep { -x "$_/otf2-print" } split /:/, $ENV{PATH};

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
		skip('otf2-print is not installed', 4) unless $print;
		my $text = `otf2-print $folder/traces.otf2 2> $w->{home}/printed`;
		is($?, 0, "$name: otf2-print reads it");
		is(Perfhouse::slurp("$w->{home}/printed"), '', "$name: and warns of nothing");
		my $n = () = $text =~ /^ENTER.*\n +ADDITIONAL ATTRIBUTES: \("phase" <0>; UINT64; \d+\), \("step" <1>; UINT64; \d+\), \("lateness" <2>; INT64; \d+\), \("differential lateness" <3>; INT64; \d+\)$/mg;
		is($n, $w->sql("SELECT count(*) FROM perfhouse.calls($run) c WHERE EXISTS (SELECT FROM perfhouse.logical_steps($run) s WHERE (s.location, s.region) = (c.location, c.region) AND c.enter BETWEEN s.enter AND s.leave)"), "$name: every call that communicates has its logical time");
		my ($location, $time, $step) = split /\|/, $w->sql("SELECT location, enter, step FROM perfhouse.logical_steps($run) ORDER BY step DESC, location LIMIT 1");
		like($text, qr/^ENTER +$location +$time .*\n.*"step" <1>; UINT64; $step\)/m, "$name: the last step is where it was");
	}
}

# ---- texts that events refer to: programs with their arguments, parameters of all types
SKIP:
{
	my $cc   = $ENV{CC} // 'cc';
	my $make = "$w->{home}/otf2_texts";
	skip("no C compiler ($cc)", 6) if system("$cc -o $make $FindBin::Bin/../lib/otf2_texts.c \$(pkg-config --cflags --libs otf2) 2>/dev/null") != 0;
	system($make, "$w->{home}/texts") == 0 or die 'otf2_texts';
	my $run = load("$w->{home}/texts");
	$w->ok_run('export texts', 'export', $run, '--format', 'otf2', '-o', "$w->{home}/texts.again");
	my $again = load("$w->{home}/texts.again");
	my $texts = <<'SQL';
SELECT e.location || ' ' || e.kind || ' ' || string_agg(CASE WHEN e.kind = 'PROGRAM_BEGIN' AND v.n = 2 THEN v.value::text ELSE coalesce(t.text, 'a number') END, '|' ORDER BY v.n)
FROM perfhouse.events(%1$d) e CROSS JOIN LATERAL unnest(e.values) WITH ORDINALITY v (value, n)
	LEFT JOIN perfhouse.trace_text t ON t.run_id = %1$d AND t.number = v.value
WHERE e.kind IN ('PROGRAM_BEGIN', 'PARAMETER') GROUP BY e.location, e.seq, e.kind ORDER BY e.location, e.seq
SQL
	my @of_rank = (["two words, 'quoted' \xc3\xa4\n", 'coarse'], ['', 'fine']);
	my $expected = join "\n", map { ("$_ PROGRAM_BEGIN ./solver|4|--size|30|$of_rank[$_][0]|30", "$_ PARAMETER $of_rank[$_][1]", ("$_ PARAMETER a number") x 2, "$_ PARAMETER ", "$_ PROGRAM_BEGIN 30|0") } 0, 1;
	is($w->sql(sprintf $texts, $_), $expected, 'texts of events') for $run, $again;
	is($w->sql("SELECT string_agg(number || text, ',' ORDER BY number) FROM perfhouse.trace_text WHERE run_id = $again"),
		$w->sql("SELECT string_agg(number || text, ',' ORDER BY number) FROM perfhouse.trace_text WHERE run_id = $run"), 'with their numbers');
	my $printed = $print ? `otf2-print $w->{home}/texts.again/traces.otf2` : '';
	like($printed, $_, 'as others read it') for $print ? (qr/PROGRAM_BEGIN .*"\.\/solver".*"--size"/, qr/PARAMETER_STRING .*"coarse"/, qr/PARAMETER_INT64 .*-3\b/, qr/PARAMETER_UINT64 .*18446744073709551615/) : ();
	unlink $make;
}

# ---- every answer
$w->ok_run('helpers', 'psql', '--', '-Xqc', <<'SQL');
CREATE FUNCTION public.answers(query text) RETURNS SETOF text LANGUAGE plpgsql SET search_path = perfhouse, public AS $$
BEGIN
	RETURN QUERY EXECUTE query;
EXCEPTION WHEN OTHERS THEN
	RETURN NEXT SQLSTATE || ' ' || regexp_replace(SQLERRM, 'run \d+', 'the run', 'g');
END $$;
CREATE FUNCTION public.differ(query text, run int8, again int8) RETURNS int8 LANGUAGE sql AS $$
	WITH x AS MATERIALIZED (SELECT * FROM public.answers(replace(query, '$1', run::text))),
		y AS MATERIALIZED (SELECT * FROM public.answers(replace(query, '$1', again::text)))
	SELECT count(*) FROM ((TABLE x EXCEPT ALL TABLE y) UNION ALL (TABLE y EXCEPT ALL TABLE x)) d
$$;
SQL

# Arguments of the functions that need more than the run; each list of them is a call.
my %arguments = (
	cluster_series     => [q{0, 'duration', '{0,1,2,3}', '{0,0,1,1}'}],
	focus_processes    => ['0', '1, 2'],
	locations_of_ranks => [q{'{0,1,2}'}],
	logical_aggregates => ['0, 10', '1, 20'],
	metric_over_time   => [],
	open_clusters      => [0, 1],
	phase_members      => [0 .. 12],
	pattern_members    => [0 .. 12],
	step_clusters      => [0 .. 3],
	step_time_span     => ['0, 5', '0, 1000', '3, 9'],
	what_if            => [q{'[{"network": "ideal"}]'}, q{'[{"rank_to_mean": 1}]'}],
	timeline_steps     => [q{'lateness'}, q{'differential_lateness'}],
);

# Of the profile, which has more metrics where the experiment has a profile beside the trace, of many runs, or of grids of ranks,
# which exports do not have.
my %of_profile = map { $_ => 1 } qw(calls_metric check_run comparable_runs explain_run nodes_of profile run_distribution run_histogram run_value topology);

# Of programs of tasks, which OTF2 does not have.
my %of_tasks = map { $_ => 1 } qw(chares processors serial_blocks task_block_metrics task_block_parts task_metrics);

my @functions = map { [split /\|/] } split /\n/, $w->sql(<<'SQL');
SELECT proname, min(pronargs - pronargdefaults) FROM pg_proc JOIN pg_namespace n ON n.oid = pronamespace
WHERE nspname = 'perfhouse' AND proargnames[1] = 'run' AND proargtypes[0] = 20 AND provolatile <> 'v' GROUP BY proname ORDER BY proname
SQL
cmp_ok(scalar @functions, '>', 40, 'functions of runs');

# The queries whose rows are not the same of both runs, one a line; $1 is the run.
sub differing
{
	my ($run, $again, @queries) = @_;
	my $list = join ', ', map { "(\$q\$$_\$q\$)" } @queries;
	return $w->sql("SELECT query FROM (VALUES $list) q (query) WHERE public.differ(query, $run, $again) > 0");
}

sub queries_of
{
	my ($run) = @_;
	my @metrics = map { s/'/''/gr } split /\n/, $w->sql("SELECT DISTINCT name FROM perfhouse.trace_metric WHERE run_id = $run ORDER BY 1");
	my %calls = (%arguments, metric_over_time => [map { "'$_'" } @metrics, 'none']);
	my @queries;
	for (@functions)
	{
		my ($name, $needs) = @$_;
		next if $of_profile{$name} || $of_tasks{$name} || $name =~ /^(?:trace_profile|trace_raster|scaling_deviation|legible)\z/; # which contain numbers of runs or of the trace's regions
		ok($needs == 1 || $calls{$name}, "$name: arguments to call it with are known") if $needs != 1 && !$calls{$name};
		push @queries, map { "SELECT x::text FROM perfhouse.$name(\$1$_) x" } $needs == 1 ? '' : map { ", $_" } @{$calls{$name} // []};
	}
	push @queries, map { "SELECT (to_jsonb(x) - 'run_id')::text FROM perfhouse.$_ x WHERE run_id = \$1" }
	  qw(event message logical_event trace_communicator trace_metric trace_text trace_stream launch_configuration);
	push @queries, 'SELECT x::text FROM perfhouse.flat(perfhouse.trace_profile($1)) x', 'SELECT (location_id, rank, thread, host, name)::text FROM perfhouse.location WHERE run_id = $1',
	  "SELECT (to_jsonb(x) - 'run_id' - 'events_dropped_at')::text FROM perfhouse.trace x WHERE run_id = \$1",
	  'SELECT (n_ranks, n_threads)::text FROM perfhouse.run WHERE run_id = $1',
	  "SELECT (t.name, paradigm, role, kind, library, file, line)::text FROM perfhouse.trace_region t JOIN perfhouse.region USING (region_id) WHERE run_id = \$1";
	return @queries;
}

my $source = $ENV{PERFHOUSE_SOURCE} // "$FindBin::Bin/../..";
my $shared = "$source/../shared/data";
my @traces =
  ((map { "$Perfhouse::data/traces/$_" } qw(lulesh-8 colls-6 tau-halo2d-nb-9)),
	"$Perfhouse::data/gpu/train-4", "$Perfhouse::data/profiles/small.nsys.sqlite", "$Perfhouse::data/devices/small.rocpd.db",
	(grep { -e } map { "$shared/peers/$_" } qw(kineto/trace_diff/test kineto/amd_trace)),
	(grep { -d } map { "$shared/$_" } qw(own/otf2/lulesh-8-rusage own/otf2/lulesh-8x2-openmp own/otf2/halo2d-nbt-9 peers/pipit/ping-pong-otf2-papi generated/rand12_any generated/mixcoll8)));
@traces = @others ? @others : Perfhouse::some(7, @traces);
for my $path (@traces)
{
	my ($name) = $path =~ m{([^/]+)/*$};
	my $run    = load($path);
	my $folder = "$w->{home}/$name.again";
	$w->sql("UPDATE perfhouse.trace SET epoch_ns = 1795230167000000000 WHERE run_id = $run");
	$w->ok_run("export $name", 'export', $run, '--format', 'otf2', '-o', $folder);
	my $again = load($folder);
	is($w->sql("SELECT started_at = to_timestamp(1795230167) FROM perfhouse.run WHERE run_id = $again"), 't', "$name: when it began");
	is(differing($run, $again, queries_of($run)), '', "$name: the same answers of all functions and views");
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
