package dev.stagesim.bench.engine;

import dev.stagesim.io.digest.Sha256;
import dev.stagesim.io.gzip.Directories;
import dev.stagesim.io.gzip.InputFile;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import java.io.File;
import java.io.IOException;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Locale;
import java.util.jar.JarOutputStream;
import java.util.stream.Collectors;
import java.util.zip.ZipEntry;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/**
 * A program of the product that runs in the process of an engine. Its sources in {@code src/engines/<name>/java} of the installation
 * are compiled at first use, because the engine's jars are not available when the product is built.
 */
public final class EngineProgram {
    private static final String CATEGORY = "engine error";
    private static final int DIGITS = 12;

    private EngineProgram() {}

    /**
     * Returns the jar of an engine's program, and creates it if it does not exist.
     *
     * @param jars class path of the compiler
     * @param home installation
     * @param sources name of the folder below {@code src/engines}
     * @param cache directory of compiled programs
     * @throws StageException (input) if there is no compiler; (failed) if the program does not compile
     */
    public static Path jar(List<Path> jars, Path home, String sources, Path cache) throws IOException {
        List<Path> files = files(sources(home, sources));
        Path jar = cache.resolve(sources + "-" + digest(files, jars) + ".jar");
        if (!Files.isRegularFile(jar)) {
            Path classes = Files.createTempDirectory(Files.createDirectories(cache), "." + sources);
            try {
                compile(sources, files, jars, classes);
                Path partial = pack(classes);
                Files.move(partial, jar, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
            } finally {
                Directories.delete(classes);
            }
        }
        return jar;
    }

    public static Path sources(Path home, String name) {
        return home.resolve("src").resolve("engines").resolve(name).resolve("java");
    }

    private static List<Path> files(Path root) throws IOException {
        return Directories.files(root).stream()
                .filter(file -> file.toString().endsWith(".java"))
                .toList();
    }

    private static String digest(List<Path> files, List<Path> jars) throws IOException {
        Sha256 digest = new Sha256();
        for (Path file : files) {
            digest.update(InputFile.rawBytes(file));
        }
        for (Path jar : jars) {
            digest.update(jar.getFileName().toString().getBytes(StandardCharsets.UTF_8));
        }
        return digest.hex().substring(0, DIGITS);
    }

    private static void compile(String name, List<Path> files, List<Path> jars, Path classes) throws IOException {
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        if (compiler == null) {
            throw StageException.input(
                    Problem.of(CATEGORY, name, "its program is compiled at first use, and this Java has no compiler")
                            .hint("use a JDK, not a JRE: set JAVA_HOME"));
        }
        String path = jars.stream().map(Path::toString).collect(Collectors.joining(File.pathSeparator));
        List<String> options =
                List.of("--release", "17", "-proc:none", "-nowarn", "-d", classes.toString(), "-cp", path);
        StringWriter output = new StringWriter();
        try (StandardJavaFileManager manager =
                compiler.getStandardFileManager(null, Locale.ROOT, StandardCharsets.UTF_8)) {
            boolean isDone = compiler.getTask(
                            output, manager, null, options, null, manager.getJavaFileObjectsFromPaths(files))
                    .call();
            if (!isDone) {
                throw StageException.failed(Problem.of(CATEGORY, name, "its program does not compile: " + output));
            }
        }
    }

    /** Packs the classes into a jar in their directory. */
    private static Path pack(Path classes) throws IOException {
        List<Path> all = Directories.files(classes);
        Path jar = classes.resolve("program.jar");
        try (JarOutputStream out = new JarOutputStream(Files.newOutputStream(jar))) {
            for (Path file : all) {
                out.putNextEntry(
                        new ZipEntry(classes.relativize(file).toString().replace(File.separatorChar, '/')));
                Files.copy(file, out);
                out.closeEntry();
            }
        }
        return jar;
    }
}
