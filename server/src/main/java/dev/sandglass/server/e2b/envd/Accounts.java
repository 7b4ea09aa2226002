package dev.sandglass.server.e2b.envd;

import dev.sandglass.engine.file.Account;
import dev.sandglass.engine.file.UserFiles;
import dev.sandglass.server.e2b.connect.Code;
import dev.sandglass.server.e2b.connect.RpcException;
import dev.sandglass.server.http.Call;
import dev.sandglass.wire.Sandbox;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.Optional;

/** The users of sandboxes for whom something is done; who was found is remembered for a moment. Thread-safe. */
final class Accounts {
    /** Commands and files are this user's if nobody says otherwise. */
    static final String USUAL = "user";

    private static final String ROOT = "root";
    private static final String BASIC = "Basic ";
    private static final Duration KEPT = Duration.ofSeconds(30);
    private static final int MOST_KEPT = 1000;

    private record Key(String sandbox, String name) {}

    private record Known(Account account, long since) {}

    private final UserFiles files;
    private final LinkedHashMap<Key, Known> known = new LinkedHashMap<>();

    Accounts(UserFiles files) {
        this.files = files;
    }

    /** The name that the client gives with its call, if any. */
    static Optional<String> basic(Call call) {
        return call.header("Authorization")
                .filter(value -> value.regionMatches(true, 0, BASIC, 0, BASIC.length()))
                .map(value -> name(value.substring(BASIC.length()).strip()))
                .filter(name -> !name.isEmpty());
    }

    private static String name(String credentials) {
        try {
            return new String(Base64.getDecoder().decode(credentials), StandardCharsets.UTF_8).split(":", 2)[0];
        } catch (IllegalArgumentException notBase64) {
            throw new RpcException(Code.UNAUTHENTICATED, "invalid credentials");
        }
    }

    /** The named user, or that of the sandbox's commands, or the usual one; root where an image has no such user. */
    Account of(Sandbox sandbox, Optional<String> named) {
        if (named.isPresent()) {
            return find(sandbox.id(), named.get()).orElseThrow(() -> new RpcException(Code.UNAUTHENTICATED, "invalid username: '" + named.get() + "'"));
        }
        String usual = Optional.ofNullable(sandbox.user()).map(user -> user.split(":", 2)[0]).orElse(USUAL);
        return find(sandbox.id(), usual).orElseGet(() -> new Account(sandbox.id(), ROOT, "/root"));
    }

    Optional<Account> find(String sandbox, String name) {
        Key key = new Key(sandbox, name);
        Optional<Account> remembered = remembered(key);
        if (remembered.isPresent()) {
            return remembered;
        }
        Optional<Account> found = files.account(sandbox, name);
        found.ifPresent(account -> remember(key, account));
        return found;
    }

    private synchronized Optional<Account> remembered(Key key) {
        return Optional.ofNullable(known.get(key)).filter(each -> System.nanoTime() - each.since() < KEPT.toNanos()).map(Known::account);
    }

    private synchronized void remember(Key key, Account account) {
        known.remove(key); // to come last
        known.put(key, new Known(account, System.nanoTime()));
        if (known.size() > MOST_KEPT) {
            known.remove(known.firstEntry().getKey());
        }
    }
}
