/** Recorded decisions of the parts of LLMServingSim 2 that run alone. */
@NullMarked
package dev.stagesim.verify.llmservingsim;

import org.jspecify.annotations.NullMarked;
