/**
 * A small decoder-only transformer that serves requests on this machine's processor, and what measures it: kernels over
 * primitive arrays, a paged KV cache, continuous batching by the simulator's schedulers.
 */
@NullMarked
package dev.stagesim.feature.reference;

import org.jspecify.annotations.NullMarked;
