/** Public interface of the configuration engine: composes, lists and formats configurations. */
@NullMarked
package dev.stagesim.config;

import org.jspecify.annotations.NullMarked;
