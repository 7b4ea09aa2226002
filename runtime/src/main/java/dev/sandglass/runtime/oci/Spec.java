package dev.sandglass.runtime.oci;

import io.avaje.jsonb.Json;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The configuration of an OCI bundle, as far as Sandglass uses it; names as in the OCI runtime specification.
 *
 * @param annotations what only some engines understand
 */
@Json
public record Spec(
        String ociVersion, Process process, Root root, String hostname, List<Mount> mounts, Linux linux, Map<String, String> annotations) {
    static final String VERSION = "1.0.2";

    public Spec annotated(Map<String, String> more) {
        return new Spec(ociVersion, process, root, hostname, mounts, linux, more);
    }

    @Json
    public record Process(
            List<String> args,
            List<String> env,
            String cwd,
            User user,
            boolean noNewPrivileges,
            CapabilitySets capabilities,
            List<ResourceLimit> rlimits) {}

    @Json
    public record User(int uid, int gid) {}

    @Json
    public record CapabilitySets(List<String> bounding, List<String> effective, List<String> permitted) {}

    @Json
    public record ResourceLimit(String type, long soft, long hard) {}

    @Json
    public record Root(String path, boolean readonly) {}

    @Json
    public record Mount(String destination, String type, String source, List<String> options) {}

    /** {@code uidMappings} and {@code gidMappings} only with a user namespace. */
    @Json
    public record Linux(
            List<Namespace> namespaces,
            @Nullable List<IdMapping> uidMappings,
            @Nullable List<IdMapping> gidMappings,
            String cgroupsPath,
            List<String> maskedPaths,
            List<String> readonlyPaths,
            Seccomp seccomp) {}

    /** {@code path} names one that is there; without it a new one is made. */
    @Json
    public record Namespace(String type, @Nullable String path) {}

    @Json
    public record IdMapping(int containerID, int hostID, int size) {}

    @Json
    public record Seccomp(
            String defaultAction, @Nullable Integer defaultErrnoRet, List<String> architectures, List<Syscalls> syscalls) {}

    @Json
    public record Syscalls(List<String> names, String action, @Nullable Integer errnoRet, List<Argument> args) {}

    @Json
    public record Argument(int index, long value, long valueTwo, String op) {}
}
