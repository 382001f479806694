package dev.stagesim.sweep;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Submits an emitted job array to a one-node Slurm on the loopback interface. One task fails at first. */
@Tag("long")
class SlurmTest {
    private static final List<String> PROGRAMS = List.of("munged", "slurmctld", "slurmd", "sbatch", "sinfo");

    @TempDir
    Path scratch;

    private Installed stage;
    private Path slurm;

    @BeforeEach
    void aClusterOfOneNode() throws Exception {
        for (String program : PROGRAMS) {
            assumeTrue(found(program), program + " is not installed");
        }
        assumeTrue("root".equals(System.getProperty("user.name")), "slurmd runs jobs as root");
        slurm = Files.createDirectories(scratch.resolve("slurm"));
        Files.setPosixFilePermissions(scratch, PosixFilePermissions.fromString("rwx--x--x"));
        stage = new Installed(scratch.resolve("home"));
        stage.environment("SLURM_CONF", slurm.resolve("slurm.conf").toString());
        byte[] key = new byte[1024];
        new Random(1).nextBytes(key);
        Path keyFile = Files.write(slurm.resolve("munge.key"), key);
        Files.setPosixFilePermissions(keyFile, PosixFilePermissions.fromString("rw-------"));
        Files.writeString(slurm.resolve("slurm.conf"), conf());
        daemon(
                "munged",
                "--foreground",
                "--force",
                "--socket=" + slurm.resolve("munge.socket"),
                "--key-file=" + keyFile,
                "--pid-file=" + slurm.resolve("munged.pid"),
                "--seed-file=" + slurm.resolve("munged.seed"));
        await(() -> Files.exists(slurm.resolve("munge.socket")));
        daemon("slurmctld", "-D");
        daemon("slurmd", "-D");
        await(() -> ready());
    }

    @AfterEach
    void end() throws Exception {
        if (stage != null) {
            stage.close();
        }
    }

    private static boolean found(String program) {
        return Stream.of((System.getenv("PATH") + ":/usr/sbin").split(":", -1))
                .anyMatch(dir -> Files.isExecutable(Path.of(dir, program)));
    }

    private String conf() throws IOException {
        String host = InetAddress.getLocalHost().getHostName().replaceFirst("\\..*", "");
        return """
            ClusterName=test
            SlurmctldHost=HOST(127.0.0.1)
            AuthType=auth/munge
            AuthInfo=socket=DIR/munge.socket
            CredType=cred/munge
            SlurmUser=root
            SlurmctldPort=PORT1
            SlurmdPort=PORT2
            StateSaveLocation=DIR/state
            SlurmdSpoolDir=DIR/spool
            SlurmctldPidFile=DIR/slurmctld.pid
            SlurmdPidFile=DIR/slurmd.pid
            ProctrackType=proctrack/linuxproc
            TaskPlugin=task/none
            SelectType=select/cons_tres
            SelectTypeParameters=CR_Core
            JobAcctGatherType=jobacct_gather/none
            MpiDefault=none
            ReturnToService=2
            SchedulerParameters=sched_interval=1,batch_sched_delay=0
            NodeName=HOST NodeAddr=127.0.0.1 CPUs=2 RealMemory=2000 State=UNKNOWN
            PartitionName=main Nodes=ALL Default=YES State=UP
            """
                .replace("HOST", host)
                .replace(
                        "DIR",
                        Files.createDirectories(slurm.resolve("state"))
                                .getParent()
                                .toString())
                .replace("PORT1", Integer.toString(freePort()))
                .replace("PORT2", Integer.toString(freePort()));
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0)) {
            return socket.getLocalPort();
        }
    }

    private void daemon(String... words) throws IOException {
        Path program = Path.of("/usr/sbin", words[0]);
        String[] command = words.clone();
        command[0] = Files.isExecutable(program) ? program.toString() : words[0];
        stage.start(slurm, words[0], List.of(command));
    }

    private interface Condition {
        boolean isTrue() throws Exception;
    }

    private static void await(Condition condition) throws Exception {
        for (int i = 0; i < 600 && !condition.isTrue(); i++) {
            Thread.sleep(100);
        }
        assertThat(condition.isTrue()).isTrue();
    }

    private boolean ready() throws Exception {
        stage.start(slurm, "sinfo", List.of("sinfo", "--noheader", "--format=%T"))
                .waitFor();
        return Installed.output(slurm.resolve("sinfo.out")).startsWith("idle");
    }

    private void run(Path dir, String name, String... words) throws Exception {
        assertThat(stage.stage(dir, name, words).waitFor())
                .as(Installed.output(dir.resolve(name + ".err")))
                .isZero();
    }

    private int submit(Path dir, String... options) throws Exception {
        Stream<String> command = Stream.concat(
                Stream.concat(Stream.of("sbatch", "--wait", "--output=task-%a.txt"), Stream.of(options)),
                Stream.of("job.sh"));
        return stage.start(dir, "sbatch", command.toList()).waitFor();
    }

    @Test
    void givesTheResultsOfOneLaunch() throws Exception {
        String[] words = {"vidur_sim", "scheduler=vllm,sarathi", "arrival.qps=2,3", "workload.num_requests=30"};
        Path away = Files.createDirectories(scratch.resolve("away"));
        run(
                away,
                "emit",
                Stream.concat(
                                Stream.of("sweep", "emit", "slurm", "--shards", "3", "--cpus", "1", "--memory", "1"),
                                Stream.concat(Stream.of("--sbatch=--partition=main", "-o", "job.sh"), Stream.of(words)))
                        .toArray(String[]::new));
        assertThat(submit(away, "--array=0,2")).as(tasks(away)).isZero();
        Process early = stage.stage(away, "early", "sweep", "merge", ".");
        assertThat(early.waitFor()).as("a part is missing").isEqualTo(2);
        assertThat(Installed.output(away.resolve("early.err"))).contains("1 of 4 jobs are missing");
        assertThat(submit(away)).as(tasks(away)).isZero();
        run(away, "merge", "sweep", "merge", ".");

        Path here = Files.createDirectories(scratch.resolve("here"));
        run(
                here,
                "local",
                Stream.concat(Stream.of("vidur_sim", "-m"), Stream.of(words).skip(1))
                        .toArray(String[]::new));
        Map<String, String> expected = Installed.content(here);
        assertThat(expected.keySet()).anyMatch(name -> name.endsWith("token_percentiles.csv"));
        assertThat(Installed.content(away)).isEqualTo(expected);
        assertThat(away.resolve("merge.out")).hasSameTextualContentAs(here.resolve("local.out"));
    }

    private static String tasks(Path dir) {
        return Installed.output(dir.resolve("sbatch.err"))
                + Installed.output(dir.resolve("task-0.txt"))
                + Installed.output(dir.resolve("task-1.txt"))
                + Installed.output(dir.resolve("task-2.txt"));
    }
}
