package dev.sandglass.wire;

import io.avaje.jsonb.Json;

/**
 * Machines that one file describes.
 *
 * @param running how many of them run
 * @param unfinished how many of them lack something of what they are to have
 * @param volumes how many were made for it
 */
@Json(naming = Json.Naming.LowerUnderscore)
public record Fleet(String name, int machines, int running, int unfinished, int volumes) {}
