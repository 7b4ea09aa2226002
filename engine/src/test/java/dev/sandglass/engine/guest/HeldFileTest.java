package dev.sandglass.engine.guest;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The agent finds what is deleted and still in use. */
class HeldFileTest extends LinkFixture {
    @Test
    void processPathAndUseAreNamed() throws Exception {
        Path gone = directory.resolve("gone");
        GuestReader holder = link.commands().startAttached(RealAgent.command("sh", "-c", "exec 3>$0; rm $0; echo ready; read line", gone.toString()));
        assertThat(text(holder.next())).isEqualTo("ready\n");

        List<HeldFile> found = HeldFile.find(link, directory.toString());

        assertThat(found).singleElement().satisfies(held -> {
            assertThat(held.path()).isEqualTo(gone.toString());
            assertThat(held.command()).startsWith("sh -c exec 3>$0");
            assertThat(held.use()).isEqualTo(HeldFile.Use.OPEN);
            assertThat(held.text()).startsWith(gone + ": process " + held.pid() + " (sh -c ").endsWith(") has it open");
        });
        holder.stream().end();
        collect(holder);
        assertThat(HeldFile.find(link, directory.toString())).isEmpty();
    }

    @Test
    void anAgentThatNeverStopsTellingIsNotHeardToItsEnd() throws Exception {
        byte[] record = new Fields().u32(1, 1).text(2, "x").text(3, "A".repeat(3000)).toByteArray();
        ByteArrayOutputStream said = new ByteArrayOutputStream();
        for (int i = 0; i < 100; i++) {
            byte[] offset = ByteBuffer.allocate(9).put((byte) 1).putLong((long) i * (record.length + 4)).array();
            said.writeBytes(PlayedAgent.frame(Protocol.OUTPUT, 1, offset, ByteBuffer.allocate(4).putInt(record.length).array(), record));
        }
        byte[] facts = new Fields().text(1, "0.0.1").u32(3, 0).toByteArray();
        try (PlayedAgent hostile = new PlayedAgent(head -> GuestProcessesTest.welcome(head, facts), said.toByteArray());
                GuestLink toIt = hostile.link()) {
            List<HeldFile> found = HeldFile.find(toIt, List.of());
            assertThat(found).hasSize(64);
            assertThat(found.getFirst().text()).hasSizeLessThan(1000);
        }
    }

    @Test
    void whatIsToldIsOneLineWithoutControlCharacters() {
        HeldFile hostile = new HeldFile(7, "evil\n\u001b[2J", "/a\tb", HeldFile.Use.MAPPED);
        assertThat(hostile.text()).isEqualTo("/a?b: process 7 (evil??[2J) has it in memory");
    }
}
