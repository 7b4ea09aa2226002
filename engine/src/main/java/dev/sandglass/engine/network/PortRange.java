package dev.sandglass.engine.network;

import java.util.List;
import java.util.OptionalInt;

/** Ports from one to another, both included: {@code 443}, {@code 8000-9000}. */
public record PortRange(int first, int last) {
    static final int LARGEST = 65_535;

    public PortRange {
        if (first < 1 || last < first || last > LARGEST) {
            throw new IllegalArgumentException("ports: " + first + "-" + last + " (expected: 1 to " + LARGEST + ", the smaller first)");
        }
    }

    public static PortRange of(int port) {
        return new PortRange(port, port);
    }

    public static PortRange parse(String text) {
        return parse(Word.of("ports", text));
    }

    static PortRange parse(Word written) {
        List<Word> ends = written.split('-');
        if (ends.size() > 2) {
            throw written.refused("ports", "one port like 443, or a range like 8000-9000");
        }
        int first = port(ends.getFirst());
        int last = port(ends.getLast());
        if (last < first) {
            throw written.refused("ports", last + "-" + first);
        }
        return new PortRange(first, last);
    }

    private static int port(Word written) {
        OptionalInt port = Decimal.parse(written.text(), LARGEST);
        if (port.isEmpty() || port.getAsInt() == 0) {
            throw written.refused("port", "1 to " + LARGEST);
        }
        return port.getAsInt();
    }

    public boolean contains(int port) {
        return port >= first && port <= last;
    }

    /** What parses to these ports. */
    @Override
    public String toString() {
        return first == last ? String.valueOf(first) : first + "-" + last;
    }
}
