package dev.sandglass.engine.file;

import dev.sandglass.engine.guest.FileRequest;
import java.util.Optional;

/**
 * A path in a sandbox.
 *
 * @param sandbox name, id or unique prefix
 * @param path absolute, or relative to the user's home
 * @param user whose rights count; root if empty
 */
public record Location(String sandbox, String path, Optional<String> user) {
    FileRequest request(FileRequest.Operation operation) {
        FileRequest request = new FileRequest(operation, path);
        user.ifPresent(request::user);
        return request;
    }
}
