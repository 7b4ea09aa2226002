package dev.sandglass.engine.snapshot;

import dev.sandglass.engine.archive.ArchiveFormat;
import dev.sandglass.engine.ledger.SnapshotRecord;
import dev.sandglass.engine.life.Rules;
import dev.sandglass.engine.manifest.Facts;
import dev.sandglass.engine.sandbox.Capability;
import dev.sandglass.engine.sandbox.CommandDefaults;
import dev.sandglass.engine.sandbox.Limits;
import dev.sandglass.engine.sandbox.SandboxId;
import dev.sandglass.engine.sandbox.Security;
import dev.sandglass.engine.sandbox.SnapshotId;
import dev.sandglass.engine.sandbox.SnapshotPurpose;
import dev.sandglass.engine.sandbox.SnapshotState;
import dev.sandglass.wire.ArchiveHeader;
import dev.sandglass.wire.ArchiveHeader.Part;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.SandglassException;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** What a file's header says of a snapshot, as a record of this machine: every value is held to the rule that it has here. */
final class Imported {
    private static final Pattern RUNTIME = Pattern.compile("[a-z][a-z0-9-]{0,31}");
    private static final Pattern IMAGE = Pattern.compile("[0-9a-f]{12}|img-[0-9a-f]{32}");
    private static final Pattern DIGEST = Pattern.compile("[0-9a-f]{64}");
    /** Of which a snapshot is that nobody has captured here. */
    static final SandboxId NOBODY = new SandboxId("sbx-000000000000");

    private static final int MOST_DESCRIPTION = 4096;
    private static final int MOST_TRAIT = 4096;
    private static final long MOST_NUMBER = 1L << 50;

    private Imported() {}

    /** @param trusted whether its processes may go on here; else it has its disk only */
    static SnapshotRecord record(SnapshotId id, Optional<String> asked, ArchiveHeader header, boolean trusted) {
        try {
            return unchecked(id, asked, header, trusted);
        } catch (SandglassException invalid) {
            throw invalid.code() == ErrorCode.ARCHIVE_REFUSED ? invalid : ArchiveFormat.refused(invalid.what());
        }
    }

    /** A disk whose origin nobody told. */
    static SnapshotRecord ofTar(SnapshotId id, Optional<String> name, String image) {
        return new SnapshotRecord(
                id,
                1,
                name,
                SnapshotPurpose.KEPT,
                SnapshotState.CREATING,
                Optional.empty(),
                NOBODY,
                "imported",
                "auto",
                image,
                List.of(id.text()),
                SnapshotRecord.Bytes.UNKNOWN,
                Optional.empty(),
                1,
                0,
                "Of a tar archive.",
                Map.of(),
                Optional.empty(),
                Instant.now(),
                Optional.empty(),
                List.of(),
                CommandDefaults.NONE);
    }

    private static SnapshotRecord unchecked(SnapshotId id, Optional<String> asked, ArchiveHeader header, boolean trusted) {
        parts(header);
        require("sandbox", header.sandbox(), SandboxId.isId(header.sandbox()));
        require("architecture", header.architecture() + " (expected: " + Facts.architecture() + ")", header.architecture().equals(Facts.architecture()));
        require("runtime", header.runtime(), RUNTIME.matcher(header.runtime()).matches());
        require("image", header.image(), IMAGE.matcher(header.image()).matches());
        require("generation", header.generation(), header.generation() >= 0 && header.generation() < MOST_NUMBER);
        require("pause_micros", header.pauseMicros(), header.pauseMicros() >= 0 && header.pauseMicros() < MOST_NUMBER);
        require("description", "too long", header.description().length() <= MOST_DESCRIPTION);
        Instant now = Instant.now();
        return new SnapshotRecord(
                id,
                1,
                asked.or(() -> Optional.ofNullable(header.name()).map(Rules::name)),
                SnapshotPurpose.KEPT,
                SnapshotState.CREATING,
                Optional.empty(),
                new SandboxId(header.sandbox()),
                Rules.name(header.sandboxName()),
                header.runtime(),
                header.image(),
                layers(id, header),
                SnapshotRecord.Bytes.UNKNOWN,
                memory(header).filter(_ -> trusted),
                header.generation(),
                header.pauseMicros(),
                header.description(),
                Rules.pairs("labels", Rules.LABEL, header.labels()),
                Optional.empty(),
                header.createdAt().isAfter(now) || header.createdAt().isBefore(Instant.EPOCH) ? now : header.createdAt(),
                Optional.empty(),
                List.of(),
                Rules.checked(CommandDefaults.of(header.commandDefaults()))); // they stay where they are
    }

    /** An image or none, at least one layer, and processes with their agent or neither. */
    private static void parts(ArchiveHeader header) {
        long images = count(header, Part.IMAGE);
        long memories = count(header, Part.MEMORY);
        long agents = count(header, Part.AGENT);
        long layers = count(header, Part.LAYER);
        boolean sound = images == (header.imageManifest() == null ? 0 : 1)
                && memories == (header.memory() == null ? 0 : 1)
                && agents == memories
                && layers > 0
                && images + memories + agents + layers == header.parts().size();
        require("parts", header.parts().stream().map(Part::role).toList(), sound);
    }

    private static long count(ArchiveHeader header, String role) {
        return header.parts().stream().filter(part -> part.role().equals(role)).count();
    }

    private static List<String> layers(SnapshotId id, ArchiveHeader header) {
        return IntStream.range(0, (int) count(header, Part.LAYER)).mapToObj(index -> index == 0 ? id.text() : id.text() + "-" + index).toList();
    }

    private static Optional<SnapshotRecord.Memory> memory(ArchiveHeader header) {
        ArchiveHeader.Processes memory = header.memory();
        if (memory == null) {
            return Optional.empty();
        }
        require("agent", memory.agent(), DIGEST.matcher(memory.agent()).matches() && memory.agent().equals(part(header, Part.AGENT).digest()));
        require("traits", "too many or too long", memory.traits().size() <= 64
                && memory.traits().entrySet().stream().allMatch(trait -> trait.getKey().length() + trait.getValue().length() <= MOST_TRAIT));
        require("limits", "out of bounds", isNumber(memory.memoryBytes()) && isNumber(memory.diskBytes()) && isNumber(memory.processes())
                && memory.cpus() > 0 && memory.cpus() <= 4096);
        Security security = Security.of(memory.security()).orElseThrow(() -> ArchiveFormat.refused("security: " + memory.security()));
        Limits limits = new Limits(memory.memoryBytes(), memory.cpus(), memory.diskBytes(), memory.processes());
        return Optional.of(new SnapshotRecord.Memory(
                part(header, Part.MEMORY).bytes(), memory.agent(), security, capabilities(memory.capabilities()), limits, Map.copyOf(memory.traits())));
    }

    private static Set<Capability> capabilities(List<String> names) {
        try {
            return names.stream().map(Capability::valueOf).collect(Collectors.toUnmodifiableSet());
        } catch (IllegalArgumentException unknown) {
            throw ArchiveFormat.refused("capabilities: " + unknown.getMessage());
        }
    }

    private static boolean isNumber(long value) {
        return value > 0 && value < MOST_NUMBER;
    }

    private static Part part(ArchiveHeader header, String role) {
        return header.parts().stream().filter(part -> part.role().equals(role)).findFirst().orElseThrow();
    }

    private static void require(String field, Object value, boolean holds) {
        if (!holds) {
            throw ArchiveFormat.refused(field + ": " + value);
        }
    }
}
