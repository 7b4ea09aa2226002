package dev.sandglass.network.sniff;

import dev.sandglass.engine.network.HostName;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Walks over the records of TLS to the end of the ClientHello, and over that to the extensions that name the host and the protocol (RFC 8446, 4.1.2 and 5.1; RFC 6066, 3;
 * RFC 7301, 3.1). Every length is held against what it is inside of. What a server might read in two ways, such as an extension that is there twice, is malformed.
 */
final class ClientHello {
    /** The type of the records that a handshake is in. */
    static final byte HANDSHAKE = 22;

    /** No client sends half as much. */
    private static final int LONGEST = 16 * 1024;

    private static final int RECORD_HEADER = 5;
    private static final int LONGEST_RECORD = 1 << 14;
    private static final int MESSAGE_HEADER = 4;
    private static final int CLIENT_HELLO = 1;
    private static final int RANDOM = 32;
    private static final int LONGEST_SESSION_ID = 32;
    private static final int SERVER_NAME = 0;
    private static final int HOST_NAME = 0;
    private static final int ALPN = 16;
    private static final int ENCRYPTED_CLIENT_HELLO = 0xfe0d;

    private Optional<HostName> name = Optional.empty();
    private boolean encrypted;
    private List<String> protocols = List.of();

    private ClientHello() {}

    /** The bytes begin with {@link #HANDSHAKE}. */
    static FirstWords read(ByteBuffer bytes) {
        try {
            return message(bytes.duplicate());
        } catch (BufferUnderflowException inside) {
            return new FirstWords.Malformed("TLS: a field is longer than what it is in");
        } catch (Wrong wrong) {
            return new FirstWords.Malformed("TLS: " + wrong.getMessage());
        }
    }

    /** Puts the message together, which may be in pieces in many records. */
    private static FirstWords message(ByteBuffer bytes) throws Wrong {
        ByteBuffer message = ByteBuffer.allocate(bytes.remaining());
        while (bytes.hasRemaining()) {
            if (!isRecord(bytes)) {
                return message.position() == 0 && isForeign(bytes) ? new FirstWords.Other() : wrong("a record that is none of a handshake");
            }
            if (bytes.remaining() < RECORD_HEADER) {
                break;
            }
            int length = Short.toUnsignedInt(bytes.getShort(bytes.position() + 3));
            check(length > 0 && length <= LONGEST_RECORD, "a record of " + length + " bytes");
            bytes.position(bytes.position() + RECORD_HEADER);
            boolean isWhole = bytes.remaining() >= length;
            message.put(slice(bytes, Math.min(length, bytes.remaining())));
            Optional<ByteBuffer> body = body(message.duplicate().flip(), isWhole);
            if (body.isPresent()) {
                return new ClientHello().hello(body.get());
            }
        }
        return new FirstWords.NeedMore();
    }

    /** As far as it is there: type, and version 3 with any number of SSL 3.0 to TLS 1.3 behind it. */
    private static boolean isRecord(ByteBuffer bytes) {
        int at = bytes.position();
        return bytes.get(at) == HANDSHAKE
                && (bytes.remaining() < 2 || bytes.get(at + 1) == 3)
                && (bytes.remaining() < 3 || (bytes.get(at + 2) >= 0 && bytes.get(at + 2) <= 4));
    }

    private static boolean isForeign(ByteBuffer bytes) {
        return bytes.remaining() >= 2 && bytes.get(bytes.position() + 1) != 3;
    }

    /** What is in the message, once all of it is there. Nothing else may share its last record: no server would have asked for it yet. */
    private static Optional<ByteBuffer> body(ByteBuffer message, boolean isWholeRecord) throws Wrong {
        if (message.hasRemaining()) {
            check(message.get(0) == CLIENT_HELLO, "a handshake that begins with message " + message.get(0));
        }
        if (message.remaining() < MESSAGE_HEADER) {
            return Optional.empty();
        }
        int length = message.getInt() & 0xffffff;
        check(length <= LONGEST, "a ClientHello of " + length + " bytes");
        check(message.remaining() <= length, "something behind the ClientHello");
        return isWholeRecord && message.remaining() == length ? Optional.of(message) : Optional.empty();
    }

    private FirstWords hello(ByteBuffer body) throws Wrong {
        check(body.get() == 3, "a version that is none of TLS");
        body.get();
        slice(body, RANDOM);
        check(shortVector(body).remaining() <= LONGEST_SESSION_ID, "a session id that is too long");
        int suites = vector(body).remaining();
        check(suites >= 2 && suites % 2 == 0, "a list of cipher suites of " + suites + " bytes");
        check(shortVector(body).hasRemaining(), "no compression method, not even none");
        if (body.hasRemaining()) {
            extensions(vector(body));
        }
        check(!body.hasRemaining(), "something behind the extensions");
        return new FirstWords.Tls(name, encrypted, protocols);
    }

    private void extensions(ByteBuffer extensions) throws Wrong {
        Set<Integer> seen = new HashSet<>();
        while (extensions.hasRemaining()) {
            int type = Short.toUnsignedInt(extensions.getShort());
            ByteBuffer content = vector(extensions);
            check(seen.add(type), "extension " + type + " twice");
            switch (type) {
                case SERVER_NAME -> name = Optional.of(serverName(content));
                case ALPN -> protocols = protocols(content);
                case ENCRYPTED_CLIENT_HELLO -> encrypted = true;
                default -> {}
            }
        }
    }

    /** The list may have entries of other types, of which none was ever defined, and servers differ in which of two names they take: one, and of the one type. */
    private static HostName serverName(ByteBuffer content) throws Wrong {
        ByteBuffer list = vector(content);
        check(!content.hasRemaining(), "something behind the list of server names");
        check(list.get() == HOST_NAME, "a server name that is no host name");
        String written = text(vector(list));
        check(!list.hasRemaining(), "more than one server name");
        return HostName.parse(written).orElseThrow(() -> new Wrong("a server name that is no name of a host"));
    }

    private static List<String> protocols(ByteBuffer content) throws Wrong {
        ByteBuffer list = vector(content);
        check(list.hasRemaining() && !content.hasRemaining(), "a list of protocols that is none");
        List<String> protocols = new ArrayList<>();
        while (list.hasRemaining()) {
            ByteBuffer protocol = shortVector(list);
            check(protocol.hasRemaining(), "a protocol without a name");
            protocols.add(text(protocol));
        }
        return protocols;
    }

    /** One character for each byte: what is not ASCII in a name stays that. */
    private static String text(ByteBuffer bytes) {
        return StandardCharsets.ISO_8859_1.decode(bytes).toString();
    }

    private static ByteBuffer shortVector(ByteBuffer from) {
        return slice(from, Byte.toUnsignedInt(from.get()));
    }

    private static ByteBuffer vector(ByteBuffer from) {
        return slice(from, Short.toUnsignedInt(from.getShort()));
    }

    private static ByteBuffer slice(ByteBuffer from, int length) {
        if (length > from.remaining()) {
            throw new BufferUnderflowException();
        }
        ByteBuffer slice = from.slice(from.position(), length);
        from.position(from.position() + length);
        return slice;
    }

    private static void check(boolean holds, String otherwise) throws Wrong {
        if (!holds) {
            throw new Wrong(otherwise);
        }
    }

    private static FirstWords wrong(String reason) throws Wrong {
        throw new Wrong(reason);
    }

    /** Not a fault of ours, and thrown by whoever likes to: without the cost of a stack trace. */
    private static final class Wrong extends Exception {
        Wrong(String message) {
            super(message, null, false, false);
        }
    }
}
