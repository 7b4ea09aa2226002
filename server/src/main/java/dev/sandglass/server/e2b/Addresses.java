package dev.sandglass.server.e2b;

import dev.sandglass.server.e2b.envd.SandboxPlane;
import dev.sandglass.server.http.Call;
import dev.sandglass.server.http.HostNames;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Tells what a call is addressed to: by its host name below the domain, by the headers that name a sandbox, or by its path. What is addressed to no host of ours is none of
 * our calls: its name may be bound to this machine by a page that means no good. Thread-safe.
 */
final class Addresses {
    private static final Set<String> CONTROL = Set.of("sandboxes", "v2", "v3", "templates", "snapshots", "volumes", "volumecontent", "teams", "secrets");
    private static final Set<String> INSIDE = Set.of("files", "health", "metrics", "envs", "process.Process", "filesystem.Filesystem");
    /** Old clients add a word that means nothing any more. */
    private static final Pattern LABEL = Pattern.compile("([1-9][0-9]{0,4})-([a-z0-9]+)(?:-[a-z0-9]+)?");
    private static final Pattern ID = Pattern.compile("([a-z0-9]+)(?:-[a-z0-9]+)?");
    private static final Pattern PORT = Pattern.compile("[1-9][0-9]{0,4}");
    private static final int HIGHEST_PORT = 65535;

    private final HostNames hosts;
    private final Optional<String> domain;

    /** @param domain below which each port of a sandbox has a host name, in lower case */
    Addresses(HostNames hosts, Optional<String> domain) {
        this.hosts = hosts;
        this.domain = domain;
    }

    Optional<Address> of(Call call) {
        String host = call.host();
        if (domain.isPresent() && host.endsWith("." + domain.get())) {
            String label = host.substring(0, host.length() - domain.get().length() - 1);
            Matcher port = LABEL.matcher(label);
            if (port.matches() && isPort(port.group(1))) {
                return Optional.of(new Address.Inside(port.group(2), Integer.parseInt(port.group(1))));
            }
            return label.equals("api") || label.equals("sandbox") ? told(call) : Optional.empty();
        }
        boolean ours = hosts.isOurs(host) || domain.filter(host::equals).isPresent();
        return ours ? told(call) : Optional.empty();
    }

    private static Optional<Address> told(Call call) {
        Optional<String> sandbox = call.header("E2b-Sandbox-Id");
        if (sandbox.isPresent()) {
            String port = call.header("E2b-Sandbox-Port").orElse(Integer.toString(SandboxPlane.ENVD_PORT));
            Matcher id = ID.matcher(sandbox.get());
            return Optional.of(new Address.Inside(id.matches() ? id.group(1) : "", isPort(port) ? Integer.parseInt(port) : 0));
        }
        List<String> segments = call.rawSegments();
        String first = segments.isEmpty() ? "" : segments.getFirst();
        if (CONTROL.contains(first)) {
            return Optional.of(new Address.Control());
        }
        boolean authorized = call.header("X-Access-Token").isPresent() || (first.equals("files") && call.query("signature").isPresent());
        return INSIDE.contains(first) && authorized ? Optional.of(new Address.Untold()) : Optional.empty();
    }

    private static boolean isPort(String text) {
        return PORT.matcher(text).matches() && Integer.parseInt(text) <= HIGHEST_PORT;
    }
}
