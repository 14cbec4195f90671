# /metrics of serve: OpenMetrics that their reader understands, right figures, and what is said while the database is away.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use JSON::PP;
use Perfhouse;
use Serve;
use Test::More;

my $w       = Perfhouse->new;
my $history = "$Perfhouse::data/lulesh-history";
my $s       = Serve->new($w);

# name with labels => value; and every line is one that OpenMetrics has
sub metrics
{
	my ($answer) = @_;
	my %value;
	is($answer->{status}, 200, 'answered');
	like($answer->{header}{'content-type'}, qr{^application/openmetrics-text; version=1\.0\.0}, 'as OpenMetrics');
	like($answer->{body}, qr/\n# EOF\n\z/, 'which says where it ends');
	my ($family, $type);
	my @odd;
	for my $line (split(/\n/, $answer->{body}))
	{
		next if $line eq '# EOF' || $line =~ /^# HELP perfhouse_[a-z_]+ \S/;
		if ($line =~ /^# TYPE (perfhouse_[a-z_]+) (gauge|counter)$/) { ($family, $type) = ($1, $2); next }
		my ($name, $labels, $value) = $line =~ /^([a-z_]+)(\{[a-z]+="[a-z_0-9.]+"\})? ([-0-9.e+]+)$/;
		push @odd, $line unless defined $name && $name eq $family . ($type eq 'counter' ? '_total' : '');
		$value{($name // '') . ($labels // '')} = $value;
	}
	is("@odd", '', 'every line belongs to its family');
	return \%value;
}

my $m = metrics($s->get('/metrics'));
is($m->{perfhouse_database_up}, 1, 'an empty warehouse');
is($m->{'perfhouse_recent_loads{outcome="loaded"}'}, 0, 'has loaded nothing');
ok(!exists $m->{perfhouse_newest_run}, 'and what is not there is left out');

$w->ok_run('load', 'load', "$history/lulesh-3e01c40-n8-1.cali", "$history/lulesh-3e01c40-n8-2.cali");
$w->ok_run('again', 'load', "$history/lulesh-3e01c40-n8-1.cali");
$w->run('load', $w->write_file('bad.cali', substr(Perfhouse::slurp("$history/lulesh-3e01c40-n8-1.cali"), 0, 12_000)));
$w->sql(q{INSERT INTO perfhouse.run (run_id, fingerprint, format, state, loader_pid) VALUES (1000, 'f', 'x', 'loading', 1)});
$s->get('/view/flame.svg?run=1');
$s->get('/view/flame.svg?run=1');
$m = metrics($s->get('/metrics'));
is($m->{'perfhouse_recent_loads{outcome="loaded"}'}, 2, 'loads');
is($m->{'perfhouse_recent_loads{outcome="skipped"}'}, 1, 'that were there');
is($m->{'perfhouse_recent_loads{outcome="failed"}'}, 1, 'that failed');
is($m->{perfhouse_load_log_total}, 4, 'in all');
is($m->{perfhouse_unfinished_runs}, 1, 'what a killed loader left');
is($m->{perfhouse_newest_run}, 1000, 'the newest run');
cmp_ok(abs($m->{perfhouse_last_load_timestamp_seconds} - time), '<', 600, 'when the last one was');
cmp_ok($m->{'perfhouse_recent_load_seconds{quantile="0.5"}'}, '>', 0, 'how long they took');
cmp_ok($m->{perfhouse_database_size_bytes}, '>', 5e6, 'the size of the database');
is($m->{'perfhouse_serve_answers_total{how="made"}'}, 1, 'a picture was made');
is($m->{'perfhouse_serve_answers_total{how="kept"}'}, 1, 'and sent again');
cmp_ok($m->{perfhouse_serve_cache_bytes}, '>', 0, 'as it was kept');
is($s->get('/metrics?run=1')->{status}, 400, 'parameters are none of it');

# ---- the dashboard and the alerts ask for what there is
{
	my $site  = "$FindBin::Bin/../../docs/site";
	my $board = decode_json(Perfhouse::slurp("$site/grafana-service.json"));
	my @asked = map { $_->{expr} } map { @{$_->{targets}} } @{$board->{panels}};
	cmp_ok(@asked, '>', 12, 'the dashboard of the service has panels');
	my %there = map { /^(perfhouse_[a-z_]+)/ ? ($1 => 1) : () } keys %{$m};
	$there{$_} = 1 for Perfhouse::slurp("$site/../../sql/queries/serve/metrics.sql") =~ /'(perfhouse_[a-z_]+)'/g; # some have rows now and then
	delete $there{perfhouse_load_log}; # asked for by its total
	my @unknown = grep { !$there{$_} } map { /\b(perfhouse_[a-z_]+)/g } @asked, Perfhouse::slurp("$site/prometheus-rules.yaml") =~ /^ +expr: (.*)$/mg;
	is("@unknown", '', 'no panel and no alert asks for what is not there');
	my %shown = map { $_ => 1 } map { /\b(perfhouse_[a-z_]+)/g } @asked;
	is(join(' ', grep { !$shown{$_} && $_ ne 'perfhouse_newest_run' } sort keys %there), '', 'and every figure is shown');
}

$w->ok_run('the database is away', 'down');
$m = metrics($s->get('/metrics'));
is($m->{perfhouse_database_up}, 0, 'which is a figure, too');
ok(exists $m->{'perfhouse_serve_workers{lane="quick"}'}, 'beside those of the server');
ok(!exists $m->{perfhouse_newest_run}, 'alone');

done_testing();
