package dev.stagesim.reference;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Compiles the Java code of pages, and finds the classes that they name. Registration steps of a tutorial are applied
 * to a copy of the registry.
 */
final class PageCodeTest {
    private static final Pattern CODE = Pattern.compile("(?s)```java[^\n]*\n((?:package|import|/\\*\\*).*?)```");
    private static final Pattern CLASS = Pattern.compile("`((?:[a-z]+\\.)+[A-Z][a-z][A-Za-z0-9]+)\\b");
    private static final Pattern PACKAGE = Pattern.compile("(?m)^package (.*);");
    private static final Pattern TYPE =
            Pattern.compile("(?m)^(?:public |final |sealed )*(?:class|record|interface) (\\w+)");

    @TempDir
    Path scratch;

    @ParameterizedTest
    @ValueSource(
            strings = {
                "java-api.md",
                "tutorials/add-a-measured-format.md",
                "tutorials/add-a-router.md",
                "tutorials/add-a-stage.md"
            })
    void compilesEveryClassOfThePage(String page) throws IOException {
        List<String> sources = new ArrayList<>();
        for (MatchResult block : CODE.matcher(Files.readString(ReferencePage.HOME.resolve("specs/" + page)))
                .results()
                .toList()) {
            sources.add(block.group(1));
        }
        assertThat(sources).isNotEmpty();
        if (page.contains("router")) {
            sources.add(registryWith("FewestSent.Settings"));
        }
        assertThat(errors(sources)).isEmpty();
    }

    @Test
    void namesOnlyClassesThatExist() throws IOException {
        List<Path> pages;
        try (Stream<Path> files = Files.walk(ReferencePage.HOME.resolve("specs"))) {
            pages = files.filter(file -> file.toString().endsWith(".md")).toList();
        }
        List<String> missing = new ArrayList<>();
        for (Path page : pages) {
            CLASS.matcher(Files.readString(page))
                    .results()
                    .map(match -> match.group(1))
                    .forEach(name -> {
                        if (!exists(name) && !exists("dev.stagesim." + name) && !name.contains("feature.lengths.")) {
                            missing.add(page.getFileName() + ": " + name);
                        }
                    });
        }
        assertThat(missing).isEmpty();
    }

    private static boolean exists(String className) {
        return ClassLoader.getSystemResource(className.replace('.', '/') + ".class") != null;
    }

    private static String registryWith(String router) throws IOException {
        Path registry = ReferencePage.HOME.resolve(
                "src/cluster/main/java/dev/stagesim/feature/cluster/router/RouterSettings.java");
        return Files.readString(registry).replaceFirst("permits ", "permits " + router + ", ");
    }

    private String errors(List<String> sources) throws IOException {
        List<Path> files = new ArrayList<>();
        for (String source : sources) {
            Matcher type = TYPE.matcher(source);
            Matcher name = PACKAGE.matcher(source);
            Path folder = scratch.resolve(name.find() ? name.group(1).replace('.', '/') : ".");
            Files.createDirectories(folder);
            files.add(Files.writeString(
                    folder.resolve((type.find() ? type.group(1) : "package-info") + ".java"), source));
        }
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        StringWriter errors = new StringWriter();
        try (StandardJavaFileManager manager = compiler.getStandardFileManager(null, null, null)) {
            List<String> options = List.of(
                    "-proc:none", "-nowarn", "-d", scratch.toString(), "-cp", System.getProperty("java.class.path"));
            compiler.getTask(errors, manager, null, options, null, manager.getJavaFileObjectsFromPaths(files))
                    .call();
        }
        return errors.toString();
    }
}
