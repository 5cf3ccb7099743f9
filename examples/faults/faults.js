// Does my code survive a bad day? Run it beside a server of its own (npm install ioredis):
//
//     respkit-server -- node examples/faults/faults.js
const assert = require('node:assert');
const Redis = require(process.argv[2] || 'ioredis');

const url = process.env.REDIS_URL;
const server = new Redis(url);
const rule = (...words) => server.call('RESPKIT', 'RULE', 'ADD', ...words);

// The code under test: a client that asks again while the server loads, or after a lost connection.
const client = new Redis(url, {
  commandTimeout: 300,
  maxRetriesPerRequest: 3,
  retryStrategy: () => 1,
  reconnectOnError: (error) => (error.message.startsWith('LOADING') ? 2 : false),
});
client.on('error', () => {});

async function main() {
  await server.call('RESPKIT', 'CALLS', 'ON');
  await server.set('greeting', 'hello');

  // It loads for one request.
  await rule('ON', 'GET', 'TIMES', '1', 'ERROR', 'LOADING Redis is loading the dataset in memory');
  assert.equal(await client.get('greeting'), 'hello');
  assert.equal(await server.call('RESPKIT', 'CALLS', 'COUNT', 'COMMAND', 'GET'), 2);

  // The connection is reset in the middle of a reply.
  await rule('ON', 'GET', 'TIMES', '1', 'PREFIX', '4', 'RESET');
  assert.equal(await client.get('greeting'), 'hello');

  // A black hole: the request is taken, nothing comes back.
  await rule('ON', 'GET', 'TIMES', '1', 'NOREPLY');
  await assert.rejects(client.get('greeting'), /timed out/i);

  client.disconnect();
  server.disconnect();
  console.log('faults.js: retried on LOADING, survived a reset, timed out on a black hole');
}

main().catch((error) => {
  console.error(error);
  process.exit(1);
});
