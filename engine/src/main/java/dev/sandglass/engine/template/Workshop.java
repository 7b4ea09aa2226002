package dev.sandglass.engine.template;

import dev.sandglass.engine.build.Scripts;
import dev.sandglass.engine.component.Installation;
import dev.sandglass.engine.file.Files;
import dev.sandglass.engine.life.Sandboxes;
import dev.sandglass.engine.service.Services;
import dev.sandglass.engine.snapshot.Snapshots;

/** With what templates are built. */
record Workshop(Sandboxes sandboxes, Snapshots snapshots, Files files, Services services, Scripts scripts, Installation installation, StepCache cache, Uploads uploads, TemplateSettings settings) {}
