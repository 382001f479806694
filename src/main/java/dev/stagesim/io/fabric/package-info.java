/** Files of the capacity model: workload catalogs, targets, accelerator cards and run records, and runs as Atlas Fabric does them. */
@NullMarked
package dev.stagesim.io.fabric;

import org.jspecify.annotations.NullMarked;
