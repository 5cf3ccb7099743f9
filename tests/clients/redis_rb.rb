# redis-rb against REDIS_HOST:REDIS_PORT.
require 'redis'
require 'set'

$checks = $failures = 0

def check(what, found, expected)
  $checks += 1
  return if found == expected
  $failures += 1
  puts "FAIL #{what}: expected #{expected.inspect}, found #{found.inspect}"
end

def client(**options)
  Redis.new(host: ENV['REDIS_HOST'], port: ENV['REDIS_PORT'].to_i, **options)
end

def error_of
  "no error but #{yield}"
rescue Redis::BaseError => e
  e.message.rstrip
end

def data(r)
  check('set', r.set('s', 'one'), 'OK')
  check('set nx on a key that is there', r.set('s', 'two', nx: true), false)
  check('mget', r.mget('s', 'missing'), ['one', nil])
  check('incrby', r.incrby('n', 41) + r.incr('n'), 83)
  check('rpush', r.rpush('l', %w[a b c]), 3)
  check('lrange', r.lrange('l', 0, -1), %w[a b c])
  check('lpop with a count', r.lpop('l', 2), %w[a b])
  check('sadd', r.sadd('set', %w[x y x]), 2)
  check('smembers', r.smembers('set').sort, %w[x y])
  check('hset', r.hset('h', { a: 1, b: 2 }), 2)
  check('hgetall', r.hgetall('h'), { 'a' => '1', 'b' => '2' })
  check('zadd', r.zadd('z', [[1.5, 'a'], [-2, 'b'], ['+inf', 'c']]), 3)
  check('zrange with scores', r.zrange('z', 0, 1, with_scores: true), [['b', -2.0], ['a', 1.5]])
  check('zpopmax', r.zpopmax('z'), ['c', Float::INFINITY])
  r.xadd('x', { f: 'v' }, id: '5-1')
  check('xrange', r.xrange('x'), [['5-1', { 'f' => 'v' }]])

  check('set with ex', [r.set('e', 'v', ex: 100), r.ttl('e')], ['OK', 100])
  check('persist', [r.persist('e'), r.ttl('e')], [true, -1])
  r.set('e', 'v', px: 20)
  deadline = Time.now + 5
  nil while r.exists?('e') && Time.now < deadline
  check('a key expires', r.get('e'), nil)

  r.mset((0...250).flat_map { |i| ["scan:#{i}", i] })
  check('scan_each', r.scan_each(match: 'scan:*', count: 20).to_set.size, 250)
  check('wrong type', error_of { r.lpush('s', 'x') },
        'WRONGTYPE Operation against a key holding the wrong kind of value')
  check('unknown command', error_of { r.call('NOSUCH', 'a', 'b') },
        "ERR unknown command 'NOSUCH', with args beginning with: 'a' 'b'")
  check('wrong arity', error_of { r.call('GET') }, "ERR wrong number of arguments for 'get' command")

  big = (0..255).to_a.pack('C*') * 4096
  check('a mebibyte is set', [r.set('big', big), r.strlen('big')], ['OK', 1 << 20])
  check('a mebibyte comes back', r.get('big').b == big, true)
end

def transactions(r)
  check('pipeline', r.pipelined { |p| p.set('p', 0); p.incr('p'); p.get('p') }, ['OK', 1, '1'])
  check('transaction', r.multi { |t| t.incr('p'); t.get('p') }, [2, '2'])
  check('an error in a transaction', error_of { r.multi { |t| t.lpush('s', 'x') } }.split.first, 'WRONGTYPE')
  r.watch('p') do
    client.set('p', 'changed')
    check('watch sees the change', r.multi { |t| t.set('p', 'lost') }, nil)
  end
  check('the change stays', r.get('p'), 'changed')
end

def messages(r)
  heard = []
  subscribed = Queue.new
  listener = Thread.new do
    s = client
    s.psubscribe('n*') do |on|
      on.psubscribe { |_, total| subscribed << total }
      on.pmessage { |*words| heard << words; s.punsubscribe }
    end
    heard << s.get('s')
  end
  check('psubscribe', subscribed.pop, 1)
  check('publish', r.publish('news', 'hello'), 1)
  listener.join
  check('message by pattern, then a command', heard, [%w[n* news hello], 'one'])

  waiter = Thread.new { client.blpop('queue', timeout: 5) }
  nil while r.info('clients')['blocked_clients'] == '0'
  r.rpush('queue', 'job')
  check('blpop is served', waiter.value, %w[queue job])
  check('blpop times out', r.blpop('queue', timeout: 0.01), nil)
end

def connections(r)
  other = client(db: 1, id: 'named')
  check('database 1 is another', other.get('s'), nil)
  check('client name', other.client(:getname), 'named')
  number = other.client(:id)
  killed = error_of { r.client(:kill, 'ID', number) }
  return puts('SKIP reconnect: the server has no CLIENT KILL') if killed =~ /unknown subcommand/i

  check('client kill', killed, 'no error but 1')
  check('reconnected', [other.set('again', 1), other.client(:id) > number], ['OK', true])
  check('database and name are back', [r.exists('again'), other.client(:getname)], [0, 'named'])
end

server = client
server.flushall
data(server)
transactions(server)
messages(server)
connections(server)
puts "checks #{$checks}"
exit $failures.zero?
