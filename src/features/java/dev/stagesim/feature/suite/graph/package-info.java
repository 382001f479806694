/** The framework profiling suite as operator graphs: layers as text in, matrix products, work and traffic out. */
@NullMarked
package dev.stagesim.feature.suite.graph;

import org.jspecify.annotations.NullMarked;
