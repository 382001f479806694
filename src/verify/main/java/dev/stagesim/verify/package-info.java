/** Replays corpora of recorded cases against our own code and reports which are reproduced exactly. */
@NullMarked
package dev.stagesim.verify;

import org.jspecify.annotations.NullMarked;
