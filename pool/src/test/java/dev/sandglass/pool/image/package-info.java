/** Tests of the base image, and the image that other modules' tests share. They need root and package sources. */
@NullMarked
package dev.sandglass.pool.image;

import org.jspecify.annotations.NullMarked;
