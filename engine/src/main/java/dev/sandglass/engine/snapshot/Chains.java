package dev.sandglass.engine.snapshot;

import dev.sandglass.engine.life.Failpoint;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.SandglassException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps chains of layers short: the layers of a long one are merged into one that looks the same, beside them, and the next snapshot stands on that. What stands on
 * them already goes on doing so. The name of a merged layer follows from the names of its layers, so the ledger need not know it: it is kept as long as a chain in the
 * ledger ends with them, and one that a daemon left half made is made again. Thread-safe.
 */
final class Chains {
    /** From here on a chain is merged, while nobody waits for it. */
    static final int LONG = 16;
    /** Whoever makes such a chain longer waits for the merge, but not for ever: others wait for the sandbox. */
    static final int LONGEST = 32;
    /** One that is not made longer. An overlay has at most 500 layers, before Linux 6.8 as many as one page has room to name. */
    static final int MOST = 64;
    private static final Duration PATIENCE = Duration.ofSeconds(10);

    private static final Logger LOG = LoggerFactory.getLogger(Chains.class);
    private static final String PREFIX = "merged-";
    private static final int DIGITS = 32;

    private final LayerStore layers;
    /** What is being merged, or waits for it. */
    private final Map<String, CompletableFuture<Void>> wanted = new ConcurrentHashMap<>();

    Chains(LayerStore layers) {
        this.layers = layers;
    }

    /**
     * A chain that looks the same and is not longer, for something new; the caller keeps something that stands on the given one.
     *
     * @param image on which all of them lie
     */
    List<String> shortened(List<String> chain, String image) {
        if (chain.size() < LONG) {
            return chain;
        }
        Optional<List<String>> known = known(chain);
        if (known.isPresent()) {
            return known.get();
        }
        CompletableFuture<Void> merge = wanted.computeIfAbsent(
                merged(chain), _ -> CompletableFuture.runAsync(() -> mergeBeside(chain, image), work -> Thread.ofVirtual().name("merge-layers").start(work)));
        return chain.size() < LONGEST ? chain : awaited(merge, chain);
    }

    private List<String> awaited(CompletableFuture<Void> merge, List<String> chain) {
        try {
            merge.get(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
        } catch (ExecutionException | TimeoutException problem) {
            LOG.debug("A chain of {} layers is not merged yet", chain.size(), problem); // why it could not be is told where it is done
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
        }
        Optional<List<String>> known = known(chain);
        if (known.isEmpty() && chain.size() >= MOST) {
            throw new SandglassException(
                    ErrorCode.CONFLICT,
                    "It stands on " + chain.size() + " layers, which must be merged first.",
                    "Try again; if that does not help, there may be no room for the merged layer: see the daemon's log.");
        }
        return known.orElse(chain);
    }

    private Optional<List<String>> known(List<String> chain) {
        return IntStream.range(0, chain.size() - 1)
                .filter(above -> layers.isDescribed(merged(chain.subList(above, chain.size()))))
                .mapToObj(above -> shortened(chain, above))
                .findFirst();
    }

    private static List<String> shortened(List<String> chain, int above) {
        return Stream.concat(chain.subList(0, above).stream(), Stream.of(merged(chain.subList(above, chain.size())))).toList();
    }

    private void mergeBeside(List<String> chain, String image) {
        try {
            merge(chain, image);
        } catch (RuntimeException problem) {
            LOG.warn("A chain of {} layers stays as it is: {}", chain.size(), problem.toString());
        } finally {
            wanted.remove(merged(chain));
        }
    }

    /** One at a time: it is work for the disk. Layers that are not as they were are not taken over. */
    private synchronized void merge(List<String> chain, String image) {
        String merged = merged(chain);
        List<String> held = Stream.concat(Stream.of(merged), chain.stream()).toList();
        layers.hold(held);
        try {
            if (!layers.isDescribed(merged)) {
                chain.forEach(layer -> layers.require(layer, image, () -> false));
                layers.layers().remove(merged); // what was left without its manifest
                layers.layers().collapse(chain, merged);
                Failpoint.MERGE_MADE.reach();
                layers.describe(merged, image, Optional.empty(), () -> false);
                Failpoint.MERGE_DESCRIBED.reach();
                LOG.info("Merged {} layers into {}", chain.size(), merged);
            }
        } finally {
            layers.release(held);
        }
    }

    /** Whether one is the other, or the other shortened. */
    static boolean isSame(List<String> one, List<String> chain) {
        int above = one.size() - 1;
        return one.equals(chain) || (above >= 0 && above < chain.size() && one.equals(shortened(chain, above)));
    }

    /** The merged layers that a chain may be shortened by. */
    static Set<String> mergedOf(List<String> chain) {
        Set<String> names = new HashSet<>();
        for (int above = 0; above + LONG <= chain.size(); above++) {
            names.add(merged(chain.subList(above, chain.size())));
        }
        return names;
    }

    private static String merged(List<String> chain) {
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(String.join(" ", chain).getBytes(StandardCharsets.UTF_8));
            return PREFIX + HexFormat.of().formatHex(digest).substring(0, DIGITS);
        } catch (NoSuchAlgorithmException impossible) {
            throw new IllegalStateException(impossible); // every Java has it
        }
    }
}
