package dev.sandglass.network.intercept;

import dev.sandglass.network.token.Reckoning;
import java.util.Optional;
import org.eclipse.jetty.client.Response;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.io.Content;

/** Looks at one answer on its way, where somebody counts what it uses. */
record Counting(Meter meter, Reckoning reckoning) {
    static Optional<Counting> of(Provision provision, String method) {
        return provision.meter().filter(Meter::countsTokens).map(meter -> new Counting(meter, new Reckoning(method)));
    }

    /** The request was sent whole. */
    void asked() {
        reckoning.asked();
    }

    void begin(Response answer) {
        reckoning.begin(
                answer.getStatus(),
                text(answer, HttpHeader.CONTENT_TYPE),
                text(answer, HttpHeader.CONTENT_ENCODING),
                answer.getHeaders().getLongField(HttpHeader.CONTENT_LENGTH));
    }

    private static String text(Response answer, HttpHeader field) {
        String value = answer.getHeaders().get(field);
        return value == null ? "" : value;
    }

    void take(Content.Chunk part) {
        reckoning.take(part.getByteBuffer());
    }

    /** @param sent bytes of the request's body */
    void end(long sent) {
        Reckoning.Cost cost = reckoning.end(sent);
        meter.charge(cost.tokens(), cost.isSaid());
    }
}
