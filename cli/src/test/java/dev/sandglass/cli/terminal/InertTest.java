package dev.sandglass.cli.terminal;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class InertTest {
    @Test
    void plainTextStaysAsItIs() {
        assertThat(Inert.text("brave-otter 好 ü")).isEqualTo("brave-otter 好 ü");
    }

    @Test
    void escapeSequencesBecomeVisible() {
        assertThat(Inert.text("\u001b]0;title\u0007\u001b[31mred\r\n\u009b2J")).isEqualTo("\\x1b]0;title\\x07\\x1b[31mred\\x0d\\x0a\\x9b2J");
    }

    @Test
    void textThatRunsBackwardsIsShownForWhatItIs() {
        assertThat(Inert.text("a\u202eb\u2066c\u200b")).isEqualTo("a\\u202eb\\u2066c\\u200b");
    }

    @Test
    void lineEndsStayWhereLinesAreWanted() {
        assertThat(Inert.lines("a\n\u001bb\n")).isEqualTo("a\n\\x1bb\n");
    }

    @Test
    void tablesAreAlignedAndInert() {
        Table table = new Table("NAME", "ID");
        table.row("a\u001b", "x");
        table.row("longer name", "y");
        assertThat(table.text(false)).isEqualTo("NAME          ID\na\\x1b         x\nlonger name   y\n");
    }

    @Test
    void sizesAndAgesAreShort() {
        assertThat(Bytes.shown(0)).isEqualTo("0 B");
        assertThat(Bytes.shown(2048L << 20)).isEqualTo("2 GB");
        assertThat(Bytes.shown(1536 << 10)).isEqualTo("1.5 MB");
        assertThat(Bytes.shown(1023L << 20)).isEqualTo("1 GB");
        assertThat(Bytes.shown(Long.MAX_VALUE)).isEqualTo("8 EB");
        assertThat(Age.shown(-5)).isEqualTo("0s");
        assertThat(Age.shown(59)).isEqualTo("59s");
        assertThat(Age.shown(60)).isEqualTo("1m");
        assertThat(Age.shown(119)).isEqualTo("2m");
        assertThat(Age.shown(3_569)).isEqualTo("59m");
        assertThat(Age.shown(3_570)).isEqualTo("1h");
        assertThat(Age.shown(7_199)).isEqualTo("2h");
        assertThat(Age.shown(170_000)).isEqualTo("47h");
        assertThat(Age.shown(172_799)).isEqualTo("2d");
        assertThat(Age.shown(1_000_000)).isEqualTo("12d");
    }
}
