package dev.sandglass.runtime.oci;

import java.util.ArrayList;
import java.util.List;

/**
 * The 32-bit numbers whose bits under a mask have a value. The kernel looks at the low half of such arguments only, and a
 * filter that compared the whole word could be passed by a bit in the high half.
 */
record BitPattern(long mask, long value) {
    static final long ALL = 0xffff_ffffL;
    private static final int HIGHEST_BIT = 31;

    /** Patterns that together match every number but these. */
    static List<BitPattern> allBut(List<Long> numbers) {
        List<BitPattern> patterns = new ArrayList<>();
        collect(numbers, HIGHEST_BIT, new BitPattern(0, 0), patterns);
        return patterns;
    }

    /** All numbers given here match the prefix, which fixes the bits above {@code bit}. */
    private static void collect(List<Long> numbers, int bit, BitPattern prefix, List<BitPattern> patterns) {
        if (numbers.isEmpty()) {
            patterns.add(prefix);
            return;
        }
        if (bit < 0) {
            return;
        }
        long one = 1L << bit;
        for (long side : new long[] {0, one}) {
            BitPattern longer = new BitPattern(prefix.mask | one, prefix.value | side);
            collect(numbers.stream().filter(number -> (number & one) == side).toList(), bit - 1, longer, patterns);
        }
    }
}
