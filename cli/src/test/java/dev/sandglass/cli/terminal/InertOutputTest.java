package dev.sandglass.cli.terminal;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

final class InertOutputTest {
    @Test
    void textComesThroughAndEscapesBecomeVisible() throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        InertOutput inert = new InertOutput(out);
        byte[] text = "tab\tline\n\u001b]0;title\u0007 ü好 \u009b2J".getBytes(StandardCharsets.UTF_8);
        for (byte value : text) {
            inert.write(value); // so that characters of several bytes come in pieces
        }
        inert.write(("x".repeat(20_000) + "\n").getBytes(StandardCharsets.UTF_8));
        assertThat(out.toString(StandardCharsets.UTF_8))
                .isEqualTo("tab\tline\n\\x1b]0;title\\x07 ü好 \\x9b2J" + "x".repeat(20_000) + "\n");
    }
}
