package dev.sandglass.engine.guest;

import java.util.List;
import java.util.Optional;

/** What is known of a command besides its life. */
public record CommandFacts(List<String> argv, Optional<String> cwd, Optional<String> user, boolean pty) {}
