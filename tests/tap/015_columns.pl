# The columns that C spells (extension/core/base/warehouse_columns.h) against the catalog of a new warehouse.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Perfhouse;
use Test::More;

# What format_type says of each type that the header knows.
my %type_of = (
	BOOL   => 'boolean',
	INT2   => 'smallint',
	INT4   => 'integer',
	INT8   => 'bigint',
	FLOAT8 => 'double precision',
	TEXT   => 'text',
	BYTEA  => 'bytea');

# {table}{column} = the header's word for its type
sub declared
{
	my $text = join '', map { Perfhouse::slurp("$FindBin::Bin/../../extension/core/base/$_") }
	  qw(warehouse_columns.h warehouse_logical_columns.h);
	my %tables;
	while ($text =~ /^#define PH_COLUMNS_OF_(\w+)\(F, X, a\)((?:.*\\\n)+.*)/mg)
	{
		my ($table, $columns) = ($1, $2);
		$tables{$table}{$1} = $2 while $columns =~ /\b[FX]\(a, (\w+), (\w+)\)/g;
	}
	return \%tables;
}

my $w = Perfhouse->new;
$w->ok_run('a warehouse', 'init');
my %catalog;
for my $line (
	split /\n/,
	$w->sql(
		q{SELECT c.relname, a.attname, format_type(a.atttypid, a.atttypmod), a.attnotnull,}
		  . q{ a.atthasdef OR a.attidentity <> '' FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid}
		  . q{ WHERE c.relnamespace = 'perfhouse'::regnamespace AND c.relkind = 'r' AND a.attnum > 0 AND NOT a.attisdropped}))
{
	my ($table, $column, $type, $not_null, $has_default) = split /\|/, $line;
	$catalog{$table}{$column} = {type => $type, not_null => $not_null eq 't', has_default => $has_default eq 't'};
}

my $tables = declared();
cmp_ok(keys %$tables, '>=', 19, 'the header declares tables');
for my $table (sort keys %$tables)
{
	my @wrong;
	my $columns = $tables->{$table};
	push @wrong, 'run_id is not bigint' unless ($catalog{$table}{run_id}{type} // '') eq 'bigint';
	for my $column (sort keys %$columns)
	{
		my ($name, $array, $or_null) = $columns->{$column} =~ /^([A-Z]+?\d?)(S?)(_OR_NULL)?$/;
		my $wanted = ($type_of{$name} // "unknown $columns->{$column}") . ($array ? '[]' : '');
		my $there  = $catalog{$table}{$column};
		my $type   = $there->{type} // 'missing';
		push @wrong, "$column is $type, not $wanted" if $type ne $wanted;
		push @wrong, "$column may not be null" if $or_null && $there->{not_null};
	}
	for my $column (grep { $_ ne 'run_id' && !$columns->{$_} } sort keys %{$catalog{$table}})
	{
		my $there = $catalog{$table}{$column};
		push @wrong, "nobody fills $column" if $there->{not_null} && !$there->{has_default};
	}
	is(join('; ', @wrong), '', $table);
}
done_testing();
