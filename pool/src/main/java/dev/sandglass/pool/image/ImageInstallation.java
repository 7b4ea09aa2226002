package dev.sandglass.pool.image;

import dev.sandglass.engine.image.Images;
import dev.sandglass.engine.pool.Pool;
import dev.sandglass.linux.OwnThread;
import dev.sandglass.linux.Trees;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.Json;
import dev.sandglass.wire.SandglassException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Optional;

/** One image of another machine on its way in, under the build lock: what is not published goes with the next build or start. */
final class ImageInstallation {
    private final Pool pool;
    private final ImageStore store;

    ImageInstallation(Pool pool, ImageStore store) {
        this.pool = pool;
        this.store = store;
    }

    void run(String id, String text, Images.Content content) throws IOException {
        ImageManifest manifest = manifest(id, text);
        String tree = BaseImages.tree(id);
        pool.remove(tree);
        try {
            Path root = pool.create(tree);
            content.write(root);
            String digest = OwnThread.call("digest", () -> TreeDigest.of(root)).sha256();
            if (!digest.equals(manifest.treeDigest())) {
                throw refused("the image has the digest " + digest + " (expected: " + manifest.treeDigest() + ")");
            }
            Optional<String> problem = ImageCheck.problem(root);
            if (problem.isPresent()) {
                throw refused("the image " + problem.get());
            }
            pool.seal(tree);
            OwnThread.run("sync", () -> Trees.sync(root));
            store.add(manifest);
        } catch (IOException | RuntimeException problem) {
            pool.remove(tree);
            throw problem;
        }
    }

    /** An id names what the manifest says, so nobody can put another image in the place of one. */
    private static ImageManifest manifest(String id, String text) {
        ImageManifest manifest;
        String named;
        try {
            manifest = Json.read(ImageManifest.class, text.getBytes(StandardCharsets.UTF_8));
            named = ImageBuild.id(manifest.suite(), manifest.created(), manifest.treeDigest(), manifest.packages());
        } catch (SandglassException | NullPointerException broken) { // what the text does not have is null
            throw refused("the manifest of its image is none");
        }
        if (manifest.version() != ImageManifest.VERSION || !id.equals(manifest.id()) || !named.equals(id)) {
            throw refused("the manifest of its image is that of " + named + " (expected: " + id + ")");
        }
        return manifest;
    }

    private static SandglassException refused(String what) {
        return new SandglassException(
                ErrorCode.ARCHIVE_REFUSED, "The file is not taken: " + what + ".", "Export the snapshot again, and copy the whole file.");
    }
}
