package dev.stagesim.architecture;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Stream;

/** The sources and classes of the product, without its tests. */
final class Product {
    /** Root directory of the product. */
    static final Path HOME =
            Path.of(System.getProperty("stagesim.home", ".")).toAbsolutePath().normalize();

    private static final String ROOT = "dev/stagesim";

    /** Imports the classes only once, because it takes seconds. */
    private static final class Imported {
        private static final JavaClasses CLASSES = new ClassFileImporter().importUrls(classes());
    }

    private Product() {}

    /** Returns the classes of all modules. */
    static JavaClasses imported() {
        return Imported.CLASSES;
    }

    /** Returns the directories of the modules, sorted. */
    static List<Path> modules() {
        return list(HOME.resolve("src"), module -> Files.isDirectory(module.resolve("main/java")));
    }

    /** Returns the source files of all modules, sorted. */
    static List<Path> sources() {
        return modules().stream()
                .flatMap(module -> sources(module.resolve("main/java")).stream())
                .toList();
    }

    /** Returns the source files below a directory, sorted. */
    static List<Path> sources(Path directory) {
        try (Stream<Path> files = Files.walk(directory)) {
            return files.filter(file -> file.toString().endsWith(".java"))
                    .sorted()
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns the class directories and jars of all modules, as entries of a class path. */
    static List<URL> classes() {
        try {
            List<URL> found = new ArrayList<>();
            for (URL url : Collections.list(Product.class.getClassLoader().getResources(ROOT))) {
                String text = url.toString();
                String entry = text.startsWith("jar:")
                        ? text.substring("jar:".length(), text.indexOf("!/"))
                        : text.substring(0, text.lastIndexOf(ROOT));
                if (!entry.contains("test-classes") && !entry.endsWith("-tests.jar")) {
                    found.add(new URL(entry));
                }
            }
            return found;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns the names that the service files of a module list. */
    static List<String> services(Path module) {
        Path directory = module.resolve("main/resources/META-INF/services");
        return !Files.isDirectory(directory)
                ? List.of()
                : list(directory, Files::isRegularFile).stream()
                        .flatMap(file -> lines(file).stream())
                        .toList();
    }

    private static List<String> lines(Path file) {
        try {
            return Files.readAllLines(file).stream()
                    .map(line -> line.replaceFirst("#.*", "").strip())
                    .filter(line -> !line.isEmpty())
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static List<Path> list(Path directory, Predicate<Path> filter) {
        try (Stream<Path> entries = Files.list(directory)) {
            return entries.filter(filter).sorted().toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
