package dev.stagesim.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stagesim.model.Feature;
import dev.stagesim.pipeline.StageRegistry;
import dev.stagesim.stage.Stage;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.Enumeration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** To delete a feature is to delete one folder and one line: nothing else names it, and the rest runs without it. */
final class FeatureDeletionTest {
    private static final Path HOME = Path.of(System.getProperty("stagesim.home", "."));
    private static final String LIST = "META-INF/services/" + Feature.class.getName();

    @TempDir
    Path dir;

    static List<String> features() throws IOException {
        return lines().stream()
                .filter(line -> line.startsWith("dev.stagesim.feature."))
                .toList();
    }

    private static List<String> lines() throws IOException {
        return Files.readAllLines(HOME.resolve("src/features/resources").resolve(LIST));
    }

    private static String packageOf(String feature) {
        return feature.substring(0, feature.lastIndexOf('.'));
    }

    @Test
    void everyFolderHasOneLine() throws IOException {
        try (Stream<Path> folders = Files.list(HOME.resolve("src/features/java/dev/stagesim/feature"))) {
            assertThat(folders.filter(Files::isDirectory).map(folder -> "dev.stagesim.feature." + folder.getFileName()))
                    .containsExactlyInAnyOrderElementsOf(features().stream()
                            .map(FeatureDeletionTest::packageOf)
                            .toList());
        }
    }

    @ParameterizedTest
    @MethodSource("features")
    void noSourceOutsideItsFolderNamesIt(String feature) throws IOException {
        Path folder =
                HOME.resolve("src/features/java").resolve(packageOf(feature).replace('.', '/'));
        for (String root : List.of("main", "features", "verify", "table")) {
            try (Stream<Path> files =
                    Files.walk(HOME.resolve("src").resolve(root).resolve("java"))) {
                assertThat(files.filter(file -> file.toString().endsWith(".java") && !file.startsWith(folder)))
                        .allSatisfy(
                                file -> assertThat(Files.readString(file)).doesNotContain(packageOf(feature) + "."));
            }
        }
    }

    @ParameterizedTest
    @MethodSource("features")
    void theOtherStagesAreThereWithoutIt(String feature) throws Exception {
        Path list = Files.write(
                dir.resolve("features"),
                lines().stream().filter(line -> !line.equals(feature)).toList());
        List<String> gone = Feature.all(Stage.class).stream()
                .filter(stage -> stage.getClass().getName().startsWith(packageOf(feature) + "."))
                .map(stage -> stage.spec().name())
                .toList();
        try (Without product = new Without(packageOf(feature), list.toUri().toURL())) {
            Class<?> registry = product.loadClass(StageRegistry.class.getName());
            Object standard = registry.getMethod("standard").invoke(null);
            assertThat(registry.getMethod("names").invoke(standard))
                    .isEqualTo(StageRegistry.standard().names().stream()
                            .filter(name -> !gone.contains(name))
                            .toList());
        }
    }

    /** The product's classes without those of one package, and with another list of features. */
    private static final class Without extends URLClassLoader {
        private final String folder;
        private final URL list;

        Without(String folder, URL list) {
            super(
                    new URL[] {
                        Feature.class.getProtectionDomain().getCodeSource().getLocation()
                    },
                    FeatureDeletionTest.class.getClassLoader());
            this.folder = folder;
            this.list = list;
        }

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            if (name.startsWith(folder + ".")) {
                throw new ClassNotFoundException(name);
            }
            if (!name.startsWith("dev.stagesim.")) {
                return super.loadClass(name, resolve);
            }
            synchronized (getClassLoadingLock(name)) {
                Class<?> loaded = findLoadedClass(name);
                return loaded == null ? findClass(name) : loaded;
            }
        }

        @Override
        public Enumeration<URL> getResources(String name) {
            try {
                return name.equals(LIST) ? Collections.enumeration(List.of(list)) : super.getResources(name);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }
}
