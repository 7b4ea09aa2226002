package dev.sandglass.engine.apikey;

import dev.sandglass.engine.ledger.ApiKeyLedger;
import dev.sandglass.engine.ledger.ApiKeyRecord;
import dev.sandglass.engine.ledger.Ledger;
import dev.sandglass.wire.ApiKey;
import dev.sandglass.wire.CreateApiKey;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.SandglassException;
import dev.sandglass.wire.Sha256;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.time.Clock;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The keys of this machine's API. Who asks whether a key is one waits for nobody. Thread-safe. */
public final class ApiKeys {
    /** As some clients want their keys to look. */
    private static final String PREFIX = "e2b_";

    private static final int BYTES = 20;
    private static final int HINT = 4;
    private static final Pattern FORM = Pattern.compile(PREFIX + "[0-9a-f]{" + 2 * BYTES + "}");
    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9][A-Za-z0-9_.-]{0,62}");

    private final ApiKeyLedger ledger;
    private final Clock clock;
    private final SecureRandom random = new SecureRandom();
    /** By the hash: where it is found tells nothing of a text that has it. */
    private final Map<String, ApiKeyRecord> known = new ConcurrentHashMap<>();
    private volatile Consumer<String> revoked = _ -> {};

    public ApiKeys(Ledger ledger) {
        this.ledger = ledger.apiKeys();
        this.clock = Clock.systemUTC();
        this.ledger.all().forEach(key -> known.put(key.hash(), key));
    }

    /** Makes a key, of which the text is shown in this answer and never again. */
    public synchronized ApiKey create(CreateApiKey request) {
        String name = request.name() == null ? unusedName() : named(request.name());
        byte[] bytes = new byte[BYTES];
        random.nextBytes(bytes);
        String text = PREFIX + HexFormat.of().formatHex(bytes);
        Instant now = clock.instant().truncatedTo(ChronoUnit.MILLIS);
        ApiKeyRecord key = new ApiKeyRecord(name, hash(text), text.substring(text.length() - HINT), now);
        ledger.insert(key);
        known.put(key.hash(), key);
        return shown(key, text);
    }

    private static String named(String asked) {
        if (!NAME.matcher(asked).matches()) {
            throw new SandglassException(
                    ErrorCode.INVALID_REQUEST,
                    "name: " + asked.length() + " characters (expected: 1 to 63 letters, digits, '_', '.', '-', beginning with a letter or digit)",
                    "Choose another name, or none.");
        }
        return asked;
    }

    private String unusedName() {
        int number = 1;
        while (isTaken("key-" + number)) {
            number++;
        }
        return "key-" + number;
    }

    private boolean isTaken(String name) {
        return known.values().stream().anyMatch(key -> key.name().equals(name));
    }

    /** All of them, by name. */
    public List<ApiKey> list() {
        return ledger.all().stream().map(key -> shown(key, null)).toList();
    }

    /** From now on the key lets nobody in, and what was begun with it is cut off. */
    public synchronized void revoke(String name) {
        ledger.remove(name);
        List<String> gone = known.values().stream().filter(key -> key.name().equals(name)).map(ApiKeyRecord::hash).toList();
        gone.forEach(known::remove);
        gone.forEach(revoked);
    }

    /** What a key is known by if that text is one. */
    public Optional<String> find(String text) {
        return FORM.matcher(text).matches() ? Optional.ofNullable(known.get(hash(text))).map(ApiKeyRecord::hash) : Optional.empty();
    }

    /** Whether what {@link #find} gave is still that of a key. */
    public boolean isKnown(String found) {
        return known.containsKey(found);
    }

    /** Tells what keys were known by that are revoked from now on. The watcher must be quick. */
    public void watchRevocations(Consumer<String> watcher) {
        revoked = watcher;
    }

    private static ApiKey shown(ApiKeyRecord key, @Nullable String text) {
        return new ApiKey(key.name(), key.hint(), key.createdAt(), text);
    }

    /** The text has 160 random bits: nobody finds it from this. */
    private static String hash(String text) {
        return Sha256.of(text.getBytes(StandardCharsets.US_ASCII));
    }
}
