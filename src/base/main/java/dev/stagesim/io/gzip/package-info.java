/** Access to files named by users: regular files, optionally compressed by gzip. */
@NullMarked
package dev.stagesim.io.gzip;

import org.jspecify.annotations.NullMarked;
