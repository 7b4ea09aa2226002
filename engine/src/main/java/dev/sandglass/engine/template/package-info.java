/**
 * Templates: recipes whose builds are snapshots, and the builds themselves.
 *
 * <p>A build runs in a fresh sandbox that no daemon keeps. Each of its steps leaves a snapshot of the disk, found again by the hash of everything before it, so that a later build begins
 * where something has changed. Its last snapshot becomes a version of the template and takes its name in one write of the ledger: what was there before goes on under no name.
 */
@NullMarked
package dev.sandglass.engine.template;

import org.jspecify.annotations.NullMarked;
