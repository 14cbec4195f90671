# A loader that was built without the libraries of some readers: it says of which formats it lacks what, refuses their files, and
# reads all others.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use JSON::PP;
use Perfhouse;
use Test::More;

my $w     = Perfhouse->new;
my $root  = "$FindBin::Bin/../..";
my $build = $Perfhouse::program =~ s{/bin/[^/]*$}{}r;
plan skip_all => 'not the build of this checkout' if $build =~ m{/asan} || !-d "$build/obj";
my $made   = "$build/without-libraries/perfhouse"; # where it finds the extension
my $said   = `make -s -C $root BUILD=$build WITHOUT='otf2 sqlite3' LOADER=$made loader 2>&1`;
is($?, 0, 'a build without libotf2 and libsqlite3') or diag($said);
my $linked = `ldd $made`;
unlike($linked, qr/libotf2|libsqlite3/, 'does not need them');

local $Perfhouse::program = $made;
my %lacks = map { $_->{format} => $_->{lacks} } map { decode_json($_) } split /\n/, $w->ok_run('formats', 'load', '--formats', '--json')->{out};
is_deeply({map { $_ => $lacks{$_} } grep { defined $lacks{$_} } keys %lacks}, {otf2 => 'libotf2', nsight => 'libsqlite3', rocpd => 'libsqlite3'}, 'says what is lacking');
my $text = $w->ok_run('formats', 'load', '--formats')->{out};
like($text, qr/^otf2 .*\n.*\n +not read: this perfhouse was built without libotf2$/m, 'for people, too');

for my $case (['traces/lulesh-8/traces.otf2', 'otf2 is read by libotf2'], ['traces/lulesh-8', 'otf2 is read by libotf2', 1], ['profiles/small.nsys.sqlite', 'nsight is read by libsqlite3'],
	['devices/small.rocpd.db', 'rocpd is read by libsqlite3'])
{
	my ($path, $words, $code) = @$case;
	my $r = $w->run('load', "$Perfhouse::data/$path");
	is($r->{code}, $code // 14, "$path is refused") or diag($r->{err}); # 1: the profile beside a trace is read
	like($r->{err}, qr/$words, which this perfhouse was built without/, 'with the library');
}
my $r = $w->ok_run('other formats', 'load', '--json', "$Perfhouse::data/profiles/small.cali", "$Perfhouse::data/projections/tiny");
is(scalar(() = $r->{out} =~ /"run_id"/g), 2, 'are read');
my $run = $w->ok_run('a trace', 'show', '--json', 'latest:format=projections')->{out};
$r = $w->run('export', decode_json($run)->{run_id}, '--format', 'otf2', '-o', "$w->{home}/archive");
is($r->{code}, 14, 'no archive is written') or diag($r->{err});
like($r->{err}, qr/written by libotf2, which this perfhouse was built without/, 'for want of it');
done_testing;
