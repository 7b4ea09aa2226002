package dev.sandglass.engine.oci;

import dev.sandglass.engine.image.Image;
import dev.sandglass.engine.image.Images;
import dev.sandglass.engine.ledger.ImageLedger;
import dev.sandglass.engine.ledger.ImageRecord;
import dev.sandglass.engine.pool.Layers;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.SandglassException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.List;
import java.util.function.BooleanSupplier;

/** All images of this machine: base images, and those from elsewhere, whose ids begin otherwise. Thread-safe. */
public final class KnownImages implements Images {
    private final Images base;
    private final ImageLedger ledger;
    private final Naming naming;
    private final Layers layers;

    public KnownImages(Images base, Naming naming, Layers layers) {
        this.base = base;
        this.ledger = naming.ledger();
        this.naming = naming;
        this.layers = layers;
    }

    @Override
    public Image require() {
        return base.require();
    }

    @Override
    public Image require(String id) {
        if (id.equals(NOTHING)) {
            return new Image(NOTHING, List.of());
        }
        if (!ImageRecord.isId(id)) {
            return base.require(id);
        }
        return image(ledger.find(id).orElseThrow(() -> unavailable("The image " + id + " is not here.")));
    }

    @Override
    public Image named(String reference) {
        return image(naming.resolve(reference));
    }

    private Image image(ImageRecord record) {
        List<Path> paths = record.layers().stream().map(layers::lower).toList();
        for (Path path : paths) {
            if (!Files.isDirectory(path, LinkOption.NOFOLLOW_LINKS)) {
                throw unavailable("The image " + record.id() + " is damaged: there is no " + path + ".");
            }
        }
        return new Image(record.id(), paths, record.commands());
    }

    @Override
    public boolean has(String id) {
        return id.equals(NOTHING) || (ImageRecord.isId(id) ? ledger.find(id).isPresent() : base.has(id));
    }

    @Override
    public String manifest(String id) {
        return base.manifest(id);
    }

    @Override
    public void install(String id, String manifest, Content content) {
        base.install(id, manifest, content);
    }

    /** Those from elsewhere go only when somebody says so. */
    @Override
    public boolean removeUnless(String id, BooleanSupplier needed) {
        return id.equals(NOTHING) || ImageRecord.isId(id) || base.removeUnless(id, needed);
    }

    private static SandglassException unavailable(String what) {
        return new SandglassException(ErrorCode.IMAGE_UNAVAILABLE, what, "Pull or import it again; `sandglass image ls` lists those that are here.");
    }
}
