package dev.sandglass.engine.guest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.sandglass.engine.runtime.GuestChannel;
import dev.sandglass.engine.runtime.GuestSettings;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.SandglassException;
import java.io.IOException;
import java.nio.channels.Pipe;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** An agent that says nothing is waited for as long as its process is there, and no longer: its stream tells of no end. */
@Timeout(60)
class SilentAgentTest {
    private static final Greeting GREETING = new Greeting(new GuestSettings(0, true, 0, 0, false, false), "test", Map.of(), () -> 0);

    @Test
    void oneThatHasEndedIsNotWaitedFor() throws IOException {
        AtomicInteger asked = new AtomicInteger();
        SandglassException ended = failure(Duration.ofDays(1), () -> asked.incrementAndGet() < 3);
        assertThat(ended.code()).isEqualTo(ErrorCode.GUEST_PROTOCOL);
        assertThat(ended).hasMessageContaining("silent has ended");
        assertThat(asked).hasValue(3);
    }

    @Test
    void oneThatLivesIsWaitedForUntilTheTimeIsOver() throws IOException {
        assertThat(failure(Duration.ofMillis(120), () -> true).code()).isEqualTo(ErrorCode.GUEST_TIMEOUT);
    }

    private static SandglassException failure(Duration deadline, BooleanSupplier lives) throws IOException {
        Pipe toGuest = Pipe.open();
        Pipe fromGuest = Pipe.open();
        try (Pipe.SinkChannel _ = fromGuest.sink();
                Pipe.SourceChannel _ = toGuest.source()) {
            return catchThrowableOfType(SandglassException.class, () -> GuestLink.open("silent", new GuestChannel(fromGuest.source(), toGuest.sink()), GREETING, deadline, lives).close());
        }
    }
}
