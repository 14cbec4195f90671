# Calls.pm - random and extreme calls of SQL functions, as the catalog declares them.
#
# my $calls = Calls->new(sql => sub { rows of a query, [fields...] each }, examples => {signature => [statement...]});
# my @functions = $calls->functions;                 what is called: {signature, name, kind, parameters, ...}
# my ($statement, $used) = $calls->call($function, $wild);   a SELECT of one number; $wild: how many arguments are extreme
# my @statements = $calls->null_calls($function);    one for each argument that is null, one of nulls alone
# $calls->learn($function, $used);                   the arguments were good ones: later calls use them again
# $calls->doubt($function, $used);                   they were meant to be, but the call failed: of examples, those are left out that
#                                                    never do well (numbers of runs that only the documentation has)
#
# Good values come from the examples in the documentation, from what the warehouse holds (runs, profiles, super graphs, names)
# and from calls that succeeded; extreme ones from lists by type.
#
# SPDX-License-Identifier: PostgreSQL
package Calls;

use strict;
use warnings;

my $long = q{repeat('x', 100000)};

# Of each type: values that code forgets.
my %extreme = (
	text => ["''", "' '", "'%'", "'_'", "'NULL'", "'*'", "'a,b;c'", q{'<b>&"'}, q{'''; DROP TABLE x; --'}, q{E'\\x01\\n\\t'}, q{E'\\u00e4\\u4e2d\\U0001f600'},
		$long, q{repeat('(', 3000)}, q{repeat('a*', 500)}, "'(a+)+b'", "'[inclusive > 5]'", "'time / (time - time)'", "'../../etc/passwd'", "'1e309'", "'-1'", "'{}'", "'time'", "'nowhere'",
		"'a'", "'b'", q{E'\\\\'}, q{E'\\xff'}],
	bigint => [qw(0 1 -1 2 3 7 63 64 1000000), map { "($_)::bigint" } 2147483647, -2147483648, 4294967296, 9223372036854775807, -9223372036854775807, '-9223372036854775808'],
	integer => [qw(0 1 -1 2 3 7 31 32 100 65536 1000000 2147483647), '(-2147483648)'],
	'double precision' => [map { "'$_'::float8" } qw(0 -0 1 -1 0.5 1e-9 0.999999999 1e308 -1e308 5e-324 NaN Infinity -Infinity 2 100 1e18)],
	boolean => [qw(true false)],
	bytea => [q{''::bytea}, map({ "'\\x$_'::bytea" } '00', 'ff', '0102030405060708', '00' x 64, 'ff' x 64), q{sha512('x')}, q{decode(repeat('7f', 5000), 'hex')}],
	jsonb => [map({ "'$_'::jsonb" } '{}', '[]', 'null', '0', '""', '1e400', '[null]', '{"": null}', '[[[[[[]]]]]]', '[{"frame": {}, "metrics": {}}]', '{"name": 1, "children": [{}]}', '[1, "a", {"b": [true]}]'),
		q{(repeat('[', 900) || repeat(']', 900))::jsonb}, q{jsonb_build_object(repeat('k', 70000), 1)}],
	'timestamp with time zone' => [map { "'$_'::timestamptz" } qw(infinity -infinity epoch 0001-01-01 294276-12-31 2024-02-29), '4713-01-01 BC'],
	interval => [map { "'$_'::interval" } '0', '1 day', '-1 day', '178000000 years', '-178000000 years', '1 microsecond'],
	'timestamp without time zone' => [map { "'$_'::timestamp" } qw(infinity -infinity epoch)],
	date => [map { "'$_'::date" } qw(infinity -infinity epoch 5874897-12-31)],
	record => ["ROW()", "ROW(1)", "ROW(1, 'a', NULL)"],
	oid => [qw(0 1 4294967295)], regclass => ["'pg_class'::regclass"], name => ["''::name", "'x'::name"], smallint => ["0::int2", "32767::int2"], real => ["'NaN'::float4", "1::float4"],
	json => ["'{}'::json", "'[]'::json"], uuid => ["'00000000-0000-0000-0000-000000000000'::uuid"], numeric => ["'NaN'::numeric", "1e1000::numeric"],
	'"char"' => [q{'a'::"char"}, q{''::"char"}]);

my @shapes = ('\'{}\'::%s[]', '\'{NULL}\'::%s[]', 'array_fill(NULL::%s, ARRAY[1000])');

sub new
{
	my ($class, %options) = @_;
	my $self = bless {%options, good => {}}, $class;
	$self->read_functions;
	$self->read_examples;
	return $self;
}

sub pick { return $_[rand @_] }

sub functions { return @{$_[0]{functions}} }

sub read_functions
{
	my ($self) = @_;
	my @rows = $self->{sql}->(<<'SQL');
SELECT p.oid::regprocedure, n.nspname, p.proname, p.prokind, p.pronargs - p.pronargdefaults, coalesce(t.name, ''), coalesce(format_type(t.type, NULL), '')
FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace LEFT JOIN LATERAL (
	SELECT a.place, a.type, (SELECT x.name FROM (SELECT name, row_number() OVER (ORDER BY at) AS at FROM unnest(coalesce(p.proargnames, '{}'), p.proargmodes) WITH ORDINALITY m(name, mode, at)
		WHERE coalesce(mode, 'i') IN ('i', 'b', 'v')) x WHERE x.at = a.place) AS name
	FROM unnest(p.proargtypes) WITH ORDINALITY a(type, place)) t ON true
WHERE n.nspname = ANY (string_to_array(current_setting('calls.schemas'), ' ')) AND p.prorettype <> ALL ('{internal,trigger,event_trigger}'::regtype[])
	AND NOT ('internal'::regtype = ANY (p.proargtypes) OR 'cstring'::regtype = ANY (p.proargtypes)) AND p.proname NOT LIKE 'perfhouse_build%'
ORDER BY p.oid::regprocedure::text COLLATE "C", t.place
SQL
	my %by;
	for my $row (@rows)
	{
		my ($signature, $schema, $name, $kind, $required, $parameter, $type) = @$row;
		my $f = $by{$signature};
		if (!$f)
		{
			$f = $by{$signature} = {signature => $signature, schema => $schema, name => $name, kind => $kind, required => $required, parameters => []};
			push @{$self->{functions}}, $f;
		}
		push @{$f->{parameters}}, {name => $parameter, type => $type, place => scalar @{$f->{parameters}}} if $type ne '';
	}
	return;
}

# ---- examples

# The arguments of a call that begins behind a parenthesis; undef: not a whole one.
sub arguments
{
	my ($text) = @_;
	my ($depth, $quoted, @found) = (0, 0, '');
	for my $c (split //, $text)
	{
		$quoted = !$quoted if $c eq q{'};
		if (!$quoted)
		{
			return grep { /\S/ } @found if $c eq ')' && $depth == 0;
			$depth += ($c =~ /[(\[{]/) - ($c =~ /[)\]}]/);
			if ($c eq ',' && $depth == 0) { push @found, ''; next }
		}
		$found[-1] .= $c;
	}
	return;
}

sub read_examples
{
	my ($self) = @_;
	for my $f (@{$self->{functions}})
	{
		for my $example (@{$self->{examples}{$f->{name}} // []})
		{
			while ($example =~ /\b\Q$f->{name}\E\(/g)
			{
				my $place = 0;
				for my $argument (arguments(substr($example, pos $example)))
				{
					my ($name, $value) = $argument =~ /\A\s*"?(\w+)"?\s*=>\s*(.*)\z/s;
					my ($p) = defined $name ? grep { $_->{name} eq $name } @{$f->{parameters}} : $f->{parameters}[$place++];
					push @{$self->{seeds}{$f->{signature}}{$p->{place}}}, $value // $argument if $p;
				}
			}
		}
	}
	return;
}

# ---- values

sub extreme_value
{
	my ($self, $type) = @_;
	return "NULL::$type" if rand() < 0.1;
	if ($type =~ /\A(.*)\[\]\z/)
	{
		my $element = $1;
		return sprintf(pick(@shapes), $element) if rand() < 0.3;
		return 'ARRAY[' . join(', ', map { $self->value_of($element, '', 0.5) } 0 .. rand 5) . "]::$element\[\]";
	}
	return "($1)::$type" if $type =~ /\A(?:integer|bigint)\z/ && rand() < 0.2 && int(rand 1000) =~ /(.*)/;
	return pick(@{$extreme{$type}}) . "::$type" if $extreme{$type};
	return $self->value_of($type, '', 0);
}

# A good value by type and name, as far as one is known.
sub value_of
{
	my ($self, $type, $name, $wildness) = @_;
	return $self->extreme_value($type) if $wildness > 0 && rand() < $wildness;
	my $named = $self->{values}{"$type $name"};
	my $typed = $self->{values}{$type};
	return pick(@$named) if $named && @$named && (!$typed || rand() < 0.8);
	return pick(@$typed) if $typed && @$typed;
	if ($type =~ /\A(.*)\[\]\z/)
	{
		my $element = $1;
		(my $one = $name) =~ s/s\z//;
		return 'ARRAY[' . join(', ', map { $self->value_of($element, $one, 0) } 0 .. rand 4) . "]::$element\[\]";
	}
	return $extreme{$type} ? pick(@{$extreme{$type}}) . "::$type" : "NULL::$type";
}

sub argument
{
	my ($self, $f, $p, $is_wild) = @_;
	return $self->extreme_value($p->{type}) if $is_wild;
	my $learnt = $self->{good}{$f->{signature}}{$p->{place}};
	my $seeds  = $self->{seeds}{$f->{signature}}{$p->{place}};
	return pick(@$learnt) if $learnt && rand() < 0.5;
	return pick(@$seeds)  if $seeds && @$seeds && rand() < 0.4;
	return $self->value_of($p->{type}, $p->{name}, 0.1);
}

# ---- calls

sub quoted { return '"' . ($_[0] =~ s/"/""/gr) . '"' }

# The arguments of a call that answered, often: where they must fit each other, those that are good one by one do not. All but one are
# kept; undef: no such call.
sub known_call
{
	my ($self, $f) = @_;
	my $known = $self->{together}{$f->{signature}} // [];
	return if !@$known || rand() < 0.5;
	my %call = %{pick(@$known)};
	my @given = sort keys %call;
	$call{pick(@given)} = undef if rand() < 0.5 && @given;
	return \%call;
}

# Several rows of arguments, of which an aggregate or window function makes one.
sub aggregate
{
	my ($self, $f, $wild, $used) = @_;
	my @rows;
	my $known = $self->known_call($f) // {};
	for my $i (0 .. rand 4)
	{
		my @arguments = map {
			my $is_wild = $wild > 0 && rand() < 0.3;
			($is_wild ? undef : $known->{$_->{place}}) // $self->argument($f, $_, $is_wild)
		} @{$f->{parameters}};
		$used->{$_} = $arguments[$_] for 0 .. $#arguments;
		push @rows, '(' . join(', ', map { "($arguments[$_])::$f->{parameters}[$_]{type}" } 0 .. $#arguments) . ')';
	}
	my $columns = join(', ', map { "c$_" } 0 .. $#{$f->{parameters}});
	my $over    = $f->{kind} eq 'w' ? ' OVER ()' : '';
	return "SELECT count(x::text) FROM (SELECT $f->{schema}." . quoted($f->{name}) . "($columns)$over FROM (VALUES " . join(', ', @rows) . ") v($columns)) f(x)";
}

sub call
{
	my ($self, $f, $wild) = @_;
	my %used;
	return ($self->aggregate($f, $wild, \%used), \%used) if $f->{kind} =~ /[aw]/;
	my @parameters = @{$f->{parameters}};
	my %is_wild    = map { (rand @parameters) => 1 } 1 .. $wild;
	%is_wild = map { int($_) => 1 } keys %is_wild;
	my @arguments;
	my $by_name = 0;
	my $known   = $self->known_call($f);
	for my $p (@parameters)
	{
		my $may_leave = $p->{place} >= $f->{required} && !$is_wild{$p->{place}};
		if ($may_leave && ($known ? !exists $known->{$p->{place}} : rand() < 0.6))
		{
			last if $p->{name} eq '';
			$by_name = 1;
			next;
		}
		my $value = $known && !$is_wild{$p->{place}} ? $known->{$p->{place}} : undef;
		$value //= $self->argument($f, $p, $is_wild{$p->{place}});
		$used{$p->{place}} = $value;
		push @arguments, ($by_name ? quoted($p->{name}) . ' => ' : '') . "($value)::$p->{type}";
	}
	my $text = "$f->{schema}." . quoted($f->{name}) . '(' . join(', ', @arguments) . ')';
	return ("CALL $text", \%used) if $f->{kind} eq 'p';
	return ("SELECT count(x::text) FROM $text x", \%used);
}

# A call for each argument that is null while the others are given, and one of nulls alone.
sub null_calls
{
	my ($self, $f) = @_;
	my @parameters = @{$f->{parameters}};
	return if $f->{kind} ne 'f' || !@parameters;
	return map {
		my $null = $_;
		my @arguments = map { $null == @parameters || $null == $_->{place} ? "NULL::$_->{type}" : '(' . $self->argument($f, $_, 0) . ")::$_->{type}" } @parameters;
		"SELECT count(x::text) FROM $f->{schema}." . quoted($f->{name}) . '(' . join(', ', @arguments) . ') x'
	} 0 .. @parameters;
}

sub keep
{
	my ($kept, $one) = @_;
	if   (@$kept < 30) { push @$kept, $one }
	else               { $kept->[rand @$kept] = $one }
	return;
}

my $most_doubts = 5;

# What never did well for any parameter of the type and name.
sub doubt
{
	my ($self, $f, $used) = @_;
	for my $place (sort keys %$used)
	{
		my $seeds = $self->{seeds}{$f->{signature}}{$place} or next;
		my $known = $self->{known}{"@{$f->{parameters}[$place]}{qw(type name)}"}{$used->{$place}} //= {good => 0, bad => 0};
		$known->{bad}++;
		@$seeds = grep { $_ ne $used->{$place} } @$seeds if !$known->{good} && $known->{bad} >= $most_doubts;
	}
	return;
}

sub learn
{
	my ($self, $f, $used) = @_;
	for my $place (sort keys %$used)
	{
		keep($self->{good}{$f->{signature}}{$place} //= [], $used->{$place});
		$self->{known}{"@{$f->{parameters}[$place]}{qw(type name)}"}{$used->{$place}}{good}++;
	}
	keep($self->{together}{$f->{signature}} //= [], {%$used});
	return;
}

1;
