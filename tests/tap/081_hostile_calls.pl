# Random and extreme calls of every SQL function, on runs of every kind: each ends with an answer or a sentence, none with an
# internal error or the server's end, and a cancelled one within a second. CALLS in all (1,500; make torture-sql: 100,000, under
# ASan and UBSan), of which each public function answers at least SUCCESSES (0; 200). COUNTS: a file for a line of each function.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Calls;
use Perfhouse;
use Test::More;
use Time::HiRes qw(time);

my $most      = $ENV{CALLS}     // 1500;
my $successes = $ENV{SUCCESSES} // 0;
my $seed      = $ENV{SEED}      // 1;
my $patience  = $ENV{PATIENCE}  // 5; # seconds for a call
my $is_slow   = ($ENV{LD_PRELOAD} // '') =~ /asan/ ? 3 : 1;
my $schemas   = $ENV{SCHEMAS} // 'perfhouse perfhouse_internal';
srand($seed);
diag("SEED=$seed CALLS=$most SUCCESSES=$successes");

my $w    = Perfhouse->new;
my $data = $Perfhouse::data;
$w->ok_run('a server', 'up');
$w->ok_run('runs of a history', 'load', '--module-map', "$data/lulesh-history/modules.map", (sort glob("$data/lulesh-history/lulesh-*.cali"))[0 .. 9]);
$w->run('load', '--allow-incomplete', "$data/profiles", glob("$data/traces/*"), map { "$data/$_" } qw(chrome devices gpu tasks projections flat));
cmp_ok($w->sql('SELECT count(*) FROM perfhouse.run_overview'), '>', 30, 'runs of every kind');

# A commit history with a regression in it, as the tests of regressions have it.
my ($history) = Perfhouse::slurp("$FindBin::Bin/../regress/sql/regressions.sql") =~ /\A(.*?^SELECT count\(public\.add_run.*?\n)/ms;
$history =~ s/SELECT metric_id FROM/SELECT min(metric_id) FROM/; # runs of all formats have several times in seconds
my $r;

# Run statements as a file; the rows that they answer, as fields.
sub rows
{
	my (@statements) = @_;
	my $file   = $w->write_file('calls.sql', join("\n", @statements, ''));
	my $answer = $w->run('psql', '--', '-XAtq', '-F', "\x1f", '-v', 'ON_ERROR_STOP=0', '-f', $file);
	$r = $answer;
	return map { [split /\x1f/, $_, -1] } split /\n/, $answer->{out};
}

rows($history, q{SELECT perfhouse.update_regressions('reg');}, q{SELECT public.add_run(no, i, 1.1) FROM public.reg WHERE i BETWEEN 22 AND 36;}, q{SELECT perfhouse.update_regressions('reg');},
	q{CREATE FUNCTION public.attempt(statement text, patience int) RETURNS TABLE (code text, ms numeric, message text) LANGUAGE plpgsql AS $$
DECLARE
	began timestamptz := clock_timestamp();
	n bigint;
BEGIN
	BEGIN
		IF statement LIKE 'CALL%' THEN EXECUTE statement; ELSE EXECUTE statement INTO n; END IF;
		RAISE EXCEPTION USING ERRCODE = 'PHOK0', MESSAGE = coalesce(n, 0); -- whatever it changed is taken back
	EXCEPTION WHEN OTHERS OR query_canceled OR assert_failure THEN
		code := SQLSTATE;
		message := left(regexp_replace(SQLERRM, '[[:cntrl:]]', ' ', 'g'), 300);
	END;
	ms := round(1000 * extract(epoch FROM clock_timestamp() - began));
	RETURN NEXT;
END $$;},
	q{SELECT perfhouse.define_metric('half', 'time / 2'), perfhouse.define_pattern('own', 'S{2,6} A'), perfhouse.define_pattern('own', 'S{2,6} A', 'lulesh'), perfhouse.set_application('lulesh', '{compiler}'),
	perfhouse.add_alias('main', 'main2', 'lulesh'), perfhouse.grant_project('alpha', 'perfhouse_reader');},
	q{CREATE TABLE public.pool (id serial, p perfhouse.profile);},
	q{CREATE TABLE public.graph (id serial, sg perfhouse.supergraph);},
	q{SET search_path = perfhouse, public;},
	q{INSERT INTO pool (p) SELECT profile(run_id) FROM run_overview WHERE n_columns > 0 ORDER BY run_id LIMIT 40;},
	q{INSERT INTO pool (p) SELECT profile(run_id, NULL::text[]) FROM run_overview WHERE n_columns > 0 ORDER BY run_id LIMIT 40;},
	q{INSERT INTO pool (p) SELECT filter(p, 0.2) FROM pool WHERE id <= 10;},
	q{INSERT INTO pool (p) SELECT trace_profile(run_id) FROM run_overview WHERE has_trace LIMIT 6;},
	q{INSERT INTO pool (p) SELECT ensemble(p, 'run ' || id) FROM pool WHERE id BETWEEN 1 AND 5;},
	q{INSERT INTO pool (p) SELECT diff(a.p, b.p) FROM pool a, pool b WHERE (a.id, b.id) IN ((1, 2), (1, 6));},
	map({ "INSERT INTO pool (p) SELECT $_;" } q{hatchet_literal('[]')}, q{hatchet_literal('[{"frame": {"name": ""}, "metrics": {"time": 0}}]')},
		q{hatchet_literal('[{"frame": {"name": "bare"}, "metrics": {}}]')}, q{profile_scale((SELECT p FROM pool LIMIT 1), 'Infinity')},
		q{profile_scale((SELECT p FROM pool LIMIT 1), 0)}, q{subset_ranks((SELECT p FROM pool LIMIT 1), '{}')}, q{drop_roots((SELECT p FROM pool LIMIT 1), 2)}, q{select_metrics((SELECT p FROM pool LIMIT 1), '{}')}),
	map({ "INSERT INTO graph (sg) SELECT supergraph(p, $_) FROM pool ORDER BY random() LIMIT 25;" } q{'module'}, q{'function'}, q{'file'}));
cmp_ok(scalar(rows('SELECT 1 FROM public.pool;')), '>', 50, 'profiles');
cmp_ok(scalar(rows('SELECT 1 FROM public.graph;')), '>', 30, 'super graphs');

# ---- what is good
my $sql = sub { return rows("SET calls.schemas = '$schemas';", $_[0] . ';') };
my %examples;
push @{$examples{$_->[0]}}, $_->[1] for rows(q{SELECT (regexp_match(object, '^perfhouse\.(\w+)'))[1], replace(example, chr(10), ' ') FROM perfhouse_internal.examples();});
my $calls = Calls->new(sql => $sql, examples => \%examples);
my $texts = sub { return [map { q{E'} . ($_->[0] =~ s/([\\'])/\\$1/gr) . q{'} } rows(@_)] };
my $names = $texts->(q{SELECT DISTINCT name FROM perfhouse.region WHERE name <> '' LIMIT 60;});
push @$names, map { "'$_'" } (qw(half own lulesh)) x 10; # what was defined above
my $nodes = $texts->(q{SELECT DISTINCT s.node FROM public.graph g, perfhouse.supernodes(g.sg) s LIMIT 60;});
my $runs  = [map { $_->[0] } rows(q{SELECT run_id FROM perfhouse.run_overview WHERE application IS DISTINCT FROM 'reg' OR run_id % 10 = 0;})];
push @$runs, (map { $_->[0] } rows('SELECT run_id FROM perfhouse.run_overview WHERE has_trace;')) x 3; # most functions of a run want one
my $apps  = $texts->('SELECT DISTINCT application FROM perfhouse.run_overview WHERE application IS NOT NULL;');
my $commits = $texts->('SELECT commit_id FROM perfhouse.commit;');
my $metrics = $texts->('SELECT DISTINCT name FROM perfhouse.metric;');
my $filters = ["'n_ranks > 1'", "'application = lulesh'", "'format = caliper'", "'n_ranks = 8'"];
my $paths   = $texts->('SELECT DISTINCT path FROM public.pool p, perfhouse.nodes(p.p) LIMIT 40;');
my $ids     = [map { $_->[0] } rows('SELECT regression_id FROM perfhouse.regression UNION ALL SELECT alias_id FROM perfhouse.region_alias;')];
my %named   = (
	'bigint id' => $ids, 'bigint change_id' => $ids, 'text project' => ["'alpha'"], 'text member' => ["'perfhouse_reader'"], 'text state' => ["'active'", "'fixed'", "'ignored'"],
	'bigint callpath_id' => [map { $_->[0] } rows('SELECT callpath_id FROM perfhouse.profile_summary WHERE run_id <= 10 GROUP BY 1 ORDER BY count(DISTINCT run_id) DESC, 1 LIMIT 5;')],
	'text metric' => $metrics, 'text name' => $names, 'text node' => $nodes, 'text path' => $paths, 'text application' => $apps, 'text of_application' => $apps, 'text filter' => $filters,
	'text by' => ["'function'", "'module'", "'file'", "'total'", "'kind'", "'path'"], 'text cost' => ["'inclusive'", "'exclusive'"], 'text stat' => ["'mean'", "'max'", "'min'"],
	'text group_by' => ["'module'", "'function'", "'file'"], 'text formula' => ["'time / calls'", "'time * 2'"], 'text unit' => ["'s'", "'ms'", "'B'"], 'text pattern' => ["'(\"MPI_.*\")'", "'*'"],
	'text a' => $commits, 'text b' => $commits, 'text good' => $commits, 'text bad' => $commits, 'text commit_id' => $commits, 'text of_commit' => $commits, 'text repository' => $texts->('SELECT DISTINCT repository FROM perfhouse.commit;'),
	'bigint run' => $runs, 'bigint run_a' => $runs, 'bigint run_b' => $runs, 'integer phase' => [0 .. 5], 'integer location' => [0 .. 7], 'integer bins' => [1 .. 30],
	'bigint t_from' => [0, 1000, 100000, 'NULL'], 'bigint t_to' => [1000000, 100000000, 'NULL'],
	'perfhouse.profile' => [map { "(SELECT p FROM public.pool WHERE id = $_->[0])" } rows('SELECT id FROM public.pool;')],
	'perfhouse.supergraph' => [map { "(SELECT sg FROM public.graph WHERE id = $_->[0])" } rows('SELECT id FROM public.graph;')],
	'jsonb options' => ["'{}'::jsonb"], 'bytea sketch' => ["perfhouse.sketch('{1,2,3,4.5}')", "perfhouse.sketch('{}')"]);
$calls->{values} = {%named, text => [map { @$_ } $metrics, $names, $nodes, $apps, $commits], bigint => [@$runs], integer => [0 .. 9, 16, 100], 'double precision' => [qw(0 0.01 0.1 0.5 1 2.5 10 1000)], boolean => [qw(true false)]};
my @functions = $calls->functions;
cmp_ok(scalar @functions, '>', 200, 'functions');

# ---- calls
my (%n, %good, %codes, @internal, @slow, @dead);

sub is_late { return $_[0] > 1000 * ($patience + 1) * $is_slow }

# The answers to statements, each of which may take its time.
sub answers
{
	my $tag = 'ph' . int(rand 1e9);
	return rows("SET statement_timeout = '${patience}s';", 'SET search_path = perfhouse, public;', "SET perfhouse.memory_limit = '512MB';", 'SET temp_file_limit = \'1GB\';',
		map { "SELECT code, ms, message FROM public.attempt(\$$tag\$$_\$$tag\$, 1);" } @_);
}

sub note_result
{
	my ($call, $answer) = @_;
	my ($f, $used, $statement, $wild) = @$call;
	my ($code, $ms, $message) = @$answer;
	$n{$f->{signature}}++;
	$codes{$code}++;
	if ($code eq 'PHOK0')
	{
		$good{$f->{signature}}++;
		$calls->learn($f, $used);
	}
	elsif (defined $wild && $wild == 0) { $calls->doubt($f, $used) }
	# 22P01: the processor's, of a division of integers by 0
	push @internal, "$message: $statement" if $code =~ /^(?:XX|P0004|22P01)/ || $message =~ /^the declaration of this function /;
	push @slow, [$ms, $statement] if is_late($ms);
	return;
}

# A batch in one session; what a dead server left out is tried by the next one.
sub attempt
{
	my (@batch) = @_;
	while (@batch)
	{
		my @answers = answers(map { $_->[2] } @batch);
		my $is_dead = $r->{err} =~ /server closed the connection|terminat|could not connect|connection to server/ || $r->{code} != 0;
		note_result(shift @batch, $_) for splice(@answers, 0, scalar @batch);
		last if !@batch;
		my $killer = shift @batch;
		my ($finding) = Perfhouse::slurp("$w->{home}/home/cluster/server.log") =~ /.*^([^\n]*runtime error[^\n]*)/ms;
		push @dead, ($is_dead ? 'the server ended: ' : 'no answer: ') . "$killer->[2]\n$r->{err}" . ($finding // '');
		BAIL_OUT('the server does not live: ' . join("\n", @dead)) if @dead > 50;
		sleep 2;
	}
	return;
}

# One round: as many calls of each function as it still needs.
sub round_of_calls
{
	my ($wild, $each, @of) = @_;
	my @batch;
	for my $f (@of)
	{
		for (1 .. $each)
		{
			my $n_wild = $wild->();
			my ($statement, $used) = $calls->call($f, $n_wild);
			push @batch, [$f, $used, $statement, $n_wild];
		}
		attempt(splice(@batch)) if @batch >= 150;
	}
	attempt(@batch);
	return;
}

# Nulls are met by rule, not by chance: a function that is not strict and forgets one ends the server.
my @nulls = map { my $f = $_; map { [$f, {}, $_] } $calls->null_calls($f) } @functions;
attempt(splice(@nulls, 0, 150)) while @nulls;
my $n_nulls = 0;
$n_nulls += $_ for values %n;
cmp_ok($n_nulls, '>', 800, 'calls with nulls');
%n = %good = %codes = ();

my $total = sub { my $sum = 0; $sum += $_ for values %n; return $sum };
my $began = time;
while ($total->() < $most)
{
	my $left = $most - $total->();
	my $each = int($left / @functions) || 1;
	$each = 10 if $each > 10;
	my @of = $left < @functions ? (sort { rand() <=> 0.5 } @functions)[0 .. $left - 1] : @functions;
	diag($total->() . ' calls in ' . int(time - $began) . ' s') if $most > 5000;
	round_of_calls(sub { my $x = rand; return $x < 0.5 ? 0 : $x < 0.85 ? 1 : 3 }, $each, @of);
}
# those that answered seldom, with good arguments; what hardly ever answers is given up, and told
my $lacking = sub { return grep { $_->{schema} eq 'perfhouse' && ($good{$_->{signature}} // 0) < $successes } @functions };
my $worth   = sub { return grep { ($n{$_->{signature}} // 0) < 300 + 20 * $successes } $lacking->() };
while (my @few = $worth->())
{
	diag($total->() . ' calls in ' . int(time - $began) . ' s, ' . @few . ' functions answered too seldom') if $most > 500;
	round_of_calls(sub { return 0 }, 20, @few);
}
my @few = $lacking->();
is(scalar @few, 0, "every public function answered $successes times or more") or diag(map { "$_->{signature}: " . ($good{$_->{signature}} // 0) . " of $n{$_->{signature}}\n" } @few);
is("@dead",     '', 'the server lived');
is(join("\n", @internal[0 .. ($#internal > 20 ? 20 : $#internal)]), '', 'no internal error');
# on a busy machine a call may wait for a processor: what does not end when it is cancelled goes on each time
my $is_slow_again = sub { my ($answer) = answers($_[0][1]); return !$answer || is_late($answer->[1]) };
@slow = map { "$_->[0] ms: $_->[1]" } grep { my $one = $_; !grep { !$is_slow_again->($one) } 1 .. 3 } @slow;
is(join("\n", @slow[0 .. ($#slow > 20 ? 20 : $#slow)]), '', "none went on for a second after $patience s");
my @rarest = sort { ($good{$a} // 0) / $n{$a} <=> ($good{$b} // 0) / $n{$b} } grep { /^(?!perfhouse_internal\.)/ } keys %n;
diag('answered least: ' . join(', ', map { "$_ " . ($good{$_} // 0) . " of $n{$_}" } @rarest[0 .. ($#rarest > 4 ? 4 : $#rarest)])) if $most > 1500;
my $write_counts = sub {
	open(my $out, '>', $_[0]) or die "$_[0]: $!";
	printf $out "%6d of %6d %s\n", $good{$_} // 0, $n{$_}, $_ for @_[1 .. $#_];
	return;
};
$write_counts->($ENV{COUNTS}, @rarest) if defined $ENV{COUNTS};
my $succeeded = 0;
$succeeded += $_ for values %good;
cmp_ok($succeeded, '>', $most / 10, 'calls that succeeded');
diag(sprintf('%d calls of %d functions in %d s, %d answered; errors: %s', $total->(), scalar @functions, time - $began, $succeeded, join(', ', map { "$_ $codes{$_}" } sort { $codes{$b} <=> $codes{$a} } keys %codes)));
done_testing();
