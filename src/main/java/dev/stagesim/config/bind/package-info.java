/** From the resolved configuration tree to frozen settings records and back; the records define every key. */
@NullMarked
package dev.stagesim.config.bind;

import org.jspecify.annotations.NullMarked;
