/** Keys of the API: with one of them clients do what the daemon's owner does with its token, until it is revoked. */
@NullMarked
package dev.sandglass.engine.apikey;

import org.jspecify.annotations.NullMarked;
