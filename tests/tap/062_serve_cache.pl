# serve: what is kept of answers is never stale, never for strangers, never broken; cheap requests pass expensive ones;
# clients that go take their queries with them.
use strict;
use warnings;
use Compress::Zlib qw(memGunzip);
use FindBin;
use lib "$FindBin::Bin/../lib";
use Perfhouse;
use Serve;
use Test::More;

my $w       = Perfhouse->new;
my $history = "$Perfhouse::data/lulesh-history";
my $cache   = "$w->{home}/cache";
$w->ok_run('load a run', 'load', '--set', 'application=lulesh', '--set', 'project=alpha', "$history/lulesh-3e01c40-n8-1.cali");
$w->ok_run('load another', 'load', '--set', 'application=lulesh', '--set', 'project=alpha', "$history/lulesh-46c2a1d-n8-1.cali");
$w->ok_run('load a trace', 'load', '--set', 'application=traced', '--set', 'project=alpha', "$Perfhouse::data/traces/lulesh-8");
my @lanes = ('--workers', '1', '--quick-workers', '2', '--timeout', '60', '--cache', $cache);
my $s     = Serve->new($w, @lanes);

sub counts
{
	my ($server) = @_;
	return Serve::json($server->get('/api/status')->{body})->{rows}[0];
}

# What a request adds to the counts.
sub added
{
	my ($server, $do) = @_;
	my $before = counts($server);
	$do->();
	my $after = counts($server);
	return join(' ', map { "$_ " . ($after->{$_} - $before->{$_}) } grep { $after->{$_} != $before->{$_} } qw(hits misses not_modified joined cancelled damaged));
}

sub files { return grep { -f } glob("$cache/*") }

# A session that holds back whoever reads contents of runs, rather than what lists and versions are made of, until it is
# told to go; what waits for it can be seen.
sub hold
{
	my @job = $w->start('psql', '--', '-qc', q{SET application_name = 'holder'; BEGIN; DO $$ BEGIN EXECUTE 'LOCK TABLE ' ||
		(SELECT string_agg(t::text, ', ') FROM perfhouse.tables_by_run() t
		 WHERE t NOT IN ('perfhouse.run'::regclass, 'perfhouse.trace'::regclass, 'perfhouse.logical'::regclass)); END $$; SELECT pg_sleep(600)});
	ok($s->await(sub { $w->sql(q{SELECT count(*) FROM pg_stat_activity WHERE application_name = 'holder' AND wait_event = 'PgSleep'}) eq '1' }, 60),
		'contents of runs are locked');
	return @job;
}

sub let_go
{
	my @job = @_;
	$w->sql(q{SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'holder'});
	$w->finish(@job);
	return;
}

sub n_waiting { return $w->sql("SELECT count(*) FROM pg_stat_activity WHERE application_name = 'perfhouse serve' AND wait_event_type = 'Lock'") }

# ---- kept
my $picture = '/view/sankey.svg?run=1&group_by=module';
my $alone   = $w->ok_run('render', 'render', 'sankey', '--run', '1', '--group-by', 'module', '--type', 'svg', '-o', '-')->{out};
my $r;
is(added($s, sub { $r = $s->get($picture) }), 'misses 1', 'a picture is made');
is($r->{body}, $alone, 'as render makes it');
is(added($s, sub { $r = $s->get($picture) }), 'hits 1', 'once');
is($r->{body}, $alone, 'and sent again');
is(added($s, sub { $s->get('/view/sankey.svg?group_by=module&run=1') }), 'hits 1', 'whatever the order of its parameters');
my $etag = $r->{header}{etag};
is(added($s, sub { $r = $s->get($picture, 'If-None-Match' => "\"x\", W/$etag") }), 'not_modified 1', 'a client that has it');
is($r->{status}, 304, 'is told so');
is($r->{header}{etag}, $etag, 'of what');
like($r->{header}{'cache-control'}, qr/no-cache/, 'and asks again the next time');
is($s->get($picture, 'If-None-Match' => '"x"')->{status}, 200, 'another one is sent it');
is(added($s, sub { $s->get('/view/sankey.svg?run=2', 'If-None-Match' => $etag) }), 'misses 1', 'a tag is that of one picture');
for my $target ('/view/sankey.png?run=1', '/view/flame.pdf?run=1', '/view/flame.json?run=1', '/view/timeline.svg?run=3', '/view/sankey-diff.svg?run=1&vs=2',
	'/api/diff?a=1&b=2', '/api/phases/3')
{
	my $first = $s->get($target);
	my $again;
	is($first->{status}, 200, $target) or diag($first->{body});
	is(added($s, sub { $again = $s->get($target) }), 'hits 1', 'is kept');
	is($again->{body} eq $first->{body} && $again->{header}{'content-type'} eq $first->{header}{'content-type'}, 1, 'as it was');
}
for my $target ('/api/runs', '/api/run/1', '/run/1', '/view/history.svg?application=lulesh', '/view/sankey.svg?run=1&vs=ensemble', '/view/sankey-ensemble.svg?runs=1,2',
	'/api/commits_between?a=1&b=2')
{
	$s->get($target);
	is(added($s, sub { $s->get($target) }), '', "$target depends on other runs, too, and is not kept");
}
for my $target ('/view/sankey.svg?run=99', '/view/flame.svg?run=1&metric=nope', '/view/sankey.svg?run=x')
{
	my $status = $s->get($target)->{status};
	is(added($s, sub { is($s->get($target)->{status}, $status, "$target is an error again") }) =~ /hits/, '', 'and errors are not kept');
}

# ---- addresses that name the version are of what never changes
sub lasts { return ($s->get(@_)->{header}{'cache-control'} // '') =~ /immutable/ ? 1 : 0 }
my $of = sub { return '&version=' . $w->sql("SELECT perfhouse.run_version('{$_[0]}')") };
is(added($s, sub { $r = $s->get($picture . $of->(1)) }), 'hits 1', 'with its version it is the same picture');
is($r->{body}, $alone, 'byte for byte');
is($r->{header}{'cache-control'}, 'private, max-age=31536000, immutable', 'that need not be asked for again');
is($s->get($picture . $of->(1), 'If-None-Match' => $etag)->{header}{'cache-control'}, $r->{header}{'cache-control'}, 'nor after a 304');
is(lasts('/view/flame.png?run=1' . $of->(1)), 1, 'one that is new, too');
is(lasts('/view/sankey-diff.svg?run=1&vs=2' . $of->('1,2')), 1, 'and one of two runs');
is(lasts($picture . $_), 0, "not with \"$_\"") for '', '&version=', $of->(2), $of->('1,2'), '&version=' . 'x' x 500;
is(lasts('/view/history.svg?application=lulesh' . $of->(1)), 0, 'nor what depends on other runs');
is(lasts('/view/flame.svg?run=1&metric=nope' . $of->(1)), 0, 'nor errors');

# ---- codings
for my $target ($picture, '/api/diff?a=1&b=2', '/api/runs', '/view/history.svg?application=lulesh', '/static/run.js', '/static/base.css')
{
	my $plain = $s->get($target);
	is($plain->{header}{'content-encoding'}, undef, "$target as it is");
	is($plain->{header}{vary}, 'Accept-Encoding', 'says what it depends on');
	for my $round (1, 2)
	{
		my $packed = $s->get($target, 'Accept-Encoding' => 'deflate, gzip;q=0.8, identity;q=0.1');
		is($packed->{header}{'content-encoding'}, 'gzip', 'packed');
		is(memGunzip($packed->{body}), $plain->{body}, 'is the same');
		cmp_ok(length $packed->{body}, '<', length $plain->{body}, 'and shorter');
		isnt($packed->{header}{etag} // '', $plain->{header}{etag}, 'with a tag of its own') if $plain->{header}{etag};
		is($s->get($target, 'If-None-Match' => $packed->{header}{etag})->{status}, 304, 'that is known') if $plain->{header}{etag};
	}
	is($s->get($target, 'Accept-Encoding' => $_)->{header}{'content-encoding'}, undef, "not for \"$_\"") for 'gzip;q=0', 'br', 'gzip;q=0, *;q=0', 'gzipped', ',;=;q=';
	my $zstd = $s->get($target, 'Accept-Encoding' => 'gzip, deflate, br, zstd');
	like($zstd->{header}{'content-encoding'}, qr/^(zstd|gzip)$/, 'the smallest that is known');
	like($zstd->{body}, $zstd->{header}{'content-encoding'} eq 'zstd' ? qr/\A\x28\xb5\x2f\xfd/ : qr/\A\x1f\x8b/, 'and it is that');
}
is($s->get('/view/sankey.png?run=1', 'Accept-Encoding' => 'gzip, zstd')->{header}{'content-encoding'}, undef, 'PNG is packed as it is');
is($s->get('/view/nope.svg', 'Accept-Encoding' => 'gzip')->{header}{'content-encoding'}, undef, 'short errors are not');

# ---- never stale: whatever an answer depends on makes it anew
sub version { return $w->sql("SELECT perfhouse.run_version('{" . join(',', @_) . "}')") }
my $change = sub {
	my ($what, $target, $change, $pattern) = @_;
	my @runs   = $target =~ /(?:run|vs)=(\d+)/g;
	my $old    = $s->get($target);
	my $before = version(@runs);
	$change->();
	isnt(version(@runs), $before, "$what is another version");
	is(lasts("$target&version=$before"), 0, 'the address of the old one is not that of the new picture');
	my $new = $s->get($target, 'If-None-Match' => $old->{header}{etag});
	is($new->{status}, 200, "$what: $target is made anew");
	like($new->{body}, $pattern, 'and shows it') if $pattern;
	return;
};
my $run1 = '/view/sankey.svg?run=1';
$change->('a title', $run1, sub { $w->ok_run('set', 'set', '1', 'title=renamed by hand') }, qr/renamed by hand/);
$change->('a tag', '/view/flame.json?run=1', sub { $w->ok_run('tag', 'tag', 'add', 'golden', '1') }, qr/golden/);
$change->('an exclusion', '/view/flame.json?run=1', sub { $w->ok_run('exclude', 'exclude', '1', 'because of rain') }, qr/because of rain/);
$change->('an alias', '/view/sankey-diff.json?run=1&vs=2', sub { $w->ok_run('alias', 'alias', 'add', 'main', 'principal') });
$change->('a metric', $run1, sub { $w->ok_run('metric', 'metric', 'define', 'twice', q{"time" * 2}) });
$change->('its formula', $run1, sub { $w->ok_run('metric', 'metric', 'define', 'twice', q{"time" * 2 + "time"}) });
$change->('no metric', $run1, sub { $w->ok_run('metric', 'metric', 'drop', 'twice') });
$change->('experiment keys', '/view/sankey-diff.svg?run=1&vs=2', sub { $w->ok_run('application', 'application', 'set', 'lulesh', '--keys', 'n_ranks') });
my $alone_before = version(1);
$change->('what is known of noise', '/view/sankey-diff.json?run=1&vs=2', sub {
	$w->sql('INSERT INTO perfhouse.noise SELECT r.application, x.experiment, r.primary_metric_id, 0, 3, 1, 0.25, 0, 2, 2 FROM perfhouse.run r
		JOIN perfhouse.run_experiment x USING (run_id) WHERE r.run_id = 1');
}, qr/"noise": ?\[\s*\{/);
$change->('more of it', '/view/sankey-diff.json?run=1&vs=2', sub { $w->sql('UPDATE perfhouse.noise SET spread = 0.125') }, qr/0\.125/);
is(version(1), $alone_before, 'pictures of one run say nothing of it');
$change->('a colour', $run1, sub { $w->sql("INSERT INTO perfhouse.color_of VALUES ('lulesh', 'a function to come', 'compute', 999)") });
$change->('another colour', $run1, sub { $w->sql("UPDATE perfhouse.color_of SET family = 'wait' WHERE name = 'a function to come'") });
$change->('logical time', '/view/logical.svg?run=3', sub { $w->sql('SELECT perfhouse.assign_logical_steps(3)') });
$change->('loading it again', $run1, sub { $w->ok_run('replace', 'load', '--if-exists', 'replace', '--set', 'application=lulesh', '--set', 'project=alpha', "$history/lulesh-3e01c40-n8-1.cali") });
$change->('rolling up', '/view/sankey.svg?run=2', sub { $w->sql('SELECT perfhouse.roll_up_run(2)') });
$change->('dropping events', '/view/flame.json?run=3', sub { $w->sql('SELECT perfhouse.drop_trace_events(3)') });
my $before = version(1);
$w->ok_run('a run of something else', 'load', '--set', 'application=other', '--set', 'project=alpha', "$history/lulesh-46c2a1d-n8-2.cali");
is(version(1), $before, 'what is not shown changes nothing');
is(version(1, 99), '', 'no version of a run that is not there');
is($s->get('/view/sankey.svg?run=4')->{status}, 200, 'the new one');
$w->ok_run('remove', 'rm', '--force', '4');
is($s->get('/view/sankey.svg?run=4')->{status}, 404, 'is gone at once');

# ---- never for strangers: rights are asked each time
$s->get($run1);
is(added($s, sub { $r = $s->get($run1) }), 'hits 1', 'kept');
$w->ok_run('enable projects', 'projects', 'enable');
is($s->get($run1)->{status}, 404, 'who may not see the run gets no picture of it');
is($s->get($run1, 'If-None-Match' => $r->{header}{etag})->{status}, 404, 'nor hears that it is the same');
$w->ok_run('grant', 'projects', 'grant', 'alpha', 'perfhouse_reader');
is($s->get($run1)->{body}, $r->{body}, 'who may, does');
$w->ok_run('disable projects', 'projects', 'disable');

# ---- the same for all who ask at the same time
my @holder = hold();
my $target = '/view/flame.svg?run=1&title=together';
my @asked;
my $joined = counts($s)->{joined} + 19;
is(added($s, sub {
	@asked = map { $s->send_get($target, 'Accept-Encoding' => $_ % 2 ? 'gzip' : 'identity') } 1 .. 20;
	$s->await(sub { my $c = counts($s); n_waiting() >= 1 && $c->{joined} >= $joined && $c->{quick}{busy} + $c->{quick}{waiting} == 0 }, 60);
}), 'misses 1 joined 19', 'one of twenty is made');
is(n_waiting(), 1, 'by one query');

# ---- cheap requests, and what is kept, do not wait for it
is($s->get('/api/runs')->{status}, 200, 'a list meanwhile');
is($s->get('/run/1')->{status}, 200, 'a page');
is($s->get($run1)->{status}, 200, 'a picture that is kept');
is(counts($s)->{slow}{busy}, 1, 'while all workers for others are busy');

# ---- clients that go
$_->close for splice(@asked, 1);
ok($s->await(sub { counts($s)->{cancelled} == 19 }, 60), 'those who go are noticed');
is(n_waiting(), 1, 'one stays, and so does the query');
my @others = map { $s->send_get("/view/flame.svg?run=1&title=queued$_") } 1 .. 3;
ok($s->await(sub { counts($s)->{slow}{waiting} == 3 }, 60), 'others wait behind it');
$_->close for @asked, @others;
ok($s->await(sub { my $c = counts($s); n_waiting() == 0 && $c->{slow}{busy} == 0 && $c->{slow}{waiting} == 0 }, 60), 'with the last client the query ends, and nothing is begun for those who went');
is($w->sql("SELECT count(*) FROM pg_stat_activity WHERE application_name = 'perfhouse serve' AND state = 'active'"), 0, 'in the database, too');
let_go(@holder);
is($s->get($target)->{status}, 200, 'the worker is free');

# ---- what was damaged is made anew
my $kept  = $s->get($run1)->{body};
for my $case (['cut off', sub { truncate($_[0], (-s $_[0]) - 1) }], ['emptied', sub { truncate($_[0], 0) }],
	['changed', sub { my $text = Perfhouse::slurp($_[0]); substr($text, -9, 1) ^= "\x01"; put($_[0], $text) }],
	['a length changed', sub { my $text = Perfhouse::slurp($_[0]); substr($text, 20, 4) = "\xff" x 4; put($_[0], $text) }],
	['another file', sub { put($_[0], 'phserve1' . 'x' x 5000) }],
	['a link', sub { unlink $_[0]; symlink('/etc/passwd', $_[0]) }], ['a pipe', sub { unlink $_[0]; require POSIX; POSIX::mkfifo($_[0], 0600) }])
{
	my ($name, $damage) = @$case;
	unlink glob("$cache/*");
	$s->get($run1);
	my @files = files();
	is(scalar @files, 1, "an entry to be $name");
	$damage->($files[0]);
	is($s->get($run1)->{body}, $kept, "$name: the picture is right");
	is(added($s, sub { is($s->get($run1)->{body}, $kept, 'again') }), 'hits 1', 'and kept anew');
}
sub put { my ($path, $text) = @_; open(my $out, '>', $path) or die $!; binmode $out; print $out $text; close $out; return }
cmp_ok(counts($s)->{damaged}, '>=', 5, 'counted');

# ---- several servers, restarts, the size
is((stat $cache)[2] & 0777, 0700, 'a folder for the user alone');
is((stat((files())[0]))[2] & 0777, 0600, 'so are its files');
my $second = Serve->new($w, @lanes);
is(added($second, sub { is($second->get($run1)->{body}, $kept, 'another server') }), 'hits 1', 'has what the first has drawn');
$second->stop;
is($s->stop, 0, 'stopped');
like($s->{err_text}, qr/\A(?!.*Sanitizer)/s, 'soundly');
$s = Serve->new($w, @lanes, '--cache-size', '1MB');
is(added($s, sub { $s->get($run1) }), 'hits 1', 'and started again');
$s->get("/view/sankey.png?run=1&scale=2&title=$_") for 1 .. 40;
my $size = 0;
$size += -s $_ for files();
cmp_ok($size, '<', 1.2 * 1024 * 1024, 'no more than was allowed');
cmp_ok(counts($s)->{evicted}, '>', 0, 'as others went');
is(added($s, sub { $s->get('/view/sankey.png?run=1&scale=2&title=40') }), 'hits 1', 'not the newest');
$s->stop;
$s = Serve->new($w, @lanes[0 .. 5], '--cache-size', '0');
is(added($s, sub { is($s->get($run1)->{body}, $kept, 'without a cache') for 1, 2 }), 'misses 2', 'everything is made');
is($s->get($run1, 'If-None-Match' => $s->get($run1)->{header}{etag})->{status}, 304, 'unless the client has it');
$s->stop;
chmod 0777, $cache;
for my $case ([qr/others may write/, '--cache', $cache], [qr/Not a directory|File exists/, '--cache', (files())[0]], [qr/--cache-size must/, '--cache-size', 'much'],
	[qr/--cache-size must/, '--cache-size', '-1'], [qr/--cache-size must/, '--cache-size', '12'])
{
	my ($message, @arguments) = @$case;
	my $refused = $w->run('serve', '--port', '0', @arguments);
	is($refused->{code}, 2, "refused: @arguments");
	like($refused->{err}, $message, 'with the reason');
}
done_testing();
