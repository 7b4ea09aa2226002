package dev.sandglass.engine.image;

/** The images of this machine. What cannot be had, or does not pass a quick check, is {@code image_unavailable}. Thread-safe. */
public interface Images {
    /** The image that new sandboxes begin with. */
    Image require();

    /** The image with that id, with which some sandbox began. */
    Image require(String id);
}
