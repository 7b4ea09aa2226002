package dev.sandglass.server.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What the doctor prints can be read on a terminal of any width. */
class ReportTest {
    private static final String PATH = "/a/path/that/is/longer/than/a/line/" + "x".repeat(80);
    private static final Report REPORT = new Report(
            "container",
            List.of(
                    Finding.pass("kernel", "6.18 with overlay, user namespaces and all the other things that a sandbox is made of, as far as can be seen"),
                    Finding.warn("memory of containers", "this CRIU cannot", "Install a newer one, which has to be built from its source on this release; see " + PATH)));

    @Test
    void longLinesGoOnUnderWhereTheyBegan() {
        List<String> lines = printed(80).lines().toList();
        assertThat(lines).filteredOn(line -> !line.contains(PATH)).allMatch(line -> line.length() <= 80);
        assertThat(lines.get(0)).startsWith("[pass] kernel                6.18 with overlay");
        assertThat(lines.get(1)).matches(" {29}\\S.*");
        assertThat(lines).anyMatch(line -> line.matches(" {29}-> Install a newer one.*"));
        assertThat(lines).contains(" ".repeat(32) + PATH);
        assertThat(lines).last().asString().isEqualTo("Sandboxes can run here, on container unless another is named (1 warning).");
    }

    @Test
    void whereThereIsNoTerminalNothingIsBroken() {
        assertThat(printed(Integer.MAX_VALUE).lines()).hasSize(5);
        assertThat(printed(10).replaceAll("\\s+", " ")).isEqualTo(printed(Integer.MAX_VALUE).replaceAll("\\s+", " "));
    }

    private static String printed(int columns) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        REPORT.print(new PrintStream(bytes, true, StandardCharsets.UTF_8), false, columns);
        return bytes.toString(StandardCharsets.UTF_8);
    }
}
