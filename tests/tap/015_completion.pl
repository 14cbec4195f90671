# Completion in bash, zsh and fish, as people press TAB: real shells, a real warehouse, odd names.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Perfhouse;
use IPC::Run qw(run timeout);
use Test::More;
use Time::HiRes qw(sleep time);

my $w = Perfhouse->empty;
my $bin = "$w->{home}/bin";
mkdir $bin;
symlink $Perfhouse::program, "$bin/perfhouse";
symlink $Perfhouse::program . '-render', "$bin/perfhouse-render";
local $ENV{PATH} = "$bin:$ENV{PATH}";
mkdir "$w->{home}/work";
chdir "$w->{home}/work" or die $!;
for my $name ('plain.cali', 'with blank.cali') { open my $out, '>', $name or die $!; close $out }
mkdir 'folder';

sub have
{
	my ($program) = @_;
	return grep { -x "$_/$program" } split /:/, $ENV{PATH};
}

# What `perfhouse complete` offers, without what is said about it.
sub offered
{
	my (@words) = @_;
	return [map { s/(?<=.)\t.*//r } split /\n/, $w->ok_run("complete @words", 'complete', @words)->{out}];
}

# ---- without a warehouse: nothing is made, nothing is said
is_deeply(offered('rep'), ['report'], 'commands');
is_deeply(offered('render', 'sankey', '--run', ''), [], 'no warehouse, no runs');
ok(!-e "$w->{home}/home", 'and none is made');
is($w->run('complete', '--db', 'host=127.0.0.1 port=1', 'show', '')->{err}, '', 'silent when it cannot be reached');
my $start = time;
is_deeply(offered('--db', 'host=192.0.2.1', 'rm', ''), [], 'an address that does not answer');
cmp_ok(time - $start, '<', 60, 'is not waited for'); # the kernel gives up after two minutes

# ---- what stands where
is_deeply(offered('render', 'sankey', '--group-by', 'p'), ['paradigm'], 'choices');
is_deeply(offered('render', 'sankey', '--group-by=p'), ['--group-by=paradigm'], 'glued ones');
is_deeply(offered('render', 'sankey', '--sp'), ['--split-entry', '--split-caller'], 'options of a view');
is_deeply(offered('render', 'sankey', '--bins', '3', '--bi'), [], 'not twice');
is_deeply(offered('serve', '--tls-'), ['--tls-cert', '--tls-key'], 'options of serve');
is_deeply(offered('serve', '--tls-key', ''), ["\tfiles"], 'files');
is_deeply(offered('load', '--done', ''), ["\tfolders"], 'folders');
is_deeply(offered('load', ''), ["\tfiles"], 'arguments that are files');
is_deeply(offered('tag', 're'), ['remove'], 'what comes first');
is_deeply(offered('retention', 'a'), ['apply'], 'actions');
is_deeply(offered('completion', ''), ['bash', 'zsh', 'fish'], 'shells');
is_deeply(offered('runs', 'n_'), ['n_ranks='], 'columns to filter by');
is_deeply(offered('no-such-command', ''), [], 'an unknown command');
is_deeply(offered('psql', '--', '-'), ["\tfiles"], 'words of another program');
is($w->run('complete')->{code}, 0, 'no word at all');
is($w->run('completion', 'tcsh')->{code}, 2, 'an unknown shell');

# ---- from the warehouse
my @odd = ('my tag', q{it's}, 'a"b', 'ns:x', 'k=v', '$HOME', 'a`id`', 'semi;colon', 'back\\slash', '*star', 'gr\x{fc}n');
$w->ok_run('load', 'load', '-q', $w->write_caliper_json('a.json', 5, 2, 1), '--set', 'application=lu lesh', '--commit', '3e01c40abcdef0123456789012345678901234567');
$w->ok_run("tag $_", 'tag', 'add', $_, 1) for @odd;
$w->sql(q{UPDATE perfhouse.run SET tags = tags || ARRAY[E'new\nline', E'ta\tb', E'es\x1bc']});
my %tags = map { $_ => 1 } @{ offered('tag', 'add', '') };
ok($tags{$_}, "tag $_ is offered") for @odd;
is(scalar(keys %tags), scalar(@odd), 'those with control characters are not');
is_deeply(offered('rm', ''), ['1'], 'runs');
is_deeply(offered('show', ''), ['latest', '1'], 'where one is asked for, by a word, too');
is_deeply(offered('render', 'sankey', '--run='), ['--run=1'], 'runs of a view');
is_deeply(offered('compare', '1,'), ['1,1'], 'the next of a list');
is_deeply(offered('regressions', '-a', 'lu'), ['lu lesh'], 'applications');
is_deeply(offered('report', '1', '-m', 't'), ['time'], 'metrics');
$w->ok_run('define', 'metric', 'define', 'twice', '2 * time');
is_deeply(offered('report', '1', '-m', 'tw'), ['twice'], 'derived metrics');
is_deeply(offered('load', '--commit', '3e'), ['3e01c40abc'], 'commits');
is_deeply(offered('alias', 'suggest', '1', ''), ['1'], 'arguments of an action');
my $best = 9;
for (1 .. 5) { $start = Perfhouse::cpu(); $w->run('complete', 'show', ''); my $took = Perfhouse::cpu() - $start; $best = $took if $took < $best }
cmp_ok($best, '<', 0.1, sprintf 'answered in %.0f ms', 1000 * $best);

# ---- bash: what readline would put in place of the word, given a line and the cursor at its end
my $scripts = "$FindBin::Bin/../../loader/client/completion";
is($w->run('completion', $_)->{out}, Perfhouse::slurp("$scripts/perfhouse.$_"), "completion $_ prints the script") for qw(bash zsh fish);

# A shell on a terminal, in which perfhouse writes down its arguments instead of running.
my $record = "$w->{home}/arguments";

sub shell
{
	my ($shell) = @_;
	my %rc = (
		bash => "PS1='READY> '; bind 'set enable-bracketed-paste off'; source $scripts/perfhouse.bash\n",
		zsh  => "PS1='READY> '; autoload -Uz compinit; compinit -u -D; source $scripts/perfhouse.zsh\n",
		fish => "function fish_prompt; echo 'READY> '; end; source $scripts/perfhouse.fish\n");
	my $recorder = $shell eq 'fish'
		? "function perfhouse; if test \"\$argv[1]\" = complete; command perfhouse \$argv; else; printf '%s\\0' \$argv end > $record; end; end\n"
		: "perfhouse() { if [[ \$1 == complete ]]; then command perfhouse \"\$@\"; else printf '%s\\0' \"\$@\" end > $record; fi; }\n";
	my $file    = $w->write_file("rc.$shell", $rc{$shell} . $recorder);
	my %command = (
		bash => ['bash', '--noprofile', '--rcfile', $file, '-i'],
		zsh  => ['zsh', '-f', '-i'],
		fish => ['fish', '--no-config', '-i', '-C', "source $file"]);
	local @ENV{qw(TERM HOME)} = ($shell eq 'fish' ? 'dumb' : 'xterm', "$w->{home}/work");
	my $self = {name => $shell, in => '', out => ''};
	$self->{run} = IPC::Run::start($command{$shell}, '<pty<', \$self->{in}, '>pty>', \$self->{out}, timeout(300));
	$self->{in} .= "source $file\n" if $shell eq 'zsh';
	$self->{run}->pump until $self->{out} =~ /READY> /;
	return $self;
}

# The arguments after the line was typed, TAB and Enter were pressed.
sub typed
{
	my ($shell, $line) = @_;
	unlink $record;
	$shell->{out} = '';
	$shell->{in} .= "\cU$line\t\n";
	my $end = time + 60;
	my $got = '';
	while ($got !~ /\0end\0\z/ && time < $end)
	{
		$shell->{run}->pump_nb;
		sleep 0.02;
		$got = Perfhouse::slurp($record);
	}
	diag("$shell->{name}: $line: $shell->{out}") if $got eq '';
	my @arguments = split /\0/, $got;
	pop @arguments;
	s{/\z}{} for @arguments; # zsh takes the slash behind a folder away again
	return \@arguments;
}

for my $name (qw(bash zsh fish))
{
	SKIP:
	{
		skip "no $name", 1 unless have($name);
		my $shell = shell($name);
		is_deeply(typed($shell, 'perfhouse rep'), ['report'], "$name: a command");
		is_deeply(typed($shell, 'perfhouse render sankey --group-by p'), [qw(render sankey --group-by paradigm)], "$name: a choice");
		is_deeply(typed($shell, 'perfhouse render sankey --group-by=p'), [qw(render sankey --group-by=paradigm)], "$name: a glued one");
		is_deeply(typed($shell, 'perfhouse load pl'), [qw(load plain.cali)], "$name: a file");
		is_deeply(typed($shell, 'perfhouse load wi'), ['load', 'with blank.cali'], "$name: a file with a blank");
		is_deeply(typed($shell, 'perfhouse load --done fo'), ['load', '--done', 'folder'], "$name: a folder");
		is_deeply(typed($shell, 'perfhouse regressions -a lu'), ['regressions', '-a', 'lu lesh'], "$name: a blank");
		is_deeply(typed($shell, 'perfhouse regressions -a "lu l'), ['regressions', '-a', 'lu lesh'], "$name: within quotes");
		is_deeply(typed($shell, "perfhouse regressions -a lu\\ "), ['regressions', '-a', 'lu lesh'], "$name: behind a backslash");
		for (['my', 'my tag'], ['it', q{it's}], ['ns:', 'ns:x'], ['k=', 'k=v'], ['semi', 'semi;colon'], ["'\$HO", '$HOME'], ['a\\`', 'a`id`'], ['ba', 'back\\slash'], ["'a\"", 'a"b'])
		{
			my ($begun, $tag) = @$_;
			is_deeply(typed($shell, "perfhouse tag add $begun"), ['tag', 'add', $tag], "$name: tag $tag after $begun");
		}
		$shell->{run}->signal('KILL');
		eval { $shell->{run}->finish };
	}
}
done_testing();
