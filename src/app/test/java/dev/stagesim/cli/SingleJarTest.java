package dev.stagesim.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.jar.Attributes;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class SingleJarTest {
    @TempDir
    Path scratch;

    private Path jar(String... names) throws IOException {
        Manifest manifest = new Manifest();
        manifest.getMainAttributes().put(Attributes.Name.MANIFEST_VERSION, "1.0");
        manifest.getMainAttributes().putValue("Stagesim-Digest", "0123abcd");
        Path jar = scratch.resolve("all.jar");
        try (OutputStream out = Files.newOutputStream(jar);
                JarOutputStream zip = new JarOutputStream(out, manifest)) {
            for (String name : names) {
                zip.putNextEntry(new JarEntry(name));
                zip.write(name.getBytes(StandardCharsets.UTF_8));
                zip.closeEntry();
            }
        }
        return jar;
    }

    private static List<String> below(Path dir) throws IOException {
        try (Stream<Path> files = Files.walk(dir)) {
            return files.filter(Files::isRegularFile)
                    .map(file -> dir.relativize(file).toString())
                    .sorted()
                    .toList();
        }
    }

    /**
     * Files of this directory are executed, so it must not be a directory for temporary files, which other users can
     * write to.
     */
    @Test
    void unpacksBelowADirectoryOfTheUser() throws IOException {
        String home = scratch.resolve("home").toString();
        String given = scratch.resolve("given").toString();
        assertThat(SingleJar.cache(null, home)).isEqualTo(scratch.resolve("home/.cache/stagesim"));
        assertThat(SingleJar.cache("", home)).isEqualTo(scratch.resolve("home/.cache/stagesim"));
        assertThat(SingleJar.cache(given, home)).isEqualTo(scratch.resolve("given/stagesim"));
        Path file = Files.writeString(scratch.resolve("file"), "");
        assertThatThrownBy(() -> SingleJar.cache(file.toString(), home)).isInstanceOf(FileSystemException.class);
    }

    @Test
    void unpacksTheInstallationOnce() throws IOException {
        Path jar = jar("app/stage", "app/configs/a.conf", "app/../../outside", "other/b");
        Path cache = Files.createDirectories(scratch.resolve("cache"));
        Path home = SingleJar.installed(jar, cache);
        assertThat(home).isEqualTo(cache.resolve("0123abcd"));
        assertThat(below(scratch)).containsExactly("all.jar", "cache/0123abcd/configs/a.conf", "cache/0123abcd/stage");
        assertThat(home.resolve("configs/a.conf")).hasContent("app/configs/a.conf");
        Files.writeString(home.resolve("stage"), "kept");
        assertThat(SingleJar.installed(jar, cache)).isEqualTo(home);
        assertThat(home.resolve("stage")).hasContent("kept");
    }

    @Test
    void usesTheLauncherWhenThereIsAShell() throws IOException {
        Path home = Files.createDirectories(scratch.resolve("home"));
        Path bash = Files.createDirectories(scratch.resolve("bin")).resolve("bash");
        Files.writeString(bash, "");
        assertThat(bash.toFile().setExecutable(true)).isTrue();
        assertThat(SingleJar.command(home, "/nowhere:" + bash.getParent()))
                .containsExactly("bash", home.resolve("stage").toString());
        assertThat(SingleJar.command(home, "/nowhere"))
                .endsWith(
                        "@" + home.resolve("jvm.options"),
                        "-Dstagesim.home=" + home,
                        "-cp",
                        home + "/target/*:" + home + "/target/lib/*:" + home + "/target/lib-table/*",
                        "dev.stagesim.cli.Main");
    }
}
