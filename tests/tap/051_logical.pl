# Logical time: of every archive, against Ravel's recorded answers, across two traces, under mistakes.
#
# Ravel's answers and most archives lie beside the repository; what needs them skips without them.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Perfhouse;
use Cwd qw(abs_path);
use JSON::PP;
use Test::More;

my $w      = Perfhouse->new;
my $root   = abs_path("$FindBin::Bin/../..");
my $source = $ENV{PERFHOUSE_SOURCE} // $root;
my $shared = "$source/../shared";
my $ravel  = "$shared/oracle/ravel";

sub load
{
	my ($path, @options) = @_;
	my $r = $w->run('load', '--json', @options, $path);
	is($r->{code}, 0, "load $path") or diag($r->{err});
	return $r->{code} == 0 ? decode_json($r->{out}) : {};
}

# ---- load assigns steps, unless told not to
my $j = load("$Perfhouse::data/traces/lulesh-8");
is_deeply([@$j{qw(n_communication_events n_phases)}], [644, 20], 'steps are assigned by load');
my $run = $j->{run_id};
like($w->ok_run('load again', 'load', '--if-exists', 'append', "$Perfhouse::data/traces/lulesh-8")->{out}, qr/logical time: 644 communication events in 20 phases, last step \d+/, 'what load says');
$j = load("$Perfhouse::data/traces/colls-6", '--no-logical-steps');
ok(!exists $j->{n_phases}, 'load does not assign steps when told not to');
my $colls = $j->{run_id};
like($w->run('psql', '--', '-XAtqc', "SELECT count(*) FROM perfhouse.phases($colls)")->{err}, qr/run $colls has no logical steps/, 'there are none then');
is($w->sql("SELECT perfhouse.assign_logical_steps($colls) ->> 'events'"), 408, 'they can be assigned later');

# ---- verbatim
is($w->sql("SELECT count(*) FROM (SELECT location, seq, region, kind, n_messages, enter, leave, phase, step, lateness, aggregate_lateness, differential_lateness, peers FROM perfhouse.logical_steps($run)) q"), 644, 'logical_steps');
is($w->sql("SELECT count(*) FROM (SELECT phase, first_step, last_step, n_events, n_locations, pattern, max_lateness, merge_reason FROM perfhouse.phases($run) ORDER BY phase) q"), 20, 'phases');
like($w->sql(qq{SELECT perfhouse.assign_logical_steps($run, '{"mode":"compat","call_tree_merge":false}')}), qr/"mode": "compat"/, 'assigned with other options');
is($w->sql("SELECT bool_and(delta_lateness = 0 AND delta_duration = 0 AND delta_aggregate_lateness = 0 AND delta_messages = 0 AND status = 'both'), count(*) > 90 FROM (SELECT phase_a, phase_b, step_a, step_b, delta_lateness, status, delta_duration, delta_aggregate_lateness, delta_messages FROM perfhouse.trace_diff($run, $run)) q"), 't|t', 'a trace does not differ from itself');

# ---- who may
is($w->run('psql', '--', '-XAtqc', "SET ROLE perfhouse_reader; SELECT count(*) FROM perfhouse.logical_steps($run)")->{out}, "644\n", 'a reader reads steps');
like($w->run('psql', '--', '-XAtqc', "SET ROLE perfhouse_reader; SELECT perfhouse.assign_logical_steps($run)")->{err}, qr/permission denied/, 'a reader does not assign them');
like($w->run('psql', '--', '-XAtqc', "SET ROLE perfhouse_loader; SELECT perfhouse.assign_logical_steps($run) ->> 'phases'")->{out}, qr/^20$/m, 'a loader does');

# ---- a delay is found where it was
my $cc        = $ENV{CC} // 'cc';
my $generator = "$w->{home}/gen_trace";
my $generate  = sub { my ($pattern, $name, @options) = @_; system($generator, $pattern, "$w->{home}/$name", @options) == 0 or die "gen_trace"; return "$w->{home}/$name" };
is(system("$cc -std=c11 -O1 -D_GNU_SOURCE -o $generator $root/bench/gen_trace.c \$(pkg-config --cflags --libs otf2)"), 0, 'build the generator');
my %generated;
for my $pattern (qw(halo ring tree allreduce random))
{
	my @size = ('--ranks', 12, '--iterations', 12);
	my $a    = load($generate->($pattern, "$pattern-a", @size));
	my $b    = load($generate->($pattern, "$pattern-b", @size, '--delay', 400000, '--delay-rank', 5, '--delay-iteration', 7));
	$generated{$pattern} = $b->{run_id};
	my $diff = "perfhouse.trace_diff($a->{run_id}, $b->{run_id})";
	is($w->sql("SELECT string_agg(DISTINCT status || ' ' || rank_alignment, ',') FROM $diff"), 'both rank', "$pattern: everything is aligned");
	my $first = $w->sql("SELECT step_a, location_b, greatest(abs(delta_lateness), abs(delta_aggregate_lateness)) FROM (SELECT row_number() OVER () AS n, * FROM $diff) d WHERE delta_lateness <> 0 OR delta_aggregate_lateness <> 0 OR delta_duration <> 0 OR delta_differential_lateness <> 0 ORDER BY n LIMIT 1");
	my ($step, $location, $delta) = split /\|/, $first;
	# the step of rank 5's first communication after the delay, by its time in the undelayed run
	my $expected = $w->sql("SELECT min(b.step) FROM perfhouse.logical_steps($a->{run_id}) a JOIN perfhouse.logical_steps($b->{run_id}) b USING (location, seq) WHERE location = 5 AND b.enter - a.enter >= 390000");
	is($step, $expected, "$pattern: the delay is found where it was, and nothing before");
	is($location, 5, "$pattern: on the rank that had it");
	cmp_ok($delta, '>=', 380000, "$pattern: as long as it was");
}

# ---- all or nothing
my $big = load($generate->('halo', 'big', '--ranks', 32, '--iterations', 300))->{run_id};
my $digest = "SELECT md5(string_agg(c::text, '' ORDER BY location_id, chunk_no)) || (SELECT md5(string_agg(p::text, '' ORDER BY first_phase)) FROM perfhouse.phase_block p WHERE p.run_id = $big)"
	. " || (SELECT md5((to_jsonb(l) - 'assigned_at')::text) FROM perfhouse.logical l WHERE l.run_id = $big) FROM perfhouse.logical_chunk c WHERE c.run_id = $big";
my $before = $w->sql($digest);
like($w->run('psql', '--', '-XAtqc', "SET statement_timeout = 15; SELECT perfhouse.assign_logical_steps($big, '{\"call_tree_merge\":false}')")->{err}, qr/canceling statement/, 'it can be interrupted');
like($w->run('psql', '--', '-XAtqc', "SET perfhouse.memory_limit = '1MB'; SELECT perfhouse.assign_logical_steps($big)")->{err}, qr/memory_limit/, 'it keeps to the memory limit');
is($w->sql($digest), $before, 'what was stored before stays');
my @both = map { [$w->start('psql', '--', '-XAtqc', "SELECT perfhouse.assign_logical_steps($big) ->> 'events'")] } 1 .. 2;
is_deeply([map { $w->finish(@$_)->{out} } @both], [("20224\n") x 2], 'two at once') or diag($w->sql("SELECT n_events FROM perfhouse.logical WHERE run_id = $big"));
is($w->sql($digest), $before, 'what the server stores is what the loader stored');
is($w->sql("SELECT sum(n_events) FROM perfhouse.logical_chunk WHERE run_id = $big"), 20224, 'once');

# ---- a flipped bit is found, in whatever column
$w->sql(q{CREATE FUNCTION public.flip_is_found(run bigint, rows text, change text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE finding text;
BEGIN
	EXECUTE format('UPDATE perfhouse.%I SET %s WHERE (run_id, location_id, chunk_no) = ($1, 3, 0)', rows, change) USING run;
	SELECT min(detail) INTO finding FROM perfhouse.check_run(run) WHERE NOT ok;
	RAISE EXCEPTION USING ERRCODE = 'PH999', MESSAGE = CASE WHEN finding IS NULL THEN change ELSE '' END;
EXCEPTION WHEN SQLSTATE 'PH999' THEN
	RETURN SQLERRM;
END $$});
is($w->sql(qq{SELECT (count(*) > 20) || string_agg(public.flip_is_found($big, table_name, format(CASE data_type WHEN 'bytea' THEN
		'%1\$I = CASE length(%1\$I) WHEN 0 THEN E''\\\\x00'' ELSE set_byte(%1\$I, length(%1\$I) / 2, get_byte(%1\$I, length(%1\$I) / 2) # 1) END'
		ELSE '%1\$I = %1\$I # 1024' END, column_name)), '')
	FROM information_schema.columns WHERE table_schema = 'perfhouse' AND table_name IN ('trace_chunk', 'message_chunk') AND column_name <> 'run_id'}),
	'true', 'flipped bits in chunks of events and of messages');
is($w->sql("SELECT bool_and(ok) FROM perfhouse.check_run($big)"), 't', 'as it is the run is sound');

# ---- a load does not fail with it
$w->sql("DO \$\$ BEGIN EXECUTE format('ALTER DATABASE %I SET perfhouse.memory_limit = %L', current_database(), '1MB'); END \$\$");
open(my $tasks, '>', "$w->{home}/chain.jsonl") or die $!;
print $tasks '{"type": "tasks", "version": 1, "time_unit": "us"}', "\n", '{"type": "processor", "id": 0}', "\n";
print $tasks qq({"type": "entity", "id": $_, "class": "Link"}\n) for 0 .. 1;
printf $tasks qq({"type": "block", "processor": 0, "entity": %d, "entry": "pass", "begin": %d, "end": %d, "receives": [{"message": %d}], "sends": [{"message": %d}]}\n), $_ % 2, 10 * $_, 10 * $_ + 9, $_, $_ + 1 for 1 .. 10000;
close($tasks);
my $r = $w->run('load', "$w->{home}/chain.jsonl");
is($r->{code}, 0, 'a trace is loaded that the server cannot find the steps of');
my ($late) = $r->{err} =~ /no logical steps: .*; to assign them: SELECT perfhouse\.assign_logical_steps\((\d+)\)/;
ok(defined $late, 'a warning says so, and what to do') or diag($r->{err});
unlike($r->{out}, qr/logical time/, 'it has none');
$w->sql("DO \$\$ BEGIN EXECUTE format('ALTER DATABASE %I RESET perfhouse.memory_limit', current_database()); END \$\$");
is($w->sql("SELECT perfhouse.assign_logical_steps($late) ->> 'events' > '0'"), 't', 'done later');

# ---- sound, whatever the trace
my $sql = Perfhouse::slurp("$root/tests/regress/sql/logical.sql");
my ($function) = $sql =~ /(CREATE FUNCTION public\.unsound.*?END \$\$;)/s;
$function =~ s/DROP TABLE e, m, p;/DROP TABLE IF EXISTS e, m, p;/;
$w->sql("SET client_min_messages = warning; $function");
my @unsound = (
	'{}', '{"mode":"compat"}', '{"call_tree_merge":false}', '{"coalesce_isends":false,"call_tree_merge":false}', '{"leap_merge":true}',
	'{"global_merge":true,"call_tree_merge":false}', '{"align_sends":false}', '{"reorder_receives":true}');

sub is_sound
{
	my ($id, $name) = @_;
	my $options = join(', ', map { "'$_'" } Perfhouse::some($name =~ /lulesh/ ? scalar @unsound : 3, @unsound));
	my $r = $w->run('psql', '--', '-XAtq', '-v', 'ON_ERROR_STOP=1', '-c', "SET client_min_messages = warning; SELECT o, u FROM unnest(ARRAY[$options]) o, perfhouse.assign_logical_steps($id, o::jsonb) a, public.unsound(CASE WHEN a IS NOT NULL THEN $id END) u");
	is($r->{out}, '', "$name is sound with all options") or diag($r->{err});
	is($r->{code}, 0, "$name can be checked") or diag($r->{err});
}
is_sound($run,   'lulesh-8');
is_sound($colls, 'colls-6');
is_sound($generated{$_}, $_) for sort keys %generated;

SKIP:
{
	skip("no archives and recorded answers in $shared", 1) unless -d $ravel;
	my %id;
	for my $path (glob("$shared/data/own/otf2/* $shared/data/generated/*"))
	{
		next unless -f "$path/traces.otf2";
		my ($name) = $path =~ m{([^/]+)$};
		$id{$name} = load($path)->{run_id};
		is_sound($id{$name}, $name) if $name !~ /large|openmp|npb/;
	}

	# Ravel's columns, and times that were rounded there
	my @columns = qw(kind n_messages phase step lateness aggregate_lateness differential_lateness aggregate_differential_lateness global_lateness
		aggregate_global_lateness duration aggregate_duration);
	my %mode = (
		default => '{}', nocaller => '{"call_tree_merge":false}', nocoalesce => '{"coalesce_isends":false}',
		plain => '{"call_tree_merge":false,"coalesce_isends":false}', leap => '{"call_tree_merge":false,"leap_merge":true}',
		global => '{"call_tree_merge":false,"global_merge":true}');
	my $compared = 0;
	for my $trace (qw(halo16_sswa_ar allred8_mix mixcoll8 rand12_any tree64_k4_x2 ring8_token scorep_colls-6 scorep_lulesh-8 scorep_mergetree-16))
	{
		for my $mode (sort keys %mode)
		{
			my ($file) = grep { -f } "$ravel/$trace/$mode.csv", "$ravel/$trace/$mode.csv.gz";
			next unless defined $file;
			my $name     = $trace =~ s/^scorep_//r;
			my $rounding = $name eq $trace ? 0 : 4;
			my $options  = $mode{$mode} =~ s/^\{/{"mode":"compat"/r =~ s/compat""/compat","/r;
			$w->sql("SELECT 1 FROM perfhouse.assign_logical_steps($id{$name}, '$options')");
			my @ours = split /\n/, $w->sql('SELECT dense_rank() OVER (ORDER BY location) - 1, region, ' . join(', ', @columns) . " FROM perfhouse.logical_steps($id{$name}) ORDER BY location, step");
			my @theirs;
			open(my $in, '-|', $file =~ /gz$/ ? 'zcat' : 'cat', $file) or die $file;
			while (<$in>)
			{
				chomp;
				my ($process, $region, $kind, $n, undef, undef, @rest) = split /,/;
				next if $process eq 'process';
				pop @rest;
				$kind = {send => 'send', recv => 'receive', coll => 'collective'}->{$kind};
				push @theirs, [$process, $region, $kind, $n, @rest[0 .. 9]];
			}
			@theirs = sort { $a->[0] <=> $b->[0] || $a->[5] <=> $b->[5] } @theirs;
			my $wrong = @ours == @theirs ? 0 : 'another number of rows';
			for my $i (0 .. $#theirs)
			{
				last if $wrong;
				my @row = split /\|/, $ours[$i];
				for my $c (0 .. 13)
				{
					my $equal = $c == 1 || $c == 2 ? $row[$c] eq $theirs[$i][$c] : abs($row[$c] - $theirs[$i][$c]) <= ($c < 6 ? 0 : $rounding);
					$wrong = "row $i, column $c: $row[$c], not $theirs[$i][$c]" unless $equal;
				}
			}
			is($wrong, 0, "$trace $mode equals Ravel's");
			$compared++;
		}
	}
	cmp_ok($compared, '>', 30, 'many were compared');
}

done_testing();
