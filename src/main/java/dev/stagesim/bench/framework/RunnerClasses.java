package dev.stagesim.bench.framework;

import dev.stagesim.io.digest.Sha256;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import java.io.File;
import java.io.IOException;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/**
 * The runner's classes: compiled against an engine's jars when they are first needed, and kept with the engine under the
 * digest of their sources.
 */
public final class RunnerClasses {
    private static final int NAME = 16;

    private RunnerClasses() {}

    /**
     * The directory with the classes.
     *
     * @param sources directory of the sources
     * @param jars what they are compiled against
     * @param kept directory to keep them below
     * @throws StageException (failed) when there is no compiler or the sources do not compile
     */
    public static Path of(Path sources, List<Path> jars, Path kept) throws IOException {
        List<Path> files;
        try (Stream<Path> tree = Files.walk(sources)) {
            files = tree.filter(file -> file.toString().endsWith(".java"))
                    .sorted()
                    .toList();
        }
        Path classes = kept.resolve(digest(files));
        if (!Files.isDirectory(classes)) {
            compile(files, jars, classes);
        }
        return classes;
    }

    private static String digest(List<Path> files) throws IOException {
        Sha256 digest = new Sha256();
        for (Path file : files) {
            digest.update(String.valueOf(file.getFileName()).getBytes(StandardCharsets.UTF_8));
            digest.update(Files.readAllBytes(file));
        }
        return digest.hex().substring(0, NAME);
    }

    private static void compile(List<Path> files, List<Path> jars, Path classes) throws IOException {
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        if (compiler == null) {
            throw StageException.failed(
                    Problem.of("engine error", "runner", "this Java has no compiler, which the runner needs once")
                            .hint("install a JDK, 17 or newer, or set JAVA_HOME to one"));
        }
        Files.createDirectories(classes.getParent());
        Path fresh = Files.createTempDirectory(classes.getParent(), "compiling");
        String path = jars.stream().map(Path::toString).collect(Collectors.joining(File.pathSeparator));
        StringWriter said = new StringWriter();
        try (StandardJavaFileManager manager = compiler.getStandardFileManager(null, null, StandardCharsets.UTF_8)) {
            boolean isDone = compiler.getTask(
                            said,
                            manager,
                            null,
                            List.of("--release", "17", "-nowarn", "-proc:none", "-cp", path, "-d", fresh.toString()),
                            null,
                            manager.getJavaFileObjectsFromPaths(files))
                    .call();
            if (!isDone) {
                throw StageException.failed(Problem.of("engine error", "runner", "does not compile: " + said));
            }
        }
        try {
            Files.move(fresh, classes, StandardCopyOption.ATOMIC_MOVE);
        } catch (FileAlreadyExistsException | DirectoryNotEmptyException other) {
            // Another process has compiled the same sources meanwhile.
        }
    }
}
