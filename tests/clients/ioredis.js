// ioredis, or iovalkey which is a fork of it, against REDIS_HOST:REDIS_PORT. Its first word names the package.
const { deepStrictEqual } = require('assert');
const { once } = require('events');
const Redis = require(process.argv[2]);

const address = { host: process.env.REDIS_HOST, port: Number(process.env.REDIS_PORT) };
let checks = 0, failures = 0;

function check(what, found, expected) {
  ++checks;
  try {
    deepStrictEqual(found, expected);
  } catch {
    ++failures;
    console.log(`FAIL ${what}: expected ${JSON.stringify(expected)}, found ${JSON.stringify(found)}`);
  }
}
const errorOf = (promise) => promise.then((value) => `no error but ${value}`, (error) => error.message);

async function data(r) {
  check('set', await r.set('s', 'one'), 'OK');
  check('set nx on a key that is there', await r.set('s', 'two', 'NX'), null);
  check('mget', await r.mget('s', 'missing'), ['one', null]);
  check('incrby', await r.incrby('n', 41) + await r.incr('n'), 83);
  check('rpush', await r.rpush('l', 'a', 'b', 'c'), 3);
  check('lrange', await r.lrange('l', 0, -1), ['a', 'b', 'c']);
  check('lpop with a count', await r.lpop('l', 2), ['a', 'b']);
  check('sadd', await r.sadd('set', 'x', 'y', 'x'), 2);
  check('smembers', [...await r.smembers('set')].sort(), ['x', 'y']);
  check('hset', await r.hset('h', { a: 1, b: 2 }), 2);
  check('hgetall', { ...await r.hgetall('h') }, { a: '1', b: '2' });
  check('zadd', await r.zadd('z', 1.5, 'a', -2, 'b'), 2);
  // RESP3 has pairs of member and number here
  check('zrange with scores', (await r.zrange('z', 0, -1, 'WITHSCORES')).flat().map(String), ['b', '-2', 'a', '1.5']);
  check('zscore', Number(await r.zscore('z', 'a')), 1.5);
  await r.xadd('x', '5-1', 'f', 'v');
  check('xrange', await r.xrange('x', '-', '+'), [['5-1', ['f', 'v']]]);

  check('set with ex', [await r.set('e', 'v', 'EX', 100), await r.ttl('e')], ['OK', 100]);
  check('persist', [await r.persist('e'), await r.ttl('e')], [1, -1]);
  await r.set('e', 'v', 'PX', 20);
  for (const end = Date.now() + 5000; await r.exists('e') && Date.now() < end;);
  check('a key expires', await r.get('e'), null);

  await Promise.all(Array.from({ length: 250 }, (_, i) => r.set(`scan:${i}`, i)));
  const seen = new Set();
  for await (const keys of r.scanStream({ match: 'scan:*', count: 20 })) keys.forEach((key) => seen.add(key));
  check('scanStream', seen.size, 250);
  check('wrong type', await errorOf(r.lpush('s', 'x')),
    'WRONGTYPE Operation against a key holding the wrong kind of value');
  check('unknown command', (await errorOf(r.call('NOSUCH', 'a', 'b'))).trimEnd(),
    "ERR unknown command 'NOSUCH', with args beginning with: 'a' 'b'");
  check('wrong arity', await errorOf(r.call('GET')), "ERR wrong number of arguments for 'get' command");

  const big = Buffer.alloc(1 << 20, Buffer.from(Array.from({ length: 256 }, (_, i) => i)));
  check('a mebibyte is set', [await r.set('big', big), await r.strlen('big')], ['OK', 1 << 20]);
  check('a mebibyte comes back', big.equals(await r.getBuffer('big')), true);
}

async function transactions(r) {
  check('pipeline', await r.pipeline().set('p', 0).incr('p').get('p').exec(), [[null, 'OK'], [null, 1], [null, '1']]);
  const [incr, lpush, get] = await r.multi().incr('p').lpush('s', 'x').get('p').exec();
  check('transaction', [incr[1], lpush[0].message.split(' ')[0], get[1]], [2, 'WRONGTYPE', '2']);
  const other = new Redis(address);
  await r.watch('p');
  await other.set('p', 'changed');
  check('watch sees the change', await r.multi().set('p', 'lost').exec(), null);
  check('the change stays', await r.get('p'), 'changed');
  other.disconnect();
  const piped = new Redis({ ...address, enableAutoPipelining: true });
  check('auto pipelining', await Promise.all(Array.from({ length: 50 }, (_, i) => piped.get(`scan:${i}`))),
    Array.from({ length: 50 }, (_, i) => String(i)));
  piped.disconnect();
}

async function messages(r) {
  const s = new Redis(address);
  check('subscribe', [await s.subscribe('news'), await s.psubscribe('n*')], [1, 2]);
  const message = once(s, 'message'), pattern = once(s, 'pmessage');
  check('publish', await r.publish('news', 'hello'), 2);
  check('message', await message, ['news', 'hello']);
  check('message by pattern', await pattern, ['n*', 'news', 'hello']);
  check('unsubscribe', await s.unsubscribe('news'), 1);
  s.disconnect();

  const waiter = new Redis(address);
  const popped = waiter.blpop('queue', 5);
  while (!/blocked_clients:1/.test(await r.info('clients')));
  await r.rpush('queue', 'job');
  check('blpop is served', await popped, ['queue', 'job']);
  check('blpop times out', await waiter.blpop('queue', 0.01), null);
  waiter.disconnect();
}

async function connections(r) {
  const other = new Redis({ ...address, db: 1, connectionName: 'named', retryStrategy: () => 1 });
  check('database 1 is another', await other.get('s'), null);
  check('client name', await other.client('GETNAME'), 'named');
  const number = await other.client('ID');
  const closed = once(other, 'close');
  const killed = await errorOf(r.client('KILL', 'ID', number));
  if (/unknown subcommand/i.test(killed)) {
    console.log('SKIP reconnect: the server has no CLIENT KILL');
  } else {
    check('client kill', killed, 'no error but 1');
    await closed;
    check('reconnected', [await other.set('again', 1), await other.client('ID') > number], ['OK', true]);
    check('database and name are back', [await r.exists('again'), await other.client('GETNAME')], [0, 'named']);
  }
  other.disconnect();
}

(async () => {
  const server = new Redis(address);
  await server.flushall();
  for (const topic of [data, transactions, messages, connections]) await topic(server);
  await server.quit();
  console.log('checks', checks);
  process.exitCode = failures ? 1 : 0;
})();
