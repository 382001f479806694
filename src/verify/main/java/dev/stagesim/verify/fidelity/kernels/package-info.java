/** Predictions of measured kernels: products, experts, attention and all-reduces. */
@NullMarked
package dev.stagesim.verify.fidelity.kernels;

import org.jspecify.annotations.NullMarked;
