package dev.sandglass.client;

import java.util.List;
import java.util.Optional;

/**
 * How a race ended.
 *
 * @param winner the copy that was kept, if one succeeded
 * @param branches all copies, in order of their numbers
 */
public record RaceResult(Optional<Sandbox> winner, List<RaceBranch> branches) {}
