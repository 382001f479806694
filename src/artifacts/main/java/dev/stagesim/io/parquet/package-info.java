/** Reads and writes tables in the subset of Parquet that the product's tables need. */
@NullMarked
package dev.stagesim.io.parquet;

import org.jspecify.annotations.NullMarked;
