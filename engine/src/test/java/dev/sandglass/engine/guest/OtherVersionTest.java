package dev.sandglass.engine.guest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.SandglassException;
import java.io.IOException;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** An agent that speaks another version of the protocol is not spoken to, and what to do is said. */
@Timeout(60)
class OtherVersionTest {
    @ParameterizedTest
    @ValueSource(bytes = {1, Protocol.VERSION + 1})
    void isRefused(byte version) throws IOException, InterruptedException {
        byte[] facts = new Fields().text(1, "0.0.1").u32(3, 0).toByteArray();
        try (PlayedAgent agent =
                new PlayedAgent(head -> PlayedAgent.frame(Protocol.WELCOME, 0, head, new byte[] {0, version}, facts))) {
            assertThatThrownBy(agent::link).isInstanceOfSatisfying(SandglassException.class, refusal -> {
                assertThat(refusal.code()).isEqualTo(ErrorCode.GUEST_PROTOCOL);
                assertThat(refusal.what()).contains("protocol version: " + version + " (expected: " + Protocol.VERSION + ")");
                assertThat(refusal.hint()).contains("stop and start");
            });
        }
    }
}
