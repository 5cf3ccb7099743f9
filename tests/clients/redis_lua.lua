-- redis-lua against REDIS_HOST:REDIS_PORT.
local redis = require 'redis'
local checks, failures = 0, 0

-- Replies are compared as text: lists are joined, a missing value is nil.
local function text(value)
    if type(value) ~= 'table' then return tostring(value) end
    local words = {}
    for _, word in ipairs(value) do words[#words + 1] = text(word) end
    return '[' .. table.concat(words, ' ') .. ']'
end

local function check(what, found, expected)
    checks = checks + 1
    if text(found) == expected then return end
    failures = failures + 1
    print(('FAIL %s: expected %s, found %s'):format(what, expected, text(found)))
end

local function client()
    return redis.connect(os.getenv('REDIS_HOST'), tonumber(os.getenv('REDIS_PORT')))
end

-- What a command is refused with, without the client's own prefix.
local function error_of(r, command, ...)
    local fine, found = pcall(r[command], r, ...)
    if fine then return 'no error but ' .. text(found) end
    return (found:gsub('^.*redis error: ', ''):gsub('%s+$', ''))
end

redis.commands.nosuch = redis.command('NOSUCH')
redis.commands.lpop_count = redis.command('LPOP')
redis.commands.client = redis.command('CLIENT')
redis.commands.reply = redis.command('', { request = function() end })  -- of what was sent by hand
local r = client()
r:flushall()

check('set', r:set('s', 'one'), 'true')
check('set nx on a key that is there', r:setnx('s', 'two'), 'false')
check('get', r:get('s') .. text(r:get('missing')), 'onenil')
check('incrby', r:incrby('n', 41) + r:incr('n'), '83')
check('rpush', r:rpush('l', 'a', 'b', 'c'), '3')
check('lrange', r:lrange('l', 0, -1), '[a b c]')
check('lpop with a count', r:lpop_count('l', 2), '[a b]')
check('sadd', r:sadd('set', 'x', 'y', 'x'), '2')
local members = r:smembers('set')
table.sort(members)
check('smembers', members, '[x y]')
check('hmset', r:hmset('h', { a = 1, b = 2 }), 'true')
local hash = r:hgetall('h')
check('hgetall', { hash.a, hash.b }, '[1 2]')
check('zadd', r:zadd('z', 1.5, 'a', -2, 'b'), '2')
check('zrange with scores', r:zrange('z', 0, -1, 'withscores'), '[[b -2] [a 1.5]]')

check('setex', { r:setex('e', 100, 'v'), r:ttl('e') }, '[true 100]')
check('persist', { r:persist('e'), r:ttl('e') }, '[true -1]')
r:psetex('e', 20, 'v')
local deadline = os.time() + 5
while r:exists('e') and os.time() < deadline do end
check('a key expires', r:get('e'), 'nil')

local stored = r:pipeline(function(p) for i = 1, 250 do p:set('scan:' .. i, i) end end)
check('pipeline', { #stored, stored[1], stored[250] }, '[250 true true]')
local seen, count, cursor, keys = {}, 0, 0, nil
repeat
    cursor, keys = unpack(r:scan(cursor, { match = 'scan:*', count = 20 }))
    for _, key in ipairs(keys) do
        if not seen[key] then count = count + 1 end
        seen[key] = true
    end
until cursor == '0'
check('scan', count, '250')
check('wrong type', error_of(r, 'lpush', 's', 'x'), 'WRONGTYPE Operation against a key holding the wrong kind of value')
check('unknown command', error_of(r, 'nosuch', 'a', 'b'),
    "ERR unknown command 'NOSUCH', with args beginning with: 'a' 'b'")
check('wrong arity', error_of(r, 'get'), "ERR wrong number of arguments for 'get' command")

local bytes = {}
for i = 0, 255 do bytes[#bytes + 1] = string.char(i) end
local big = table.concat(bytes):rep(4096)
check('a mebibyte is set', { r:set('big', big), r:strlen('big') }, '[true 1048576]')
check('a mebibyte comes back', r:get('big') == big, 'true')

r:set('p', 1)
check('transaction', r:transaction(function(t) t:incr('p'); t:get('p') end), '[2 2]')
local lost = pcall(r.transaction, r, { watch = 'p', cas = true, retry = 0 }, function(t)
    client():set('p', 'changed')
    t:multi()
    t:set('p', 'lost')
end)
check('watch sees the change', lost, 'false')
check('the change stays', r:get('p'), 'changed')

local publisher, heard = client(), {}
for message, abort in client():pubsub({ subscribe = { 'news' } }) do
    heard[#heard + 1] = { message.kind, message.channel, message.payload }
    if message.kind == 'subscribe' then publisher:publish('news', 'hello') else abort() end
end
check('messages', heard, '[[subscribe news 1] [message news hello]]')

local waiter = client()
waiter.network.socket:send('BLPOP queue 5\r\n')
repeat until r:info().clients.blocked_clients == '1'
r:rpush('queue', 'job')
check('blpop is served', waiter:reply(), '[queue job]')
check('blpop times out', r:blpop('queue', 0.01), 'nil')

local other = client()
check('select', { other:select(1), other:get('s') }, '[true]')
check('client name', { other:client('SETNAME', 'named'), other:client('GETNAME') }, '[true named]')
local killed = error_of(r, 'client', 'KILL', 'ID', other:client('ID'))
if killed:lower():find('unknown subcommand') then
    print('SKIP reconnect: the server has no CLIENT KILL')
else
    check('client kill', killed, 'no error but 1')
    check('the cut is noticed', pcall(other.ping, other), 'false')
    check('a new connection', client():ping(), 'true')
end
print('checks ' .. checks)
os.exit(failures == 0 and 0 or 1)
