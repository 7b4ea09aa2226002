package dev.sandglass.engine.diff;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class TextDiffTest {
    @TempDir
    Path directory;

    @Test
    void itIsWhatDiffPrints() {
        assertThat(diff("a\nb\nc\n", "a\nB\nc\n")).isEqualTo("--- a/f\n+++ b/f\n@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n");
        assertThat(diff("", "x\n")).isEqualTo("--- a/f\n+++ b/f\n@@ -0,0 +1 @@\n+x\n");
        assertThat(diff("x", "")).isEqualTo("--- a/f\n+++ b/f\n@@ -1 +0,0 @@\n-x\n\\ No newline at end of file\n");
    }

    @Test
    void whatIsNoTextHasNone() {
        assertThat(TextDiff.of("/f", new byte[] {1, 0}, new byte[0])).isEmpty();
        assertThat(TextDiff.of("/f", new byte[] {(byte) 0xff}, new byte[0])).isEmpty();
    }

    @Test
    void thePatchProgramTakesIt() throws IOException, InterruptedException {
        Random random = new Random(4);
        for (int round = 0; round < 40; round++) {
            String before = text(random, 1 + random.nextInt(60));
            String after = random.nextInt(4) == 0 ? text(random, random.nextInt(30)) : edited(before, random);
            Path file = Files.writeString(directory.resolve("f"), before);
            Path patch = Files.writeString(directory.resolve("p"), diff(before, after));
            Process process = new ProcessBuilder("git", "apply", "--unsafe-paths", "-p1", "--whitespace=nowarn", "p").directory(directory.toFile()).inheritIO().start();
            assertThat(before.equals(after) ? 0 : process.waitFor()).as("round %d: %s", round, Files.readString(patch)).isZero();
            assertThat(Files.exists(file) ? Files.readString(file) : "").as("round %d", round).isEqualTo(after);
        }
    }

    @Test
    void whatIsFarApartIsBounded() {
        StringBuilder one = new StringBuilder();
        StringBuilder other = new StringBuilder();
        for (int i = 0; i < 100_000; i++) {
            one.append(i).append('\n');
            other.append(-i).append('\n');
        }
        assertThat(diff(one.toString(), other.toString())).hasSizeLessThan(70_000).endsWith("\\ The rest is left out\n");
    }

    private static String text(Random random, int lines) {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < lines; i++) {
            text.append((char) ('a' + random.nextInt(5))).append(i == lines - 1 && random.nextBoolean() ? "" : "\n");
        }
        return text.toString();
    }

    private static String edited(String text, Random random) {
        StringBuilder edited = new StringBuilder();
        for (String line : text.split("(?<=\n)")) {
            switch (random.nextInt(8)) {
                case 0 -> edited.append("");
                case 1 -> edited.append("new\n").append(line);
                default -> edited.append(line);
            }
        }
        return edited.toString();
    }

    private static String diff(String before, String after) {
        return TextDiff.of("/f", before.getBytes(StandardCharsets.UTF_8), after.getBytes(StandardCharsets.UTF_8)).orElseThrow();
    }
}
