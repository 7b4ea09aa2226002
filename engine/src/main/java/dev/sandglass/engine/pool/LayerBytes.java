package dev.sandglass.engine.pool;

/**
 * How large a layer is.
 *
 * @param own what came with this layer
 * @param total all file data in it, without holes
 */
public record LayerBytes(long own, long total) {}
