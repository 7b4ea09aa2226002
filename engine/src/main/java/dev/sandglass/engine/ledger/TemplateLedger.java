package dev.sandglass.engine.ledger;

import dev.sandglass.engine.sandbox.SnapshotId;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** Templates and what they were built into. The name of a template is that of no other snapshot than its own of now. Thread-safe. */
public interface TemplateLedger {
    /** The most that are kept. */
    int MOST = 512;

    /** The most tags of one. */
    int MOST_TAGS = 64;

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
     * @param recipe of which it was built
     * @param tags that stand for it from now on; the name does if there are none, or if {@code default} is one, and else only they do
     * @return the number of the version
     */
    long publish(String template, SnapshotId snapshot, String digest, String recipe, Optional<String> build, List<String> tags, Instant at);

    /** Lets the name stand for another version; {@code snapshot_not_found} if its snapshot is gone. */
    void point(String template, long version);

    /** Lets a tag stand for a version; {@code snapshot_not_found} if its snapshot is gone, {@code limit_reached} if there are as many as may be. */
    void tag(String template, String tag, long version, Instant at);

    /** Takes a tag away; {@code template_not_found} if it is none. */
    void untag(String template, String tag);

    /** The tags of a template and what they stand for, by tag. */
    List<TemplateTag> tags(String template);

    /** Removes a version that neither the name nor a tag stands for, with its snapshot. */
    void forget(String template, long version);
}
