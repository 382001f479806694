/** Training estimates of other tools, figure for figure: llm-analysis, Megatron-LM's memory report, DeepSpeed's ZeRO estimators. */
@NullMarked
package dev.stagesim.sim.training.peer;

import org.jspecify.annotations.NullMarked;
