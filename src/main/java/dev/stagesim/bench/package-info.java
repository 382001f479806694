/**
 * Live measurement: a workload replayed against an OpenAI-style server over HTTP, every event of its streams stamped on one
 * monotonic clock.
 */
@NullMarked
package dev.stagesim.bench;

import org.jspecify.annotations.NullMarked;
