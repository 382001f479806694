/**
 * Runs many jobs of one stage: a {@link dev.stagesim.sweep.Manifest} of jobs, launched somewhere, gathered in tables.
 *
 * <p>What comes out depends on the manifest alone. Where the jobs run is a {@link dev.stagesim.sweep.Launcher}; to add
 * one, write a record in {@link dev.stagesim.settings.LauncherSettings} with its option in {@code configs/launcher/}, one
 * class that implements the interface, and one line in {@link dev.stagesim.sweep.Launchers}, or a
 * {@link dev.stagesim.sweep.LauncherKind} among the parts of a feature. A launcher is given a
 * {@link dev.stagesim.sweep.Launch}: it asks {@code begin} for each job, makes the run by whatever means
 * ({@link dev.stagesim.pipeline.PortableRun} carries a job to another process, {@code Pipeline.adopt} brings its run
 * back) and reports {@code done} or {@code failed}. Tables, progress, estimates and interruption are not its business.
 */
@NullMarked
package dev.stagesim.sweep;

import org.jspecify.annotations.NullMarked;
