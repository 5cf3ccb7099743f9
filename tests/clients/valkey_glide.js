// valkey-glide, a core in Rust which speaks RESP3, against REDIS_HOST:REDIS_PORT. Its first word names the package.
const { deepStrictEqual } = require('assert');
const { Batch, Decoder, GlideClient, GlideClientConfiguration, InfoOptions, TimeUnit } = require(process.argv[2]);

const addresses = [{ host: process.env.REDIS_HOST, port: Number(process.env.REDIS_PORT) }];
const client = (options) => GlideClient.createClient({ addresses, requestTimeout: 10000, ...options });
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
  check('set nx on a key that is there', await r.set('s', 'two', { conditionalSet: 'onlyIfDoesNotExist' }), null);
  check('mget', await r.mget(['s', 'missing']), ['one', null]);
  check('incrBy', await r.incrBy('n', 41) + await r.incr('n'), 83);
  check('rpush', await r.rpush('l', ['a', 'b', 'c']), 3);
  check('lrange', await r.lrange('l', 0, -1), ['a', 'b', 'c']);
  check('lpopCount', await r.lpopCount('l', 2), ['a', 'b']);
  check('sadd', await r.sadd('set', ['x', 'y', 'x']), 2);
  check('smembers', [...await r.smembers('set')].sort(), ['x', 'y']);
  check('hset', await r.hset('h', { a: '1', b: '2' }), 2);
  check('hgetall', await r.hgetall('h'), [{ field: 'a', value: '1' }, { field: 'b', value: '2' }]);
  check('zadd', await r.zadd('z', { a: 1.5, b: -2 }), 2);
  check('zrangeWithScores', await r.zrangeWithScores('z', { start: 0, end: -1 }),
    [{ element: 'b', score: -2 }, { element: 'a', score: 1.5 }]);
  check('zscore', await r.zscore('z', 'a'), 1.5);

  check('set with ex', [await r.set('e', 'v', { expiry: { type: TimeUnit.Seconds, count: 100 } }), await r.ttl('e')], ['OK', 100]);
  check('persist', [await r.persist('e'), await r.ttl('e')], [true, -1]);
  await r.pexpire('e', 20);
  for (const end = Date.now() + 5000; await r.exists(['e']) && Date.now() < end;);
  check('a key expires', await r.get('e'), null);

  await Promise.all(Array.from({ length: 250 }, (_, i) => r.set(`scan:${i}`, String(i))));
  const seen = new Set();
  let cursor = '0', keys;
  do {
    [cursor, keys] = await r.scan(cursor, { match: 'scan:*', count: 20 });
    keys.forEach((key) => seen.add(key));
  } while (cursor !== '0');
  check('scan', seen.size, 250);
  // the core writes a colon behind the first word
  check('wrong type', await errorOf(r.lpush('s', ['x'])),
    'WRONGTYPE: Operation against a key holding the wrong kind of value');
  check('unknown command', (await errorOf(r.customCommand(['NOSUCH', 'a', 'b']))).trimEnd(),
    "An error was signalled by the server: - ResponseError: unknown command 'NOSUCH', with args beginning with: 'a' 'b'");

  const big = Buffer.alloc(1 << 20, Buffer.from(Array.from({ length: 256 }, (_, i) => i)));
  check('a mebibyte is set', [await r.set('big', big), await r.strlen('big')], ['OK', 1 << 20]);
  check('a mebibyte comes back', big.equals(await r.get('big', { decoder: Decoder.Bytes })), true);
}

async function transactions(r) {
  check('pipeline', await r.exec(new Batch(false).set('p', '0').incr('p').get('p'), true), ['OK', 1, '1']);
  check('transaction', await r.exec(new Batch(true).incr('p').get('p'), true), [2, '2']);
  const other = await client();
  await r.watch(['p']);
  await other.set('p', 'changed');
  check('watch sees the change', await r.exec(new Batch(true).set('p', 'lost'), true), null);
  check('the change stays', await r.get('p'), 'changed');
  other.close();
}

async function messages(r) {
  let hear;
  const both = new Promise((resolve) => { hear = resolve; });
  const heard = [];
  const { Exact, Pattern } = GlideClientConfiguration.PubSubChannelModes;
  const s = await client({
    pubsubSubscriptions: {
      channelsAndPatterns: { [Exact]: new Set(['news']), [Pattern]: new Set(['n*']) },
      callback: ({ channel, message, pattern }) => {
        heard.push([channel, message, pattern ?? null]);
        if (heard.length === 2) hear(heard);
      },
    },
  });
  while ((await r.customCommand(['PUBSUB', 'NUMPAT'])) !== 1 || (await r.pubsubNumSub(['news']))[0].numSub !== 1);
  check('publish', await r.publish('hello', 'news'), 2);
  check('messages', await both, [['news', 'hello', null], ['news', 'hello', 'n*']]);
  s.close();

  const waiter = await client();
  const popped = waiter.blpop(['queue'], 5);
  while (!/blocked_clients:1/.test(await r.info([InfoOptions.Clients])));
  await r.rpush('queue', ['job']);
  check('blpop is served', await popped, ['queue', 'job']);
  check('blpop times out', await waiter.blpop(['queue'], 0.01), null);
  waiter.close();
}

async function connections(r) {
  const other = await client({ databaseId: 1, clientName: 'named' });
  check('database 1 is another', await other.get('s'), null);
  check('client name', await other.clientGetName(), 'named');
  const number = await other.clientId();
  const killed = await errorOf(r.customCommand(['CLIENT', 'KILL', 'ID', String(number)]));
  if (/unknown subcommand/i.test(killed)) {
    console.log('SKIP reconnect: the server has no CLIENT KILL');
  } else {
    check('client kill', killed, 'no error but 1');
    while (!/^no error/.test(await errorOf(other.ping())));
    check('reconnected', await other.clientId() > number, true);
    check('database and name are back', [await other.get('s'), await other.clientGetName()], [null, 'named']);
  }
  other.close();
}

(async () => {
  const server = await client();
  await server.flushall();
  for (const topic of [data, transactions, messages, connections]) await topic(server);
  server.close();
  console.log('checks', checks);
  process.exit(failures ? 1 : 0);
})();
