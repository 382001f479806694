package dev.stagesim.release;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.security.DigestOutputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.zip.GZIPOutputStream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import java.util.zip.ZipOutputStream;

/**
 * Writes an application image as an archive, as one jar and as an OCI image layout: {@code java Packages.java IMAGE VERSION TIME},
 * next to the image. The same image gives the same bytes. The build runs this class as a program.
 */
final class Packages {
    private static final String PLACE = "opt/stagesim/";
    private static final String STARTER = "dev/stagesim/cli/SingleJar.class";
    private static final String MANIFEST = "application/vnd.oci.image.manifest.v1+json";
    private static final String CONFIG = "application/vnd.oci.image.config.v1+json";
    private static final String LAYER = "application/vnd.oci.image.layer.v1.tar+gzip";

    /** Parts of the Java runtime that commands load; libraries of windows and sound are left out. */
    private static final List<String> LOADED = List.of(
            "bin/java",
            "lib/server/libjvm.so",
            "lib/libjava.so",
            "lib/libjimage.so",
            "lib/libnet.so",
            "lib/libnio.so",
            "lib/libzip.so",
            "lib/libmanagement.so");

    private static final List<String> LICENCES = List.of("libc6", "libgcc-s1", "libstdc++6", "zlib1g");

    private final Path image;
    private final String version;
    private final Instant time;

    private Packages(Path image, String version, Instant time) {
        this.image = image;
        this.version = version;
        this.time = time;
    }

    /** The content of a file in a package. */
    private interface Content {
        void to(OutputStream out) throws IOException;
    }

    public static void main(String[] args) throws IOException {
        Path image = Path.of(args[0]).toAbsolutePath();
        new Packages(image, args[1], Instant.parse(args[2])).write();
    }

    private void write() throws IOException {
        String name = image.getFileName().toString();
        Path archive = image.resolveSibling(name + ".tar.gz");
        try (OutputStream out = Files.newOutputStream(archive);
                GZIPOutputStream gzip = new GZIPOutputStream(out)) {
            new Tar(gzip).tree(image, name + "/", path -> true).end();
        }
        checksum(archive);
        Path jar = image.resolveSibling("stagesim-" + version + "-all.jar");
        singleJar(jar);
        checksum(jar);
        Files.writeString(
                image.resolveSibling("jbang-catalog.json"),
                """
                {
                  "aliases": {
                    "stagesim": {
                      "script-ref": "%s",
                      "description": "Describe a GPU or LLM workload, measure it, simulate it and compare.",
                      "java": "17+"
                    }
                  }
                }
                """
                        .formatted(jar.getFileName()));
        if (Files.exists(image.resolve("runtime/lib/server/libjvm.so"))) {
            // Engines take the folder's name as an image's, which has no capitals.
            Path layout = image.resolveSibling(name.toLowerCase(Locale.ROOT) + ".oci");
            delete(layout);
            layout(layout);
        }
    }

    private static void checksum(Path file) throws IOException {
        MessageDigest digest = sha256();
        try (InputStream in = Files.newInputStream(file);
                OutputStream out = new DigestOutputStream(OutputStream.nullOutputStream(), digest)) {
            in.transferTo(out);
        }
        Files.writeString(
                file.resolveSibling(file.getFileName() + ".sha256"),
                HexFormat.of().formatHex(digest.digest()) + "  " + file.getFileName() + "\n");
    }

    private static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Everything below a directory by its name, sorted. */
    private static Map<String, Path> files(Path dir, Predicate<String> which) throws IOException {
        Map<String, Path> files = new TreeMap<>();
        try (Stream<Path> all = Files.walk(dir)) {
            for (Path path : (Iterable<Path>) all.skip(1)::iterator) {
                String name = dir.relativize(path).toString();
                if (which.test(name)) {
                    files.put(name, path);
                }
            }
        }
        return files;
    }

    private static boolean isRuntime(String name) {
        return name.equals("runtime") || name.startsWith("runtime/");
    }

    private static void delete(Path dir) throws IOException {
        if (Files.exists(dir)) {
            List<Path> all = new ArrayList<>(files(dir, name -> true).values());
            for (int i = all.size() - 1; i >= 0; i--) {
                Files.delete(all.get(i));
            }
            Files.delete(dir);
        }
    }

    // ---- one jar: the image without its runtime and the data of its tests, and a class that unpacks and starts it
    // ----

    private void singleJar(Path jar) throws IOException {
        Map<String, Content> entries = new TreeMap<>();
        MessageDigest digest = sha256();
        for (Map.Entry<String, Path> file : files(image, name -> !isRuntime(name) && !name.startsWith("tests-data"))
                .entrySet()) {
            if (Files.isRegularFile(file.getValue())) {
                byte[] bytes = Files.readAllBytes(file.getValue());
                digest.update(file.getKey().getBytes(StandardCharsets.UTF_8));
                digest.update(bytes);
                entries.put("app/" + file.getKey(), out -> out.write(bytes));
            }
        }
        try (ZipFile own = new ZipFile(image.resolve("target/stagesim.jar").toFile());
                InputStream in = own.getInputStream(own.getEntry(STARTER))) {
            byte[] starter = in.readAllBytes();
            entries.put(STARTER, out -> out.write(starter));
        }
        String manifest = "Manifest-Version: 1.0\r\nMain-Class: dev.stagesim.cli.SingleJar\r\nStagesim-Digest: "
                + HexFormat.of().formatHex(digest.digest(), 0, 8) + "\r\nImplementation-Version: " + version
                + "\r\n\r\n";
        try (OutputStream out = Files.newOutputStream(jar);
                ZipOutputStream zip = new ZipOutputStream(out)) {
            put(zip, "META-INF/MANIFEST.MF", to -> to.write(manifest.getBytes(StandardCharsets.UTF_8)));
            for (Map.Entry<String, Content> entry : entries.entrySet()) {
                put(zip, entry.getKey(), entry.getValue());
            }
        }
    }

    private void put(ZipOutputStream zip, String name, Content content) throws IOException {
        ZipEntry entry = new ZipEntry(name);
        entry.setTimeLocal(LocalDateTime.ofInstant(time, ZoneOffset.UTC));
        zip.putNextEntry(entry);
        content.to(zip);
        zip.closeEntry();
    }

    // ---- an OCI image layout: the system's libraries, the runtime, the application ----

    /** A blob that was written. */
    private record Blob(String digest, long size, String unpacked) {
        String json(String type) {
            return "{\"mediaType\":\"" + type + "\",\"digest\":\"" + digest + "\",\"size\":" + size;
        }
    }

    private void layout(Path layout) throws IOException {
        Files.createDirectories(layout.resolve("blobs/sha256"));
        List<Blob> layers = List.of(
                layer(layout, this::base),
                layer(layout, tar -> tar.tree(image, PLACE, Packages::isRuntime)),
                layer(layout, tar -> tar.tree(image, PLACE, name -> !isRuntime(name))));
        Blob config = blob(layout, config(layers));
        List<String> all = layers.stream().map(layer -> layer.json(LAYER) + "}").toList();
        Blob manifest = blob(
                layout,
                "{\"schemaVersion\":2,\"mediaType\":\"" + MANIFEST + "\",\"config\":" + config.json(CONFIG)
                        + "},\"layers\":[" + String.join(",", all) + "]}");
        Files.writeString(layout.resolve("oci-layout"), "{\"imageLayoutVersion\":\"1.0.0\"}");
        Files.writeString(
                layout.resolve("index.json"),
                "{\"schemaVersion\":2,\"mediaType\":\"application/vnd.oci.image.index.v1+json\",\"manifests\":["
                        + manifest.json(MANIFEST) + ",\"platform\":{\"architecture\":\"" + architecture()
                        + "\",\"os\":\"linux\"},\"annotations\":{\"org.opencontainers.image.ref.name\":\"" + version
                        + "\"}}]}");
    }

    private static String architecture() {
        String arch = System.getProperty("os.arch").toLowerCase(Locale.ROOT);
        return arch.equals("aarch64") ? "arm64" : arch;
    }

    private String config(List<Blob> layers) {
        String classPath = Stream.of("target", "target/lib", "target/lib-table")
                .map(folder -> "/" + PLACE + folder + "/*")
                .collect(Collectors.joining(":"));
        List<String> diffs =
                layers.stream().map(layer -> '"' + layer.unpacked() + '"').toList();
        return """
                {"created":"%s","architecture":"%s","os":"linux","config":{"Env":["PATH=/%sruntime/bin","LC_ALL=C.UTF-8","HOME=/tmp"],\
                "Entrypoint":["/%sruntime/bin/java","@/%sjvm.options",\
                "-Dstagesim.home=/%s","-cp","%s","dev.stagesim.cli.Main"],"WorkingDir":"/work",\
                "Labels":{"org.opencontainers.image.title":"stagesim","org.opencontainers.image.version":"%s"}},\
                "rootfs":{"type":"layers","diff_ids":[%s]},"history":[%s]}"""
                .formatted(
                        time,
                        architecture(),
                        PLACE,
                        PLACE,
                        PLACE,
                        PLACE.substring(0, PLACE.length() - 1),
                        classPath,
                        version,
                        String.join(",", diffs),
                        Stream.of("libraries of the system", "Java runtime", "stagesim")
                                .map(what -> "{\"created\":\"" + time + "\",\"created_by\":\"" + what + "\"}")
                                .reduce((one, other) -> one + "," + other)
                                .orElseThrow());
    }

    /** Adds the system libraries of the runtime, and the directories that programs expect. */
    private Tar base(Tar tar) throws IOException {
        Map<String, Content> files = new TreeMap<>();
        for (String library : libraries()) {
            files.put(library.substring(1), out -> Files.copy(Path.of(library), out));
        }
        for (String licence : LICENCES) {
            Path file = Path.of("/usr/share/doc", licence, "copyright");
            if (Files.exists(file)) {
                files.put(file.toString().substring(1), out -> Files.copy(file, out));
            }
        }
        files.put("etc/passwd", out -> out.write("root:x:0:0:root:/tmp:/none\n".getBytes(StandardCharsets.UTF_8)));
        TreeSet<String> dirs = new TreeSet<>(List.of("opt/", PLACE, "tmp/", "work/"));
        for (String file : files.keySet()) {
            for (int at = file.indexOf('/'); at > 0; at = file.indexOf('/', at + 1)) {
                dirs.add(file.substring(0, at + 1));
            }
        }
        tar.dirs(dirs.toArray(String[]::new));
        for (Map.Entry<String, Content> file : files.entrySet()) {
            ByteArrayOutputStream bytes = new ByteArrayOutputStream();
            file.getValue().to(bytes);
            tar.file(file.getKey(), bytes.toByteArray(), file.getKey().contains(".so"));
        }
        return tar;
    }

    /** The shared libraries of the system that the runtime is linked with, its loader among them. */
    private TreeSet<String> libraries() throws IOException {
        List<String> command = new ArrayList<>(List.of("ldd"));
        for (String file : LOADED) {
            command.add(image.resolve("runtime").resolve(file).toString());
        }
        ProcessBuilder builder = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT);
        builder.environment()
                .put("LD_LIBRARY_PATH", image.resolve("runtime/lib/server").toString());
        Process ldd = builder.start();
        String output = new String(ldd.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        TreeSet<String> libraries = new TreeSet<>();
        Matcher found = Pattern.compile("(?m)^\\s+(?:\\S+ => )?(/\\S+) \\(0x").matcher(output);
        while (found.find()) {
            if (!found.group(1).startsWith(image.toString())) {
                libraries.add(found.group(1));
            }
        }
        if (libraries.isEmpty() || output.contains("not found")) {
            throw new IOException("ldd does not list the libraries of the runtime: " + output);
        }
        return libraries;
    }

    private interface Filling {
        Tar fill(Tar tar) throws IOException;
    }

    private Blob layer(Path layout, Filling filling) throws IOException {
        Path open = layout.resolve("layer");
        MessageDigest packed = sha256();
        MessageDigest plain = sha256();
        try (OutputStream out = new DigestOutputStream(Files.newOutputStream(open), packed);
                GZIPOutputStream gzip = new GZIPOutputStream(out);
                OutputStream digested = new DigestOutputStream(gzip, plain)) {
            filling.fill(new Tar(digested)).end();
        }
        String hash = HexFormat.of().formatHex(packed.digest());
        Path blob = Files.move(open, layout.resolve("blobs/sha256").resolve(hash));
        return new Blob(
                "sha256:" + hash, Files.size(blob), "sha256:" + HexFormat.of().formatHex(plain.digest()));
    }

    private static Blob blob(Path layout, String json) throws IOException {
        byte[] bytes = json.getBytes(StandardCharsets.UTF_8);
        String hash = HexFormat.of().formatHex(sha256().digest(bytes));
        Files.write(layout.resolve("blobs/sha256").resolve(hash), bytes);
        return new Blob("sha256:" + hash, bytes.length, "");
    }

    /** A tar file in POSIX format. All entries have the same owner and time. */
    private final class Tar {
        private static final int BLOCK = 512;
        private static final int NAME = 100;

        private final OutputStream out;

        Tar(OutputStream out) {
            this.out = out;
        }

        Tar dirs(String... names) throws IOException {
            for (String name : names) {
                header(name, 0, '5', "", name.equals("tmp/") || name.equals("work/") ? 01777 : 0755);
            }
            return this;
        }

        Tar tree(Path dir, String prefix, Predicate<String> which) throws IOException {
            for (Map.Entry<String, Path> file : files(dir, which).entrySet()) {
                String name = prefix + file.getKey();
                Path path = file.getValue();
                if (Files.isSymbolicLink(path)) {
                    header(name, 0, '2', Files.readSymbolicLink(path).toString(), 0777);
                } else if (Files.isDirectory(path, LinkOption.NOFOLLOW_LINKS)) {
                    dirs(name + "/");
                } else {
                    file(name, Files.readAllBytes(path), Files.isExecutable(path) && !name.endsWith(".jar"));
                }
            }
            return this;
        }

        void file(String name, byte[] bytes, boolean runs) throws IOException {
            header(name, bytes.length, '0', "", runs ? 0755 : 0644);
            out.write(bytes);
            out.write(new byte[(BLOCK - bytes.length % BLOCK) % BLOCK]);
        }

        private void header(String full, long size, char type, String link, int mode) throws IOException {
            String name = full;
            String before = "";
            if (full.length() > NAME) {
                int at = full.indexOf('/', full.length() - NAME - 1);
                before = full.substring(0, Math.max(0, at));
                name = full.substring(at + 1);
            }
            if (name.length() > NAME || before.length() > 155 || link.length() > NAME) {
                throw new IOException("a tar file has no room for the name " + full);
            }
            byte[] block = new byte[BLOCK];
            text(block, 0, name);
            text(block, 100, String.format("%07o", mode));
            text(block, 108, "0000000");
            text(block, 116, "0000000");
            text(block, 124, String.format("%011o", size));
            text(block, 136, String.format("%011o", time.getEpochSecond()));
            text(block, 148, "        ");
            text(block, 156, String.valueOf(type));
            text(block, 157, link);
            text(block, 257, "ustar\00000");
            text(block, 345, before);
            int sum = 0;
            for (byte each : block) {
                sum += each & 0xff;
            }
            text(block, 148, String.format("%06o\0 ", sum));
            out.write(block);
        }

        private void text(byte[] block, int at, String text) {
            byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
            System.arraycopy(bytes, 0, block, at, bytes.length);
        }

        void end() throws IOException {
            out.write(new byte[2 * BLOCK]);
            out.flush();
        }
    }
}
