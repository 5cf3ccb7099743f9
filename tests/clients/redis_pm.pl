# Perl's Redis, or Redis::Fast which is built upon hiredis, against REDIS_HOST:REDIS_PORT. The first word names it.
use strict;
use warnings;
use Time::HiRes 'time';

my $module = shift;
eval "require $module" or die $@;
my ($checks, $failures) = (0, 0);

# Replies are compared as text: lists are joined, a missing value is (nil).
sub text { join ' ', map { !defined $_ ? '(nil)' : ref $_ eq 'ARRAY' ? '[' . text(@$_) . ']' : $_ } @_ }

sub check {
    my ($what, $found, $expected) = @_;
    $checks++;
    return if $found eq $expected;
    $failures++;
    print "FAIL $what: expected $expected, found $found\n";
}

sub client { $module->new(server => "$ENV{REDIS_HOST}:$ENV{REDIS_PORT}", @_) }

# What an error says between the client's "[command] " and ", at FILE line N".
sub error_of {
    my $call = shift;
    my @found;
    return 'no error but ' . text(@found) if eval { @found = $call->(); 1 };
    return $@ =~ /^\[\w+\] (.*?) *, +at /s ? $1 : $@;
}

# Runs $work with a connection of its own in another process, once $ready of that connection.
sub beside {
    my ($ready, $work) = @_;
    return if fork;
    my $r = client();
    1 until $ready->($r);
    $work->($r);
    exec 'true';    # the parent's connections are not ours to close
}

my $r = client();
$r->flushall;

check('set', text($r->set(s => 'one')), 'OK');
check('set nx on a key that is there', text($r->set(s => 'two', 'NX')), '(nil)');
check('mget', text($r->mget('s', 'missing')), 'one (nil)');
check('incrby', $r->incrby(n => 41) + $r->incr('n'), 83);
check('rpush', $r->rpush(l => qw(a b c)), 3);
check('lrange', text($r->lrange('l', 0, -1)), 'a b c');
check('lpop with a count', text($r->lpop('l', 2)), 'a b');
check('sadd', $r->sadd(set => qw(x y x)), 2);
check('smembers', text(sort $r->smembers('set')), 'x y');
check('hset', $r->hset('h', a => 1, b => 2), 2);
my %hash = $r->hgetall('h');
check('hgetall', text(map { $_ => $hash{$_} } sort keys %hash), 'a 1 b 2');
check('zadd', $r->zadd('z', 1.5 => 'a', -2 => 'b'), 2);
check('zrange with scores', text($r->zrange('z', 0, -1, 'WITHSCORES')), 'b -2 a 1.5');
$r->xadd('x', '5-1', f => 'v');
check('xrange', text($r->xrange('x', '-', '+')), '[5-1 [f v]]');

check('setex', text($r->setex('e', 100, 'v'), $r->ttl('e')), 'OK 100');
check('persist', text($r->persist('e'), $r->ttl('e')), '1 -1');
$r->psetex('e', 20, 'v');
my $end = time + 5;
1 while $r->exists('e') && time < $end;
check('a key expires', text($r->get('e')), '(nil)');

my %seen;
my $stored = 0;
$r->set("scan:$_", $_, sub { $stored++ }) for 1 .. 250;
$r->wait_all_responses;
check('pipeline', $stored, 250);
my $cursor = 0;
do {
    ($cursor, my $keys) = $r->scan($cursor, MATCH => 'scan:*', COUNT => 20);
    $seen{$_} = 1 for @$keys;
} while $cursor;
check('scan', scalar keys %seen, 250);
check('wrong type', error_of(sub { $r->lpush(s => 'x') }),
    'WRONGTYPE Operation against a key holding the wrong kind of value');
check('unknown command', error_of(sub { $r->nosuch('a', 'b') }),
    "ERR unknown command 'NOSUCH', with args beginning with: 'a' 'b'");
check('wrong arity', error_of(sub { $r->get }), "ERR wrong number of arguments for 'get' command");

my $big = pack('C*', 0 .. 255) x 4096;
check('a mebibyte is set', text($r->set(big => $big), $r->strlen('big')), 'OK ' . (1 << 20));
check('a mebibyte comes back', $r->get('big') eq $big, 1);

$r->set(p => 1);
$r->multi;
check('queued', text($r->incr('p'), $r->get('p')), 'QUEUED QUEUED');
check('transaction', text($r->exec), '2 2');
$r->watch('p');
client()->set(p => 'changed');
$r->multi;
$r->set(p => 'lost');
check('watch sees the change', text(scalar $r->exec), '(nil)');
check('the change stays', $r->get('p'), 'changed');

my $s = client();
my @heard;
$s->subscribe('news', sub { push @heard, "@_[0, 1]" });
$s->psubscribe('n*', sub { push @heard, "@_[0, 1, 2]" });
check('publish', $r->publish(news => 'hello'), 2);
$s->wait_for_messages(0.05) while @heard < 2;
check('messages', text(@heard), 'hello news hello news n*');

beside(sub { shift->info('clients')->{blocked_clients} }, sub { shift->rpush(queue => 'job') });
check('blpop is served', text($r->blpop('queue', 5)), 'queue job');
check('blpop times out', text(scalar $r->blpop('queue', 0.01)), '(nil)');

my $other = client(reconnect => 5, every => 1000, name => 'named', on_connect => sub { shift->select(1) });
check('database 1 is another', text($other->get('s')), '(nil)');
check('client name', $other->client_getname, 'named');
my $number = $other->client_id;
my $killed = error_of(sub { $r->client_kill('ID', $number) });
if ($killed =~ /unknown subcommand/i) {
    print "SKIP reconnect: the server has no CLIENT KILL\n";
} else {
    check('reconnected', text($other->set(again => 1), $other->client_id > $number), 'OK 1');
    check('the database is back', $r->exists('again'), 0);
}
print "checks $checks\n";
exit($failures > 0);
