#!/usr/bin/perl
# 066_sources.pl - serve --sources: texts of the commit that a run measured, and nothing else of the machine.
#
# SPDX-License-Identifier: PostgreSQL
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use JSON::PP;
use Perfhouse;
use Serve;
use Test::More;

my $w          = Perfhouse->new;
my $repository = "$w->{home}/sources.git";
my $n_profiles = 0;

sub git
{
	my (@arguments) = @_;
	open(my $out, '-|', 'git', '-C', $repository, @arguments) or die "git: $!";
	my $text = do { local $/ = undef; <$out> };
	chomp $text;
	return $text;
}

# A commit with files, their modes and contents, behind others if there is a parent; answers its hash.
sub commit
{
	my (%files) = @_;
	my $parent = delete $files{parent};
	open(my $in, '|-', 'git', '-C', $repository, 'fast-import', '--quiet', '--force') or die "git: $!";
	print $in "commit refs/heads/main\ncommitter A <a\@example.org> 1700000000 +0000\ndata 1\nx\n", $parent ? "from $parent\n" : '', "deleteall\n";
	for my $path (sort keys %files)
	{
		my ($mode, $content) = @{$files{$path}};
		printf $in "M %s inline %s\ndata %d\n%s\n", $mode, $path, length $content, $content;
	}
	close($in) or die "no commit\n";
	return git('rev-parse', 'main');
}

sub profile
{
	my ($name, $commit, @files) = @_;
	my @children = map { {frame => {name => "f_$_", type => 'function', file => $_, line => 3}, metrics => {time => 1}} } @files;
	my $file = $w->write_file("$name.json", # one run each: no two have the same content
		JSON::PP->new->encode([{frame => {name => 'main', type => 'function', file => 'main.c'}, metrics => {time => 1 + $n_profiles++}, children => \@children}]));
	$w->ok_run("load $name", 'load', '--no-regressions', '--set', "title=$name", $commit ? ('--commit', $commit) : (), $file);
	return $w->sql('SELECT max(run_id) FROM perfhouse.run');
}

system('git', 'init', '-q', '--bare', $repository) == 0 or die "no repository\n";
my $first  = commit('src/main.c' => ['100644', "first\n"], 'secret.c' => ['100644', "not of the profile\n"]);
my $second = commit('src/main.c' => ['100755', "second \xe4 </script>\n"], 'src/a.c' => ['100644', "a\n"], 'old/a.c' => ['100644', "b\n"],
	'link.c' => ['120000', '/etc/passwd'], 'data.c' => ['100644', "\0\1"], 'large.c' => ['100644', 'x' x 5_000_000]);
my @named = qw(a.c link.c data.c large.c gone.c -x.c);
my $run   = profile('new', $second, @named);
my $old   = profile('old', $first);
my $none  = profile('none', undef);
my $lost  = profile('lost', 'deadbeef' x 5);

is($w->run('serve', '--port', '0', '--sources', $w->{home})->{code}, 13, 'a folder that is no repository');
my $s = Serve->new($w, '--workers', '1', '--sources', $repository);

sub source
{
	my ($of, $file) = @_;
	$file =~ s/([^\w.])/sprintf '%%%02X', ord $1/ge;
	my $r = $s->get("/api/source?run=$of&file=$file");
	return ($r->{status}, decode_json($r->{body}));
}

my ($status, $answer) = source($run, 'main.c');
is($status, 200, 'a source');
is_deeply($answer->{rows}, [{file => 'main.c', path => 'src/main.c', commit => $second, text => "second \x{fffd} </script>\n"}], 'with its path; what is not UTF-8 is marked');
unlike($s->get("/api/source?run=$run&file=main.c")->{body}, qr/<\/script>/, 'markup is escaped');
($status, $answer) = source($old, 'main.c');
is($answer->{rows}[0]{text}, "first\n", 'of another run: that of its commit');
for my $case ([$run, 'a.c', qr/several files/], [$run, 'link.c', qr/has no such file/], [$run, 'gone.c', qr/has no such file/], [$run, '-x.c', qr/has no such file/],
	[$run, 'secret.c', qr/names no such file/], [$run, '/etc/passwd', qr/names no such file/], [$run, '../../etc/passwd', qr/names no such file/],
	[$run, "main.c\n", qr/names no such file/], [$run, "$second:src/main.c", qr/names no such file/], [$none, 'main.c', qr/commit .* is not known/], [$lost, 'main.c', qr/has the run's commit/],
	[999, 'main.c', qr/names no such file/])
{
	my ($of, $file, $why) = @$case;
	($status, $answer) = source($of, $file);
	is($status, 404, "run $of, $file is not there");
	like($answer->{error}{message}, $why, 'and why');
}
for my $file ('data.c', 'large.c')
{
	($status, $answer) = source($run, $file);
	is($status, 413, "$file is no text");
}

# ---- lines that changed between two runs
sub changed
{
	my ($before, $after, $name) = @_;
	my $r = $s->get("/api/changed_lines?a=$before&b=$after&name=$name");
	return ($r->{status}, decode_json($r->{body}));
}

my $kept   = join '', map { "line $_\n" } 1 .. 5;
my $third  = commit('src/main.c' => ['100644', $kept]);
my $fourth = commit(parent => $third, 'src/main.c' => ['100644', $kept =~ s/line 3/line 3 <\/script>/r . "line 6\n"]);
my $before = profile('before', $third);
my $after  = profile('after', $fourth);
($status, $answer) = changed($before, $after, 'main');
is($status, 200, 'lines that changed');
is_deeply([map { [@$_{qw(line author subject text time)}] } @{$answer->{rows}}],
	[[3, 'A', 'x', 'line 3 </script>', 1700000000], [6, 'A', 'x', 'line 6', 1700000000]], 'who changed which, and those alone');
is_deeply([map { $_->{commit} } @{$answer->{rows}}], [$fourth, $fourth], 'in which commit');
is_deeply($answer->{file}, [{path => 'src/main.c', lines => 2}], 'of which file');
unlike($s->get("/api/changed_lines?a=$before&b=$after&name=main")->{body}, qr/<\/script>/, 'markup is escaped');
is_deeply((changed($after, $before, 'main'))[1]{rows}, [], 'nothing is newer the other way round');
for my $case ([$before, $after, 'gone', qr/names no file/], [$before, $none, 'main', qr/commit .* is not known/], [$none, $after, 'main', qr/commit .* is not known/],
	[$lost, $after, 'main', qr/has the run's commit/])
{
	($status, $answer) = changed(@$case[0 .. 2]);
	is($status, 404, "$case->[2] of $case->[1] since $case->[0]: none");
	like($answer->{error}{message}, $case->[3], 'and why');
}
is(decode_json($s->get("/api/commits_between?a=$before&b=$after")->{body})->{total}[0]{commits}, 0, 'no commits while the graph is not known');
$w->ok_run('the commit graph', 'commits', $repository, '--main', 'main');
my $between = decode_json($s->get("/api/commits_between?a=$before&b=$after")->{body});
is_deeply([map { [@$_{qw(commit_id author subject)}] } @{$between->{rows}}], [[$fourth, 'A', 'x']], 'commits between two runs');
is($between->{total}[0]{commits}, 1, 'and how many');

my $mapped = commit(
	parent       => $third,
	'src/main.c' => ['100644', $kept . "line 6\n"],
	'.mailmap'   => ['100644', "Ann <ann\@example.org> <a\@example.org>\n"]
);
is_deeply([map { $_->{author} } @{(changed($before, profile('mapped', $mapped), 'main'))[1]{rows}}], ['Ann'], "an author's name is that of the commit's .mailmap");

# A git that hangs, as on a file system that is away, is ended: by its alarm, which it does not wait for here. Without one it waits.
{
	my $folder = "$w->{home}/slow";
	mkdir $folder or die "$folder: $!";
	open(my $script, '>', "$folder/git") or die "$folder/git: $!";
	print $script "#!/bin/sh\ncase \"\$*\" in *ls-tree*) exec perl -e 'kill ALRM => \$\$ if alarm 0; sleep 120';; esac\nPATH='$ENV{PATH}' exec git \"\$\@\"\n";
	close $script;
	chmod 0755, "$folder/git";
	local $ENV{PATH} = "$folder:$ENV{PATH}";
	my $slow = Serve->new($w, '--workers', '1', '--cache-size', '0', '--sources', $repository);
	is($slow->get("/api/source?run=$run&file=main.c")->{status}, 500, 'a git that hangs is ended, and the page told');
	is($slow->get("/api/tree?run=$run")->{status}, 200, 'and the worker is free');
	$slow->stop;
}

like($s->get('/api/parameters')->{body}, qr/"sources": ?true/, 'pages are told that there are some');
$s->stop;

# Servers that share a cache show their own repositories alone.
my $other = "$w->{home}/other.git";
is(system('git', 'init', '-q', '--bare', $other), 0, 'a repository without the commits');
my @cache = ('--cache', "$w->{home}/shared-cache", '--workers', '1');
for my $target ("/api/source?run=$run&file=main.c", "/api/changed_lines?a=$before&b=$after&name=main")
{
	my @found;
	for my $sources ([$repository], [$other], [$other, $repository], [$repository])
	{
		my $server = Serve->new($w, @cache, map { ('--sources', $_) } @$sources);
		push @found, $server->get($target)->{status} . ' ' . Serve::json($server->get('/api/status')->{body})->{rows}[0]{hits};
		$server->stop;
	}
	is_deeply(\@found, ['200 0', '404 0', '200 0', '200 1'], "$target: what one server has kept, servers with other repositories make anew");
}

my $closed = Serve->new($w, '--workers', '1');
is($closed->get("/api/source?run=$run&file=main.c")->{status}, 404, 'without --sources there are none');
is($closed->get("/api/changed_lines?a=$before&b=$after&name=main")->{status}, 404, 'nor lines that changed');
like($closed->get('/api/parameters')->{body}, qr/"sources": ?false/, 'which pages are told');
$closed->stop;
done_testing();
