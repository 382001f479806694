package dev.stagesim.bench.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpServer;
import dev.stagesim.bench.engine.Sources.MavenMirror;
import dev.stagesim.io.digest.Sha256;
import dev.stagesim.model.StageException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class EngineStoreTest {
    private static final String FIRST = "the first jar";
    private static final String SECOND = "the second jar, which is longer";

    @TempDir
    private Path dir;

    private final Engine engine = new Engine(
            "toy",
            "A toy.",
            "1.0",
            "",
            () -> List.of(artifact("g.h:a:1.0", FIRST), artifact("g.h:b:1.0:linux", SECOND)));
    private EngineStore store = new EngineStore(List.of(), Path.of(""));
    private Path repository = Path.of("");

    private static Artifact artifact(String coordinates, String content) {
        return Artifact.jar(coordinates, content.length(), Sha256.hex(content));
    }

    @BeforeEach
    void fill() throws IOException {
        repository = dir.resolve("repository");
        put("g/h/a/1.0/a-1.0.jar", FIRST);
        put("g/h/b/1.0/b-1.0-linux.jar", SECOND);
        store = new EngineStore(List.of(dir.resolve("lib"), dir.resolve("cache")), dir.resolve("none"));
    }

    private void put(String path, String content) throws IOException {
        Path file = repository.resolve(path);
        Files.createDirectories(file.getParent());
        Files.writeString(file, content);
    }

    private Path install() throws IOException {
        return store.install(engine, Optional.of(repository.toString()), (artifact, bytes) -> {});
    }

    @Test
    void installsAndRemoves() throws IOException {
        assertThat(store.installed(engine)).isEmpty();
        assertThatThrownBy(() -> store.jars(engine)).hasMessageContaining("stage engines install toy");
        Path folder = install();
        assertThat(store.installed(engine)).contains(folder);
        assertThat(store.jars(engine)).extracting(Files::readString).containsExactly(FIRST, SECOND);
        assertThat(store.remove(engine)).isTrue();
        assertThat(store.remove(engine)).isFalse();
        assertThat(store.installed(engine)).isEmpty();
    }

    @Test
    void deletesFilesWithWrongDigest() throws IOException {
        put("g/h/b/1.0/b-1.0-linux.jar", SECOND.replace('l', 'L'));
        assertThatThrownBy(this::install)
                .isInstanceOf(StageException.class)
                .hasMessageContaining("b-1.0-linux.jar")
                .hasMessageContaining("SHA-256");
        assertThat(store.installed(engine)).isEmpty();
        put("g/h/b/1.0/b-1.0-linux.jar", SECOND);
        assertThat(install()).isDirectoryNotContaining("glob:**.part");
    }

    @Test
    void listsAllAttemptsWhenAFileIsMissing() throws IOException {
        Files.delete(repository.resolve("g/h/a/1.0/a-1.0.jar"));
        assertThatThrownBy(this::install)
                .hasMessageContaining("a-1.0.jar: cannot be downloaded")
                .hasMessageContaining("the file does not exist")
                .hasMessageContaining("--repository DIRECTORY");
        assertThatThrownBy(() -> store.install(engine, Optional.of(dir + "/nowhere"), (artifact, bytes) -> {}))
                .hasMessageContaining("neither an http or https address nor a directory");
    }

    @Test
    void rejectsEnginesOfOtherPlatforms() {
        Engine other = new Engine("toy", "A toy.", "1.0", "vax-32", engine.jars());
        assertThatThrownBy(() -> store.install(other, Optional.empty(), (artifact, bytes) -> {}))
                .hasMessageContaining("runs on vax-32 only, this is " + Engine.here());
    }

    @Test
    void resumesInterruptedDownloads() throws IOException {
        List<String> ranges = new ArrayList<>();
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/maven/", exchange -> {
            Path file = repository.resolve(exchange.getRequestURI().getPath().substring("/maven/".length()));
            byte[] all = Files.readAllBytes(file);
            String range = exchange.getRequestHeaders().getFirst("Range");
            ranges.add(file.getFileName() + " " + range);
            int from = range == null ? 0 : Integer.parseInt(range.replaceAll("[^0-9]", ""));
            exchange.sendResponseHeaders(from > 0 ? 206 : 200, all.length - from);
            exchange.getResponseBody().write(Arrays.copyOfRange(all, from, all.length));
            exchange.close();
        });
        server.start();
        try {
            String address = "http://127.0.0.1:" + server.getAddress().getPort() + "/maven";
            Path folder = Files.createDirectories(dir.resolve("lib/toy/1.0"));
            Files.write(folder.resolve("b-1.0-linux.jar.part"), "the sec".getBytes(StandardCharsets.UTF_8));
            store.install(engine, Optional.of(address), (artifact, bytes) -> {});
            assertThat(store.installed(engine)).contains(folder);
            assertThat(ranges).containsExactly("a-1.0.jar null", "b-1.0-linux.jar bytes=7-");
        } finally {
            server.stop(0);
        }
    }

    @Test
    void usesMirrorFromMavenSettings() throws IOException {
        Path settings = Files.writeString(
                dir.resolve("settings.xml"),
                "<settings><mirrors><mirror><mirrorOf>other</mirrorOf><url>http://a</url></mirror>"
                        + "<mirror><mirrorOf>x,*</mirrorOf><url> http://b/c </url></mirror></mirrors></settings>");
        assertThat(MavenMirror.mirror(settings)).contains("http://b/c");
        assertThat(Sources.of(Optional.empty(), dir))
                .extracting(EngineRepository::location)
                .containsExactly(repository.toString(), "http://b/c");
        Files.writeString(settings, "<settings>");
        assertThat(MavenMirror.mirror(settings)).isEmpty();
    }

    @Test
    void hasWellFormedDigests() {
        assertThat(Engines.all()).isNotEmpty().allSatisfy(one -> {
            assertThat(one.artifacts()).extracting(Artifact::sha256).allMatch(hash -> hash.matches("[0-9a-f]{64}"));
            assertThat(one.bytes()).isPositive();
        });
        assertThatThrownBy(() -> Engines.find("tff")).hasMessageContaining("did you mean");
    }
}
