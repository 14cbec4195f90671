# A dump of the embedded warehouse restored into another home; an older extension brought up to date.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Perfhouse;
use File::Basename qw(dirname);
use File::Copy qw(copy);
use File::Path qw(make_path);
use Test::More;

my $w      = Perfhouse->new;
my $source = "$Perfhouse::data/lulesh-history";
chomp(my $bin = qx(pg_config --bindir));

sub conninfo { return ($_[0]->ok_run('up', 'up')->{out} =~ /(host='[^']*' port=\d+)/)[0] . ' user=perfhouse' }

# ---- a warehouse with profiles and super graphs in a table of its user
$w->ok_run('load', 'load', '--module-map', "$source/modules.map", glob("$source/lulesh-3e01c40-n8-*.cali"));
$w->sql(q{CREATE TABLE public.kept AS SELECT run_id, profile(run_id) AS p, supergraph(filter(profile(run_id), 0.001), 'module') AS g FROM run_overview});
my %digest = (
	overview   => q{SELECT md5(string_agg(o::text, E'\n' ORDER BY run_id)) FROM run_overview o},
	nodes      => q{SELECT md5(string_agg(n::text, E'\n' ORDER BY r.run_id, n.node)) FROM run_overview r, nodes(profile(r.run_id)) n},
	supernodes => q{SELECT md5(string_agg(n::text, E'\n' ORDER BY r.run_id, n.level, n.node)) FROM run_overview r, supernodes(supergraph(profile(r.run_id), 'module')) n},
	columns    => q{SELECT md5(string_agg(p::text || g::text, E'\n' ORDER BY run_id)) FROM public.kept},
	bands      => q{SELECT md5(string_agg(e::text, E'\n' ORDER BY run_id, e.source, e.target)) FROM public.kept, superedges(g) e},
	comparison => q{SELECT count(*) FILTER (WHERE p = profile(run_id)) || ' of ' || count(*) FROM public.kept});
my %before = map { ($_ => $w->sql($digest{$_})) } keys %digest;
like($before{comparison}, qr/^([1-9]\d*) of \1$/, 'stored profiles are what the runs give');

# ---- dump and restore
SKIP:
{
	skip 'pg_dump is not there', 1 unless -x "$bin/pg_dump";
	my $dump = "$w->{home}/dump";
	is(system("$bin/pg_dump", '-Fc', '-f', $dump, '-d', conninfo($w) . ' dbname=perfhouse'), 0, 'pg_dump of the embedded warehouse');
	my $other = Perfhouse->new;
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
	$other->stop;
}

# ---- an older extension: a build of its own whose stage also has version 0.0.9
SKIP:
{
	my $build = dirname(dirname($Perfhouse::program));
	skip 'no staged build beside the program', 1 unless -d "$build/stage";
	my $old = "$w->{home}/build";
	make_path("$old/bin");
	copy($Perfhouse::program, "$old/bin/perfhouse") or die "copy: $!";
	chmod 0755, "$old/bin/perfhouse";
	system('cp', '-r', "$build/stage", "$old/stage");
	chomp(my $folder = qx(find '$old/stage' -name perfhouse.control -printf '%h'));
	my ($current) = map { m{--([0-9.]+)\.sql$} ? $1 : () } glob("$folder/perfhouse--*.sql");
	my $install = Perfhouse::slurp("$folder/perfhouse--$current.sql");
	my ($added) = $install =~ /^(CREATE FUNCTION perfhouse_version\(\).*?;\n)COMMENT/ms;
	my $comment = qr/^COMMENT ON FUNCTION perfhouse_version\(\).*?;\n/ms;
	ok($added, 'a function that the older version lacks');
	open(my $out, '>', "$folder/perfhouse--0.0.9.sql") or die $!;
	print $out $install =~ s/\Q$added\E//r =~ s/$comment//r;
	close $out;
	open($out, '>', "$folder/perfhouse--0.0.9--$current.sql") or die $!;
	print $out $added =~ s/^CREATE /CREATE OR REPLACE /r;
	close $out;
	local $Perfhouse::program = "$old/bin/perfhouse";
	my $third = Perfhouse->new;
	my $base  = conninfo($third);
	my $ask   = sub { my $r = $third->run('psql', '--db', "$base dbname=$_[0]", '--', '-XAtqc', $_[1]); chomp $r->{out}; return $r->{code} == 0 ? $r->{out} : "error: $r->{err}" };
	$ask->('postgres', 'CREATE DATABASE older');
	is($ask->('older', "CREATE EXTENSION perfhouse VERSION '0.0.9'"), '', 'version 0.0.9');
	like($ask->('older', 'SELECT perfhouse.perfhouse_version()'), qr/does not exist/, 'is older');
	my $r = $third->run('runs', '--db', "$base dbname=older");
	isnt($r->{code}, 0, 'refused before init');
	like($r->{err}, qr/hint: .*perfhouse init/, 'with a remedy');
	$third->ok_run('init', 'init', '--db', "$base dbname=older");
	is($ask->('older', "SELECT extversion FROM pg_extension WHERE extname = 'perfhouse'"), $current, 'brought up to date');
	is($ask->('older', 'SELECT perfhouse.perfhouse_version()'), $current, 'by its upgrade script');
	$third->ok_run('load', 'load', '--db', "$base dbname=older", (glob("$source/lulesh-3e01c40-n8-*.cali"))[0]);
	is($ask->('older', 'SELECT count(*) > 10 FROM perfhouse.nodes(perfhouse.profile(1))'), 't', 'and it serves');
	$third->stop;
}

done_testing();
