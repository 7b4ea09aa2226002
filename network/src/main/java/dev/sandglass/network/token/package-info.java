/**
 * How many tokens an answer of a model says that it took, read from the bytes as they pass: nothing of an answer is kept, however long it is, and it does not matter in which
 * pieces it comes.
 */
@NullMarked
package dev.sandglass.network.token;

import org.jspecify.annotations.NullMarked;
