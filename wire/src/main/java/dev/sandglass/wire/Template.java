package dev.sandglass.wire;

import io.avaje.jsonb.Json;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A recipe whose build is a snapshot.
 *
 * @param from a template or a snapshot; the base image if neither this nor another is there
 * @param image one from elsewhere; instead of {@code from}
 * @param dockerfile the text of one; instead of {@code from}
 * @param context what stands beside the Dockerfile, by paths relative to it
 * @param components names of components and bundles
 * @param definitions components of its own
 * @param setup a script of bash, run as root after components and files
 * @param ready checked after services were started
 * @param warm whether the snapshot has the processes of its services
 * @param network what its sandboxes may reach
 * @param credentials names of those that requests of its sandboxes may get
 * @param requiredDomains what is reachable besides while it is built
 * @param timeout seconds that a build may take
 * @param security of its sandboxes and of the one in which it is built
 * @param steps what is done before the components; not beside a Dockerfile
 */
@Json(naming = Json.Naming.LowerUnderscore)
public record Template(
        String name,
        @Nullable String description,
        @Nullable String from,
        @Nullable String image,
        @Nullable String dockerfile,
        @Nullable List<TemplateFile> context,
        @Nullable List<String> components,
        @Nullable List<Component> definitions,
        @Nullable Map<String, String> variables,
        @Nullable List<TemplateFile> files,
        @Nullable String setup,
        @Nullable Map<String, String> env,
        @Nullable String user,
        @Nullable String workdir,
        @Nullable List<CreateService> services,
        @Nullable ReadyCheck ready,
        @Nullable Boolean warm,
        @Nullable TemplateResources resources,
        @Nullable String runtime,
        @Nullable NetworkPolicy network,
        @Nullable List<String> credentials,
        @Nullable List<String> requiredDomains,
        @Nullable TemplatePool pool,
        @Nullable TemplateLifecycle lifecycle,
        @Nullable Long timeout,
        @Nullable String security,
        @Nullable List<TemplateStep> steps) {
    /** With the default security, and without steps. */
    public Template(
            String name,
            @Nullable String description,
            @Nullable String from,
            @Nullable String image,
            @Nullable String dockerfile,
            @Nullable List<TemplateFile> context,
            @Nullable List<String> components,
            @Nullable List<Component> definitions,
            @Nullable Map<String, String> variables,
            @Nullable List<TemplateFile> files,
            @Nullable String setup,
            @Nullable Map<String, String> env,
            @Nullable String user,
            @Nullable String workdir,
            @Nullable List<CreateService> services,
            @Nullable ReadyCheck ready,
            @Nullable Boolean warm,
            @Nullable TemplateResources resources,
            @Nullable String runtime,
            @Nullable NetworkPolicy network,
            @Nullable List<String> credentials,
            @Nullable List<String> requiredDomains,
            @Nullable TemplatePool pool,
            @Nullable TemplateLifecycle lifecycle,
            @Nullable Long timeout) {
        this(
                name, description, from, image, dockerfile, context, components, definitions, variables, files, setup, env, user, workdir, services, ready, warm, resources, runtime, network, credentials, requiredDomains, pool,
                lifecycle, timeout, null, null);
    }

    /** The same under another name. */
    public Template named(String other) {
        return new Template(
                other, description, from, image, dockerfile, context, components, definitions, variables, files, setup, env, user, workdir, services, ready, warm, resources, runtime, network, credentials, requiredDomains, pool,
                lifecycle, timeout, security, steps);
    }
}
