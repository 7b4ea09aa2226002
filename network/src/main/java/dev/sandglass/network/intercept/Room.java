package dev.sandglass.network.intercept;

import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/** How many bytes may be held at once, of all sandboxes and of each: one that sends all it can must leave enough to the others and to the daemon. Thread-safe. */
final class Room {
    private final int all;
    private final int ofOne;
    private final Map<Object, Integer> taken = new HashMap<>();
    private int sum;

    Room(int all, int ofOne) {
        this.all = all;
        this.ofOne = ofOne;
    }

    /** Empty if there is not that much room. */
    Optional<Share> take(Object owner, int bytes) {
        Share share = new Share(owner);
        return share.resize(bytes) ? Optional.of(share) : Optional.empty();
    }

    private synchronized boolean change(Object owner, int by) {
        int its = taken.getOrDefault(owner, 0);
        if (by > 0 && (by > ofOne - its || by > all - sum)) {
            return false;
        }
        sum += by;
        if (its + by == 0) {
            taken.remove(owner);
        } else {
            taken.put(owner, its + by);
        }
        return true;
    }

    /** A part of it, which its owner gives back. */
    final class Share {
        private final Object owner;
        private int bytes;
        private boolean isGivenBack;

        private Share(Object owner) {
            this.owner = owner;
        }

        /** Whether it has that size now; there is always room for less, and none for one that was given back. */
        synchronized boolean resize(int wanted) {
            boolean fits = !isGivenBack && change(owner, wanted - bytes);
            if (fits) {
                bytes = wanted;
            }
            return fits;
        }

        /** The same by so much more, or less. */
        synchronized boolean grow(int by) {
            return resize(Math.max(0, bytes + by));
        }

        /** For good; fine if it was given back. */
        synchronized void giveBack() {
            resize(0);
            isGivenBack = true;
        }
    }
}
