package dev.sandglass.runtime;

import java.io.IOException;
import org.junit.jupiter.api.Nested;

/** The contracts on runsc. */
class GvisorRuntimeTest {
    @Nested
    class Connect extends ConnectContract {
        Connect() throws IOException {
            super(Engine.RUNSC);
        }
    }

    @Nested
    class Network extends NetworkContract {
        Network() throws IOException {
            super(Engine.RUNSC);
        }
    }

    @Nested
    class Life extends LifeContract {
        Life() throws IOException {
            super(Engine.RUNSC);
        }
    }

    @Nested
    class Limits extends LimitsContract {
        Limits() throws IOException {
            super(Engine.RUNSC);
        }
    }

    @Nested
    class Posture extends PostureContract {
        Posture() throws IOException {
            super(Engine.RUNSC);
        }
    }

    @Nested
    class Memory extends MemoryContract {
        Memory() throws IOException {
            super(Engine.RUNSC);
        }
    }

    @Nested
    class Pause extends PauseContract {
        Pause() throws IOException {
            super(Engine.RUNSC);
        }
    }

    @Nested
    class PauseInDoubt extends PauseInDoubtContract {
        PauseInDoubt() throws IOException {
            super(Engine.RUNSC);
        }
    }
}
