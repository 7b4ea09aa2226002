package dev.sandglass.server.e2b.connect;

/** An error that is told to the caller of a method. */
public final class RpcException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final Code code;

    public RpcException(Code code, String message) {
        super(message);
        this.code = code;
    }

    public Code code() {
        return code;
    }

    RpcError error() {
        return new RpcError(code.text(), String.valueOf(getMessage()));
    }
}
