package dev.stagesim.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stagesim.io.json.Json;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Output for new users: {@code stage} without arguments, and {@code stage doctor}. */
final class DoctorCommandTest {
    @TempDir
    private Path dir;

    private void program(String name, String script) throws IOException {
        Path file = Files.writeString(dir.resolve(name), "#!/bin/sh\n" + script + "\n");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
    }

    private List<DoctorCommand.Check> tools() {
        return new DoctorCommand.Tools("/nowhere" + File.pathSeparator + File.pathSeparator + dir).checks();
    }

    @Test
    void listsInstalledPrograms() throws IOException {
        program("nvidia-smi", "echo 'NVIDIA H100 80GB HBM3, 81559 MiB'; echo 'NVIDIA H100 80GB HBM3, 81559 MiB'");
        program("mvn", "echo Apache Maven 3; echo more");
        program("python3", "echo no torch >&2; exit 1");
        program("google-chrome", "exit 0");
        program("trace_processor_shell", "exit 0");
        assertThat(tools())
                .extracting(check -> check.name() + ": " + check.found() + ", " + check.state())
                .containsExactly(
                        "GPU: true, 2 x NVIDIA H100 80GB HBM3, 81559 MiB",
                        "PyTorch: false, pip install torch",
                        "Maven: true, " + dir.resolve("mvn"),
                        "Chromium: true, " + dir.resolve("google-chrome"),
                        "Perfetto: true, " + dir.resolve("trace_processor_shell"));
    }

    @Test
    void succeedsWithoutOptionalPrograms() throws IOException {
        assertThat(tools()).hasSize(5).noneMatch(DoctorCommand.Check::found).noneMatch(DoctorCommand.Check::needed);
        assertThat(DoctorCommand.needed(dir)).hasSize(4).allMatch(DoctorCommand.Check::found);
    }

    @Test
    void reportsProgramsThatCannotStartAsMissing() throws IOException {
        program("python3", "echo 2");
        Files.writeString(dir.resolve("python3"), "#!/no/such/interpreter\n");
        assertThat(tools()).noneMatch(DoctorCommand.Check::found);
    }

    @Test
    void reportsFilesThatAreNotExecutableAsMissing() throws IOException {
        Files.writeString(dir.resolve("mvn"), "echo no");
        Files.createDirectory(dir.resolve("chromium"));
        assertThat(tools()).noneMatch(DoctorCommand.Check::found);
    }

    @Test
    void printsOneJsonObjectPerCheck() {
        CliTester output = CliTester.run("doctor", "--json");
        assertThat(Json.parse(output.out(), "doctor").get("checks").items())
                .hasSizeGreaterThan(8)
                .allSatisfy(check -> assertThat(check.members().keySet())
                        .containsExactlyInAnyOrder("name", "needed", "found", "state", "for"));
    }

    static Stream<List<String>> commandsOfTheFirstPage() {
        return CliTester.run().lines().stream()
                .filter(line -> line.contains("?  "))
                .map(line -> List.of(line.substring(line.indexOf("stage ") + 6).split(" ", -1)));
    }

    @ParameterizedTest
    @MethodSource("commandsOfTheFirstPage")
    void acceptsTheCommandsOfTheFirstPage(List<String> words) {
        Stream<String> check = words.get(0).equals("fits") ? Stream.of() : Stream.of("--cfg", "job");
        String[] args = Stream.concat(words.stream(), check).toArray(String[]::new);
        CliTester output = CliTester.run(args);
        assertThat(output.err()).isEmpty();
        assertThat(output.exit()).isZero();
    }

    @Test
    void fitsTheFirstPageOnAScreen() {
        assertThat(CliTester.run().lines()).hasSizeBetween(10, 24).allMatch(line -> line.length() <= 120);
    }
}
