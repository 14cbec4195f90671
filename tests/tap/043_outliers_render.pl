# render: one slow rank among many is seen in every view that shows ranks; nothing is seen that is not there.
# PERFHOUSE_TEST_RANKS=16384 is what the views are made for, and takes minutes to generate.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Perfhouse;
use Test::More;

my $w    = Perfhouse->new;
my $out  = $w->{home};
my $root = "$FindBin::Bin/../..";
my $cc   = $ENV{CC} // 'cc';
my $ranks     = $ENV{PERFHOUSE_TEST_RANKS} // 2048;
my $generator = "$out/gen_trace";
is(system("$cc -std=c11 -O1 -D_GNU_SOURCE -o $generator $root/bench/gen_trace.c \$(pkg-config --cflags --libs otf2)"), 0, 'build the generator');
is(system($generator, 'halo', "$out/slow", '--ranks', $ranks, '--iterations', 3, '--slow-rank', 1711), 0, 'a trace with a slow rank');
$w->ok_run('load it', 'load', '--set', 'application=halo', "$out/slow");

sub picture
{
	my (@command) = @_;
	unlink "$out/p.svg";
	$w->ok_run("@command", 'render', @command, '--run', '1', '-o', "$out/p.svg");
	return Perfhouse::slurp("$out/p.svg");
}

# ---- the timeline: what most ranks of a row did, and whom they hide; at the width of a laptop and of a wall
for my $width (1280, 1400, 1920)
{
	my $svg = picture('timeline', '--width', $width);
	like($svg, qr/>[^<]*\d ranks a row/, "says how many ranks share a row at $width");
	my ($tip, $rect) = $svg =~ m{class="deviant" data-node="compute" data-rank="1711"[^>]*><title>([^<]*)</title>\s*(<rect [^>]*>)};
	ok($rect, "the slow rank is drawn at $width") or next;
	my %box = $rect =~ /(\w+)="([\d.]+)"/g;
	cmp_ok($box{height}, '>=', 1, 'at least a pixel high');
	cmp_ok($box{width},  '>=', 5, 'and as wide as its work');
	like($tip, qr/rank 1711, the least like ranks \d+\S+\d+ \(\d+ of them\): something else in \d/, 'the tooltip says who it is');
	my ($color) = $rect =~ /fill="(#\w+)"/;
	like(picture('timeline', '--width', $width, '--everything'), qr/class="call" data-node="compute"(?:(?!<rect).)*<rect fill="\Q$color\E"/s,
		'in the colour that the function has elsewhere');
}
my $whole = picture('timeline', '--ranks', '1700-1720');
unlike($whole, qr/ranks a row|class="deviant"/, 'no row hides a rank where each has its own');

# ---- clusters name it
my $phase = $w->sql("SELECT phase FROM perfhouse.phases(1) WHERE n_locations = $ranks ORDER BY max_lateness DESC LIMIT 1");
my $clusters = picture('logical-clusters', '--phase', $phase);
like($clusters, qr/>rank 1711</, 'the slow rank is a cluster of its own');

# ---- where cells are of many ranks, the greatest is what they show
like(picture('logical'), qr/fill="#d4104a"/, 'the latest event has the colour of what is beyond the others');
my %views = (
	'processes'     => qr/data-processes="\d+"[^>]*data-rank="1711"|data-rank="(\d+)"[^>]*>(?:(?!<\/g>).)*rank 1711/s,
	'metric'        => qr/greatest[^<]*rank 1711/,
	'histogram'     => qr/data-rank="1711"/,
	'scatter'       => qr/class="outlier" [^>]*data-rank="1711"/,
	'box'           => qr/class="outlier" data-rank="1711"/,
	'step-overview' => qr/class="greatest" data-process="rank 1711"/,
	'time-profile'  => qr/class="outlier" data-node="compute" data-rank="1711"/);
my %options = (metric => ['--node', 'compute'], histogram => ['--group-by', 'function', '--node', 'compute'], box => ['--group-by', 'function'],
	scatter => ['--group-by', 'function', '--node', 'compute']);
my %svgs;
for my $view (sort keys %views)
{
	$svgs{$view} = picture($view, @{$options{$view} // []});
	like($svgs{$view}, $views{$view}, "$view shows the slow rank");
}

# ---- as a mark that can be seen: of the colour that only outliers have, and not below a pixel
my $beyond = '#d4104a';

# One attribute of the rectangles in the groups of a class whose title matches.
sub rectangles
{
	my ($svg, $class, $title, $attribute) = @_;
	my @groups = grep { /<title>[^<]*$title/ } $svg =~ m{<g [^>]*class="\Q$class\E"[^>]*>.*?</g>}sg;
	return map { m{<rect [^>]*?\b$attribute="([^"]*)"}g } @groups;
}
ok((grep { $_ eq $beyond } rectangles($svgs{metric}, 'process', 'rank 1711', 'fill')), 'metric: what reaches up to the slow rank stands out');
ok((grep { $_ eq $beyond } rectangles($svgs{processes}, 'process', 'rank 1711', 'fill')), 'processes: so does its box');
ok((grep { $_ >= 2 } rectangles($svgs{histogram}, 'bin', '[^<]*1 rank: 1711', 'height')), 'histogram: a bin of one rank is seen beside one of all others');
ok((grep { $_ >= 2 } rectangles($svgs{'time-profile'}, 'outlier', 'rank 1711', 'height')), 'time-profile: the mark of one rank is seen');
my @steps = $svgs{'step-overview'} =~ /class="greatest" data-process="([^"]*)"/g;
cmp_ok(scalar(grep { $_ eq 'rank 1711' } @steps), '>=', 3, 'step-overview: it is the latest in every iteration') or diag("@steps");
like(picture('sankey', '--group-by', 'function'), qr/class="ranks"/, 'sankey has distributions over ranks');
unlike(picture('step-overview', '--summary', 'max'), qr/class="greatest"/, 'the greatest are not drawn twice');

# ---- a rank that sends more than others, in cells of many pairs; a message that comes late, against a run without it
my $few = 512;
for my $kind (['large', '--large-rank', 311], ['plain'], ['late', '--delay', 200000, '--delay-rank', 311, '--delay-iteration', 1])
{
	my ($name, @fault) = @$kind;
	is(system($generator, 'halo', "$out/$name", '--ranks', $few, '--iterations', 3, @fault), 0, "generate $name");
	$w->ok_run("load $name", 'load', '--set', 'application=halo', "$out/$name");
}
$w->ok_run('who to whom', 'render', 'comm-matrix', '--run', 2, '-o', "$out/p.svg");
my $matrix = Perfhouse::slurp("$out/p.svg");
my @ticks = $matrix =~ />(\d+)<\/text>/g;
cmp_ok(scalar(@ticks), '>=', 10, 'comm-matrix has numbers of ranks');
is(scalar(grep { $_ % 10 } @ticks), 0, 'round ones, however many ranks a cell has') or diag("@ticks");
like($matrix, qr/class="outlier"[^>]* data-sender="311"/, 'comm-matrix marks the cells where one pair sends much more');
ok((grep { $_ >= 4 } rectangles($matrix, 'outlier', 'rank 311 to rank', 'width')), 'as large as can be seen');
unlike($matrix, qr/class="outlier"[^>]* data-sender="(?!311")/, 'and no others');
$w->ok_run('sizes', 'render', 'message-sizes', '--run', 2, '-o', "$out/p.svg");
my @heights = map { /height="([\d.]+)"/ } Perfhouse::slurp("$out/p.svg") =~ m{class="bin"[^>]*>(?:(?!</g>).)*?(<rect [^>]*>)}sg;
is(scalar(grep { $_ < 1 } @heights), 0, 'message-sizes: no bar is lower than a pixel');
cmp_ok(scalar(@heights), '>=', 4, 'and the few large messages have bars');
$w->ok_run('two traces', 'render', 'trace-diff', '--run', 3, '--vs', 4, '-o', "$out/p.svg");
like(Perfhouse::slurp("$out/p.svg"), qr/class="change"[^>]* data-rank="311"/, 'trace-diff names the rank whose message is late');

# ---- lines of messages are left out where they would beat with the bins
is(system($generator, 'halo', "$out/long", '--ranks', 16, '--iterations', 2000), 0, 'a long trace');
$w->ok_run('load it', 'load', "$out/long");
$w->ok_run('the long trace', 'render', 'timeline', '--run', '5', '-o', "$out/p.svg");
my $long = Perfhouse::slurp("$out/p.svg");
unlike($long, qr/class="message"/, 'bundles of messages make no stripes');
like($long, qr/too close to each other/, 'and the caption says that they are missing');
$w->ok_run('a part of it', 'render', 'timeline', '--run', '5', '--from', '1ms', '--to', '1.2ms', '-o', "$out/p.svg");
like(Perfhouse::slurp("$out/p.svg"), qr/class="message"/, 'they are drawn where they are apart');

# ---- tooltips tell times that are near each other apart, and how long calls took
my ($tip) = Perfhouse::slurp("$out/p.svg") =~ m{class="call" data-node="compute"[^>]*><title>([^<]*)</title>};
like($tip, qr/&#10;\d[\d.]* \S+s(?:, of which [\d.]+ %)?&#10;1\.\d{3,6} ms to 1\.\d{3,6} ms/, 'duration, and moments to the bin') or diag($tip);

# ---- a function has one colour, whatever the window, the width and the picture
sub color_of
{
	my ($name, $svg) = @_;
	my ($color) = $svg =~ m{<rect fill="(#\w+)"[^>]*/>\s*<text[^>]*>\Q$name\E</text>};
	return $color;
}
my @drawn;
for my $command (['timeline'], ['timeline', '--width', 900], ['timeline', '--from', '1ms', '--to', '1.1ms'], ['time-profile'])
{
	$w->ok_run("@$command", 'render', @$command, '--run', '5', '-o', "$out/p.svg");
	push @drawn, Perfhouse::slurp("$out/p.svg");
}
for my $name ('MPI_Waitall', 'compute', 'MPI_Isend')
{
	my %found;
	$found{color_of($name, $_) // 'none'}++ for @drawn;
	delete $found{none};
	is(scalar(keys %found), 1, "$name has one colour") or diag(join ' ', %found);
}
is($w->sql(q{SELECT count(*) FROM perfhouse.color_of WHERE name = 'MPI_Waitall'}), $w->sql('SELECT count(DISTINCT coalesce(application, \'\')) FROM perfhouse.run_overview'), 'kept once for each application');

# ---- cells are crisp in browsers
like($long, qr/^<svg [^>]*shape-rendering="crispEdges"/m, 'SVG asks for crisp cells');
unlike($long, qr/<rect fill="#\w+" height="\d*\.\d/, 'cells are whole pixels high');

# ---- who caused the waiting of thousands
my $blame = picture('blame');
like($blame, qr/class="cause"[^>]*>\s*<title>compute on rank 1711&#10;caused [^<]* of waiting, 9\d/, 'the slow rank by its name');
my ($told) = $w->run('explain', '1')->{out} =~ /Rank 1711 made others wait [^,]*, ([\d.]+) % of all waiting/;
my $drawn = 0;
$drawn += $1 while $blame =~ /class="cause"[^>]*>\s*<title>[^<]*?rank 1711\b[^<]*?of waiting, ([\d.]+)\s*%/g;
cmp_ok(abs($drawn - ($told // 0)), '<', 0.5, 'its bars add up to what explain tells') or diag("drawn $drawn, told " . ($told // 'nothing'));
cmp_ok(length $blame, '<', 1e6, 'in a picture of less than a megabyte');

like($blame, qr/fill="#332288"/, 'its hue is a dark one');
unlike(picture('blame', '--theme', 'dark'), qr/fill="#332288"/, 'that is lifted on a dark ground');

done_testing();
