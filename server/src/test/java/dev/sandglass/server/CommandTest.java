package dev.sandglass.server;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Commands that run to their end. */
@OnEveryRuntime
class CommandTest {
    private final TestSandbox box;

    CommandTest(String runtime) {
        this.box = SharedDaemon.sandbox(runtime);
    }

    @Test
    void theExitCodeOfACommandIsReturned() {
        assertThat(box.run(Run.shell("exit 42")).exit().code()).isEqualTo(42);
    }
}
