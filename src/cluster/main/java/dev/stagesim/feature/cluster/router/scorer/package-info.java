/** Scores that the llm-d router weighs. */
@NullMarked
package dev.stagesim.feature.cluster.router.scorer;

import org.jspecify.annotations.NullMarked;
