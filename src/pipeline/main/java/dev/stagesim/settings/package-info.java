/** Sections of configuration that several stages share; records only. */
@NullMarked
package dev.stagesim.settings;

import org.jspecify.annotations.NullMarked;
