package dev.sandglass.server.mcp;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** What is shown of an output and what is read on from there make up the whole, however it came and wherever it was cut. */
class ExcerptTest {
    @Test
    void whatFitsIsWhole() {
        Excerpt excerpt = Excerpt.ofBothEnds(400);
        add(excerpt, "begin ");
        add(excerpt, "x".repeat(300));
        add(excerpt, " ü 好 end");
        assertThat(excerpt.text()).isEqualTo("begin " + "x".repeat(300) + " ü 好 end");
        assertThat(excerpt.omitted()).isZero();
        assertThat(excerpt.next()).isEqualTo(317);
    }

    @Test
    void theRestIsWhereItIsSaidToBe() {
        Random random = new Random(7);
        for (int round = 0; round < 2000; round++) {
            String text = random.ints(random.nextInt(1, 4000), 0, 4).mapToObj(kind -> "aü好😀".substring(kind == 3 ? 3 : kind, kind == 3 ? 5 : kind + 1)).reduce("", String::concat);
            byte[] all = text.getBytes(StandardCharsets.UTF_8);
            Excerpt ends = Excerpt.ofBothEnds(random.nextInt(256, 2000));
            inPieces(random, all, 0, ends);
            int at = (int) ends.omittedAt();
            int omitted = (int) ends.omitted();
            assertThat(ends.next()).isEqualTo(all.length);
            StringBuilder rest = new StringBuilder();
            for (long from = at; from < at + omitted; ) {
                Excerpt piece = Excerpt.from(from, (int) Math.min(random.nextInt(256, 500), at + omitted - from));
                inPieces(random, all, (int) from, piece);
                rest.append(piece.text());
                assertThat(piece.next()).as("it goes on").isGreaterThan(from);
                from = piece.next();
            }
            String shown = ends.text();
            String marked = omitted == 0 ? shown : shown.replaceFirst("(?s)\n\\[\\.\\.\\. " + omitted + " bytes are omitted; read_output with offset " + at + " has them \\.\\.\\.]\n", "|");
            String joined = omitted == 0 ? shown : marked.replace("|", rest);
            assertThat(joined).as("round %d", round).isEqualTo(text);
        }
    }

    @Test
    void whatIsLostIsCounted() {
        Excerpt excerpt = Excerpt.from(100, 1000);
        excerpt.drop(50);
        add(excerpt, "rest");
        assertThat(excerpt.text()).isEqualTo("rest");
        assertThat(excerpt.dropped()).isEqualTo(50);
        assertThat(excerpt.next()).isEqualTo(154);
    }

    @Test
    void bytesThatAreNoTextComeToAnEndToo() {
        byte[] binary = new byte[5000];
        Arrays.fill(binary, (byte) 0x80);
        Excerpt excerpt = Excerpt.from(0, 1000);
        excerpt.add(binary);
        assertThat(excerpt.isFull()).isTrue();
        assertThat(excerpt.next()).isEqualTo(1000);
    }

    /** Until it is full, as who reads does it. */
    private static void inPieces(Random random, byte[] all, int from, Excerpt into) {
        for (int at = from; at < all.length && !into.isFull(); ) {
            int length = Math.min(all.length - at, random.nextInt(1, 700));
            into.add(Arrays.copyOfRange(all, at, at + length));
            at += length;
        }
    }

    private static void add(Excerpt excerpt, String text) {
        excerpt.add(text.getBytes(StandardCharsets.UTF_8));
    }
}
