package dev.sandglass.cli.terminal;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class CutTest {
    @Test
    void aLineEndsWhereTheTerminalDoes() {
        assertThat(Cut.lines("12345\n123456\n\n", 5)).isEqualTo("12345\n1234…\n\n");
    }

    @Test
    void coloursTakeNoRoomAndEnd() {
        assertThat(Cut.lines("\u001b[1m12345\u001b[0m\n", 5)).isEqualTo("\u001b[1m12345\u001b[0m\n");
        assertThat(Cut.lines("\u001b[1m123456\u001b[0m\n", 5)).isEqualTo("\u001b[1m1234…\u001b[0m\n");
    }
}
