package dev.sandglass.engine.route;

import dev.sandglass.wire.Refusal;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Whom a route lets in. */
public sealed interface Access {
    /** Everybody. */
    record Public() implements Access {}

    /** Who sends the secret as {@code Authorization: Bearer}, or has a link. */
    record Bearer() implements Access {}

    /** Who sends the secret as a header of that name, or has a link. */
    record Header(String name) implements Access {
        private static final Pattern NAME = Pattern.compile("[A-Za-z0-9!#$%&'*+.^_`|~-]{1,128}");
        /** They say how a message is framed, where it goes and whose it is: others give them a meaning before a route is looked at. */
        private static final Set<String> TAKEN = Set.of(
                "host", "connection", "content-length", "content-type", "content-encoding", "transfer-encoding", "te", "trailer", "upgrade", "expect", "keep-alive",
                "proxy-connection", "proxy-authorization", "cookie", "authorization", "origin", "forwarded", "x-forwarded-for", "x-forwarded-host", "x-forwarded-proto");

        public Header {
            if (!NAME.matcher(name).matches() || TAKEN.contains(name.toLowerCase(Locale.ROOT))) {
                throw Refusal.of("header", name, "the name of a header that has no other meaning, like X-Route-Key");
            }
        }
    }

    /** Only who has a link: of a port that no route is for. */
    record Linked() implements Access {}

    /** Of what a request or a row says. */
    static Access of(@Nullable String access, @Nullable String auth, @Nullable String header) {
        boolean open = "public".equals(access);
        if (access != null && !open && !access.equals("private")) {
            throw Refusal.of("access", access, "private or public");
        }
        if (open && auth != null) {
            throw Refusal.of("auth", auth, "none, for a public route");
        }
        boolean named = "header".equals(auth);
        if (auth != null && !named && !auth.equals("bearer")) {
            throw Refusal.of("auth", auth, "bearer or header");
        }
        if (named != (header != null)) {
            throw Refusal.of("header", header == null ? "nothing" : header, named ? "its name, for the auth header" : "none, but for the auth header");
        }
        return open ? new Public() : header == null ? new Bearer() : new Header(header);
    }
}
