# load: the profile made of a Score-P trace and the Cube profile that Score-P wrote beside it.
#
# Every call path must have the same visits, and regions the same ids. The program itself, above all
# other paths, is left aside: traces know when it began, not that it is a region.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Perfhouse;
use JSON::PP;
use Test::More;

my $own = "$FindBin::Bin/../../../shared/data/own/otf2";
plan skip_all => "$own is absent" unless -d $own;
my $w = Perfhouse->new;

for my $name (qw(halo2d-nb-9 halo2d-bl-9 colls-6 mergetree-16 npb-cg-S-8 lulesh-8 lulesh-8x2-openmp))
{
	my $cube  = decode_json($w->ok_run("load the profile of $name", 'load', '--json', "$own/$name/profile.cubex")->{out})->{run_id};
	my $trace = decode_json($w->ok_run("load the trace of $name", 'load', '--json', "$own/$name/traces.otf2")->{out})->{run_id};
	my $program = $w->sql("SELECT name FROM perfhouse.nodes(perfhouse.profile($cube)) WHERE parent IS NULL");
	my $paths   = qq{SELECT CASE WHEN starts_with(path, '$program/') THEN substr(path, length('$program/') + 1) ELSE path END AS path,
		kind, file, line, exclusive FROM perfhouse.nodes(perfhouse.profile(%d, 'visits')) WHERE path <> '$program'};
	my $both = $w->sql('WITH t AS (' . sprintf($paths, $trace) . '), c AS (' . sprintf($paths, $cube) . q{)
		SELECT count(*) FILTER (WHERE t.exclusive = c.exclusive AND t.kind = c.kind AND t.file IS NOT DISTINCT FROM c.file
		                          AND t.line IS NOT DISTINCT FROM c.line),
		       count(*) FILTER (WHERE t.exclusive IS DISTINCT FROM c.exclusive)
		  FROM t FULL JOIN c USING (path)});
	my ($same, $different) = split /\|/, $both;
	is($different, 0, "$name: all call paths have the same visits");
	cmp_ok($same, '>', 10, "$name: $same call paths agree in kind, file and line, too");
	is($w->sql(qq{SELECT count(*) FROM (SELECT region_id FROM perfhouse.run_region WHERE run_id = $trace
		EXCEPT SELECT region_id FROM perfhouse.run_region WHERE run_id = $cube) AS more}), 0, "$name: regions have the same ids");
	next if $name ne 'lulesh-8x2-openmp';
	# a window within main: all other calls, the threads' too, are below it, and are paths of the whole
	my $window = "perfhouse.trace_profile($trace, (SELECT duration / 2 FROM perfhouse.trace WHERE run_id = $trace),
		(SELECT duration / 2 + duration / 100 FROM perfhouse.trace WHERE run_id = $trace))";
	is($w->sql("SELECT string_agg(name, ',') FROM perfhouse.nodes($window) WHERE parent IS NULL"), 'main', "$name: a window has one root");
	is($w->sql("SELECT count(*) FROM (SELECT path FROM perfhouse.nodes($window) EXCEPT
		SELECT path FROM perfhouse.nodes(perfhouse.profile($trace))) AS more"), 0, "$name: a window has no paths of its own");
}

done_testing();
