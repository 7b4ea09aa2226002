package dev.sandglass.engine.guest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.SandglassException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** While memory is captured nothing is on its way to the agent. */
class HoldTest extends LinkFixture {
    private static final byte[] LINE = "one\n".getBytes(StandardCharsets.US_ASCII);

    @Test
    void whatIsSentMeanwhileArrivesAfterwards() throws Exception {
        GuestReader reader = link.commands().startAttached(RealAgent.command("cat"));
        for (int i = 0; i < 3; i++) {
            try (Hold _ = link.hold()) {
                reader.stream().write(LINE, 0, LINE.length);
                assertThatThrownBy(() -> reader.next(Duration.ofMillis(200)))
                        .isInstanceOfSatisfying(
                                SandglassException.class, problem -> assertThat(problem.code()).isEqualTo(ErrorCode.GUEST_TIMEOUT));
            }
            assertThat(text(reader.next())).isEqualTo("one\n");
        }
    }

    @Test
    void whatWasSentBeforeHasArrived() throws Exception {
        GuestReader reader = link.commands().startAttached(RealAgent.command("cat"));
        byte[] much = new byte[40_000];
        reader.stream().write(much, 0, much.length);
        try (Hold _ = link.hold()) {
            int read = 0;
            while (read < much.length) {
                read += text(reader.next()).length();
            }
        }
    }

    @Test
    void aHeldLinkCanBeClosed() throws Exception {
        Hold hold = link.hold();
        link.close();
        hold.close();
        greet();
        assertThat(run(RealAgent.command("true")).exit().status()).isZero();
    }
}
