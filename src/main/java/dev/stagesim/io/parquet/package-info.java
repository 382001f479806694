/** Tables as Parquet: the part of the format that our tables need, written and read. */
@NullMarked
package dev.stagesim.io.parquet;

import org.jspecify.annotations.NullMarked;
