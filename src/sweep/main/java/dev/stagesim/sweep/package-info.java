/**
 * Runs many jobs of one stage: a {@link dev.stagesim.sweep.Manifest} of jobs, executed by a launcher, with results in
 * tables.
 *
 * <p>The results depend only on the manifest. A {@link dev.stagesim.sweep.launch.Launcher} determines where the jobs run. To
 * add one, write a record in {@link dev.stagesim.sweep.launch.LauncherSettings} with its option in {@code
 * configs/launcher/}, one class that implements the interface, and one line in {@link dev.stagesim.sweep.launch.Launchers}, or
 * a {@link dev.stagesim.sweep.launch.LauncherKind} among the parts of a feature. A launcher receives a {@link
 * dev.stagesim.sweep.launch.Launch}. For each job it calls {@code begin}, makes the run by any means ({@link
 * dev.stagesim.pipeline.request.PortableRun} transfers a job to another process, {@code SweepRuns.adopt} imports its run), and
 * reports {@code done} or {@code failed}. It does not handle tables, progress, estimates or interruption.
 */
@NullMarked
package dev.stagesim.sweep;

import org.jspecify.annotations.NullMarked;
