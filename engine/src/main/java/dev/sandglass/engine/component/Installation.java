package dev.sandglass.engine.component;

import dev.sandglass.engine.build.RunningBuild;
import dev.sandglass.engine.build.Script;
import dev.sandglass.engine.build.Scripts;
import dev.sandglass.engine.network.RegistryKind;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/** Installs one component in a sandbox and verifies it. Thread-safe. */
public final class Installation {
    private static final Duration STANDARD_LIMIT = Duration.ofMinutes(10);
    private static final String PRELUDE = Catalogue.resource("prelude.sh");

    private final Scripts scripts;
    private final Function<RegistryKind, Optional<String>> registries;

    /** @param registries where programs of a kind get packages from on this host */
    public Installation(Scripts scripts, Function<RegistryKind, Optional<String>> registries) {
        this.scripts = scripts;
        this.registries = registries;
    }

    /**
     * Installs and verifies.
     *
     * @param step under whose name that is told
     * @param left the time that there is for it, if less than it may take
     */
    public void run(String sandbox, Plan.Item item, String step, RunningBuild build, Duration left, Scripts.Raise raise) {
        Map<String, String> env = new HashMap<>(registries());
        env.putAll(item.variables());
        Duration limit = Optional.ofNullable(item.component().timeout()).map(Duration::ofSeconds).orElse(STANDARD_LIMIT);
        long begun = System.nanoTime();
        scripts.run(sandbox, Script.ofRoot(step, PRELUDE + item.component().install(), env, shorter(limit, left)), build, raise);
        String verify = item.component().verify();
        if (verify != null) {
            build.print(step, "verify " + item.name() + "\n");
            Duration rest = left.minusNanos(System.nanoTime() - begun);
            scripts.run(sandbox, Script.ofRoot(step, PRELUDE + verify, env, shorter(limit, rest)), build, raise);
        }
    }

    private static Duration shorter(Duration one, Duration other) {
        return one.compareTo(other) < 0 ? one : other;
    }

    /** The variables by which programs in a sandbox find the registries that the host uses; no file has them. */
    public Map<String, String> registries() {
        Map<String, String> variables = new HashMap<>();
        registries.apply(RegistryKind.NPM).ifPresent(url -> variables.put("npm_config_registry", url));
        registries.apply(RegistryKind.PIP).ifPresent(url -> variables.put("PIP_INDEX_URL", url));
        return variables;
    }
}
