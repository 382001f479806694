/** What routers track of instances: open members, signals, and prefixes by content. */
@NullMarked
package dev.stagesim.feature.cluster.router.view;

import org.jspecify.annotations.NullMarked;
