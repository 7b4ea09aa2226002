package dev.sandglass.wire;

import io.avaje.jsonb.Json;
import java.util.List;

/**
 * What differs between two states.
 *
 * @param added how many files there are, of any kind, that were not there before; {@code changed} and {@code removed} likewise
 * @param files in the order of their paths
 * @param processes in the order of their numbers; none where those of one state are not known
 * @param truncated whether more differs than is told here
 */
@Json(naming = Json.Naming.LowerUnderscore)
public record Diff(
        DiffState from,
        DiffState to,
        long added,
        long changed,
        long removed,
        List<FileChange> files,
        List<PackageChange> packages,
        List<ProcessChange> processes,
        boolean truncated) {}
