package dev.sandglass.wire;

import io.avaje.jsonb.Json;
import java.util.List;

/** The images that came from registries and archives. */
@Json
public record ImageList(List<ImageInfo> images) {}
