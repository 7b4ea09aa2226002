package dev.sandglass.server.route;

import dev.sandglass.engine.route.Entrance;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.eclipse.jetty.http.HttpField;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpURI;
import org.eclipse.jetty.http.HttpVersion;
import org.eclipse.jetty.http.MetaData;
import org.eclipse.jetty.server.Request;
import org.jspecify.annotations.Nullable;

/** What a sandbox is asked: the client's request, without what was for us, and with what tells where it came from. */
final class RequestHead {
    private static final String PARAMETER = Entrance.LINK + "=";

    private RequestHead() {}

    /**
     * @param socket whether the client wants a WebSocket and may
     * @param scheme that the client speaks
     */
    static MetaData.Request of(Request request, Pass pass, boolean socket, String scheme) {
        HttpFields asked = request.getHeaders();
        Set<String> ofConnection = Names.ofConnection(asked);
        HttpFields.Mutable fields = HttpFields.build();
        for (HttpField field : asked) {
            String name = Names.plain(field);
            boolean ends = ofConnection.contains(name) || Names.isOfThePlatform(name) || pass.secrets().contains(name) || name.equals("content-length");
            if (name.equals("cookie")) {
                Cookies.withoutOurs(String.valueOf(field.getValue())).ifPresent(rest -> fields.add(HttpHeader.COOKIE, rest));
            } else if (!ends) {
                fields.add(field);
            }
        }
        pass.host().ifPresent(host -> fields.put(HttpHeader.HOST, host));
        frame(request, fields, socket);
        if (pass.route().forwarded()) {
            tellTheOrigin(request, pass, scheme, fields);
        }
        String query = query(request.getHttpURI().getQuery()).map(text -> "?" + text).orElse("");
        return new MetaData.Request(request.getMethod(), HttpURI.build().pathQuery(pass.path() + query).asImmutable(), HttpVersion.HTTP_1_1, fields);
    }

    private static void frame(Request request, HttpFields.Mutable fields, boolean socket) {
        if (socket) {
            fields.put(HttpHeader.CONNECTION, "Upgrade").put(HttpHeader.UPGRADE, "websocket");
        }
        if (request.getHeaders().contains(HttpHeader.TRANSFER_ENCODING)) {
            fields.put(HttpHeader.TRANSFER_ENCODING, "chunked");
        } else if (request.getLength() >= 0 && request.getHeaders().contains(HttpHeader.CONTENT_LENGTH)) {
            fields.put(HttpHeader.CONTENT_LENGTH, request.getLength());
        }
    }

    private static void tellTheOrigin(Request request, Pass pass, String scheme, HttpFields.Mutable fields) {
        String client = client(request);
        String host = String.valueOf(request.getHttpURI().getAuthority());
        fields.put("X-Forwarded-For", client.replaceAll("[\\[\\]]", ""));
        fields.put("X-Forwarded-Host", host);
        fields.put("X-Forwarded-Proto", scheme);
        fields.put("Forwarded", "for=" + (client.startsWith("[") ? "\"" + client + "\"" : client) + ";host=\"" + host + "\";proto=" + scheme);
        if (!pass.prefix().isEmpty()) {
            fields.put("X-Forwarded-Prefix", pass.prefix());
        }
    }

    private static String client(Request request) {
        InetAddress address = request.getConnectionMetaData().getRemoteSocketAddress() instanceof InetSocketAddress socket ? socket.getAddress() : InetAddress.getLoopbackAddress();
        return address instanceof Inet6Address ? "[" + address.getHostAddress().replaceAll("%.*", "") + "]" : address.getHostAddress();
    }

    /** A query without our parameter; nothing if there is no other in it. */
    static Optional<String> query(@Nullable String query) {
        if (query == null || !query.contains(PARAMETER)) {
            return Optional.ofNullable(query);
        }
        List<String> others = new ArrayList<>();
        for (String part : query.split("&", -1)) {
            if (!part.startsWith(PARAMETER)) {
                others.add(part);
            }
        }
        return others.isEmpty() ? Optional.empty() : Optional.of(String.join("&", others));
    }

    /** The link in a query. */
    static Optional<String> link(@Nullable String query) {
        if (query == null) {
            return Optional.empty();
        }
        for (String part : query.split("&", -1)) {
            if (part.startsWith(PARAMETER)) {
                return Optional.of(part.substring(PARAMETER.length()));
            }
        }
        return Optional.empty();
    }
}
