/**
 * What happens to sandboxes, for those who want to know: in pages of what is kept, and as it comes.
 *
 * <p>The ledger is the memory. A subscription holds nothing but a position in it and reads at its own pace, so that one that
 * is slow costs nothing and one that is too slow is told what it missed.
 */
@NullMarked
package dev.sandglass.engine.event;

import org.jspecify.annotations.NullMarked;
