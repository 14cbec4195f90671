# 039_by_hand.pl - waits, efficiencies and the critical path of a small trace beside what its events say, computed here from nothing
# but rows of the view `event`: who was in which call when, who sent what to whom.
use v5.30;
use warnings;
use utf8;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Perfhouse;
use List::Util qw(max min sum0);
use Test::More;

my $w = Perfhouse->new;
$w->ok_run('load', 'load', '--set', 'application=lulesh', "$Perfhouse::data/traces/lulesh-8");
my $run = 1;

# ---- the calls: of each rank in order, with what happened in each and the call around it
my (@calls, @last);
my %open;
for my $row (split /\n/, $w->sql("SELECT rank, time, kind, coalesce(region, ''), coalesce(peer, -1), coalesce(tag, -1), coalesce(bytes, 0),
	coalesce(communicator, -1), coalesce(request, -1), coalesce(operation, ''), coalesce(root, -1) FROM event WHERE run_id = $run ORDER BY rank, seq"))
{
	my %e;
	@e{qw(rank time kind region peer tag bytes communicator request operation root)} = split /\|/, $row;
	my $stack = $open{$e{rank}} //= [];
	$last[$e{rank}] = $e{time};
	if ($e{kind} eq 'ENTER')
	{
		push @{$calls[$e{rank}]}, {%e{qw(rank region)}, enter => $e{time}, above => $stack->[-1], events => []};
		push @$stack, $calls[$e{rank}][-1];
	}
	elsif ($e{kind} eq 'LEAVE') { (pop @$stack)->{leave} = $e{time}; }
	elsif (@$stack)             { push @{$stack->[-1]{events}}, \%e; }
}
my $n_ranks = @calls;
my @flat    = map { @$_ } @calls;
my @events  = map { my $call = $_; map { $_->{call} = $call; $_ } @{$call->{events}} } @flat;

# ---- who waits for whom: of what a call waited for, that which ended last, until its own end
sub waited_for
{
	my ($call, $awaited, $until) = @_;
	my $end = min($until, $call->{leave});
	return if $end <= $call->{enter} || ($call->{wait} && $call->{wait}{end} >= $end);
	$call->{wait} = {end => $end, awaited => $awaited};
	return;
}

# The record of a non-blocking operation that has this request, before (posted) or behind (completed) another one of the rank.
sub of_request
{
	my ($event, $kind, $is_before) = @_;
	my @found = grep { $_->{kind} eq $kind && $_->{rank} == $event->{rank} && $_->{request} == $event->{request}
			&& ($is_before ? $_->{time} <= $event->{time} : $_->{time} >= $event->{time}) } @events;
	return $found[$is_before ? -1 : 0];
}

# Messages overtake no others of the same sender, receiver, communicator and tag: the k-th sent is for the k-th receive that is posted.
sub lanes
{
	my ($from, $to, @ordered) = @_;
	my %lanes;
	push @{$lanes{join ' ', @$_{$from, $to, 'communicator', 'tag'}}}, $_ for @ordered;
	return \%lanes;
}

$_->{posted} = of_request($_, 'MPI_IRECV_REQUEST', 1) for grep { $_->{kind} eq 'MPI_IRECV' } @events;
my $sends    = lanes('rank', 'peer', sort { $a->{time} <=> $b->{time} } grep { $_->{kind} eq 'MPI_ISEND' } @events);
my $receives = lanes('peer', 'rank', sort { $a->{posted}{time} <=> $b->{posted}{time} } grep { $_->{kind} eq 'MPI_IRECV' } @events);
is_deeply([map { "$_ " . @{$sends->{$_}} } sort keys %$sends], [map { "$_ " . @{$receives->{$_}} } sort keys %$receives], 'every message that is sent is received');

# Which sizes wait for their receive to be posted no event says: those are taken from late_receivers. When each was posted is computed
# here; a call that ended before did not wait for it.
my %waits_for_receiver = map { $_ => 1 } split /\n/, $w->sql("SELECT DISTINCT bytes FROM late_receivers($run)");
for my $lane (sort keys %$sends)
{
	for my $i (0 .. $#{$sends->{$lane}})
	{
		my ($send, $receive) = ($sends->{$lane}[$i], $receives->{$lane}[$i]);
		waited_for($receive->{call}, $send->{rank}, $send->{call}{enter});
		next if !$waits_for_receiver{$send->{bytes}};
		my $completing = of_request($send, 'MPI_ISEND_COMPLETE', 0)->{call};
		my $posted     = $receive->{posted}{call}{enter};
		waited_for($completing, $receive->{rank}, $posted) if $completing->{leave} >= $posted;
	}
}

# Collectives: the k-th of each rank in a communicator is the k-th of all. Making and freeing communicators is none.
my (%nth, %meetings);
push @{$meetings{"$_->{communicator} " . $nth{"$_->{communicator} $_->{rank}"}++}}, $_
	for grep { $_->{kind} eq 'MPI_COLLECTIVE_END' && $_->{operation} !~ /handle/ } @events;
for my $members (values %meetings)
{
	my ($latest) = sort { $b->{call}{enter} <=> $a->{call}{enter} } @$members;
	waited_for($_->{call}, $latest->{rank}, $latest->{call}{enter}) for grep { $_->{root} < 0 || $_->{root} == $_->{rank} } @$members;
}

my @waits = grep { $_->{wait} } @flat;
my %by_region;
$by_region{$_->{region}} += $_->{wait}{end} - $_->{enter} for @waits;
is(join("\n", map { "$_|$by_region{$_}" } sort keys %by_region), $w->sql("SELECT region, sum(ns) FROM wait_states($run) GROUP BY 1 ORDER BY region COLLATE \"C\""),
	'waits by region');
is(join("\n", sort map { join '|', @$_{qw(rank region enter)}, @{$_->{wait}}{qw(end awaited)} } @waits),
	join("\n", sort split /\n/, $w->sql("SELECT victim, region, t_from, t_to, awaited FROM wait_states($run)")), 'one by one, with who was waited for: ' . @waits);
my $wait = sum0(map { $_->{wait}{end} - $_->{enter} } @waits) / 1e9 / $n_ranks;

sub is_near
{
	my ($stored, $computed, $what) = @_;
	return cmp_ok(abs($stored / $computed - 1), '<', 1e-9, "$what: $computed");
}

# ---- efficiencies: what ranks do outside of MPI, from the first to leave MPI_Init to the last to enter MPI_Finalize
my @outer = grep { $_->{region} =~ /^MPI_/ && !grep { $_->{region} =~ /^MPI_/ } above($_) } @flat;

sub above
{
	my ($call) = @_;
	my @out;
	while ($call = $call->{above}) { push @out, $call; }
	return @out;
}

my $from = min(map { $_->{leave} } grep { $_->{region} eq 'MPI_Init' } @flat);
my $to   = max(map { $_->{enter} } grep { $_->{region} eq 'MPI_Finalize' } @flat);
is($w->sql("SELECT t_from, t_to FROM efficiency($run)"), "$from|$to", 'their window');
my @useful = ($to - $from) x $n_ranks;
$useful[$_->{rank}] -= max(0, min($to, $_->{leave}) - max($from, $_->{enter})) for @outer;
my ($stored_wait, @stored) = split /\|/, $w->sql("SELECT wait, load_balance, communication_efficiency, parallel_efficiency FROM run_cost WHERE run_id = $run");
my ($mean, $most) = (sum0(@useful) / $n_ranks, max(@useful));
is_near($stored_wait, $wait, 'run_cost: wait [s], mean over ranks');
is_near($stored[0], $mean / $most,         'load balance');
is_near($stored[1], $most / ($to - $from), 'communication efficiency');
is_near($stored[2], $mean / ($to - $from), 'parallel efficiency');

# ---- the critical path: backward from the last event, on one rank until it waited, then on the one that it waited for
my ($rank, $at) = ((sort { $last[$b] <=> $last[$a] } 0 .. $n_ranks - 1)[0], max(@last));
my @stays;
while (1)
{
	my ($before) = sort { $b->{wait}{end} <=> $a->{wait}{end} } grep { $_->{rank} == $rank && $_->{wait}{end} < $at } @waits;
	my $since = $before ? $before->{wait}{end} : 0;
	push @stays, [$rank, $since, $at];
	last if !$before;
	($rank, $at) = ($before->{wait}{awaited}, $since);
}

# What is in the innermost call: its own time, which is its time without that of the calls in it.
my %on_path;
for my $stay (@stays)
{
	for my $call (@{$calls[$stay->[0]]})
	{
		my $part = max(0, min($stay->[2], $call->{leave}) - max($stay->[1], $call->{enter}));
		$on_path{$call->{region}} += $part;
		$on_path{$call->{above}{region}} -= $part if $call->{above};
	}
}
$on_path{''} = max(@last) - sum0(values %on_path);
is(join("\n", map { "$_|$on_path{$_}" } grep { $on_path{$_} != 0 } sort keys %on_path),
	$w->sql("SELECT coalesce(region, ''), sum(t_to - t_from) FROM critical_path($run, detail => true) GROUP BY 1 HAVING sum(t_to - t_from) <> 0 ORDER BY coalesce(region, '') COLLATE \"C\""),
	"what the critical path is in, by region: @{[scalar @stays]} stays, $on_path{MPI_Waitall} ns of MPI_Waitall");

done_testing();
