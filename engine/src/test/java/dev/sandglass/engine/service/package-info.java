/** Tests of services. */
@NullMarked
package dev.sandglass.engine.service;

import org.jspecify.annotations.NullMarked;
