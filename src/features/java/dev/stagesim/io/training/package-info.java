/** Files of training planners: calculon's, llm-analysis's, and the argument lists of Megatron-LM and DeepSpeed. */
@NullMarked
package dev.stagesim.io.training;

import org.jspecify.annotations.NullMarked;
