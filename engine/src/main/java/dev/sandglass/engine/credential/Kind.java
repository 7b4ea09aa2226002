package dev.sandglass.engine.credential;

import dev.sandglass.wire.Refusal;
import dev.sandglass.wire.SandglassException;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** How the value of a credential goes into a request. */
public sealed interface Kind {
    /** As {@code Authorization: Bearer}. */
    record Bearer() implements Kind {}

    /** As a header of its own. */
    record Header(String name) implements Kind {
        private static final Pattern NAME = Pattern.compile("[A-Za-z0-9!#$%&'*+.^_`|~-]{1,128}");
        /** They say how a message is framed and where it goes: who sets them sends another request than the one that was looked at. */
        private static final Set<String> OF_THE_MESSAGE = Set.of(
                "host", "connection", "content-length", "transfer-encoding", "te", "trailer", "upgrade", "expect", "keep-alive", "proxy-connection", "content-encoding");

        public Header {
            if (!NAME.matcher(name).matches() || OF_THE_MESSAGE.contains(name.toLowerCase(Locale.ROOT))) {
                throw Refusal.of("header", name, "the name of a header that says nothing of the message itself, like X-Api-Key");
            }
        }
    }

    /** As the password of {@code Authorization: Basic}. */
    record Basic(String user) implements Kind {
        private static final Pattern USER = Pattern.compile("[\\x20-\\x7e&&[^:]]{1,255}");

        public Basic {
            if (!USER.matcher(user).matches()) {
                throw Refusal.of("user", user, "1 to 255 visible characters of ASCII without a colon");
            }
        }
    }

    /** As a parameter of the query. */
    record Query(String parameter) implements Kind {
        private static final Pattern PARAMETER = Pattern.compile("[A-Za-z0-9._~-]{1,128}");

        public Query {
            if (!PARAMETER.matcher(parameter).matches()) {
                throw Refusal.of("parameter", parameter, "1 to 128 letters, digits, '.', '_', '~', '-'");
            }
        }
    }

    /** In the place of a text that stands for it, in headers and bodies. */
    record Placeholder(String text) implements Kind {
        /** A shorter one may be there by chance. */
        private static final Pattern TEXT = Pattern.compile("[A-Za-z0-9._~-]{8,256}");

        public Placeholder {
            if (!TEXT.matcher(text).matches()) {
                throw Refusal.of("placeholder", text, "8 to 256 letters, digits, '.', '_', '~', '-'");
            }
        }
    }

    /** Of what a request or a row says; what belongs to another kind is refused. */
    static Kind of(String kind, @Nullable String header, @Nullable String user, @Nullable String parameter, @Nullable String placeholder) {
        Kind made = switch (kind) {
            case "bearer" -> new Bearer();
            case "header" -> new Header(needed("header", header, kind));
            case "basic" -> new Basic(needed("user", user, kind));
            case "query" -> new Query(needed("parameter", parameter, kind));
            case "placeholder" -> new Placeholder(needed("placeholder", placeholder, kind));
            default -> throw Refusal.of("kind", kind, "bearer, header, basic, query or placeholder");
        };
        unneeded("header", header, made instanceof Header, kind);
        unneeded("user", user, made instanceof Basic, kind);
        unneeded("parameter", parameter, made instanceof Query, kind);
        unneeded("placeholder", placeholder, made instanceof Placeholder, kind);
        return made;
    }

    private static String needed(String field, @Nullable String value, String kind) {
        if (value == null) {
            throw Refusal.of(field, "nothing", "one, for a credential of the kind " + kind);
        }
        return value;
    }

    private static void unneeded(String field, @Nullable String value, boolean belongs, String kind) {
        if (value != null && !belongs) {
            throw Refusal.of(field, value, "none, for a credential of the kind " + kind);
        }
    }

    default String text() {
        return switch (this) {
            case Bearer() -> "bearer";
            case Header _ -> "header";
            case Basic _ -> "basic";
            case Query _ -> "query";
            case Placeholder _ -> "placeholder";
        };
    }

    /** The value that somebody sent. What is wrong with it is said without it. */
    default Secret secret(String value) {
        byte[] bytes = value.getBytes(StandardCharsets.UTF_8);
        if (bytes.length == 0 || bytes.length > Secret.LONGEST) {
            throw hidden(bytes.length + " bytes", "1 to " + Secret.LONGEST);
        }
        if (value.chars().anyMatch(Character::isISOControl) || !StandardCharsets.UTF_8.newEncoder().canEncode(value)) {
            throw hidden("it has control characters, or halves of others", "none: no line breaks, tabs or zeros");
        }
        boolean anywhere = this instanceof Basic || this instanceof Query; // they are encoded on the way
        if (!anywhere && (value.chars().anyMatch(each -> each > '~') || !value.equals(value.strip()))) {
            throw hidden("it cannot stand in a header", "visible characters of ASCII, no space at either end");
        }
        return new Secret(bytes);
    }

    private static SandglassException hidden(String what, String expected) {
        return Refusal.of("value", what, expected);
    }
}
