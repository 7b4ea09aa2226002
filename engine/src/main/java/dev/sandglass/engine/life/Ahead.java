package dev.sandglass.engine.life;

/**
 * What may be started before somebody asks for it.
 *
 * @param keepsSpares whether a sandbox like the last ones is
 * @param poolBytes memory that the waiting sandboxes of pools may take
 */
public record Ahead(boolean keepsSpares, long poolBytes) {}
