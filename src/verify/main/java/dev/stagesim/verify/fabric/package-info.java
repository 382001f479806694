/** Recorded runs of Atlas Fabric. */
@NullMarked
package dev.stagesim.verify.fabric;

import org.jspecify.annotations.NullMarked;
