package dev.sandglass.pool.image;

import dev.sandglass.engine.image.Image;
import dev.sandglass.engine.pool.Pool;
import dev.sandglass.linux.Trees;
import dev.sandglass.wire.Sha256;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Optional;

/** One build of the base image, under the build lock: in a temporary tree, checked, then published. */
final class ImageBuild {
    private static final String TEMPORARY = "image-new";

    private final Pool pool;
    private final ImageStore store;
    private final Progress progress;
    private final Instant start;

    ImageBuild(Pool pool, ImageStore store, Progress progress, Instant start) {
        this.pool = pool;
        this.store = store;
        this.progress = progress;
        this.start = start;
    }

    Image run(BuildOptions options) throws IOException {
        removeLeftovers(pool, store);
        try {
            String suite = options.suite().isPresent() ? options.suite().get() : hostSuite();
            report("reading the host's apt sources");
            BuildInput input = BuildInput.prepare(store.freshWork(), suite);
            Path root = pool.createBelowOthers(TEMPORARY);
            new Bootstrap(input, root, store.directory().resolve("build.log")).run(this::report);
            report("writing configuration");
            new ImageFiles(root).write(input);
            return publish(root, suite);
        } finally {
            store.removeWork();
            pool.remove(TEMPORARY);
        }
    }

    private Image publish(Path root, String suite) throws IOException {
        report("checking the image");
        Optional<String> problem = ImageCheck.problem(root);
        if (problem.isPresent()) {
            throw ImageFailure.notBuilt("the new root " + problem.get(), "Look at the log of the build.", null);
        }
        TreeDigest.Result digest = TreeDigest.of(root);
        Instant created = Instant.now().truncatedTo(ChronoUnit.SECONDS);
        List<String> packages = ImageCheck.packages(root);
        String id = id(suite, created, digest.sha256(), packages);
        report("publishing image " + id);
        Path tree = pool.copy(TEMPORARY, BaseImages.tree(id));
        pool.seal(BaseImages.tree(id));
        Trees.sync(tree);
        store.publish(new ImageManifest(
                ImageManifest.VERSION, id, suite, created, digest.sha256(), digest.files(), digest.bytes(), packages));
        return new Image(id, List.of(tree));
    }

    /** What a crash left: a tree that was being built, and one that was copied but not yet published. */
    static void removeLeftovers(Pool pool, ImageStore store) {
        for (String tree : pool.trees()) {
            String id = tree.startsWith("image-") ? tree.substring("image-".length()) : "";
            boolean isUnpublished = id.matches("[0-9a-f]{12}") && !store.hasManifest(id);
            if (tree.equals(TEMPORARY) || isUnpublished) {
                pool.remove(tree);
            }
        }
    }

    private static String hostSuite() throws IOException {
        String suite = BuildInput.hostSuite();
        if (suite.isEmpty()) {
            throw ImageFailure.notBuilt("/etc/os-release names no suite", "Name one with `--suite`.", null);
        }
        return suite;
    }

    private void report(String phase) {
        progress.report(phase, Duration.between(start, Instant.now()));
    }

    /** Names the build, not only the content: a rebuilt image must not take the place of one that is in use. */
    static String id(String suite, Instant created, String treeDigest, List<String> packages) {
        String text = suite + "\n" + created + "\n" + treeDigest + "\n" + String.join("\n", packages);
        return Sha256.of(text, 12);
    }
}
