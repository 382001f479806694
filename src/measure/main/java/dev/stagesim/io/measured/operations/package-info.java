/** Result formats of collective tests, profilers and training logs. */
@NullMarked
package dev.stagesim.io.measured.operations;

import org.jspecify.annotations.NullMarked;
