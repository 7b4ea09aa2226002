package dev.sandglass.engine.life;

import dev.sandglass.engine.guest.FileRequest;
import dev.sandglass.engine.guest.GuestFile;
import dev.sandglass.wire.SandglassException;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Gives a sandbox the files on its disk that have its name in them, where something runs already: through its agent, which goes where the sandbox may. */
record NamingInside(LiveSandbox sandbox) {
    private static final Logger LOG = LoggerFactory.getLogger(NamingInside.class);
    private static final Duration AT_MOST = Duration.ofSeconds(10);
    private static final int WHOLE_OR_NOTHING = 8;
    private static final int MODE = 0644;

    /** What stands in the way of that is the sandbox's own affair. */
    void run() {
        Map<String, GuestFile> begun = new LinkedHashMap<>();
        try {
            Map<String, String> files = Identities.namedFiles(sandbox.name());
            files.keySet().forEach(path -> begun.put(path, begin(path))); // both at once
            begun.forEach((path, file) -> finish(path, file, files.getOrDefault(path, "")));
        } finally {
            begun.values().forEach(GuestFile::close);
        }
    }

    private GuestFile begin(String path) {
        return sandbox.link().ask(new FileRequest(FileRequest.Operation.WRITE, path).flags(WHOLE_OR_NOTHING).mode(MODE)).within(AT_MOST);
    }

    private static void finish(String path, GuestFile file, String content) {
        try {
            file.sendAll(new ByteArrayInputStream(content.getBytes(StandardCharsets.UTF_8)));
            file.finish();
        } catch (SandglassException refused) {
            LOG.warn("{} keeps what it had: {}", path, refused.what());
        } catch (IOException problem) {
            LOG.warn("{} keeps what it had: {}", path, problem.getMessage());
        }
    }
}
