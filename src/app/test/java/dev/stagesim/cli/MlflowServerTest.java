package dev.stagesim.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.stagesim.ChildJava;
import dev.stagesim.PythonEnvironment;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Exports a sweep into a real MLflow server and reads it with MLflow's client. */
@Tag("acceptance")
class MlflowServerTest {
    private static final Path HOME =
            Path.of(System.getProperty("stagesim.home", "")).toAbsolutePath();

    /** Waits for the server, then prints the runs. */
    private static final String READ =
            """
            import mlflow, sys
            mlflow.set_tracking_uri(sys.argv[1])
            client = mlflow.MlflowClient()
            runs = client.search_runs([client.get_experiment_by_name("stagesim").experiment_id])
            names = {run.info.run_id: run.info.run_name for run in runs}
            for run in sorted(runs, key=lambda run: run.info.run_name):
                tags = run.data.tags
                files = sorted(file.path for file in client.list_artifacts(run.info.run_id))
                print(run.info.run_name, run.info.status, names.get(tags.get("mlflow.parentRunId")),
                      tags["stagesim.model"], tags["stagesim.hardware"], len(run.data.metrics) > 3, files)
            text = mlflow.artifacts.load_text(runs[0].info.artifact_uri + "/report.html")
            print("report", "</html>" in text)
            """;

    @TempDir
    Path scratch;

    private String stage(String... arguments) throws Exception {
        Path out = Files.createTempFile(scratch, "out", ".txt");
        List<String> command = new ArrayList<>(ChildJava.command(Main.class, "-Dstagesim.home=" + HOME));
        command.addAll(List.of(arguments));
        Process process = new ProcessBuilder(command)
                .directory(scratch.toFile())
                .redirectOutput(out.toFile())
                .redirectError(scratch.resolve("err.txt").toFile())
                .start();
        assertThat(process.waitFor(5, TimeUnit.MINUTES)).isTrue();
        assertThat(process.exitValue())
                .as(Files.readString(scratch.resolve("err.txt")))
                .isZero();
        return Files.readString(out).strip();
    }

    @Test
    void showsASweepWithItsJobsAndFiles() throws Exception {
        PythonEnvironment python = PythonEnvironment.open(scratch, "mlflow", "mlflow==3.*");
        stage("vidur_sim", "-m", "model=llama3_8b", "hardware=l40s", "workload.num_requests=5,6");
        String sweep;
        try (var sweeps = Files.list(scratch.resolve("tmp/sweeps"))) {
            sweep = sweeps.findFirst().orElseThrow().getFileName().toString();
        }
        int port;
        try (var free = new ServerSocket(0)) {
            port = free.getLocalPort();
        }
        String server = "http://127.0.0.1:" + port;
        Process process = new ProcessBuilder(
                        python.program("mlflow"),
                        "server",
                        "--port=" + port,
                        "--workers=1",
                        "--backend-store-uri=sqlite:///runs.db",
                        "--artifacts-destination=" + scratch.resolve("artifacts"))
                .directory(scratch.toFile())
                .redirectErrorStream(true)
                .redirectOutput(scratch.resolve("mlflow.txt").toFile())
                .start();
        try {
            awaitPort(port, process);
            String id = stage("runs", "export", sweep, "--format=mlflow", "--server=" + server);
            assertThat(stage("runs", "export", sweep, "--format=mlflow", "--server=" + server))
                    .as("exported once")
                    .isEqualTo(id);
            Path script = Files.writeString(scratch.resolve("read.py"), READ);
            PythonEnvironment.Ended read =
                    python.run(Duration.ofMinutes(3), Map.of(), "python", script.toString(), server);
            assertThat(read.exit()).as(read.output()).isZero();
            assertThat(read.output().lines())
                    .filteredOn(line -> line.contains("FINISHED"))
                    .hasSize(3)
                    .anyMatch(line -> line.startsWith(sweep + " FINISHED None ") && line.contains("results.csv"))
                    .filteredOn(line -> line.startsWith("vidur_sim-"))
                    .hasSize(2)
                    .allMatch(line -> line.contains(" FINISHED " + sweep + " ")
                            && line.contains("request_metrics.csv")
                            && line.contains("True"));
            assertThat(read.output()).contains("report True");
        } finally {
            process.descendants().forEach(ProcessHandle::destroy);
            process.destroy();
        }
    }

    private void awaitPort(int port, Process server) throws Exception {
        for (int i = 0; i < 960; i++) {
            assertThat(server.isAlive())
                    .as(Files.readString(scratch.resolve("mlflow.txt")))
                    .isTrue();
            try (var socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
                return;
            } catch (IOException notYet) {
                TimeUnit.MILLISECONDS.sleep(500);
            }
        }
        assumeTrue(false, "MLflow's server does not listen after 8 minutes: this machine is too slow");
    }
}
