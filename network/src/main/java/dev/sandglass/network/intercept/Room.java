package dev.sandglass.network.intercept;

import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/** How many bytes of bodies may be held at once, of all sandboxes and of each: one that sends all it can must leave enough to the others and to the daemon. Thread-safe. */
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

        private Share(Object owner) {
            this.owner = owner;
        }

        /** Whether it has that size now; there is always room for less. */
        synchronized boolean resize(int wanted) {
            boolean fits = change(owner, wanted - bytes);
            if (fits) {
                bytes = wanted;
            }
            return fits;
        }

        /** Fine if it was given back. */
        void giveBack() {
            resize(0);
        }
    }
}
