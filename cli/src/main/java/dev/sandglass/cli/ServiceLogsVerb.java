package dev.sandglass.cli;

import dev.sandglass.client.daemon.Client;

/** {@code service logs}: what a service has printed. */
final class ServiceLogsVerb extends Verb {
    private final Syntax.Value sandbox = syntax.operand(0, "SANDBOX", "Name, id, or the beginning of one.");
    private final Syntax.Value name = syntax.operand(1, "SERVICE", "The name of the service.");
    private final Syntax.Flag follow = syntax.flag("Go on with what comes.", "-f", "--follow");
    private final Syntax.Value lines = syntax.value("N", "The last lines only; all that are kept if absent.", "-n", "--lines");
    private final Syntax.Flag raw = syntax.flag("Print every byte as it is, also what a terminal would act on.", "--raw");

    ServiceLogsVerb() {
        super(new Syntax("service logs", "Show what a service has printed, as far as it is kept.", "")
                .printing("json or yaml: a value for each piece of output; if absent the output as it is."));
    }

    @Override
    boolean outputIsData() {
        return true;
    }

    @Override
    int run(Console console) {
        Long last = lines.orNull() == null ? null : Long.valueOf(Amount.id("lines", lines.orEmpty()));
        try (Client client = client(console)) {
            new ServiceLog(sandbox.orEmpty(), name.orEmpty(), follow.isSet(), raw.isSet()).print(console, client, format(console), last);
            return OK;
        }
    }
}
