package dev.sandglass.server.http;

import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.SandglassException;
import java.util.List;
import java.util.Locale;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http.HttpHeader;

/** Holds the type of a request's body to the one that the operation takes. */
final class MediaTypes {
    private MediaTypes() {}

    static void check(HttpFields headers, Operation operation) {
        if (operation.content().isEmpty()) {
            return;
        }
        String expected = operation.content().get().mediaType();
        List<String> types = headers.getValuesList(HttpHeader.CONTENT_TYPE);
        boolean mayLackIt = types.isEmpty() && !operation.content().get().required(); // whether there is a body is seen when it is read
        if (!mayLackIt && (types.size() != 1 || !fits(types.getFirst().toLowerCase(Locale.ROOT), expected))) {
            throw unsupported("content type " + Schema.shown(String.join(", ", types)), expected);
        }
        List<String> encodings = headers.getValuesList(HttpHeader.CONTENT_ENCODING);
        if (!encodings.isEmpty() && !encodings.equals(List.of("identity"))) {
            throw unsupported("content encoding " + Schema.shown(String.join(", ", encodings)), "none");
        }
    }

    /** Refuses a body of which it is not said what it is. */
    static SandglassException untold(String expected) {
        return unsupported("no content type", expected);
    }

    private static boolean fits(String type, String expected) {
        int parameters = type.indexOf(';');
        String bare = (parameters < 0 ? type : type.substring(0, parameters)).strip();
        String rest = parameters < 0 ? "" : type.substring(parameters + 1).strip().replace("\"", "");
        return bare.equals(expected) && (rest.isEmpty() || (rest.equals("charset=utf-8") && expected.equals("application/json")));
    }

    private static SandglassException unsupported(String found, String expected) {
        return new SandglassException(
                ErrorCode.UNSUPPORTED_MEDIA_TYPE, found + " (expected: " + expected + ")", "Set the header that fits the body.");
    }
}
