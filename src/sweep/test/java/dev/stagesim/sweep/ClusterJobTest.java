package dev.stagesim.sweep;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.constructor.SafeConstructor;

/** Parses job files like a cluster, and their commands like a shell. */
@Tag("acceptance")
final class ClusterJobTest {
    /** Words with a special meaning in a shell or in YAML. */
    private static final List<String> WORDS = List.of(
            "workload",
            "--multirun",
            "a=[1, 2]",
            "b='it''s'",
            "c=\"x\\y\"",
            "d=$HOME `id`",
            "e=: #",
            "é=ü",
            "f=range(1,4)");

    @TempDir
    Path dir;

    private Path program = Path.of("");

    @BeforeEach
    void writesAProgramThatPrintsItsArguments() throws Exception {
        program = dir.resolve("stage");
        Files.writeString(program, "#!/bin/bash\npwd\necho \"$STAGE_JAVA_OPTS\"\nprintf '%s\\n' \"$@\"\n");
        Files.setPosixFilePermissions(program, PosixFilePermissions.fromString("rwxr-xr-x"));
    }

    private ClusterJob job() {
        List<String> command = new ArrayList<>(List.of(program.toString()));
        command.addAll(WORDS);
        return new ClusterJob("sweep-0123456789", "vidur_sim", 4000, 5, 3, 8, dir.toString(), command, false);
    }

    private List<String> run(List<String> command, Map<String, String> environment) throws Exception {
        ProcessBuilder builder = new ProcessBuilder(command).directory(dir.toFile());
        builder.environment().remove("STAGE_JAVA_OPTS");
        builder.environment().putAll(environment);
        Path out = dir.resolve("out.txt");
        Process process =
                builder.redirectErrorStream(true).redirectOutput(out.toFile()).start();
        assertThat(process.waitFor()).as(Files.readString(out)).isZero();
        return Files.readAllLines(out);
    }

    private List<String> expected(int part) {
        List<String> expected = new ArrayList<>(List.of(dir.toString(), "-Xmx6144m"));
        expected.addAll(WORDS);
        expected.addAll(List.of("launcher=shard", "launcher.shard=" + part + "/5", "launcher.jobs=3"));
        return expected;
    }

    @Test
    @SuppressWarnings("unchecked")
    void writesAnIndexedJobForKubernetes() throws Exception {
        String text = job().kubernetes("registry.example/stagesim:1 \"x\"", "my-claim");
        Map<String, Object> job = new Yaml(new SafeConstructor(new LoaderOptions())).load(text);
        assertThat(job).containsEntry("apiVersion", "batch/v1").containsEntry("kind", "Job");
        assertThat((Map<String, Object>) job.get("metadata"))
                .hasEntrySatisfying("name", name -> assertThat((String) name)
                        .matches("[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?")
                        .contains("vidur-sim")
                        .contains("0123456789"));
        Map<String, Object> spec = (Map<String, Object>) job.get("spec");
        assertThat(spec)
                .containsEntry("completionMode", "Indexed")
                .containsEntry("completions", 5)
                .containsEntry("parallelism", 5)
                .containsEntry("backoffLimit", 5);
        Map<String, Object> pod = (Map<String, Object>) ((Map<String, Object>) spec.get("template")).get("spec");
        assertThat(pod).containsEntry("restartPolicy", "Never");
        Map<String, Object> container = ((List<Map<String, Object>>) pod.get("containers")).get(0);
        assertThat(container)
                .containsEntry("image", "registry.example/stagesim:1 \"x\"")
                .containsEntry("workingDir", dir.toString());
        assertThat((Map<String, Object>) container.get("resources"))
                .containsEntry("requests", Map.of("cpu", "3", "memory", "8Gi"))
                .containsEntry("limits", Map.of("memory", "8Gi"));
        Map<String, Object> mount = ((List<Map<String, Object>>) container.get("volumeMounts")).get(0);
        Map<String, Object> volume = ((List<Map<String, Object>>) pod.get("volumes")).get(0);
        assertThat(mount).containsEntry("mountPath", dir.toString()).containsEntry("name", volume.get("name"));
        assertThat(volume).containsEntry("persistentVolumeClaim", Map.of("claimName", "my-claim"));

        List<String> command = new ArrayList<>((List<String>) container.get("command"));
        command.addAll((List<String>) container.get("args"));
        Map<String, Object> variable = ((List<Map<String, Object>>) container.get("env")).get(0);
        for (int part : new int[] {0, 4}) {
            // Kubernetes sets this variable for each completion of an Indexed job.
            Map<String, String> environment =
                    Map.of("JOB_COMPLETION_INDEX", Integer.toString(part), (String) variable.get("name"), (String)
                            variable.get("value"));
            assertThat(run(command, environment)).isEqualTo(expected(part));
        }
    }

    @Test
    void writesAJobArrayForSlurm() throws Exception {
        String script = job().slurm(List.of("--partition=short", "--time=10"));
        assertThat(script.lines().filter(line -> line.startsWith("#SBATCH ")))
                .containsExactly(
                        "#SBATCH --job-name=stagesim-vidur_sim",
                        "#SBATCH --array=0-4",
                        "#SBATCH --ntasks=1",
                        "#SBATCH --cpus-per-task=3",
                        "#SBATCH --mem=8G",
                        "#SBATCH --partition=short",
                        "#SBATCH --time=10");
        Path file = Files.writeString(dir.resolve("job.sh"), script);
        for (int part : new int[] {0, 4}) {
            assertThat(run(List.of("bash", file.toString()), Map.of("SLURM_ARRAY_TASK_ID", Integer.toString(part))))
                    .isEqualTo(expected(part));
        }
    }
}
