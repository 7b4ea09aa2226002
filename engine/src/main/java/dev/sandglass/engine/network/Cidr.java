package dev.sandglass.engine.network;

import java.net.Inet4Address;
import java.util.OptionalInt;

/** A network of IPv4 addresses, or one address: {@code 203.0.113.0/24}, {@code 203.0.113.7}. */
public record Cidr(int bits, int prefix) {
    private static final int WHOLE = Integer.SIZE;

    public Cidr {
        if (prefix < 0 || prefix > WHOLE || (bits & mask(prefix)) != bits) {
            throw new IllegalArgumentException("network: " + DottedQuad.text(bits) + "/" + prefix + " (expected: no bits beyond the prefix)");
        }
    }

    public static Cidr of(Inet4Address address) {
        return new Cidr(DottedQuad.bits(address), WHOLE);
    }

    public static Cidr parse(String text) {
        return parse(Word.of("network", text));
    }

    static Cidr parse(Word written) {
        String text = written.text();
        int slash = text.indexOf('/');
        OptionalInt bits = DottedQuad.bits(slash < 0 ? text : text.substring(0, slash));
        if (bits.isEmpty()) {
            throw written.refused("network", "an IPv4 address of four decimal numbers like 203.0.113.7, or a network like 203.0.113.0/24");
        }
        OptionalInt prefix = slash < 0 ? OptionalInt.of(WHOLE) : Decimal.parse(text.substring(slash + 1), WHOLE);
        if (prefix.isEmpty()) {
            throw written.after(slash + 1).refused("prefix", "0 to " + WHOLE);
        }
        int network = bits.getAsInt() & mask(prefix.getAsInt());
        if (network != bits.getAsInt()) {
            String whole = DottedQuad.text(network) + "/" + prefix.getAsInt();
            throw written.refused("network", whole + ", or " + DottedQuad.text(bits.getAsInt()) + " for the one address");
        }
        return new Cidr(network, prefix.getAsInt());
    }

    public boolean contains(Inet4Address address) {
        return (DottedQuad.bits(address) & mask(prefix)) == bits;
    }

    /** Whether every address of the other is in this one too. */
    public boolean contains(Cidr other) {
        return other.prefix >= prefix && (other.bits & mask(prefix)) == bits;
    }

    /** A shift by all 32 bits would be none. */
    private static int mask(int prefix) {
        return prefix == 0 ? 0 : -1 << (WHOLE - prefix);
    }

    /** What parses to this network. */
    @Override
    public String toString() {
        return prefix == WHOLE ? DottedQuad.text(bits) : DottedQuad.text(bits) + "/" + prefix;
    }
}
