<?php // Predis against REDIS_HOST:REDIS_PORT.
error_reporting(E_ALL & ~E_DEPRECATED);  // Predis 1.1 is older than PHP 8
require 'Predis/autoload.php';
$checks = $failures = 0;

function check($what, $found, $expected) {
    global $checks, $failures;
    $checks++;
    if ($found === $expected) return;
    $failures++;
    printf("FAIL %s: expected %s, found %s\n", $what, json_encode($expected), json_encode($found));
}

function client($parameters = []) {
    return new Predis\Client(['host' => getenv('REDIS_HOST'), 'port' => getenv('REDIS_PORT')] + $parameters);
}

function error_of($call) {
    try {
        return 'no error but ' . json_encode($call());
    } catch (Predis\PredisException $error) {
        return rtrim($error->getMessage());
    }
}

// Runs $work with a connection of its own in another process, once $ready($that connection).
function beside($ready, $work) {
    if (pcntl_fork()) return;
    $r = client();
    while (!$ready($r));
    $work($r);
    posix_kill(getmypid(), SIGKILL);  // the parent's connections are not ours to close
}

$r = client();
$r->flushall();

check('set', (string)$r->set('s', 'one'), 'OK');
check('set nx on a key that is there', $r->set('s', 'two', 'NX'), null);
check('mget', $r->mget('s', 'missing'), ['one', null]);
check('incrby', $r->incrby('n', 41) + $r->incr('n'), 83);
check('rpush', $r->rpush('l', ['a', 'b', 'c']), 3);
check('lrange', $r->lrange('l', 0, -1), ['a', 'b', 'c']);
check('lpop', $r->lpop('l'), 'a');
check('sadd', $r->sadd('set', ['x', 'y', 'x']), 2);
$members = $r->smembers('set');
sort($members);
check('smembers', $members, ['x', 'y']);
check('hmset', (string)$r->hmset('h', ['a' => 1, 'b' => 2]), 'OK');
check('hgetall', $r->hgetall('h'), ['a' => '1', 'b' => '2']);
check('zadd', $r->zadd('z', ['a' => 1.5, 'b' => -2]), 2);
check('zrange with scores', $r->zrange('z', 0, -1, ['withscores' => true]), ['b' => '-2', 'a' => '1.5']);
check('zscore', $r->zscore('z', 'a'), '1.5');

check('setex', [(string)$r->setex('e', 100, 'v'), $r->ttl('e')], ['OK', 100]);
check('persist', [$r->persist('e'), $r->ttl('e')], [1, -1]);
$r->psetex('e', 20, 'v');
for ($end = microtime(true) + 5; $r->exists('e') && microtime(true) < $end;);
check('a key expires', $r->get('e'), null);

$stored = $r->pipeline(function ($many) {
    for ($i = 0; $i < 250; $i++) $many->set("scan:$i", $i);
});
check('pipeline', array_unique(array_map('strval', $stored)), ['OK']);
$seen = iterator_to_array(new Predis\Collection\Iterator\Keyspace($r, 'scan:*', 20), false);
check('scan', count(array_unique($seen)), 250);
check('wrong type', error_of(fn() => $r->lpush('s', ['x'])),
    'WRONGTYPE Operation against a key holding the wrong kind of value');
$raw = fn(...$words) => $r->executeCommand(Predis\Command\RawCommand::create(...$words));
check('unknown command', error_of(fn() => $raw('NOSUCH', 'a', 'b')),
    "ERR unknown command 'NOSUCH', with args beginning with: 'a' 'b'");
check('wrong arity', error_of(fn() => $raw('GET')), "ERR wrong number of arguments for 'get' command");

$big = str_repeat(implode(array_map('chr', range(0, 255))), 4096);
check('a mebibyte is set', [(string)$r->set('big', $big), $r->strlen('big')], ['OK', 1 << 20]);
check('a mebibyte comes back', $r->get('big') === $big, true);

$r->set('p', 1);
check('transaction', $r->transaction(function ($t) { $t->incr('p'); $t->get('p'); }), [2, '2']);
check('watch sees the change', error_of(fn() => $r->transaction(['watch' => 'p', 'cas' => true], function ($t) {
    $t->get('p');
    client()->set('p', 'changed');
    $t->multi();
    $t->set('p', 'lost');
})), 'The current transaction has been aborted by the server.');
check('the change stays', $r->get('p'), 'changed');

beside(fn($r) => $r->pubsub('numsub', 'news')['news'] == 1, fn($r) => $r->publish('news', 'hello'));
$loop = client(['read_write_timeout' => 5])->pubSubLoop();
$loop->subscribe('news');
$heard = [];
foreach ($loop as $message) {
    $heard[] = [$message->kind, $message->channel, $message->payload];
    if ($message->kind === 'message') $loop->unsubscribe('news');
}
check('messages', $heard, [['subscribe', 'news', 1], ['message', 'news', 'hello'], ['unsubscribe', 'news', 0]]);
beside(fn($r) => $r->info('clients')['Clients']['blocked_clients'] == 1, fn($r) => $r->rpush('queue', ['job']));
check('blpop is served', $r->blpop('queue', 5), ['queue', 'job']);
check('blpop times out', $r->blpop('queue', '0.01'), null);

$other = client(['database' => 1]);
check('database 1 is another', $other->get('s'), null);
check('client name', [(string)$other->client('setname', 'named'), $other->client('getname')], ['OK', 'named']);
$number = $raw('CLIENT', 'ID');
$killed = error_of(fn() => $other->executeCommand(Predis\Command\RawCommand::create('CLIENT', 'KILL', 'ID', $number)));
if (stripos($killed, 'unknown subcommand') !== false) {
    print "SKIP reconnect: the server has no CLIENT KILL\n";
} else {
    check('client kill', $killed, 'no error but 1');
    check('the cut is noticed', strpos(error_of(fn() => $r->ping()), 'no error') === false, true);
    check('reconnected', [(string)$r->set('again', 1), $raw('CLIENT', 'ID') > $number], ['OK', true]);
}
print "checks $checks\n";
exit($failures ? 1 : 0);
