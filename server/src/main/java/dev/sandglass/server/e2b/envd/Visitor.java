package dev.sandglass.server.e2b.envd;

import dev.sandglass.engine.file.Account;
import dev.sandglass.engine.sandbox.SandboxId;
import dev.sandglass.server.e2b.connect.Code;
import dev.sandglass.server.e2b.connect.RpcException;
import dev.sandglass.server.http.Call;
import dev.sandglass.wire.Sandbox;
import java.nio.file.Path;
import java.util.Optional;

/**
 * Who was let in to a sandbox, and for which of its users. Used by one thread.
 *
 * @param view the sandbox as it was when the call came
 */
record Visitor(Call call, SandboxId sandbox, Sandbox view, Accounts accounts) {
    String id() {
        return sandbox.text();
    }

    /** Of the user that the client names by Basic authentication, or else of the usual one. */
    Account account() {
        return accounts.of(view, Accounts.basic(call));
    }

    /** What a path means to a user: an empty one is where commands begin. */
    String absolute(Account account, String path) {
        Optional<String> workdir = Optional.ofNullable(view.workdir());
        String told = path.isEmpty() ? workdir.orElse("") : path;
        if (told.indexOf('\0') >= 0) {
            throw invalid("a path cannot hold NUL");
        }
        if (told.startsWith("~") && !told.equals("~") && !told.startsWith("~/")) {
            throw invalid("failed to expand path '" + told + "' for user '" + account.name() + "': cannot expand user-specific home dir");
        }
        return told.startsWith("/") ? told : Path.of(account.absolute(told)).normalize().toString();
    }

    private static RpcException invalid(String message) {
        return new RpcException(Code.INVALID_ARGUMENT, message);
    }
}
