/**
 * Secrets that sandboxes use and never see: what a credential is, for which requests it counts, and how its value is kept. Values leave this package
 * as {@link dev.sandglass.engine.credential.Secret} only.
 */
@NullMarked
package dev.sandglass.engine.credential;

import org.jspecify.annotations.NullMarked;
