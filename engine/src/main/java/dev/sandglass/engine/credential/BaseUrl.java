package dev.sandglass.engine.credential;

import dev.sandglass.engine.network.DottedQuad;
import dev.sandglass.engine.network.HostName;
import dev.sandglass.engine.network.HostPattern;
import dev.sandglass.engine.network.RequestPath;
import dev.sandglass.wire.Refusal;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.Optional;

/**
 * Where a model is served from, if not at its provider's own address: {@code https://models.example.org/v1}.
 *
 * @param host a name or an address of IPv4
 * @param path without a slash at the end; empty if it is the root
 */
public record BaseUrl(String text, boolean plain, String host, int port, String path) {
    private static final int LONGEST = 1024;
    private static final int HTTP = 80;

    static BaseUrl parse(String text) {
        return read(text).orElseThrow(() -> Refusal.of("base_url", text, "an address like https://models.example.org/v1, without user, query and fragment"));
    }

    private static Optional<BaseUrl> read(String text) {
        if (text.length() > LONGEST) {
            return Optional.empty();
        }
        try {
            URI uri = new URI(text);
            boolean plain = "http".equals(uri.getScheme());
            boolean bare = uri.getRawUserInfo() == null && uri.getRawQuery() == null && uri.getRawFragment() == null;
            if (!bare || !(plain || "https".equals(uri.getScheme())) || uri.getHost() == null || uri.getPort() == 0 || uri.getPort() > 65_535) {
                return Optional.empty();
            }
            int port = uri.getPort() > 0 ? uri.getPort() : plain ? HTTP : Destination.HTTPS;
            String path = uri.getRawPath().replaceAll("/+$", "");
            boolean readable = path.isEmpty() || RequestPath.parse(path).isPresent();
            Optional<String> host = HostName.parse(uri.getHost()).map(HostName::text).or(() -> DottedQuad.parse(uri.getHost()).map(DottedQuad::text));
            return host.filter(_ -> readable).map(named -> new BaseUrl(text, plain, named, port, path));
        } catch (URISyntaxException noAddress) {
            return Optional.empty();
        }
    }

    /** Whether requests that go to that destination go there by themselves. */
    boolean isAt(Destination destination) {
        return destination.host() instanceof HostPattern.Exact(HostName name) && name.text().equals(host) && destination.port() == port;
    }
}
