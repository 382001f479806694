/**
 * Launcher {@code spark}: a separate process distributes the jobs of a sweep, or the queries of a search, to Spark's
 * workers. Each worker runs {@link dev.stagesim.feature.spark.RemoteJob}.
 */
@NullMarked
package dev.stagesim.feature.spark;

import org.jspecify.annotations.NullMarked;
