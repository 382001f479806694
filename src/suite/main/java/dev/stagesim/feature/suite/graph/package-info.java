/** The profiling suite as operator graphs: converts layers to matrix products, work and memory traffic. */
@NullMarked
package dev.stagesim.feature.suite.graph;

import org.jspecify.annotations.NullMarked;
