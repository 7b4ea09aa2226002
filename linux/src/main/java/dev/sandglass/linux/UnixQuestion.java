package dev.sandglass.linux;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * One question to a program that listens on a unix socket, with files that it gets to work on; the answer ends with the
 * connection. The JDK's sockets pass no descriptors.
 *
 * @param files handed over, open for reading and writing, in this order
 * @param patience for every part of the answer
 */
public record UnixQuestion(Path socket, String question, List<Path> files, Duration patience) {
    private static final int AF_UNIX = 1;
    private static final int SOCK_STREAM = 1;
    private static final int SOCK_CLOEXEC = 0x80000;
    private static final int SHUT_WR = 1;
    private static final int SOL_SOCKET = 1;
    private static final int SO_RCVTIMEO = 20;
    private static final int SO_SNDTIMEO = 21;
    private static final int SCM_RIGHTS = 1;
    private static final int MSG_NOSIGNAL = 0x4000;
    private static final int NAME_BYTES = 108;
    private static final int MOST_FILES = 8;
    private static final int ANSWER_MOST = 16 << 20;
    private static final int PART_BYTES = 1 << 16;
    private static final int MESSAGE_HEADER_BYTES = 56;
    private static final int CONTROL_HEADER_BYTES = 16;

    /** Puts it, and waits for the answer on a thread of its own. */
    public byte[] ask() throws IOException {
        return OwnThread.call("unix-question", this::askHere);
    }

    private byte[] askHere() throws IOException {
        List<Fd> open = new ArrayList<>();
        try (Fd connection = connect()) {
            for (Path file : files) {
                open.add(Fd.open(file, SystemCall.O_RDWR));
            }
            send(connection, open);
            // SAFETY: takes numbers only. Nothing more is asked, so the other side ends the connection after its answer.
            Libc.call("shutdown", SystemCall.SHUTDOWN, connection.number(), SHUT_WR);
            return receive(connection);
        } finally {
            for (Fd file : open) {
                file.close();
            }
        }
    }

    private Fd connect() throws IOException {
        byte[] name = socket.toString().getBytes(StandardCharsets.UTF_8);
        if (name.length >= NAME_BYTES || files.size() > MOST_FILES) {
            throw new IOException("the name of " + socket + " is too long, or too many files are to go there");
        }
        // SAFETY: takes numbers only.
        Fd connection = Fd.of(Libc.call("socket", SystemCall.SOCKET, AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment time = arena.allocate(16, 8);
            time.set(ValueLayout.JAVA_LONG, 0, patience.toSeconds());
            time.set(ValueLayout.JAVA_LONG, 8, patience.toNanosPart() / 1000);
            for (int option : new int[] {SO_RCVTIMEO, SO_SNDTIMEO}) {
                // SAFETY: struct timeval has 16 bytes on 64-bit machines and lives as long as the arena.
                Libc.call("setsockopt", SystemCall.SETSOCKOPT, connection.number(), SOL_SOCKET, option, time.address(), time.byteSize());
            }
            MemorySegment address = arena.allocate(2 + NAME_BYTES, 8);
            address.set(ValueLayout.JAVA_SHORT, 0, (short) AF_UNIX);
            MemorySegment.copy(name, 0, address, ValueLayout.JAVA_BYTE, 2, name.length);
            // SAFETY: struct sockaddr_un, with a NUL behind the name, lives as long as the arena.
            Libc.call("connect to " + socket, SystemCall.CONNECT, connection.number(), address.address(), address.byteSize());
            return connection;
        } catch (IOException problem) {
            connection.close();
            throw problem;
        }
    }

    /** The descriptors go with the first bytes. */
    private void send(Fd connection, List<Fd> open) throws IOException {
        byte[] words = question.getBytes(StandardCharsets.UTF_8);
        int sent = 0;
        while (sent < words.length) {
            try (Arena arena = Arena.ofConfined()) {
                MemorySegment bytes = arena.allocate(words.length - sent);
                MemorySegment.copy(words, sent, bytes, ValueLayout.JAVA_BYTE, 0, words.length - sent);
                MemorySegment vector = arena.allocate(16, 8);
                vector.set(ValueLayout.JAVA_LONG, 0, bytes.address());
                vector.set(ValueLayout.JAVA_LONG, 8, bytes.byteSize());
                MemorySegment message = arena.allocate(MESSAGE_HEADER_BYTES, 8);
                message.set(ValueLayout.JAVA_LONG, 16, vector.address());
                message.set(ValueLayout.JAVA_LONG, 24, 1);
                if (sent == 0 && !open.isEmpty()) {
                    MemorySegment rights = rights(arena, open);
                    message.set(ValueLayout.JAVA_LONG, 32, rights.address());
                    message.set(ValueLayout.JAVA_LONG, 40, rights.byteSize());
                }
                // SAFETY: struct msghdr, the vector, the bytes and the control message live as long as the arena.
                sent += (int) Libc.call("send to " + socket, SystemCall.SENDMSG, connection.number(), message.address(), MSG_NOSIGNAL);
            }
        }
    }

    /** struct cmsghdr with the descriptors' numbers behind it, padded to a whole word. */
    private static MemorySegment rights(Arena arena, List<Fd> open) {
        long length = CONTROL_HEADER_BYTES + 4L * open.size();
        MemorySegment control = arena.allocate((length + 7) / 8 * 8, 8);
        control.set(ValueLayout.JAVA_LONG, 0, length);
        control.set(ValueLayout.JAVA_INT, 8, SOL_SOCKET);
        control.set(ValueLayout.JAVA_INT, 12, SCM_RIGHTS);
        for (int i = 0; i < open.size(); i++) {
            control.set(ValueLayout.JAVA_INT, CONTROL_HEADER_BYTES + 4L * i, open.get(i).number());
        }
        return control;
    }

    private byte[] receive(Fd connection) throws IOException {
        ByteArrayOutputStream answer = new ByteArrayOutputStream();
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment part = arena.allocate(PART_BYTES);
            while (answer.size() <= ANSWER_MOST) {
                // SAFETY: the buffer of that size lives as long as the arena; no address is asked for.
                int got = (int) Libc.call("answer of " + socket, SystemCall.RECVFROM, connection.number(), part.address(), part.byteSize(), 0, 0, 0);
                if (got == 0) {
                    return answer.toByteArray();
                }
                answer.writeBytes(part.asSlice(0, got).toArray(ValueLayout.JAVA_BYTE));
            }
        } catch (ErrnoException problem) {
            if (problem.errno() == Libc.EAGAIN) {
                throw new IOException(socket + " has not answered within " + patience.toSeconds() + " s", problem);
            }
            throw problem;
        }
        throw new IOException("the answer of " + socket + " is longer than " + ANSWER_MOST + " bytes");
    }
}
