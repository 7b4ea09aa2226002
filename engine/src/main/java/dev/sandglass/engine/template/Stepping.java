package dev.sandglass.engine.template;

import dev.sandglass.engine.sandbox.CommandDefaults;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.SandglassException;
import dev.sandglass.wire.TemplateStep;
import dev.sandglass.wire.dockerfile.DockerStep;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;

/** Goes through the steps that a program says: what each sets counts for those behind it, and for the commands of sandboxes. Used by one thread. */
final class Stepping {
    /** Where the base does not say otherwise. */
    private static final String USER = "user";

    private static final String ROOT = "root";
    private static final int SHOWN = 60;
    private static final Pattern MODE = Pattern.compile("0?[0-7]{3,4}");
    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9_][A-Za-z0-9_.-]{0,31}(:[A-Za-z0-9_][A-Za-z0-9_.-]{0,31})?");
    /**
     * Images from elsewhere have no such user, and who may become root without a password needs sudo for it. With ss programs tell whether something listens on a port. Nothing of that keeps a build
     * from going on that does not need it.
     */
    private static final String PROVISION = """
            id user > /dev/null 2>&1 || useradd --create-home --shell /bin/bash user 2> /dev/null || adduser -D -s /bin/sh user
            missing=
            command -v sudo > /dev/null || missing="$missing sudo"
            command -v ss > /dev/null || missing="$missing iproute2"
            if [ -n "$missing" ] && command -v apt-get > /dev/null; then
              { apt-get -q update && apt-get -q -y -o Dpkg::Use-Pty=0 install --no-install-recommends $missing; } > /dev/null 2>&1 || echo "not there, and not to be had:$missing"
            fi
            if [ -d /etc/sudoers.d ]; then echo 'user ALL=(ALL:ALL) NOPASSWD: ALL' > /etc/sudoers.d/user && chmod 440 /etc/sudoers.d/user; fi
            """;

    private final UnaryOperator<String> digests;
    private final List<Step> steps = new ArrayList<>();
    private final Map<String, String> env = new HashMap<>();
    private String user;
    private String workdir;

    private Stepping(CommandDefaults base, boolean standard, UnaryOperator<String> digests) {
        this.digests = digests;
        this.user = standard ? base.user().filter(name -> !name.equals(ROOT)).orElse(USER) : USER;
        this.workdir = standard ? base.workdir().orElse("/home/" + USER) : "/home/" + USER;
    }

    /**
     * What the steps come to on top of a base.
     *
     * @param elsewhere whether the base is an image from elsewhere, which knows nothing of this
     * @param digests of uploads, by their names
     */
    static Stepping of(List<TemplateStep> asked, CommandDefaults base, boolean elsewhere, UnaryOperator<String> digests) {
        Stepping stepping = new Stepping(base, !elsewhere, digests);
        stepping.run("0: what programs count on", PROVISION, ROOT, "/");
        for (int i = 0; i < asked.size(); i++) {
            stepping.take(i + 1, asked.get(i));
        }
        return stepping;
    }

    List<Step> steps() {
        return List.copyOf(steps);
    }

    /** What commands get after all of them. */
    CommandDefaults commands(CommandDefaults base) {
        return new CommandDefaults(Optional.of(user), Optional.of(workdir), env, List.of(), List.of()).over(base);
    }

    private void take(int number, TemplateStep step) {
        List<String> args = step.args();
        String shown = shown(number, step);
        switch (step.type()) {
            case "RUN" -> {
                require(number, step, 1);
                String asked = args.size() > 1 && !args.get(1).isEmpty() ? args.get(1) : user;
                run(shown, args.getFirst(), named(number, "user", asked), workdir);
            }
            case "ENV" -> {
                if (args.size() % 2 != 0) {
                    throw invalid(number, "ENV has " + args.size() + " arguments (expected: names and values, one after the other)");
                }
                for (int i = 0; i < args.size(); i += 2) {
                    env.put(args.get(i), args.get(i + 1));
                }
            }
            case "USER" -> {
                require(number, step, 1);
                user = named(number, "user", args.getFirst());
            }
            case "WORKDIR" -> {
                require(number, step, 1);
                workdir = within(args.getFirst());
                String owner = user.contains(":") ? user : user + ":";
                steps.add(new Step.Command(new DockerStep.Run(
                        shown, List.of("/bin/sh", "-c", "[ -d \"$1\" ] || { mkdir -p \"$1\" && chown \"$2\" \"$1\"; }", "sh", workdir, owner), Map.of(), ROOT, "/")));
            }
            case "COPY" -> copy(number, step, shown);
            default -> throw invalid(number, "type: " + step.type() + " (expected: RUN, COPY, ENV, WORKDIR or USER)");
        }
    }

    private void copy(int number, TemplateStep step, String shown) {
        require(number, step, 2);
        List<String> args = step.args();
        String upload = step.upload();
        if (upload == null) {
            throw invalid(number, "COPY without the hash of its files");
        }
        String mode = args.size() > 3 ? args.get(3) : "";
        if (!mode.isEmpty() && !MODE.matcher(mode).matches()) {
            throw invalid(number, "mode: " + mode + " (expected: octal digits such as 0644)");
        }
        String owner = args.size() > 2 && !args.get(2).isEmpty() ? named(number, "owner", args.get(2)) : user;
        String target = args.get(1);
        boolean intoDirectory = target.endsWith("/") || target.equals(".");
        steps.add(new Step.Upload(
                shown, upload, digests.apply(upload), args.getFirst(), within(target) + (intoDirectory ? "/" : ""), owner.contains(":") ? owner : owner + ":", mode.isEmpty() ? Optional.empty() : Optional.of(mode)));
    }

    private void run(String shown, String command, String as, String in) {
        steps.add(new Step.Command(new DockerStep.Run(shown, List.of("/bin/bash", "-l", "-c", command), Map.copyOf(env), as, in)));
    }

    /** Of a path that may be relative to where commands run. */
    private String within(String path) {
        String whole = path.startsWith("/") ? path : path.equals("~") ? home() : path.startsWith("~/") ? home() + path.substring(1) : workdir + "/" + path;
        List<String> parts = new ArrayList<>();
        for (String part : whole.split("/")) {
            if (part.equals("..")) {
                if (!parts.isEmpty()) {
                    parts.removeLast();
                }
            } else if (!part.isEmpty() && !part.equals(".")) {
                parts.add(part);
            }
        }
        return "/" + String.join("/", parts);
    }

    private String home() {
        String name = user.split(":", 2)[0];
        return name.equals(ROOT) ? "/root" : "/home/" + name;
    }

    private static String shown(int number, TemplateStep step) {
        String words = String.join(" ", step.args()).replaceAll("\\s+", " ").strip();
        return number + ": " + step.type() + " " + (words.length() > SHOWN ? words.substring(0, SHOWN) + "..." : words);
    }

    private static String named(int number, String field, String name) {
        if (!NAME.matcher(name).matches()) {
            throw invalid(number, field + ": it is no name of a user, or user:group");
        }
        return name;
    }

    private static void require(int number, TemplateStep step, int least) {
        if (step.args().size() < least) {
            throw invalid(number, step.type() + " has " + step.args().size() + " arguments (expected: at least " + least + ")");
        }
    }

    private static SandglassException invalid(int number, String what) {
        return new SandglassException(ErrorCode.INVALID_REQUEST, "steps: " + number + ": " + what, "Correct the template.");
    }
}
