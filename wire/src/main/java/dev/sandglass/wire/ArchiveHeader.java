package dev.sandglass.wire;

import io.avaje.jsonb.Json;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What stands first in the file of a snapshot: what it is, and what comes behind.
 *
 * @param version of the format
 * @param snapshot its id where it was taken
 * @param architecture of the machine where it was taken, for which its programs are made
 * @param imageManifest of the image that is among the parts; without it the image is needed where the file is read
 * @param memory there if the parts have processes
 * @param commandDefaults what commands of its copies get if nobody says otherwise
 */
@Json(naming = Json.Naming.LowerUnderscore)
public record ArchiveHeader(
        int version,
        String snapshot,
        @Nullable String name,
        String sandbox,
        String sandboxName,
        String runtime,
        String architecture,
        String image,
        @Nullable String imageManifest,
        long generation,
        long pauseMicros,
        String description,
        Map<String, String> labels,
        Instant createdAt,
        @Nullable Processes memory,
        List<Part> parts,
        @Nullable CommandSettings commandDefaults) {
    /** What a reader did not find in the text is refused there. */
    public ArchiveHeader {
        Objects.requireNonNull(snapshot, "snapshot");
        Objects.requireNonNull(sandbox, "sandbox");
        Objects.requireNonNull(sandboxName, "sandbox_name");
        Objects.requireNonNull(runtime, "runtime");
        Objects.requireNonNull(architecture, "architecture");
        Objects.requireNonNull(image, "image");
        Objects.requireNonNull(description, "description");
        Objects.requireNonNull(createdAt, "created_at");
        labels = Map.copyOf(labels);
        parts = List.copyOf(parts);
    }

    /** Of a full snapshot: what processes need where they go on. */
    @Json(naming = Json.Naming.LowerUnderscore)
    public record Processes(
            String agent,
            String security,
            List<String> capabilities,
            long memoryBytes,
            double cpus,
            long diskBytes,
            long processes,
            Map<String, String> traits) {
        public Processes {
            Objects.requireNonNull(agent, "agent");
            Objects.requireNonNull(security, "security");
            capabilities = List.copyOf(capabilities);
            traits = Map.copyOf(traits);
        }
    }

    /**
     * One tree, or the agent.
     *
     * @param role one of the constants of this record
     * @param manifestBytes how long its manifest is; 0 for an agent
     * @param entries files of every type
     * @param bytes of its files, holes included
     * @param digest of its manifest, or of the agent
     */
    @Json(naming = Json.Naming.LowerUnderscore)
    public record Part(String role, long manifestBytes, long entries, long bytes, String digest) {
        public Part {
            Objects.requireNonNull(role, "role");
            Objects.requireNonNull(digest, "digest");
        }

        /** The image on which the layers lie. */
        public static final String IMAGE = "image";
        /** A layer of the disk; they come top first. */
        public static final String LAYER = "layer";
        /** The captured processes. */
        public static final String MEMORY = "memory";
        /** The agent that is among the captured processes: its bytes, and no manifest. */
        public static final String AGENT = "agent";
    }
}
