# serve describes itself as OpenAPI; what it says is so: requests made of the description, right and wrong ones, are answered as it says.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use JSON::PP;
use Perfhouse;
use Serve;
use Test::More;

my ($seed, $update, $examples) = @ENV{qw(PERFHOUSE_TEST_SEED PERFHOUSE_TEST_UPDATE EXAMPLES)}; # which a warehouse of its own forgets
my $w = Perfhouse->new;
$w->ok_run('load', 'load', '--set', 'application=lulesh', glob("$Perfhouse::data/lulesh-history/lulesh-3e01c40-n8-*.cali"));
$w->ok_run('load a trace', 'load', "$Perfhouse::data/traces/lulesh-8");
my $s = Serve->new($w, '--workers', '2', '--timeout', '10');

my $r = $s->get('/api/openapi.json');
is($r->{status}, 200, 'the description');
my $file = "$FindBin::Bin/../../docs/openapi.json";
if ($update)
{
	open my $out, '>', $file or die "$file: $!\n";
	print {$out} $r->{body};
	close $out or die "$file: $!\n";
}
ok($r->{body} eq Perfhouse::slurp($file), 'docs/openapi.json is what the server says (PERFHOUSE_TEST_UPDATE=1 writes it)');
my $api   = JSON::PP->new->decode($r->{body});
my %paths = %{$api->{paths}};
is($api->{openapi}, '3.1.0', 'says what it is');
is_deeply($api->{security}, [{token => []}, {}], 'and that it needs no token');
my $told = JSON::PP->new->decode($s->get('/api/parameters')->{body});
is(join(' ', sort grep { m{^/api/(?!events|openapi|parameters|status|sql$)} } keys %paths), join(' ', sort map { "/api/$_" } keys %{$told->{queries}}), 'every query');
is(join(' ', sort grep { /\.svg$/ } keys %paths), join(' ', sort map { "/view/$_.svg" } keys %{$told->{views}}), 'every view');
for my $path (sort keys %paths)
{
	my %ids;
	$ids{$_->{name}}++ for @{$paths{$path}{get}{parameters} // []};
	is(join(' ', grep { $ids{$_} > 1 } keys %ids), '', "$path: each parameter once");
}

# ---- requests of the description: the seed makes the same ones each time
my $state = $seed // 18;
sub below { my ($n) = @_; $state = ($state * 1103515245 + 12345) % 2147483648; return int($state / 65536) % $n }
sub one_of { return $_[below(scalar @_)] }

sub good_value
{
	my ($name, $schema) = @_;
	$schema = $schema->{items} if ($schema->{type} // '') eq 'array';
	$schema = one_of(@{$schema->{anyOf}}) if $schema->{anyOf};
	return one_of(@{$schema->{enum}}) if $schema->{enum};
	return one_of(1 .. 4)             if $name =~ /^(?:run|vs|a|b|after|before)$/;
	return one_of('true', 'false')    if $schema->{type} eq 'boolean';
	return one_of(grep { $_ >= ($schema->{minimum} // 0) && $_ <= ($schema->{maximum} // 1e9) } 0, 1, 2, 16, 100, 600, 1200, $schema->{minimum} // 0)
	  if $schema->{type} =~ /^(?:integer|number)$/;
	my %texts = (application => 'lulesh', metric => 'time', filter => '0.01', node => 'main', path => 'main', runs => '1-3', ranks => '0-3,7', duration => '1ms');
	return $texts{$name} // one_of(@{$schema->{examples} // []}, $schema->{default} // 'main');
}

sub bad_value { return one_of('', '-1', '1e99', "'; DROP TABLE perfhouse.run; --", '%00', '../../etc/passwd', "\x{e9}", '0x10', 'null', '<script>', 'x' x 300, '{}', '9' x 25, 'NaN') }

my %code_of;
my $wrong = 0;
for my $n (1 .. 500)
{
	my $path = one_of(grep { !/events|\.(?:png|pdf)$/ } sort keys %paths);
	my $get  = $paths{$path}{get};
	my @query;
	for my $p (@{$get->{parameters} // []})
	{
		next if !$p->{required} && $p->{name} ne 'run' && below(4);
		push @query, [$p->{name}, below(6) ? good_value($p->{name}, $p->{schema}) : bad_value()];
	}
	push @query, [one_of('nope', 'query', 'sql', 'output'), 'x'] unless below(12);
	my $url = $path . '?' . join('&', map { "$_->[0]=" . $_->[1] =~ s/([^A-Za-z0-9_.,%-])/sprintf '%%%02X', ord $1/ger } @query);
	my $answer = $s->get($url);
	my $type   = $answer->{header}{'content-type'} // '';
	$code_of{$answer->{status}}++;
	my ($expected) = keys %{$get->{responses}{200}{content}};
	my $is_right =
	    $answer->{status} == 200 ? $type =~ /^\Q$expected\E/ && ($expected ne 'application/json' || eval { ref JSON::PP->new->decode($answer->{body}) eq 'HASH' })
	  : $answer->{status} =~ /^(?:400|403|404|413|422|504)$/ ? $expected ne 'application/json' || eval { defined JSON::PP->new->decode($answer->{body})->{error}{message} }
	  :                                                0;
	next if $is_right;
	$wrong++;
	diag("$answer->{status} $type: $url\n" . substr($answer->{body}, 0, 300)) if $wrong < 6;
}
is($wrong, 0, 'answers are those that are described, errors among them');
cmp_ok($code_of{200} // 0, '>', 50, 'many were right');
cmp_ok($code_of{400} // 0, '>', 50, 'many were wrong');
is($s->get('/api/run/1')->{status}, 200, 'the server lives on');
is($w->sql('SELECT count(*) FROM perfhouse.run'), 4, 'and nothing is lost');

SKIP:
{
	my $version = `schemathesis --version 2>/dev/null`;
	skip 'schemathesis is not installed (pip install schemathesis)', 2 unless defined $version && $version =~ /\d/;
	my $token  = '0123456789abcdef' x 2;
	my $secret = $w->write_file('token', "$token\n");
	chmod 0600, $secret;
	my $open = Serve->new($w, '--workers', '3', '--timeout', '20', '--allow-sql', '--token-file', $secret);
	my $out    = "$w->{home}/schemathesis.log";
	my $whose = $examples ? '--exclude-path /api/events' : join(' ', map { "--include-path $_" } qw(/api/runs /api/run /view/flame.svg /view/grid.json));
	local $ENV{SCHEMATHESIS_HOOKS} = 'schemathesis_values';
	local $ENV{PYTHONPATH} = "$FindBin::Bin/../lib";
	my $code = system("cd '$w->{home}' && schemathesis --config-file '$FindBin::Bin/../lib/schemathesis.toml' run http://127.0.0.1:$open->{port}/api/openapi.json"
		. " $whose -H 'Authorization: Bearer $token' --workers 3 --checks all --continue-on-failure --no-color --seed " . ($seed // 18) . " --max-examples " . ($examples // 3) . " > '$out' 2>&1");
	my ($summary) = Perfhouse::slurp($out) =~ /=+ SUMMARY =+\n(.*)/s;
	is($code, 0, 'schemathesis finds nothing') or diag(substr(Perfhouse::slurp($out), -($examples ? 60_000 : 4000)));
	note($summary // '');
}
done_testing();
