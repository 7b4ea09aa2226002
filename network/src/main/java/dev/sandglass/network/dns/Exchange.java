package dev.sandglass.network.dns;

import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.nio.channels.SocketChannel;
import java.util.Optional;
import org.xbill.DNS.Flags;
import org.xbill.DNS.Message;
import org.xbill.DNS.Record;
import org.xbill.DNS.Section;

/**
 * One question to one server: over UDP, and over TCP if the answer does not fit. It is asked from a socket of its own, for which the kernel chooses a random port, so
 * who cannot see the question must guess that port and the id of the question.
 */
record Exchange(Sockets sockets, InetSocketAddress server, Deadline deadline) {
    private static final int LONGEST_DATAGRAM = 4096;

    Message ask(Message query) throws IOException {
        Message answer = overUdp(query);
        return answer.getHeader().getFlag(Flags.TC) ? overTcp(query) : answer;
    }

    /** The channel is used through its socket: that has timeouts, and a virtual thread waits in it without holding a thread of the system. */
    private Message overUdp(Message query) throws IOException {
        try (DatagramChannel channel = sockets.datagram()) {
            channel.connect(server);
            channel.write(ByteBuffer.wrap(query.toWire()));
            DatagramSocket socket = channel.socket();
            DatagramPacket packet = new DatagramPacket(new byte[LONGEST_DATAGRAM], LONGEST_DATAGRAM);
            while (true) {
                socket.setSoTimeout(deadline.millisLeft());
                packet.setLength(LONGEST_DATAGRAM);
                socket.receive(packet);
                Optional<Message> answer = read(ByteBuffer.wrap(packet.getData(), 0, packet.getLength())).filter(each -> isAnswer(each, query));
                if (answer.isPresent()) {
                    return answer.get();
                }
            }
        }
    }

    private Message overTcp(Message query) throws IOException {
        try (SocketChannel channel = sockets.stream()) {
            Socket socket = channel.socket();
            socket.connect(server, deadline.millisLeft());
            byte[] question = query.toWire();
            ByteBuffer framed = ByteBuffer.allocate(Short.BYTES + question.length).putShort((short) question.length).put(question).flip();
            while (framed.hasRemaining()) {
                channel.write(framed);
            }
            DataInputStream input = new DataInputStream(new Punctual(socket, deadline));
            byte[] answer = new byte[input.readUnsignedShort()];
            input.readFully(answer);
            return read(ByteBuffer.wrap(answer))
                    .filter(each -> isAnswer(each, query))
                    .orElseThrow(() -> new IOException("an answer that does not belong to the question"));
        }
    }

    /** Who sends garbage is not worth an exception: it may be anybody. */
    private static Optional<Message> read(ByteBuffer bytes) {
        try {
            return Optional.of(new Message(bytes));
        } catch (IOException | RuntimeException garbage) {
            return Optional.empty();
        }
    }

    private static boolean isAnswer(Message answer, Message query) {
        Record asked = query.getQuestion();
        return answer.getHeader().getFlag(Flags.QR)
                && answer.getHeader().getID() == query.getHeader().getID()
                && answer.getHeader().getOpcode() == query.getHeader().getOpcode()
                && answer.getSection(Section.QUESTION).size() == 1
                && answer.getSection(Section.QUESTION).stream()
                        .allMatch(each -> each.getName().equals(asked.getName())
                                && each.getType() == asked.getType()
                                && each.getDClass() == asked.getDClass());
    }

    /** Reads from a socket until a deadline, however often it is asked: a server that sends a byte at a time gets no more time than others. */
    private static final class Punctual extends InputStream {
        private final Socket socket;
        private final InputStream input;
        private final Deadline deadline;

        Punctual(Socket socket, Deadline deadline) throws IOException {
            this.socket = socket;
            this.input = socket.getInputStream();
            this.deadline = deadline;
        }

        @Override
        public int read() throws IOException {
            socket.setSoTimeout(deadline.millisLeft());
            return input.read();
        }

        @Override
        public int read(byte[] target, int offset, int length) throws IOException {
            socket.setSoTimeout(deadline.millisLeft());
            return input.read(target, offset, length);
        }
    }
}
