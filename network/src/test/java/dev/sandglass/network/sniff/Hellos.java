package dev.sandglass.network.sniff;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import javax.net.ssl.SNIHostName;
import javax.net.ssl.SNIServerName;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLParameters;

/** ClientHellos as the JDK says them, and changes of them. */
final class Hellos {
    private static final int RECORD_HEADER = 5;

    private Hellos() {}

    /** Of that version at most, for that host if there is one in the list. */
    static byte[] ofJdk(String version, List<String> host, List<String> protocols) throws Exception {
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(null, null, null);
        SSLEngine engine = context.createSSLEngine();
        engine.setUseClientMode(true);
        SSLParameters parameters = engine.getSSLParameters();
        parameters.setProtocols(version.equals("TLSv1.2") ? new String[] {version} : new String[] {"TLSv1.2", version});
        parameters.setServerNames(host.stream().map(each -> (SNIServerName) new SNIHostName(each)).toList());
        parameters.setApplicationProtocols(protocols.toArray(String[]::new));
        engine.setSSLParameters(parameters);
        ByteBuffer output = ByteBuffer.allocate(engine.getSession().getPacketBufferSize());
        engine.wrap(ByteBuffer.allocate(0), output);
        return Arrays.copyOf(output.array(), output.position());
    }

    /** The same message in records of so many bytes. */
    static byte[] inPieces(byte[] record, int length) {
        ByteArrayOutputStream pieces = new ByteArrayOutputStream();
        for (int from = RECORD_HEADER; from < record.length; from += length) {
            int size = Math.min(length, record.length - from);
            pieces.write(record, 0, RECORD_HEADER - Short.BYTES);
            pieces.write(size >> 8);
            pieces.write(size);
            pieces.write(record, from, size);
        }
        return pieces.toByteArray();
    }

    /** The smallest hello there is, with these extensions: each its type and its content. */
    static byte[] with(Object... typesAndContents) {
        ByteBuffer extensions = ByteBuffer.allocate(32_000);
        for (int index = 0; index < typesAndContents.length; index += 2) {
            byte[] content = (byte[]) typesAndContents[index + 1];
            extensions.putShort(((Integer) typesAndContents[index]).shortValue()).putShort((short) content.length).put(content);
        }
        extensions.flip();
        ByteBuffer body = ByteBuffer.allocate(40_000).putShort((short) 0x0303).put(new byte[32]).put((byte) 0);
        body.putShort((short) 2).putShort((short) 0x1301).put((byte) 1).put((byte) 0);
        body.putShort((short) extensions.remaining()).put(extensions).flip();
        return hello(body);
    }

    static byte[] hello(ByteBuffer body) {
        ByteBuffer record = ByteBuffer.allocate(9 + body.remaining());
        record.put((byte) 22).putShort((short) 0x0301).putShort((short) (body.remaining() + 4));
        record.putInt(0x01000000 | body.remaining()).put(body);
        return record.array();
    }

    /** The content of server_name. */
    static byte[] names(String... names) {
        ByteBuffer list = ByteBuffer.allocate(1000).putShort((short) 0);
        for (String name : names) {
            byte[] bytes = name.getBytes(StandardCharsets.ISO_8859_1);
            list.put((byte) 0).putShort((short) bytes.length).put(bytes);
        }
        list.putShort(0, (short) (list.position() - 2));
        return Arrays.copyOf(list.array(), list.position());
    }
}
