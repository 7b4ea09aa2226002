/**
 * Kernel facilities that the JDK lacks, one small class each, on the foreign-function API.
 *
 * <p>The classes here know Linux and nothing of sandboxes. Calls that block pin their thread, so callers use platform
 * threads for them. Every failure is an {@link ErrnoException} that names the call and the errno.
 */
@NullMarked
package dev.sandglass.linux;

import org.jspecify.annotations.NullMarked;
