/** Commands that examine execution traces. */
@NullMarked
package dev.stagesim.cli.inspect;

import org.jspecify.annotations.NullMarked;
