package dev.sandglass.engine.guest;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.SandglassException;
import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ExecutionException;
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
        int answered = 0;
        for (int round = 0; round < ROUNDS; round++) {
            try (PlayedAgent agent = new PlayedAgent(head -> words(random, head))) {
                answered += talk(agent, "seed " + SEED + " round " + round) ? 1 : 0;
            }
        }
        assertThat(answered).as("links that came to be").isGreaterThan(ROUNDS / 4);
    }

    /** Whether the agent was taken for one. */
    private static boolean talk(PlayedAgent agent, String context) throws InterruptedException {
        boolean open = false;
        try (GuestLink link = agent.link()) {
            open = true;
            GuestStream stream = link.commands().start(RealAgent.command("true")).stream();
            stream.exit().get();
        } catch (SandglassException problem) {
            assertThat(problem.code()).as(context + ": " + problem.what()).isNotEqualTo(ErrorCode.INTERNAL);
        } catch (ExecutionException problem) {
            assertThat(problem.getCause()).as(context).isInstanceOfSatisfying(
                    SandglassException.class, ours -> assertThat(EXPECTED).as(context).contains(ours.code()));
        }
        return open;
    }

    /** A right welcome most of the time, then frames of which some are damaged, then the end. */
    private static byte[] words(Random random, byte[] head) {
        ByteArrayOutputStream stream = new ByteArrayOutputStream();
        stream.writeBytes(new byte[random.nextInt(64)]); // the rest of an old frame
        conversation(random, head).forEach(stream::writeBytes);
        return stream.toByteArray();
    }

    private static List<byte[]> conversation(Random random, byte[] head) {
        List<byte[]> frames = new ArrayList<>();
        byte[] facts = new Fields().text(1, "0.1.0").u32(3, random.nextInt(1000)).u32(6, random.nextInt()).toByteArray();
        frames.add(PlayedAgent.frame(Protocol.WELCOME, 0, head, new byte[] {0, Protocol.VERSION}, facts));
        byte[] command = new Fields().u32(1, 5).u64(2, 1).u64(4, 9).u32(5, 2).text(6, "sh").toByteArray();
        frames.add(PlayedAgent.frame(Protocol.COMMAND, 1 + random.nextInt(900), command));
        frames.add(PlayedAgent.frame(Protocol.READY, 0));
        for (int i = 0; i < 8; i++) {
            int stream = random.nextInt(4) == 0 ? 0 : 1 + random.nextInt(1001);
            frames.add(
                    switch (random.nextInt(6)) {
                        case 0 -> PlayedAgent.frame(Protocol.STARTED, stream, new byte[12]);
                        case 1 -> PlayedAgent.frame(Protocol.OUTPUT, stream, new byte[] {1}, new byte[8], new byte[random.nextInt(4000)]);
                        case 2 -> PlayedAgent.frame(Protocol.EXIT, stream, new byte[48]);
                        case 3 -> PlayedAgent.frame(Protocol.ERROR, stream, new byte[] {0, 0, 0, 2, 1, 'x'});
                        case 4 -> PlayedAgent.frame(Protocol.INPUT_CREDIT, stream, new byte[] {127, 0, 0, 0});
                        default -> PlayedAgent.frame(Protocol.PONG, 0, new byte[8]);
                    });
        }
        for (int i = random.nextInt(4); i > 0; i--) {
            byte[] victim = frames.get(random.nextInt(frames.size()));
            victim[random.nextInt(Math.min(victim.length, 64))] = (byte) random.nextInt();
        }
        return frames;
    }
}
