package dev.sandglass.engine.image;

import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.SandglassException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.function.BooleanSupplier;

/** The images of this machine. What cannot be had, or does not pass a quick check, is {@code image_unavailable}. Thread-safe. */
public interface Images {
    /** The id of the image in which there is nothing: what stands on it has all of its files in layers of its own. */
    String NOTHING = "000000000000";

    /** The image that new sandboxes begin with. */
    Image require();

    /** The image with that id, with which some sandbox began. */
    Image require(String id);

    /** The image from elsewhere that somebody names: by name, id or the beginning of one. {@code image_not_found}. */
    default Image named(String reference) {
        throw new SandglassException(ErrorCode.IMAGE_NOT_FOUND, "There is no image " + reference + " here.", "`sandglass image ls` lists those that are.");
    }

    /** Whether there is a manifest of that image. */
    boolean has(String id);

    /** All that another machine needs to know of an image beside its tree. */
    String manifest(String id);

    /**
     * Takes in an image of another machine, unless it is there: {@code archive_refused} if the tree is not what the manifest says, or the
     * manifest not that of the id. It is there whole or not at all, and does not become the one that new sandboxes begin with.
     */
    void install(String id, String manifest, Content content);

    /**
     * Removes an image, unless new sandboxes begin with it, or did since this daemon started, or somebody needs it. Who comes to need it says so where that is
     * asked, and looks then whether it is there: it stays for him, or is not there when he looks.
     *
     * @return false if nobody could look because images are being made; else it is gone or stays
     */
    boolean removeUnless(String id, BooleanSupplier needed);

    /** Writes the tree of an image into an empty directory. */
    interface Content {
        void write(Path tree) throws IOException;
    }
}
