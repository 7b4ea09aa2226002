package dev.sandglass.server.route;

import dev.sandglass.engine.route.Entrance;
import dev.sandglass.engine.route.Routes;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http.HttpHeader;

/** The cookie that keeps a link, and what becomes of those of sandboxes. */
final class Cookies {
    private static final String OURS = Entrance.LINK;
    /** Of one request that are looked at. */
    private static final int MOST = 8;

    private Cookies() {}

    /** Links that came as cookies: one for this place, and maybe others that it is below of. */
    static List<String> links(HttpFields fields) {
        List<String> links = new ArrayList<>();
        for (String header : fields.getValuesList(HttpHeader.COOKIE)) {
            for (String pair : header.split(";", -1)) {
                String value = pair.substring(pair.indexOf('=') + 1).strip();
                if (isOurs(pair) && Routes.isLink(value) && links.size() < MOST) {
                    links.add(value);
                }
            }
        }
        return links;
    }

    /** A Cookie header without ours; nothing if there is no other in it. */
    static Optional<String> withoutOurs(String header) {
        List<String> others = new ArrayList<>();
        for (String pair : header.split(";", -1)) {
            if (!isOurs(pair) && !pair.isBlank()) {
                others.add(pair.strip());
            }
        }
        return others.isEmpty() ? Optional.empty() : Optional.of(String.join("; ", others));
    }

    private static boolean isOurs(String pair) {
        return name(pair).equals(OURS);
    }

    /** As browsers read it: empty if there is none. */
    private static String name(String pair) {
        return pair.substring(0, Math.max(0, pair.indexOf('='))).strip();
    }

    /** @param place the path that it is for */
    static String keeping(Pass.Link link, String place, String scheme) {
        long seconds = Math.max(1, Duration.between(Instant.now(), link.until()).toSeconds());
        return OURS + "=" + link.text() + "; Path=" + (place.isEmpty() ? "/" : place) + "; Max-Age=" + seconds + "; HttpOnly; SameSite=Lax" + (scheme.equals("https") ? "; Secure" : "");
    }

    /**
     * A cookie of a sandbox, for its own host and place alone; nothing if it has the name of ours, or none: a browser could send the value of
     * that for ours. By host name the path is the sandbox's own matter; by path it is put
     * below the place of the route, as others live beside it.
     */
    static Optional<String> confined(String header, String place) {
        String first = header.split(";", 2)[0];
        if (isOurs(first) || name(first).isEmpty()) {
            return Optional.empty();
        }
        List<String> kept = new ArrayList<>();
        String path = "/";
        String[] parts = header.split(";", -1);
        for (int i = 0; i < parts.length; i++) {
            String name = parts[i].split("=", 2)[0].strip().toLowerCase(Locale.ROOT);
            if (i > 0 && name.equals("path") && parts[i].contains("=")) {
                path = parts[i].split("=", 2)[1].strip();
            }
            boolean goes = i > 0 && (name.equals("domain") || (name.equals("path") && !place.isEmpty()));
            if (!goes) {
                kept.add(parts[i]);
            }
        }
        if (!place.isEmpty()) {
            kept.add(" Path=" + place + (path.startsWith("/") && !path.equals("/") ? path : ""));
        }
        return Optional.of(String.join(";", kept));
    }
}
