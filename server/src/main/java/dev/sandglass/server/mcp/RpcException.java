package dev.sandglass.server.mcp;

import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.SandglassException;
import java.util.LinkedHashMap;
import java.util.Map;

/** An error of JSON-RPC: the request itself is wrong, in contrast to what a tool was asked for and could not do. */
final class RpcException extends SandglassException {
    static final int PARSE_ERROR = -32700;
    static final int INVALID_REQUEST = -32600;
    static final int METHOD_NOT_FOUND = -32601;
    static final int INVALID_PARAMS = -32602;
    static final int INTERNAL_ERROR = -32603;
    static final int HEADER_MISMATCH = -32020;
    static final int UNSUPPORTED_VERSION = -32022;
    /** Of revisions that begin with {@code initialize}; later ones have {@link #INVALID_PARAMS}. */
    static final int RESOURCE_NOT_FOUND = -32002;

    private static final long serialVersionUID = 1L;

    private final int number;
    private final transient Map<String, Object> data;

    RpcException(int number, String message, String hint) {
        this(number, ErrorCode.INVALID_REQUEST, message, hint, Map.of());
    }

    RpcException(int number, ErrorCode code, String message, String hint, Map<String, Object> data) {
        super(code, message, hint);
        this.number = number;
        this.data = data;
    }

    static RpcException invalidParams(String message, String hint) {
        return new RpcException(INVALID_PARAMS, message, hint);
    }

    /** What a method failed with. */
    static RpcException of(SandglassException problem) {
        if (problem instanceof RpcException known) {
            return known;
        }
        boolean asked = problem.code().category() == ErrorCode.Category.USAGE || problem.code().category() == ErrorCode.Category.NOT_FOUND;
        return new RpcException(asked ? INVALID_PARAMS : INTERNAL_ERROR, problem.code(), problem.what(), problem.hint(), Map.of());
    }

    int number() {
        return number;
    }

    /** The error as it stands in an answer. */
    Map<String, Object> toTree() {
        Map<String, Object> details = new LinkedHashMap<>(data);
        details.put("code", code().text());
        details.put("hint", hint());
        return Map.of("code", number, "message", what() + " " + hint(), "data", details);
    }
}
