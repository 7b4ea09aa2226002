/**
 * Copying between this machine and a sandbox, with the rules of {@code docker cp} for what lands where.
 *
 * <p>Files go as they are, directories as archives. A source that ends in {@code /.} is its content.
 */
@NullMarked
package dev.sandglass.cli.copy;

import org.jspecify.annotations.NullMarked;
