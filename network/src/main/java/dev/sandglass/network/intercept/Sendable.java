package dev.sandglass.network.intercept;

import java.util.Set;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpVersion;
import org.eclipse.jetty.server.Request;

/** A request as the proxy has to see it so that it sends all of it. */
final class Sendable extends Request.Wrapper {
    private static final Set<String> WITH_BODY = Set.of("POST", "PUT", "PATCH");

    private final HttpFields fields;

    Sendable(Request request) {
        super(request);
        HttpFields.Mutable seen = HttpFields.build(request.getHeaders());
        boolean second = request.getConnectionMetaData().getHttpVersion() == HttpVersion.HTTP_2;
        if (second && request.getLength() < 0 && WITH_BODY.contains(request.getMethod())) {
            seen.put(HttpHeader.TRANSFER_ENCODING, "chunked"); // by this the proxy tells that there is a body, and HTTP/2 has no such field; it is not passed on
        }
        this.fields = seen.asImmutable();
    }

    @Override
    public HttpFields getHeaders() {
        return fields;
    }
}
