/** Run directories: files and their digests, metadata, locks and the environment of a run. */
@NullMarked
package dev.stagesim.pipeline.store;

import org.jspecify.annotations.NullMarked;
