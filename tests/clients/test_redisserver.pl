# Perl's Test::RedisServer, which starts the first redis-server on the PATH with a config file of its making.
use strict;
use warnings;
use Redis;
use Test::RedisServer;

my ($checks, $failures) = (0, 0);

sub check {
    my ($what, $found, $expected) = @_;
    $checks++;
    return if $found eq $expected;
    $failures++;
    print "FAIL $what: expected $expected, found $found\n";
}

sub client { Redis->new(shift->connect_info, @_) }

my $plain = Test::RedisServer->new;
my $r = client($plain);
check('ping', $r->ping, 'PONG');
check('set', $r->set(k => 'v') . $r->get('k'), 'OKv');
check('the server is what was started', $r->info->{process_id}, $plain->pid);
my $other = Test::RedisServer->new(conf => { databases => 3, save => '900 1' });
my $o = client($other);
check('databases of the config', { $o->config_get('databases') }->{databases}, 3);
check('save of the config', { $o->config_get('save') }->{save}, '900 1');
check('two servers share nothing', $o->dbsize . $r->dbsize, '01');
my $pid = $other->pid;
$other->stop;
check('stop', kill(0, $pid), 0);
check('a port that is taken', eval { Test::RedisServer->new(conf => { port => $ENV{REDIS_PORT} }); 'started' } // 'refused',
    'refused');
check('a config that is wrong', eval { Test::RedisServer->new(conf => { oops => 'borked' }); 'started' } // 'refused',
    'refused');
undef $_ for $plain, $other;
print "checks $checks\n";
exit($failures ? 1 : 0);
