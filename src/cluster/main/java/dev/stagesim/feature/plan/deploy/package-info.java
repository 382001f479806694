/** Deployment files of plans: one class per format, registered in {@code DeploymentFormats}. */
@NullMarked
package dev.stagesim.feature.plan.deploy;

import org.jspecify.annotations.NullMarked;
