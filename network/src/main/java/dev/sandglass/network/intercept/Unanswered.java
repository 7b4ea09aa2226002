package dev.sandglass.network.intercept;

import java.io.EOFException;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.SocketException;
import java.security.cert.CertPathBuilderException;
import java.security.cert.CertificateExpiredException;
import java.security.cert.CertificateNotYetValidException;
import java.util.concurrent.TimeoutException;
import javax.net.ssl.SSLException;
import org.eclipse.jetty.client.HttpResponseException;

/** Why a server gave no answer that could be passed on, in words that are for the sandbox too: those of the HTTP client show the host's own addresses, and what it keeps in memory. */
final class Unanswered extends IOException {
    private static final long serialVersionUID = 1L;
    private static final int DEEPEST = 10;

    /** @param why as a sandbox may read it */
    Unanswered(String why) {
        super(why);
    }

    static String why(Throwable failure) {
        return switch (failure) {
            case Unanswered known -> String.valueOf(known.getMessage());
            case HttpResponseException _ -> "what it said is no answer of HTTP that can be read in one way only";
            case SSLException problem -> secured(problem);
            case EOFException _ -> "it ended the connection before it answered";
            case TimeoutException _, InterruptedIOException _ -> "it took too long";
            case SocketException refused when String.valueOf(refused.getMessage()).contains("refused") -> "it refuses connections";
            default -> "it cannot be reached, or the connection to it broke";
        };
    }

    private static String secured(SSLException problem) {
        if (isOf(problem, CertificateExpiredException.class) || isOf(problem, CertificateNotYetValidException.class)) {
            return "its certificate has expired, or is not valid yet";
        }
        if (isOf(problem, CertPathBuilderException.class)) {
            return "its certificate is of nobody whom the host trusts";
        }
        String said = String.valueOf(problem.getMessage());
        return said.contains("No subject alternative") || said.contains("No name matching") ? "its certificate is for another name" : "TLS with it failed";
    }

    private static boolean isOf(Throwable problem, Class<? extends Throwable> kind) {
        Throwable each = problem;
        for (int depth = 0; each != null && depth < DEEPEST; depth++) {
            if (kind.isInstance(each)) {
                return true;
            }
            each = each.getCause();
        }
        return false;
    }
}
