package dev.sandglass.wire.dockerfile;

import dev.sandglass.wire.document.Place;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** An instruction that changes the disk, with everything that counts where it stands. */
public sealed interface DockerStep {
    /** Where it stands and how it begins, for people; no two of a file have the same. */
    String shown();

    /**
     * A command is run.
     *
     * @param env beside the variables of what the Dockerfile begins with
     */
    record Run(String shown, List<String> argv, Map<String, String> env, String user, String workdir) implements DockerStep {}

    /** A directory is made unless it is there. */
    record Directory(String shown, String path) implements DockerStep {}

    /**
     * Files are copied from beside the Dockerfile.
     *
     * @param inline files whose content stands in the Dockerfile itself, by name
     * @param target absolute
     * @param isDirectory whether the target is meant as one, so what is copied goes into it under its own name
     * @param owner a user, or user and group with a colon between them; root if absent
     * @param mode octal; that of the files if absent
     */
    record Copy(String shown, Place place, List<Source> sources, Map<String, String> inline, String target, boolean isDirectory, @Nullable String owner, @Nullable String mode)
            implements DockerStep {}
}
