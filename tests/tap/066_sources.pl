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

sub git
{
	my (@arguments) = @_;
	open(my $out, '-|', 'git', '-C', $repository, @arguments) or die "git: $!";
	my $text = do { local $/ = undef; <$out> };
	chomp $text;
	return $text;
}

# A commit with files, their modes and contents; answers its hash.
sub commit
{
	my (%files) = @_;
	open(my $in, '|-', 'git', '-C', $repository, 'fast-import', '--quiet', '--force') or die "git: $!";
	print $in "commit refs/heads/main\ncommitter A <a\@example.org> 1700000000 +0000\ndata 1\nx\ndeleteall\n";
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
	my $file = $w->write_file("$name.json", JSON::PP->new->encode([{frame => {name => 'main', type => 'function', file => 'main.c'}, metrics => {time => 1}, children => \@children}]));
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
like($s->get('/api/parameters')->{body}, qr/"sources": ?true/, 'pages are told that there are some');
$s->stop;

my $closed = Serve->new($w, '--workers', '1');
is($closed->get("/api/source?run=$run&file=main.c")->{status}, 404, 'without --sources there are none');
like($closed->get('/api/parameters')->{body}, qr/"sources": ?false/, 'which pages are told');
$closed->stop;
done_testing();
