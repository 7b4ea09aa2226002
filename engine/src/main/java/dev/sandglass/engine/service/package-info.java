/**
 * Services: commands that the agent of a sandbox supervises.
 *
 * <p>A service is a unit file on the sandbox's disk, so snapshots and copies have it, and no ledger knows it. {@code Services} is the way in; {@code UnitText} writes
 * what the agent reads, {@code UnitFiles} has it on the disk, {@code Announcements} tells the ledger what becomes of services.
 */
@NullMarked
package dev.sandglass.engine.service;

import org.jspecify.annotations.NullMarked;
