package dev.sandglass.network.sniff;

import dev.sandglass.engine.network.HostName;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Optional;

/** What the client of a connection says first. */
public sealed interface FirstWords {
    /** With so many bytes there always is something to say about them, and no more are looked at: whoever keeps that much of a connection never needs more. As large as the head of any request may be. */
    int ENOUGH = 32 * 1024;

    /** It may become one of the others. A client that waits for the server to speak first says nothing at all, which is this too. */
    record NeedMore() implements FirstWords {}

    /**
     * A whole ClientHello.
     *
     * @param name that of server_name, if the client sent it
     * @param encryptedClientHello whether there may be another, hidden name for which this one stands in; browsers pretend so without one
     * @param alpn the protocols that the client offers, in its order
     */
    record Tls(Optional<HostName> name, boolean encryptedClientHello, List<String> alpn) implements FirstWords {
        public Tls {
            alpn = List.copyOf(alpn);
        }
    }

    /**
     * The whole head of a request of HTTP/1.
     *
     * @param host only missing in a request of HTTP/1.0
     * @param target as it was written, in whichever of its forms
     */
    record Http(Optional<Authority> host, String method, String target) implements FirstWords {}

    /** HTTP/2 without TLS and without asking first: its requests come in frames, so it is a protocol of its own to whoever looks for a Host. */
    record Http2Clear() implements FirstWords {}

    /** The beginning of the line with which SSH begins. */
    record Ssh() implements FirstWords {}

    /** None of the others, whatever comes next. */
    record Other() implements FirstWords {}

    /** It begins like one of the others and is wrong, or says two things at once, so that two readers might understand it differently. */
    record Malformed(String reason) implements FirstWords {}

    /** What the bytes from position to limit say, which stay as they are; always the same for the same bytes. */
    static FirstWords read(ByteBuffer bytes) {
        ByteBuffer first = bytes.slice(bytes.position(), Math.min(bytes.remaining(), ENOUGH));
        FirstWords words = begin(first);
        return words instanceof NeedMore && first.remaining() == ENOUGH ? new Malformed("nothing whole within " + ENOUGH + " bytes") : words;
    }

    /** Whether a record of TLS may begin so. */
    static boolean isRecord(byte first) {
        return first >= 20 && first <= 24;
    }

    /** Servers pass over some records before the ClientHello, which nobody honest sends. */
    private static FirstWords ofAnotherRecord(ByteBuffer bytes) {
        if (bytes.remaining() == 1) {
            return new NeedMore();
        }
        return bytes.get(1) == 3 ? new Malformed("TLS that does not begin with a ClientHello") : new Other();
    }

    private static FirstWords begin(ByteBuffer bytes) {
        if (!bytes.hasRemaining()) {
            return new NeedMore();
        }
        if (bytes.get(0) == ClientHello.HANDSHAKE) {
            return ClientHello.read(bytes);
        }
        if (isRecord(bytes.get(0))) {
            return ofAnotherRecord(bytes);
        }
        return switch (Prefix.of(bytes, "SSH-")) {
            case WHOLE -> new Ssh();
            case PART -> new NeedMore();
            case NONE -> RequestHead.read(bytes);
        };
    }
}
