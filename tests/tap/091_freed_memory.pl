# What a run's functions answer does not rest on memory that was given back: in a server that overwrites what it frees (glibc's
# MALLOC_PERTURB_), the answers from rows that are stored whole are those from rows whose columns are stored apart. Rows that
# come from other nodes of a cluster are whole, too, and larger ones are in blocks of memory that are freed with them.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Perfhouse;
use Test::More;

local $ENV{MALLOC_PERTURB_} = 165;
my $w      = Perfhouse->new;
my @inputs = map { "$Perfhouse::data/$_" } qw(traces/lulesh-8 gpu/train-4 tasks/wavefront.jsonl);
my @load   = ('load', '--if-exists', 'replace', @inputs);

# Of every function that needs a run alone, of the whole run and of a window: its call, and how many rows of which content.
my $calls = <<'SQL';
SELECT p.proname || format('(%s%s)', r.run_id, CASE WHEN w.is_window THEN format(', t_from => %s, t_to => %s', t.duration / 3, t.duration / 2) END) AS call
FROM pg_proc p, perfhouse.run r JOIN perfhouse.trace t USING (run_id), (VALUES (false), (true)) w (is_window)
WHERE p.pronamespace = 'perfhouse'::regnamespace AND p.proretset AND p.provolatile <> 'v' AND p.proargnames[1] = 'run' AND p.proargtypes[0] = 'bigint'::regtype
	AND p.pronargs - p.pronargdefaults = 1 AND (NOT w.is_window OR 't_from' = ANY (p.proargnames))
SQL

sub answers
{
	my @statements = map { my $quoted = s/'/''/gr; "SELECT '$quoted', count(*), sum(hashtext(x::text)::int8) FROM perfhouse.$_ x;" } split /\n/, $w->sql($calls);
	my $file       = $w->write_file('calls.sql', join("\n", @statements, ''));
	my $r          = $w->run('psql', '--', '-XAt', '-v', 'ON_ERROR_STOP=0', '-f', $file);
	return split /\n/, $r->{out} . $r->{err} =~ s/^psql:[^ ]* //gmr;
}

$w->ok_run('columns apart', @load);
my @apart = answers();
$w->sql(<<'SQL');
DO $$
DECLARE
	r regclass;
BEGIN
	FOR r IN SELECT oid FROM pg_class WHERE relnamespace = 'perfhouse'::regnamespace AND relkind = 'r' AND reltoastrelid <> 0 LOOP
		EXECUTE format('ALTER TABLE %s SET (toast_tuple_target = 8160)', r);
	END LOOP;
END $$;
SQL
$w->ok_run('rows whole', @load);
cmp_ok($w->sql('SELECT count(*) FROM perfhouse.trace_chunk c WHERE pg_column_size(c) > 5000'), '>', 7, 'which are large');
my @whole = answers();
cmp_ok(scalar(grep { /\|[1-9]/ } @apart), '>', 100, 'there are many answers');
my %is_apart = map { $_ => 1 } @apart;
is(join("\n", scalar @whole, grep { !$is_apart{$_} } @whole), scalar @apart, 'which are the same');

done_testing();
