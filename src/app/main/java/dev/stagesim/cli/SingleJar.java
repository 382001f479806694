package dev.stagesim.cli;

import dev.stagesim.io.gzip.Directories;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.net.URISyntaxException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Starts the product from a single jar with an installation below {@code app/}. Unpacks the installation once into the
 * user's cache, and starts it with the current Java. Uses no other class of the product.
 */
final class SingleJar {
    private static final String APP = "app/";
    private static final long TIMEOUT_SECONDS = 10;

    private SingleJar() {}

    /** Entry point with the product's arguments. */
    public static void main(String[] args) throws IOException, InterruptedException, URISyntaxException {
        Path jar = Path.of(SingleJar.class
                .getProtectionDomain()
                .getCodeSource()
                .getLocation()
                .toURI());
        Path home;
        try {
            home = installed(jar, cache(System.getenv("XDG_CACHE_HOME"), System.getProperty("user.home")));
        } catch (FileSystemException e) {
            System.err.println("launch error: cannot unpack " + jar + ": " + e
                    + "\n  hint          set XDG_CACHE_HOME to a writable directory that you own");
            System.exit(2);
            return;
        }
        List<String> command = command(home, System.getenv("PATH"));
        command.addAll(List.of(args));
        ProcessBuilder builder = new ProcessBuilder(command).inheritIO();
        builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
        Process product = builder.start();
        Runtime.getRuntime().addShutdownHook(new Thread(() -> end(product)));
        System.exit(product.waitFor());
    }

    private static void end(Process product) {
        product.destroy();
        try {
            if (!product.waitFor(TIMEOUT_SECONDS, TimeUnit.SECONDS)) {
                product.destroyForcibly();
            }
        } catch (InterruptedException e) {
            product.destroyForcibly();
        }
    }

    /**
     * Returns the directory of unpacked installations. It must belong to the user, because its contents are executed.
     */
    static Path cache(@Nullable String given, String userHome) throws IOException {
        boolean isGiven = given != null && !given.isEmpty();
        return Files.createDirectories((isGiven ? Path.of(given) : Path.of(userHome, ".cache")).resolve("stagesim"));
    }

    /** Returns the installation of a jar. Unpacks it if it is not yet unpacked. */
    static Path installed(Path jar, Path cache) throws IOException {
        try (JarFile file = new JarFile(jar.toFile())) {
            Path home = cache.resolve(file.getManifest().getMainAttributes().getValue("Stagesim-Digest"));
            if (Files.isDirectory(home)) {
                return home;
            }
            Path partial = Files.createTempDirectory(cache, "unpacking-");
            try {
                unpack(file, partial);
                Files.move(partial, home);
            } catch (IOException moveFailed) {
                Directories.delete(partial);
                if (!Files.isDirectory(home)) { // otherwise another process has unpacked it
                    throw moveFailed;
                }
            }
            return home;
        }
    }

    private static void unpack(JarFile file, Path into) throws IOException {
        for (JarEntry entry : (Iterable<JarEntry>) file.stream()::iterator) {
            Path target = into.resolve(entry.getName().replaceFirst(APP, "")).normalize();
            if (!entry.getName().startsWith(APP) || !target.startsWith(into)) {
                continue;
            }
            Files.createDirectories(target.getParent());
            try (InputStream in = file.getInputStream(entry)) {
                Files.copy(in, target);
            }
            Files.setLastModifiedTime(target, entry.getLastModifiedTime());
        }
    }

    /** Returns the command that starts the product: the launcher script if there is a shell, otherwise Java. */
    static List<String> command(Path home, String path) {
        boolean hasShell = path != null
                && Arrays.stream(path.split(File.pathSeparator, -1))
                        .anyMatch(dir -> Files.isExecutable(Path.of(dir, "bash")));
        return hasShell
                ? new ArrayList<>(List.of("bash", home.resolve("stage").toString()))
                : new ArrayList<>(List.of(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "@" + home.resolve("jvm.options"),
                        "-Dstagesim.home=" + home,
                        "-cp",
                        Stream.of("target", "target/lib", "target/lib-table")
                                .map(folder -> home.resolve(folder) + File.separator + "*")
                                .collect(Collectors.joining(File.pathSeparator)),
                        "dev.stagesim.cli.Main"));
    }
}
