# What is lost between runs of other sizes: work that grows, instructions that take longer, a lower frequency.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use JSON::PP;
use Perfhouse;
use Test::More;

my $w = Perfhouse->new;
$w->ok_run('init', 'init');

# A run of $ranks ranks: each has so many instructions, cycles and seconds in solve, and as many again in MPI_Allreduce.
my $n_runs = 0;
sub load_run
{
	my ($ranks, $instructions, $cycles, $seconds, @set) = @_;
	my $rows = join(', ', map { my $r = $_; map { sprintf('[%.9f, %.1f, %.1f, %d, %d]', $seconds, $instructions, $cycles, $r, $_) } 0, 1 } 0 .. $ranks - 1);
	my $file = $w->write_file("run-$n_runs.json", qq({"data": [$rows], "columns": ["time", "PAPI_TOT_INS", "PAPI_TOT_CYC", "mpi.rank", "path"],
		"column_metadata": [{"is_value": true}, {"is_value": true}, {"is_value": true}, {"is_value": true}, {"is_value": false}],
		"nodes": [{"label": "solve", "column": "path"}, {"label": "MPI_Allreduce", "column": "path"}], "mpi.world.size": "$ranks", "number": $n_runs}\n));
	$w->ok_run("run of $ranks", 'load', '-q', '--set', 'application=scaled', @set, $file);
	return ++$n_runs;
}
sub factors
{
	my (@runs) = @_;
	return $w->sql(sprintf q{SELECT string_agg(concat_ws(' ', n_ranks, kind, round(computation::numeric, 6), round(instructions::numeric, 6), round(ipc::numeric, 6),
		round(frequency::numeric, 6)), ', ') FROM perfhouse.scaling_efficiency('{%s}')}, join(',', @runs));
}

# ---- strong: twice the ranks, a tenth more instructions in all, at a lower IPC and frequency
my @size = ('--set', 'problem_size=64');
my $one  = load_run(2, 1000e6, 500e6, 0.25, @size);
my $two  = load_run(4, 550e6, 300e6, 0.16, @size);
$w->ok_run('the size is the run\'s', 'application', 'set', 'scaled', '--size-of', 'run');
is(factors($two, $one), '2 strong 1.000000 1.000000 1.000000 1.000000, 4 strong 0.781250 0.909091 0.916667 0.937500', 'strong');
is($w->sql("SELECT bool_and(abs(computation - instructions * ipc * frequency) < 1e-12) FROM perfhouse.scaling_efficiency('{$one,$two}')"), 't', 'a product');
is($w->sql("SELECT bool_and(abs(global - parallel * computation) < 1e-12), count(global) FROM perfhouse.scaling_efficiency('{$one,$two}')"), 't|2', 'with the parallel efficiency');

my $study = q{SELECT string_agg(concat_ws(' ', run_id, n_ranks, kind, round(global::numeric, 6)), ', ') FROM perfhouse.};
is($w->sql("${study}scaling_study('scaled')"), $w->sql("${study}scaling_efficiency('{$one,$two}')"), 'the study of the application');
is($w->sql(q{SELECT count(*) FROM perfhouse.scaling_study('scaled', 'n_ranks = 4')}), 0, 'a filter chooses its runs');
is($w->sql(q{SELECT count(*) FROM perfhouse.scaling_study('nobody')}), 0, 'none of an unknown application');
my $other = load_run(8, 550e6, 300e6, 0.16, '--set', 'problem_size=99');
is($w->sql("${study}scaling_study('scaled')"), $w->sql("${study}scaling_efficiency('{$one,$two}')"), 'the newest study, not the newest run');
$w->sql("UPDATE perfhouse.run SET excluded_reason = 'broken' WHERE run_id = $two");
is($w->sql(q{SELECT count(*) FROM perfhouse.scaling_study('scaled')}), 0, 'excluded runs are in none');
$w->sql("UPDATE perfhouse.run SET excluded_reason = NULL WHERE run_id = $two");

# ---- said unasked
my @said = grep { $_->{sentence} =~ /^From/ } @{decode_json($w->ok_run('explain', 'explain', $two, '--format', 'json')->{out})->{sentences}};
is(scalar @said, 1, 'explain says it of the larger run');
like($said[0]{sentence}, qr/^From 2 to 4 ranks \(strong scaling\) computation keeps 78\.1 % of its efficiency: instructions 90\.9 %, IPC 91\.7 %, frequency 93\.8 %; with that of processes it is \d+\.\d %\.$/, 'with its factors');
like($w->sql($said[0]{evidence}), qr/^$one\|2\|.*\n$two\|4\|/, 'and the query that shows it');
like($w->ok_run('report', 'report', $two)->{out}, qr/From 2 to 4 ranks/, 'a report begins with it');
unlike($w->ok_run('explain', 'explain', $one)->{out}, qr/From 2/, 'nothing of the smallest');

# ---- weak: as much a rank
my @grown = (load_run(2, 1000e6, 500e6, 0.25, '--set', 'problem_size=100', '--set', 'application=grown'), load_run(4, 1000e6, 500e6, 0.5, '--set', 'problem_size=200', '--set', 'application=grown'));
is(factors(@grown), '2 weak 1.000000 1.000000 1.000000 1.000000, 4 weak 0.500000 1.000000 1.000000 0.500000', 'weak');

# ---- nobody says how large the problem is; and of no runs
my @unknown = (load_run(2, 1000e6, 500e6, 0.25, '--set', 'application=unknown'), load_run(4, 500e6, 250e6, 0.125, '--set', 'application=unknown'));
is($w->sql(sprintf q{SELECT count(computation), count(global), count(ipc), min(reason) LIKE '%%do not say the size%%' FROM perfhouse.scaling_efficiency('{%s}')}, join(',', @unknown)), '0|0|2|t', 'unknown');
is($w->sql(q{SELECT count(*) FROM perfhouse.scaling_efficiency('{999999}')}), '0', 'no run');
is($w->sql(q{SELECT count(*) FROM perfhouse.scaling_efficiency(NULL)}), '0', 'none');

$w->stop;
done_testing();
