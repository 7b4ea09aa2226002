package dev.sandglass.server.mcp;

import dev.sandglass.wire.ErrorCode;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** What a request says of itself in revisions without sessions, and what headers must say of it too. */
final class Envelope {
    static final String VERSION_HEADER = "MCP-Protocol-Version";

    private static final String VERSION = "io.modelcontextprotocol/protocolVersion";
    private static final String CAPABILITIES = "io.modelcontextprotocol/clientCapabilities";
    /** Requests that name something, and the parameter that does. */
    private static final Map<String, String> NAMED = Map.of(Methods.CALL, "name", "prompts/get", "name", "resources/read", "uri");

    private static final String ENCODED = "=?base64?";
    private static final String ENCODED_END = "?=";

    private Envelope() {}

    /** Whether the request is of a revision without sessions, or of one that nobody knows. */
    static boolean isIn(Message.Request request, Optional<String> versionHeader) {
        boolean isOfSession = versionHeader.flatMap(Version::of).map(version -> !version.stateless()).orElse(versionHeader.isEmpty());
        return request.meta().containsKey(VERSION) || !isOfSession;
    }

    /** The revision that the request is of; refuses one that is not served, and a request that says too little. */
    static Version version(Message.Request request) {
        Map<String, @Nullable Object> meta = request.meta();
        if (!(meta.get(VERSION) instanceof String asked)) {
            throw RpcException.invalidParams("_meta: " + VERSION + " is missing or no text.", "Say in each request which revision it is of.");
        }
        Version version = Version.of(asked).filter(Version::stateless).orElseThrow(() -> unsupported(asked));
        if (!(meta.get(CAPABILITIES) instanceof Map<?, ?>)) {
            throw RpcException.invalidParams("_meta: " + CAPABILITIES + " is missing or no object.", "Say in each request what the client can do; {} is nothing.");
        }
        return version;
    }

    private static RpcException unsupported(String asked) {
        String shown = asked.length() > Message.MOST_TOKEN ? asked.substring(0, Message.MOST_TOKEN) : asked;
        return new RpcException(
                RpcException.UNSUPPORTED_VERSION, ErrorCode.INVALID_REQUEST, "This revision of the protocol is not served.", "Take one of " + String.join(", ", Version.all()) + ".",
                Map.of("supported", Version.all(), "requested", shown));
    }

    /** Refuses a request of which the headers say something else than the body: whoever stands between looks at them only. */
    static void checkHeaders(Message.Request request, Function<String, Optional<String>> headers) {
        require(VERSION_HEADER, headers.apply(VERSION_HEADER), String.valueOf(request.meta().get(VERSION)));
        require("Mcp-Method", headers.apply("Mcp-Method"), request.method());
        String parameter = NAMED.get(request.method());
        if (parameter != null) {
            require("Mcp-Name", headers.apply("Mcp-Name").map(Envelope::decoded), String.valueOf(request.params().get(parameter)));
        }
    }

    private static void require(String header, Optional<String> value, String expected) {
        if (!value.equals(Optional.of(expected))) {
            throw new RpcException(RpcException.HEADER_MISMATCH, header + ": " + (value.isEmpty() ? "missing" : "something else than in the body") + ".", "Send the header with the value of the body.");
        }
    }

    private static String decoded(String value) {
        if (!value.startsWith(ENCODED) || !value.endsWith(ENCODED_END) || value.length() < ENCODED.length() + ENCODED_END.length()) {
            return value;
        }
        try {
            return new String(Base64.getDecoder().decode(value.substring(ENCODED.length(), value.length() - ENCODED_END.length())), StandardCharsets.UTF_8);
        } catch (IllegalArgumentException broken) {
            throw new RpcException(RpcException.HEADER_MISMATCH, "Mcp-Name: it is not base64.", "Encode the name in UTF-8, and that in base64.");
        }
    }
}
