package dev.sandglass.client.daemon;

import dev.sandglass.client.http.Response;
import dev.sandglass.client.http.SilentPeerException;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.Json;
import dev.sandglass.wire.Problem;
import dev.sandglass.wire.SandglassException;
import java.io.IOException;
import java.net.ConnectException;
import java.net.SocketException;
import java.nio.file.Files;
import java.nio.file.Path;

/** What an answer, or the lack of one, means for the caller. */
final class Answers {
    private static final int MAX_PROBLEM = 1 << 20;

    private Answers() {}

    /** The answer itself if the operation worked, else its problem is thrown. */
    static Response fine(Response response) {
        if (response.status() >= 200 && response.status() < 300) {
            return response;
        }
        throw problem(response);
    }

    static SandglassException problem(Response response) {
        try {
            return SandglassException.from(Json.read(Problem.class, response.bytes(MAX_PROBLEM)));
        } catch (IOException | SandglassException unreadable) {
            return new SandglassException(
                    ErrorCode.INTERNAL,
                    "The server answered " + response.status() + " without saying why",
                    "Check that the address is that of a Sandglass daemon; its log may tell more.",
                    unreadable);
        }
    }

    static SandglassException unreachable(Target target, IOException problem) {
        String where = target.endpoint().shown();
        if (problem instanceof SilentPeerException) {
            return unreachable("The daemon at " + where + " is silent: " + problem.getMessage(),
                    "See its log, or restart it with `sandglass down` and `sandglass up`.", problem);
        }
        String message = String.valueOf(problem.getMessage());
        if (problem instanceof SocketException && message.contains("ermission denied")) {
            return unreachable("The socket " + where + " may not be used by this user", "Run as root (sudo), or set SANDGLASS_URL.", problem);
        }
        boolean refused = problem instanceof ConnectException || !Files.exists(Path.of(where));
        String what = refused ? "The daemon does not answer at " + where : "The connection to the daemon at " + where + " broke: " + message;
        return unreachable(what, "Start it with `sandglass up`.", problem);
    }

    private static SandglassException unreachable(String message, String hint, IOException cause) {
        return new SandglassException(ErrorCode.DAEMON_UNREACHABLE, message, hint, cause);
    }
}
