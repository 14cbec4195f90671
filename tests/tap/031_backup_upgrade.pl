# A dump of the embedded warehouse restored into another home; upgrade scripts of the extension.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Perfhouse;
use File::Basename qw(dirname);
use File::Copy qw(copy);
use File::Path qw(make_path);
use Test::More;

my $w      = Perfhouse->empty;
my $source = "$Perfhouse::data/lulesh-history";
chomp(my $bin = qx(pg_config --bindir));

sub conninfo { return ($_[0]->ok_run('up', 'up')->{out} =~ /(host='[^']*' port=\d+)/)[0] . ' user=perfhouse' }

# ---- a warehouse with profiles and super graphs in a table of its user
$w->ok_run('load', 'load', '--module-map', "$source/modules.map", glob("$source/lulesh-3e01c40-n8-*.cali"));
$w->ok_run('load a trace', 'load', "$Perfhouse::data/traces/lulesh-8");
$w->sql(q{CREATE TABLE public.kept AS SELECT run_id, profile(run_id) AS p, supergraph(filter(profile(run_id), 0.001), 'module') AS g FROM run_overview});
my %digest = (
	overview   => q{SELECT md5(string_agg(o::text, E'\n' ORDER BY run_id)) FROM run_overview o},
	nodes      => q{SELECT md5(string_agg(n::text, E'\n' ORDER BY r.run_id, n.node)) FROM run_overview r, nodes(profile(r.run_id)) n},
	supernodes => q{SELECT md5(string_agg(n::text, E'\n' ORDER BY r.run_id, n.level, n.node)) FROM run_overview r, supernodes(supergraph(profile(r.run_id), 'module')) n},
	columns    => q{SELECT md5(string_agg(p::text || g::text, E'\n' ORDER BY run_id)) FROM public.kept},
	bands      => q{SELECT md5(string_agg(e::text, E'\n' ORDER BY run_id, e.source, e.target)) FROM public.kept, superedges(g) e},
	events     => q{SELECT md5(string_agg(e::text, E'\n' ORDER BY e::text)) FROM run_overview r, events(r.run_id) e WHERE has_trace},
	messages   => q{SELECT md5(string_agg(m::text, E'\n' ORDER BY m::text)) FROM run_overview r, messages(r.run_id) m WHERE has_trace},
	waits      => q{SELECT md5(string_agg(b::text, E'\n' ORDER BY b::text)) FROM run_overview r, wait_states(r.run_id) b WHERE has_trace},
	steps      => q{SELECT md5(string_agg(s::text, E'\n' ORDER BY s::text)) FROM run_overview r, logical_steps(r.run_id) s WHERE has_trace},
	phases     => q{SELECT md5(string_agg(p::text, E'\n' ORDER BY p::text)) FROM run_overview r, phases(r.run_id) p WHERE has_trace},
	sound      => q{SELECT bool_and(c.ok), count(*) FROM run_overview r, check_run(r.run_id) c},
	comparison => q{SELECT count(*) FILTER (WHERE p = profile(run_id)) || ' of ' || count(*) FROM public.kept});
my %before = map { ($_ => $w->sql($digest{$_})) } keys %digest;
like($before{comparison}, qr/^([1-9]\d*) of \1$/, 'stored profiles are what the runs give');

# ---- dump and restore
SKIP:
{
	skip 'pg_dump is not there', 1 unless -x "$bin/pg_dump";
	my $dump = "$w->{home}/dump";
	is(system("$bin/pg_dump", '-Fc', '-f', $dump, '-d', conninfo($w) . ' dbname=perfhouse'), 0, 'pg_dump of the embedded warehouse');
	my $other = Perfhouse->empty;
	$other->ok_run('init makes the roles, which no dump has', 'init');
	my $base = conninfo($other);
	is($other->run('psql', '--db', "$base dbname=postgres", '--', '-XAtqc', 'CREATE DATABASE restored')->{code}, 0, 'an empty database in another home');
	is(system("$bin/pg_restore", '--exit-on-error', '-d', "$base dbname=restored", $dump), 0, 'pg_restore');
	for my $what (sort keys %digest)
	{
		my $r = $other->run('psql', '--db', "$base dbname=restored", '--', '-XAtqc', $digest{$what});
		is($r->{out}, "$before{$what}\n", "$what as before") or diag($r->{err});
	}
	my $versions = 'SELECT count(*), max(applied_at) FROM schema_version';
	is($other->ok_run('init there', 'init', '--db', "$base dbname=restored")->{code}, 0, 'finds nothing to do');
	is($other->run('psql', '--db', "$base dbname=restored", '--', '-XAtqc', $versions)->{out}, $w->sql($versions) . "\n", 'and applied nothing');
	$other->ok_run('doctor finds it sound', 'doctor', '--all', '--db', "$base dbname=restored");
	my $r = $other->ok_run('the same file again', 'load', '--db', "$base dbname=restored", (glob("$source/lulesh-3e01c40-n8-*.cali"))[0]);
	like($r->{out}, qr/already loaded as run 1/, 'is known');

	# to a server where another owns it, and from there back: no role of the old owner's name is needed
	is($other->run('psql', '--db', "$base dbname=postgres", '--', '-XAtqc', 'CREATE ROLE site SUPERUSER LOGIN', '-c', 'CREATE DATABASE shared OWNER site')->{code}, 0,
		'another owner');
	my $site = "$base dbname=shared" =~ s/user=perfhouse/user=site/r;
	is(system("$bin/pg_restore", '--no-owner', '--exit-on-error', '-d', $site, $dump), 0, 'pg_restore --no-owner');
	is($other->run('psql', '--db', $site, '--', '-XAtqc', q{SELECT DISTINCT relowner::regrole FROM pg_class WHERE relnamespace = 'perfhouse'::regnamespace})->{out},
		"site\n", 'his it is');
	is(system("$bin/pg_dump", '-Fc', '-f', "$dump.back", '-d', $site), 0, 'pg_dump of the shared warehouse');
	is($other->run('psql', '--db', "$base dbname=postgres", '--', '-XAtqc', 'CREATE DATABASE back')->{code}, 0, 'the embedded owner');
	is(system("$bin/pg_restore", '--no-owner', '--exit-on-error', '-d', "$base dbname=back", "$dump.back"), 0, 'pg_restore --no-owner');
	for my $db ($site, "$base dbname=back")
	{
		is($other->run('psql', '--db', $db, '--', '-XAtqc', $digest{$_})->{out}, "$before{$_}\n", "$_ as before") for Perfhouse::some(4, sort keys %digest);
		unlike($other->ok_run('init', 'init', '--db', $db)->{err}, qr/applying|warning/, 'nothing is to be applied');
		is($other->ok_run('doctor', 'doctor', '--all', '--db', $db)->{err}, '', 'sound');
	}
	$other->stop;
}

# ---- upgrade scripts as they are generated: from a version 0.0.9 of this test's own, which differs in every way
SKIP:
{
	my $build = dirname(dirname($Perfhouse::program));
	my $tool  = "$FindBin::Bin/../../extension/make-script";
	my @files = glob("$FindBin::Bin/../../sql/extension/*.sql");
	skip 'no staged build beside the program', 1 unless -d "$build/stage";
	my $old = "$w->{home}/build";
	make_path("$old/bin");
	copy($Perfhouse::program, "$old/bin/perfhouse") or die "copy: $!";
	chmod 0755, "$old/bin/perfhouse";
	system('cp', '-r', "$build/stage", "$old/stage");
	chomp(my $folder = qx(find '$old/stage' -name perfhouse.control -printf '%h'));
	my ($current) = Perfhouse::slurp("$folder/perfhouse.control") =~ /^default_version *= *'(.*)'/m;
	my $install = Perfhouse::slurp("$folder/perfhouse--$current.sql");
	my $older   = $install;
	ok($older =~ s/^CREATE FUNCTION perfhouse_version\(\).*?;\nCOMMENT.*?;\n//ms, 'a function that the older version lacks');
	ok($older =~ s/^(CREATE FUNCTION flat\(.*?)n_nodes int4, /$1/ms,             'one with other columns');
	ok($older =~ s/^(CREATE FUNCTION caption\()p( profile)/$1q$2/m,             'one with another name of its argument');
	ok($older =~ s/^(CREATE FUNCTION task_metrics\()run\b/$1job/m,               'one that a parsed body uses');
	ok($older =~ s/^(CREATE FUNCTION \S*comm_tally_combine\()a /$1x /m,         'one that an aggregate uses');
	$older .= "CREATE FUNCTION gone(int) RETURNS int LANGUAGE sql AS \$\$ SELECT 1; SELECT \$1 \$\$;\nCREATE AGGREGATE gone_too(int) (SFUNC = int4pl, STYPE = int);\n";
	$w->write_file('perfhouse--0.0.9.sql', $older =~ s/'([0-9a-f]{32})'::text/"'" . '0' x 32 . "'::text"/er);
	copy("$w->{home}/perfhouse--0.0.9.sql", $folder) or die "copy: $!";
	is(system("'$tool' upgrade '$folder/perfhouse--0.0.9.sql' @files > '$folder/perfhouse--0.0.9--$current.sql'"), 0, 'an upgrade script');
	my $script = Perfhouse::slurp("$folder/perfhouse--0.0.9--$current.sql");
	is(join(', ', $script =~ /^DROP \w+ \w+\.(\w+)/mg), 'comm_tally, task_block_metrics, caption, comm_tally_combine, flat, gone, gone_too, task_metrics', 'names what has to go, in the right order');

	local $Perfhouse::program = "$old/bin/perfhouse";
	my $third = Perfhouse->empty;
	my $base  = conninfo($third);
	my $ask   = sub { my $r = $third->run('psql', '--db', "$base dbname=$_[0]", '--', '-XAtqc', $_[1]); chomp $r->{out}; return $r->{code} == 0 ? $r->{out} : "error: $r->{err}" };
	$ask->('postgres', "CREATE DATABASE $_") for qw(older fresh);
	is($ask->('fresh', 'CREATE EXTENSION perfhouse'),                 '', "version $current");
	is($ask->('older', "CREATE EXTENSION perfhouse VERSION '0.0.9'"), '', 'version 0.0.9');
	my $r = $third->run('init', '--db', "$base dbname=older");
	is($r->{code}, 9, 'init refuses a version that is no release');
	like($r->{err}, qr/version 0\.0\.9, which this program \(\Q$current\E\) does not know/, 'and says so');
	$ask->('older', 'CREATE VIEW public.mine AS SELECT f.name FROM perfhouse.flat(NULL) f; CREATE VIEW public.other AS SELECT n.name FROM perfhouse.nodes(NULL) n');
	like($ask->('older', 'ALTER EXTENSION perfhouse UPDATE'), qr/view (public\.)?mine depends on function (perfhouse\.)?flat/, 'a view on a function that has to go is named');
	$ask->('older', 'DROP VIEW public.mine');
	is($ask->('older', 'ALTER EXTENSION perfhouse UPDATE'), '', 'without it');
	my $functions = q{SELECT string_agg(pg_get_functiondef(p.oid), E'\n' ORDER BY p.oid::regprocedure::text) FROM pg_proc p WHERE pronamespace::regnamespace::text LIKE 'perfhouse%' AND prokind = 'f'};
	is($ask->('older', $functions), $ask->('fresh', $functions), 'the functions are those of a fresh one');
	is($ask->('older', 'SELECT count(*) FROM public.other'), '0', 'a view on a function that stays goes on');
	$ask->('postgres', 'CREATE DATABASE unreleased');
	is($ask->('unreleased', "CREATE EXTENSION perfhouse VERSION '0.0.9'"), '', 'another build of 0.0.9');
	$ask->('unreleased', q{CREATE OR REPLACE FUNCTION perfhouse.perfhouse_build() RETURNS text LANGUAGE sql AS $$ SELECT 'other' $$});
	like($ask->('unreleased', 'ALTER EXTENSION perfhouse UPDATE'), qr/not those of the release.*HINT:.*perfhouse init/s, 'is not upgraded blindly');
	$third->stop;
}

done_testing();
