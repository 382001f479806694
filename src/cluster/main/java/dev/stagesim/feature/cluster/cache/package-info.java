/** Lower tiers of the KV cache, prefetching, retention, and events of cached blocks. */
@NullMarked
package dev.stagesim.feature.cluster.cache;

import org.jspecify.annotations.NullMarked;
