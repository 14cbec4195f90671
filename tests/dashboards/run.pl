#!/usr/bin/perl
# run.pl BUILD [NAME...] - a warehouse with profiles, traces, a history with a regression, names that look like SQL and markup, loads
# that failed; a role as docs/DASHBOARDS.md says; then check.mjs. PERFHOUSE names the program.
#
# SPDX-License-Identifier: PostgreSQL
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Perfhouse;
use Serve;
use Simulation;
use Test::More 'no_plan';

my $build = $ARGV[0] // die "usage: run.pl BUILD [NAME...]\n";
Test::More->builder->output(\my $quiet);
my $w    = Perfhouse->new;
my $data = $Perfhouse::data;

$w->ok_run('init', 'init');
$w->ok_run('a database without runs', 'psql', '--', '-Xq', '-c', '\\c postgres', '-c', 'CREATE DATABASE empty TEMPLATE perfhouse');
$w->ok_run('role', 'psql', '--', '-Xqc', "CREATE ROLE grafana LOGIN IN ROLE perfhouse_reader",
	'-c', 'ALTER ROLE grafana SET default_transaction_read_only = on', '-c', "ALTER ROLE grafana SET statement_timeout = '30s'");

# profiles: a history with ranks 1, 8, 27, and two other formats
my $history = "$data/lulesh-history";
$w->ok_run('commits', 'load', '-q', '--set', 'application=lulesh', '--module-map', "$history/modules.map", '--commit', $_, glob("$history/lulesh-" . substr($_, 0, 7) . '-n*-1.cali'))
	for qw(46c2a1d 3e01c40);
$w->ok_run('a run again', 'load', '-q', '--if-exists', 'append', '--set', 'application=lulesh', '--commit', '3e01c40', glob("$history/lulesh-3e01c40-n8-1.cali"));
$w->ok_run('profiles', 'load', '-q', "$data/profiles/literal-a.json", "$data/profiles/tau-callpath", "$data/profiles/scorep-halo2d");
my $evil = q{it's <b>$run</b> -- "x"};
$w->ok_run('a name like SQL and markup', 'load', '-q', '--set', "application=$evil", '--set', "title=$evil", "$data/profiles/small.json");

# traces: without logical time, with it, without its events
$w->ok_run('a trace of devices', 'load', '-q', '--set', 'application=gpu', "$data/profiles/small.nsys.sqlite");
$w->ok_run('a trace without steps', 'load', '-q', '--no-logical-steps', '--set', 'application=traces', "$data/traces/colls-6");
$w->ok_run('traces', 'load', '-q', '--set', 'application=traces', "$data/traces/tau-halo2d-nb-9", "$data/traces/lulesh-8");
$w->ok_run('a trace again', 'load', '-q', '--if-exists', 'append', '--set', 'application=traces', "$data/traces/lulesh-8");

# a regression, hosts of which one is slow, what people decided, what failed
my $s = Simulation->new($w, application => 'sim', seed => 5, paths => 40, size => 10, at => 18, commits => 22, repeats => 2);
$s->load_until(22);
$w->ok_run('regressions', 'regressions', '--application', 'sim');
my ($first) = $w->sql('SELECT max(run_id) FROM perfhouse.run');
$w->sql("SELECT perfhouse.drop_trace_events((SELECT max(run_id) FROM perfhouse.trace))");
$w->sql("SELECT perfhouse.roll_up_run((SELECT max(run_id) FROM perfhouse.run WHERE application = 'lulesh' AND n_ranks = 27))");
$w->sql("UPDATE perfhouse.location SET host = 'n' || rank / 2 WHERE run_id IN (SELECT run_id FROM perfhouse.run WHERE application = 'lulesh' AND n_ranks = 8)");
$w->sql("UPDATE perfhouse.run SET n_hosts = 4 WHERE application = 'lulesh' AND n_ranks = 8");
$w->sql("SELECT perfhouse.set_retention('old', 'roll up', '30 days')");
$w->ok_run('excluded', 'exclude', $first, 'node failure');
is($w->run('load', '-q', $w->write_file('broken.json', '{"data": [')) ->{code} != 0, 1, 'a load that fails');

# runs of every kind, and applications; a run as its id
my $unlike = $w->sql("SELECT json_agg(v) FROM (SELECT min(run_id)::text FROM perfhouse.run_overview GROUP BY application = 'sim', rolled_up_at IS NULL, format, n_events IS NULL, events_dropped_at IS NULL,"
	. " application = 'lulesh' AND n_ranks = 8, EXISTS (SELECT FROM perfhouse.logical l WHERE l.run_id = run_overview.run_id) UNION ALL SELECT DISTINCT application FROM perfhouse.run"
	. " WHERE application IN ('sim', 'lulesh') OR application LIKE 'it''s%') v (v)");

my $also = qq({"perfhouse-history": [{"application": "sim", "function": "f$s->{culprit_node}"}]});

# usage: queues, projects, users, and an application that computes less than it did
$w->sql("UPDATE perfhouse.run SET user_name = 'user ' || run_id % 3, project = 'project ' || run_id % 2, meta = meta || jsonb_build_object('partition', 'queue ' || run_id % 2)");
$w->sql("UPDATE perfhouse.run SET started_at = now() - ($first - run_id) * interval '12 hours', parallel_efficiency = 0.9, load_balance = 0.9, communication_efficiency = 1 WHERE application = 'sim'");
$w->sql("UPDATE perfhouse.run SET started_at = now() - interval '1 hour', parallel_efficiency = 0.5, load_balance = 0.5 WHERE run_id IN (SELECT run_id FROM perfhouse.run WHERE application = 'sim' ORDER BY run_id DESC LIMIT 6)");
$w->sql("UPDATE perfhouse.run SET started_at = now() - interval '1 day' WHERE application = 'lulesh'");
$w->sql("INSERT INTO perfhouse.run (fingerprint, state, format, loaded_at) VALUES ('stuck', 'loading', 'json', now() - interval '9 hours')");

# the dashboard of saved queries: with and without a picture, with a title that looks like markup
$w->ok_run('a saved query', 'query', 'add', 'hot', '--view', 'bar', '--variable', 'run=1', '--variable', 'most=5',
	'--query', 'SELECT name AS x, exclusive AS y FROM flat(profile(:run)) ORDER BY 2 DESC LIMIT :most');
$w->ok_run('another', 'query', 'add', 'others', '--title', $evil, '--variable', "app=$evil", '--query', "SELECT run_id, application FROM run WHERE application <> :'app'");
my $saved = $w->write_file('queries.json', $w->ok_run('their dashboard', 'query', 'dashboard')->{out});

my $serve = Serve->new($w);
$w->sql("SET perfhouse.memory_limit = '1GB'; ALTER DATABASE perfhouse SET perfhouse.pages = '$serve->{address}'"); # of a loaded library
chomp(my $socket = $w->sql('SHOW unix_socket_directories'));
$socket =~ s/"//g;
local %ENV = (%ENV, PGHOST => $socket, PGPORT => $w->sql('SHOW port'), PGDATABASE => $w->sql('SELECT current_database()'),
	UNLIKE => $unlike, ALSO => $also, EMPTY => 'empty', SAVED => $saved, PAGES => $serve->{address} =~ s{/$}{}r);
if (!Test::More->builder->is_passing)
{
	print "dashboards: 0 passed, 1 failed, 0 skipped\n";
	exit 1;
}
my $code = system('node', "$FindBin::Bin/check.mjs", @ARGV);
exit($code == 0 ? 0 : 1);
