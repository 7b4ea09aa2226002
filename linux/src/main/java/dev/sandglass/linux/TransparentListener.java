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
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

/**
 * A listener to which a firewall may bring connections that were meant for any address and port; each has that address as its local one. The JDK
 * opens it and offers no such option, so the descriptor is looked for: the kernel lists the sockets of a namespace with their inodes, and a process's descriptors
 * name the inodes.
 */
public final class TransparentListener {
    private static final Path DESCRIPTORS = Path.of("/proc/self/fd");
    private static final int IP_LEVEL = 0;
    private static final int IP_TRANSPARENT = 19;
    private static final int WAITING = 1024;
    private static final int INODE_FIELD = 9;

    private TransparentListener() {}

    /** Opens one in the network namespace of this thread, on all its addresses. Nothing else of that namespace may listen on the port. */
    public static ServerSocketChannel open(int port) throws IOException {
        int likely = lowestFree();
        ServerSocketChannel channel = ServerSocketChannel.open(StandardProtocolFamily.INET);
        try {
            channel.bind(new InetSocketAddress("0.0.0.0", port), WAITING);
            makeTransparent(descriptor("socket:[" + inode(port) + "]", likely));
            return channel;
        } catch (IOException | RuntimeException problem) {
            channel.close();
            throw problem;
        }
    }

    /** The number that the kernel gives next, unless another thread is quicker. */
    private static int lowestFree() throws IOException {
        try (Fd next = Fd.open(Path.of("/"), SystemCall.O_PATH)) {
            return next.number();
        }
    }

    private static void makeTransparent(int descriptor) throws IOException {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment on = arena.allocateFrom(ValueLayout.JAVA_INT, 1);
            // SAFETY: the number is that of the channel, which the caller holds open; the option is an int that lives as long as the arena.
            Libc.call("setsockopt IP_TRANSPARENT", SystemCall.SETSOCKOPT, descriptor, IP_LEVEL, IP_TRANSPARENT, on.address(), on.byteSize());
        }
    }

    /** As listed for the namespace of this thread. */
    private static String inode(int port) throws IOException {
        String wanted = String.format("00000000:%04X", port);
        for (String line : Files.readAllLines(Path.of("/proc/thread-self/net/tcp"))) {
            String[] fields = line.strip().split(" +");
            if (fields.length > INODE_FIELD && fields[1].equals(wanted)) {
                return fields[INODE_FIELD];
            }
        }
        throw new IOException("the kernel does not list the listener on port " + port);
    }

    /** @param likely where to look first: a daemon of many sandboxes has thousands */
    private static int descriptor(String wanted, int likely) throws IOException {
        if (leadsTo(DESCRIPTORS.resolve(Integer.toString(likely)), wanted)) {
            return likely;
        }
        try (DirectoryStream<Path> all = Files.newDirectoryStream(DESCRIPTORS)) {
            for (Path each : all) {
                if (leadsTo(each, wanted)) {
                    return Integer.parseInt(String.valueOf(each.getFileName()));
                }
            }
        }
        throw new IOException("no descriptor leads to " + wanted);
    }

    private static boolean leadsTo(Path descriptor, String wanted) throws IOException {
        try {
            return Files.readSymbolicLink(descriptor).toString().equals(wanted);
        } catch (NoSuchFileException closedMeanwhile) {
            return false;
        }
    }
}
