package dev.sandglass.engine.oci;

import dev.sandglass.engine.archive.Budget;
import dev.sandglass.engine.image.Images;
import dev.sandglass.engine.ledger.ImageLedger;
import dev.sandglass.engine.ledger.ImageRecord;
import dev.sandglass.engine.ledger.SnapshotRecord;
import dev.sandglass.engine.life.Failpoint;
import dev.sandglass.engine.life.Foundation;
import dev.sandglass.engine.pool.Pool;
import dev.sandglass.engine.snapshot.Snapshots;
import dev.sandglass.engine.trace.Trace;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.ImageInfo;
import dev.sandglass.wire.ImageList;
import dev.sandglass.wire.PullImage;
import dev.sandglass.wire.SandglassException;
import dev.sandglass.wire.StorageFailure;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The images from elsewhere of this machine. An image is in the ledger when all of it is in the pool, and not before. Thread-safe. */
public final class OciImages {
    private static final Logger LOG = LoggerFactory.getLogger(OciImages.class);

    private final ImageLedger ledger;
    private final Snapshots snapshots;
    private final Pool pool;
    private final LayerFiles files;
    private final Registries registries;
    private final Images images;
    private final Naming naming;
    private final WorkDirectory work;

    private OciImages(ImageLedger ledger, Snapshots snapshots, Pool pool, LayerFiles files, Registries registries, Images images, Naming naming, WorkDirectory work) {
        this.ledger = ledger;
        this.snapshots = snapshots;
        this.pool = pool;
        this.files = files;
        this.registries = registries;
        this.images = images;
        this.naming = naming;
        this.work = work;
    }

    /**
     * Removes what an earlier daemon left half made.
     *
     * @param work for archives that are on their way; nobody else's
     */
    public static OciImages open(
            Naming naming, Snapshots snapshots, Pool pool, LayerFiles files, Registries registries, Images images, Path work) {
        pool.trees().stream().filter(tree -> tree.startsWith(Installation.TREE)).forEach(pool::remove);
        return new OciImages(naming.ledger(), snapshots, pool, files, registries, images, naming, WorkDirectory.open(work));
    }

    public ImageList list() {
        return new ImageList(ledger.all().stream().map(OciImages::view).toList());
    }

    public ImageInfo get(String reference) {
        return view(naming.resolve(reference));
    }

    /** The same if there is one. */
    public Optional<ImageInfo> find(String reference) {
        try {
            return Optional.of(get(reference));
        } catch (SandglassException unknown) {
            if (unknown.code() != ErrorCode.IMAGE_NOT_FOUND) {
                throw unknown;
            }
            return Optional.empty();
        }
    }

    /** Whether a name says in which registry its image is. */
    public boolean isElsewhere(String reference) {
        try {
            return !Reference.parse(reference, naming.standard()).registry().isEmpty();
        } catch (SandglassException none) {
            return false;
        }
    }

    /** Takes a name away from an image with others, or removes it with all of its layers that no other image has. */
    public void remove(String reference) {
        ImageRecord image = naming.resolve(reference);
        ledger.remove(naming.nameOf(image, reference).orElse(image.id()));
        Failpoint.IMAGE_REMOVED.reach();
        snapshots.removeUnusedLayers();
    }

    /** Fetches an image from its registry, or finds that all of it is here. */
    public ImageInfo pull(PullImage request) {
        Reference reference = Reference.parse(request.reference(), naming.standard());
        Optional<Login> login = login(request);
        pool.requireRoom();
        Trace.step("manifest");
        try (ImageSource source = registries.open(reference, login)) {
            Selection selection = Selection.of(source, reference.digest());
            return view(install(source, selection, List.of(reference.toString())));
        } catch (IOException problem) {
            throw new SandglassException(
                    ErrorCode.REGISTRY_FAILED,
                    "The registry " + reference.registry() + " cannot be read: " + Refusal.shown(problem.toString()),
                    "Check its address and whether it runs, and try again.",
                    problem);
        }
    }

    private static Optional<Login> login(PullImage request) {
        String user = request.username();
        String password = request.password();
        if ((user == null) != (password == null)) {
            throw new SandglassException(ErrorCode.INVALID_REQUEST, "username, password: only one is given (expected: both or none)", "Give both.");
        }
        return user == null || password == null ? Optional.empty() : Optional.of(new Login(user, password));
    }

    /**
     * Makes an image of an archive while it comes in: an OCI layout, or what {@code docker save} writes.
     *
     * @param name instead of those in the archive
     */
    public ImageInfo read(InputStream archive, Optional<String> name) {
        Optional<String> chosen = name.map(Reference::given);
        pool.requireRoom();
        try (WorkDirectory.Place place = work.place()) {
            Trace.step("archive");
            Budget budget = new Budget(place.free() - Room.RESERVE, _ -> place.requireRoom());
            try (ImageSource source = files.archive(archive, place.path(), budget)) {
                Selection selection = Selection.of(source, Optional.empty());
                List<String> own = source.names().stream().filter(Naming::isGiven).map(Reference::name).distinct().toList();
                return view(install(source, selection, chosen.map(List::of).orElse(own)));
            }
        } catch (IOException problem) {
            throw StorageFailure.of("The archive cannot be read, or what is in it cannot be written", problem);
        }
    }

    /**
     * Makes an image of a snapshot's disk, with all that it stands on.
     *
     * @param name which tools are to give it
     * @param unwanted once it is so, that ends soon with {@code conflict}
     */
    public ImageExport export(String snapshot, Optional<String> name, BooleanSupplier unwanted) {
        Optional<String> chosen = name.map(Reference::given);
        pool.requireRoom();
        SnapshotRecord record = snapshots.resolve(snapshot);
        Foundation.Held held = snapshots.hold(record, unwanted);
        ImageExport export;
        try {
            export = new ImageExport(files, held, work.place(), unwanted);
        } catch (IOException problem) {
            held.close();
            throw StorageFailure.of("The image of " + record.id() + " cannot be written", problem);
        }
        try {
            Stream<Path> own = record.layers().stream().map(pool.layers()::lower);
            export.make(record, Stream.concat(own, images.require(record.image()).layers().stream()).toList().reversed(), chosen);
            return export;
        } catch (IOException | RuntimeException problem) {
            close(export);
            throw problem instanceof IOException failed ? StorageFailure.of("The image of " + record.id() + " cannot be written", failed) : (RuntimeException) problem;
        }
    }

    private static void close(ImageExport export) {
        try {
            export.close();
        } catch (IOException problem) {
            LOG.warn("What an export left goes at the next start: {}", problem.toString());
        }
    }

    private ImageRecord install(ImageSource source, Selection selection, List<String> names) {
        Settings settings = Settings.of(selection.config());
        String id = Installation.id(selection.digest());
        Optional<ImageRecord> known = ledger.find(id);
        if (known.isPresent() && !known.get().digest().equals(selection.digest().text())) {
            return ledger.put(record(id, selection, settings, List.of()), names);
        }
        Set<String> kept = ConcurrentHashMap.newKeySet();
        try {
            if (known.isPresent() && Installation.isWhole(pool, known.get().layers(), layer -> keep(layer, kept))) {
                return ledger.put(known.get(), names); // also if somebody removed it meanwhile: its layers stay
            }
            Trace.step("layers");
            List<String> layers = new Installation(pool, files, source, selection, layer -> keep(layer, kept)).run();
            Failpoint.IMAGE_UNPACKED.reach();
            Trace.step("ledger");
            return ledger.put(record(id, selection, settings, layers), names);
        } finally {
            snapshots.releaseLayers(List.copyOf(kept));
        }
    }

    private void keep(String layer, Set<String> kept) {
        if (kept.add(layer)) {
            snapshots.holdLayers(List.of(layer));
        }
    }

    private ImageRecord record(String id, Selection selection, Settings settings, List<String> layers) {
        return new ImageRecord(
                id,
                selection.digest().text(),
                List.of(),
                String.valueOf(selection.config().architecture()),
                selection.diffIds().stream().map(Digest::text).toList(),
                layers,
                layers.stream().distinct().mapToLong(layer -> pool.layers().bytes(layer, Optional.empty()).total()).sum(),
                settings.commands(),
                settings.labels(),
                settings.warnings(),
                Instant.now().truncatedTo(ChronoUnit.MILLIS));
    }

    private static ImageInfo view(ImageRecord image) {
        return new ImageInfo(
                image.id(),
                image.digest(),
                image.names(),
                image.architecture(),
                image.diffIds(),
                image.bytes(),
                image.commands().user().orElse(null),
                image.commands().workdir().orElse(null),
                image.commands().env(),
                image.commands().entrypoint(),
                image.commands().cmd(),
                image.labels(),
                image.warnings(),
                image.createdAt());
    }
}
