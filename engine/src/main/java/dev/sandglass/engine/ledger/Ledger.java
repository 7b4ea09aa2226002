package dev.sandglass.engine.ledger;

import dev.sandglass.engine.sandbox.SandboxId;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;

/**
 * What exists and what happened. A call that returns is durable; a call that throws {@code ledger_failed} may or may not
 * have happened. Thread-safe.
 */
public interface Ledger extends AutoCloseable {
    /**
     * Adds a sandbox; {@code name_taken} if another that is not destroyed has its name, {@code snapshot_not_found} if the snapshot from which it
     * is to be made was deleted meanwhile, {@code image_not_found} if its image was, {@code credential_not_found} if it is to have a credential that is not there,
     * {@code volume_not_found} if it is to have a volume that is not, {@code conflict} if others have that and cannot share it.
     */
    void insert(SandboxRecord sandbox);

    /**
     * Adds a sandbox, unless the key has made one before: then that one is given back. A sandbox that never came to run does not
     * count. {@code idempotency_key_reused} if the key came with another request, whatever that made; keys are kept for a day, the newest 10000.
     */
    Optional<SandboxRecord> insertOnce(SandboxRecord sandbox, IdempotencyKey key);

    /** The sandboxes that a key has made, as {@link #insertOnce} would give one back: one by a create, all copies by a fork. */
    List<SandboxRecord> madeBy(IdempotencyKey key);

    /** Throws {@code name_taken} if a sandbox that is not destroyed has that name now. */
    void requireFree(String name);

    /**
     * Replaces the record whose version is one less; anything else is {@code internal}, a name that another has {@code name_taken}, a snapshot to rest at that was deleted
     * {@code snapshot_not_found}, a credential that it is to have besides and that is not there {@code credential_not_found}; with volumes as in {@link #insert}.
     */
    void update(SandboxRecord next);

    /**
     * Adds a snapshot for which nothing had to be made, replaces the record of the sandbox that is at it now, and notes the key by which it was asked for: all or
     * none.
     */
    void insert(SnapshotRecord snapshot, SandboxRecord next, Optional<IdempotencyKey> key);

    /** Writes a new sandbox that is not to be there alone, or not for long: until it is confirmed, a daemon that finds it takes it away. */
    void insertTentatively(SandboxRecord sandbox);

    /** Those that were not confirmed. What is destroyed is none of them any more, from the write on that says so. */
    Set<SandboxId> unconfirmed();

    /** Confirms all of them at once. */
    void confirm(Collection<SandboxId> sandboxes);

    /** The same, and notes that the key has made them: both or none. {@code idempotency_key_reused} if it has made something for another request meanwhile. */
    void confirm(Collection<SandboxId> sandboxes, IdempotencyKey key);

    Optional<SandboxRecord> find(SandboxId id);

    /** The highest generation number of a sandbox or a snapshot that is known, destroyed and deleted ones included; 1 if there is none. */
    long highestGeneration();

    /** By name, id or unique prefix of one, among those that are not destroyed; {@code sandbox_not_found}, {@code ambiguous_prefix}. */
    SandboxRecord resolve(String nameOrId);

    /**
     * As {@link #resolve}, but that a name must be whole: for what cannot be undone, as who asks for it twice must not hit a neighbour, and where the names of
     * other things count as well.
     */
    SandboxRecord resolveWhole(String nameOrId);

    /** All that are not destroyed, oldest first. */
    List<SandboxRecord> sandboxes();

    /**
     * The first of those that are wanted behind a position, oldest first. What comes and goes between two calls makes no other
     * sandbox appear twice or be left out.
     *
     * @param history what is kept of destroyed ones too, of which there may be very many
     * @param wanted quick and without effect: others wait for it
     */
    List<SandboxRecord> sandboxes(Optional<Position> after, boolean history, Predicate<SandboxRecord> wanted, int limit);

    /** Adds an event that is no change of the sandbox itself. */
    void add(SandboxId id, String name, Change change);

    /**
     * Adds an event about a command, unless the ledger has had it: one of that type about the command since the sandbox was started, or any
     * that would be so old that it is no longer kept.
     *
     * @param at when it happened
     */
    void addOnce(SandboxRecord sandbox, Change change, String command, Instant at);

    /** The commands about which there is an event of that type since the sandbox was started. */
    Set<String> told(SandboxRecord sandbox, String type);

    /** The command that a key has started or was about to start; {@code idempotency_key_reused} if it came with another request. */
    Optional<KeyedCommand> command(SandboxId sandbox, IdempotencyKey key);

    /** Notes the command of a key in the place of what the key stood for; keys are kept for a day, the newest 10000, and the newest 1000 of a sandbox. */
    void keep(SandboxId sandbox, IdempotencyKey key, KeyedCommand command);

    /** The highest number that is kept for any key of a sandbox that was started then; 0 if there is none. */
    int highestCommand(SandboxId sandbox, Instant life);

    /** The first of the wanted events behind an id. Every write of a sandbox is among them; the newest 10000 are kept. */
    EventPage events(long after, EventFilter wanted, int limit);

    /** Keeps an operation as it is now, in the place of what was kept of it. Of those that have ended the newest 1000 of a day are kept. */
    void keep(OperationRecord operation);

    Optional<OperationRecord> operation(String id);

    /** Those that are kept as running, oldest first. */
    List<OperationRecord> openOperations();

    /** The snapshots of this ledger. */
    SnapshotLedger snapshots();

    /** The keys of the API. */
    ApiKeyLedger apiKeys();

    /** The credentials of this ledger. */
    CredentialLedger credentials();

    /** The routes to sandboxes of this ledger. */
    RouteLedger routes();

    /** What the sandboxes of this ledger have used of budgets. */
    SpendingLedger spendings();

    /** What the sandboxes of this ledger tried to reach. */
    JourneyLedger journeys();

    /** The volumes of this ledger. */
    VolumeLedger volumes();

    /** The images from elsewhere of this ledger. */
    ImageLedger images();

    /** The templates of this ledger. */
    TemplateLedger templates();

    /** The pools of ready sandboxes of this ledger. */
    ReadyLedger ready();

    /** The builds of this ledger. */
    BuildLedger builds();

    /** Calls {@code added} after every write that made an event; it must be quick. */
    void watch(Runnable added);

    @Override
    void close();
}
