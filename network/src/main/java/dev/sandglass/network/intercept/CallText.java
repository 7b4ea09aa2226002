package dev.sandglass.network.intercept;

import dev.sandglass.engine.network.Call;
import dev.sandglass.wire.Json;
import dev.sandglass.wire.SandglassException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.MimeTypes;
import org.jspecify.annotations.Nullable;

/**
 * The calls in a body, as JSON-RPC has them. Servers read bodies with parsers of many kinds, some of which forgive much; a body that two of them could take for two different
 * calls is none that a rule about tools can judge, and is refused.
 */
final class CallText {
    private static final int MOST = 100;
    private static final String CALL = "tools/call";
    private static final Set<String> DECIDING = Set.of("method", "params", "name");
    private static final Pattern VISIBLE = Pattern.compile("[\\x21-\\x7e]{1,256}");

    private CallText() {}

    /** It cannot be told what a server would make of a body. */
    static final class UnclearException extends Exception {
        private static final long serialVersionUID = 1;

        UnclearException(String why) {
            super(why);
        }
    }

    /** Whether its fields say that a body is what it looks like: JSON in UTF-8, as it is. */
    static void check(HttpFields fields) throws UnclearException {
        require(!fields.contains(HttpHeader.CONTENT_ENCODING), "its body is encoded");
        List<String> types = fields.getValuesList(HttpHeader.CONTENT_TYPE);
        require(types.size() == 1, "its body is not said to be application/json");
        String charset = MimeTypes.getCharsetFromContentType(types.getFirst());
        String media = MimeTypes.getContentTypeWithoutCharset(types.getFirst()).toLowerCase(Locale.ROOT).strip();
        require(media.equals("application/json"), "its body is not said to be application/json");
        require(charset == null || charset.equalsIgnoreCase("utf-8"), "its body is not said to be UTF-8");
    }

    /** At least one: what is no call of a tool is one that rules about tools say nothing of. */
    static List<Call> read(byte[] body) throws UnclearException {
        require(messages(body) <= MOST, "its batch has more than " + MOST + " messages");
        Object value = tree(body);
        if (!(value instanceof List<?> batch)) {
            return List.of(call(value));
        }
        require(!batch.isEmpty(), "its batch is empty");
        List<Call> calls = new ArrayList<>();
        for (Object each : batch) {
            calls.add(call(each));
        }
        return List.copyOf(calls);
    }

    /** How many a batch has, if it is JSON: counted before anything is made of them, which takes many times as much room. */
    private static int messages(byte[] body) {
        if (!new String(body, StandardCharsets.ISO_8859_1).stripLeading().startsWith("[")) {
            return 1;
        }
        int count = 1;
        int depth = 0;
        boolean isText = false;
        for (int i = 0; i < body.length; i++) {
            switch (body[i]) {
                case '"' -> isText = !isText;
                case '\\' -> i += isText ? 1 : 0;
                case '[', '{' -> depth += isText ? 0 : 1;
                case ']', '}' -> depth -= isText ? 0 : 1;
                case ',' -> count += !isText && depth == 1 ? 1 : 0;
                default -> {}
            }
        }
        return count;
    }

    private static @Nullable Object tree(byte[] body) throws UnclearException {
        try {
            return Json.tree(body);
        } catch (SandglassException problem) {
            throw new UnclearException("its body is no JSON that all servers read alike");
        }
    }

    private static Call call(@Nullable Object message) throws UnclearException {
        Map<?, ?> fields = fields(message, "a message");
        if (!fields.containsKey("method")) {
            return new Call.Plain(); // an answer to what the server asked
        }
        if (!(fields.get("method") instanceof String method) || !VISIBLE.matcher(method).matches()) {
            throw new UnclearException("its method is not a plain word");
        }
        if (!method.equals(CALL)) {
            require(!method.equalsIgnoreCase(CALL), "its method is another spelling of " + CALL);
            return new Call.Plain();
        }
        if (!(fields(fields.get("params"), "what a tool is called with").get("name") instanceof String name)) {
            throw new UnclearException("its tool has no name");
        }
        return Call.of(name).orElseThrow(() -> new UnclearException("its tool has no name that a rule could have"));
    }

    /** Some parsers tell no small letters from large ones in the names of fields, and take the last. */
    private static Map<?, ?> fields(@Nullable Object value, String what) throws UnclearException {
        if (!(value instanceof Map<?, ?> fields)) {
            throw new UnclearException(what + " is not an object");
        }
        for (Object key : fields.keySet()) {
            String name = (String) key;
            require(DECIDING.contains(name) || DECIDING.stream().noneMatch(name.strip()::equalsIgnoreCase), "a field is another spelling of one that decides");
        }
        return fields;
    }

    private static void require(boolean holds, String otherwise) throws UnclearException {
        if (!holds) {
            throw new UnclearException(otherwise);
        }
    }
}
