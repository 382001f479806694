/** Processor time and memory of whole commands, and their growth: {@code mvn -Pbench verify}. */
@NullMarked
package dev.stagesim.benchmark;

import org.jspecify.annotations.NullMarked;
