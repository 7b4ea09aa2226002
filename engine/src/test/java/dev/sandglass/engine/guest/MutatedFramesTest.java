package dev.sandglass.engine.guest;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sandglass.engine.runtime.GuestChannel;
import dev.sandglass.engine.runtime.GuestSettings;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.SandglassException;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.Pipe;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A hostile agent may send anything: it can break its own link, with an error that says so, and nothing else. */
@Timeout(300)
class MutatedFramesTest {
    private static final long SEED = Long.getLong("sandglass.seed", 20_250_101);
    private static final int ROUNDS = Integer.getInteger("sandglass.mutations", 3_000);
    private static final Set<ErrorCode> EXPECTED =
            EnumSet.of(ErrorCode.GUEST_PROTOCOL, ErrorCode.GUEST_TIMEOUT, ErrorCode.SANDBOX_NOT_RUNNING);

    @Test
    void breakTheLinkAndNothingElse() throws Exception {
        Random random = new Random(SEED);
        for (int round = 0; round < ROUNDS; round++) {
            Pipe toGuest = Pipe.open();
            Pipe fromGuest = Pipe.open();
            try (GuestChannel channel = new GuestChannel(fromGuest.source(), toGuest.sink())) {
                Thread agent = Thread.ofPlatform().start(() -> answer(random, toGuest, fromGuest));
                talk(channel, "seed " + SEED + " round " + round);
                agent.join();
            } finally {
                toGuest.source().close();
                fromGuest.sink().close();
            }
        }
    }

    private static void talk(GuestChannel channel, String context) throws InterruptedException {
        Greeting greeting = new Greeting(new GuestSettings(0, true, 0, 0, false, false), "test", Map.of(), () -> 0);
        try (GuestLink link = GuestLink.open("mutated", channel, greeting, Duration.ofSeconds(5))) {
            GuestStream stream = link.start(RealAgent.command("true")).stream();
            stream.exit().get();
        } catch (SandglassException problem) {
            assertThat(problem.code()).as(context + ": " + problem.what()).isNotEqualTo(ErrorCode.INTERNAL);
        } catch (java.util.concurrent.ExecutionException problem) {
            assertThat(problem.getCause()).as(context).isInstanceOfSatisfying(
                    SandglassException.class, ours -> assertThat(EXPECTED).as(context).contains(ours.code()));
        }
    }

    /** Plays the agent: a right welcome most of the time, then frames of which some are damaged, then the end. */
    private static void answer(Random random, Pipe toGuest, Pipe fromGuest) {
        try {
            ByteBuffer hello = ByteBuffer.allocate(Protocol.MAX_FRAME_BYTES);
            while (hello.position() < Protocol.HEADER_BYTES + 32) {
                if (toGuest.source().read(hello) < 0) {
                    return;
                }
            }
            byte[] head = new byte[32];
            hello.get(Protocol.HEADER_BYTES, head);
            ByteArrayOutputStream stream = new ByteArrayOutputStream();
            stream.writeBytes(new byte[random.nextInt(64)]); // the rest of an old frame
            for (byte[] frame : conversation(random, head)) {
                stream.writeBytes(frame);
            }
            fromGuest.sink().write(ByteBuffer.wrap(stream.toByteArray()));
            fromGuest.sink().close();
            ByteBuffer rest = ByteBuffer.allocate(1 << 16);
            while (toGuest.source().read(rest.clear()) >= 0) {
                rest.clear();
            }
        } catch (IOException closed) {
            return;
        }
    }

    private static List<byte[]> conversation(Random random, byte[] head) {
        List<byte[]> frames = new ArrayList<>();
        byte[] facts = new Fields().text(1, "0.1.0").u32(3, random.nextInt(1000)).toByteArray();
        frames.add(frame(Protocol.WELCOME, 0, head, new byte[] {0, 1}, facts));
        byte[] command = new Fields().u32(1, 5).u64(2, 1).u64(4, 9).u32(5, 2).text(6, "sh").toByteArray();
        frames.add(frame(Protocol.COMMAND, 1 + random.nextInt(900), command));
        frames.add(frame(Protocol.READY, 0));
        for (int i = 0; i < 8; i++) {
            int stream = random.nextInt(4) == 0 ? 0 : 1 + random.nextInt(1001);
            frames.add(
                    switch (random.nextInt(6)) {
                        case 0 -> frame(Protocol.STARTED, stream, new byte[12]);
                        case 1 -> frame(Protocol.OUTPUT, stream, new byte[] {1}, new byte[8], new byte[random.nextInt(4000)]);
                        case 2 -> frame(Protocol.EXIT, stream, new byte[48]);
                        case 3 -> frame(Protocol.ERROR, stream, new byte[] {0, 0, 0, 2, 'x'});
                        case 4 -> frame(Protocol.INPUT_CREDIT, stream, new byte[] {127, 0, 0, 0});
                        default -> frame(Protocol.PONG, 0, new byte[8]);
                    });
        }
        for (int i = random.nextInt(4); i > 0; i--) {
            byte[] victim = frames.get(random.nextInt(frames.size()));
            victim[random.nextInt(Math.min(victim.length, 64))] = (byte) random.nextInt();
        }
        return frames;
    }

    private static byte[] frame(int type, int stream, byte[]... parts) {
        ByteArrayOutputStream payload = new ByteArrayOutputStream();
        for (byte[] part : parts) {
            payload.writeBytes(part);
        }
        ByteBuffer frame = Frame.encode(type, false, stream, ByteBuffer.wrap(payload.toByteArray()));
        byte[] bytes = new byte[frame.remaining()];
        frame.get(bytes);
        return bytes;
    }
}
