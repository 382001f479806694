/** Transfers of KV caches between instances. */
@NullMarked
package dev.stagesim.feature.cluster.transfer;

import org.jspecify.annotations.NullMarked;
