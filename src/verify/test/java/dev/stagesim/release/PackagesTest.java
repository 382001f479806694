package dev.stagesim.release;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.stagesim.io.json.Json;
import dev.stagesim.io.json.LocatedJson;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import java.util.zip.GZIPInputStream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Packages of a small image with the runtime of the tests. {@code ReleaseIT} covers the packages of the product. */
@Tag("acceptance")
final class PackagesTest {
    private static final Path HOME =
            Path.of(System.getProperty("stagesim.home", "")).toAbsolutePath();
    private static final Path JAVA = Path.of(System.getProperty("java.home"));
    private static final String LONG = "configs/" + "a".repeat(60) + "/" + "b".repeat(60) + ".conf";

    @TempDir
    Path scratch;

    private Path image(String in) throws Exception {
        Path image = scratch.resolve(in).resolve("small");
        for (String library : List.of(
                "bin/java",
                "lib/server/libjvm.so",
                "lib/libjava.so",
                "lib/libjimage.so",
                "lib/libnet.so",
                "lib/libnio.so",
                "lib/libzip.so",
                "lib/libmanagement.so",
                "lib/libjli.so")) {
            Path copy = image.resolve("runtime").resolve(library);
            Files.createDirectories(copy.getParent());
            Files.copy(JAVA.resolve(library), copy);
        }
        write(image.resolve(LONG), "long");
        write(image.resolve("stage"), "#!/bin/sh\necho $0\n");
        assertThat(image.resolve("stage").toFile().setExecutable(true)).isTrue();
        write(image.resolve("target/lib/b.jar"), "");
        write(image.resolve("target/lib/a.jar"), "");
        Files.createSymbolicLink(image.resolve("runtime/lib/link"), Path.of("../bin/java"));
        try (OutputStream out = Files.newOutputStream(image.resolve("target/stagesim.jar"));
                ZipOutputStream zip = new ZipOutputStream(out)) {
            ZipEntry starter = new ZipEntry("dev/stagesim/cli/SingleJar.class");
            starter.setTime(0);
            zip.putNextEntry(starter);
            try (InputStream starterClass =
                    Class.forName("dev.stagesim.cli.SingleJar").getResourceAsStream("SingleJar.class")) {
                zip.write(starterClass.readAllBytes());
            }
            zip.closeEntry();
        }
        Process made = new ProcessBuilder(
                        JAVA.resolve("bin/java").toString(),
                        HOME.resolve("src/release/java/dev/stagesim/release/Packages.java")
                                .toString(),
                        image.toString(),
                        "9.9",
                        "2026-01-01T00:00:00Z")
                .redirectErrorStream(true)
                .redirectOutput(scratch.resolve("said").toFile())
                .start();
        assertThat(made.waitFor()).as(Files.readString(scratch.resolve("said"))).isZero();
        return image.getParent();
    }

    private static void write(Path file, String text) throws IOException {
        Files.createDirectories(file.getParent());
        Files.writeString(file, text);
    }

    private static Map<String, byte[]> packed(Path dir) throws IOException {
        Map<String, byte[]> all = new TreeMap<>();
        try (Stream<Path> files = Files.walk(dir)) {
            for (Path file : (Iterable<Path>) files::iterator) {
                String name = dir.relativize(file).toString();
                if (Files.isRegularFile(file) && !name.startsWith("small/")) {
                    all.put(name, Files.readAllBytes(file));
                }
            }
        }
        return all;
    }

    private static String sha256(byte[] bytes) throws Exception {
        return "sha256:"
                + HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
    }

    /** Returns a blob of the layout after checking its size and digest against its descriptor. */
    private static byte[] blob(Path layout, LocatedJson at, String type) throws Exception {
        assertThat(at.get("mediaType").asString()).isEqualTo("application/vnd.oci.image." + type);
        String digest = at.get("digest").asString();
        byte[] bytes = Files.readAllBytes(layout.resolve("blobs").resolve(digest.replace(':', '/')));
        assertThat((long) bytes.length).isEqualTo(at.get("size").asLong());
        assertThat(sha256(bytes)).isEqualTo(digest);
        return bytes;
    }

    private static LocatedJson json(byte[] bytes) {
        return Json.parse(new String(bytes, StandardCharsets.UTF_8), "blob");
    }

    /** Returns the file names of a layer. */
    private static List<String> names(byte[] tar) {
        List<String> names = new ArrayList<>();
        for (int at = 0; at < tar.length && tar[at] != 0; ) {
            String prefix = text(tar, at + 345, 155);
            names.add((prefix.isEmpty() ? "" : prefix + "/") + text(tar, at, 100) + " " + text(tar, at + 100, 7) + " "
                    + (char) tar[at + 156] + " " + text(tar, at + 157, 100));
            long size = Long.parseLong(text(tar, at + 124, 11), 8);
            at += 512 + (int) ((size + 511) / 512 * 512);
        }
        return names;
    }

    private static String text(byte[] block, int at, int maxBytes) {
        String text = new String(block, at, maxBytes, StandardCharsets.UTF_8);
        return text.indexOf('\0') < 0 ? text : text.substring(0, text.indexOf('\0'));
    }

    @Test
    void writesAValidLayoutReproducibly() throws Exception {
        assumeTrue(Files.exists(JAVA.resolve("lib/libjimage.so")), "no Linux");
        Path out = image("one");
        Path layout = out.resolve("small.oci");
        assertThat(Files.readString(layout.resolve("oci-layout"))).isEqualTo("{\"imageLayoutVersion\":\"1.0.0\"}");
        LocatedJson index = Json.read(layout.resolve("index.json"));
        assertThat(index.get("mediaType").asString()).isEqualTo("application/vnd.oci.image.index.v1+json");
        LocatedJson manifest = json(blob(layout, index.get("manifests").items().get(0), "manifest.v1+json"));
        LocatedJson config = json(blob(layout, manifest.get("config"), "config.v1+json"));
        List<String> all = new ArrayList<>();
        List<String> plain = new ArrayList<>();
        for (LocatedJson layer : manifest.get("layers").items()) {
            byte[] packed = blob(layout, layer, "layer.v1.tar+gzip");
            try (InputStream in = new GZIPInputStream(new ByteArrayInputStream(packed))) {
                byte[] tar = in.readAllBytes();
                plain.add(sha256(tar));
                all.addAll(names(tar));
            }
        }
        assertThat(config.get("rootfs").get("diff_ids").asStrings())
                .isEqualTo(plain)
                .hasSize(3);
        assertThat(config.get("history").items()).hasSize(3);
        assertThat(all)
                .contains(
                        "tmp/ 0001777 5 ",
                        "work/ 0001777 5 ",
                        "opt/stagesim/stage 0000755 0 ",
                        "opt/stagesim/runtime/bin/java 0000755 0 ",
                        "opt/stagesim/runtime/lib/link 0000777 2 ../bin/java",
                        "opt/stagesim/" + LONG + " 0000644 0 ")
                .anyMatch(name -> name.matches("lib\\S*/libc\\.so\\.6 0000755 0 "))
                .doesNotHaveDuplicates();
        List<String> entry = config.get("config").get("Entrypoint").asStrings();
        assertThat(entry).startsWith("/opt/stagesim/runtime/bin/java").endsWith("dev.stagesim.cli.Main");
        assertThat(entry.get(entry.size() - 2)).contains("/opt/stagesim/target/lib/*");

        Map<String, byte[]> first = packed(out);
        Map<String, byte[]> second = packed(image("two"));
        assertThat(second.keySet()).isEqualTo(first.keySet());
        first.forEach((name, bytes) -> assertThat(second.get(name)).as(name).isEqualTo(bytes));
    }
}
