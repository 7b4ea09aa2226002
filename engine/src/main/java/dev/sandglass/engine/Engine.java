package dev.sandglass.engine;

import dev.sandglass.engine.command.Commands;
import dev.sandglass.engine.credential.Budgets;
import dev.sandglass.engine.credential.Credentials;
import dev.sandglass.engine.diff.Differences;
import dev.sandglass.engine.event.Events;
import dev.sandglass.engine.event.Journeys;
import dev.sandglass.engine.file.Files;
import dev.sandglass.engine.ledger.Ledger;
import dev.sandglass.engine.life.Sandboxes;
import dev.sandglass.engine.operation.Operations;
import dev.sandglass.engine.snapshot.Ancestry;
import dev.sandglass.engine.snapshot.Archives;
import dev.sandglass.engine.snapshot.Snapshots;
import dev.sandglass.engine.usage.Usages;

/** The domain, put together: what the server serves. */
public record Engine(Sandboxes sandboxes, Snapshots snapshots, Ancestry ancestry, Differences differences, Archives archives, Credentials credentials, Budgets budgets, Commands commands, Files files, Events events, Journeys journeys, Usages usages, Operations operations) implements AutoCloseable {
    public Engine(Ledger ledger, Sandboxes sandboxes, Snapshots snapshots, Differences differences, Archives archives, Credentials credentials, Budgets budgets, Journeys journeys) {
        this(sandboxes, snapshots, new Ancestry(ledger, sandboxes, snapshots), differences, archives, credentials, budgets, new Commands(sandboxes, ledger), new Files(sandboxes), new Events(ledger), journeys, new Usages(sandboxes), new Operations(ledger, sandboxes::made));
    }

    @Override
    public void close() {
        archives.close();
        snapshots.close();
        operations.close();
        usages.close();
        sandboxes.close();
        journeys.close();
    }
}
