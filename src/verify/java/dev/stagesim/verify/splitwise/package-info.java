/** Replays recorded runs of Splitwise's simulator. */
@NullMarked
package dev.stagesim.verify.splitwise;

import org.jspecify.annotations.NullMarked;
