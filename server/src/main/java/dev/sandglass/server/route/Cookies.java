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
     * that for ours. By host name the path is the sandbox's own matter, but for what the route puts in its place; by path it is put
     * below the place of the route, as others live beside it.
     */
    static Optional<String> confined(String header, Pass pass) {
        String first = header.split(";", 2)[0];
        if (isOurs(first) || name(first).isEmpty()) {
            return Optional.empty();
        }
        List<String> kept = new ArrayList<>();
        Optional<String> path = Optional.empty();
        String[] parts = header.split(";", -1);
        for (int i = 0; i < parts.length; i++) {
            String name = parts[i].split("=", 2)[0].strip().toLowerCase(Locale.ROOT);
            boolean isPath = i > 0 && name.equals("path");
            if (isPath && parts[i].contains("=")) {
                path = Optional.of(parts[i].split("=", 2)[1].strip());
            }
            boolean goes = i > 0 && (name.equals("domain") || (isPath && pass.moves()));
            if (!goes) {
                kept.add(parts[i]);
            }
        }
        if (pass.isByPath() || (pass.moves() && path.isPresent())) {
            kept.add(" Path=" + path.filter(asked -> asked.startsWith("/") && !asked.startsWith("//") && !asked.equals("/")).map(pass::outside).orElseGet(() -> home(pass)));
        }
        return Optional.of(String.join(";", kept));
    }

    /** What all paths of the program begin with. */
    private static String home(Pass pass) {
        String home = pass.outside("/").replaceFirst("/$", "");
        return home.isEmpty() ? "/" : home;
    }
}
