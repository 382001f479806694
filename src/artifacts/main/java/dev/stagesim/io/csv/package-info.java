/** Streaming CSV codecs that check every row against its declared schema. */
@NullMarked
package dev.stagesim.io.csv;

import org.jspecify.annotations.NullMarked;
