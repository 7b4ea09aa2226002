package dev.sandglass.network.registry;

import dev.sandglass.engine.network.Endpoint;
import dev.sandglass.engine.network.HostName;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Where a URL leads to. What stands before and after the host, secrets among it, is left behind here. */
final class Place {
    private static final Pattern URL = Pattern.compile("(https?)://(?:[^/?#\\s]*@)?([^/?#:@\\s]+)(?::([0-9]{1,5}))?(?:[/?#].*)?", Pattern.CASE_INSENSITIVE);
    private static final int HTTP = 80;
    private static final int HTTPS = 443;
    private static final int LARGEST = 65535;

    private Place() {}

    /** A URL without the user and password that may stand in it, and without a query. */
    static String withoutSecrets(String url) {
        return url.strip().replaceFirst("^([A-Za-z]+://)[^/?#]*@", "$1").replaceFirst("[?#].*$", "");
    }

    /** Empty if it is not on the web, or at an address: a rule about registries is one about names. */
    static Optional<Endpoint> of(String url) {
        Matcher parts = URL.matcher(url.strip());
        if (!parts.matches()) {
            return Optional.empty();
        }
        int standard = parts.group(1).toLowerCase(Locale.ROOT).equals("http") ? HTTP : HTTPS;
        int port = parts.group(3) == null ? standard : Integer.parseInt(parts.group(3));
        return port < 1 || port > LARGEST ? Optional.empty() : HostName.parse(parts.group(2)).map(host -> new Endpoint(host, port));
    }
}
