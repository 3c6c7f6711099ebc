# Starts a program as systemd does: with sockets that are opened for it, and with a place to tell how it fares.
# Arguments: what to open, `--`, the program and its arguments.
#   notify=PATH    where notices are listened to; `@name` is one without a file
#   tcp=NAME       a socket on 127.0.0.1, handed over under that name; `any=NAME` one on all addresses
#   unix=PATH      a socket with a file, of the mode that `mode=` has said before
#   open=NAME      an open way to the place of notices; `file=NAME` and `datagram=NAME` are no sockets to listen on
# Lines on stdout: `pid N`, `port N`, and `told …` for each notice, its own lines parted by `|`.
use strict;
use warnings;
use Socket;
use POSIX ();

$| = 1;
$^F = 255;
my ($notify, @files, @names);
my $mode = 0600;
while (defined(my $word = shift @ARGV)) {
  last if $word eq '--';
  my ($kind, $value) = split /=/, $word, 2;
  my $made;
  if ($kind eq 'mode') { $mode = oct $value; next }
  elsif ($kind eq 'notify') {
    socket($notify, AF_UNIX, SOCK_DGRAM, 0) or die "socket: $!";
    my $path = $value;
    $path =~ s/^@/\0/;
    bind($notify, pack_sockaddr_un($path)) or die "bind $value: $!";
    $ENV{NOTIFY_SOCKET} = $value;
    next;
  }
  elsif ($kind eq 'tcp' || $kind eq 'any') {
    socket($made, AF_INET, SOCK_STREAM, 0) or die "socket: $!";
    bind($made, pack_sockaddr_in(0, $kind eq 'tcp' ? INADDR_LOOPBACK : INADDR_ANY)) or die "bind: $!";
    listen($made, 128) or die "listen: $!";
    my ($port) = unpack_sockaddr_in(getsockname $made);
    print "port $port\n";
  }
  elsif ($kind eq 'unix') {
    socket($made, AF_UNIX, SOCK_STREAM, 0) or die "socket: $!";
    my $old = umask(0777 & ~$mode);
    bind($made, pack_sockaddr_un($value)) or die "bind $value: $!";
    umask $old;
    listen($made, 128) or die "listen: $!";
  }
  elsif ($kind eq 'open') {
    socket($made, AF_UNIX, SOCK_DGRAM, 0) or die "socket: $!";
    connect($made, getsockname $notify) or die "connect: $!";
  }
  elsif ($kind eq 'file') { open($made, '<', $0) or die "open: $!" }
  elsif ($kind eq 'datagram') { socket($made, AF_INET, SOCK_DGRAM, 0) or die "socket: $!" }
  else { die "what is $word?" }
  push @files, $made;
  push @names, $value =~ m{/} ? 'unix' : $value;
}

my $pid = fork() // die "fork: $!";
if ($pid == 0) {
  # Out of the way of the places where they belong.
  POSIX::dup2(fileno $files[$_], 100 + $_) for 0 .. $#files;
  POSIX::dup2(100 + $_, 3 + $_) for 0 .. $#files;
  POSIX::close($_) for 3 + @files .. 255;
  if (@files) {
    $ENV{LISTEN_PID} //= $$;
    $ENV{LISTEN_FDS} //= scalar @files;
    $ENV{LISTEN_FDNAMES} //= join ':', @names;
  }
  exec { $ARGV[0] } @ARGV or die "exec $ARGV[0]: $!";
}
undef @files;
print "pid $pid\n";
my $code;
until (defined $code) {
  my $in = '';
  vec($in, fileno($notify), 1) = 1 if $notify;
  my $ready = select($in, undef, undef, 0.05);
  if (waitpid($pid, POSIX::WNOHANG()) == $pid) { $code = $? }
  while ($notify && defined recv($notify, my $text, 65536, MSG_DONTWAIT)) {
    $text =~ s/\n/|/g;
    print "told $text\n";
  }
}
exit($code & 127 ? 128 + ($code & 127) : $code >> 8);
