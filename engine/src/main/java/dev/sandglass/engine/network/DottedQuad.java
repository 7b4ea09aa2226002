package dev.sandglass.engine.network;

import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * Addresses of IPv4 as text: four decimal numbers and nothing else. The JDK and the C library also take 127.1, 0x7f.1 and 0177.0.0.1, each a little
 * differently, so none of them is asked.
 */
public final class DottedQuad {
    private static final int PARTS = 4;
    private static final int LARGEST = 255;

    private DottedQuad() {}

    public static Optional<Inet4Address> parse(String text) {
        OptionalInt bits = bits(text);
        return bits.isPresent() ? Optional.of(address(bits.getAsInt())) : Optional.empty();
    }

    public static String text(Inet4Address address) {
        return text(bits(address));
    }

    static OptionalInt bits(String text) {
        String[] parts = text.split("\\.", PARTS + 1);
        if (parts.length != PARTS) {
            return OptionalInt.empty();
        }
        int bits = 0;
        for (String part : parts) {
            OptionalInt number = Decimal.parse(part, LARGEST);
            if (number.isEmpty()) {
                return OptionalInt.empty();
            }
            bits = (bits << Byte.SIZE) | number.getAsInt();
        }
        return OptionalInt.of(bits);
    }

    static int bits(Inet4Address address) {
        return ByteBuffer.wrap(address.getAddress()).getInt();
    }

    static String text(int bits) {
        return (bits >>> 24) + "." + ((bits >>> 16) & LARGEST) + "." + ((bits >>> 8) & LARGEST) + "." + (bits & LARGEST);
    }

    private static Inet4Address address(int bits) {
        try {
            return (Inet4Address) InetAddress.getByAddress(ByteBuffer.allocate(Integer.BYTES).putInt(bits).array());
        } catch (UnknownHostException impossible) {
            throw new IllegalStateException("Four bytes are an address.", impossible);
        }
    }
}
