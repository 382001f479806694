package dev.stagesim.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stagesim.model.Feature;
import dev.stagesim.pipeline.StageRegistry;
import dev.stagesim.stage.Stage;
import java.io.File;
import java.io.IOException;
import java.io.StringWriter;
import java.net.URISyntaxException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Collections;
import java.util.Enumeration;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Without a module, the commands compile, and every stage of other modules is there. */
@Tag("acceptance")
final class ModuleRemovalTest {
    @TempDir
    Path dir;

    @ParameterizedTest
    @ValueSource(strings = {"cluster", "training", "suite"})
    void compilesCommandsWithoutTheModule(String module) throws Exception {
        String classPath = Stream.concat(rest(module).stream(), libraries().stream())
                .map(ModuleRemovalTest::file)
                .distinct()
                .collect(Collectors.joining(File.pathSeparator));
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        try (StandardJavaFileManager files = compiler.getStandardFileManager(null, null, StandardCharsets.UTF_8)) {
            StringWriter messages = new StringWriter();
            boolean compiled = compiler.getTask(
                            messages,
                            files,
                            null,
                            List.of("-proc:none", "-nowarn", "-d", dir.toString(), "-cp", classPath),
                            null,
                            files.getJavaFileObjectsFromPaths(
                                    Product.sources(Product.HOME.resolve("src/app/main/java"))))
                    .call();
            assertThat(compiled).as(messages.toString()).isTrue();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"cluster", "training", "suite"})
    void keepsOtherStagesWithoutTheModule(String module) throws Exception {
        List<String> features = Product.services(Product.HOME.resolve("src").resolve(module));
        List<String> removedStages = Feature.all(Stage.class).stream()
                .filter(stage -> features.stream().anyMatch(feature -> stage.getClass()
                        .getPackageName()
                        .startsWith(feature.substring(0, feature.lastIndexOf('.')))))
                .map(stage -> stage.spec().name())
                .toList();
        assertThat(removedStages).isNotEmpty();
        try (OwnClasses product = new OwnClasses(rest(module), module)) {
            Class<?> registry = product.loadClass(StageRegistry.class.getName());
            Object standard = registry.getMethod("standard").invoke(null);
            assertThat(registry.getMethod("names").invoke(standard))
                    .isEqualTo(StageRegistry.standard().names().stream()
                            .filter(name -> !removedStages.contains(name))
                            .toList());
        }
    }

    /** Returns the class path entries of all other modules. */
    private static List<URL> rest(String module) {
        return Product.classes().stream().filter(url -> !isOf(url, module)).toList();
    }

    private static boolean isOf(URL url, String module) {
        return url.toString().matches(".*/stagesim-" + module + "(\\.jar|/classes/)(!.*)?.*");
    }

    /** Returns the class path entries of the libraries that the commands are compiled with. */
    private static List<URL> libraries() throws ReflectiveOperationException {
        return Stream.of(
                        "picocli.CommandLine",
                        "com.typesafe.config.Config",
                        "com.fasterxml.jackson.core.JsonParser",
                        "com.fasterxml.jackson.databind.ObjectMapper",
                        "com.fasterxml.jackson.annotation.JsonProperty",
                        "org.jspecify.annotations.NullMarked",
                        "org.yaml.snakeyaml.Yaml")
                .map(ModuleRemovalTest::location)
                .toList();
    }

    private static URL location(String type) {
        try {
            return Class.forName(type).getProtectionDomain().getCodeSource().getLocation();
        } catch (ClassNotFoundException e) {
            throw new IllegalStateException(e);
        }
    }

    private static String file(URL url) {
        try {
            return Path.of(url.toURI()).toString();
        } catch (URISyntaxException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Loads the classes of the product from given entries of the class path, and all others from the parent. */
    private static final class OwnClasses extends URLClassLoader {
        private final String removed;

        OwnClasses(List<URL> entries, String removed) {
            super(entries.toArray(URL[]::new), ModuleRemovalTest.class.getClassLoader());
            this.removed = removed;
        }

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            if (!name.startsWith("dev.stagesim.")) {
                return super.loadClass(name, resolve);
            }
            synchronized (getClassLoadingLock(name)) {
                Class<?> loaded = findLoadedClass(name);
                return loaded == null ? findClass(name) : loaded;
            }
        }

        @Override
        public Enumeration<URL> getResources(String name) throws IOException {
            return name.startsWith("META-INF/services/dev.stagesim.")
                    ? Collections.enumeration(Collections.list(findResources(name)).stream()
                            .filter(url -> !isOf(url, removed))
                            .toList())
                    : super.getResources(name);
        }
    }
}
