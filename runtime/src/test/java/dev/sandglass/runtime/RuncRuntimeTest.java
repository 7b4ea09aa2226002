package dev.sandglass.runtime;

import java.io.IOException;
import org.junit.jupiter.api.Nested;

/** The contracts on runc. */
class RuncRuntimeTest {
    @Nested
    class Network extends NetworkContract {
        Network() throws IOException {
            super(Engine.RUNC);
        }
    }

    @Nested
    class Life extends LifeContract {
        Life() throws IOException {
            super(Engine.RUNC);
        }
    }

    @Nested
    class Limits extends LimitsContract {
        Limits() throws IOException {
            super(Engine.RUNC);
        }
    }

    @Nested
    class Posture extends PostureContract {
        Posture() throws IOException {
            super(Engine.RUNC);
        }
    }

    @Nested
    class Pause extends PauseContract {
        Pause() throws IOException {
            super(Engine.RUNC);
        }
    }

    @Nested
    class Memory extends MemoryContract {
        Memory() throws IOException {
            super(Engine.RUNC);
        }
    }
}
