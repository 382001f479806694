/** Files that users name: regular ones, which may be compressed by gzip, recognised by their first bytes. */
@NullMarked
package dev.stagesim.io.gzip;

import org.jspecify.annotations.NullMarked;
