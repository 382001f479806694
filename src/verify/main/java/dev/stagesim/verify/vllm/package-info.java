/** Recorded decisions of vLLM's V1 scheduler, step by step, and the tables around it. */
@NullMarked
package dev.stagesim.verify.vllm;

import org.jspecify.annotations.NullMarked;
