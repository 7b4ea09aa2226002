package dev.sandglass.engine;

import dev.sandglass.engine.apikey.ApiKeys;
import dev.sandglass.engine.build.Builds;
import dev.sandglass.engine.build.Scripts;
import dev.sandglass.engine.command.Commands;
import dev.sandglass.engine.component.Host;
import dev.sandglass.engine.component.Installation;
import dev.sandglass.engine.component.Provisioning;
import dev.sandglass.engine.credential.Budgets;
import dev.sandglass.engine.credential.Credentials;
import dev.sandglass.engine.diff.Differences;
import dev.sandglass.engine.event.Events;
import dev.sandglass.engine.event.Journeys;
import dev.sandglass.engine.file.Files;
import dev.sandglass.engine.ledger.Ledger;
import dev.sandglass.engine.life.Sandboxes;
import dev.sandglass.engine.oci.OciImages;
import dev.sandglass.engine.operation.Operations;
import dev.sandglass.engine.service.Services;
import dev.sandglass.engine.port.Ports;
import dev.sandglass.engine.ready.ReadyPools;
import dev.sandglass.engine.route.Routes;
import dev.sandglass.engine.snapshot.Ancestry;
import dev.sandglass.engine.snapshot.Archives;
import dev.sandglass.engine.snapshot.Snapshots;
import dev.sandglass.engine.template.TemplateSettings;
import dev.sandglass.engine.template.Templates;
import dev.sandglass.engine.template.Uploads;
import dev.sandglass.engine.usage.Usages;
import dev.sandglass.engine.volume.VolumeFiles;
import dev.sandglass.engine.volume.Volumes;

/** The domain, put together: what the server serves. */
public record Engine(Sandboxes sandboxes, Snapshots snapshots, Ancestry ancestry, Differences differences, Archives archives, Credentials credentials, Routes routes, Budgets budgets, Commands commands, Services services, Files files, Ports ports, Events events, Journeys journeys, Usages usages, Operations operations, Volumes volumes, VolumeFiles volumeFiles, OciImages images, Builds builds, Provisioning provisioning, Templates templates, ReadyPools pools, ApiKeys keys, Uploads uploads) implements AutoCloseable {
    /** Puts it together of what others have opened. */
    public static Engine of(Ledger ledger, Sandboxes sandboxes, Snapshots snapshots, Differences differences, Archives archives, Credentials credentials, Routes routes, Budgets budgets, Journeys journeys, OciImages images, Host host, Uploads uploads, TemplateSettings settings) {
        Commands commands = new Commands(sandboxes.live(), ledger);
        Services services = new Services(sandboxes, ledger);
        Files files = new Files(sandboxes.live());
        Builds builds = new Builds(ledger);
        Scripts scripts = new Scripts(sandboxes, commands);
        Installation installation = new Installation(scripts, host.addresses());
        Provisioning provisioning = new Provisioning(sandboxes, builds, installation, host);
        Templates templates = new Templates(ledger, sandboxes, snapshots, files, services, scripts, installation, builds, provisioning, images, uploads, settings);
        return new Engine(sandboxes, snapshots, new Ancestry(ledger, sandboxes, snapshots), differences, archives, credentials, routes, budgets, commands, services, files, new Ports(sandboxes.live()), new Events(ledger), journeys, new Usages(sandboxes), new Operations(ledger, sandboxes::made), new Volumes(ledger, sandboxes.volumes()), new VolumeFiles(ledger, sandboxes), images, builds, provisioning, templates, new ReadyPools(ledger, sandboxes, snapshots, templates), new ApiKeys(ledger), uploads);
    }

    /** But for what is told by the network to its end: journeys and budgets are closed after it. */
    @Override
    public void close() {
        pools.close();
        builds.close();
        archives.close();
        snapshots.close();
        operations.close();
        usages.close();
        sandboxes.close();
        services.close();
    }
}
