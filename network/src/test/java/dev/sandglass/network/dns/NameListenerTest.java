package dev.sandglass.network.dns;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.xbill.DNS.DClass;
import org.xbill.DNS.Message;
import org.xbill.DNS.Name;
import org.xbill.DNS.Record;
import org.xbill.DNS.Section;
import org.xbill.DNS.Type;

/** Questions over both transports, on loopback. */
class NameListenerTest {
    private static final Duration LONG = Duration.ofMinutes(1);
    private final Semaphore upstreamMayAnswer = new Semaphore(1_000);
    private PlayedResolver resolver;
    private NameServer server;
    private DatagramChannel channel;
    private Thread serving;

    @BeforeEach
    void start() throws Exception {
        resolver = PlayedResolver.start((query, overTcp) -> {
            upstreamMayAnswer.acquireUninterruptibly();
            String name = query.getQuestion().getName().toString(true);
            String[] lines = IntStream.range(0, name.startsWith("many") ? 60 : 1)
                    .mapToObj(each -> name + " 60 A 192.0.2." + each)
                    .toArray(String[]::new);
            return new Zone(lines).answer(query, overTcp);
        });
        Upstream upstream = new Upstream(() -> List.of(resolver.address()), Sockets.PLAIN, LONG, System::nanoTime);
        server = new NameServer(_ -> true, upstream::resolve, _ -> true, new Resolved());
        channel = DatagramChannel.open().bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        NameListener listener = new NameListener(server);
        serving = Thread.ofVirtual().start(() -> listener.serve(channel));
    }

    @AfterEach
    void stop() throws Exception {
        upstreamMayAnswer.release(1_000);
        channel.close();
        resolver.close();
        serving.join();
    }

    @Test
    void answersADatagramToWhoSentIt() throws Exception {
        try (DatagramSocket client = client()) {
            send(client, query("example.com."));
            assertThat(receive(client).getSection(Section.ANSWER)).hasSize(1);
        }
    }

    @Test
    void goesOnAfterGarbage() throws Exception {
        try (DatagramSocket client = client()) {
            client.send(new DatagramPacket(new byte[0], 0));
            client.send(new DatagramPacket(new byte[] {1, 2, 3}, 3));
            client.send(new DatagramPacket(new byte[9000], 9000));
            Message query = query("example.com.");
            send(client, query);
            await().atMost(LONG).until(() -> receive(client).getHeader().getID() == query.getHeader().getID());
        }
    }

    @Test
    void dropsQuestionsBeyondThoseThatMayBeOpenAtOnce() throws Exception {
        upstreamMayAnswer.drainPermits();
        try (DatagramSocket client = client()) {
            for (int number = 0; number < 64; number++) {
                send(client, query("n" + number + ".example.com."));
            }
            await().atMost(LONG).until(() -> resolver.asked().size() == 64);
            send(client, query("dropped.example.com."));
            upstreamMayAnswer.release(64);
            for (int number = 0; number < 64; number++) {
                assertThat(receive(client).getSection(Section.ANSWER)).hasSize(1);
            }
            upstreamMayAnswer.release(64);
            // A place is free a moment after its answer was sent, so this one may be dropped too, as any datagram.
            Message last = query("last.example.com.");
            client.setSoTimeout(200);
            await().atMost(LONG).ignoreException(SocketTimeoutException.class).until(() -> {
                send(client, last);
                return receive(client).getHeader().getID() == last.getHeader().getID();
            });
            assertThat(resolver.asked()).extracting(PlayedResolver.Asked::name).doesNotContain("dropped.example.com");
        }
    }

    @Test
    void endsWhenTheChannelIsClosed() throws Exception {
        channel.close();
        serving.join(Duration.ofMinutes(1));
        assertThat(serving.isAlive()).isFalse();
    }

    @Test
    void answersOneQuestionAfterTheOtherInAStream() throws Exception {
        try (Stream stream = stream(LONG)) {
            for (int number = 0; number < 100; number++) {
                stream.write(query("n" + number + ".example.com.").toWire());
                assertThat(stream.read().getSection(Section.ANSWER)).hasSize(1);
            }
            assertThat(stream.input.read()).as("the end after a hundred questions").isEqualTo(-1);
        }
    }

    @Test
    void endsAStreamWhoseClientSaysNothing() throws Exception {
        try (Stream stream = stream(Duration.ofMillis(200))) {
            stream.output.write(0);
            stream.output.flush();
            assertThat(stream.input.read()).isEqualTo(-1);
        }
    }

    @Test
    void endsAStreamWhoseClientTakesNoAnswers() throws Exception {
        try (Stream stream = stream(Duration.ofMillis(500))) {
            byte[] query = query("many.example.com.").toWire();
            for (int number = 0; number < 100; number++) {
                stream.output.writeShort(query.length);
                stream.output.write(query);
            }
            stream.output.flush();
            stream.serving.join(Duration.ofMinutes(1));
            assertThat(stream.serving.isAlive()).isFalse();
            assertThat(stream.answersUntilItsEnd()).as("answers that were sent to who takes none").isLessThan(100);
        }
    }

    @Test
    void endsAStreamWithGarbageInIt() throws Exception {
        try (Stream stream = stream(LONG)) {
            stream.write(new byte[] {1, 2, 3});
            assertThat(stream.input.read()).isEqualTo(-1);
        }
        try (Stream stream = stream(LONG)) {
            stream.output.writeShort(0xffff);
            stream.output.flush();
            assertThat(stream.input.read()).isEqualTo(-1);
        }
    }

    private DatagramSocket client() throws IOException {
        DatagramSocket client = new DatagramSocket(0, InetAddress.getLoopbackAddress());
        client.connect(channel.getLocalAddress());
        return client;
    }

    private static void send(DatagramSocket client, Message query) throws IOException {
        byte[] wire = query.toWire();
        client.send(new DatagramPacket(wire, wire.length));
    }

    private static Message receive(DatagramSocket client) throws IOException {
        DatagramPacket packet = new DatagramPacket(new byte[4096], 4096);
        client.receive(packet);
        return new Message(ByteBuffer.wrap(packet.getData(), 0, packet.getLength()));
    }

    private static Message query(String name) {
        return Message.newQuery(Record.newRecord(Name.fromConstantString(name), Type.A, DClass.IN));
    }

    private Stream stream(Duration patience) throws IOException {
        try (ServerSocketChannel listening = ServerSocketChannel.open().bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))) {
            Socket client = new Socket();
            client.setReceiveBufferSize(4096);
            client.connect(listening.getLocalAddress());
            SocketChannel accepted = listening.accept().setOption(StandardSocketOptions.SO_SNDBUF, 4096);
            Thread thread = Thread.ofVirtual().start(() -> new NameListener(server, patience).serve(accepted));
            return new Stream(client, thread, new DataInputStream(client.getInputStream()), new DataOutputStream(new BufferedOutputStream(client.getOutputStream())));
        }
    }

    private record Stream(Socket client, Thread serving, DataInputStream input, DataOutputStream output) implements AutoCloseable {
        void write(byte[] message) throws IOException {
            output.writeShort(message.length);
            output.write(message);
            output.flush();
        }

        int answersUntilItsEnd() {
            int answers = 0;
            try {
                while (true) {
                    input.readFully(new byte[input.readUnsignedShort()]);
                    answers++;
                }
            } catch (IOException end) {
                return answers;
            }
        }

        Message read() throws IOException {
            return new Message(input.readNBytes(input.readUnsignedShort()));
        }

        @Override
        public void close() throws IOException {
            client.close();
        }
    }
}
