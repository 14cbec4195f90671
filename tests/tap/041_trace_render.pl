# render and export of traces: every view in every format, its numbers, its errors; Chrome's format, CSV.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use JSON::PP;
use Perfhouse;
use Test::More;

my $w   = Perfhouse->new;
my $out = $w->{home};
$w->ok_run('load a trace', 'load', "$Perfhouse::data/traces/lulesh-8");
$w->ok_run('load a profile', 'load', "$Perfhouse::data/lulesh-history/lulesh-3e01c40-n8-1.cali");
is($w->sql("SELECT run_id FROM perfhouse.trace"), '1', 'run 1 has a trace');

sub picture
{
	my ($file) = @_;
	return Perfhouse::slurp("$out/$file");
}

sub count_of
{
	my ($text, $pattern) = @_;
	return scalar(() = $text =~ /$pattern/g);
}

# ---- the command of the issue, and every view in every format
$w->ok_run('a window of a timeline', 'render', 'timeline', '--run', '1', '--from', '0.1s', '--to', '0.2s', '--ranks', '0-7', '-o', "$out/timeline.png");
like(picture('timeline.png'), qr/^\x89PNG/, 'is a PNG');
for my $view (qw(timeline comm-matrix message-sizes time-profile blame))
{
	my @command = ('render', $view, '--run', '1');
	$w->ok_run($view, @command, '-o', "$out/1.svg", '--save-rows', "$out/$view.rows");
	$w->ok_run("$view again", @command, '-o', "$out/2.svg");
	is(picture('1.svg'), picture('2.svg'), "$view gives the same bytes");
	$w->ok_run("$view from saved rows", 'render', $view, '--rows', "$out/$view.rows", '-o', "$out/3.svg");
	is(picture('3.svg'), picture('1.svg'), "$view from saved rows gives the same bytes");
	$w->ok_run("$view as png", @command, '-o', "$out/1.png");
	$w->ok_run("$view as pdf", @command, '-o', "$out/1.pdf");
	like(picture('1.svg'), qr/20474 events/, "$view says what it rests on");
	like($w->ok_run("help of $view", 'render', $view, '--help')->{out}, qr/--output/, "$view lists its options");
	my $r = $w->run('render', $view, '--run', '2', '-o', "$out/no.svg");
	isnt($r->{code}, 0, "$view of a run without a trace fails");
	like($r->{err}, qr/run 2.*trace/s, "$view says that the run has no trace");
	ok(!-e "$out/no.svg", 'and leaves no picture');
}

# ---- numbers in pictures are the server's
$w->ok_run('matrix', 'render', 'comm-matrix', '--run', '1', '--color', 'messages', '-o', "$out/m.svg");
is(count_of(picture('m.svg'), 'class="cell"'), $w->sql('SELECT count(*) FROM perfhouse.comm_matrix(1)'), 'a cell for every pair');
my ($value) = picture('m.svg') =~ /class="cell"[^>]*data-receiver="1"[^>]*data-sender="0"[^>]*data-value="([^"]+)"/;
is($value, $w->sql('SELECT messages FROM perfhouse.comm_matrix(1) WHERE sender = 0 AND receiver = 1'), 'a cell has its number');
$w->ok_run('one rank of a window', 'render', 'timeline', '--run', '1', '--from', '600ms', '--to', '690ms', '--ranks', '3', '-o', "$out/t.svg");
like(picture('t.svg'), qr/class="call"[^>]*data-rank="3"/, 'calls of the rank');
unlike(picture('t.svg'), qr/class="call"[^>]*data-rank="2"/, 'and of no other');
like(picture('t.svg'), qr/600 to 690 of 743\.657/, 'the window is named');
$w->ok_run('messages', 'render', 'timeline', '--run', '1', '--from', '600ms', '--to', '690ms', '-o', "$out/t.svg");
cmp_ok(count_of(picture('t.svg'), 'class="message"'), '>', 100, 'messages are lines');
$w->ok_run('no messages', 'render', 'timeline', '--run', '1', '--no-messages', '-o', "$out/t.svg");
is(count_of(picture('t.svg'), 'class="message"'), 0, 'unless they are unwanted');

is($w->sql("SELECT sum(messages) FROM perfhouse.message_histogram(1, 7, 600000000, 620000000, '{0,3}')"),
	$w->sql("SELECT count(*) FROM perfhouse.events(1, 600000000, 620000000, '{0,3}') WHERE kind = 'MPI_ISEND'"), 'sizes of a window from two ranks');
$w->ok_run('sizes of a window', 'render', 'message-sizes', '--run', '1', '--from', '600ms', '--to', '620ms', '--ranks', '0,3', '-o', "$out/ms.svg");
like(picture('ms.svg'), qr/600 to 620 of 743\.657/, 'names its window');

# ---- errors
my %bad = (
	'no time'           => ['timeline',    '--from', 'soon'],
	'an empty window'   => ['timeline',    '--from', '2s', '--to', '1s'],
	'an unknown metric' => ['timeline',    '--metric', 'PAPI_NONE'],
	'a rank it has not' => ['timeline',    '--ranks', '0,8'],
	'a wrong colour'    => ['comm-matrix', '--color', 'imbalance']);
for my $what (sort keys %bad)
{
	my ($view, @options) = @{$bad{$what}};
	my $r = $w->run('render', $view, '--run', '1', @options, '-o', "$out/no.svg");
	isnt($r->{code}, 0, "$what fails");
	like($r->{err}, qr/hint:/, "$what: says what to do");
	ok(!-e "$out/no.svg", "$what: no picture");
}
like($w->run('render', 'logical', '--run', '1', '--ranks', '99', '-o', "$out/no.svg")->{err}, qr/run 1 has no rank 99.*Its ranks are 0 to 7\./s, 'names the rank');
$w->ok_run('a window after the end', 'render', 'timeline', '--run', '1', '--from', '10s', '--to', '11s', '-o', "$out/late.svg");
like(picture('late.svg'), qr/no calls in this window/, 'says that nothing is there');

# ---- timelines as rows
is($w->sql('SELECT count(*) FROM perfhouse.timeline_rows(1)'), '8', 'a row a rank');
is($w->sql('SELECT count(*) FROM perfhouse.timeline_rows(1, NULL, 3)'), '3', 'ranks share rows when there are too many');
is($w->sql("SELECT count(*) FROM perfhouse.timeline(1, 100) WHERE share NOT BETWEEN 0 AND 1.000001 OR calls < 1 OR t_end < t_start"), '0', 'spans are sane');
is($w->sql("SELECT sum(messages) FROM perfhouse.timeline_messages(1, 100)"), '488', 'bundles lose no message');
is($w->sql("SELECT sum(messages) FROM perfhouse.timeline_messages(1, 100, max_messages => 10)"), '488', 'not even when there are many');
is($w->sql("SELECT count(*) FROM (SELECT region, sum((t_end - t_start) * share) AS ns FROM perfhouse.timeline(1, 65536, locations => '{0}', max_depth => 1) GROUP BY region) a JOIN (SELECT region, sum(inclusive) AS ns FROM perfhouse.calls(1, NULL, NULL, '{0}') WHERE depth = 0 GROUP BY region) b USING (region) WHERE b.ns > 1000000 AND abs(a.ns - b.ns) > b.ns * 0.02"), '0', 'narrow bins have the time of long calls');

# ---- export
$w->ok_run('for Chrome', 'export', '1', '--format', 'chrome', '-o', "$out/trace.json");
my $trace = JSON::PP->new->decode(picture('trace.json'));
my %kinds;
$kinds{$_->{ph}}++ for @{$trace->{traceEvents}};
is($kinds{X}, $w->sql('SELECT count(*) FROM perfhouse.calls(1) WHERE leave IS NOT NULL'), 'a slice a call');
is($kinds{s}, 488, 'a flow a message: from');
is($kinds{f}, 488, 'and to');
my ($first) = grep { $_->{ph} eq 'X' } @{$trace->{traceEvents}};
is(sprintf('%.3f', $first->{ts}), $w->sql('SELECT round(enter / 1000.0, 3) FROM perfhouse.calls(1) LIMIT 1'), 'times in us, with ns');
$w->ok_run('a window for Chrome', 'export', '1', '--format', 'chrome', '--from', '0.6s', '--to', '0.61s', '-o', "$out/window.json");
cmp_ok(-s "$out/window.json", '<', -s "$out/trace.json", 'is smaller');
my $csv = $w->ok_run('messages as CSV', 'export', '1', '--format', 'csv', '--table', 'messages')->{out};
is(count_of($csv, "\n"), 489, 'a line a message and a header');
like($csv, qr/^sender,receiver,send_time,receive_time,tag,bytes,communicator/, 'with names');
is(count_of($w->ok_run('events as CSV', 'export', '1', '--format', 'csv', '--table', 'events')->{out}, "\n"), 20475, 'events as CSV');
my $r = $w->run('export', '2', '--format', 'chrome');
isnt($r->{code}, 0, 'a profile has no trace to export');
like($r->{err}, qr/no trace/, 'and says so');

done_testing();
