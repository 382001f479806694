/**
 * The launcher {@code spark}: a process of its own hands the jobs of a sweep, or the questions of a search, to Spark's
 * workers, each of which runs {@link dev.stagesim.feature.spark.RemoteJob}.
 */
@NullMarked
package dev.stagesim.feature.spark;

import org.jspecify.annotations.NullMarked;
