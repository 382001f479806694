/**
 * The reference engine: a small decoder-only transformer that serves requests on the local processor, with a paged KV cache and the
 * simulator's schedulers. It can be measured and profiled without a GPU.
 */
@NullMarked
package dev.stagesim.feature.reference;

import org.jspecify.annotations.NullMarked;
