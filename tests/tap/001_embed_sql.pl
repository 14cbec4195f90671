# embed-sql: named parameters of queries become numbers, and nothing else that has a colon does.
use strict;
use warnings;
use File::Path qw(make_path);
use File::Temp qw(tempdir);
use FindBin;
use Test::More;

my $embed  = "$FindBin::Bin/../lib/embed-sql";
my $folder = tempdir(CLEANUP => 1);
chdir $folder or die "$folder: $!\n";
make_path('sql/queries/a');

# What becomes of a query: its text as embedded, unescaped, and its names (undef: it has its parameters by number).
sub embedded
{
    my ($text) = @_;
    open my $file, '>', 'sql/queries/a/b.sql' or die "b.sql: $!\n";
    print $file $text;
    close $file or die "b.sql: $!\n";
    system($embed, 'h', 'c', 'sql/queries/a/b.sql') == 0 or return ('failed', undef);
    my $c     = do { local (@ARGV, $/) = ('c'); scalar <> };
    my ($sql) = $c =~ /ph_sql_a_b\[\] =\n(.*?)\t;\n/s;
    my $plain = join '', map { s/^\t"(.*)\\n"\n\z/$1\n/r =~ s/\\([\\"])/$1/gr } split /(?<=\n)/, $sql;
    my ($names) = $c =~ /names_of_a_b\[\] = \{(.*)NULL\};/;
    return ($plain =~ s/\n\z//r, defined $names ? [$names =~ /"(\w+)"/g] : undef);
}

sub becomes
{
    my ($what, $text, $wanted, @names) = @_;
    is_deeply([embedded($text)], [$wanted, \@names], $what);
    return;
}

becomes('a name',              'SELECT :run',                        'SELECT $1',                      'run');
becomes('in order of use',     ':b, :a, :b, :c',                     '$1, $2, $1, $3',                 qw(b a c));
becomes('casts',               ':run::int8, x::text',                '$1::int8, x::text',              'run');
becomes('after a cast',        "'1'::int8/:n",                       "'1'::int8/\$1",                  'n');
becomes('named arguments',     'f(a := :a, b => :b)',                'f(a := $1, b => $2)',            qw(a b));
becomes('slices',              'a[1:n], a[b:c], (a)[f(x):y], a[:n]', 'a[1:n], a[b:c], (a)[f(x):y], a[$1]', 'n');
becomes('texts',               q{':a', 'it''s :b', :c},              q{':a', 'it''s :b', $1},          'c');
becomes('a backslash at the end', q{'\\', :c},                       q{'\\', $1},                      'c');
becomes('texts with escapes',  q{E'\\' :a', e'x''y :b', :c},         q{E'\\' :a', e'x''y :b', $1},     'c');
becomes('quoted names',        '":a", "x"":b", :c',                  '":a", "x"":b", $1',              'c');
becomes('dollar quotes',       '$$ :a $x$ $$, $x$ $$ :b $x$, :c',    '$$ :a $x$ $$, $x$ $$ :b $x$, $1', 'c');
becomes('comments',            "-- :a 'x\n:c -- :b",                 "-- :a 'x\n\$1 -- :b",            'c');
becomes('nested comments',     "/* :a /* ' */ :b */ :c",             "/* :a /* ' */ :b */ \$1",        'c');
becomes('lines and backslashes', qq{:a "\n\\\n" \n\n:b},             qq{\$1 "\n\\\n" \n\n\$2},         qw(a b));
becomes('none',                'SELECT 1',                           'SELECT 1');
becomes('an empty file',       '',                                   '');

is_deeply([embedded('SELECT $2, $1')], ['SELECT $2, $1', undef], 'numbers stay');
{
    open my $quiet, '>&', \*STDERR or die "stderr: $!\n";
    close STDERR;
    is((embedded('SELECT $1, :a'))[0], 'failed', 'both are refused');
    open STDERR, '>&', $quiet or die "stderr: $!\n";
}

# The header is what everything is compiled with: an edited text leaves it alone.
embedded('SELECT :a');
utime 1, 1, 'h';
embedded('SELECT :a, 2');
is((stat 'h')[9], 1, 'the header keeps its date');
embedded('SELECT $1');
isnt((stat 'h')[9], 1, 'and loses it with what it declares');

chdir '/';
done_testing();
