package dev.sandglass.linux;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;

/**
 * A conversation with the kernel about the network namespace in which it was opened, for which programs like {@code ip} and {@code nft} are a hundred times as
 * dear. Not thread-safe.
 */
public final class Netlink implements AutoCloseable {
    /** Links, addresses and routes. */
    public static final int ROUTE = 0;
    /** Filters of packets. */
    public static final int NETFILTER = 12;

    private static final int AF_NETLINK = 16;
    private static final int SOCK_RAW = 3;
    private static final int SOCK_CLOEXEC = 0x80000;
    private static final int SOL_SOCKET = 1;
    private static final int SO_RCVTIMEO = 20;
    private static final long PATIENCE_SECONDS = 30;
    private static final int ADDRESS_BYTES = 12;
    private static final int ANSWER_MOST = 1 << 16;
    private static final int HEADER = 16;
    private static final int ALIGNMENT = 4;
    private static final int ERROR = 2;

    private final Fd socket;

    private Netlink(Fd socket) {
        this.socket = socket;
    }

    /** Opens one for the network namespace of this thread. */
    public static Netlink open(int family) throws IOException {
        // SAFETY: takes numbers only.
        Fd socket = Fd.of(Libc.call("socket of netlink", SystemCall.SOCKET, AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, family));
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment time = arena.allocate(16, 8);
            time.set(ValueLayout.JAVA_LONG, 0, PATIENCE_SECONDS);
            // SAFETY: struct timeval has 16 bytes on 64-bit machines and lives as long as the arena.
            Libc.call("setsockopt", SystemCall.SETSOCKOPT, socket.number(), SOL_SOCKET, SO_RCVTIMEO, time.address(), time.byteSize());
            MemorySegment kernel = arena.allocate(ADDRESS_BYTES, 4);
            kernel.set(ValueLayout.JAVA_SHORT, 0, (short) AF_NETLINK);
            // SAFETY: struct sockaddr_nl lives as long as the arena.
            Libc.call("connect to the kernel", SystemCall.CONNECT, socket.number(), kernel.address(), kernel.byteSize());
            return new Netlink(socket);
        } catch (IOException problem) {
            socket.close();
            throw problem;
        }
    }

    /**
     * Sends messages in one piece, and returns when the kernel has done what all of them say.
     *
     * @param what that is, for whom it may concern when the kernel refuses
     */
    public void tell(String what, List<NetlinkMessage> messages) throws IOException {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        int awaited = 0;
        for (int i = 0; i < messages.size(); i++) {
            all.writeBytes(messages.get(i).numbered(i + 1));
            awaited += messages.get(i).isAnswered() ? 1 : 0;
        }
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment bytes = arena.allocate(all.size(), ALIGNMENT);
            MemorySegment.copy(all.toByteArray(), 0, bytes, ValueLayout.JAVA_BYTE, 0, all.size());
            // SAFETY: the bytes live as long as the arena; no address is given, the socket is connected.
            Libc.call(what, SystemCall.SENDTO, socket.number(), bytes.address(), bytes.byteSize());
            MemorySegment answer = arena.allocate(ANSWER_MOST, ALIGNMENT);
            while (awaited > 0) {
                // SAFETY: the kernel writes at most as much as the buffer holds.
                long length = Libc.call(what, SystemCall.RECVFROM, socket.number(), answer.address(), answer.byteSize());
                awaited -= answers(what, answer.asSlice(0, length));
            }
        }
    }

    /** How many messages the kernel has answered with this; throws if it refuses one. */
    private static int answers(String what, MemorySegment part) throws IOException {
        int count = 0;
        long at = 0;
        while (at + HEADER + Integer.BYTES <= part.byteSize()) {
            int length = part.get(ValueLayout.JAVA_INT_UNALIGNED, at);
            if (length < HEADER) {
                throw new IOException(what + ": the kernel's answer cannot be read");
            }
            if (part.get(ValueLayout.JAVA_SHORT_UNALIGNED, at + 4) == ERROR) {
                int errno = -part.get(ValueLayout.JAVA_INT_UNALIGNED, at + HEADER);
                if (errno != 0) {
                    throw new ErrnoException(what, errno);
                }
                count++;
            }
            at += (length + ALIGNMENT - 1L) / ALIGNMENT * ALIGNMENT;
        }
        return count;
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
