package dev.sandglass.engine.network;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.SandglassException;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Whatever somebody writes is refused, or has one form that is read as itself. */
class SpellingsTest {
    private static final long SEED = Long.getLong("sandglass.seed", 20_250_101);
    private static final int ROUNDS = Integer.getInteger("sandglass.mutations", 100_000);

    private static final List<String> PIECES = List.of(
            "allow", "deny", " ", " ", " ", "example.org", "*.", "*", "@npm", "203.0.113.0/24", "203.0.113.7", "10.1.2.3/8", ":", ":443", ":8000-9000", "/", "/tls", "/http,ssh", ",", ".", "-", "GET",
            "POST", "/v1/*", "/a%2fb", "%", "%41", "tool:", "tool:run", "no-tool", "127.1", "0x7f", "::1", "[", "xn--a", "_", "0", "9", "A", "z", "\0", "\n", "\u212a", "\u0130", "\u0131", "\u3002", "\uff0e", "\u00df",
            "\u00ad", "\ud800", "\udc00", "\ud83d\ude00", "a".repeat(63), "b.".repeat(90));
    private static final List<String> HOSTS = List.of("example.org", "*.a.example", "*", "203.0.113.0/24", "198.51.100.7", "@pip", "EXAMPLE.org.");
    private static final List<String> PORTS = List.of("", "", ":443", ":22,80", ":8000-9000");
    private static final List<String> PROTOCOLS = List.of("", "", "/tls", "/http,tls", "/ssh", "/other");
    private static final List<String> INSIDES = List.of("", "", " GET", " POST,GET", " /v1/*", " /a%2fb,/c", " tool:run,tool:a", " no-tool,tool:a", " GET /x tool:b", " /y PUT");

    @Test
    void ofHostNames() {
        Random random = new Random(SEED);
        int names = 0;
        for (int round = 0; round < ROUNDS; round++) {
            String written = random.nextBoolean() ? pieces(random) : letters(random);
            Optional<HostName> name = HostName.parse(written);
            if (name.isPresent()) {
                names++;
                String context = "seed " + SEED + " round " + round;
                assertThat(HostName.parse(name.get().text())).as(context).isEqualTo(name);
                assertThat(name.get().text()).as(context).matches("[a-z0-9_-]+(\\.[a-z0-9_-]+)*").isEqualToIgnoringCase(written.replaceFirst("\\.$", ""));
                assertThat(DottedQuad.parse(written)).as(context).isEmpty();
                assertThat(written.chars()).as(context).allMatch(each -> each < 128);
            }
        }
        assertThat(names).as("strings that are names").isGreaterThan(ROUNDS / 100);
    }

    @Test
    void ofRules() {
        Random random = new Random(SEED);
        int rules = 0;
        for (int round = 0; round < ROUNDS; round++) {
            rules += isRule(written(random), "seed " + SEED + " round " + round) ? 1 : 0;
        }
        assertThat(rules).as("strings that are rules").isGreaterThan(ROUNDS / 10);
    }

    private static boolean isRule(String written, String context) {
        try {
            Rule rule = Rule.parse(written);
            assertThat(Rule.parse(rule.toString())).as(context + ": " + rule).isEqualTo(rule).hasToString(rule.toString());
            assertThat(rule.toString().length()).as(context + ": " + rule).isLessThanOrEqualTo(written.length());
            return true;
        } catch (SandglassException refusal) {
            assertThat(refusal.code()).as(context).isEqualTo(ErrorCode.INVALID_REQUEST);
            assertThat(refusal.what()).as(context).matches("[\\x20-\\x7e]{1,600}");
            return false;
        }
    }

    private static String written(Random random) {
        return switch (random.nextInt(4)) {
            case 0 -> pieces(random);
            case 1 -> "allow " + pieces(random);
            case 2 -> mutated(random, rule(random));
            default -> rule(random);
        };
    }

    private static String rule(Random random) {
        StringBuilder rule = new StringBuilder(random.nextBoolean() ? "allow " : "deny ").append(oneOf(random, HOSTS));
        for (int i = random.nextInt(3); i > 0; i--) {
            rule.append(',').append(oneOf(random, HOSTS));
        }
        return rule.append(oneOf(random, PORTS)).append(oneOf(random, PROTOCOLS)).append(oneOf(random, INSIDES)).toString();
    }

    private static String mutated(Random random, String text) {
        int at = random.nextInt(text.length());
        String end = text.substring(Math.min(text.length(), at + random.nextInt(3)));
        return text.substring(0, at) + (random.nextBoolean() ? oneOf(random, PIECES) : (char) random.nextInt(0x10000)) + end;
    }

    private static String pieces(Random random) {
        StringBuilder text = new StringBuilder();
        for (int i = random.nextInt(8); i > 0; i--) {
            text.append(oneOf(random, PIECES));
        }
        return text.toString();
    }

    private static String letters(Random random) {
        int bound = random.nextBoolean() ? 0x80 : 0x10000;
        StringBuilder text = new StringBuilder();
        for (int i = random.nextInt(12); i > 0; i--) {
            text.append((char) random.nextInt(bound));
        }
        return text.toString();
    }

    private static String oneOf(Random random, List<String> texts) {
        return texts.get(random.nextInt(texts.size()));
    }
}
