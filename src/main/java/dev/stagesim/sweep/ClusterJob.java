package dev.stagesim.sweep;

import java.util.List;
import java.util.Locale;

/**
 * The parts of a sweep as a job of a cluster's scheduler.
 *
 * @param stage stage that the jobs run
 * @param jobs number of jobs
 * @param shards number of parts
 * @param cpus cores of a part
 * @param memoryGib memory of a part
 * @param workDir directory in which the parts run
 * @param command the command of a part, without the words that say which
 * @param searches true for a search, which is one part
 */
public record ClusterJob(
        String sweepId,
        String stage,
        int jobs,
        int shards,
        int cpus,
        int memoryGib,
        String workDir,
        List<String> command,
        boolean searches) {
    /** Share of a part's memory that is Java's heap, in percent. */
    private static final int HEAP_PERCENT = 75;

    private static final String KUBERNETES =
            """
            # %s
            apiVersion: batch/v1
            kind: Job
            metadata:
              name: %s
            spec:
              completionMode: Indexed
              completions: %d
              parallelism: %d
              backoffLimit: %d
              template:
                spec:
                  restartPolicy: Never
                  containers:
                    - name: stage
                      image: %s
                      workingDir: %s
                      command: ["/usr/bin/env", "bash", "-c"]
                      args:
                        - %s
                      env:
                        - name: STAGE_JAVA_OPTS
                          value: "-Xmx%dm"
                      resources:
                        requests: {cpu: "%d", memory: %dGi}
                        limits: {memory: %dGi}
                      volumeMounts:
                        - {name: work, mountPath: %s}
                  volumes:
                    - name: work
                      persistentVolumeClaim: {claimName: %s}
            """;

    public ClusterJob {
        command = List.copyOf(command);
    }

    /**
     * A script for {@code sbatch}: an array with one task for each part.
     *
     * @param extra further {@code #SBATCH} options, such as {@code --partition=short}
     */
    public String slurm(List<String> extra) {
        StringBuilder script = new StringBuilder("#!/usr/bin/env bash\n");
        script.append("#SBATCH --job-name=stagesim-").append(stage).append('\n');
        script.append("#SBATCH --array=0-").append(shards - 1).append('\n');
        script.append("#SBATCH --ntasks=1\n#SBATCH --cpus-per-task=")
                .append(cpus)
                .append('\n');
        script.append("#SBATCH --mem=").append(memoryGib).append("G\n");
        extra.forEach(option -> script.append("#SBATCH ").append(option).append('\n'));
        script.append("# ").append(remark()).append('\n');
        script.append("set -euo pipefail\n");
        script.append("export STAGE_JAVA_OPTS=\"${STAGE_JAVA_OPTS:--Xmx")
                .append(heapMib())
                .append("m}\"\n");
        script.append("cd ").append(Shell.quoted(workDir)).append('\n');
        script.append("exec ").append(line("SLURM_ARRAY_TASK_ID")).append('\n');
        return script.toString();
    }

    /**
     * A manifest for {@code kubectl apply}: an Indexed job with one completion for each part.
     *
     * @param image container image that holds the product
     * @param claim persistent volume claim that is the working directory of all parts
     */
    public String kubernetes(String image, String claim) {
        String name = "stagesim-" + stage.replace('_', '-') + "-" + sweepId.substring(sweepId.indexOf('-') + 1);
        return KUBERNETES.formatted(
                remark(),
                name,
                shards,
                shards,
                shards,
                yaml(image),
                yaml(workDir),
                yaml("exec " + line("JOB_COMPLETION_INDEX")),
                heapMib(),
                cpus,
                memoryGib,
                memoryGib,
                yaml(workDir),
                yaml(claim));
    }

    private String remark() {
        return searches
                ? String.format(Locale.ROOT, "a search among %,d candidates; submitted again it resumes", jobs)
                : String.format(
                        Locale.ROOT,
                        "%s: %,d jobs in %d parts; a part that is run again reuses its finished jobs.",
                        sweepId,
                        jobs,
                        shards);
    }

    private int heapMib() {
        return memoryGib * 1024 * HEAP_PERCENT / 100;
    }

    private String line(String index) {
        String words = Shell.line(command);
        if (searches) {
            return words + " sweeper.jobs=" + cpus;
        }
        return words + " launcher=shard \"launcher.shard=$" + index + "/" + shards + "\" launcher.jobs=" + cpus;
    }

    /** Text in double quotes, in which a shell's words stay as they are. */
    private static String yaml(String text) {
        return '"' + text.replace("\\", "\\\\").replace("\"", "\\\"") + '"';
    }
}
