package dev.sandglass.engine.volume;

import dev.sandglass.engine.file.Location;
import dev.sandglass.engine.ledger.Ledger;
import dev.sandglass.engine.ledger.VolumeLedger;
import dev.sandglass.engine.ledger.VolumeRecord;
import dev.sandglass.engine.life.Rules;
import dev.sandglass.engine.life.Sandboxes;
import dev.sandglass.engine.sandbox.SandboxId;
import dev.sandglass.engine.sandbox.VolumeMode;
import dev.sandglass.wire.CreateSandbox;
import dev.sandglass.wire.Sandbox;
import dev.sandglass.wire.SandglassException;
import dev.sandglass.wire.VolumeMount;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The files of volumes. The host opens none of them: a sandbox of its own without a network reads or writes them, which is gone afterwards, or the one that has
 * the volume for itself writes them. Thread-safe.
 */
public final class VolumeFiles {
    private static final Logger LOG = LoggerFactory.getLogger(VolumeFiles.class);
    private static final String PLACE = "/volume";
    private static final long MEMORY_MB = 128;
    private static final Map<String, String> LABELS = Map.of("sandglass/for", "volume-files");

    /** What is done with files of a sandbox. */
    public interface Work<T> {
        T in(Location place) throws IOException;
    }

    private final VolumeLedger ledger;
    private final Sandboxes sandboxes;

    public VolumeFiles(Ledger ledger, Sandboxes sandboxes) {
        this.ledger = ledger.volumes();
        this.sandboxes = sandboxes;
    }

    /** Reads at a path of a volume, whoever else has it. The sandbox that does so is gone when this returns. */
    public <T> T read(String ref, String path, Work<T> work) throws IOException {
        VolumeRecord volume = ledger.resolve(ref);
        return apart(volume, VolumeMode.RO, path, work);
    }

    /** Writes at a path of a volume. */
    public <T> T write(String ref, String path, Work<T> work) throws IOException {
        VolumeRecord volume = ledger.resolve(ref);
        List<VolumeLedger.User> users = ledger.users(volume.id());
        Optional<VolumeLedger.User> writer = users.stream().filter(user -> user.use().mode() == VolumeMode.RW).findFirst();
        if (writer.isPresent() && isRunning(writer.get().id())) {
            return work.in(new Location(writer.get().id().text(), below(writer.get().use().path(), path), Optional.empty()));
        }
        boolean isShared = users.stream().anyMatch(user -> user.use().mode() == VolumeMode.SHARED);
        return apart(volume, isShared ? VolumeMode.SHARED : VolumeMode.RW, path, work);
    }

    private boolean isRunning(SandboxId id) {
        return sandboxes.made(id.text()).filter(sandbox -> sandbox.state().equals("running")).isPresent();
    }

    private <T> T apart(VolumeRecord volume, VolumeMode mode, String path, Work<T> work) throws IOException {
        VolumeMount mount = new VolumeMount(volume.id().text(), PLACE, mode.text());
        String inside = below(PLACE, path);
        Sandbox sandbox = sandboxes.createTentatively(CreateSandbox.on(List.of(mount), MEMORY_MB, LABELS));
        try {
            return work.in(new Location(sandbox.id(), inside, Optional.empty()));
        } finally {
            discard(sandbox);
        }
    }

    private void discard(Sandbox sandbox) {
        try {
            sandboxes.discard(sandbox.id());
        } catch (SandglassException problem) {
            LOG.warn("The sandbox {} that read a volume is removed later: {}", sandbox.id(), problem.what());
        }
    }

    /** {@code ..} would lead out of the volume, into the sandbox that reads it: nothing is lost, but it is not what was asked for. */
    private static String below(String place, String path) {
        boolean leadsUp = List.of(path.split("/")).contains("..");
        if (leadsUp || path.indexOf('\0') >= 0) {
            throw Rules.invalid("path", path.replaceAll("\\p{Cntrl}", "?"), "a path in the volume, without '..'");
        }
        String plain = path.replaceFirst("^/+", "");
        return plain.isEmpty() ? place : place + "/" + plain;
    }
}
