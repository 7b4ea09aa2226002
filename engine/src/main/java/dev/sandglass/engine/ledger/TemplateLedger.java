package dev.sandglass.engine.ledger;

import dev.sandglass.engine.sandbox.SnapshotId;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** Templates and what they were built into. The name of a template is that of no other snapshot than its own of now. Thread-safe. */
public interface TemplateLedger {
    /** The most that are kept. */
    int MOST = 512;

    /** Adds one; {@code name_taken} if a template or a snapshot has its name, {@code limit_reached} if there are as many as may be. */
    void insert(TemplateRecord template);

    /** Gives one another recipe; {@code template_not_found}. */
    void replace(String name, String origin, String recipe, Instant updatedAt);

    Optional<TemplateRecord> find(String name);

    /** All of them, by name. */
    List<TemplateRecord> all();

    /** Removes one with its versions and their snapshots, but for one at which a sandbox rests: that stays, without the name. Fine if it is not there. */
    void remove(String name);

    /** The same, but the template itself stays. */
    void clear(String name);

    /** Those of a template, newest first. */
    List<VersionRecord> versions(String name);

    /**
     * Makes a snapshot that was taken for a build the newest version of a template: it is kept, and has the name from now on. All or nothing; {@code template_not_found},
     * {@code snapshot_not_found}.
     *
     * @return the number of the version
     */
    long publish(String template, SnapshotId snapshot, String digest, Optional<String> build, Instant at);

    /** Lets the name stand for another version; {@code snapshot_not_found} if its snapshot is gone. */
    void point(String template, long version);

    /** Removes a version that the name does not stand for, with its snapshot. */
    void forget(String template, long version);
}
