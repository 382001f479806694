/** Access to files: files named by users, optionally compressed by gzip, directories, and resources of the product. */
@NullMarked
package dev.stagesim.io.gzip;

import org.jspecify.annotations.NullMarked;
