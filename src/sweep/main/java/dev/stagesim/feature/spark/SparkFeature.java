package dev.stagesim.feature.spark;

import dev.stagesim.bench.engine.Artifact;
import dev.stagesim.bench.engine.Engine;
import dev.stagesim.io.gzip.Resources;
import dev.stagesim.model.Feature;
import dev.stagesim.sweep.launch.LauncherKind;
import dev.stagesim.sweep.launch.LauncherSettings;
import java.util.List;

/** Adds Apache Spark: an installable engine, and a launcher that runs jobs on it. */
public final class SparkFeature implements Feature {
    private static final String JARS = "spark.txt";

    @Override
    public int position() {
        return 110;
    }

    @Override
    public List<Object> parts() {
        return List.of(
                engine(),
                new LauncherKind(
                        LauncherSettings.Spark.class,
                        settings -> new SparkLauncher((LauncherSettings.Spark) settings)));
    }

    private static Engine engine() {
        return new Engine(
                "spark",
                "Apache Spark (Scala 2.13): runs the jobs of sweeps, here or on a cluster",
                "4.2.0",
                "",
                SparkFeature::jars);
    }

    /** Reads the lines of coordinates, size and digest from the resource file. */
    private static List<Artifact> jars() {
        return Resources.text(SparkFeature.class, JARS)
                .lines()
                .filter(line -> !line.startsWith("#"))
                .map(line -> line.split(" ", -1))
                .map(words -> Artifact.jar(words[0], Long.parseLong(words[1]), words[2]))
                .toList();
    }
}
