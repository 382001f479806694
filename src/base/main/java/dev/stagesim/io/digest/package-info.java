/** Digests of stored data and of names. */
@NullMarked
package dev.stagesim.io.digest;

import org.jspecify.annotations.NullMarked;
