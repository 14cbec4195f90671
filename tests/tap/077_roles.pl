# The README's tour by ordinary users of a shared server, in each of the three roles: no command warns, none fails but those that
# the role has no right to; and doctor says of each what it may see.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Perfhouse;
use Test::More;

my $w      = Perfhouse->new;
my $root   = "$FindBin::Bin/../..";
my ($base) = $w->ok_run('a server', 'up')->{out} =~ /(host='[^']*' port=\d+)/;
$w->ok_run('init', 'init');
$w->sql(q{CREATE ROLE ann LOGIN IN ROLE perfhouse_loader; CREATE ROLE eve LOGIN IN ROLE perfhouse_reader;
	CREATE ROLE boss LOGIN IN ROLE perfhouse_admin});

sub db { return "$base dbname=perfhouse user=$_[0]" }

# ---- the tour: blocks of shell and of SQL, in their order
my ($tour) = Perfhouse::slurp("$root/README.md") =~ /^## Five minutes\n(.*?)^## /ms or die 'the README has no tour';
my @blocks = $tour =~ /^```(sh|sql)\n(.*?)^```$/msg;
cmp_ok(@blocks / 2, '>', 6, 'the README has a tour');

# What does not end by itself, or says where the warehouse is, is left out.
sub shell_script
{
	my ($text, $loads) = @_;
	my @lines = grep { !/^(export|sleep|curl|perfhouse (serve|psql))\b/ } split(/\n/, $text =~ s/\\\n//gr);
	@lines = grep { !/^(for |done|\s+perfhouse load|perfhouse load)/ } @lines unless $loads;
	s{-o (\S+\.(?:svg|png))}{-o $w->{home}/$1} for @lines;
	return join("\n", 'set -e', @lines);
}

sub tour
{
	my ($user, $loads) = @_;
	local $ENV{PERFHOUSE_DB} = db($user);
	local $ENV{PATH}         = ($Perfhouse::program =~ s{/[^/]*$}{}r) . ":$ENV{PATH}";
	my $said = '';
	for (my $i = 0; $i < @blocks; $i += 2)
	{
		my $log = "$w->{home}/tour.err";
		my ($kind, $text) = @blocks[$i, $i + 1];
		my $file = $w->write_file("tour.$kind", $kind eq 'sh' ? shell_script($text, $loads) : $text);
		my @command = $kind eq 'sh' ? ('bash', $file) : ('perfhouse', 'psql', '--', '-Xqv', 'ON_ERROR_STOP=1', '-f', $file);
		my $pid = fork() // die "fork: $!";
		if ($pid == 0)
		{
			chdir $root                            or die $!;
			open(STDOUT, '>', "$w->{home}/tour.out") or die $!;
			open(STDERR, '>', $log)                or die $!;
			exec @command                          or die $!;
		}
		waitpid($pid, 0);
		is($?, 0, "$user: block " . ($i / 2 + 1)) or diag($text);
		$said .= Perfhouse::slurp($log);
	}
	return $said;
}

is(tour('ann', 1), '', 'a loader takes the tour, and nothing warns');
is($w->sql(q{SELECT count(*) FROM pg_class WHERE oid = ANY ('{perfhouse.run,perfhouse.callpath,perfhouse.region_summary}'::regclass[]) AND reltuples > 0}), 3,
	'the planner knows of what a loader who owns nothing has loaded');
is(tour('eve',  0), '', 'a reader, of what is there');
is(tour('boss', 1), '', 'an administrator');

# ---- doctor, for each
for my $user ('ann', 'eve', 'boss')
{
	my $r = $w->ok_run("doctor for $user", 'doctor', '--db', db($user), '--all');
	is($r->{err}, '', 'says nothing of rights that nobody asked for');
	unlike($r->{out}, qr/PROBLEM|skipped/, 'looks at everything');
	$r = $w->ok_run("--repair by $user", 'doctor', '--db', db($user), '--repair');
	is($r->{err}, '', 'mends what there is to mend');
	like($r->{out}, qr/^skipped +grants +only the owner/m, 'and leaves what is not his');
}
$w->sql(q{INSERT INTO perfhouse.run (run_id, fingerprint, format, state, loader_pid) VALUES (100000, 'f', 'x', 'loading', 1)});
my $r = $w->run('doctor', '--db', db('eve'), '--repair');
is($r->{code}, 16, 'a reader sees what a killed loader left');
like($r->{out}, qr/^PROBLEM +loads +1 that .*--repair by a perfhouse_loader mends it/m, 'and who may mend it');
like($w->run('doctor', '--db', db('ann'))->{out}, qr/^PROBLEM +loads +1 that .*; --repair mends it/m, 'a loader that he may');
$w->ok_run('and does', 'doctor', '--db', db('ann'), '--repair');
is($w->sql('SELECT count(*) FROM run WHERE run_id = 100000'), 0, 'it is gone');
$w->ok_run('with projects', 'projects', 'enable');
$r = $w->ok_run('who does not see all', 'doctor', '--db', db('ann'), '--repair');
like($r->{out}, qr/^skipped +deleted runs/m, 'does not judge what others have');
is($r->{err}, '', 'and is not warned');

# ---- perfhouse.conf
my $conf = $w->write_file('perfhouse.conf', "# of the site\n\n db = " . db('eve') . " \nmodule_map=/nowhere\ncolour = red\nport\n");
my $program = $Perfhouse::program;
my $with = sub {
	my ($variables, @arguments) = @_;
	local @ENV{keys %$variables} = values %$variables;
	local $Perfhouse::program = '/usr/bin/env';
	return $w->run('-u', 'PERFHOUSE_HOME', $program, @arguments);
};
$r = $with->({PERFHOUSE_CONF => $conf}, 'conninfo');
is($r->{code}, 0, 'a setting');
is((split(/\n/, $r->{out}))[0], db('eve'), 'says which database');
like($r->{err}, qr/perfhouse.conf:5: there is no setting "colour".*perfhouse.conf:6: "port" is no setting/s, 'slips are named');
is($with->({PERFHOUSE_CONF => $conf, PERFHOUSE_DB => db('ann')}, 'conninfo')->{out}, db('ann') . "\n", 'the environment wins');
like($with->({PERFHOUSE_CONF => $conf, PGHOST => '/nonexistent'}, 'status')->{err}, qr{/nonexistent}, 'also by PG* variables');
like($with->({PERFHOUSE_CONF => $conf}, 'load', "$Perfhouse::data/lulesh-history/lulesh-7d07dc4-n8-1.cali")->{err}, qr{/nowhere}, 'defaults of options');
like($with->({PERFHOUSE_CONF => "$conf.gone"}, '--version')->{err}, qr/there is no .*conf.gone/, 'a file that is not there');
is($with->({PERFHOUSE_CONF => ''}, '--version')->{err}, '', 'none');
{
	mkdir "$w->{home}/$_" or die $! for 'config', 'config/perfhouse';
	delete local $ENV{PERFHOUSE_CONF};
	$w->write_file('config/perfhouse/perfhouse.conf', 'db = ' . db('boss'));
	is($with->({XDG_CONFIG_HOME => "$w->{home}/config"}, 'conninfo')->{out}, db('boss') . "\n", 'the user\'s file');
}

# every option's variable is a setting, but those that belong to one load
my %twins = map { $_ => 1 } map { $w->run(@$_)->{out} =~ /\bPERFHOUSE_([A-Z_]+)/g } ['--man'], ['render', '--man'], ['serve', '--man'], ['serve', '--help'];
delete @twins{qw(BRANCH COMMIT MANIFEST CONF DB)};
cmp_ok(keys %twins, '>', 10, 'variables of options');
for my $twin (sort keys %twins)
{
	my $file = $w->write_file('one.conf', lc($twin) . " = 1\n");
	is($with->({PERFHOUSE_CONF => $file}, '--version')->{err}, '', lc($twin));
}

# ---- a second warehouse of the server: who was let into the first has no right to it, until somebody says so
sub of_second { return "$base dbname=second user=$_[0]" }
$w->sql('CREATE DATABASE second');
like($w->ok_run('a second warehouse', 'init', '--db', of_second('perfhouse'))->{err}, qr/not let into this database: they are of "perfhouse".*GRANT CONNECT ON DATABASE second/s,
	'says that members of the roles are not let in');
for my $user (qw(ann eve boss))
{
	$r = $w->run('runs', '--db', of_second($user));
	is($r->{code}, 7, "$user is not let in");
	like($r->{err}, qr/permission denied for database "second".*GRANT CONNECT/s, 'which is said');
}
$r = $w->run('psql', '--db', of_second('perfhouse'), '--', '-Xqc', 'GRANT CONNECT ON DATABASE second TO ann');
$w->ok_run('who is named', 'load', '--db', of_second('ann'), "$Perfhouse::data/lulesh-history/lulesh-7d07dc4-n8-1.cali");
is($w->run('runs', '--db', of_second('eve'))->{code}, 7, 'others are not');
$w->ok_run('again', 'doctor', '--repair', '--db', of_second('perfhouse'));
is($w->run('runs', '--db', of_second('eve'))->{code}, 7, 'nor after a repair');
is($w->ok_run('init of the first', 'init')->{err}, '', 'the first one has them');
$w->ok_run('still', 'runs', '--db', db('eve'));

done_testing();
