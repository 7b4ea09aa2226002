package dev.sandglass.engine.guest;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sandglass.wire.ProcessFacts;
import dev.sandglass.wire.ProcessList;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

/** The agent tells what runs; one that does not know the question is no trouble. */
class GuestProcessesTest extends LinkFixture {
    private static final byte[] EINVAL = {0, 0, 0, 22, 0};

    @Test
    void whatRunsIsToldWithoutTheAgentsOwn() throws Exception {
        assertThat(GuestProcesses.ask(link)).contains(ProcessList.NONE);
        GuestReader shell = link.commands().startAttached(RealAgent.command("sh", "-c", "echo ready; read line", "\u001b[31m"));
        assertThat(text(shell.next())).isEqualTo("ready\n");
        assertThat(GuestProcesses.ask(link).orElseThrow().processes())
                .singleElement()
                .isEqualTo(new ProcessFacts(shell.stream().started().join().pid(), 1, 0, "sh -c echo ready; read line \u001b[31m"));
        shell.stream().end();
        collect(shell);
        assertThat(GuestProcesses.ask(link)).contains(ProcessList.NONE);
    }

    @Test
    void anOlderAgentDoesNotTell() throws IOException, InterruptedException {
        byte[] facts = new Fields().text(1, "0.0.1").u32(3, 0).toByteArray();
        byte[] refusal = PlayedAgent.frame(Protocol.ERROR, 1, EINVAL, "FILE: unknown operation".getBytes(StandardCharsets.UTF_8));
        try (PlayedAgent older = new PlayedAgent(head -> welcome(head, facts), refusal); GuestLink toIt = older.link()) {
            assertThat(GuestProcesses.ask(toIt)).isEmpty();
        }
    }

    static byte[] welcome(byte[] head, byte[] facts) {
        byte[] welcome = PlayedAgent.frame(Protocol.WELCOME, 0, head, new byte[] {0, Protocol.VERSION}, facts);
        byte[] ready = PlayedAgent.frame(Protocol.READY, 0);
        byte[] both = new byte[welcome.length + ready.length];
        System.arraycopy(welcome, 0, both, 0, welcome.length);
        System.arraycopy(ready, 0, both, welcome.length, ready.length);
        return both;
    }
}
