/** Digests of what is stored or hashed into names. */
@NullMarked
package dev.stagesim.io.digest;

import org.jspecify.annotations.NullMarked;
