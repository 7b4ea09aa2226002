package dev.sandglass.server.route;

import java.util.HashSet;
import java.util.Locale;
import java.util.Set;
import org.eclipse.jetty.http.HttpField;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http.HttpHeader;

/** Which headers end here, whatever they say. */
final class Names {
    /** They are about one connection, and say nothing on the next. */
    private static final Set<String> OF_A_CONNECTION = Set.of(
            "connection", "keep-alive", "proxy-connection", "proxy-authenticate", "proxy-authorization", "te", "trailer", "transfer-encoding", "upgrade", "http2-settings");
    /** Said anew by us; {@code Proxy} would become a variable of old CGI programs that means another thing. */
    private static final Set<String> OF_THE_PLATFORM = Set.of("forwarded", "x-real-ip", "expect", "proxy");

    private Names() {}

    /** In lower case, and with a dash for an underscore: many programs see no difference. */
    static String plain(HttpField field) {
        return field.getName().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** Those that are about the connection by themselves, or by what its owner says. */
    static Set<String> ofConnection(HttpFields fields) {
        Set<String> names = new HashSet<>(OF_A_CONNECTION);
        fields.getCSV(HttpHeader.CONNECTION, false).forEach(name -> names.add(name.toLowerCase(Locale.ROOT)));
        return names;
    }

    static boolean isOfThePlatform(String plain) {
        return OF_THE_PLATFORM.contains(plain) || plain.startsWith("x-forwarded-");
    }
}
