# render --query: pictures of values and rows that a query gives.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Perfhouse;
use Test::More;

my $w       = Perfhouse->new;
my $history = "$Perfhouse::data/lulesh-history";
my $out     = $w->{home};
$w->ok_run("load $_", 'load', '--set', 'application=lulesh', "$history/lulesh-$_.cali") for '3e01c40-n8-1', '46c2a1d-n8-1', '3e01c40-n27-1';

sub drawn
{
	my ($what, $view, $query, @options) = @_;
	$w->ok_run($what, 'render', $view, '--query', $query, @options, '-o', "$out/q.svg");
	return Perfhouse::slurp("$out/q.svg");
}

# ---- a value of the query is drawn as that of a run is
my %same = (
	'flame'     => ['profile(1)'],
	'processes' => ['profile(3)'],
	'metric'    => ['profile(3)', '--node', 'main'],
	'cct'       => ['profile(3)'],
	'histogram' => ["supergraph(profile(3), 'function')", '--node', 'MPI_Allreduce'],
	'box'       => ["supergraph(profile(3), 'function')"]);
for my $view (sort keys %same)
{
	my ($value, @options) = @{$same{$view}};
	my ($run)   = $value =~ /profile\(([0-9])/;
	my @group   = $value =~ /supergraph/ ? ('--group-by', 'function') : ();
	my $picture = drawn("$view of a query", $view, "SELECT $value", @options);
	my @filter  = $view eq 'metric' ? () : ('--filter', '0');
	$w->ok_run("$view of the run", 'render', $view, '--run', $run, @group, @filter, @options, '-o', "$out/r.svg");
	is(() = $picture =~ /<rect/g, () = Perfhouse::slurp("$out/r.svg") =~ /<rect/g, "$view has as many marks");
	ok(index($picture =~ s/&(?:apos|#39);/'/gr, "SELECT $value") >= 0, "$view says what it is of");
}

# ---- the difference of two runs, as high as it is whatever its sign
my $difference = "SELECT supergraph(filter(profile(2) - profile(1), 0.001), 'module')";
like(drawn('a difference by module', 'sankey', $difference), qr/class="bar"/, 'has bars');
my $bars = drawn('by function', 'sankey', "SELECT supergraph(profile(2) - profile(1), 'function')");
like($bars, qr/faster/, 'colours tell which way');
my ($net) = $bars =~ /class="bar" data-difference="([^"]+)"[^>]*data-node="MPI_Waitall"/;
my $truth = $w->sql("SELECT exclusive FROM perfhouse.supernodes(perfhouse.supergraph(perfhouse.profile_subtract(perfhouse.profile(2), perfhouse.profile(1)), 'function')) WHERE node = 'MPI_Waitall'");
cmp_ok(abs($net - $truth), '<', 1e-6 * abs($truth), 'the difference of a supernode');
like($bars, qr/whatever their signs/, 'and what heights are');

# ---- two values, many runs
like(drawn('two profiles', 'flame-diff', 'SELECT profile(1), profile(2)'), qr/Differential/, 'a differential flame graph');
like(drawn('an ensemble', 'sankey-ensemble', "SELECT supergraph(ensemble(profile(run_id), run_id::text ORDER BY run_id), 'function') FROM run"),
	qr/Super graph of 3 runs/, 'an ensemble');
like(drawn('with refinement', 'sankey', "SELECT supergraph(profile(1), 'function')", '--split-caller', 'MPI_Waitall'), qr/data-node="MPI_Waitall-/, 'refined as that of a run');

# ---- from a file, from saved rows
my $file = $w->write_file('q.sql', "-- both\nSELECT (profile(1) + profile(2)) / 2.0;\n");
$w->ok_run('a query from a file', 'render', 'flame', '--query-file', $file, '-o', "$out/a.svg", '--save-rows', "$out/a.rows");
$w->ok_run('its saved rows',      'render', 'flame', '--rows',       "$out/a.rows", '-o', "$out/b.svg");
is(Perfhouse::slurp("$out/b.svg"), Perfhouse::slurp("$out/a.svg"), 'the same picture of saved rows');

# ---- mistakes are told with what is drawn
for my $case (
	['another type',     2, 'sankey', 'SELECT profile(1)',                      qr/column 1, "profile", is of type profile\b.*It draws: supergraph\./s],
	['too many columns', 2, 'flame',  'SELECT profile(1), profile(2)',          qr/it has 2 columns/],
	['one of two',       2, 'flame-diff', 'SELECT profile(1)',                  qr/it has no column 2, b.*a \(profile\), b \(profile\)/s],
	['no row',           2, 'flame',  'SELECT profile(1) WHERE false',          qr/it gives no row/],
	['many rows',        2, 'flame',  'SELECT profile(1) FROM run',             qr/more than one row/],
	['null',             2, 'flame',  'SELECT NULL::profile',                   qr/it gives null/],
	['a parameter',      2, 'flame',  'SELECT profile($1::int8)',               qr/parameter/],
	['two statements',   1, 'flame',  'SELECT profile(1); SELECT profile(2)',   qr/multiple commands/],
	['nothing',          2, 'flame',  ' ; ',                                    qr/the query is empty/],
	['no such run',     13, 'flame',  'SELECT profile(99)',                     qr/there is no run 99/],
	['not a query of values', 2, 'timeline', 'SELECT 1',                        qr/timeline draws runs, and no query/])
{
	my ($what, $code, $view, $query, $message) = @$case;
	my $r = $w->run('render', $view, '--query', $query, '-o', "$out/no.svg");
	is($r->{code}, $code, "$what is refused");
	like($r->{err}, $message, "$what: why");
}
ok(!-e "$out/no.svg", 'nothing is written then');
my $r = $w->run('render', 'flame', '--query', 'SELECT profile(1)', '--run', '1', '-o', "$out/no.svg");
like($r->{err}, qr/option --run does not go with a query/, 'a run beside the query is refused');

# ---- it may only read
for my $query ('DELETE FROM perfhouse.run RETURNING profile(1)', 'SELECT profile(1) FROM (SELECT perfhouse.drop_run(2)) d')
{
	$r = $w->run('render', 'flame', '--query', $query, '-o', "$out/no.svg");
	isnt($r->{code}, 0, 'a query that writes is refused');
	like($r->{err}, qr/read-only transaction/, 'because it may only read');
}
is($w->sql('SELECT count(*) FROM perfhouse.run'), 3, 'and nothing is lost');

# ---- --list says what views draw
my $list = $w->ok_run('the list', 'render', '--list')->{out};
like($list, qr/^sankey +a run, or of a query: supergraph$/m, 'tells the value');
like($list, qr/^timeline +a run$/m,                          'and who draws none');
done_testing();
