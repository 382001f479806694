/** YAML 1.1 files as JSON values; the only user of SnakeYAML. */
@NullMarked
package dev.stagesim.io.yaml;

import org.jspecify.annotations.NullMarked;
