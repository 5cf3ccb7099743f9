// node-redis against REDIS_HOST:REDIS_PORT. Its first word names the package.
const { deepStrictEqual } = require('assert');
const { createClient, WatchError } = require(process.argv[2]);

const socket = { host: process.env.REDIS_HOST, port: Number(process.env.REDIS_PORT), reconnectStrategy: () => 1 };
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

async function client(options = {}) {
  const made = createClient({ socket, ...options });
  made.on('error', () => {});  // cut connections are part of the test
  await made.connect();
  return made;
}

async function data(r) {
  check('set', await r.set('s', 'one'), 'OK');
  check('set nx on a key that is there', await r.set('s', 'two', { NX: true }), null);
  check('mGet', await r.mGet(['s', 'missing']), ['one', null]);
  check('incrBy', await r.incrBy('n', 41) + await r.incr('n'), 83);
  check('rPush', await r.rPush('l', ['a', 'b', 'c']), 3);
  check('lRange', await r.lRange('l', 0, -1), ['a', 'b', 'c']);
  check('lPopCount', await r.lPopCount('l', 2), ['a', 'b']);
  check('sAdd', await r.sAdd('set', ['x', 'y', 'x']), 2);
  check('sMembers', [...await r.sMembers('set')].sort(), ['x', 'y']);
  check('hSet', await r.hSet('h', { a: 1, b: 2 }), 2);
  check('hGetAll', { ...await r.hGetAll('h') }, { a: '1', b: '2' });
  check('zAdd', await r.zAdd('z', [{ score: 1.5, value: 'a' }, { score: -2, value: 'b' }]), 2);
  check('zRangeWithScores', await r.zRangeWithScores('z', 0, -1),
    [{ value: 'b', score: -2 }, { value: 'a', score: 1.5 }]);
  check('zScore', await r.zScore('z', 'a'), 1.5);
  await r.xAdd('x', '5-1', { f: 'v' });
  check('xRange', (await r.xRange('x', '-', '+')).map(({ id, message }) => [id, { ...message }]), [['5-1', { f: 'v' }]]);

  check('set with ex', [await r.set('e', 'v', { EX: 100 }), await r.ttl('e')], ['OK', 100]);
  check('persist', [Number(await r.persist('e')), await r.ttl('e')], [1, -1]);
  await r.set('e', 'v', { PX: 20 });
  for (const end = Date.now() + 5000; await r.exists('e') && Date.now() < end;);
  check('a key expires', await r.get('e'), null);

  await Promise.all(Array.from({ length: 250 }, (_, i) => r.set(`scan:${i}`, String(i))));
  const seen = new Set();
  // one key at a time in node-redis 4, an array of them since 5
  for await (const keys of r.scanIterator({ MATCH: 'scan:*', COUNT: 20 })) [keys].flat().forEach((key) => seen.add(key));
  check('scanIterator', seen.size, 250);
  check('wrong type', await errorOf(r.lPush('s', 'x')),
    'WRONGTYPE Operation against a key holding the wrong kind of value');
  check('unknown command', (await errorOf(r.sendCommand(['NOSUCH', 'a', 'b']))).trimEnd(),
    "ERR unknown command 'NOSUCH', with args beginning with: 'a' 'b'");
  check('wrong arity', await errorOf(r.sendCommand(['GET'])), "ERR wrong number of arguments for 'get' command");

  // as text: how one asks for buffers differs between the versions
  const big = Buffer.alloc(1 << 20, Buffer.from(Array.from({ length: 256 }, (_, i) => i))).toString('latin1');
  check('a value of 1.5 MiB is set', [await r.set('big', big), await r.strLen('big')], ['OK', 3 << 19]);
  check('a value of 1.5 MiB comes back', await r.get('big') === big, true);
}

async function transactions(r) {
  check('automatic pipeline', await Promise.all([r.set('p', '0'), r.incr('p'), r.get('p')]), ['OK', 1, '1']);
  check('transaction', await r.multi().incr('p').get('p').exec(), [2, '2']);
  const other = await client();
  await r.watch('p');
  await other.set('p', 'changed');
  check('watch sees the change', await r.multi().set('p', 'lost').exec().catch((e) => e instanceof WatchError), true);
  check('the change stays', await r.get('p'), 'changed');
  await other.quit();
}

async function messages(r) {
  const s = await client();
  const next = (subscribe, channel) =>
    new Promise((ready) => {
      const heard = new Promise((hear) => subscribe.call(s, channel, (...words) => hear(words)).then(() => ready({ heard })));
    });
  const message = await next(s.subscribe, 'news'), pattern = await next(s.pSubscribe, 'n*');
  check('publish', await r.publish('news', 'hello'), 2);
  check('message', await message.heard, ['hello', 'news']);
  check('message by pattern', await pattern.heard, ['hello', 'news']);
  check('ping while subscribed', String(await s.ping()).toLowerCase(), 'pong');
  await s.unsubscribe('news');
  check('unsubscribe', await r.publish('news', 'again'), 1);
  await s.pUnsubscribe('n*');
  // node-redis 5 goes on to give buffers here in RESP2
  check('commands after the last unsubscribe', String(await s.get('s')), 'one');
  await s.quit();

  const waiter = await client();
  const popped = waiter.blPop('queue', 5);
  while (!/blocked_clients:1/.test(await r.info('clients')));
  await r.rPush('queue', 'job');
  check('blPop is served', { ...await popped }, { key: 'queue', element: 'job' });
  check('blPop times out', await waiter.blPop('queue', 0.01), null);
  await waiter.quit();
}

async function connections(r) {
  const other = await client({ database: 1, name: 'named' });
  check('database 1 is another', await other.get('s'), null);
  check('client name', await other.sendCommand(['CLIENT', 'GETNAME']), 'named');
  const number = await other.sendCommand(['CLIENT', 'ID']);
  const ready = new Promise((resolve) => other.once('ready', resolve));
  const killed = await errorOf(r.sendCommand(['CLIENT', 'KILL', 'ID', String(number)]));
  if (/unknown subcommand/i.test(killed)) {
    console.log('SKIP reconnect: the server has no CLIENT KILL');
  } else {
    check('client kill', killed, 'no error but 1');
    await ready;
    check('reconnected', await other.sendCommand(['CLIENT', 'ID']) > number, true);
    check('database and name are back', [await other.get('s'), await other.sendCommand(['CLIENT', 'GETNAME'])], [null, 'named']);
  }
  await other.quit();
}

(async () => {
  const server = await client();
  await server.flushAll();
  for (const topic of [data, transactions, messages, connections]) await topic(server);
  await server.quit();
  console.log('checks', checks);
  process.exitCode = failures ? 1 : 0;
})();
