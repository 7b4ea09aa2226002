package dev.sandglass.engine.guest;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The agent finds what is deleted and still in use. */
class HeldFileTest extends LinkFixture {
    @Test
    void processPathAndUseAreNamed() throws Exception {
        Path gone = directory.resolve("gone");
        GuestReader holder = link.startAttached(RealAgent.command("sh", "-c", "exec 3>$0; rm $0; echo ready; read line", gone.toString()));
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
    void whatIsToldIsOneLineWithoutControlCharacters() {
        HeldFile hostile = new HeldFile(7, "evil\n\u001b[2J", "/a\tb", HeldFile.Use.MAPPED);
        assertThat(hostile.text()).isEqualTo("/a?b: process 7 (evil??[2J) has it in memory");
    }
}
