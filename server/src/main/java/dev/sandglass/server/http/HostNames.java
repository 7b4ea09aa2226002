package dev.sandglass.server.http;

import java.net.URI;
import java.net.URISyntaxException;
import java.util.Collection;
import java.util.HashSet;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The names under which this daemon is addressed; a page of any other site, or a rebound name, is not among them. */
public final class HostNames {
    private static final Pattern AUTHORITY = Pattern.compile("(\\[[0-9A-Fa-f:.]+]|[^:\\[\\]@/?#]+)(:[0-9]{1,5})?");

    private final Set<String> names = new HashSet<>(Set.of("localhost", "127.0.0.1", "[::1]"));

    /** @param configured besides localhost and its addresses */
    public HostNames(Collection<String> configured) {
        configured.forEach(name -> names.add(name.toLowerCase(Locale.ROOT)));
    }

    /** Whether a Host header (name and maybe a port) is ours. */
    public boolean isOurs(String authority) {
        Matcher matcher = AUTHORITY.matcher(authority);
        return matcher.matches() && names.contains(matcher.group(1).toLowerCase(Locale.ROOT));
    }

    /** Whether an Origin header is a page of ours; {@code null} (a sandboxed page) is not. */
    public boolean isOurOrigin(String origin) {
        try {
            URI uri = new URI(origin);
            boolean web = "http".equalsIgnoreCase(uri.getScheme()) || "https".equalsIgnoreCase(uri.getScheme());
            return web && uri.getRawAuthority() != null && isOurs(uri.getRawAuthority());
        } catch (URISyntaxException noOrigin) {
            return false;
        }
    }
}
