package dev.sandglass.cli;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** Which class serves which word; only that class is loaded. */
final class Verbs {
    /** The verbs that this program serves itself; the launcher serves the others that the help lists. */
    static final List<String> ALL = List.of(
            "create", "run", "ls", "inspect", "exec", "shell", "ps", "attach", "logs", "kill", "service create", "service ls", "service inspect", "service logs", "service start", "service stop", "service restart", "service rm", "cp", "files ls", "files cat", "files mkdir",
            "files mv", "files rm", "files watch", "snapshot create", "snapshot ls", "snapshot inspect", "snapshot verify", "snapshot export", "snapshot import", "tree", "history", "diff", "snapshot rm", "component ls", "component get", "provision", "template ls", "template get", "template create", "template build", "template history", "template rollback", "template rm", "pool set", "pool ls", "pool rm", "fleet create", "fleet ls", "fleet destroy", "image pull", "image import", "image ls", "image inspect", "image export", "image rm", "policy show", "policy set", "policy allow", "policy deny", "policy log", "credential create", "credential ls", "credential inspect", "credential rotate", "credential grant", "credential revoke", "credential usage", "credential reset", "credential rm", "route create", "route ls", "route inspect", "route link", "route unlink", "route rm", "port-forward", "volume create", "volume ls", "volume inspect", "volume attach", "volume cp", "volume snapshot", "volume fork", "volume detach", "volume rm", "mcp", "mcp install", "mcp wrap", "stats", "events", "stop", "start", "fork", "race", "pause", "resume", "rewind", "refresh", "update", "rm", "status", "version", "demo", "completion", "key create", "key ls", "key revoke");

    private static final List<String> GROUPS = List.of("files", "snapshot", "policy", "credential", "key", "service", "route", "volume", "image", "component", "template", "pool", "fleet", "mcp");

    private Verbs() {}

    /** How many words at the beginning name the verb. */
    static int words(String[] args) {
        return args.length > 1 && GROUPS.contains(args[0]) && !args[1].startsWith("-") ? 2 : 1;
    }

    static @Nullable Verb of(String name) {
        return switch (name) {
            case "create" -> new CreateVerb();
            case "run" -> new RunVerb();
            case "exec" -> new ExecVerb();
            case "shell" -> new ShellVerb();
            case "attach" -> new AttachVerb();
            case "ps" -> new PsVerb();
            case "kill" -> new KillVerb();
            case "logs" -> new LogsVerb();
            case "ls", "list" -> new LsVerb();
            case "inspect" -> new InspectVerb();
            case "service" -> new GroupVerb("service", "Commands that a sandbox supervises. `sandglass service VERB --help` tells more.");
            case "service create" -> new ServiceCreateVerb();
            case "service ls", "service list" -> new ServiceLsVerb();
            case "service inspect" -> new ServiceInspectVerb();
            case "service logs" -> new ServiceLogsVerb();
            case "service start" -> ServiceOrderVerb.start();
            case "service stop" -> ServiceOrderVerb.stop();
            case "service restart" -> ServiceOrderVerb.restart();
            case "service rm", "service delete", "service destroy" -> new ServiceRmVerb();
            case "cp" -> new CpVerb();
            case "files" -> new GroupVerb("files", "Work with the files of a sandbox. `sandglass files VERB --help` tells more.");
            case "files ls", "files list" -> new FilesLsVerb();
            case "files cat" -> new FilesCatVerb();
            case "files rm", "files delete", "files destroy" -> new FilesRmVerb();
            case "files mv" -> new FilesMvVerb();
            case "files mkdir" -> new FilesMkdirVerb();
            case "files watch" -> new FilesWatchVerb();
            case "snapshot" -> new GroupVerb("snapshot", "Captured states of sandboxes. `sandglass snapshot VERB --help` tells more.");
            case "snapshot create" -> new SnapshotCreateVerb();
            case "snapshot ls", "snapshot list" -> new SnapshotLsVerb();
            case "snapshot inspect" -> new SnapshotInspectVerb();
            case "snapshot verify" -> new SnapshotVerifyVerb();
            case "snapshot export" -> new SnapshotExportVerb();
            case "snapshot import" -> new SnapshotImportVerb();
            case "snapshot rm", "snapshot delete", "snapshot destroy" -> new SnapshotRmVerb();
            case "image" -> new GroupVerb("image", "Images from registries and archives. `sandglass image VERB --help` tells more.");
            case "image pull" -> new ImagePullVerb();
            case "image import" -> new ImageImportVerb();
            case "image ls", "image list" -> new ImageLsVerb();
            case "image inspect" -> new ImageInspectVerb();
            case "image export" -> new ImageExportVerb();
            case "image rm", "image delete", "image destroy" -> new ImageRmVerb();
            case "policy" -> new GroupVerb("policy", "What a sandbox may reach. `sandglass policy VERB --help` tells more.");
            case "policy show" -> new PolicyShowVerb();
            case "policy set" -> new PolicySetVerb();
            case "policy allow" -> new PolicyRuleVerb("allow");
            case "policy deny" -> new PolicyRuleVerb("deny");
            case "policy log" -> new PolicyLogVerb();
            case "key" -> new GroupVerb("key", "Keys of the API, for other programs and machines. `sandglass key VERB --help` tells more.");
            case "key create" -> new KeyCreateVerb();
            case "key ls", "key list" -> new KeyLsVerb();
            case "key revoke", "key rm", "key delete", "key destroy" -> new KeyRevokeVerb();
            case "credential" -> new GroupVerb("credential", "Secrets that sandboxes use and never see. `sandglass credential VERB --help` tells more.");
            case "credential create" -> new CredentialCreateVerb();
            case "credential ls", "credential list" -> new CredentialLsVerb();
            case "credential inspect" -> new CredentialInspectVerb();
            case "credential rotate" -> new CredentialRotateVerb();
            case "credential rm", "credential delete", "credential destroy" -> new CredentialRmVerb();
            case "credential grant" -> new CredentialGrantVerb();
            case "credential revoke" -> new CredentialRevokeVerb();
            case "route" -> new GroupVerb("route", "Entries from outside to ports of sandboxes. `sandglass route VERB --help` tells more.");
            case "route create" -> new RouteCreateVerb();
            case "route ls", "route list" -> new RouteLsVerb();
            case "route inspect" -> new RouteInspectVerb();
            case "route link" -> new RouteLinkVerb();
            case "route unlink" -> new RouteUnlinkVerb();
            case "route rm", "route delete", "route destroy" -> new RouteRmVerb();
            case "volume" -> new GroupVerb("volume", "Directories that outlive sandboxes. `sandglass volume VERB --help` tells more.");
            case "volume create" -> new VolumeCreateVerb();
            case "volume ls", "volume list" -> new VolumeLsVerb();
            case "volume inspect" -> new VolumeInspectVerb();
            case "volume snapshot" -> VolumeCopyVerb.snapshot();
            case "volume fork" -> VolumeCopyVerb.fork();
            case "volume cp" -> new VolumeCpVerb();
            case "volume attach" -> VolumeAttachVerb.attach();
            case "volume detach" -> VolumeAttachVerb.detach();
            case "volume rm", "volume delete", "volume destroy" -> new VolumeRmVerb();
            case "port-forward" -> new PortForwardVerb();
            case "mcp" -> new McpVerb();
            case "mcp install" -> new McpInstallVerb();
            case "mcp wrap" -> new McpWrapVerb();
            case "component" -> new GroupVerb("component", "What can be installed by name. `sandglass component VERB --help` tells more.");
            case "component ls", "component list" -> new ComponentLsVerb();
            case "component get", "component inspect" -> new ComponentGetVerb();
            case "provision" -> new ProvisionVerb();
            case "template" -> new GroupVerb("template", "Recipes whose builds are snapshots. `sandglass template VERB --help` tells more.");
            case "template ls", "template list" -> new TemplateLsVerb();
            case "template get", "template inspect" -> new TemplateGetVerb();
            case "template create" -> new TemplateCreateVerb();
            case "template build" -> new TemplateBuildVerb();
            case "template history" -> new TemplateHistoryVerb();
            case "template rollback" -> new TemplateRollbackVerb();
            case "template rm", "template delete", "template destroy" -> new TemplateRmVerb();
            case "fleet" -> new GroupVerb("fleet", "Machines that a file describes. `sandglass fleet VERB --help` tells more.");
            case "fleet create" -> new FleetCreateVerb();
            case "fleet ls", "fleet list" -> new FleetLsVerb();
            case "fleet rm", "fleet delete", "fleet destroy" -> new FleetDestroyVerb();
            case "pool" -> new GroupVerb("pool", "Sandboxes that are kept ready. `sandglass pool VERB --help` tells more.");
            case "pool set" -> new PoolSetVerb();
            case "pool ls", "pool list" -> new PoolLsVerb();
            case "pool rm", "pool delete", "pool destroy" -> new PoolRmVerb();
            case "credential usage" -> new CredentialUsageVerb();
            case "credential reset" -> new CredentialResetVerb();
            case "tree" -> new TreeVerb();
            case "diff" -> new DiffVerb();
            case "history" -> new HistoryVerb();
            case "stats" -> new StatsVerb();
            case "events" -> new EventsVerb();
            case "stop" -> new StopVerb();
            case "start" -> new StartVerb();
            case "fork" -> new ForkVerb();
            case "race" -> new RaceVerb();
            case "pause" -> new PauseVerb();
            case "resume" -> new ResumeVerb();
            case "rewind" -> new RewindVerb();
            case "refresh" -> new RefreshVerb();
            case "update" -> new UpdateVerb();
            case "rm", "delete", "destroy" -> new RmVerb();
            case "status" -> new StatusVerb();
            case "version", "--version", "-V" -> new VersionVerb();
            case "demo" -> new DemoVerb();
            case "completion" -> new CompletionVerb();
            case "__complete" -> new CompleteVerb();
            default -> null;
        };
    }

    /** The verbs of a group, without its name. */
    static List<String> of(String group, List<String> all) {
        return all.stream().filter(verb -> verb.startsWith(group + " ")).map(verb -> verb.substring(group.length() + 1)).toList();
    }
}
