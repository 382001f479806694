/** Replay of Vidur's golden cases. */
@NullMarked
package dev.stagesim.verify.vidur;

import org.jspecify.annotations.NullMarked;
