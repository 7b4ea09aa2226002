package dev.sandglass.engine.template;

import dev.sandglass.engine.image.Image;
import dev.sandglass.engine.network.Policy;
import dev.sandglass.wire.Template;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * What templates depend on that is not theirs.
 *
 * @param image the base image of now
 * @param network what a sandbox may reach that does not say
 * @param runtime on which a sandbox is that does not say
 * @param memoryMb that a sandbox has that does not say
 * @param builtIn the templates that are brought along
 */
public record TemplateSettings(Supplier<Image> image, Optional<Policy> network, String runtime, long memoryMb, List<Template> builtIn) {}
