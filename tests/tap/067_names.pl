# One grammar of filters and one set of names: command line, SQL, API and Python say the same of the same runs.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use JSON::PP;
use Perfhouse;
use Serve;
use Test::More;

my $w = Perfhouse->new;
$w->ok_run('load', 'load', '--set', 'application=lulesh', '--tag', 'good', glob("$Perfhouse::data/lulesh-history/lulesh-3e01c40-n8-*.cali"));
$w->ok_run('load others', 'load', '--no-environment', '--set', 'compiler=gcc', '--set', 'size=30', "$Perfhouse::data/profiles/small.cali", "$Perfhouse::data/traces/lulesh-8");
my $s = Serve->new($w, '--workers', '1');
my %column = map { $_ => 1 } split(/\n/, $w->sql(q{SELECT attname FROM pg_attribute WHERE attrelid = 'perfhouse.run_overview'::regclass AND attnum > 0}));
cmp_ok(scalar keys %column, '>', 25, 'columns of run_overview');

# ---- names
# of the total that is listed, where another metric may be asked for; of the table alone (always ready); found for the page of one run
my %own = map { $_ => 1 } qw(metric unit state experiment has_devices has_messages communicates has_iterations n_comparable);
sub check_names
{
	my ($what, @names) = @_;
	return is(join(' ', grep { !$column{$_} && !$own{$_} } sort @names), '', "$what: its names are columns of run_overview");
}
my ($first) = split(/\n/, $w->ok_run('runs as JSON', 'runs', '--json')->{out});
check_names('perfhouse runs --json', keys %{decode_json($first)});
my $answer = decode_json($s->get('/api/runs?limit=50')->{body});
check_names('/api/runs', keys %{$answer->{rows}[0]});
check_names('/api/run', keys %{decode_json($s->get('/api/run?run=1')->{body})->{rows}[0]});
my ($order) = grep { $_->{name} eq 'order' } @{decode_json($s->get('/api/openapi.json')->{body})->{paths}{'/api/runs'}{get}{parameters}};
check_names('orders of /api/runs', map { s/^-//r } @{$order->{schema}{enum}}) if $order->{schema}{enum};
my %told = map { $_->{name} => 1 } @{decode_json($s->get('/api/openapi.json')->{body})->{paths}{'/api/runs'}{get}{parameters}};
ok($told{filter} && $told{application}, 'the API calls filter and application so, too');
is($w->sql(q{SELECT count(*) FROM pg_attribute WHERE attrelid = 'perfhouse.run'::regclass AND attname IN
	('run_id', 'application', 'title', 'commit_id', 'branch', 'started_at', 'user_name', 'cluster', 'n_ranks', 'n_threads', 'n_nodes', 'tags')}), 12, 'so are those of the table');

# ---- filters
my @filters = ('n_ranks >= 8', 'application = lulesh AND NOT tag = broken', 'tag = good OR meta.compiler = gcc', 'meta.size BETWEEN 20 AND 40', 'application LIKE lul%',
	'commit_id = 3e01c40', q{title ~ '^small'}, 'since = 30d', q{'lulesh'}, 'user_name IS NULL', 'n_ranks IN (2, 8) AND cluster <> nowhere');
for my $filter (@filters)
{
	my $sql = $w->sql("SELECT string_agg(run_id::text, ',' ORDER BY run_id) FROM runs_matching(\$f\$$filter\$f\$) m (run_id)");
	my $cli = join(',', map { decode_json($_)->{run_id} } split(/\n/, $w->run('runs', '--json', $filter)->{out}));
	my $api = join(',', sort { $a <=> $b } map { $_->{run_id} } @{decode_json($s->get('/api/runs?limit=50&filter=' . Serve::encode($filter))->{body})->{rows} // []});
	my $python = $w->sql("SELECT string_agg(run_id::text, ',' ORDER BY run_id) FROM chosen_runs(NULL, \$f\$$filter\$f\$)");
	is("$cli|$api|$python", "$sql|$sql|$sql", "$filter: the same runs everywhere ($sql)");
}
for my $wrong ('ranks > 1', 'n_ranks >', 'meta > 3')
{
	my ($message) = $w->run('runs', $wrong)->{err} =~ /(run filter: .*)/;
	my $told = decode_json($s->get('/api/runs?filter=' . Serve::encode($wrong))->{body})->{error}{message};
	like($message // '', qr/run filter: /, "$wrong: is refused with its position");
	like($told, qr/\Q$message\E/, 'and the API says the same');
}
done_testing();
