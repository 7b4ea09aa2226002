package dev.sandglass.server.http;

import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import java.util.function.Supplier;

/** The calls that are being served; tells when the last one is over. Thread-safe. */
final class InFlight {
    private final Set<Departure> calls = new HashSet<>();
    private boolean stopping;

    synchronized void begin(Departure call) {
        calls.add(call);
        if (stopping) {
            call.happen();
        }
    }

    synchronized void end(Departure call) {
        calls.remove(call);
        notifyAll();
    }

    synchronized boolean stopping() {
        return stopping;
    }

    /** From now on every wait ends: streams break off, and what does real work goes on. */
    synchronized void stop() {
        stopping = true;
        calls.forEach(Departure::happen);
    }

    /** Asks whose call it is: a key is revoked before that or later, and then the call is cut off. */
    synchronized void identify(Departure call, Supplier<Bearer> caller) {
        call.of(caller.get());
    }

    /** What was begun with that key is cut off. */
    synchronized void expel(String key) {
        calls.stream().filter(call -> call.bearer().key().filter(key::equals).isPresent()).forEach(Departure::expel);
    }

    /** Waits for the last call; false if some still run after that time. */
    synchronized boolean awaitNone(Duration timeout) throws InterruptedException {
        long deadline = System.nanoTime() + timeout.toNanos();
        while (!calls.isEmpty()) {
            long left = deadline - System.nanoTime();
            if (left <= 0) {
                return false;
            }
            wait(Math.max(1, left / 1_000_000));
        }
        return true;
    }
}
