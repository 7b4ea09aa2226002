package dev.sandglass.engine.route;

import dev.sandglass.wire.Refusal;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Makes and checks links: each says when it ends, and is signed together with what it opens, so that it opens nothing else. Immutable. */
final class Links {
    private static final Pattern FORM = Pattern.compile("([0-9]{1,12})\\.([A-Za-z0-9_-]{43})");
    private static final Duration LONGEST = Duration.ofDays(365);

    private final KeyedHash hash;

    Links(KeyedHash hash) {
        this.hash = hash;
    }

    static boolean isLink(String text) {
        return FORM.matcher(text).matches();
    }

    /** When one ends that is made now to last so many seconds. */
    static Instant end(long seconds, Instant now) {
        if (seconds < 1 || seconds > LONGEST.toSeconds()) {
            throw Refusal.of("expires", Long.toString(seconds), "1 to " + LONGEST.toSeconds() + " seconds");
        }
        return Instant.ofEpochSecond(now.getEpochSecond() + seconds);
    }

    String sign(Route route, Instant end) {
        String when = Long.toString(end.getEpochSecond());
        return when + "." + signature(route, when);
    }

    /** When a link ends; nothing if it has ended, or is none to that route. */
    Optional<Instant> end(Route route, String link, Instant now) {
        Matcher parts = FORM.matcher(link);
        if (!parts.matches() || !KeyedHash.same(parts.group(2), signature(route, parts.group(1)))) {
            return Optional.empty();
        }
        return Optional.of(Instant.ofEpochSecond(Long.parseLong(parts.group(1)))).filter(now::isBefore);
    }

    private String signature(Route route, String when) {
        return hash.of("link", route.sandbox().text(), route.name(), Integer.toString(route.port()), route.generation(), when);
    }
}
