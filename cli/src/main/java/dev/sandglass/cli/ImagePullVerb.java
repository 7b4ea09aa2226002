package dev.sandglass.cli;

import dev.sandglass.cli.client.Client;
import dev.sandglass.cli.terminal.Inert;
import dev.sandglass.cli.terminal.Waiting;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.ImageInfo;
import dev.sandglass.wire.OperationStatus;
import dev.sandglass.wire.Problem;
import dev.sandglass.wire.PullImage;
import dev.sandglass.wire.SandglassException;

/** {@code image pull}: an image from a registry. */
final class ImagePullVerb extends Verb {
    private final Syntax.Value reference = syntax.operand(0, "REFERENCE", "REGISTRY/NAME[:TAG][@DIGEST]; without a registry that of the daemon's setting image_registry.");
    private final Syntax.Value username = syntax.value("USER", "Who you are at the registry; with one of the options for the password.", "--username");
    private final SecretOptions password = new SecretOptions(syntax, "password", "--password-stdin", "--password-env", "--password-file");
    private final Syntax.Flag quiet = syntax.flag("Print the id and nothing else.", "-q", "--quiet");

    ImagePullVerb() {
        super(new Syntax("image pull", "Fetch an image from a registry. All of it is checked by its digests.", "Without --username the login counts that the daemon's user has for the registry."));
    }

    @Override
    int run(Console console) {
        Format format = format(console);
        if (username.orNull() == null && password.isGiven()) {
            throw new UsageException("a password is given, and nobody whose it is (expected: --username as well)");
        }
        String secret = username.orNull() == null ? null : password.value(console);
        try (Client client = client(console).patient()) {
            ImageInfo image = outcome(pulled(console, client, new PullImage(reference.orEmpty(), username.orNull(), secret)));
            ImageText.warnings(console, image);
            console.print(quiet.isSet() ? Inert.text(image.id()) + "\n" : format.structured() ? Document.of(image, format, console) : ImageText.line(image));
            return OK;
        }
    }

    private OperationStatus pulled(Console console, Client client, PullImage request) {
        try (Waiting waiting = new Waiting(console.err(), console.terminal(Console.ERR), "Pulling " + reference.orEmpty())) {
            return Creation.follow(client, client.images().pull(request), waiting);
        }
    }

    private static ImageInfo outcome(OperationStatus ended) {
        Problem error = ended.error();
        if (error != null) {
            throw SandglassException.from(error);
        }
        ImageInfo image = ended.image();
        if (image == null) {
            throw new SandglassException(ErrorCode.INTERNAL, "The operation " + ended.id() + " is " + ended.state() + " without an image", "See `sandglass image ls`.");
        }
        return image;
    }
}
