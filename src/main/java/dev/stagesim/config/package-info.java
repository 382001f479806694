/** The configuration engine's front door: composes, lists and renders configurations. */
@NullMarked
package dev.stagesim.config;

import org.jspecify.annotations.NullMarked;
