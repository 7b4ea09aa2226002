package dev.sandglass.engine.credential;

import dev.sandglass.engine.key.KeyFile;
import dev.sandglass.engine.ledger.CredentialLedger;
import dev.sandglass.engine.ledger.CredentialRecord;
import dev.sandglass.engine.ledger.Ledger;
import dev.sandglass.engine.network.Attempt;
import dev.sandglass.engine.network.HostName;
import dev.sandglass.engine.sandbox.SandboxId;
import dev.sandglass.wire.CreateCredential;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.Json;
import dev.sandglass.wire.RotateCredential;
import dev.sandglass.wire.SandglassException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The credentials of this machine. Their values come in and are sealed; nothing gives one out but {@link #secret}, to who puts it into a request.
 * Thread-safe: who looks for credentials waits for nobody.
 */
public final class Credentials {
    private static final Logger LOG = LoggerFactory.getLogger(Credentials.class);
    /** So often a credential is taken from those that have it: others may give it to more meanwhile. */
    private static final int ROUNDS = 10;

    /** A credential and its row. */
    private record Kept(Credential credential, CredentialRecord row) {}

    private final CredentialLedger ledger;
    private final KeyFile key;
    private final ConcurrentSkipListMap<String, Kept> kept = new ConcurrentSkipListMap<>();
    private volatile @Nullable Seal seal;

    private Credentials(CredentialLedger ledger, KeyFile key) {
        this.ledger = ledger;
        this.key = key;
    }

    /** @param key the file of the key, which is made with the first credential */
    public static Credentials open(Ledger ledger, Path key) {
        KeyFile file = new KeyFile(
                key,
                "key file of the credentials",
                "Put the file back that was there when the credentials were created, with mode 600, or remove all credentials, and a new one is made with the next.");
        Credentials credentials = new Credentials(ledger.credentials(), file);
        credentials.ledger.all().forEach(credentials::load);
        return credentials;
    }

    /** One that is not what was written does not keep the daemon from its start: it is as good as not there, and can be removed. */
    private void load(CredentialRecord row) {
        try {
            Credential credential = Credential.of(Json.read(dev.sandglass.wire.Credential.class, row.description().getBytes(StandardCharsets.UTF_8)));
            if (credential.name().equals(row.name())) {
                kept.put(row.name(), new Kept(credential, row));
                return;
            }
        } catch (SandglassException | IllegalArgumentException damaged) {
            LOG.debug("because", damaged);
        }
        LOG.error("The ledger's row of the credential {} is damaged; no request gets it", row.name());
    }

    public synchronized Credential create(CreateCredential request) {
        Credential credential = Credential.of(request, now());
        Secret secret = credential.kind().secret(request.value());
        CredentialRecord row = sealed(credential, secret);
        ledger.insert(row);
        kept.put(row.name(), new Kept(credential, row));
        return credential;
    }

    /** All of them, by name. */
    public List<Credential> list() {
        return kept.values().stream().map(Kept::credential).toList();
    }

    public Credential get(String name) {
        return found(name).credential();
    }

    private Kept found(String name) {
        return Optional.ofNullable(kept.get(name)).orElseThrow(() -> new SandglassException(
                ErrorCode.CREDENTIAL_NOT_FOUND, "There is no credential " + name + ".", "`sandglass credential ls` lists those that there are."));
    }

    /** Puts another value in the place of the one of now; the next request gets it. */
    public synchronized Credential rotate(String name, RotateCredential request) {
        Credential next = get(name).rotated(now());
        CredentialRecord row = sealed(next, next.kind().secret(request.value()));
        ledger.replace(row);
        kept.put(name, new Kept(next, row));
        return next;
    }

    /**
     * Removes one, after it was taken from all sandboxes that have it.
     *
     * @param revoke takes it from the sandbox with that id
     */
    public void remove(String name, Consumer<String> revoke) {
        for (int round = 0; round < ROUNDS; round++) {
            List<SandboxId> holders = removeUnlessHeld(name);
            if (holders.isEmpty()) {
                return;
            }
            holders.forEach(holder -> revokeFrom(holder, revoke));
        }
        throw new SandglassException(
                ErrorCode.CONFLICT, "The credential " + name + " is given to sandboxes faster than it can be taken from them.", "Try again when nobody grants it.");
    }

    private synchronized List<SandboxId> removeUnlessHeld(String name) {
        List<SandboxId> holders = ledger.remove(name);
        if (holders.isEmpty()) {
            kept.remove(name);
        }
        return holders;
    }

    /** One that was destroyed meanwhile, or from which somebody else took it, has it no more. */
    private static void revokeFrom(SandboxId holder, Consumer<String> revoke) {
        try {
            revoke.accept(holder.text());
        } catch (SandglassException problem) {
            if (problem.code() != ErrorCode.SANDBOX_NOT_FOUND && problem.code() != ErrorCode.CREDENTIAL_NOT_FOUND) {
                throw problem;
            }
        }
    }

    /**
     * Those that belong to a request, by name.
     *
     * @param granted the names of those that its sandbox has
     * @param attempt with its request, and its protocol: one that is not encrypted gets those only that may go so
     */
    public List<Credential> matching(Collection<String> granted, Attempt attempt) {
        return granted(granted).stream().filter(credential -> credential.destination().includes(attempt)).toList();
    }

    /** Whether a request may come of an attempt to which one of them belongs, so that somebody has to look at its requests. */
    public boolean concern(Collection<String> granted, Attempt attempt) {
        return granted(granted).stream().anyMatch(credential -> credential.destination().mayInclude(attempt));
    }

    /** Whether requests to that host may be served elsewhere. */
    public boolean leadElsewhere(Collection<String> granted, HostName name) {
        return granted(granted).stream().anyMatch(credential -> credential.baseUrl().isPresent() && credential.destination().mayInclude(Attempt.to(name)));
    }

    /** The environment in which programs of a sandbox that has these find what they are for; the first by name counts. */
    public Map<String, String> variables(Collection<String> granted) {
        Map<String, String> all = new TreeMap<>();
        granted(granted).forEach(credential -> credential.variables().forEach(all::putIfAbsent));
        return all;
    }

    private List<Credential> granted(Collection<String> names) {
        return names.stream().sorted().flatMap(name -> Optional.ofNullable(kept.get(name)).stream()).map(Kept::credential).toList();
    }

    /** The value of now of a credential that was found; {@code credential_not_found} if it was removed meanwhile, also if another has its name. */
    public Secret secret(Credential credential) {
        Kept now = found(credential.name());
        boolean same = now.credential().rotated(credential.rotatedAt()).equals(credential);
        if (!same) {
            throw new SandglassException(ErrorCode.CREDENTIAL_NOT_FOUND, "The credential " + credential.name() + " is another one now.", "Send the request again.");
        }
        Seal opened = seal;
        if (opened == null) {
            opened = checked(key.read());
            seal = opened;
        }
        return opened.open(now.row().sealed(), now.row().description()).orElseThrow(() -> new SandglassException(
                ErrorCode.STORAGE_FAILED,
                "The value of the credential " + credential.name() + " cannot be opened: the ledger has another one than was written.",
                "Create it anew: `sandglass credential rm " + credential.name() + "`, then `sandglass credential create`."));
    }

    /** The key is read for each: what is sealed with one that is gone meanwhile could not be opened after the next start. */
    private CredentialRecord sealed(Credential credential, Secret secret) {
        boolean first = !key.exists() && ledger.all().isEmpty();
        Seal current = first ? new Seal(key.create()) : checked(key.read());
        seal = current;
        String description = Json.write(credential.toWire());
        return new CredentialRecord(credential.name(), description, current.close(secret, description));
    }

    /** A key that opens none of the values that there are is another one, and what it seals would be lost when the right one comes back. */
    private Seal checked(byte[] bytes) {
        Seal candidate = new Seal(bytes);
        List<CredentialRecord> rows = ledger.all();
        boolean fits = rows.isEmpty() || rows.stream().anyMatch(row -> candidate.open(row.sealed(), row.description()).isPresent());
        if (!fits) {
            throw key.refused("is not the one with which the values were sealed");
        }
        return candidate;
    }

    private static Instant now() {
        return Instant.now().truncatedTo(ChronoUnit.MILLIS);
    }
}
