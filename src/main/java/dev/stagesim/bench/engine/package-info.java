/** Optional engines that are not bundled: what they consist of, where they are kept, how they get there. */
@NullMarked
package dev.stagesim.bench.engine;

import org.jspecify.annotations.NullMarked;
