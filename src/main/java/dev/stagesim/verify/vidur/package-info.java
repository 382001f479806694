/** Replays a corpus of serving simulations recorded with Vidur and says which are reproduced exactly. */
@NullMarked
package dev.stagesim.verify.vidur;

import org.jspecify.annotations.NullMarked;
