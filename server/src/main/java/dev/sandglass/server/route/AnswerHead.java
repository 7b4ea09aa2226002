package dev.sandglass.server.route;

import java.util.Set;
import org.eclipse.jetty.http.HttpField;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpStatus;
import org.eclipse.jetty.http.HttpVersion;

/** The head of what a program in a sandbox answered. */
record AnswerHead(HttpVersion version, int status, HttpFields fields) {
    /** They would send a client elsewhere for what is here. */
    private static final Set<String> ABOUT_OTHERS = Set.of("alt-svc", "content-length");
    /** They are about a whole host, which routes by path share. */
    private static final Set<String> ABOUT_THE_HOST = Set.of("clear-site-data", "service-worker-allowed", "strict-transport-security", "public-key-pins", "origin-agent-cluster", "nel", "report-to", "reporting-endpoints");

    boolean isInterim() {
        return status < HttpStatus.OK_200 && status != HttpStatus.SWITCHING_PROTOCOLS_101;
    }

    boolean opensSocket() {
        return status == HttpStatus.SWITCHING_PROTOCOLS_101 && "websocket".equalsIgnoreCase(fields.get(HttpHeader.UPGRADE));
    }

    /** Whether the connection can carry another request when the answer is through. */
    boolean isPersistent() {
        return version == HttpVersion.HTTP_1_1 && !fields.contains(HttpHeader.CONNECTION, "close");
    }

    /** Adds what a client may see of it. */
    void copyTo(HttpFields.Mutable answer, Pass pass, boolean cors) {
        Set<String> ofConnection = Names.ofConnection(fields);
        for (HttpField field : fields) {
            String name = Names.plain(field);
            boolean ends = ofConnection.contains(name)
                    || ABOUT_OTHERS.contains(name)
                    || (pass.isByPath() && ABOUT_THE_HOST.contains(name))
                    || (cors && name.startsWith("access-control-"));
            if (name.equals("set-cookie")) {
                Cookies.confined(String.valueOf(field.getValue()), pass).ifPresent(cookie -> answer.add(HttpHeader.SET_COOKIE, cookie));
            } else if (!ends) {
                answer.add(Addresses.outside(field, name, pass));
            }
        }
    }
}
