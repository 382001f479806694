/** Optional engines, which are not part of the distribution: their files, their installation and their programs. */
@NullMarked
package dev.stagesim.bench.engine;

import org.jspecify.annotations.NullMarked;
