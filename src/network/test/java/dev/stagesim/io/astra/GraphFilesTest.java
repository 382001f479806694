package dev.stagesim.io.astra;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.google.common.jimfs.Configuration;
import com.google.common.jimfs.Jimfs;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import dev.stagesim.sim.network.Fabric;
import java.io.IOException;
import java.nio.file.FileSystem;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

final class GraphFilesTest {
    private final FileSystem files = Jimfs.newFileSystem(Configuration.unix());

    @AfterEach
    void close() throws IOException {
        files.close();
    }

    @Test
    void readsLinksBetweenNpusAndSwitches() throws IOException {
        Fabric fabric = GraphFiles.read(
                write(
                        """
                npus: 4
                switches: [left, right]
                gigabyte: binary
                dimensions: [2, 2]
                links:
                  - { from: [0, 1], to: left, bandwidth: 50, latency: 10 }
                  - { from: [2, 3], to: right, bandwidth: 50, latency: 10 }
                  - { from: left, to: right, bandwidth: 100, latency: 500, tier: 1 }
                  - { from: 3, to: 0, bandwidth: 1, latency: 0, one_way: true }
                """));
        assertThat(fabric.graph().links()).isEqualTo(11);
        assertThat(fabric.dimensions()).containsExactly(2, 2);
        assertThat(fabric.graph().bytesPerNs(0)).isEqualTo(50 * 1.073741824);
        assertThat(fabric.graph().to(fabric.router().next(3, 3, 0))).isZero();
        assertThat(fabric.graph().to(fabric.router().next(0, 0, 3))).isEqualTo(4);
    }

    @Test
    void reportsEveryProblem() throws IOException {
        Path file = write(
                """
                npus: 4
                switches: [left]
                dimensions: [3]
                links:
                  - { from: 0, to: lefd, bandwidth: 50, latency: 10 }
                  - { from: 4, to: left, bandwidth: 50, latency: 10 }
                  - { from: 1, to: 1, bandwidth: 50, latency: 10 }
                  - { from: 1, to: left, bandwidth: 0, latency: 10 }
                  - { from: 1, to: left, bandwidth: 1 }
                """);
        StageException thrown = catchThrowableOfType(StageException.class, () -> GraphFiles.read(file));
        assertThat(thrown.problems()).hasSize(6);
        assertThat(thrown.problems().get(0).render()).contains("lefd").contains("did you mean  left");
    }

    @Test
    void reportsProblemsOfAllKeysAndLinks() throws IOException {
        Path file = write(
                """
                npus: 1
                switchs: [left]
                gigabyte: tertiary
                dimensions: [a, 2]
                links:
                  - { from: [0, far], to: 1, bandwidth: -1, latency: soon, tier: 200, lanes: 4 }
                  - 7
                """);
        StageException thrown = catchThrowableOfType(StageException.class, () -> GraphFiles.read(file));
        assertThat(thrown.problems())
                .extracting(Problem::where)
                .containsExactlyInAnyOrder(
                        "/g.yml#/npus",
                        "/g.yml#/switchs",
                        "/g.yml#/gigabyte",
                        "/g.yml#/links/0/bandwidth",
                        "/g.yml#/links/0/latency",
                        "/g.yml#/links/0/tier",
                        "/g.yml#/links/0/lanes",
                        "/g.yml#/links/0/from/1",
                        "/g.yml#/links/1",
                        "/g.yml#/dimensions/0");
    }

    @Test
    void rejectsDisconnectedNpus() throws IOException {
        Path file = write("npus: 3\nlinks: [{ from: 0, to: 1, bandwidth: 1, latency: 0 }]\n");
        StageException thrown = catchThrowableOfType(StageException.class, () -> GraphFiles.read(file));
        assertThat(thrown.problems()).extracting(Problem::what).containsExactly("there is no path from NPU 2 to NPU 0");
    }

    private Path write(String text) throws IOException {
        return Files.writeString(files.getPath("/g.yml"), text);
    }
}
