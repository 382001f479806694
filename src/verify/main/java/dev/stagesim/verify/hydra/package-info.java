/** Replays recorded cases of Hydra and OmegaConf against our configuration engine. */
@NullMarked
package dev.stagesim.verify.hydra;

import org.jspecify.annotations.NullMarked;
