/** Rules that choose an instance for a request. */
@NullMarked
package dev.stagesim.feature.cluster.router;

import org.jspecify.annotations.NullMarked;
