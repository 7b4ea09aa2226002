/**
 * The way out: takes every connection of a sandbox with the address that it was meant for, asks the policy, and passes it on or resets it.
 */
@NullMarked
package dev.sandglass.network.egress;

import org.jspecify.annotations.NullMarked;
