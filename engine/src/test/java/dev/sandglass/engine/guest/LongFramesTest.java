package dev.sandglass.engine.guest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.sandglass.engine.guest.FileRequest.Operation;
import dev.sandglass.engine.runtime.GuestChannel;
import java.io.ByteArrayInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.ReadableByteChannel;
import java.nio.channels.WritableByteChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Input goes in frames as long as the agent takes them, where half of one does no harm. */
class LongFramesTest extends LinkFixture {
    private static final int LONG = Protocol.MAX_LONG_FRAME_BYTES - Protocol.HEADER_BYTES;

    /** Magic and nonce. */
    private static final int HEAD_BYTES = 32;

    private final Random random = new Random(7);

    private byte[] bytes(int count) {
        byte[] bytes = new byte[count];
        random.nextBytes(bytes);
        return bytes;
    }

    private static FileRequest writing(Path path) {
        return new FileRequest(Operation.WRITE, path.toString()).flags(8).mode(0644);
    }

    private void write(Path path, InputStream body) throws IOException {
        try (GuestFile file = link.file(writing(path))) {
            file.sendAll(body);
            file.record();
        }
    }

    @Test
    void aFileGoesInLongOnes() throws IOException {
        byte[] content = bytes((1 << 20) + 13);
        write(directory.resolve("long"), new ByteArrayInputStream(content));
        assertThat(directory.resolve("long")).hasBinaryContent(content);
        assertThat(sluice.longest(Protocol.DATA)).isEqualTo(Protocol.MAX_LONG_FRAME_BYTES);
    }

    /** What comes in a piece is on its way at once, and no piece is lost between two frames. */
    @ParameterizedTest
    @ValueSource(ints = {1000, LONG - 1, LONG + 8, 100_000})
    void aFileThatComesInPiecesIsTheSame(int piece) throws IOException {
        byte[] content = bytes(700_001);
        write(directory.resolve("pieces"), new ByteArrayInputStream(content) {
            @Override
            public synchronized int read(byte[] into, int offset, int length) {
                return super.read(into, offset, Math.min(length, piece));
            }
        });
        assertThat(directory.resolve("pieces")).hasBinaryContent(content);
    }

    /** Its next daemon would end half a long frame by as many zeros, and a command goes on reading. */
    @Test
    void aCommandGetsShortOnes() throws InterruptedException {
        GuestReader reader = link.commands().startAttached(RealAgent.command("wc", "-c"));
        reader.stream().write(bytes(300_000), 0, 300_000);
        reader.stream().end();
        assertThat(collect(reader).stdout()).isEqualTo("300000\n");
        assertThat(sluice.longest(Protocol.DATA)).isEqualTo(Protocol.MAX_FRAME_BYTES);
    }

    @Test
    void anOlderAgentGetsShortOnes() throws IOException {
        assertThat(longestTo(new Fields().text(1, "0.0.1").u32(3, 0))).isEqualTo(Protocol.MAX_FRAME_BYTES);
    }

    @Test
    void whatAnAgentSaysIsBoundedOnBothSides() throws IOException {
        assertThat(longestTo(new Fields().text(1, "9").u32(3, 0).u32(6, 5))).isEqualTo(Protocol.MAX_FRAME_BYTES);
        assertThat(longestTo(new Fields().text(1, "9").u32(3, 0).u32(6, 9000))).isEqualTo(9000);
        assertThat(longestTo(new Fields().text(1, "9").u32(3, 0).u32(6, -1))).isEqualTo(Protocol.MAX_LONG_FRAME_BYTES);
    }

    /** The longest frame that such an agent gets of a file that its first credit covers. */
    private int longestTo(Fields facts) throws IOException {
        ReadableByteChannel said = Channels.newChannel(new ByteArrayInputStream(GuestProcessesTest.welcome(new byte[HEAD_BYTES], facts.toByteArray())));
        Sluice way = new Sluice(new GuestChannel(said, Channels.newChannel(OutputStream.nullOutputStream())));
        try (GuestLink toIt = GuestLink.still("played", way.channel())) {
            assertThatThrownBy(() -> toIt.follow(new FrameReader(said))).isInstanceOf(EOFException.class);
            toIt.outbox().open();
            toIt.file(writing(directory.resolve("played"))).sendAll(new ByteArrayInputStream(bytes(LONG)));
            await().until(() -> way.streams(Protocol.EOF), ended -> !ended.isEmpty());
            return way.longest(Protocol.DATA);
        }
    }

    /** A daemon that was killed has left that much of a frame. */
    @ParameterizedTest
    @ValueSource(ints = {1, 3, 7, 8, 9, 5000, 40_000, Protocol.MAX_LONG_FRAME_BYTES - 1})
    void halfOfOneIsEndedByTheNextLink(int cut) throws IOException, InterruptedException {
        ByteBuffer half = Frame.encode(Protocol.DATA, false, 0x01010101, ByteBuffer.wrap(bytes(LONG))).limit(cut);
        try (WritableByteChannel left = agent.channel().toGuest()) {
            while (half.hasRemaining()) {
                left.write(half);
            }
        }
        link.close();
        greet();
        assertThat(run(RealAgent.command("echo", "on")).stdout()).isEqualTo("on\n");
        byte[] content = bytes(200_000);
        write(directory.resolve("next"), new ByteArrayInputStream(content));
        assertThat(directory.resolve("next")).hasBinaryContent(content);
    }

    /** They count by their bytes: a sandbox that takes nothing does not fill the daemon's memory. */
    @Test
    void asManyWaitAsThereWasRoomForShortOnes() throws InterruptedException {
        sluice.shut();
        ByteBuffer payload = ByteBuffer.wrap(bytes(LONG));
        link.outbox().send(Protocol.DATA, 99, payload.duplicate());
        sluice.awaitHeldUp();
        for (int i = 0; i < Outbox.QUEUED_FRAMES * Protocol.MAX_FRAME_BYTES / Protocol.MAX_LONG_FRAME_BYTES; i++) {
            link.outbox().send(Protocol.DATA, 99, payload.duplicate());
        }
        Thread oneMore = Thread.ofPlatform().start(() -> link.outbox().send(Protocol.DATA, 99, payload.duplicate()));
        await().until(() -> oneMore.getState() == Thread.State.TIMED_WAITING);
        sluice.open();
        oneMore.join();
        assertThat(run(RealAgent.command("echo", "on")).stdout()).isEqualTo("on\n");
    }
}
