package dev.stagesim;

import java.io.File;
import java.net.URISyntaxException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/** Command lines that run a class in a separate process with the Java and the classes of this one. */
public final class ChildJava {
    private ChildJava() {}

    /** Returns the command up to the class name. The caller appends the program's arguments. */
    public static List<String> command(Class<?> main, String... options) {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.add("-XX:+UseSerialGC");
        command.addAll(List.of(options));
        command.addAll(List.of("-cp", classPath(), main.getName()));
        return command;
    }

    /** Returns the class path. Test launchers may use separate class loaders. */
    private static String classPath() {
        Set<String> entries =
                new TreeSet<>(List.of(System.getProperty("java.class.path").split(File.pathSeparator)));
        ClassLoader loader = ChildJava.class.getClassLoader();
        while (loader != null) {
            if (loader instanceof URLClassLoader urls) {
                for (URL url : urls.getURLs()) {
                    entries.add(path(url));
                }
            }
            loader = loader.getParent();
        }
        // The child may have another working directory.
        return entries.stream()
                .map(entry -> Path.of(entry).toAbsolutePath().toString())
                .collect(Collectors.joining(File.pathSeparator));
    }

    private static String path(URL url) {
        try {
            return Path.of(url.toURI()).toString();
        } catch (URISyntaxException e) {
            throw new IllegalStateException(e);
        }
    }
}
