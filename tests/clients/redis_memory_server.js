// redis-memory-server, which starts the program that REDISMS_SYSTEM_BINARY names.
process.env.REDISMS_SYSTEM_BINARY = process.env.REDIS_SERVER;
process.env.REDISMS_DISABLE_POSTINSTALL = '1';
const { strictEqual } = require('assert');
const net = require('net');
const { RedisMemoryServer } = require('redis-memory-server');

let checks = 0, failures = 0;

function check(what, found, expected) {
  ++checks;
  try {
    strictEqual(found, expected);
  } catch {
    ++failures;
    console.log(`FAIL ${what}: expected ${JSON.stringify(expected)}, found ${JSON.stringify(found)}`);
  }
}

// What comes back for one line, or the error's code.
const ask = (port, line) => new Promise((resolve) => {
  const socket = net.connect(port, '127.0.0.1', () => socket.write(`${line}\r\n`));
  socket.once('data', (data) => { resolve(String(data)); socket.destroy(); });
  socket.once('error', (error) => resolve(error.code));
});
const running = (pid) => { try { return process.kill(pid, 0); } catch { return false; } };

(async () => {
  const server = new RedisMemoryServer();
  const port = await server.getPort();
  check('host', await server.getHost(), '127.0.0.1');
  check('ping', await ask(port, 'PING'), '+PONG\r\n');
  check('no save', await ask(port, 'CONFIG GET save'), '*2\r\n$4\r\nsave\r\n$0\r\n\r\n');

  const other = new RedisMemoryServer({ instance: { args: ['--requirepass', 'secret', '--databases', '3'] } });
  const otherPort = await other.getPort();
  check('a password', (await ask(otherPort, 'PING')).slice(0, 7), '-NOAUTH');
  check('another port', port !== otherPort, true);

  const { childProcess } = server.getInstanceInfo();
  check('stop', await server.stop(), true);
  check('the process has ended', running(childProcess.pid), false);
  check('nobody listens', await ask(port, 'PING'), 'ECONNREFUSED');
  await other.stop();
  console.log('checks', checks);
  process.exitCode = failures ? 1 : 0;
})();
