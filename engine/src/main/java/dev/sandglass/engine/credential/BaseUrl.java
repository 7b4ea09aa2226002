package dev.sandglass.engine.credential;

import dev.sandglass.engine.network.HostName;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.Optional;

/** Where a model is served from, if not at its provider's own address: {@code https://models.example.org/v1}. */
public record BaseUrl(String text, boolean plain, HostName host, int port) {
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
            return HostName.parse(uri.getHost()).map(host -> new BaseUrl(text, plain, host, port));
        } catch (URISyntaxException noAddress) {
            return Optional.empty();
        }
    }
}
