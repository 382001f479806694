/**
 * Live measurement: replays a workload against an OpenAI-compatible server over HTTP and records the time of every event with one
 * monotonic clock.
 */
@NullMarked
package dev.stagesim.bench;

import org.jspecify.annotations.NullMarked;
