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

    /** An id is short enough for somebody with much time to make another image with the same one. */
    void requireSame(String id, String text) throws IOException {
        ImageManifest told = manifest(id, text);
        ImageManifest known = store.manifest(id);
        if (told.version() != known.version() || !told.treeDigest().equals(known.treeDigest())) {
            throw refused("there is another image " + id + " here, with the digest " + known.treeDigest());
        }
    }

    void run(String id, String text, Images.Content content) throws IOException {
        ImageManifest manifest = manifest(id, text);
        String tree = BaseImages.tree(id);
        pool.remove(tree);
        boolean whole = false;
        try {
            Path root = pool.createBelowOthers(tree);
            content.write(root);
            requireDigest(manifest, OwnThread.call("digest", () -> TreeDigest.of(root)));
            Optional<String> problem = ImageCheck.problem(root);
            if (problem.isPresent()) {
                throw refused("the image " + problem.get());
            }
            pool.seal(tree);
            OwnThread.run("sync", () -> Trees.sync(root));
            store.add(manifest);
            whole = true;
        } finally {
            if (!whole) {
                pool.remove(tree);
            }
        }
    }

    private static void requireDigest(ImageManifest manifest, TreeDigest.Result found) {
        String digest = found.of(manifest.version());
        if (!digest.equals(manifest.treeDigest())) {
            throw refused("the image has the digest " + digest + " (expected: " + manifest.treeDigest() + ")");
        }
        if (manifest.version() == 1 && !found.bare()) {
            throw refused("the image has attributes that its digest leaves out (expected: a file of a later version)");
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
        if (!ImageManifest.isKnown(manifest.version()) || !id.equals(manifest.id()) || !named.equals(id)) {
            throw refused("the manifest of its image is that of " + named + " (expected: " + id + ")");
        }
        return manifest;
    }

    private static SandglassException refused(String what) {
        return new SandglassException(
                ErrorCode.ARCHIVE_REFUSED, "The file is not taken: " + what + ".", "Export the snapshot again, and copy the whole file.");
    }
}
