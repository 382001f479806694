package dev.stagesim.bench.engine;

import dev.stagesim.model.Feature;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import dev.stagesim.model.Suggest;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.Stream;

/** The optional engines there are: those of features, and Spark. */
public final class Engines {
    private static final List<Engine> ALL = Stream.concat(
                    Feature.all(Engine.class).stream(), Stream.of(SparkEngine.engine()))
            .toList();

    private Engines() {}

    public static List<Engine> all() {
        return ALL;
    }

    /**
     * The engine of that name.
     *
     * @throws StageException (input) when there is none
     */
    public static Engine find(String name) {
        List<String> names = ALL.stream().map(Engine::name).toList();
        return ALL.stream()
                .filter(engine -> engine.name().equals(name))
                .findFirst()
                .orElseThrow(() -> StageException.input(Problem.of("usage error", name, "no such engine")
                        .options(names)
                        .didYouMean(Suggest.near(name, names))));
    }

    /** Apache Spark, which runs the jobs of sweeps in processes of its own or on a cluster. */
    private static final class SparkEngine {
        private static final String JARS = "spark.txt";

        private SparkEngine() {}

        static Engine engine() {
            return new Engine(
                    "spark",
                    "Apache Spark (Scala 2.13): runs the jobs of sweeps, here or on a cluster",
                    "4.2.0",
                    "",
                    jars());
        }

        /** Lines of coordinates, bytes and digest beside this class. */
        private static List<Artifact> jars() {
            try (InputStream in = SparkEngine.class.getResourceAsStream(JARS)) {
                if (in == null) {
                    throw new IllegalStateException("no resource " + JARS);
                }
                return new String(in.readAllBytes(), StandardCharsets.UTF_8)
                        .lines()
                        .filter(line -> !line.startsWith("#"))
                        .map(line -> line.split(" ", -1))
                        .map(words -> Artifact.jar(words[0], Long.parseLong(words[1]), words[2]))
                        .toList();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }
}
