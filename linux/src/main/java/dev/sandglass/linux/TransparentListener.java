package dev.sandglass.linux;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetSocketAddress;
import java.net.StandardProtocolFamily;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * A listener to which a firewall may bring connections that were meant for any address and port; each has that address as its local one. The JDK
 * opens it and offers no such option, so the descriptor is looked for, among those of this process, by the namespace that the kernel says it is of: to list the
 * sockets of a namespace takes the kernel a walk over those of the whole host.
 */
public final class TransparentListener {
    private static final Path DESCRIPTORS = Path.of("/proc/self/fd");
    private static final int IP_LEVEL = 0;
    private static final int IP_TRANSPARENT = 19;
    private static final int SOCKET_LEVEL = 1;
    private static final int SO_ACCEPTCONN = 30;
    private static final int SO_DOMAIN = 39;
    private static final int SO_NETNS_COOKIE = 71;
    private static final int AF_INET = 2;
    private static final int SOCK_DGRAM = 2;
    private static final int SOCK_CLOEXEC = 0x80000;
    private static final int WAITING = 1024;

    private TransparentListener() {}

    /** Opens one in the network namespace of this thread, on all its addresses. This process may have no other listener there. */
    public static ServerSocketChannel open(int port) throws IOException {
        int likely;
        long namespace;
        try (Fd question = socket()) {
            namespace = option(question.number(), SO_NETNS_COOKIE);
            likely = question.number(); // the kernel gives the lowest free number next, unless another thread is quicker
        }
        ServerSocketChannel channel = ServerSocketChannel.open(StandardProtocolFamily.INET);
        try {
            channel.bind(new InetSocketAddress("0.0.0.0", port), WAITING);
            makeTransparent(descriptor(namespace, likely));
            return channel;
        } catch (IOException | RuntimeException problem) {
            channel.close();
            throw problem;
        }
    }

    private static Fd socket() throws ErrnoException {
        // SAFETY: takes numbers only.
        return Fd.of(Libc.call("socket", SystemCall.SOCKET, AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
    }

    private static void makeTransparent(int descriptor) throws IOException {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment on = arena.allocateFrom(ValueLayout.JAVA_INT, 1);
            // SAFETY: the number is that of the channel, which the caller holds open; the option is an int that lives as long as the arena.
            Libc.call("setsockopt IP_TRANSPARENT", SystemCall.SETSOCKOPT, descriptor, IP_LEVEL, IP_TRANSPARENT, on.address(), on.byteSize());
        }
    }

    /** @param likely where to look first: a daemon of many sandboxes has thousands */
    private static int descriptor(long namespace, int likely) throws IOException {
        if (listensIn(namespace, likely)) {
            return likely;
        }
        try (DirectoryStream<Path> all = Files.newDirectoryStream(DESCRIPTORS)) {
            for (Path each : all) {
                int number = Integer.parseInt(String.valueOf(each.getFileName()));
                if (listensIn(namespace, number)) {
                    return number;
                }
            }
        }
        throw new IOException("no descriptor of this process listens in this network namespace");
    }

    private static boolean listensIn(long namespace, int descriptor) {
        try {
            return option(descriptor, SO_NETNS_COOKIE) == namespace && option(descriptor, SO_DOMAIN) == AF_INET && option(descriptor, SO_ACCEPTCONN) == 1;
        } catch (ErrnoException noSocket) {
            return false; // or closed meanwhile
        }
    }

    /** An option of a socket, whether it is an int or a long. */
    private static long option(int descriptor, int name) throws ErrnoException {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment value = arena.allocate(ValueLayout.JAVA_LONG);
            MemorySegment length = arena.allocateFrom(ValueLayout.JAVA_INT, (int) value.byteSize());
            // SAFETY: the kernel writes at most the eight bytes that the length says, both live as long as the arena, and any number may be asked about.
            Libc.call("getsockopt", SystemCall.GETSOCKOPT, descriptor, SOCKET_LEVEL, name, value.address(), length.address());
            return length.get(ValueLayout.JAVA_INT, 0) == Integer.BYTES ? value.get(ValueLayout.JAVA_INT, 0) : value.get(ValueLayout.JAVA_LONG, 0);
        }
    }
}
