package dev.sandglass.engine.sandbox;

import java.util.Optional;

/** What commands of a sandbox get when nobody says otherwise: it goes with the sandbox's snapshots and copies. */
public record CommandDefaults(Optional<String> user, Optional<String> workdir) {
    /** Root, in its home. */
    public static final CommandDefaults NONE = new CommandDefaults(Optional.empty(), Optional.empty());

    /** These, and where they say nothing what the others say. */
    public CommandDefaults over(CommandDefaults others) {
        return new CommandDefaults(user.or(others::user), workdir.or(others::workdir));
    }
}
