<?php // phpredis against REDIS_HOST:REDIS_PORT.
$checks = $failures = 0;

function check($what, $found, $expected) {
    global $checks, $failures;
    $checks++;
    if ($found === $expected) return;
    $failures++;
    printf("FAIL %s: expected %s, found %s\n", $what, json_encode($expected), json_encode($found));
}

function client() {
    $made = new Redis();
    $made->connect(getenv('REDIS_HOST'), (int)getenv('REDIS_PORT'));
    return $made;
}

// What $call's command is refused with.
function error_of($r, $call) {
    $r->clearLastError();
    $call($r);
    return rtrim($r->getLastError() ?? '');
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
$r->flushAll();

check('set', $r->set('s', 'one'), true);
check('set nx on a key that is there', $r->set('s', 'two', ['nx']), false);
check('mget', $r->mget(['s', 'missing']), ['one', false]);
check('incrBy', $r->incrBy('n', 41) + $r->incr('n'), 83);
check('rPush', $r->rPush('l', 'a', 'b', 'c'), 3);
check('lRange', $r->lRange('l', 0, -1), ['a', 'b', 'c']);
check('lPop', $r->lPop('l'), 'a');
check('sAdd', $r->sAdd('set', 'x', 'y', 'x'), 2);
$members = $r->sMembers('set');
sort($members);
check('sMembers', $members, ['x', 'y']);
check('hMSet', $r->hMSet('h', ['a' => 1, 'b' => 2]), true);
check('hGetAll', $r->hGetAll('h'), ['a' => '1', 'b' => '2']);
check('zAdd', $r->zAdd('z', 1.5, 'a', -2, 'b'), 2);
check('zRange with scores', $r->zRange('z', 0, -1, true), ['b' => -2.0, 'a' => 1.5]);
check('zScore', $r->zScore('z', 'a'), 1.5);
$r->xAdd('x', '5-1', ['f' => 'v']);
check('xRange', $r->xRange('x', '-', '+'), ['5-1' => ['f' => 'v']]);

check('setEx', [$r->setEx('e', 100, 'v'), $r->ttl('e')], [true, 100]);
check('persist', [$r->persist('e'), $r->ttl('e')], [true, -1]);
$r->pSetEx('e', 20, 'v');
for ($end = microtime(true) + 5; $r->exists('e') && microtime(true) < $end;);
check('a key expires', $r->get('e'), false);

$many = $r->pipeline();
for ($i = 0; $i < 250; $i++) $many->set("scan:$i", $i);
check('pipeline', array_unique($many->exec()), [true]);
$r->setOption(Redis::OPT_SCAN, Redis::SCAN_RETRY);
$seen = [];
$cursor = null;
while ($keys = $r->scan($cursor, 'scan:*', 20)) $seen = array_merge($seen, $keys);
check('scan', count(array_unique($seen)), 250);
check('wrong type', error_of($r, fn($r) => $r->lPush('s', 'x')),
    'WRONGTYPE Operation against a key holding the wrong kind of value');
check('unknown command', error_of($r, fn($r) => $r->rawCommand('NOSUCH', 'a', 'b')),
    "ERR unknown command 'NOSUCH', with args beginning with: 'a' 'b'");
check('wrong arity', error_of($r, fn($r) => $r->rawCommand('GET')), "ERR wrong number of arguments for 'get' command");

$big = str_repeat(implode(array_map('chr', range(0, 255))), 4096);
check('a mebibyte is set', [$r->set('big', $big), $r->strlen('big')], [true, 1 << 20]);
check('a mebibyte comes back', $r->get('big') === $big, true);

$r->set('p', 1);
check('transaction', $r->multi()->incr('p')->lPush('s', 'x')->get('p')->exec(), [2, false, '2']);
$r->watch('p');
client()->set('p', 'changed');
check('watch sees the change', $r->multi()->set('p', 'lost')->exec(), false);
check('the change stays', $r->get('p'), 'changed');

beside(fn($r) => $r->pubsub('numsub', ['news'])['news'] == 1, fn($r) => $r->publish('news', 'hello'));
$message = null;
try {
    client()->subscribe(['news'], function ($r, $channel, $text) use (&$message) {
        $message = [$channel, $text];
        $r->close();  // unsubscribing would not end subscribe()
    });
} catch (RedisException $closed) {
}
check('message', $message, ['news', 'hello']);
beside(fn($r) => $r->info('clients')['blocked_clients'] == 1, fn($r) => $r->rPush('queue', 'job'));
check('blPop is served', $r->blPop('queue', 5), ['queue', 'job']);
check('blPop times out', $r->rawCommand('BLPOP', 'queue', '0.01'), []);

$other = client();
check('select', [$other->select(1), $other->get('s')], [true, false]);
check('client name', [$other->client('setname', 'named'), $other->client('getname')], [true, 'named']);
$number = $other->client('id');
$killed = null;
$error = error_of($r, function ($r) use ($number, &$killed) { $killed = $r->rawCommand('CLIENT', 'KILL', 'ID', $number); });
if (stripos($error, 'unknown subcommand') !== false) {
    print "SKIP reconnect: the server has no CLIENT KILL\n";
} else {
    check('client kill', $killed, 1);
    check('reconnected', [$other->set('again', 1), $other->client('id') > $number], [true, true]);
    check('the database is back', $r->exists('again'), 0);
}
print "checks $checks\n";
exit($failures ? 1 : 0);
