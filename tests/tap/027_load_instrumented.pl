# load: profiles of instrumenting tools, Score-P's Cube files and TAU's profiles.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Perfhouse;
use JSON::PP;
use Test::More;

my $w    = Perfhouse->new;
my $data = "$Perfhouse::data/profiles";

# ---- a Cube file alone
my $r = $w->ok_run('load a Cube file', 'load', '--json', "$data/scorep-halo2d/profile.cubex");
my $j = decode_json($r->{out});
is($j->{format},  'cube', 'format');
is($j->{n_nodes},   22,     'nodes');
is($j->{n_columns}, 9,      'columns');
is($j->{n_metrics}, 6,      'metrics are counted');
is($w->sql('SELECT application, title, n_ranks FROM perfhouse.run WHERE run_id = 1'), 'halo2d.scorep|scorep-halo2d|9', 'what the run is called');
is($w->sql(q{SELECT meta->>'Creator' FROM perfhouse.run WHERE run_id = 1}), 'Score-P 8.4', 'metadata');
is($w->sql(q{SELECT sum(exclusive) * 9 FROM perfhouse.nodes(perfhouse.profile(1, 'visits'))}), '702', 'visits');
is($w->sql('SELECT count(*), sum(residual) FROM perfhouse.nodes(perfhouse.profile(1))'), '22|0', 'time adds up');
is($w->sql(q{SELECT round(sum(inclusive)::numeric * 9, 9) FROM perfhouse.nodes(perfhouse.profile(1))}), '18.508207471', 'inclusive time');
is($w->sql(q{SELECT string_agg(label, ' ' ORDER BY label) FROM perfhouse.supernodes(perfhouse.supergraph(perfhouse.profile(1), 'module'))}),
	'MPI halo2d.scorep', 'modules: MPI and the program');
is($w->sql(q{SELECT string_agg(DISTINCT label, ' ' ORDER BY label) FROM perfhouse.supernodes(perfhouse.supergraph(perfhouse.profile(1), 'paradigm'))}),
	'compiler measurement mpi', 'paradigms as measured');
is($w->sql(q{SELECT exclusive FROM perfhouse.nodes(perfhouse.profile(1, 'max_time')) WHERE name = 'halo2d.scorep'}) > 0, 1, 'metrics that are not additive');

# ---- the directory of the measurement: the same profile and the settings
$r = $w->ok_run('load a Score-P experiment', 'load', '--json', "$data/scorep-halo2d");
$j = decode_json($r->{out});
is($j->{n_nodes}, 22, 'nodes');
is($w->sql(qq{SELECT meta->>'SCOREP_TOTAL_MEMORY' FROM perfhouse.run WHERE run_id = $j->{run_id}}), '24M', 'settings are metadata');
is($w->sql(qq{SELECT count(*) FROM perfhouse.nodes_diff(perfhouse.diff(perfhouse.profile(1), perfhouse.profile($j->{run_id}))) WHERE status <> 'both' OR delta_inclusive <> 0}),
	'0', 'no difference');

# ---- TAU
$r = $w->ok_run('load TAU profiles', 'load', '--json', "$data/tau-callpath");
$j = decode_json($r->{out});
is($j->{format},  'tau', 'format');
is($j->{n_nodes},   25,    'nodes');
is($j->{n_columns}, 2,     'columns');
my $tau = $j->{run_id};
is($w->sql("SELECT application, n_ranks, started_at AT TIME ZONE 'UTC' FROM perfhouse.run WHERE run_id = $tau"), 'halo2d.tau|2|2026-11-21 03:02:50', 'metadata');
is($w->sql("SELECT inclusive FROM perfhouse.nodes(perfhouse.profile($tau)) WHERE parent IS NULL"), (0.419913 + 0.420326) / 2, 'time counts once');
is($w->sql(qq{SELECT string_agg(label, ' ' ORDER BY label) FROM perfhouse.supernodes(perfhouse.supergraph(perfhouse.profile($tau), 'module'))}),
	'MPI halo2d.tau', 'modules');
$r = $w->ok_run('load flat TAU profiles', 'load', '--json', "$data/tau-flat");
is(decode_json($r->{out})->{n_nodes}, 23, 'nodes');

# ---- several experiments below one directory
$r = $w->ok_run('load a directory of everything', 'load', '--dry-run', '--json', '--ignore-unknown', $data);
my %formats;
$formats{decode_json($_)->{format}}++ for split /\n/, $r->{out};
is($formats{cube}, 1, 'one Cube run');
is($formats{tau},  2, 'a TAU run for each directory');

# ---- damaged files leave nothing behind
my $runs  = $w->sql('SELECT count(*) FROM perfhouse.run');
my $bytes = Perfhouse::slurp("$data/scorep-halo2d/profile.cubex");
my $cut   = $w->write_file('cut.cubex', substr($bytes, 0, 20000));
$r = $w->run('load', $cut);
isnt($r->{code}, 0, 'a cut archive is refused');
like($r->{err}, qr/cut\.cubex: .*(truncated|anchor\.xml)/i, 'it says what is wrong');
mkdir "$w->{home}/tau";
open(my $out, '>', "$w->{home}/tau/profile.0.0.0") or die;
print $out substr(Perfhouse::slurp("$data/tau-flat/profile.0.0.0"), 0, 6000);
close($out);
$r = $w->run('load', "$w->{home}/tau");
isnt($r->{code}, 0, 'a cut profile is refused');
like($r->{err}, qr/profile\.0\.0\.0:\d+:\d+: /, 'it names file and line');
is($w->sql('SELECT count(*) FROM perfhouse.run'), $runs, 'nothing is left');

done_testing();
