# What SQL answers about loaded traces: against plain SQL over their events, calls and messages, in
# parallel and serially, and against Pipit's answers.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Perfhouse;
use JSON::PP;
use Test::More;

my $source = $ENV{PERFHOUSE_SOURCE} // "$FindBin::Bin/../..";
my $shared = "$source/../shared";
my $w      = Perfhouse->new;

sub load_run
{
	my ($name, @arguments) = @_;
	my $r = $w->ok_run("load $name", 'load', '--json', @arguments);
	return decode_json($r->{out})->{run_id};
}

# ---- plain SQL
$w->ok_run('helpers', 'psql', '--', '-Xqc', <<'SQL');
CREATE FUNCTION public.differ(a text, b text) RETURNS bigint LANGUAGE plpgsql SET search_path = perfhouse, public AS $$
DECLARE
	n bigint;
BEGIN
	EXECUTE format('SELECT count(*) FROM ((%1$s EXCEPT ALL %2$s) UNION ALL (%2$s EXCEPT ALL %1$s)) d', '(' || a || ')', '(' || b || ')') INTO n;
	RETURN n;
END $$;
CREATE TABLE public.e (LIKE perfhouse.event);
CREATE TABLE public.c AS SELECT 0::int8 AS run_id, * FROM perfhouse.calls(NULL);
CREATE TABLE public.m AS SELECT 0::int8 AS run_id, * FROM perfhouse.messages(NULL);
SQL

# Statements with $1 as the run; each says how many rows differ.
my @comparisons = (
	['calls are what ENTER and LEAVE say', 'SELECT location, call, depth, region, enter, leave FROM c',
		q{SELECT location, seq, depth, region, enter, leave FROM (SELECT location, seq, depth, region, kind, "time" AS enter,
			lead("time") OVER (PARTITION BY location, depth ORDER BY seq) AS leave FROM e WHERE kind IN ('ENTER', 'LEAVE')) s WHERE kind = 'ENTER'}],
	['exclusive times are without callees', 'SELECT location, call, exclusive FROM c',
		'SELECT o.location, o.call, o.inclusive - coalesce(i.inclusive, 0) FROM c o LEFT JOIN (SELECT location, parent AS call, sum(inclusive)::int8 AS inclusive
			FROM c GROUP BY 1, 2) i USING (location, call)'],
	['every message has its send among the events', q{SELECT sender_location, send_seq, send_time, sender, receiver, tag, communicator, send_region FROM m WHERE send_time IS NOT NULL},
		q{SELECT location, seq, "time", rank, peer, tag, communicator, region FROM e WHERE kind IN ('MPI_SEND', 'MPI_ISEND')}],
	['and its receive', q{SELECT receiver_location, receive_seq, receive_time, receiver, sender, tag, bytes, receive_region FROM m WHERE receive_time IS NOT NULL},
		q{SELECT location, seq, "time", rank, peer, tag, bytes, region FROM e WHERE kind IN ('MPI_RECV', 'MPI_IRECV')}],
	['the view of messages', 'SELECT sender, receiver, send_time, receive_time, tag, bytes, receive_seq FROM message WHERE run_id = $1',
		'SELECT sender, receiver, send_time, receive_time, tag, bytes, receive_seq FROM m WHERE receive_time IS NOT NULL'],
	['communication matrix', 'SELECT * FROM comm_matrix($1)',
		q{SELECT rank, peer, count(*), sum(bytes)::int8 FROM e WHERE kind IN ('MPI_SEND', 'MPI_ISEND') GROUP BY 1, 2}],
	['communication by process', 'SELECT * FROM comm_by_process($1)',
		q{SELECT rank, count(*) FILTER (WHERE kind LIKE '%SEND'), count(*) FILTER (WHERE kind LIKE '%RECV'),
			coalesce(sum(bytes) FILTER (WHERE kind LIKE '%SEND'), 0)::int8, coalesce(sum(bytes) FILTER (WHERE kind LIKE '%RECV'), 0)::int8
			FROM e WHERE kind IN ('MPI_SEND', 'MPI_ISEND', 'MPI_RECV', 'MPI_IRECV') GROUP BY 1}],
	['time profile adds up', 'SELECT region, sum(exclusive)::int8 FROM time_profile($1, 17) GROUP BY 1', 'SELECT region, sum(exclusive)::int8 FROM c GROUP BY 1 HAVING sum(exclusive) > 0'],
	['uneven loads', 'SELECT region, mean::numeric(30,3), max::numeric FROM load_imbalance($1)',
		q{WITH x AS (SELECT region, location, sum(exclusive) AS t FROM c GROUP BY 1, 2)
		  SELECT region, (sum(t) / (SELECT count(DISTINCT location) FROM x))::numeric(30,3), max(t) FROM x GROUP BY region}],
	['idle time', 'SELECT location, idle FROM idle($1)',
		q{SELECT location, coalesce(sum(inclusive) FILTER (WHERE region IN ('MPI_Recv', 'MPI_Wait', 'MPI_Waitall', 'MPI_Waitany', 'MPI_Waitsome')), 0)::int8 FROM c GROUP BY 1}],
	['the stored profile is that of the whole trace', 'SELECT path, callpath_id, paradigm, inclusive::numeric(20,9), exclusive::numeric(20,9), n_present FROM nodes(profile($1))',
		'SELECT path, callpath_id, paradigm, inclusive::numeric(20,9), exclusive::numeric(20,9), n_present FROM nodes(trace_profile($1))'],
	['its visits are calls', q{SELECT name, round(sum(exclusive) * (SELECT n_columns FROM run WHERE run_id = $1))::int8 FROM nodes(profile($1), 'visits') GROUP BY 1}, 'SELECT region, count(*) FROM c GROUP BY 1'],
	['late senders', 'SELECT receiver_location, receive_enter, wait FROM late_senders($1)',
		q{WITH around AS MATERIALIZED (SELECT location, o.seq, call, enter, coalesce(leave, enter + inclusive) AS leave FROM (SELECT location, seq, kind,
			max(seq) FILTER (WHERE kind = 'ENTER') OVER (PARTITION BY location, depth ORDER BY seq) AS call FROM e) o JOIN c USING (location, call)
			WHERE kind IN ('MPI_SEND', 'MPI_ISEND', 'MPI_RECV', 'MPI_IRECV'))
		  SELECT r.location, r.enter, max(least(s.enter, r.leave) - r.enter) FROM m JOIN around r ON (r.location, r.seq) = (receiver_location, receive_seq)
		  JOIN around s ON (s.location, s.seq) = (sender_location, send_seq)
		  GROUP BY r.location, r.call, r.enter HAVING max(least(s.enter, r.leave) - r.enter) > 0}],
	['the older functions tell the waits of the table', q{SELECT victim, awaited, t_from, ns FROM wait_states($1) WHERE kind NOT IN ('team barrier', 'thread join', 'idle thread', 'lock')},
		'SELECT receiver_location, sender_location, receive_enter, wait FROM late_senders($1) UNION ALL
		SELECT sender_location, receiver_location, send_enter, wait FROM late_receivers($1) UNION ALL
		SELECT location, cause_location, enter, wait FROM collective_waits($1)'],
	['the critical path tiles the run', q{SELECT min(t_from), max(t_to), sum(t_to - t_from)::int8, count(*) FILTER (WHERE t_from <> before)
			FROM (SELECT *, lag(t_to) OVER (ORDER BY step) AS before FROM critical_path($1)) p}, q{SELECT min("time"), max("time"), (max("time") - min("time"))::int8, 0::int8 FROM e}],
	['collectives', q{SELECT operation, communicator, count(*), sum(n_present)::int8, sum(bytes_sent)::int8 FROM collectives($1) WHERE NOT inferred GROUP BY 1, 2},
		q{SELECT operation, communicator, max(n), sum(n)::int8, sum(bytes)::int8 FROM (SELECT operation, communicator, location, count(*) AS n, sum(bytes) AS bytes
			FROM (SELECT CASE WHEN kind LIKE 'RMA_%' THEN CASE region WHEN 'MPI_Win_fence' THEN 'fence' WHEN 'MPI_Win_free' THEN 'free_window' ELSE 'create_window' END
				ELSE operation END AS operation, communicator, location, bytes FROM e
				WHERE kind IN ('MPI_COLLECTIVE_END', 'NON_BLOCKING_COLLECTIVE_COMPLETE', 'RMA_COLLECTIVE_END')) k
			WHERE operation NOT LIKE '%handle%' AND operation NOT LIKE '%allocate%' GROUP BY 1, 2, 3) x GROUP BY 1, 2}]);

# What must not depend on how many processes work on it.
my @answers = map { "(SELECT md5(string_agg(x::text, ',')) FROM $_ x)" } qw{comm_matrix($1) comm_by_process($1) message_histogram($1)
	comm_over_time($1) load_imbalance($1) time_profile($1) idle($1) collectives($1) late_senders($1) critical_path($1) messages($1)},
	'critical_path($1, true)',
	'(SELECT inclusive FROM nodes(trace_profile($1)))', '(SELECT * FROM event WHERE run_id = $1 AND "time" < 1e9 ORDER BY location, seq)';

sub digests
{
	my ($run, $settings) = @_;
	my $query = 'SELECT ' . join(", '\n', ", @answers);
	$query =~ s/\$1/$run/g;
	local $ENV{PGOPTIONS} = "$settings -c search_path=perfhouse";
	return $w->sql($query);
}

sub check_trace
{
	my ($name, $run) = @_;
	is($w->sql("SELECT count(*) FROM perfhouse.check_run($run) WHERE NOT ok"), 0, "$name: the stored data agrees with itself");
	$w->sql("TRUNCATE e, c, m; INSERT INTO e SELECT * FROM perfhouse.event WHERE run_id = $run; INSERT INTO c SELECT $run, * FROM perfhouse.calls($run);"
		. "INSERT INTO m SELECT $run, * FROM perfhouse.messages($run); ANALYZE e, c, m");
	is($w->sql('SELECT count(*) FROM e'), $w->sql("SELECT n_events FROM perfhouse.trace WHERE run_id = $run"), "$name: every event");
	for my $comparison (@comparisons)
	{
		my ($what, $ours, $reference) = @$comparison;
		s/\$1/$run/g for $ours, $reference;
		is($w->sql("SELECT public.differ(\$q\$$ours\$q\$, \$q\$$reference\$q\$)"), 0, "$name: $what");
	}
	my $wrong = $w->sql(qq{SELECT count(*) FROM generate_series(0, 20) i, LATERAL (SELECT duration * i / 21 AS low, duration * i / 21 + duration / 500 AS high FROM perfhouse.trace WHERE run_id = $run) t
		WHERE (SELECT count(*) FROM perfhouse.event v WHERE v.run_id = $run AND v."time" >= low AND v."time" < high) <> (SELECT count(*) FROM perfhouse.events($run, low, high))});
	is($wrong, 0, "$name: windows of the view are those of the function");
	my $serial = digests($run, '-c max_parallel_workers_per_gather=0');
	like($serial, qr/[0-9a-f]{32}/, "$name: answers");
	is(digests($run, '-c max_parallel_workers_per_gather=2 -c parallel_setup_cost=0 -c parallel_tuple_cost=0 -c min_parallel_table_scan_size=0'),
		$serial, "$name: parallel answers are the serial ones");
}

check_trace((m{([^/]+)/traces.otf2$})[0], load_run($_, $_)) for Perfhouse::some(3, sort glob("$Perfhouse::data/traces/*/traces.otf2"));

# ---- chunks that are not what was stored are refused before anything is made of them
$w->ok_run('helper', 'psql', '--', '-Xqc', <<'SQL');
CREATE FUNCTION public.answer_after(change text, query text) RETURNS text LANGUAGE plpgsql SET search_path = perfhouse AS $$
BEGIN
	EXECUTE change;
	EXECUTE query;
	RAISE EXCEPTION USING ERRCODE = 'PH999', MESSAGE = 'an answer';
EXCEPTION WHEN OTHERS THEN
	RETURN SQLSTATE || ' ' || SQLERRM;
END $$;
SQL

# Another number, or a flipped bit, in one column of the table's rows at a time: the refusals that are not about sums.
sub changes_that_answer
{
	my ($run, $table, $except, @queries) = @_;
	my $change = "CASE WHEN data_type = 'bytea' THEN format('CASE WHEN length(%1\$I) = 0 THEN ''\\x00'' ELSE set_byte(%1\$I, length(%1\$I) - 1, get_byte(%1\$I, length(%1\$I) - 1) # 1) END',"
		. " column_name) ELSE format('%I + 1', column_name) END";
	my $queries = join ', ', map { "\$q\$$_\$q\$" } @queries;
	return $w->sql("SELECT count(*) > 5, string_agg(column_name || ' ' || query || ': ' || answer, '; ') FILTER (WHERE answer !~ '^PH001 the (events|messages|links) of chunk \\d+ of location \\d+ of run $run are damaged: the checksum is of another row\$')"
		. " FROM information_schema.columns, unnest(ARRAY[$queries]) query, public.answer_after(format('UPDATE $table SET %I = %s WHERE run_id = $run', column_name, $change), query) answer"
		. " WHERE table_schema = 'perfhouse' AND table_name = '$table' AND column_name NOT IN ('run_id', 'location_id', 'chunk_no'$except)");
}

{
	my $run = load_run('rows to damage', '--if-exists', 'replace', "$Perfhouse::data/traces/tau-halo2d-nb-9/traces.otf2");
	my @all = ("SELECT count(*) FROM events($run)", "SELECT count(*) FROM messages($run)", "SELECT trace_profile($run)", "SELECT count(*) FROM critical_path($run)", "SELECT count(*) FROM time_profile($run)");
	is(changes_that_answer($run, 'trace_chunk', '', @all), 't|', 'a bit in any column of events is found by who decodes them');
	is(changes_that_answer($run, 'message_chunk', '', @all[1, 3]), 't|', 'and of messages');
	is($w->sql("SELECT count(*) FROM perfhouse.check_run($run) WHERE NOT ok"), 0, 'nothing of that stays');
}

my @more = grep { m{([^/]+)/traces.otf2$} && !-d "$Perfhouse::data/traces/$1" && !/-large/ } sort glob("$shared/data/own/otf2/*/traces.otf2");
SKIP:
{
	skip "no more traces in $shared", 1 unless @more;
	check_trace((m{([^/]+)/traces.otf2$})[0], load_run($_, $_)) for Perfhouse::some(2, @more);
}

# ---- Pipit
sub csv
{
	my ($path) = @_;
	my @lines = split /\n/, Perfhouse::slurp($path);
	return map { [map { s/^"|"$//gr } /\G(?:^|,)("[^"]*"|[^,]*)/g] } @lines;
}

# Pipit's times are binary fractions of ns, ours are whole ns: both ends of n stretches are rounded.
sub near { return abs($_[0] - $_[1]) <= 2 + 2 * ($_[2] // 1) }

SKIP:
{
	my $archive = "$shared/data/peers/pipit/ping-pong-otf2/traces.otf2";
	my $oracle  = "$shared/oracle/pipit/ping-pong-otf2";
	skip "no answers of Pipit in $shared", 9 unless -e $archive && -d $oracle;
	my $run = load_run('ping-pong', $archive);
	check_trace('ping-pong', $run);

	my ($head, @rows) = csv("$oracle/flat_profile_inc_exc_per_process.csv");
	my @wrong = grep {
		my ($name, $rank, $inclusive, $exclusive) = @$_;
		my ($ours) = $w->sql("SELECT sum(inclusive) || ' ' || sum(exclusive) || ' ' || count(*) FROM perfhouse.calls($run) WHERE region = \$q\$$name\$q\$ AND rank = $rank");
		my ($i, $x, $n) = split / /, $ours;
		!near($i, $inclusive, $n) || !near($x, $exclusive, 20 + $n)
	} @rows;
	ok(@rows && !@wrong, 'flat profile by process') or diag(map { "@$_\n" } @wrong);

	@wrong = ();
	for my $what (qw(count size))
	{
		my @matrix = csv("$oracle/comm_matrix_$what.csv");
		my $column = $what eq 'count' ? 'messages' : 'bytes';
		for my $sender (0 .. $#matrix)
		{
			for my $receiver (0 .. 1)
			{
				my $ours = $w->sql("SELECT coalesce(sum($column), 0) FROM perfhouse.comm_matrix($run) WHERE sender = $sender AND receiver = $receiver");
				push @wrong, "$sender $receiver $what: $ours" if $ours != $matrix[$sender][$receiver];
			}
		}
		(undef, my @processes) = csv("$oracle/comm_by_process_$what.csv");
		my @columns = $what eq 'count' ? qw(messages_sent messages_received) : qw(bytes_sent bytes_received);
		for my $process (@processes)
		{
			my $ours = $w->sql("SELECT $columns[0] || ' ' || $columns[1] FROM perfhouse.comm_by_process($run) WHERE rank = $process->[0]");
			push @wrong, "rank $process->[0]: $ours" if $ours ne join(' ', map { int } @$process[1, 2]);
		}
	}
	ok(!@wrong, 'who sent what to whom') or diag(join "\n", @wrong);

	($head, @rows) = csv("$oracle/idle_time_mpi.csv");
	@wrong = grep { !near($w->sql("SELECT idle FROM perfhouse.idle($run, '{MPI_Recv,MPI_Wait,MPI_Waitall,Idle}') WHERE rank = $_->[1]"), $_->[2], 8) } @rows;
	ok(@rows && !@wrong, 'idle time') or diag(map { "@$_\n" } @wrong);

	($head, @rows) = csv("$oracle/load_imbalance_ref.csv");
	@wrong = grep {
		my ($mean, $max, $top) = split /\|/, $w->sql("SELECT mean, max, top_ranks[1] FROM perfhouse.load_imbalance($run) WHERE region = \$q\$$_->[0]\$q\$");
		!near($mean, $_->[1], 20) || !near($max, $_->[2], 20) || $top != $_->[4]
	} @rows;
	ok(@rows && !@wrong, 'uneven loads') or diag(map { "@$_\n" } @wrong);

	($head, @rows) = csv("$oracle/time_profile_10.csv");
	@wrong = ();
	for my $row (@rows)
	{
		for my $i (4 .. $#$head)
		{
			my $ours = $w->sql("SELECT coalesce(sum(exclusive), 0) FROM perfhouse.time_profile($run, 10, 0, (SELECT duration FROM perfhouse.trace WHERE run_id = $run))"
				. " WHERE bin = $row->[0] AND region = \$q\$$head->[$i]\$q\$");
			push @wrong, "bin $row->[0] $head->[$i]: $ours, expected $row->[$i]" if !near($ours, $row->[$i], 40);
		}
	}
	ok(@rows && !@wrong, 'time profile') or diag(join "\n", @wrong);

	($head, @rows) = csv("$oracle/cct.csv");
	my @ours = split /\n/, $w->sql("SELECT depth || ' ' || name FROM perfhouse.nodes(perfhouse.profile($run))");
	is_deeply([sort @ours], [sort map { "$_->[2] $_->[3]" } @rows], 'call tree');

	my %event = map { ($_->[0] => $_) } (csv("$oracle/events.csv"))[1 .. 120];
	my $messages = join "\n", sort map { my ($s, $r) = @event{@$_}; int($s->[1] + 0.5) . ' ' . int($r->[1] + 0.5) } grep { $_->[0] =~ /^\d/ } csv("$oracle/message_pairs_ref.csv");
	my @pairs = split /\n/, $messages;
	my @found = split /\n/, $w->sql("SELECT send_time || ' ' || receive_time FROM perfhouse.messages($run) ORDER BY (send_time || ' ' || receive_time) COLLATE \"C\"");
	is(scalar @found, scalar @pairs, 'as many messages');
	ok(!(grep { my @a = split / /, $found[$_]; my @b = split / /, $pairs[$_]; !near($a[0], $b[0]) || !near($a[1], $b[1]) } 0 .. $#pairs), 'with the same ends')
		or diag("@found\n$messages");
}

done_testing();
