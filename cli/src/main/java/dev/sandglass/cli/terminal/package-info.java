/**
 * The user's terminal: raw mode and size, signals, tables, progress, and text made harmless before it is shown.
 *
 * <p>System calls go through the foreign-function API and are loaded only for interactive commands.
 */
@NullMarked
package dev.sandglass.cli.terminal;

import org.jspecify.annotations.NullMarked;
