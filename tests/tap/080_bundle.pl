#!/usr/bin/perl
# 080_bundle.pl - pages of runs as files: what is written, how large it is, what is refused. What the pages do is in
# tests/browser/bundle.test.mjs.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use JSON::PP;
use Perfhouse;
use Test::More;

my $w = Perfhouse->new;
$w->ok_run('a trace and a profile', 'load', '--no-regressions', "$Perfhouse::data/traces/lulesh-8", "$Perfhouse::data/lulesh-history/lulesh-3e01c40-n8-1.cali");
my $folder = "$w->{home}/pages";
my $made   = $w->ok_run('bundle', 'bundle', '1', '2', '-o', $folder)->{out};
like($made, qr{pages/index\.html: 2 runs, \d+ files, \d+\.\d MB\n\z}, 'how many files, and how large');
ok(-s "$folder/$_", $_) for qw(index.html base.css bundle.page.js profile-1.html profile-2.html viewer-1.html data/index.js pictures/timeline-1.svg);
ok(!-e "$folder/viewer-2.html", 'a profile has no viewer');

my $index = Perfhouse::slurp("$folder/data/index.js");
my %files = $index =~ /"([^"]+\?[^"]*)": "(data\/\d+\.js)"/g;
is(join(' ', sort grep { !/metric=/ } keys %files),
	'calls?run=1 diff?a=1&b=2 explain?run=1 explain?run=2 explain_runs?a=1&b=2 iterations?run=1 iterations?run=2 topology?run=1 topology?run=2 tree?run=1 tree?run=2 values?run=1 values?run=2 viewer?run=1 waited_for?run=1',
	'answers by name') or diag $index;
for my $key (sort keys %files)
{
	my ($json) = Perfhouse::slurp("$folder/$files{$key}") =~ /\AperfhouseStored\.take\("\Q$key\E", (.*)\);\n\z/s;
	ok(eval { ref decode_json($json) eq 'HASH' }, "$key is an answer") or diag $@;
}
my $total = 0;
$total += -s $_ for glob("$folder/* $folder/*/*");
cmp_ok($total, '<', 6e6, "no more than is needed: $total bytes");
unlike(Perfhouse::slurp("$folder/index.html"), qr{(?:src|href)="/}, 'nothing is asked of a server');
unlike(Perfhouse::slurp("$folder/index.html"), qr{<script>}, 'no script in the page: strict policies let it run');

# runs without a common metric: all but the comparison is written, the pages and the exit code say so
$w->ok_run('a profile of something else', 'load', '--no-regressions', $w->write_file('things.json', '[{"frame": {"name": "main"}, "metrics": {"things": 3}}]'));
my $other = $w->run('bundle', '1', '3', '-o', "$w->{home}/other");
is($other->{code}, 18, 'what cannot be compared');
like($other->{err}, qr/^perfhouse: warning: run 3 cannot be compared with run 1: the first page says why$/, 'is told in a sentence');
like($other->{out}, qr/index\.html: 2 runs, /, 'beside pages of both');
my ($why) = Perfhouse::slurp("$w->{home}/other/data/index.js") =~ m{"diff\?a=1&b=3": "(data/\d+\.js)"};
like(Perfhouse::slurp("$w->{home}/other/$why"), qr/"error"/, 'the pages have the reason');

my $none = $w->run('bundle', '99', '-o', $folder);
is($none->{code}, 13, 'a run that is not there');
like($none->{err}, qr/there is no run 99\n.*perfhouse runs lists them/, 'and where to look');
is($w->run('bundle', 'one', '-o', $folder)->{code}, 2, 'a name');
is($w->run('bundle', '1')->{code}, 2, 'nowhere to write');
is($w->run('bundle', '-o', $folder)->{code}, 2, 'no run');
$w->write_file('file', 'x');
like($w->run('bundle', '1', '-o', "$w->{home}/file")->{err}, qr/file/, 'a file in the place of the folder');
done_testing();
