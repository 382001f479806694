/**
 * Files of the capacity model (workload catalogs, targets, accelerator cards and run records), and a reproduction of
 * Atlas Fabric.
 */
@NullMarked
package dev.stagesim.io.fabric;

import org.jspecify.annotations.NullMarked;
