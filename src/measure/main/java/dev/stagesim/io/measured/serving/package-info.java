/** Result formats of serving benchmarks, request traces and simulators. */
@NullMarked
package dev.stagesim.io.measured.serving;

import org.jspecify.annotations.NullMarked;
