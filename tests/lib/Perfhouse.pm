# Perfhouse.pm - a warehouse of its own for a TAP test, and ways to run the program.
#
# use lib "$FindBin::Bin/../lib"; use Perfhouse;
# my $w = Perfhouse->new;               a new home in a temporary folder; stopped and removed at the end. Where PERFHOUSE_MADE
#                                       names a home with a warehouse (run-tap makes one for all files), a copy of it
# my $w = Perfhouse->empty;             a home in which nothing is made yet, whatever PERFHOUSE_MADE says
# $w->without_sync;                     a warehouse whose server waits for no disk: for tests that kill processes very often
# my $r = $w->run('load', $file);       {code, out, err}
# my $v = $w->sql('SELECT 1');          one value, or lines joined by newlines
# Perfhouse::await(sub { ... });        until something holds that comes at some time; $w->becomes_true('SELECT ...') in the warehouse
# Perfhouse::some(5, @cases);           five of them, from the first on at equal distances; all where PERFHOUSE_ROUNDS=all
#
# SPDX-License-Identifier: PostgreSQL
package Perfhouse;

use strict;
use warnings;
use Cwd qw(abs_path);
use File::Path qw(remove_tree);
use File::Temp qw(tempdir);
use POSIX qw(_exit);
use Test::More ();
use Time::HiRes ();

my $root     = abs_path(__FILE__ =~ s{[^/]*$}{..}r . "/..");
our $program = $ENV{PERFHOUSE} // "$root/build/bin/perfhouse";
our $data    = "$root/tests/data";
my $takes_all = ($ENV{PERFHOUSE_ROUNDS} // '') eq 'all';
my @open;
my $test = $$;
## no critic (RequireLocalizedPunctuationVars) - for the whole test: stopped by run-tap, it stops its servers
$SIG{TERM} = sub { $$ == $test ? exit 124 : _exit(143) };

sub empty
{
	my ($class) = @_;
	Test::More::BAIL_OUT("no program at $program: run make first") unless -x $program;
	delete @ENV{grep { /^(PG|SLURM_|CI_|GITHUB_|GIT_|PERFHOUSE_(?!BUILD|SOURCE|MADE))/ } keys %ENV};
	$ENV{PERFHOUSE_CONF} = ''; # not this machine's
	my $home = tempdir('perfhouse-tap-XXXXXX', TMPDIR => 1, CLEANUP => 0);
	chmod 0711, $home; # root's server runs as another user
	my $self = bless {home => $home, pid => $$}, $class;
	$ENV{PERFHOUSE_HOME} = "$home/home";
	push @open, $self;
	return $self;
}

sub new
{
	my ($class) = @_;
	my $self = $class->empty;
	my $made = $ENV{PERFHOUSE_MADE};
	system('cp', '-a', $made, "$self->{home}/home") == 0 or die "$made cannot be copied" if defined $made;
	return $self;
}

# A server that survives what is killed, but no power cut, and waits for no disk.
sub without_sync
{
	my ($self) = @_;
	Test::More::is($self->run($_)->{code}, 0, $_) for qw(init down);
	open(my $out, '>>', "$self->{home}/home/cluster/data/postgresql.conf") or die $!;
	print $out "fsync = off\n";
	close $out;
	return;
}

# Start perfhouse; its output goes to files. Returns the process id and the base of the files' names.
sub start
{
	my ($self, @arguments) = @_;
	return $self->spawn($program, @arguments);
}

my $serial = 0;

sub spawn
{
	my ($self, @command) = @_;
	my $base = "$self->{home}/out." . ++$serial;
	my $pid  = fork();
	die "fork: $!" unless defined $pid;
	if ($pid == 0)
	{
		local $ENV{PERFHOUSE_HOME} = "$self->{home}/home";
		open(STDIN,  '<', '/dev/null') or die $!;
		open(STDOUT, '>', "$base.out") or die $!;
		open(STDERR, '>', "$base.err") or die $!;
		exec @command or _exit(127);
	}
	return ($pid, $base);
}

# Whether nothing but the home says where the warehouse is, and its server listens.
sub asks_itself
{
	my ($self) = @_;
	return -S "$self->{home}/home/cluster/socket/.s.PGSQL.5432" && !grep { /^PG(?!OPTIONS)|^PERFHOUSE_DB/ } keys %ENV;
}

my $bindir;

sub psql
{
	my ($self, $query) = @_;
	chomp($bindir //= qx(pg_config --bindir));
	return ('env', 'PGOPTIONS=' . ($ENV{PGOPTIONS} // '-c search_path=perfhouse,public'),
		"$bindir/psql", '-h', "$self->{home}/home/cluster/socket", qw(-p 5432 -U perfhouse -d perfhouse -XAtqc), $query);
}

# What make check takes of cases that are many, so that it stays short.
sub some
{
	my ($n, @cases) = @_;
	return @cases if $takes_all || $n >= @cases;
	return map { $cases[$_ * @cases / $n] } 0 .. $n - 1;
}

sub slurp
{
	my ($path) = @_;
	open(my $in, '<', $path) or return '';
	local $/;
	my $text = <$in>;
	return $text // '';
}

# Wait for a started program.
sub finish
{
	my ($self, $pid, $base) = @_;
	waitpid($pid, 0);
	return $self->result($?, $base);
}

# What a program that has ended with this status said.
sub result
{
	my ($self, $status, $base) = @_;
	my $result = {
		code   => $status & 127 ? 128 + ($status & 127) : $status >> 8,
		out    => slurp("$base.out"),
		err    => slurp("$base.err")};
	unlink "$base.out", "$base.err";
	return $result;
}

sub run
{
	my ($self, @arguments) = @_;
	return $self->finish($self->start(@arguments));
}

# Seconds of processors that programs took until now: unlike the clock, not a matter of what else the machine does.
sub cpu
{
	my (undef, undef, $user, $system) = times;
	return $user + $system;
}

# Until a condition holds, two minutes at most: false then. What a test waits for comes at some time, on a busy machine late.
sub await
{
	my ($condition, $seconds) = @_;
	my $end = Time::HiRes::time() + ($seconds // 120);
	while (!$condition->())
	{
		return 0 if Time::HiRes::time() >= $end;
		Time::HiRes::sleep(0.05);
	}
	return 1;
}

# Until a question of the warehouse is answered by yes.
sub becomes_true
{
	my ($self, $query) = @_;
	return await(sub { $self->sql($query) eq 't' });
}

# Until no other session is in the warehouse: a server process may see late that its client was killed.
sub alone
{
	my ($self) = @_;
	return $self->becomes_true(q{SELECT count(*) = 0 FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()});
}

# Run and expect success; diagnostics otherwise.
sub ok_run
{
	my ($self, $name, @arguments) = @_;
	my $result = $self->run(@arguments);
	Test::More::is($result->{code}, 0, $name) or Test::More::diag("$result->{out}$result->{err}");
	return $result;
}

# What a login gets, by its connection string; an error begins with "error".
sub outcome
{
	my ($self, $database, $query) = @_;
	my $result = $self->run('psql', '--db', $database, '--', '-XAtqc', $query);
	chomp(my $out = $result->{out});
	return $result->{code} == 0 ? $out : "error: $result->{err}";
}

# As perfhouse psql would ask. A server that runs is asked by psql alone, which costs a third: the tests ask thousands of times.
sub sql
{
	my ($self, $query) = @_;
	my $result = $self->finish($self->asks_itself ? $self->spawn($self->psql($query)) : $self->start('psql', '--', '-XAtqc', $query));
	$result = $self->run('psql', '--', '-XAtqc', $query) if $result->{err} =~ /^psql: error: connection to server/;
	Test::More::diag($result->{err}) if $result->{code} != 0;
	chomp(my $out = $result->{out});
	return $out;
}

# Runs as releases before 0.2.0 stored them: what spoils single vectors needs them so.
sub as_old_release
{
	my ($self, @runs) = @_;
	my $these = 'run_id IN (' . join(',', @runs) . ')';
	return $self->sql("BEGIN; INSERT INTO perfhouse.profile_values_1 SELECT * FROM perfhouse.profile_values WHERE $these; DELETE FROM perfhouse.value_block WHERE $these;"
		. " INSERT INTO perfhouse.profile_summary_1 SELECT * FROM perfhouse.profile_summary WHERE $these; DELETE FROM perfhouse.summary_block WHERE $these;"
		. " INSERT INTO perfhouse.profile_tree_1 SELECT * FROM perfhouse.profile_tree WHERE $these; INSERT INTO perfhouse.run_region_1 SELECT * FROM perfhouse.run_region WHERE $these;"
		. " DELETE FROM perfhouse.row_sum WHERE $these; UPDATE perfhouse.trace_chunk SET crc = NULL WHERE $these; UPDATE perfhouse.message_chunk SET crc = NULL WHERE $these;"
		. " UPDATE perfhouse.run SET storage = NULL, tree_id = NULL, labels_id = NULL WHERE $these; COMMIT");
}

sub write_file
{
	my ($self, $name, $text) = @_;
	my $path = "$self->{home}/$name";
	open(my $out, '>', $path) or die "$path: $!";
	binmode $out;
	print $out $text;
	close $out;
	return $path;
}

# A Caliper json-split profile of any size: a call tree of few names, every rank has every node. The
# seed makes the content.
sub write_caliper_json
{
	my ($self, $name, $n_nodes, $n_ranks, $seed) = @_;
	my $path  = "$self->{home}/$name";
	my $state = $seed;
	my $next  = sub { $state = ($state * 1103515245 + 12345) % 2147483648; return $state };
	open(my $out, '>', $path) or die "$path: $!";
	print $out "{\"data\": [\n";
	for my $rank (0 .. $n_ranks - 1)
	{
		print $out join(",\n", map { sprintf('[%.6f,%d,%d]', $next->() / 2147483648, $rank, $_) } 0 .. $n_nodes - 1);
		print $out $rank + 1 < $n_ranks ? ",\n" : "\n";
	}
	print $out "],\n\"columns\": [\"time\", \"mpi.rank\", \"path\"],\n";
	print $out "\"column_metadata\": [{\"is_value\": true}, {\"is_value\": true}, {\"is_value\": false}],\n\"nodes\": [\n";
	print $out join(",\n", map {
		my $parent = $_ == 0 ? '' : sprintf(', "parent": %d', int(($_ - 1) / 3));
		sprintf('{"label": "f%d", "column": "path"%s}', $_ % 97, $parent)
	} 0 .. $n_nodes - 1);
	print $out "\n],\n\"seed\": $seed, \"mpi.world.size\": \"$n_ranks\"}\n";
	close $out;
	return $path;
}

# A home whose server does not run, with its data, which lies elsewhere where root's server cannot reach the home.
sub remove_home
{
	my ($home) = @_;
	my $data = readlink("$home/cluster") // '';
	if ($data =~ m{^/var/lib/perfhouse/\w+$})
	{
		remove_tree($data, {error => \my $ignored});
		unlink "$data.home";
	}
	remove_tree($home, {error => \my $ignored});
	return;
}

sub stop
{
	my ($self) = @_;
	return if $self->{stopped} || $self->{pid} != $$;
	$self->{stopped} = 1;
	$self->run('down');
	remove_home("$self->{home}/home");
	remove_tree($self->{home}, {error => \my $ignored});
}

END
{
	my $code = $?;
	$_->stop for @open;
	$? = $code;
}

1;
