# serve: an allocation that fails costs one request its answer, never the server its life.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Perfhouse;
use Serve;
use Test::More;

my $w       = Perfhouse->new;
my $library = "$w->{home}/starve.so";
my $plan    = "$w->{home}/starve";
my $cc      = $ENV{CC} // 'cc';
plan skip_all => 'an instrumented program has an allocator of its own' if ($ENV{PERFHOUSE} // '') =~ m{/asan/};
plan skip_all => "no C compiler ($cc)" if system("$cc -O1 -shared -fPIC -o $library $FindBin::Bin/../lib/starve.c -ldl 2>/dev/null") != 0;

# So many allocations succeed before one fails; 0: all do.
sub starve
{
	my ($after) = @_;
	open(my $file, '+<', $plan) or die "$plan: $!";
	syswrite($file, pack('q<2', $after, 0));
	close($file);
	return;
}

# (how many were left, how many failed)
sub starved
{
	open(my $file, '<', $plan) or die "$plan: $!";
	sysread($file, my $bytes, 16);
	close($file);
	return unpack('q<2', $bytes);
}

$w->write_file('starve', pack('q<2', 0, 0));
$w->ok_run('load', 'load', '--set', 'application=lulesh', "$Perfhouse::data/lulesh-history/lulesh-3e01c40-n8-1.cali");
my ($s, $kept);
{
	local $ENV{LD_PRELOAD} = $library;
	local $ENV{STARVE}     = $plan;
	$s = Serve->new($w, '--workers', '1', '--quick-workers', '1', '--cache-size', '0', '--access-log', "$w->{home}/access.log");
	$kept = Serve->new($w, '--workers', '1', '--quick-workers', '1');
}

# Of each kind of answer: the allocations of a request fail one by one, the first 200 of them.
for my $case (map({ [$s, $_] } '/api/runs', '/api/run/1', '/api/parameters', '/api/nope', '/api/runs?filter=1=1;--', '/run/1', '/view/nope.svg',
	'/view/histogram.json?run=1', '/view/sankey.svg?run=1', '/view/flame.png?run=1', '/view/sankey.svg?run=1&split_caller=libmpi.so'),
	[$kept, '/view/sankey.svg?run=1', 'Accept-Encoding' => 'gzip'], [$kept, '/view/flame.png?run=1'])
{
	my ($server, $target, @headers) = @$case;
	my $good = $server->get($target, @headers)->{status};
	like($good, qr/^(200|400|404|422)$/, "$target is answered");
	my ($refused, $odd) = (0, '');
	for my $i (1 .. 20, Perfhouse::some(30, 21 .. 200))
	{
		starve($i);
		my $r = $server->get($target, @headers);
		my (undef, $failed) = starved();
		starve(0);
		last if !$failed;
		next if $r->{status} == $good;
		$refused++;
		my $is_memory = $r->{status} =~ /^50[03]$/ && defined Serve::json($r->{body});
		$odd .= "allocation $i: $r->{status} $r->{body}\n" if !$is_memory;
	}
	ok($refused > 1, "$target: some allocations are needed") or diag($refused);
	is($odd, '', "$target: without memory 500 or 503 and JSON ($refused times)");
	is($server->get($target, @headers)->{status}, $good, "$target: answered again afterwards");
}
is($s->get('/')->{status}, 200, 'the server lives');
is($kept->get('/')->{status}, 200, 'and the other one');
$_->stop for $s, $kept;
done_testing();
