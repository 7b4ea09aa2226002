/** What it takes to build the templates of agents, and to have the agents answer in sandboxes of them. */
@NullMarked
package dev.sandglass.bench.agent;

import org.jspecify.annotations.NullMarked;
